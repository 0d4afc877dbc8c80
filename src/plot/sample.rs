//! A saturation chart made by hand: two works over sizes from 4 KiB to 16 MiB, for tests.
//!
//! Knows a simple law of saturation. Must not know the simulator.

use super::chart::Chart;
use super::saturation::{Line, chart as from_reports};
use crate::report::{Binding, Report, sample};
use crate::study::vary::parse;

/// The chart.
pub fn chart() -> Chart {
    let vary = parse("works.*.size=4KiB..16MiB:x2").unwrap();
    let reports: Vec<Report> = vary.values.iter().map(|value| report(value.amount as f64)).collect();
    from_reports(&vary, &[Line { edits: &[], reports: &reports }])
}

/// A report in which both works move `size` bytes a request at a time on 128 threads.
fn report(size: f64) -> Report {
    let mut report = sample::report();
    let laws = [(90e-6, 96.0, "target.media_write", "root_complex"), (210e-6, 80.0, "target.media_write", "dram")];
    for (index, (delay, ceiling, slow, fast)) in laws.into_iter().enumerate() {
        let alone = 128.0 * size / (delay + size / 8e9) / 1e9;
        let work = &mut report.works[index];
        work.throughput_gb_s = alone.min(ceiling);
        let middle = index == 1 && size > 60e3 && size < 300e3;
        let name = if alone >= ceiling {
            fast
        } else if middle {
            "cpu_copy"
        } else {
            slow
        };
        work.binding = vec![Binding { name: name.into(), kind: "capacity".into(), share: 0.9, gain: None, tied: true }];
    }
    report
}

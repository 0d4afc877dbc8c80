//! `elbencho`: the table of results on a terminal.
//!
//! Knows its rows and the command above them; its MiB are 2^20 bytes. Must not know what a file system should reach.

use super::{Figure, Reading, Route, Text, fio, pattern};
use engine::Direction;

/// What the command says, and the phase that rows belong to.
#[derive(Default)]
struct Setup {
    size: Option<u64>,
    threads: Option<u64>,
    depth: Option<u64>,
    direct: Option<bool>,
    /// The figures of the GPU's side: through system memory or by cuFile.
    route: Option<Route>,
    phase: Option<(String, Direction)>,
    iops: Option<f64>,
    seconds: Option<f64>,
}

pub(super) fn read(text: &Text, reading: &mut Reading) {
    if !text.lines.iter().any(|line| pattern!(r"\belbencho\b|^OPERATION\s+RESULT TYPE").is_match(line.body())) {
        return;
    }
    let mut setup = Setup::default();
    for line in &text.lines {
        let body = line.body();
        if pattern!(r"\belbencho\s.*-").is_match(body) {
            setup = command(body);
        }
        if body.starts_with("OPERATION ") {
            reading.fact(line.number, super::Fact::Heading);
        }
        let Some((name, label, last)) = row(body) else { continue };
        reading.fact(line.number, super::Fact::Heading);
        if !name.is_empty() {
            setup.phase = phase(&name).map(|direction| (name, direction));
            (setup.iops, setup.seconds) = (None, None);
        }
        match label.as_str() {
            "Elapsed time" => setup.seconds = seconds(&last),
            "Elapsed ms" => setup.seconds = last.parse().ok().map(|ms: f64| ms / 1e3),
            "IOPS" => setup.iops = last.parse().ok(),
            "Throughput MiB/s" => reading.figures.extend(figure(line.number, &last, &setup)),
            "Total MiB" => total(&last, reading, &setup),
            _ => {}
        }
    }
}

/// "READ        Elapsed time     :     60.001s     60.001s": the phase, the label, and what holds when all are done.
fn row(body: &str) -> Option<(String, String, String)> {
    let cells = pattern!(
        r"^\s*([A-Z]*)\s*(Elapsed time|Elapsed ms|IOPS|Throughput MiB/s|Total MiB|Files total|Files/s)\s*:\s*(\S+)(?:\s+(\S+))?"
    )
    .captures(body)?;
    let last = cells.get(4).unwrap_or(cells.get(3)?).as_str();
    Some((cells[1].to_string(), cells[2].to_string(), last.to_string()))
}

fn phase(name: &str) -> Option<Direction> {
    match name {
        "READ" => Some(Direction::Read),
        "WRITE" => Some(Direction::Write),
        _ => None,
    }
}

/// "1m0.001s", "60.001s", "812ms".
fn seconds(text: &str) -> Option<f64> {
    let cells = pattern!(r"^(?:(\d+)h)?(?:(\d+)m)?(?:([\d.]+)s|([\d.]+)ms)?$").captures(text)?;
    let number = |group: usize| cells.get(group).and_then(|cell| cell.as_str().parse::<f64>().ok()).unwrap_or(0.0);
    Some(number(1) * 3600.0 + number(2) * 60.0 + number(3) + number(4) / 1e3).filter(|seconds| *seconds > 0.0)
}

fn command(body: &str) -> Setup {
    let option = |long: &str, short: &str| {
        let mut words = body.split_whitespace().skip_while(|word| *word != long && *word != short);
        words.next().and(words.next())
    };
    let has = |word: &str| body.split_whitespace().any(|other| other == word);
    let route = match () {
        () if has("--cufile") || has("--gds") => Some(Route::Gds),
        () if body.contains("--gpuids") => Some(Route::Bounce),
        () => None,
    };
    Setup {
        size: option("--block", "-b").and_then(fio::size),
        threads: option("--threads", "-t").and_then(|threads| threads.parse().ok()),
        depth: option("--iodepth", "--iodepth").and_then(|depth| depth.parse().ok()),
        direct: (has("--direct") || has("--gds")).then_some(true),
        route,
        ..Setup::default()
    }
}

fn figure(line: usize, last: &str, setup: &Setup) -> Option<Figure> {
    let (name, direction) = setup.phase.as_ref()?;
    let rate = last.parse::<f64>().ok().filter(|rate| *rate > 0.0)? * f64::from(1 << 20);
    let what = match setup.iops {
        Some(iops) => format!("{name}, {iops:.0} IOPS"),
        None => name.clone(),
    };
    let mut figure = Figure::new(line, "elbencho", what, setup.route.unwrap_or(Route::Storage), rate);
    figure.direction = Some(*direction);
    figure.size = setup.size;
    figure.threads = setup.threads;
    figure.depth = setup.depth;
    figure.direct = setup.direct;
    figure.seconds = setup.seconds;
    figure.iops = setup.iops;
    Some(figure)
}

/// All bytes of the phase, which stand below its throughput.
fn total(last: &str, reading: &mut Reading, setup: &Setup) {
    let Some(figure) = reading.figures.last_mut().filter(|_| setup.phase.is_some()) else { return };
    figure.bytes = last.parse::<u64>().ok().and_then(|mib| mib.checked_mul(1 << 20));
}

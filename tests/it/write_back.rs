//! Writes into the page cache: at memory speed up to the dirty limit, then at the pace of the drives.

use engine::WorkOutcome;

use crate::plans;
use crate::small::{sealed, with};

/// One GPU that writes into the page cache: 8 GB/s into memory, 2 GB/s onto the drives, 10 GB of 100 may be dirty.
fn written(amount: &str, page_cache: &str) -> WorkOutcome {
    let text = with("memory = \"1 TB\"", &format!("memory = \"100 GB\"\n{page_cache}"))
        .replace("gpus = 4", "gpus = 1")
        .replace("[[node.sockets]]\n\n[[node.sockets]]", "[[node.sockets]]\ngpus = [0]\n\n[[node.sockets]]")
        .replace("gpus = [0, 1]", "gpus = [1]")
        .replace("copy_rate = \"10 GB/s\"", "copy_rate = \"1 GB/s\"")
        .replace("rate = \"125 GB/s\"", "rate = \"2 GB/s\"");
    let from = text.find("[works.gds]").expect("the works begin there");
    let write = format!(
        "[works.save]\npath = \"save\"\n{amount}\nsize = \"1 MB\"\nthreads = 8\n{}",
        "[paths.save]\ndirection = \"write\"\nmethod = \"bounce\"\nholds_thread = true\n\
         [[paths.save.legs]]\nname = \"copy\"\nmover = \"cpu\"\nhops = [{ from = \"user buffer\", to = \"kernel buffer\" }]\n\
         [[paths.save.legs]]\nname = \"write back\"\nmover = \"drive\"\nwrite_back = true\n\
         hops = [{ from = \"kernel buffer\", to = \"pcie\" }, { from = \"pcie\", to = \"storage\" }]\n"
    );
    plans::run(&sealed(&format!("{}{write}", &text[..from]))).works[0].clone()
}

fn seconds(gigabytes: f64, page_cache: &str) -> f64 {
    written(&format!("bytes = \"{gigabytes} GB\""), page_cache).duration.seconds()
}

const TEN_GB: &str = "page_cache = { dirty_ratio = 0.15, dirty_background_ratio = 0.05 }";

fn close(seconds: f64, expected: f64) {
    assert!((seconds / expected - 1.0).abs() < 0.003, "{seconds} s, by the formula {expected} s");
}

#[test]
fn writes_that_the_page_cache_takes_go_at_memory_speed() {
    close(seconds(8.0, TEN_GB), 1.0);
}

#[test]
fn what_is_beyond_the_dirty_limit_goes_at_the_pace_of_the_drives() {
    // Dirty memory grows by 8 - 2 GB/s until 10 GB are dirty, after 10 / 6 s; the rest at 2 GB/s.
    for gigabytes in [20.0, 40.0] {
        let free = 10.0 / (8.0 - 2.0);
        close(seconds(gigabytes, TEN_GB), free + (gigabytes - 8.0 * free) / 2.0);
    }
}

#[test]
fn around_the_limit_the_slower_of_the_two_decides() {
    let by_formula = |n: f64| f64::max(n / 8.0, (n - 10.0) / 2.0);
    for gigabytes in [12.0, 13.0, 13.4, 14.0, 15.0] {
        close(seconds(gigabytes, TEN_GB), by_formula(gigabytes));
    }
}

#[test]
fn the_limit_is_the_middle_between_the_ratios_of_what_is_available() {
    let half = "page_cache = { dirty_ratio = 0.15, dirty_background_ratio = 0.05, available = \"50 GB\" }";
    close(seconds(25.0, half), 10.0);
    // The ratios of Linux, 20 and 10 %, where nothing is said.
    close(seconds(35.0, ""), 10.0);
}

#[test]
fn a_work_that_goes_on_for_ever_goes_at_the_pace_of_the_drives() {
    let out = written("run_time = \"1 s\"\nwarm_up = \"100 ms\"", TEN_GB);
    close(out.bytes.0 as f64 / 2e9, out.duration.seconds());
}

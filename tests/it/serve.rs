//! The workshop server as a browser meets it, without a browser: addresses, limits, refusals, its end.
//!
//! Knows HTTP by hand. Must not know the library, but for the figures that the command line prints.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;

/// A server in an empty folder; it is killed when it goes.
struct Server {
    child: Child,
    address: String,
    folder: TempDir,
}

impl Server {
    fn start() -> Server {
        let folder = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
        command.current_dir(folder.path()).args(["serve", "--quiet"]).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_string();
        Server { child, address, folder }
    }

    /// Status, head and body of an answer to raw text.
    fn told(&self, request: &str) -> (u16, String, String) {
        let mut stream = TcpStream::connect(&self.address).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        (status, head.to_lowercase(), body.to_string())
    }

    fn get(&self, path: &str) -> (u16, String, String) {
        let address = &self.address;
        self.told(&format!("GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n"))
    }

    /// The JSON of an answer that is fine.
    fn json(&self, path: &str) -> Value {
        let (status, _, body) = self.get(path);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap()
    }

    /// The message of an answer that is not.
    fn refusal(&self, path: &str) -> (u16, String) {
        let (status, _, body) = self.get(path);
        let wrong: Value = serde_json::from_str(&body).unwrap();
        (status, wrong["message"].as_str().unwrap().to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const SMALL: &str = "scenario=one-at-a-time-textbook";

/// The report that `hopsim run` prints of the small scenario.
fn printed(server: &Server, arguments: &[&str]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    command.current_dir(server.folder.path()).args(["run", "one-at-a-time-textbook", "--format=json"]).args(arguments);
    serde_json::from_slice(&command.output().unwrap().stdout).unwrap()
}

#[test]
fn a_point_is_what_run_prints_in_settled_mode() {
    let server = Server::start();
    let answer = server.json(&format!("/api/point?{SMALL}&size=64+KiB&threads=2&path.gds=compat-read&range=1"));
    let sets = ["--set=works.gds.path=compat-read", "--set=works.*.threads=2", "--set=works.*.size=64 KiB"];
    assert_eq!(answer["report"], printed(&server, &[&["--mode=settled"], &sets[..]].concat()));
}

#[test]
fn an_estimate_is_what_run_prints_in_stream_mode_but_for_its_ends() {
    let server = Server::start();
    let answer = server.json(&format!("/api/point?{SMALL}&size=64+KiB&estimate=1"));
    let mut printed = printed(&server, &["--mode=stream", "--set=works.*.size=64 KiB"]);
    leave_out_ends(&mut printed);
    assert_eq!(without_binding(answer["report"].clone()), printed);
}

fn without_binding(mut report: Value) -> Value {
    report["works"].as_array_mut().unwrap().iter_mut().for_each(|work| work["binding"] = Value::Null);
    report
}

fn leave_out_ends(report: &mut Value) {
    for work in report["works"].as_array_mut().unwrap() {
        assert!(work["low_s"].is_number());
        work["low_s"] = Value::Null;
        work["high_s"] = Value::Null;
        // With the ends come the gains, and the order that they give.
        let binding = work["binding"].as_array_mut().unwrap();
        assert!(binding.iter().any(|entry| entry["gain"].is_number()));
        work["binding"] = Value::Null;
    }
}

#[test]
fn without_the_range_a_point_has_the_same_figures_but_for_its_ends() {
    let server = Server::start();
    let plain = server.json(&format!("/api/point?{SMALL}"));
    let mut ranged = server.json(&format!("/api/point?{SMALL}&range=1"));
    leave_out_ends(&mut ranged["report"]);
    assert_eq!(without_binding(plain["report"].clone()), ranged["report"]);
}

#[test]
fn the_command_and_the_file_of_a_point_give_the_same_figures() {
    let server = Server::start();
    let answer = server.json(&format!("/api/point?{SMALL}&size=16+KiB&nics=1"));
    let command = answer["command"].as_str().unwrap();
    assert_eq!(
        command,
        "hopsim run one-at-a-time-textbook --mode settled --set 'works.*.size=16 KiB' --set 'node.nics=1'"
    );
    let file = server.folder.path().join("mine.toml");
    std::fs::write(&file, answer["toml"].as_str().unwrap()).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    let printed = command.arg("run").arg(&file).args(["--mode", "settled", "--format", "json"]).output().unwrap();
    let printed: Value = serde_json::from_slice(&printed.stdout).unwrap();
    for figure in ["duration_s", "throughput_gb_s", "ceiling_by"] {
        assert_eq!(answer["report"]["works"][0][figure], printed["works"][0][figure], "{figure}");
    }
}

#[test]
fn a_curve_has_every_work_at_every_place() {
    let server = Server::start();
    let curve = server.json(&format!("/api/curve?{SMALL}&along=depth"));
    let places = curve.as_array().unwrap();
    assert_eq!((places[0]["value"].as_str(), places.last().unwrap()["value"].as_str()), (Some("1"), Some("16")));
    assert!(places.iter().all(|place| place["works"].as_array().unwrap().len() == 2));
    let heights: Vec<f64> = places.iter().map(|place| place["works"][0]["throughput_gb_s"].as_f64().unwrap()).collect();
    assert!(heights.windows(2).all(|pair| pair[1] > pair[0] * 0.99), "{heights:?}");
}

#[test]
fn a_bad_parameter_is_refused_in_words() {
    let server = Server::start();
    for (query, message) in [
        ("", "no scenario is named"),
        ("scenario=load", "there is no scenario called \"load\""),
        ("scenario=one-at-a-time-textbook&gpus=9", "gpus: 9 is out of its range"),
        ("scenario=one-at-a-time-textbook&size=1", "size: \"1\" has no unit; expected"),
        ("scenario=one-at-a-time-textbook&gpu=1", "there is no slider called \"gpu\""),
        ("scenario=one-at-a-time-textbook&path.x=gds-read", "the scenario has no work called \"x\""),
    ] {
        let (status, said) = server.refusal(&format!("/api/point?{query}"));
        assert_eq!(status, 400, "{query}");
        assert!(said.starts_with(message), "{query}: {said}");
    }
    assert_eq!(server.refusal("/api/curve?scenario=one-at-a-time-textbook&along=x").0, 400);
}

#[test]
fn no_request_reads_a_file_that_is_no_scenario_or_model() {
    let server = Server::start();
    let scenario = "schema = 1\nnode = \"dgx-h100-textbook\"\ntarget = \"textbook\"\n[works.w]\npath = \"gds-read\"\nsize = \"1 MiB\"\nrequests = 1\n";
    std::fs::write(server.folder.path().join("secret"), scenario).unwrap();
    std::fs::write(server.folder.path().join("secret.toml"), scenario).unwrap();
    for name in ["secret", "secret.toml", "./secret.toml", "../etc/passwd", "/etc/passwd", "%2e%2e%2fsecret"] {
        assert_eq!(server.refusal(&format!("/api/point?scenario={name}")).0, 400, "{name}");
        assert_eq!(server.get(&format!("/{name}")).0, 404, "{name}");
        assert_ne!(server.get(&format!("/api/lesson/{name}")).0, 200, "{name}");
    }
}

#[test]
fn a_question_that_is_too_long_is_not_read() {
    let server = Server::start();
    let (status, _) = server.refusal(&format!("/api/point?scenario={}", "x".repeat(5000)));
    assert_eq!(status, 414);
}

#[test]
fn every_answer_forbids_assets_from_outside() {
    let server = Server::start();
    for path in ["/", "/page.js", "/api/scenarios", "/no-such-thing"] {
        let (_, head, _) = server.get(path);
        assert!(head.contains("content-security-policy: default-src 'none'"), "{path}: {head}");
    }
}

#[test]
fn a_page_from_elsewhere_cannot_ask_a_local_server() {
    let server = Server::start();
    let (status, ..) = server.told("GET / HTTP/1.1\r\nHost: example.org\r\nConnection: close\r\n\r\n");
    assert_eq!(status, 403);
}

#[test]
fn nothing_is_taken_but_questions() {
    let server = Server::start();
    let address = &server.address;
    let head =
        format!("POST /api/point HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\nContent-Length: 4\r\n\r\nsize");
    assert_eq!(server.told(&head).0, 405);
}

#[test]
fn every_scenario_that_ships_is_listed_with_its_sliders() {
    let server = Server::start();
    let listed = server.json("/api/scenarios");
    for scenario in listed.as_array().unwrap() {
        assert!(scenario["fault"].is_null(), "{scenario}");
        assert!(scenario["sliders"].as_array().unwrap().len() >= 6, "{scenario}");
    }
}

#[cfg(unix)]
#[test]
fn it_ends_within_a_second_of_an_interrupt_whatever_is_under_way() {
    let mut server = Server::start();
    // A question whose answer takes a while, and nobody to read it.
    let mut stream = TcpStream::connect(&server.address).unwrap();
    let question = "/api/point?scenario=load-640gb&depth=16&threads=32&range=1";
    write!(stream, "GET {question} HTTP/1.1\r\nHost: {}\r\n\r\n", server.address).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let begin = Instant::now();
    Command::new("kill").args(["-INT", &server.child.id().to_string()]).status().unwrap();
    let status = server.child.wait().unwrap();
    assert!(status.success(), "{status}");
    assert!(begin.elapsed() < Duration::from_secs(1), "{:?}", begin.elapsed());
}

#[test]
fn a_port_that_is_taken_is_said_to_be() {
    let server = Server::start();
    let port = server.address.rsplit(':').next().unwrap().to_string();
    let output = Command::new(env!("CARGO_BIN_EXE_hopsim")).args(["serve", "--port", &port]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains(&format!("cannot listen on 127.0.0.1:{port}")), "{said}");
}

#[test]
fn static_files_go_neither_over_what_is_there_nor_into_no_folder() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("mine")).unwrap();
    std::fs::write(folder.path().join("mine/notes.txt"), "kept").unwrap();
    for (name, said) in [("mine", "exists, and is left as it is"), ("nowhere/page", "there is no folder nowhere")] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
        let run = command.current_dir(folder.path()).args(["serve", "--export", name]).output().unwrap();
        let told = String::from_utf8(run.stderr).unwrap();
        assert!(run.status.code() == Some(2) && told.contains(said), "{told}");
    }
    assert_eq!(std::fs::read_to_string(folder.path().join("mine/notes.txt")).unwrap(), "kept");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

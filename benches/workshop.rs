//! How fast the workshop server answers: one person who moves every slider of the textbook scenarios through all its
//! positions, then ten people at once. `cargo bench --bench workshop`; the figures in docs/workshop.md come from here.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// People who move sliders at once.
const PEOPLE: u64 = 10;
/// Moves of each of them.
const MOVES: u64 = 40;
/// How long each looks before the next move.
const LOOK: Duration = Duration::from_millis(500);

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    // `cargo test --benches` runs this too, which is not what it is for.
    if !arguments.iter().any(|argument| argument == "--bench") {
        return;
    }
    one_person();
    many_people();
}

struct Server {
    child: Child,
    address: String,
}

impl Server {
    fn start() -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
        let mut child = command.args(["serve", "--quiet"]).stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("it prints its address");
        Server { child, address: line.trim().trim_start_matches("http://").trim_end_matches('/').to_string() }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks; the stream answers when it is read.
fn ask(address: &str, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).expect("the server listens");
    let path = path.replace(' ', "+");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n").expect("it reads");
    stream
}

fn answer(mut stream: TcpStream) -> String {
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("it answers");
    text
}

/// Milliseconds until the answer, and whether it was fine.
fn timed(address: &str, path: &str) -> (f64, bool) {
    let begin = Instant::now();
    let text = answer(ask(address, path));
    (begin.elapsed().as_secs_f64() * 1e3, text.starts_with("HTTP/1.1 200"))
}

/// Every position of every slider of the textbook scenarios: scenario, slider, value.
fn positions(address: &str) -> Vec<(String, String, String)> {
    let text = answer(ask(address, "/api/scenarios"));
    let listed: Value = serde_json::from_str(text.split("\r\n\r\n").nth(1).expect("a body")).expect("JSON");
    let word = |value: &Value| value.as_str().expect("a text").to_string();
    let mut all = Vec::new();
    for scenario in listed.as_array().expect("a list").iter().filter(|one| word(&one["name"]).ends_with("textbook")) {
        for slider in scenario["sliders"].as_array().expect("a list") {
            for value in slider["values"].as_array().expect("a list") {
                all.push((word(&scenario["name"]), word(&slider["knob"]), word(value)));
            }
        }
    }
    all
}

fn one_person() {
    let server = Server::start();
    let mut by_slider: Vec<(String, Vec<(f64, String)>)> = Vec::new();
    for (scenario, knob, value) in positions(&server.address) {
        let (ms, fine) = timed(&server.address, &format!("/api/point?scenario={scenario}&{knob}={value}"));
        let note = format!("{scenario} at {value}{}", if fine { "" } else { ", refused" });
        match by_slider.iter_mut().find(|(name, _)| *name == knob) {
            Some((_, times)) => times.push((ms, note)),
            None => by_slider.push((knob, vec![(ms, note)])),
        }
    }
    println!(
        "one person, every answer computed anew\n{:<12} {:>6} {:>8} {:>8} {:>8}",
        "slider", "moves", "median", "p95", "max ms"
    );
    let mut all = Vec::new();
    for (knob, mut times) in by_slider {
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ms: Vec<f64> = times.iter().map(|time| time.0).collect();
        let slowest = &times[times.len() - 1].1;
        println!("{}  slowest: {slowest}", row(&knob, &ms));
        all.extend(ms);
    }
    all.sort_by(f64::total_cmp);
    println!("{}\n", row("all", &all));
}

fn many_people() {
    let server = Server::start();
    let all = positions(&server.address);
    let person = &|number: u64| {
        let mut times = Vec::new();
        for turn in 0..MOVES {
            // A fixed walk that differs from person to person.
            let (scenario, knob, value) = &all[((number * 7919 + turn * 104_729) % all.len() as u64) as usize];
            times.push(timed(&server.address, &format!("/api/point?scenario={scenario}&{knob}={value}")).0);
            // The page asks for the curve next, and calls it off when the slider moves on.
            let curve = ask(&server.address, &format!("/api/curve?scenario={scenario}&{knob}={value}&along=size"));
            std::thread::sleep(LOOK);
            drop(curve);
        }
        times
    };
    let mut times: Vec<f64> = std::thread::scope(|scope| {
        let people: Vec<_> = (0..PEOPLE).map(|number| scope.spawn(move || person(number))).collect();
        people.into_iter().flat_map(|one| one.join().expect("nobody panics")).collect()
    });
    times.sort_by(f64::total_cmp);
    println!("{PEOPLE} people, a move every {} ms and a curve after each\n{}", LOOK.as_millis(), row("all", &times));
}

fn row(name: &str, sorted: &[f64]) -> String {
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    format!("{name:<12} {:>6} {:>8.1} {:>8.1} {:>8.1}", sorted.len(), at(0.5), at(0.95), at(1.0))
}

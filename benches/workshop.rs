//! How fast the workshop server answers: one person who moves every slider of the textbook scenarios through all its
//! positions, then ten people at once. As the page does, it asks for an estimate where the figures take long; what comes
//! first is the first answer. `cargo bench --bench workshop`; the figures in docs/workshop.md come from here.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value;

/// People who move sliders at once.
const PEOPLE: u64 = 10;
/// Moves of each of them.
const MOVES: u64 = 40;
/// How long each looks before the next move.
const LOOK: Duration = Duration::from_millis(500);
/// How long figures may take before the page asks for an estimate of them.
const PATIENCE: Duration = Duration::from_millis(30);

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

/// A point as the page asks for it.
struct Timed {
    /// Milliseconds until the first answer, an estimate or the figures.
    first: f64,
    /// Milliseconds until the figures.
    figures: f64,
    /// Whether both were fine.
    fine: bool,
}

fn timed(address: &str, path: &str) -> Timed {
    let begin = Instant::now();
    let (tell, told) = mpsc::channel();
    let answered = |path: String, is_figures: bool| {
        let fine = answer(ask(address, &path)).starts_with("HTTP/1.1 200");
        tell.send((begin.elapsed().as_secs_f64() * 1e3, is_figures, fine)).expect("somebody listens");
    };
    std::thread::scope(|scope| {
        let answered = &answered;
        scope.spawn(move || answered(path.to_string(), true));
        let (first, is_figures, fine) = told.recv_timeout(PATIENCE).unwrap_or_else(|_| {
            scope.spawn(move || answered(format!("{path}&estimate=1"), false));
            told.recv().expect("an answer")
        });
        if is_figures {
            return Timed { first, figures: first, fine };
        }
        let (figures, _, also) = told.recv().expect("the figures");
        Timed { first, figures, fine: fine && also }
    })
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
    let mut by_slider: Vec<(String, Vec<(Timed, String)>)> = Vec::new();
    for (scenario, knob, value) in positions(&server.address) {
        let timed = timed(&server.address, &format!("/api/point?scenario={scenario}&{knob}={value}"));
        let note = format!("{scenario} at {value}{}", if timed.fine { "" } else { ", refused" });
        match by_slider.iter_mut().find(|(name, _)| *name == knob) {
            Some((_, times)) => times.push((timed, note)),
            None => by_slider.push((knob, vec![(timed, note)])),
        }
    }
    println!("one person, every answer computed anew\n{}", head());
    let mut all = Vec::new();
    for (knob, mut times) in by_slider {
        times.sort_by(|a, b| a.0.figures.total_cmp(&b.0.figures));
        let slowest = times[times.len() - 1].1.clone();
        let times: Vec<Timed> = times.into_iter().map(|(timed, _)| timed).collect();
        println!("{}  slowest: {slowest}", row(&knob, &times));
        all.extend(times);
    }
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
            times.push(timed(&server.address, &format!("/api/point?scenario={scenario}&{knob}={value}")));
            // The page asks for the curve next, and calls it off when the slider moves on.
            let curve = ask(&server.address, &format!("/api/curve?scenario={scenario}&{knob}={value}&along=size"));
            std::thread::sleep(LOOK);
            drop(curve);
        }
        times
    };
    let times: Vec<Timed> = std::thread::scope(|scope| {
        let people: Vec<_> = (0..PEOPLE).map(|number| scope.spawn(move || person(number))).collect();
        people.into_iter().flat_map(|one| one.join().expect("nobody panics")).collect()
    });
    println!("{PEOPLE} people, a move every {} ms and a curve after each\n{}", LOOK.as_millis(), head());
    println!("{}", row("all", &times));
}

fn head() -> String {
    let three = of_three(["median", "p95", "max"].map(String::from));
    format!(
        "{:<12} {:>6}{:>27}{:>27}\n{:<12} {:>6}{three}{three}",
        "", "", "first answer, ms", "figures, ms", "slider", "moves"
    )
}

fn of_three(three: [String; 3]) -> String {
    three.iter().map(|one| format!(" {one:>8}")).collect()
}

fn row(name: &str, times: &[Timed]) -> String {
    let part = |of: fn(&Timed) -> f64| {
        let mut sorted: Vec<f64> = times.iter().map(of).collect();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
        of_three([at(0.5), at(0.95), at(1.0)].map(|ms| format!("{ms:.1}")))
    };
    format!("{name:<12} {:>6}{}{}", times.len(), part(|timed| timed.first), part(|timed| timed.figures))
}

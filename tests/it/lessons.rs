//! The lessons that ship: each is told from its runs, asks what it can answer, and holds no figure of its own.

use std::process::{Command, Stdio};

use hopsim::error::{Fault, render};
use hopsim::lesson::{Answer, Read, Told, find, list, scenario, tell};
use hopsim::platform::Library;

const COURSE: [&str; 8] = [
    "count-the-hops",
    "load-640gb",
    "where-64-becomes-55",
    "what-gds-saves",
    "small-random-io",
    "tcp-and-the-fallback",
    "far-sockets",
    "checkpoint-what-to-buy",
];

fn shown<T>(result: Result<T, Fault>) -> T {
    result.unwrap_or_else(|fault| panic!("{}", render(&fault, false, 100)))
}

fn lessons() -> Vec<Read> {
    shown(list(&Library::default()))
}

fn told(name: &str) -> Told {
    let library = Library::default();
    shown(tell(&shown(find(name, &library)), &library, None))
}

#[test]
fn eight_lessons_ship_in_the_order_in_which_they_build_on_each_other() {
    assert_eq!(lessons().iter().map(|read| read.name.as_str()).collect::<Vec<_>>(), COURSE);
}

/// Tells a lesson and gives each right answer as a person would.
fn answers_itself(name: &str) {
    let told = told(name);
    assert!((2..=6).contains(&told.steps.len()), "{name} has {} steps", told.steps.len());
    for step in &told.steps {
        let Some(question) = &step.question else { continue };
        let typed = match &question.answer {
            Answer::Choice(right) => char::from(b'a' + *right as u8).to_string(),
            Answer::Figure { text, .. } => text.clone(),
        };
        let verdict = question.judge(&typed).unwrap_or_else(|| panic!("{name}, {}: \"{typed}\" is not read", step.title));
        assert!(verdict.right, "{name}, {}: \"{typed}\" is judged \"{}\"", step.title, verdict.text);
        assert!(question.judge("no idea at all").is_none());
    }
}

macro_rules! lessons {
    ($($test:ident: $name:literal;)*) => {
        $(#[test]
        fn $test() {
            answers_itself($name);
        })*
    };
}

lessons! {
    the_lesson_of_hops_answers_itself: "count-the-hops";
    the_lesson_of_floors_answers_itself: "load-640gb";
    the_lesson_of_links_answers_itself: "where-64-becomes-55";
    the_lesson_of_savings_answers_itself: "what-gds-saves";
    the_lesson_of_small_reads_answers_itself: "small-random-io";
    the_lesson_of_the_fallback_answers_itself: "tcp-and-the-fallback";
    the_lesson_of_sockets_answers_itself: "far-sockets";
    the_lesson_of_purchases_answers_itself: "checkpoint-what-to-buy";
}

/// Names that hold digits and are no figures of a run.
const NAMES: [&str; 3] = ["H100", "PCIe 5.0", "dgx-h100"];

#[test]
fn no_lesson_states_a_figure_that_no_run_gives() {
    for Read { name, lesson, .. } in lessons() {
        for step in &lesson.steps {
            let choices = step.choices.iter().map(|choice| choice.text.as_str());
            let texts = [step.text.as_str(), &step.explanation, step.question.as_deref().unwrap_or_default()];
            for text in texts.into_iter().chain(choices) {
                let bare: String = text.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest)).collect();
                let bare = NAMES.iter().fold(bare, |text, known| text.replace(known, ""));
                assert!(!bare.contains(|c: char| c.is_ascii_digit()), "{name}, {}: {bare}", step.title);
            }
        }
    }
}

#[test]
fn every_run_of_a_lesson_can_be_had_as_a_scenario_of_its_own() {
    let library = Library::default();
    for Read { name, lesson, .. } in lessons() {
        for (run, what) in &lesson.runs {
            let resolved = shown(scenario(&name, run, what, &library)).resolved;
            shown(hopsim::platform::load_text(run, &resolved, &library, &[]));
        }
    }
}

fn hopsim(arguments: &[&str]) -> (Option<i32>, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_hopsim"));
    command.current_dir(&folder).args(arguments).stdin(Stdio::null()).env("COLUMNS", "100").env("NO_COLOR", "1");
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn a_lesson_reads_as_its_golden_file_says_on_a_terminal_and_on_paper() {
    for (golden, arguments) in [
        ("lessons", &["lesson"][..]),
        ("lesson-whole", &["lesson", "count-the-hops"]),
        ("lesson-sheet", &["lesson", "load-640gb", "--sheet"]),
        ("lesson-key", &["lesson", "load-640gb", "--key"]),
    ] {
        let (code, out, err) = hopsim(arguments);
        assert_eq!((code, err.as_str()), (Some(0), ""), "{arguments:?}");
        insta::assert_snapshot!(golden, out);
    }
}

#[test]
fn a_lesson_that_is_not_there_is_refused_with_those_that_are() {
    let (code, out, err) = hopsim(&["lesson", "count-the-hop"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    insta::assert_snapshot!("lesson-unknown", err);
}

#[test]
fn a_lesson_as_json_has_the_answers_that_a_page_needs() {
    let (_, out, _) = hopsim(&["lesson", "count-the-hops", "--json"]);
    let told: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(told["steps"][0]["question"]["answer"]["figure"]["value"], 5.0);
    assert_eq!(told["steps"][1]["question"]["answer"]["figure"]["value"], 3.0);
}

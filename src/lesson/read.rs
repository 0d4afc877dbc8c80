//! Lessons from their files, checked as far as a file can be without running it.
//!
//! Knows the format. Must not know what a run is.

use crate::error::{Fault, Sources, nearest};
use crate::format::{FileKind, Lesson, LessonStep};
use crate::platform::{Entry, Library};

/// A lesson with the name that it is asked for by, and its text for messages.
#[derive(Clone, Debug)]
pub struct Read {
    /// Its name.
    pub name: String,
    /// What its file says.
    pub lesson: Lesson,
    /// Where it was found.
    pub(super) shown: String,
    pub(super) text: String,
}

/// The order in which the shipped lessons build on each other; others follow by name.
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

/// All lessons, those of the course first.
///
/// # Errors
/// A [`Fault`] with its place if a file is no lesson.
pub fn list(library: &Library) -> Result<Vec<Read>, Fault> {
    let entries = library.list(FileKind::Lesson, Some(std::path::Path::new(".")))?;
    let mut lessons: Vec<Read> = entries.into_iter().map(read).collect::<Result<_, _>>()?;
    let place = |name: &str| COURSE.iter().position(|known| *known == name).unwrap_or(COURSE.len());
    lessons.sort_by_key(|lesson| place(&lesson.name));
    Ok(lessons)
}

/// The lesson of that name.
///
/// # Errors
/// A [`Fault`] if there is none, naming those that there are, or if its file is no lesson.
pub fn find(name: &str, library: &Library) -> Result<Read, Fault> {
    if let Some(entry) = library.find(FileKind::Lesson, name, Some(std::path::Path::new(".")))? {
        return read(entry);
    }
    let known: Vec<String> = list(library)?.into_iter().map(|lesson| lesson.name).collect();
    let near = nearest(name, known.iter().map(String::as_str));
    let near = near.map(|near| format!("did you mean \"{near}\"? ")).unwrap_or_default();
    Err(Fault::new(format!("there is no lesson called \"{name}\"")).help(format!("{near}known: {}", known.join(", "))))
}

/// A lesson from a file's text.
pub(super) fn read(entry: Entry) -> Result<Read, Fault> {
    let Entry { name, shown, text, .. } = entry;
    let fault = |span, message: &str| {
        let mut sources = Sources::default();
        sources.add(&shown, text.as_str());
        Fault::at(&sources, &span, message, "here").help("`hopsim schema lesson` prints what a lesson takes")
    };
    let lesson: Lesson =
        toml::from_str(&text).map_err(|error| fault(error.span().unwrap_or(0..0), &in_plain_words(error.message())))?;
    let read = Read { name, lesson, shown: shown.clone(), text: text.clone() };
    if read.lesson.schema != 1 {
        return Err(read.fault("schema", "this version of the file format is not known: expected 1"));
    }
    for (number, step) in read.lesson.steps.iter().enumerate() {
        check(&read, number + 1, step)?;
    }
    Ok(read)
}

/// What the reader of TOML calls a field is a key to everybody else.
fn in_plain_words(message: &str) -> String {
    let words =
        [("unknown field", "unknown key"), ("missing field", "missing key"), ("unknown variant", "unknown word")];
    words.into_iter().fold(message.to_string(), |text, (theirs, ours)| text.replace(theirs, ours))
}

fn check(read: &Read, number: usize, step: &LessonStep) -> Result<(), Fault> {
    let wrong = |part: &str, what: &str| Err(read.fault(part, &format!("step {number}: {what}")));
    if let Some(run) = step.runs.iter().find(|run| !read.lesson.runs.contains_key(*run)) {
        let known: Vec<&str> = read.lesson.runs.keys().map(String::as_str).collect();
        return wrong(run, &format!("there is no run called \"{run}\"; known: {}", known.join(", ")));
    }
    match (&step.question, &step.answer, step.choices.len()) {
        (Some(_), Some(_), 0) | (Some(_), None, 2..) | (None, None, 0) => Ok(()),
        (None, ..) => wrong(&step.title, "it has an answer and no question"),
        (Some(question), Some(_), _) => wrong(question, "it has both an answer and choices; expected one of them"),
        (Some(question), None, _) => {
            wrong(question, "its question has no answer; add `answer`, or two choices or more")
        }
    }
}

impl Read {
    /// Something wrong with this lesson, at the first place where it says `part`.
    pub(super) fn fault(&self, part: &str, message: &str) -> Fault {
        let start = self.text.find(part).unwrap_or(0);
        let mut sources = Sources::default();
        sources.add(&self.shown, self.text.as_str());
        let span = start..start + part.len();
        Fault::at(&sources, &span, message, "here").about(format!("lesson {}", self.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::render;

    const GOOD: &str = "schema = 1\ntitle = \"T\"\naim = \"A\"\nminutes = 5\n[runs.a]\nscenario = \"s\"\n[[steps]]\n\
                        title = \"One\"\ntext = \"Text\"\nquestion = \"How long?\"\nruns = [\"a\"]\n\
                        answer = { is = \"works.w.duration_s\" }\nexplanation = \"So.\"\n";

    fn lesson(text: &str) -> Result<Read, Fault> {
        let entry =
            Entry { kind: FileKind::Lesson, name: "l".into(), title: None, shown: "l.toml".into(), text: text.into() };
        read(entry)
    }

    #[test]
    fn a_figures_prediction_may_be_off_by_five_percent() {
        let read = lesson(GOOD).unwrap();
        assert_eq!(read.lesson.steps[0].answer.as_ref().map(|answer| answer.within), Some(0.05));
    }

    #[test]
    fn what_is_wrong_with_a_lesson_is_said_with_its_line() {
        let told = |from: &str, to: &str| render(&lesson(&GOOD.replace(from, to)).unwrap_err(), false, 100);
        insta::assert_snapshot!("lesson-unknown-run", told("[\"a\"]", "[\"b\"]"));
        insta::assert_snapshot!("lesson-unknown-key", told("minutes", "minuts"));
        insta::assert_snapshot!(
            "lesson-question-without-answer",
            told("answer = { is = \"works.w.duration_s\" }\n", "")
        );
        insta::assert_snapshot!("lesson-later-format", told("schema = 1", "schema = 2"));
    }
}

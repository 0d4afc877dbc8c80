//! Faults: what is wrong with an input, where, what was expected and what to do.
//!
//! Knows texts and places in them. Must not know what the texts mean.

use std::ops::Range;
use std::sync::Arc;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, Severity, SourceCode};

/// A place in a [`Sources`]: a range of bytes in all its texts laid end to end.
pub type Span = Range<usize>;

/// One text that was read, with the name that a person knows it by.
#[derive(Clone, Debug)]
struct Source {
    name: String,
    text: Arc<str>,
    start: usize,
}

/// All the texts that went into a run, laid end to end, so that one number names a place in any of them.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    texts: Vec<Source>,
}

impl Sources {
    /// Adds a text and returns where it begins.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<Arc<str>>) -> usize {
        let start = self.texts.last().map_or(0, |s| s.start + s.text.len() + 1);
        self.texts.push(Source { name: name.into(), text: text.into(), start });
        start
    }

    /// What its texts are called, in the order in which they were read.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|source| source.name.as_str())
    }

    /// The text that a place lies in: its name, its content and the place within it.
    fn locate(&self, span: &Span) -> Option<(&Source, Span)> {
        let source = self.texts.iter().rev().find(|s| s.start <= span.start)?;
        let end = span.end.saturating_sub(source.start).min(source.text.len());
        let mut start = (span.start - source.start).min(end);
        if start == source.text.len() {
            // There is nothing to mark behind the end: the last character stands for it.
            start = source.text.char_indices().next_back().map_or(0, |(last, _)| last);
        }
        // A place within a character is that of the whole of it.
        let start = source.text.floor_char_boundary(start);
        let end = source.text.ceil_char_boundary(end.max(start));
        // A table over many lines is shown by its first one.
        let line = source.text[start..end].find(['\n', '\r']).map_or(end, |length| start + length);
        Some((source, start..line))
    }
}

/// Something wrong with an input. `Display` is the one-line message; miette draws the place.
#[derive(Clone, Debug)]
pub struct Fault(Box<Parts>);

/// What a fault says; boxed, so that a result that may be one stays small.
#[derive(Clone, Debug)]
struct Parts {
    message: String,
    label: String,
    help: Option<String>,
    place: Option<(NamedSource<Arc<str>>, Span)>,
}

impl Fault {
    /// A fault without a place (a missing file, a wrong option).
    pub fn new(message: impl Into<String>) -> Fault {
        Fault(Box::new(Parts { message: message.into(), label: String::new(), help: None, place: None }))
    }

    /// A fault at a place; `label` is written under the offending text.
    pub fn at(sources: &Sources, span: &Span, message: impl Into<String>, label: impl Into<String>) -> Fault {
        let place = sources
            .locate(span)
            .map(|(source, span)| (NamedSource::new(&source.name, source.text.clone()).with_language("toml"), span));
        Fault(Box::new(Parts { message: message.into(), label: label.into(), help: None, place }))
    }

    /// Adds what to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Fault {
        self.0.help = Some(help.into());
        self
    }

    /// Says what was being done, before the message.
    pub fn about(mut self, what: impl std::fmt::Display) -> Fault {
        self.0.message = format!("{what}: {}", self.0.message);
        self
    }

    /// The text that it lies in, by name and content, and the place within.
    pub fn place(&self) -> Option<(&str, &str, &Span)> {
        self.0.place.as_ref().map(|(source, span)| (source.name(), source.inner().as_ref(), span))
    }

    /// The same at another place.
    pub fn moved(mut self, sources: &Sources, span: &Span) -> Fault {
        self.0.place = Fault::at(sources, span, "", "").0.place;
        self
    }

    /// The same without a place; a guess of what was meant is kept.
    pub fn unplaced(mut self) -> Fault {
        if let (Some(_), true) = (self.0.place.take(), self.0.label.starts_with("did you mean")) {
            let help = self.0.help.take().unwrap_or_default();
            self.0.help = Some(format!("{} {help}", self.0.label).trim_end().to_string());
        }
        self
    }

    /// The same in other words.
    pub fn saying(mut self, message: impl Into<String>) -> Fault {
        self.0.message = message.into();
        self
    }

    /// The one-line message.
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it.
    pub fn advice(&self) -> Option<&str> {
        self.0.help.as_deref()
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.message)
    }
}

impl std::error::Error for Fault {}

impl Diagnostic for Fault {
    fn severity(&self) -> Option<Severity> {
        Some(Severity::Error)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.0.help.as_ref().map(|h| Box::new(h) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.0.place.as_ref().map(|(source, _)| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let (_, span) = self.0.place.as_ref()?;
        let label = LabeledSpan::new_with_span(Some(self.0.label.clone()), span.clone());
        Some(Box::new(std::iter::once(label)))
    }
}

/// Draws a fault: message, place with the offending line, label and help. Asks nothing of the terminal; `width` is in
/// characters.
pub fn render(fault: &Fault, color: bool, width: usize) -> String {
    let theme = if color { GraphicalTheme::unicode() } else { GraphicalTheme::unicode_nocolor() };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(width)
        .with_context_lines(1)
        .with_links(false)
        .without_syntax_highlighting();
    let mut text = String::new();
    match handler.render_report(&mut text, fault) {
        Ok(()) => text,
        Err(_) => format!("{fault}\n"),
    }
}

/// The known word nearest to one that was typed, if any is near enough to be meant.
pub fn nearest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let typed = word.to_lowercase();
    let distance = |other: &str| strsim::damerau_levenshtein(&typed, &other.to_lowercase());
    let near = known.into_iter().map(|other| (distance(other), other)).min_by_key(|(far, _)| *far);
    near.filter(|(far, other)| far * 3 <= other.chars().count().max(3)).map(|(_, other)| other)
}

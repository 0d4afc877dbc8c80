//! Captured text as a person would read it: lines without colours, carriage returns, wide punctuation and log prefixes.
//!
//! Knows terminals, encodings and logs. Must not know the formats of tools.

use super::{hosts, pattern};

/// A captured text.
#[derive(Clone, Debug, Default)]
pub struct Text {
    /// What a person knows it by.
    pub name: String,
    /// Its lines.
    pub lines: Vec<Line>,
    /// Whether the last line has no end, as one that was cut.
    pub cut: bool,
}

/// A line of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// Its number in the file, from 1.
    pub number: usize,
    /// As a person sees it.
    pub shown: String,
    /// The host that it is of, where the line says so.
    pub host: Option<String>,
    /// Where what the tool wrote begins, behind quotation marks, names of hosts and the prefixes of logs.
    body: usize,
}

impl Line {
    /// What the tool wrote.
    pub fn body(&self) -> &str {
        &self.shown[self.body..]
    }

    /// Leaves a host's name, a colon and a blank out of the body.
    pub(super) fn mark_host(&mut self, name: &str) {
        self.body += name.len() + 1;
        self.body += usize::from(self.body().starts_with(' '));
        self.body += prefix(&self.shown[self.body..]);
        self.host = Some(name.to_string());
    }
}

impl Text {
    /// Cleans a captured text. Never fails: what is no text becomes replacement characters.
    pub fn read(name: &str, bytes: &[u8]) -> Text {
        let text = plain(&decoded(bytes));
        let line = |(index, line): (usize, &str)| {
            let shown = line.trim_end().to_string();
            Line { number: index + 1, body: prefix(&shown), host: None, shown }
        };
        let mut lines: Vec<Line> = text.lines().enumerate().map(line).collect();
        hosts::strip(&mut lines);
        Text { name: name.to_string(), lines, cut: !text.is_empty() && !text.ends_with('\n') }
    }

    /// The text of each host where several hosts' lines stand in it, else the text as it is.
    pub fn by_host(self) -> Vec<(Option<String>, Text)> {
        let mut hosts: Vec<Option<String>> = Vec::new();
        for line in self.lines.iter().filter(|line| line.host.is_some()) {
            if !hosts.contains(&line.host) {
                hosts.push(line.host.clone());
            }
        }
        if hosts.len() < 2 {
            return vec![(hosts.pop().flatten(), self)];
        }
        let of = |host: Option<String>| {
            let lines = self.lines.iter().filter(|line| line.host == host).cloned().collect();
            (host, Text { name: self.name.clone(), lines, cut: self.cut })
        };
        hosts.into_iter().map(of).collect()
    }

    /// The lines that contain a word, so that a costly pattern need not look at the others.
    pub fn with<'a>(&'a self, word: &'a str) -> impl Iterator<Item = &'a Line> {
        self.lines.iter().filter(move |line| line.shown.contains(word))
    }
}

/// Bytes as characters: UTF-8, or UTF-16 as some shells write it, told by its mark.
fn decoded(bytes: &[u8]) -> String {
    let wide = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        _ => String::from_utf8_lossy(bytes).into_owned(),
    }
}

/// Characters as a terminal would leave them, and wide or curly ones as their plain twins.
fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\u{1b}' => skip_escape(&mut rest),
            '\u{9b}' => skip_sequence(&mut rest),
            '\r' => {
                // One end of a line, whether a line feed follows or not.
                rest.next_if_eq(&'\n');
                out.push('\n');
            }
            '\u{8}' => {
                // A manual page overstrikes: the letter before goes.
                if out.ends_with(|before: char| before != '\n') {
                    out.pop();
                }
            }
            _ => out.extend(twin(c)),
        }
    }
    out
}

/// Skips what follows an escape character: a colour, a title, a single letter.
fn skip_escape(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    match rest.peek() {
        Some('[') => {
            rest.next();
            skip_sequence(rest);
        }
        Some(']') => {
            while rest.next_if(|c| !matches!(c, '\u{7}' | '\u{1b}' | '\n' | '\r')).is_some() {}
            rest.next_if_eq(&'\u{7}');
        }
        Some('\n' | '\r') | None => {}
        Some(_) => drop(rest.next()),
    }
}

/// Skips the rest of a control sequence: parameters and one final letter.
fn skip_sequence(rest: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while rest.next_if(|c| matches!(c, ' '..='?')).is_some() {}
    rest.next_if(|c| matches!(c, '@'..='~'));
}

/// The plain character that stands for this one; none for one that shows nothing.
fn twin(c: char) -> Option<char> {
    match c {
        '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\0' => None,
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0),
        '\u{a0}' | '\u{3000}' | '\u{2000}'..='\u{200a}' | '\u{202f}' => Some(' '),
        '\u{3001}' => Some(','),
        '\u{201c}' | '\u{201d}' => Some('"'),
        '\u{2018}' | '\u{2019}' => Some('\''),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => Some('-'),
        '\u{d7}' => Some('x'),
        '├' | '┬' => Some('+'),
        '└' | '╰' => Some('\\'),
        '│' => Some('|'),
        '─' => Some('-'),
        _ => Some(c),
    }
}

/// How many bytes of a line are quotation marks and what a log puts before its message.
fn prefix(line: &str) -> usize {
    let mut at = 0;
    // A few in a row: a quotation of a log of a kernel's message.
    for _ in 0..4 {
        let rest = &line[at..];
        let Some(found) = pattern!(
            r"(?x)^(?:
                \s*>\s                                                                # a quotation
              | \s*\[?\d{4}-\d\d-\d\d[T\x20]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|\x20?[+-]\d\d:?\d\d)?\]?\s  # 2026-01-31T12:00:00Z
              | \s*[A-Z][a-z]{2}\s{1,2}\d{1,2}\s\d\d:\d\d:\d\d\s\S+\s(?:kernel|[\w./-]+\[\d+\]):\s?     # Jan 31 12:00:00 host kernel:
              | \s*\d\d:\d\d:\d\d(?:[.,]\d+)?\s                                       # 12:00:00
              | \s*<\d{1,3}>                                                          # <6>
              | \s*kern\s*:\s*\w+\s*:\s                                               # kern  :info  :
              | \s*\[\s*\d+\.\d{3,}\]\s?                                              # [  12.345678]
              | \s*\[[A-Z][a-z]{2}\s[A-Z][a-z]{2}\s{1,2}\d{1,2}\s\d\d:\d\d:\d\d\s\d{4}\]\s?             # [Sat Jan 31 12:00:00 2026]
            )"
        )
        .find(rest) else {
            break;
        };
        at += found.end();
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bodies(bytes: &[u8]) -> Vec<String> {
        Text::read("t", bytes).lines.iter().map(|line| line.body().to_string()).collect()
    }

    #[test]
    fn a_terminals_colours_titles_and_overstrikes_are_gone() {
        assert_eq!(bodies(b"\x1b[4mGPU0\x1b[0m\tGPU1\n\x1b]0;title\x07x\nN\x08NV"), ["GPU0\tGPU1", "x", "NV"]);
    }

    #[test]
    fn every_kind_of_line_end_counts_once() {
        assert_eq!(bodies(b"a\r\nb\rc\n\nd"), ["a", "b", "c", "", "d"]);
    }

    #[test]
    fn wide_and_curly_characters_become_plain_ones() {
        let text = "traddr=192.0.2.1，trsvcid＝４４２０ “on” 1×16 └─ a";
        assert_eq!(bodies(text.as_bytes()), ["traddr=192.0.2.1,trsvcid=4420 \"on\" 1x16 \\- a"]);
    }

    #[test]
    fn a_text_of_a_windows_shell_is_read() {
        let bytes: Vec<u8> = [0xfeff].into_iter().chain("a\r\nb".encode_utf16()).flat_map(u16::to_le_bytes).collect();
        assert_eq!(bodies(&bytes), ["a", "b"]);
    }

    #[test]
    fn prefixes_of_logs_stand_before_the_body() {
        for line in [
            "[  938.530342] nvidia-fs: x",
            "[Sun Nov 29 21:40:32 2026] nvidia-fs: x",
            "Nov 29 21:40:32 node1 kernel: [  938.530342] nvidia-fs: x",
            "2026-11-29T21:40:32.123456+00:00 nvidia-fs: x",
            "[2026-11-29 21:40:32] nvidia-fs: x",
            "> 21:40:32 nvidia-fs: x",
            "<6>[  938.530342] nvidia-fs: x",
        ] {
            assert_eq!(bodies(line.as_bytes()), ["nvidia-fs: x"], "{line}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_do_no_harm() {
        assert_eq!(bodies(&[0xff, 0x41, 0xc0, 0x0a]).len(), 1);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_become_lines(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400)) {
            let text = Text::read("t", &bytes);
            proptest::prop_assert!(text.lines.iter().all(|line| line.shown.ends_with(line.body())));
        }
    }
}

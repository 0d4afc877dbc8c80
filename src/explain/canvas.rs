//! A sheet of characters, each in a tone.
//!
//! Knows rows and columns. Must not know what is drawn.

/// How a character stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tone {
    /// As any other.
    #[default]
    Plain,
    /// What happens now.
    Lit,
    /// What is not part of it.
    Faint,
}

/// A sheet that grows as it is written on.
#[derive(Clone, Debug, Default)]
pub(super) struct Canvas {
    rows: Vec<Vec<(char, Tone)>>,
}

impl Canvas {
    /// Writes a text from a place to the right.
    pub(super) fn write(&mut self, row: usize, column: usize, text: &str, tone: Tone) {
        for (index, letter) in text.chars().enumerate() {
            self.set(row, column + index, letter, tone);
        }
    }

    /// Writes one character.
    pub(super) fn set(&mut self, row: usize, column: usize, letter: char, tone: Tone) {
        if self.rows.len() <= row {
            self.rows.resize(row + 1, Vec::new());
        }
        let line = &mut self.rows[row];
        if line.len() <= column {
            line.resize(column + 1, (' ', Tone::Plain));
        }
        line[column] = (letter, tone);
    }

    /// Writes a text in the middle of so many columns; what does not fit is cut.
    pub(super) fn center(&mut self, row: usize, column: usize, width: usize, text: &str, tone: Tone) {
        let text: String = text.chars().take(width).collect();
        let left = (width - text.chars().count()) / 2;
        self.write(row, column + left, &text, tone);
    }

    /// The sheet as lines; tones become colours where they are asked for.
    pub(super) fn text(&self, color: bool) -> String {
        self.rows.iter().map(|row| line(row, color) + "\n").collect()
    }
}

fn line(row: &[(char, Tone)], color: bool) -> String {
    let end = row.iter().rposition(|(letter, _)| *letter != ' ').map_or(0, |last| last + 1);
    let mut text = String::new();
    let mut before = Tone::Plain;
    for (letter, tone) in &row[..end] {
        if color && *tone != before {
            text.push_str(code(*tone));
        }
        before = *tone;
        text.push(*letter);
    }
    if color && before != Tone::Plain {
        text.push_str(code(Tone::Plain));
    }
    text
}

fn code(tone: Tone) -> &'static str {
    match tone {
        Tone::Plain => "\u{1b}[0m",
        Tone::Lit => "\u{1b}[0;1;33m",
        Tone::Faint => "\u{1b}[0;2m",
    }
}

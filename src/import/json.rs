//! JSON as people paste it: with comments, stray commas, cut ends, and other text around it; every value with its line.
//!
//! Knows JSON's signs. Must not know what a document means.

use super::Text;

/// How deep brackets may nest; what is deeper is left out.
const DEEPEST: usize = 64;

/// A value and the line that it begins on.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// The line, from 1.
    pub line: usize,
    /// The value.
    pub value: Value,
}

/// A value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `{…}`, in the order of the text.
    Object(Vec<(String, Node)>),
    /// `[…]`.
    List(Vec<Node>),
    /// A text.
    Text(String),
    /// A number or a bare word, as it was written.
    Bare(String),
}

impl Node {
    /// A member of an object.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.members().iter().find(|member| member.0 == key).map(|member| &member.1)
    }

    /// The members of an object; none of anything else.
    pub fn members(&self) -> &[(String, Node)] {
        if let Value::Object(members) = &self.value { members } else { &[] }
    }

    /// The items of a list; none of anything else.
    pub fn items(&self) -> &[Node] {
        if let Value::List(items) = &self.value { items } else { &[] }
    }

    /// A text, or a number as it was written.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(text) | Value::Bare(text) => Some(text),
            _ => None,
        }
    }

    /// A number, also where it stands in quotation marks.
    pub fn number(&self) -> Option<f64> {
        self.text()?.trim().parse().ok().filter(|number: &f64| number.is_finite())
    }

    /// A whole number of at least nothing.
    pub fn whole(&self) -> Option<u64> {
        self.number().filter(|number| *number >= 0.0 && *number < 1e18).map(|number| number as u64)
    }

    /// The number at a member.
    pub fn number_at(&self, key: &str) -> Option<f64> {
        self.get(key)?.number()
    }

    /// The text at a member.
    pub fn text_at(&self, key: &str) -> Option<&str> {
        self.get(key)?.text()
    }
}

/// The documents in a text: whatever begins with a bracket at the beginning of a line.
pub fn documents(text: &Text) -> Vec<Node> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.lines.len() {
        let body = text.lines[at].body().trim_start();
        if !body.starts_with('{') && !opens_list(body) {
            at += 1;
            continue;
        }
        let mut reader = Reader { text, row: at, rest: body, deep: 0 };
        found.extend(reader.value());
        at = reader.row.max(at) + 1;
    }
    found
}

/// A list of a document, and not the `[12.3]`, `[0]` or `[host ~]` of a log.
fn opens_list(body: &str) -> bool {
    body.strip_prefix('[').is_some_and(|rest| rest.trim_start().is_empty() || rest.trim_start().starts_with(['{', '[']))
}

struct Reader<'a> {
    text: &'a Text,
    row: usize,
    rest: &'a str,
    deep: usize,
}

impl<'a> Reader<'a> {
    /// Skips space, line ends and comments; whether anything is left.
    fn skip(&mut self) -> bool {
        loop {
            self.rest = self.rest.trim_start();
            if self.rest.is_empty() || self.rest.starts_with("//") {
                if !self.next_line() {
                    return false;
                }
            } else if let Some(inside) = self.rest.strip_prefix("/*") {
                self.rest = inside;
                if !self.skip_to("*/") {
                    return false;
                }
            } else {
                return true;
            }
        }
    }

    fn next_line(&mut self) -> bool {
        let Some(line) = self.text.lines.get(self.row + 1) else {
            self.rest = "";
            return false;
        };
        self.row += 1;
        self.rest = line.body();
        true
    }

    fn skip_to(&mut self, end: &str) -> bool {
        loop {
            if let Some(at) = self.rest.find(end) {
                self.rest = &self.rest[at + end.len()..];
                return true;
            }
            if !self.next_line() {
                return false;
            }
        }
    }

    fn line(&self) -> usize {
        self.text.lines[self.row].number
    }

    fn value(&mut self) -> Option<Node> {
        if !self.skip() {
            return None;
        }
        let line = self.line();
        let value = match self.rest.chars().next()? {
            '{' => Value::Object(self.inside('}', Reader::member)),
            '[' => Value::List(self.inside(']', Reader::value)),
            '"' => Value::Text(self.quoted()),
            _ => Value::Bare(self.bare()),
        };
        Some(Node { line, value })
    }

    /// What stands between brackets, up to the closing one or the end of the text.
    fn inside<T>(&mut self, end: char, item: fn(&mut Self) -> Option<T>) -> Vec<T> {
        self.rest = &self.rest[1..];
        self.deep += 1;
        let mut items = Vec::new();
        while self.skip() {
            let Some(next) = self.rest.chars().next() else { break };
            match next {
                _ if next == end => {
                    self.rest = &self.rest[1..];
                    break;
                }
                // A bracket of another kind closes what was never opened here: a text that was cut in its middle.
                '}' | ']' | ',' | ':' => self.rest = &self.rest[1..],
                _ if self.deep > DEEPEST => self.rest = &self.rest[next.len_utf8()..],
                _ => items.extend(item(self)),
            }
        }
        self.deep -= 1;
        items
    }

    fn member(&mut self) -> Option<(String, Node)> {
        let key = match self.rest.chars().next()? {
            '"' => self.quoted(),
            '{' | '[' => return self.value().map(|node| (String::new(), node)),
            _ => self.bare(),
        };
        self.skip();
        self.rest = self.rest.strip_prefix([':', '='])?;
        Some((key, self.value()?))
    }

    /// A quoted text; one that was cut ends with its line.
    fn quoted(&mut self) -> String {
        let mut out = String::new();
        let mut rest = self.rest[1..].char_indices();
        let mut end = self.rest.len();
        while let Some((at, c)) = rest.next() {
            match c {
                '"' => {
                    end = at + 2;
                    break;
                }
                '\\' => out.extend(rest.next().map(|(_, escaped)| match escaped {
                    'n' => '\n',
                    't' => '\t',
                    other => other,
                })),
                _ => out.push(c),
            }
        }
        self.rest = &self.rest[end.min(self.rest.len())..];
        out
    }

    /// A number or a bare word: at least one character, so that every step goes on.
    fn bare(&mut self) -> String {
        let ends = |c: char| c.is_whitespace() || matches!(c, ',' | ':' | '=' | '{' | '}' | '[' | ']' | '"');
        let first = self.rest.chars().next().map_or(0, char::len_utf8);
        let end = self.rest[first..].find(ends).map_or(self.rest.len(), |at| at + first);
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(text: &str) -> Node {
        documents(&Text::read("t", text.as_bytes())).into_iter().next().unwrap()
    }

    #[test]
    fn comments_and_stray_commas_are_passed_over() {
        let node = first("{ // one\n \"a\": 1, /* two\n \"b\": 2 */ \"c\" : [true, \"x\",],\n}");
        assert_eq!((node.number_at("a"), node.get("b")), (Some(1.0), None));
        assert_eq!(node.get("c").map(|c| (c.line, c.items().len())), Some((3, 2)));
    }

    #[test]
    fn a_document_that_was_cut_keeps_what_it_had() {
        let node = first("{\"jobs\": [{\"bw\": 5, \"name\": \"rea");
        let job = &node.get("jobs").unwrap().items()[0];
        assert_eq!((job.number_at("bw"), job.text_at("name")), (Some(5.0), Some("rea")));
    }

    #[test]
    fn documents_stand_among_other_text() {
        let text =
            Text::read("t", b"$ fio\nfio: warning\n{\"a\": 1}\n[ 12.5] nvidia-fs\n[root@host ~]#\n[\n {\"b\": 2}\n]\n");
        let lines: Vec<usize> = documents(&text).iter().map(|node| node.line).collect();
        assert_eq!(lines, [3, 6]);
    }

    #[test]
    fn brackets_without_end_are_no_harm() {
        let text = Text::read("t", "{[".repeat(5000).as_bytes());
        assert!(documents(&text).len() <= 1);
    }
}

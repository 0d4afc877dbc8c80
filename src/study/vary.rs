//! One key and the values that it takes: `works.*.size=4KiB..16MiB:x2`, `works.*.depth=1,4,16`, `node.gpus=1..8`.
//!
//! Knows how ranges are written and counted out. Must not know what the key means.

use crate::error::{Fault, Sources};
use crate::format::At;
use engine::units::{Bytes, Factor, Rate, Time};

/// The most points that one key may take.
const MOST_POINTS: usize = 10_000;

/// What the values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Plain numbers, in billionths.
    Number,
    /// Amounts of data, in bytes.
    Bytes,
    /// Rates, in bytes a second.
    Rate,
    /// Times, in picoseconds.
    Time,
    /// Words, which have no order.
    Word,
}

/// A value: as a key takes it, and as a number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The text for the key.
    pub text: String,
    /// The number in the unit of its scale; 0 for a word.
    pub amount: u64,
}

/// A key and its values, in the order that they were asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vary {
    /// The dotted key.
    pub key: String,
    /// What the values are.
    pub scale: Scale,
    /// The values.
    pub values: Vec<Value>,
}

/// How a range goes on.
#[derive(Clone, Copy)]
enum Stride {
    /// By adding so much.
    Plus(u64),
    /// By multiplying, in billionths.
    Times(u64),
}

const FORM: &str = "write key=from..to, key=from..to:x2 (times), key=from..to:+4 (plus) or key=a,b,c";

/// Reads `key=values` as typed on the command line.
pub fn parse(text: &str) -> Result<Vary, Fault> {
    read(text).map_err(|problem| Fault::new(format!("--vary {text}: {problem}")).help(FORM))
}

/// Reads `key=values` at a place of a file.
pub fn parse_at(text: &At<String>, sources: &Sources) -> Result<Vary, Fault> {
    read(&text.value).map_err(|problem| {
        let message = format!("this says no range: {problem}");
        Fault::at(sources, &text.span, message, "expected \"key=values\"").help(FORM)
    })
}

/// What is wrong with a text.
type Problem = &'static str;

fn read(text: &str) -> Result<Vary, Problem> {
    let (key, values) = text.split_once('=').ok_or("there is no \"=\" in it")?;
    let (key, values) = (key.trim(), values.trim());
    if key.is_empty() || values.is_empty() {
        return Err("a key and its values are wanted");
    }
    let (scale, values) = if values.contains("..") { range(values)? } else { list(values)? };
    Ok(Vary { key: key.to_string(), scale, values })
}

fn list(values: &str) -> Result<(Scale, Vec<Value>), Problem> {
    let words: Vec<&str> = values.split(',').map(str::trim).collect();
    if words.iter().any(|w| w.is_empty()) {
        return Err("one of the values is empty");
    }
    let read: Vec<(Scale, u64)> = words.iter().map(|w| amount(w)).collect();
    let scale = read[0].0;
    let alike = read.iter().all(|r| r.0 == scale);
    let value = |(word, read): (&&str, &(Scale, u64))| Value { text: word.to_string(), amount: read.1 };
    if !alike && scale != Scale::Word {
        return Err("the values are not of one kind");
    }
    Ok((scale, words.iter().zip(&read).map(value).collect()))
}

fn range(values: &str) -> Result<(Scale, Vec<Value>), Problem> {
    let (ends, stride) = values.split_once(':').map_or((values, None), |(ends, stride)| (ends, Some(stride.trim())));
    let (from, to) = ends.split_once("..").ok_or("the \"..\" stands after the \":\"")?;
    let ((scale, from), (other, to)) = (amount(from), amount(to));
    if scale != other || scale == Scale::Word {
        return Err("both ends of a range must be quantities of one kind, with their units");
    }
    if to < from {
        return Err("the range ends before it begins");
    }
    let stride = read_stride(scale, stride)?;
    let values = count_out(from, to, stride).ok_or("these are more than 10,000 values")?;
    Ok((scale, values.into_iter().map(|amount| Value { text: written(scale, amount), amount }).collect()))
}

fn read_stride(scale: Scale, stride: Option<&str>) -> Result<Stride, Problem> {
    let Some(stride) = stride else { return Ok(default_stride(scale)) };
    if let Some(factor) = stride.strip_prefix(['x', '*']) {
        let factor = factor.parse::<Factor>().ok().filter(|f| *f > Factor::ONE);
        return factor.map(|f| Stride::Times(f.0)).ok_or("after \"x\" a number above 1 is wanted");
    }
    let (kind, step) = amount(stride.strip_prefix('+').unwrap_or(stride));
    if kind != scale || step == 0 {
        return Err("the step must be a quantity of the same kind as the ends, above zero");
    }
    Ok(Stride::Plus(step))
}

/// Numbers go up by one, everything else doubles.
fn default_stride(scale: Scale) -> Stride {
    if scale == Scale::Number { Stride::Plus(Factor::ONE.0) } else { Stride::Times(2 * Factor::ONE.0) }
}

/// The values from `from` to `to`, both included where the stride meets it; `None` for too many.
fn count_out(from: u64, to: u64, stride: Stride) -> Option<Vec<u64>> {
    let mut values = vec![from];
    let mut last = from;
    while let Some(next) = step(last, stride).filter(|next| *next <= to && *next > last) {
        if values.len() >= MOST_POINTS {
            return None;
        }
        values.push(next);
        last = next;
    }
    Some(values)
}

fn step(value: u64, stride: Stride) -> Option<u64> {
    match stride {
        Stride::Plus(step) => value.checked_add(step),
        Stride::Times(factor) => {
            let product = value as u128 * factor as u128;
            u64::try_from((product + Factor::ONE.0 as u128 / 2) / Factor::ONE.0 as u128).ok()
        }
    }
}

/// What a text measures, as a number in the unit of its scale.
pub fn measure(text: &str) -> (Scale, u64) {
    amount(text)
}

/// What a text measures; a word where it is no quantity.
pub fn amount(text: &str) -> (Scale, u64) {
    let text = text.trim();
    let number = text.parse::<Factor>().ok().filter(|_| !text.ends_with('%')).map(|f| (Scale::Number, f.0));
    let bytes = || text.parse::<Bytes>().ok().map(|b| (Scale::Bytes, b.0));
    let rate = || text.parse::<Rate>().ok().map(|r| (Scale::Rate, r.0));
    let time = || text.parse::<Time>().ok().map(|t| (Scale::Time, t.0));
    number.or_else(bytes).or_else(rate).or_else(time).unwrap_or((Scale::Word, 0))
}

/// The text of an amount, as a key takes it.
pub fn written(scale: Scale, amount: u64) -> String {
    match scale {
        Scale::Number => Factor(amount).to_string(),
        Scale::Bytes => Bytes(amount).to_string(),
        Scale::Rate => Rate(amount).to_string(),
        Scale::Time => Time(amount).to_string(),
        Scale::Word => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        parse(text).unwrap().values.into_iter().map(|v| v.text).collect()
    }

    #[test]
    fn sizes_double_unless_told_otherwise() {
        assert_eq!(texts("works.*.size=4KiB..32KiB"), ["4 KiB", "8 KiB", "16 KiB", "32 KiB"]);
    }

    #[test]
    fn a_factor_sets_how_a_range_grows() {
        assert_eq!(texts("works.*.size=4KiB..16MiB:x16"), ["4 KiB", "64 KiB", "1 MiB", "16 MiB"]);
        assert_eq!(texts("d=1..64:x4"), ["1", "4", "16", "64"]);
    }

    #[test]
    fn counts_go_up_by_one() {
        assert_eq!(texts("node.gpus=1..4"), ["1", "2", "3", "4"]);
    }

    #[test]
    fn a_step_is_added_with_or_without_a_plus() {
        assert_eq!(texts("target.rate=10GB/s..50GB/s:+20GB/s"), ["10 GB/s", "30 GB/s", "50 GB/s"]);
        assert_eq!(texts("d=0..10:5"), ["0", "5", "10"]);
        assert_eq!(texts("e=0.5..0.7:0.1"), ["0.5", "0.6", "0.7"]);
    }

    #[test]
    fn a_list_keeps_its_order() {
        assert_eq!(texts("works.*.depth=16, 1,4"), ["16", "1", "4"]);
    }

    #[test]
    fn an_end_between_two_steps_is_left_out() {
        assert_eq!(texts("d=1..10:x3"), ["1", "3", "9"]);
    }

    #[test]
    fn words_are_a_list_of_their_own_kind() {
        let vary = parse("works.w.path=gds-read,bounce-read").unwrap();
        assert_eq!((vary.scale, vary.values.len()), (Scale::Word, 2));
    }

    #[test]
    fn what_is_no_range_is_refused_with_the_way_to_write_it() {
        for text in
            ["depth", "=1..2", "d=", "d=1,,2", "d=5..1", "d=1MiB..2", "d=a..b", "d=1..8:x1", "d=1..8:+0", "d=1,1MiB"]
        {
            let fault = parse(text).unwrap_err();
            assert!(fault.message().starts_with(&format!("--vary {text}: ")), "{text}");
        }
    }

    #[test]
    fn too_many_values_are_refused() {
        assert!(parse("d=1..1000000").is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused_but_never_panics(text in "[a-z.*=0-9:x+,KMGiB/s ]{0,40}") {
            let _ = parse(&text);
        }
    }
}

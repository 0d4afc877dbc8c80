//! The sizes of a work's requests: one, a list taken in turn, or a distribution.
//!
//! Knows how sizes are spelled. Must not know how they are drawn.

use std::fmt;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::{self, Deserializer, SeqAccess, Visitor};

use super::figure::{Figure, Origin};
use engine::units::{Bytes, Quantity};

/// The sizes of a work's requests.
#[derive(Clone, Debug)]
pub enum Size {
    /// All the same.
    Fixed(Figure<Bytes>),
    /// One after the other, from the first again after the last.
    Listed(Vec<Figure<Bytes>>),
    /// Drawn evenly between two sizes, both included.
    Uniform {
        /// The smallest.
        low: Figure<Bytes>,
        /// The largest.
        high: Figure<Bytes>,
    },
    /// Drawn from an exponential distribution, at least one byte.
    Exponential {
        /// The mean.
        mean: Figure<Bytes>,
    },
}

/// A distribution's name.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Draw {
    Uniform,
    Exponential,
}

/// Every key that the table of a size may have: those of a figure and those of a distribution.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SizeTable {
    /// Drawn evenly from `low` to `high`, or exponentially with a `mean`.
    draw: Option<Draw>,
    /// One size for all requests.
    value: Option<Figure<Bytes>>,
    /// The smallest size.
    low: Option<Figure<Bytes>>,
    /// The largest size.
    high: Option<Figure<Bytes>>,
    /// The mean of an exponential distribution.
    mean: Option<Figure<Bytes>>,
    /// Where the value comes from.
    source: Option<Origin>,
    /// The publication, data sheet or measurement, in words.
    reference: Option<String>,
}

impl SizeTable {
    /// The size that the table means, or what is wrong with it.
    fn meaning(self) -> Result<Size, &'static str> {
        match self {
            SizeTable { draw: None, value: Some(value), low, high, mean: None, source, reference } => {
                let (low, high) = (low.map(|f| f.value), high.map(|f| f.value));
                Ok(Size::Fixed(Figure { low, high, origin: source.unwrap_or_default(), reference, ..value }))
            }
            SizeTable { value: Some(_), .. } => Err("`value` stands beside `draw` or `mean`; expected one of them"),
            SizeTable { draw: Some(Draw::Uniform), low: Some(low), high: Some(high), mean: None, .. } => {
                Ok(Size::Uniform { low, high })
            }
            SizeTable { draw: Some(Draw::Exponential), low: None, high: None, mean: Some(mean), .. } => {
                Ok(Size::Exponential { mean })
            }
            SizeTable { draw: Some(Draw::Uniform), .. } => Err(
                "a size drawn evenly has two ends; expected `low` and `high`, as in { draw = \"uniform\", low = \"64 KiB\", high = \"4 MiB\" }",
            ),
            SizeTable { draw: Some(Draw::Exponential), .. } => Err(
                "an exponential size has a mean alone; expected `mean`, as in { draw = \"exponential\", mean = \"1 MiB\" }",
            ),
            SizeTable { draw: None, .. } => Err("neither `draw` nor `value` is there; expected one of them"),
        }
    }
}

impl JsonSchema for Size {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Size".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let one = Figure::<Bytes>::json_schema(generator);
        let table = SizeTable::json_schema(generator);
        schemars::json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }, table] })
    }
}

impl<'de> Deserialize<'de> for Size {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<Raw>::deserialize(deserializer)?;
        let span = spanned.span();
        Ok(match spanned.into_inner().0 {
            Size::Fixed(figure) => Size::Fixed(Figure { span, ..figure }),
            other => other,
        })
    }
}

/// A size that does not know its place yet.
struct Raw(Size);

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SizeVisitor).map(Raw)
    }
}

struct SizeVisitor;

impl<'de> Visitor<'de> for SizeVisitor {
    type Value = Size;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a size such as \"1 MiB\", a list of sizes, or a table { draw = \"uniform\" | \"exponential\", … }")
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Size, E> {
        Bytes::from_number(number as f64).map(|value| Size::Fixed(Figure::stated(value))).map_err(E::custom)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Size, E> {
        Bytes::from_number(number).map(|value| Size::Fixed(Figure::stated(value))).map_err(E::custom)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Size, E> {
        Bytes::from_text(text).map(|value| Size::Fixed(Figure::stated(value))).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Size, A::Error> {
        let mut sizes = Vec::new();
        while let Some(size) = seq.next_element()? {
            sizes.push(size);
        }
        if sizes.is_empty() {
            return Err(de::Error::custom(
                "the list is empty; expected one size or more, such as [\"64 KiB\", \"1 MiB\"]",
            ));
        }
        Ok(Size::Listed(sizes))
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Size, A::Error> {
        let table = SizeTable::deserialize(de::value::MapAccessDeserializer::new(map))?;
        table.meaning().map_err(de::Error::custom)
    }
}

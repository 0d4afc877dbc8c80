//! A figure that depends on the size of a request: a table of sizes and values, or one value for all.
//!
//! Knows how tables by size are spelled. Must not know how they are read between their points.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};

use super::figure::{Figure, Origin, Plain};
use crate::error::Span;
use engine::units::{Bytes, Quantity};

/// Values by size, in order of size, with where they come from.
#[derive(Clone, Debug, PartialEq)]
pub struct Table<T> {
    /// The points: at least one, sizes ascending.
    pub points: Vec<Point<T>>,
    /// Where the values come from.
    pub origin: Origin,
    /// The publication, data sheet or measurement, in words.
    pub reference: Option<String>,
    /// Where it stands in the run's sources.
    pub span: Span,
}

/// A value at a size, with its range.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point<T> {
    /// The size.
    pub size: Bytes,
    /// The value there.
    pub value: T,
    /// The lowest value that is plausible.
    pub low: Option<T>,
    /// The highest value that is plausible.
    pub high: Option<T>,
}

impl<T: Quantity> Table<T> {
    /// The points as figures with the table's source.
    pub fn figures(&self) -> impl Iterator<Item = (Bytes, Figure<T>)> {
        self.points.iter().map(|point| {
            let (low, high, origin, span) = (point.low, point.high, self.origin, self.span.clone());
            (point.size, Figure { low, high, origin, span, ..Figure::stated(point.value) })
        })
    }

    /// Whether the values were assumed.
    pub fn is_assumed(&self) -> bool {
        self.origin == Origin::Assumed
    }
}

/// One value for all sizes, or a table by size.
#[derive(Clone, Debug, PartialEq)]
pub enum BySize<T> {
    /// The same for all.
    One(Figure<T>),
    /// By size.
    Table(Table<T>),
}

impl<T: Quantity> BySize<T> {
    /// Whether the value or the table was assumed.
    pub fn is_assumed(&self) -> bool {
        match self {
            BySize::One(figure) => figure.is_assumed(),
            BySize::Table(table) => table.is_assumed(),
        }
    }
}

/// A row of points that was read: sizes ascend.
struct Points<T>(Vec<Point<T>>);

impl<'de, T: Quantity> Deserialize<'de> for Points<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let points = Vec::<Point<T>>::deserialize(deserializer)?;
        let example = "points such as [[\"4 KiB\", …], [\"1 MiB\", …]]";
        if points.is_empty() {
            return Err(de::Error::custom(format!("the table is empty; expected {example}")));
        }
        if let Some(pair) = points.windows(2).find(|pair| pair[0].size >= pair[1].size) {
            let (left, right) = (pair[0].size, pair[1].size);
            return Err(de::Error::custom(format!("{right} comes after {left}; expected sizes that ascend")));
        }
        Ok(Points(points))
    }
}

impl<'de, T: Quantity> Deserialize<'de> for Point<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_seq(PointVisitor(PhantomData))
    }
}

struct PointVisitor<T>(PhantomData<T>);

impl<'de, T: Quantity> Visitor<'de> for PointVisitor<T> {
    type Value = Point<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a point [size, value] or [size, value, low, high], the value being {}", T::EXPECTED)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Point<T>, A::Error> {
        let short = |length| de::Error::invalid_length(length, &self);
        let size = seq.next_element::<Plain<Bytes>>()?.ok_or_else(|| short(0))?.0;
        let value = seq.next_element::<Plain<T>>()?.ok_or_else(|| short(1))?.0;
        let low = seq.next_element::<Plain<T>>()?.map(|low| low.0);
        let high = if low.is_some() { Some(seq.next_element::<Plain<T>>()?.ok_or_else(|| short(3))?.0) } else { None };
        if seq.next_element::<de::IgnoredAny>()?.is_some() {
            return Err(short(5));
        }
        Ok(Point { size, value, low, high })
    }
}

/// The long form of a table by size alone.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, bound = "T: Quantity")]
struct Tabled<T> {
    points: Points<T>,
    #[serde(default)]
    source: Origin,
    reference: Option<String>,
}

impl<'de, T: Quantity> Deserialize<'de> for Table<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<Tabled<T>>::deserialize(deserializer)?;
        let span = spanned.span();
        let Tabled { points, source, reference } = spanned.into_inner();
        Ok(Table { points: points.0, origin: source, reference, span })
    }
}

/// The long forms of a figure and of a table by size.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, bound = "T: Quantity")]
struct Either<T> {
    value: Option<Plain<T>>,
    low: Option<Plain<T>>,
    high: Option<Plain<T>>,
    by_size: Option<Points<T>>,
    #[serde(default)]
    source: Origin,
    reference: Option<String>,
}

impl<T: Quantity> Either<T> {
    fn meaning(self) -> Result<BySize<T>, &'static str> {
        let Either { value, low, high, by_size, source: origin, reference } = self;
        match (value, by_size) {
            (Some(value), None) => {
                let (low, high) = (low.map(|low| low.0), high.map(|high| high.0));
                Ok(BySize::One(Figure { low, high, origin, reference, ..Figure::stated(value.0) }))
            }
            (None, Some(points)) if low.is_none() && high.is_none() => {
                Ok(BySize::Table(Table { points: points.0, origin, reference, span: 0..0 }))
            }
            (None, Some(_)) => {
                Err("`low` and `high` stand beside `by_size`; expected them in each point: [size, value, low, high]")
            }
            (Some(_), Some(_)) => Err("`value` stands beside `by_size`; expected one of them"),
            (None, None) => Err("neither `value` nor `by_size` is there; expected one of them"),
        }
    }
}

impl<'de, T: Quantity> Deserialize<'de> for BySize<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<Raw<T>>::deserialize(deserializer)?;
        let span = spanned.span();
        Ok(match spanned.into_inner().0 {
            BySize::One(figure) => BySize::One(Figure { span, ..figure }),
            BySize::Table(table) => BySize::Table(Table { span, ..table }),
        })
    }
}

/// One that does not know its place yet.
struct Raw<T>(BySize<T>);

impl<'de, T: Quantity> Deserialize<'de> for Raw<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BySizeVisitor(PhantomData)).map(Raw)
    }
}

struct BySizeVisitor<T>(PhantomData<T>);

impl<'de, T: Quantity> Visitor<'de> for BySizeVisitor<T> {
    type Value = BySize<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, or a table {{ value, … }} or {{ by_size = [[size, value], …], source, reference }}", T::EXPECTED)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<BySize<T>, E> {
        T::from_text(text).map(|value| BySize::One(Figure::stated(value))).map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<BySize<T>, E> {
        self.visit_f64(number as f64)
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<BySize<T>, E> {
        T::from_number(number).map(|value| BySize::One(Figure::stated(value))).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<BySize<T>, A::Error> {
        let either = Either::<T>::deserialize(de::value::MapAccessDeserializer::new(map))?;
        either.meaning().map_err(de::Error::custom)
    }
}

/// A table with its points under `key`.
fn table_schema<T: Quantity>(key: &str) -> Schema {
    let plain = json_schema!({ "type": ["string", "number"] });
    let point = json_schema!({ "type": "array", "minItems": 2, "maxItems": 4, "items": plain });
    let points = json_schema!({
        "type": "array", "minItems": 1, "items": point,
        "description": format!("[size, value] or [size, value, low, high], sizes ascending, the value {}", T::EXPECTED)
    });
    json_schema!({
        "type": "object",
        "additionalProperties": false,
        "required": [key],
        "properties": {
            key: points,
            "source": { "enum": ["stated", "measured", "datasheet", "textbook", "derived", "fitted", "assumed"] },
            "reference": { "type": "string" }
        }
    })
}

impl<T: Quantity> JsonSchema for Table<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "Table".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        table_schema::<T>("points")
    }
}

impl<T: Quantity> JsonSchema for BySize<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> Cow<'static, str> {
        "BySize".into()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [Figure::<T>::json_schema(generator), table_schema::<T>("by_size")] })
    }
}

//! A figure in a file: a bare value, or a table that also says where the value comes from and how far it may be off.
//!
//! Knows how figures are spelled. Must not know what they measure.

use std::fmt;
use std::marker::PhantomData;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserialize, Deserializer, MapAccess, Visitor};

use crate::error::Span;
use engine::units::Quantity;

/// A value with the place that it was read from.
#[derive(Clone, Debug, PartialEq)]
pub struct At<T> {
    /// The value.
    pub value: T,
    /// Where it stands in the run's sources.
    pub span: Span,
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for At<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<T>::deserialize(deserializer)?;
        let span = spanned.span();
        Ok(At { value: spanned.into_inner(), span })
    }
}

impl<T: JsonSchema> JsonSchema for At<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        T::schema_name()
    }
    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        T::json_schema(generator)
    }
}

/// Where a figure comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// The author of the file says so, without more: the figure is the question, not the hardware.
    #[default]
    Stated,
    /// Measured on real hardware.
    Measured,
    /// From the maker's data sheet or a standard.
    Datasheet,
    /// A round figure of teaching texts.
    Textbook,
    /// Computed from other figures.
    Derived,
    /// Fitted to measurements.
    Fitted,
    /// Assumed: nobody measured it where we looked.
    Assumed,
}

/// A number in a file, with its range and its source.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure<T> {
    /// The value that a run uses.
    pub value: T,
    /// The lowest value that is plausible.
    pub low: Option<T>,
    /// The highest value that is plausible.
    pub high: Option<T>,
    /// Where the value comes from.
    pub origin: Origin,
    /// The publication, data sheet or measurement, in words.
    pub reference: Option<String>,
    /// Where it stands in the run's sources.
    pub span: Span,
}

impl<T: Quantity> Figure<T> {
    /// A figure that no file holds, for defaults.
    pub fn stated(value: T) -> Figure<T> {
        Figure { value, low: None, high: None, origin: Origin::Stated, reference: None, span: 0..0 }
    }

    /// Whether the value was assumed.
    pub fn is_assumed(&self) -> bool {
        self.origin == Origin::Assumed
    }
}

impl<'de, T: Quantity> Deserialize<'de> for Figure<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let spanned = toml::Spanned::<Raw<T>>::deserialize(deserializer)?;
        let span = spanned.span();
        Ok(Figure { span, ..spanned.into_inner().0 })
    }
}

/// A figure that does not know its place yet.
struct Raw<T>(Figure<T>);

impl<'de, T: Quantity> Deserialize<'de> for Raw<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FigureVisitor(PhantomData)).map(Raw)
    }
}

struct FigureVisitor<T>(PhantomData<T>);

impl<'de, T: Quantity> Visitor<'de> for FigureVisitor<T> {
    type Value = Figure<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, or a table {{ value, low, high, source, reference }}", T::EXPECTED)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Self::Value, E> {
        T::from_text(text).map(Figure::stated).map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<Self::Value, E> {
        if number < 0 {
            return Err(E::custom(format!("{number} is negative; expected {}", T::EXPECTED)));
        }
        if number > (1 << 53) {
            return Err(E::custom(format!("{number} is too large; expected {}", T::EXPECTED)));
        }
        T::from_number(number as f64).map(Figure::stated).map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Self::Value, E> {
        let number =
            i64::try_from(number).map_err(|_| E::custom(format!("{number} is too large; expected {}", T::EXPECTED)))?;
        self.visit_i64(number)
    }

    fn visit_i128<E: de::Error>(self, number: i128) -> Result<Self::Value, E> {
        Err(E::custom(format!("{number} is too large; expected {}", T::EXPECTED)))
    }

    fn visit_u128<E: de::Error>(self, number: u128) -> Result<Self::Value, E> {
        Err(E::custom(format!("{number} is too large; expected {}", T::EXPECTED)))
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<Self::Value, E> {
        if !number.is_finite() || number < 0.0 {
            return Err(E::custom(format!(
                "{number} is not a finite number of zero or more; expected {}",
                T::EXPECTED
            )));
        }
        T::from_number(number).map(Figure::stated).map_err(E::custom)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        let table = FigureTable::<T>::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(Figure {
            value: table.value.0,
            low: table.low.map(|v| v.0),
            high: table.high.map(|v| v.0),
            origin: table.source,
            reference: table.reference,
            span: 0..0,
        })
    }
}

/// The long form of a figure.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, bound = "T: Quantity")]
struct FigureTable<T> {
    value: Plain<T>,
    low: Option<Plain<T>>,
    high: Option<Plain<T>>,
    #[serde(default)]
    source: Origin,
    reference: Option<String>,
}

/// A bare value.
pub(super) struct Plain<T>(pub(super) T);

impl<'de, T: Quantity> Deserialize<'de> for Plain<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Raw::<T>::deserialize(deserializer).map(|raw| Plain(raw.0.value))
    }
}

impl<T: Quantity> JsonSchema for Figure<T> {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Figure".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        let plain = json_schema!({ "type": ["string", "number"], "description": T::EXPECTED });
        json_schema!({
            "anyOf": [
                plain,
                {
                    "type": "object",
                    "additionalProperties": false,
                    "required": ["value"],
                    "properties": {
                        "value": plain,
                        "low": plain,
                        "high": plain,
                        "source": { "enum": ["stated", "measured", "datasheet", "textbook", "derived", "fitted", "assumed"] },
                        "reference": { "type": "string" }
                    }
                }
            ]
        })
    }
}

//! What is fitted: keys with bounds, and the values between them.
//!
//! Knows `key=low..high`. Must not know what a key means.

use crate::error::Fault;
use crate::platform::Edit;
use crate::study::vary::{Scale, amount, written};

/// Significant digits of a fitted value: a figure that is written down gives the same errors as the one that was fitted.
const DIGITS: i32 = 5;
const FORM: &str = "write key=low..high with units, such as target.rate=10GB/s..50GB/s";

/// A key whose value is fitted within bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// The dotted key.
    pub key: String,
    /// What its values are.
    scale: Scale,
    low: f64,
    high: f64,
}

impl std::str::FromStr for Parameter {
    type Err = Fault;

    /// Reads `key=low..high`.
    fn from_str(text: &str) -> Result<Parameter, Fault> {
        let fault = |problem: &str| Fault::new(format!("--fit {text}: {problem}")).help(FORM);
        let (key, ends) = text.split_once('=').ok_or_else(|| fault("there is no \"=\" in it"))?;
        let (low, high) = ends.split_once("..").ok_or_else(|| fault("there is no \"..\" between its bounds"))?;
        let ((scale, low), (other, high)) = (amount(low), amount(high));
        if scale != other || scale == Scale::Word {
            return Err(fault("both bounds must be quantities of one kind, with their units"));
        }
        if high <= low {
            return Err(fault("the upper bound must be above the lower one"));
        }
        let names: Vec<&str> = key.trim().split('.').collect();
        if names.iter().any(|name| name.is_empty() || *name == "*" || name.parse::<u64>().is_ok()) {
            return Err(fault("a fitted key is written into a file, so each of its names must be a name"));
        }
        Ok(Parameter { key: key.trim().to_string(), scale, low: low as f64, high: high as f64 })
    }
}

impl Parameter {
    /// The value at a place between the bounds (0 to 1): equal ratios are equally far apart unless the lower bound is zero.
    pub fn text(&self, place: f64) -> String {
        let value = if self.low > 0.0 {
            libm::exp(libm::log(self.low) + place * (libm::log(self.high) - libm::log(self.low)))
        } else {
            place * self.high
        };
        written(self.scale, rounded(value).clamp(self.low, self.high) as u64)
    }

    /// The edit that sets the value at a place.
    pub fn edit(&self, place: f64) -> Edit {
        Edit { key: self.key.clone(), value: self.text(place) }
    }

    /// Its bounds, as they are written.
    pub fn bounds(&self) -> [String; 2] {
        [self.low, self.high].map(|end| written(self.scale, end as u64))
    }

    /// Whether its value is a plain number, which a file takes without quotes.
    pub fn is_number(&self) -> bool {
        self.scale == Scale::Number
    }
}

/// A value of so many significant digits.
fn rounded(value: f64) -> f64 {
    if value <= 0.0 {
        return 0.0;
    }
    let unit = libm::pow(10.0, f64::from((libm::log10(value).floor() as i32 + 1 - DIGITS).max(0)));
    (value / unit).round() * unit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_the_geometric_mean_of_the_bounds() {
        let parameter: Parameter = "target.rate=10GB/s..40GB/s".parse().unwrap();
        assert_eq!([0.0, 0.5, 1.0].map(|place| parameter.text(place)), ["10 GB/s", "20 GB/s", "40 GB/s"]);
    }

    #[test]
    fn a_lower_bound_of_zero_makes_the_way_straight() {
        let parameter: Parameter = "target.costs.media_read=0s..100us".parse().unwrap();
        assert_eq!([0.0, 0.5].map(|place| parameter.text(place)), ["0 ps", "50 us"]);
    }

    #[test]
    fn what_is_no_key_with_bounds_is_refused_with_the_way_to_write_it() {
        for text in
            ["a", "a=1", "a=2..1", "a=1..1", "a=1GB/s..2", "a=x..y", "works.*.depth=1..2", "a.0.b=1..2", "=1..2"]
        {
            let fault = text.parse::<Parameter>().unwrap_err();
            assert!(fault.message().starts_with(&format!("--fit {text}: ")), "{text}");
        }
    }
}

//! Which end of its range an assumed figure stands at.
//!
//! Knows figures and their ranges. Must not know what they measure.

use crate::format::Figure;

/// Which end of their range assumed figures stand at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assumed {
    /// Their value.
    #[default]
    Value,
    /// The fast end: high rates and efficiencies, low delays and charges.
    Fast,
    /// The slow end.
    Slow,
}

/// Reads figures, the assumed ones at one end of their range.
#[derive(Clone, Copy)]
pub(super) struct Ends(pub(super) Assumed);

impl Ends {
    /// A figure of which more is faster: a rate, an efficiency.
    pub(super) fn more_is_faster<T: Copy>(self, figure: &Figure<T>) -> T {
        self.pick(figure, figure.low, figure.high)
    }

    /// A figure of which less is faster: a delay, bytes charged for a byte.
    pub(super) fn less_is_faster<T: Copy>(self, figure: &Figure<T>) -> T {
        self.pick(figure, figure.high, figure.low)
    }

    fn pick<T: Copy>(self, figure: &Figure<T>, slow: Option<T>, fast: Option<T>) -> T {
        let end = match self.0 {
            Assumed::Value => None,
            Assumed::Slow => slow,
            Assumed::Fast => fast,
        };
        // Measured figures have ranges too, but those are known to lie where they stand.
        end.filter(|_| figure.origin == crate::format::Origin::Assumed).unwrap_or(figure.value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::format::Origin;

    fn between_1_and_3(origin: Origin) -> Figure<u64> {
        Figure { low: Some(1), high: Some(3), origin, ..Figure::stated(2) }
    }

    #[test]
    fn an_assumed_rate_is_high_at_the_fast_end_and_an_assumed_delay_low() {
        let figure = between_1_and_3(Origin::Assumed);
        assert_eq!((Ends(Assumed::Fast).more_is_faster(&figure), Ends(Assumed::Fast).less_is_faster(&figure)), (3, 1));
        assert_eq!((Ends(Assumed::Slow).more_is_faster(&figure), Ends(Assumed::Slow).less_is_faster(&figure)), (1, 3));
        assert_eq!(Ends(Assumed::Value).more_is_faster(&figure), 2);
    }

    #[test]
    fn a_measured_figure_stays_where_it_is() {
        assert_eq!(Ends(Assumed::Slow).more_is_faster(&between_1_and_3(Origin::Measured)), 2);
    }
}

//! One figure: above zero where it must be, and within its own range.
//!
//! Knows ranges. Must not know where figures stand.

use crate::error::{Fault, Sources};
use crate::format::{BySize, Costs, CostsBySize, Figure, Table};
use engine::units::{Factor, Quantity};

/// Looks at figures under a dotted key.
pub(super) struct Look<'a> {
    pub(super) sources: &'a Sources,
}

impl Look<'_> {
    /// Named delays, and what sizes add to them.
    pub(super) fn costs(&self, key: &str, costs: &Costs, by_size: &CostsBySize) -> Result<(), Fault> {
        costs.iter().try_for_each(|(name, figure)| self.in_range(&format!("{key}.costs.{name}"), figure))?;
        by_size.iter().try_for_each(|(name, table)| {
            let key = format!("{key}.costs_by_size.{name}");
            table.figures().try_for_each(|(_, figure)| self.in_range(&key, &figure))
        })
    }

    /// A rate for all sizes, or one for each.
    pub(super) fn by_size<T: Quantity>(&self, key: &str, by_size: &BySize<T>) -> Result<(), Fault> {
        match by_size {
            BySize::One(figure) => self.positive(key, figure),
            BySize::Table(table) => self.table(key, table),
        }
    }

    /// The same, if it is there.
    pub(super) fn maybe_by_size<T: Quantity>(&self, key: &str, by_size: &Option<BySize<T>>) -> Result<(), Fault> {
        by_size.as_ref().map_or(Ok(()), |by_size| self.by_size(key, by_size))
    }

    /// A figure of which nothing may be negative, if it is there: zero is fine.
    pub(super) fn maybe_in_range<T: Quantity>(&self, key: &str, figure: &Option<Figure<T>>) -> Result<(), Fault> {
        figure.as_ref().map_or(Ok(()), |figure| self.in_range(key, figure))
    }

    fn table<T: Quantity>(&self, key: &str, table: &Table<T>) -> Result<(), Fault> {
        table.figures().try_for_each(|(size, figure)| self.positive(&format!("{key} at {size}"), &figure))
    }

    /// A figure above zero, if it is there.
    pub(super) fn stated<T: Quantity>(&self, key: &str, figure: &Option<Figure<T>>) -> Result<(), Fault> {
        figure.as_ref().map_or(Ok(()), |figure| self.positive(key, figure))
    }

    /// Both the value and the end that a slow run would stand at.
    pub(super) fn positive<T: Quantity>(&self, key: &str, figure: &Figure<T>) -> Result<(), Fault> {
        let zero = figure.value.is_zero() || figure.low.is_some_and(|low| low.is_zero());
        if zero {
            let message = format!("{key} is zero");
            return Err(Fault::at(self.sources, &figure.span, message, "must be above zero")
                .help(format!("give it {}", T::EXPECTED)));
        }
        self.in_range(key, figure)
    }

    /// A part of a whole.
    pub(super) fn share(&self, key: &str, figure: &Figure<Factor>) -> Result<(), Fault> {
        self.positive(key, figure)?;
        let largest = figure.high.map_or(figure.value, |high| high.max(figure.value));
        if largest <= Factor::ONE {
            return Ok(());
        }
        let message = format!("{key} is {largest}, which is more than the whole");
        Err(Fault::at(self.sources, &figure.span, message, "must be above 0 and at most 1")
            .help("write a share such as 0.8 or \"80 %\""))
    }

    /// A multiple of what there is to begin with.
    pub(super) fn at_least_one(&self, key: &str, figure: &Figure<Factor>) -> Result<(), Fault> {
        self.in_range(key, figure)?;
        let least = figure.low.map_or(figure.value, |low| low.min(figure.value));
        if least >= Factor::ONE {
            return Ok(());
        }
        let message = format!("{key} is {least}, which is less than the whole");
        Err(Fault::at(self.sources, &figure.span, message, "must be at least 1")
            .help("write a multiple such as 1.25, for eight data and two parity"))
    }

    /// The value lies between its ends.
    pub(super) fn in_range<T: Quantity>(&self, key: &str, figure: &Figure<T>) -> Result<(), Fault> {
        let below = figure.low.filter(|low| *low > figure.value).map(|low| ("low", low, "above"));
        let above = figure.high.filter(|high| *high < figure.value).map(|high| ("high", high, "below"));
        let Some((end, bound, side)) = below.or(above) else { return Ok(()) };
        let message = format!("{key}: {end} is {bound}, which is {side} the value {}", figure.value);
        Err(Fault::at(self.sources, &figure.span, message, "its range leaves the value out")
            .help("a range holds its value: low <= value <= high"))
    }
}

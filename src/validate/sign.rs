//! Which of two paths wins at equal settings, measured and predicted.
//!
//! Knows pairs of figures. Must not know how they came about.

use serde::Serialize;

/// Figures that differ by less than this share are no win for either: published ones scatter by as much.
pub const EVEN: f64 = 0.02;

/// One path's figures at some settings.
#[derive(Clone, Debug)]
pub struct Side {
    /// The case.
    pub id: String,
    /// The scenario's name, which is preferred in a partner.
    pub scenario: String,
    /// What must be equal in both.
    pub settings: String,
    /// Whether it is the direct path (GDS), or a bounce.
    pub direct: bool,
    /// Whether more is better.
    pub is_rate: bool,
    /// What was measured.
    pub measured: f64,
    /// Its relative spread, or how far it can be off by the way that it was read, where published.
    pub spread: f64,
    /// What was predicted.
    pub predicted: f64,
}

/// GDS against bounce, over all settings at which both were measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Signs {
    /// Pairs of which one wins in the measurements.
    pub pairs: usize,
    /// Pairs within 2 % of each other in the measurements, or within both their spreads, which are not judged.
    pub even: usize,
    /// Pairs in which another wins in the predictions.
    pub wrong: Vec<Wrong>,
}

/// A pair with the wrong winner.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Wrong {
    /// The case of the GDS path.
    pub gds: String,
    /// The case of the bounce path.
    pub bounce: String,
    /// How many times better GDS was measured.
    pub measured: f64,
    /// How many times better GDS was predicted.
    pub predicted: f64,
}

/// Judges all pairs: each direct figure with the bounce figures at equal settings, those of its own scenario if any.
pub fn signs(sides: &[Side]) -> Signs {
    let mut signs = Signs::default();
    for gds in sides.iter().filter(|side| side.direct) {
        let equal: Vec<&Side> = sides.iter().filter(|side| !side.direct && side.settings == gds.settings).collect();
        let near: Vec<&Side> = equal.iter().copied().filter(|side| side.scenario == gds.scenario).collect();
        for bounce in if near.is_empty() { equal } else { near } {
            signs.judge(gds, bounce);
        }
    }
    signs
}

impl Signs {
    fn judge(&mut self, gds: &Side, bounce: &Side) {
        let better = |gds: f64, bounce: f64, is_rate: bool| if is_rate { gds / bounce } else { bounce / gds };
        let measured = better(gds.measured, bounce.measured, gds.is_rate);
        let predicted = better(gds.predicted, bounce.predicted, gds.is_rate);
        if winner(measured, EVEN.max(gds.spread + bounce.spread)) == 0 {
            self.even += 1;
            return;
        }
        self.pairs += 1;
        if winner(predicted, EVEN) != winner(measured, EVEN) {
            self.wrong.push(Wrong { gds: gds.id.clone(), bounce: bounce.id.clone(), measured, predicted });
        }
    }
}

/// 1 where GDS wins, -1 where the bounce does, 0 where neither is ahead by more than a margin.
fn winner(better: f64, margin: f64) -> i8 {
    i8::from(better > 1.0 + margin) - i8::from(better < 1.0 / (1.0 + margin))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn side(id: &str, settings: &str, direct: bool, measured: f64, predicted: f64) -> Side {
        let settings = settings.to_string();
        Side { id: id.into(), scenario: "s".into(), settings, direct, is_rate: true, measured, spread: 0.0, predicted }
    }

    #[test]
    fn the_same_winner_is_right_however_far_the_figures_are_off() {
        let signs = signs(&[side("a", "4 KiB", true, 1.0, 5.0), side("b", "4 KiB", false, 2.0, 6.0)]);
        assert_eq!((signs.pairs, signs.wrong.len()), (1, 0));
    }

    #[test]
    fn another_winner_and_no_winner_are_wrong() {
        let other = signs(&[side("a", "4 KiB", true, 1.0, 6.0), side("b", "4 KiB", false, 2.0, 5.0)]);
        let none = signs(&[side("a", "4 KiB", true, 1.0, 5.0), side("b", "4 KiB", false, 2.0, 5.0)]);
        assert_eq!((other.wrong[0].measured, other.wrong[0].predicted), (0.5, 1.2));
        assert_eq!(none.wrong.len(), 1);
    }

    #[test]
    fn measurements_that_are_even_judge_nothing() {
        let signs = signs(&[side("a", "1 MiB", true, 1.01, 5.0), side("b", "1 MiB", false, 1.0, 9.0)]);
        assert_eq!((signs.pairs, signs.even, signs.wrong.len()), (0, 1, 0));
    }

    #[test]
    fn what_lies_within_both_spreads_is_no_win() {
        let mut sides = [side("a", "1 MiB", true, 1.2, 1.0), side("b", "1 MiB", false, 1.3, 1.0)];
        sides.iter_mut().for_each(|side| side.spread = 0.08);
        assert_eq!((signs(&sides).pairs, signs(&sides).even), (0, 1));
        sides[1].measured = 1.5;
        assert_eq!((signs(&sides).pairs, signs(&sides).wrong.len()), (1, 1));
    }

    #[test]
    fn other_settings_make_no_pair() {
        let signs = signs(&[side("a", "1 MiB", true, 2.0, 5.0), side("b", "4 KiB", false, 1.0, 9.0)]);
        assert_eq!(signs, Signs::default());
    }

    #[test]
    fn less_is_better_where_the_figure_is_a_time() {
        let mut sides = [side("a", "1 MiB", true, 1.0, 1.0), side("b", "1 MiB", false, 2.0, 2.0)];
        sides.iter_mut().for_each(|side| side.is_rate = false);
        assert_eq!((signs(&sides).pairs, signs(&sides).wrong.len()), (1, 0));
    }
}

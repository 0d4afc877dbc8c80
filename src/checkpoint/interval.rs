//! How often to save: the interval by Young, by Daly and for the highest availability; goodput and lost work.
//!
//! Knows what a save costs and how often something fails. Must not know how those came about.
//!
//! Failures are a Poisson process of mean time `M` for the whole job. A save stops training for its **overhead** `C` and is
//! safe after its **latency** `L`, the rest of which passes while training goes on; a restart takes `R`.
//!
//! - Young: `sqrt(2 C M)`. (J. W. Young, "A first order approximation to the optimum checkpoint interval", Communications
//!   of the ACM 17(9), 1974.)
//! - Daly: `sqrt(2 C M) [1 + 1/3 sqrt(C / 2M) + 1/9 (C / 2M)] - C` for `C < 2M`, else `M`. (J. T. Daly, "A higher order
//!   estimate of the optimum checkpoint interval for restart dumps", Future Generation Computer Systems 22(3), 2006.)
//! - Availability: the interval `T` between failures' and saves' costs at which useful work is the largest share of time,
//!   `exp((T + C) / M) (1 - T / M) = 1`, which is `M (1 + W(-exp(-1 - C / M)))` with Lambert's `W`. It does not depend on
//!   `L` and `R`.
//! - Time that an interval takes in the mean, failures in restarts and before a save is safe included:
//!   `M exp((L - C + R) / M) (exp((T + C) / M) - 1)`. (N. H. Vaidya, "Impact of checkpoint latency on overhead ratio of a
//!   checkpointing scheme", IEEE Transactions on Computers 46(8), 1997; with `L = C` it is Daly's complete cost.)

use serde::Serialize;

/// What saving and failing cost, in seconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Costs {
    /// For how long a save keeps training from its work.
    pub overhead_s: f64,
    /// From the beginning of a save until it is safe.
    pub latency_s: f64,
    /// From a failure until training goes on from the last safe save.
    pub restart_s: f64,
    /// Mean time between failures of the whole job.
    pub mtbf_s: f64,
}

/// Young's interval.
pub fn young(overhead: f64, mtbf: f64) -> f64 {
    libm::sqrt(2.0 * overhead * mtbf)
}

/// Daly's interval.
pub fn daly(overhead: f64, mtbf: f64) -> f64 {
    if overhead >= 2.0 * mtbf {
        return mtbf;
    }
    let ratio = overhead / (2.0 * mtbf);
    young(overhead, mtbf) * (1.0 + libm::sqrt(ratio) / 3.0 + ratio / 9.0) - overhead
}

/// The interval of the highest availability.
pub fn availability(overhead: f64, mtbf: f64) -> f64 {
    mtbf * (1.0 + lambert(-libm::exp(-1.0 - overhead / mtbf)))
}

/// The principal branch of Lambert's W between -1/e and 0: `w exp(w) = x`, by Halley's steps from the series at the branch
/// point.
fn lambert(x: f64) -> f64 {
    let p = libm::sqrt((2.0 * (1.0 + x * std::f64::consts::E)).max(0.0));
    let mut w = -1.0 + p - p * p / 3.0 + 11.0 / 72.0 * p * p * p;
    for _ in 0..20 {
        let e = libm::exp(w);
        let off = w * e - x;
        let step = off / (e * (w + 1.0) - (w + 2.0) * off / (2.0 * w + 2.0));
        if !step.is_finite() {
            break;
        }
        w -= step;
    }
    w
}

impl Costs {
    /// Time that an interval of useful work takes in the mean.
    pub fn expected_s(&self, interval: f64) -> f64 {
        let m = self.mtbf_s;
        let behind = libm::exp((self.latency_s - self.overhead_s + self.restart_s) / m);
        m * behind * libm::expm1((interval + self.overhead_s) / m)
    }

    /// The share of time that is useful work.
    pub fn goodput(&self, interval: f64) -> f64 {
        let expected = self.expected_s(interval);
        if expected.is_finite() && expected > 0.0 { interval / expected } else { 0.0 }
    }

    /// Seconds of work and of waiting for a save that a failure undoes in the mean, without the restart.
    pub fn lost_s(&self, interval: f64) -> f64 {
        let expected = self.expected_s(interval);
        let failures = expected / self.mtbf_s;
        (expected - interval - self.overhead_s) / failures - self.restart_s
    }

    /// The shortest interval at which a save is safe before the next one begins.
    pub fn shortest_s(&self) -> f64 {
        (self.latency_s - self.overhead_s).max(0.0)
    }

    /// The interval to take: that of the highest availability, but no shorter than saves allow.
    pub fn best_s(&self) -> f64 {
        availability(self.overhead_s, self.mtbf_s).max(self.shortest_s())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MINUTE: f64 = 60.0;

    #[test]
    fn daly_s_worked_examples_come_out() {
        // Daly 2006, figures 3 to 5: dumps of 5 min, restarts of 10 min; M = 24 h, 6 h and 15 min give 117, 57 and 9.1 min.
        for (mtbf, minutes, within) in [(1_440.0, 117.0, 0.5), (360.0, 57.0, 0.5), (15.0, 9.1, 0.05)] {
            let interval = daly(5.0 * MINUTE, mtbf * MINUTE) / MINUTE;
            assert!((interval - minutes).abs() < within, "M = {mtbf} min: {interval} min");
        }
    }

    #[test]
    fn young_s_interval_is_the_root_of_twice_the_product() {
        // 1974: sqrt(2 Ts Tf); two minutes a save and a failure each day are 75.9 min.
        let minutes = young(2.0 * MINUTE, 1_440.0 * MINUTE) / MINUTE;
        assert!((minutes * minutes - 2.0 * 2.0 * 1_440.0).abs() < 1e-9);
    }

    #[test]
    fn daly_s_interval_ends_at_the_mean_time_between_failures() {
        assert_eq!(daly(500.0, 200.0), 200.0);
    }

    #[test]
    fn without_failures_only_saves_are_lost() {
        let costs = Costs { overhead_s: 10.0, latency_s: 10.0, restart_s: 60.0, mtbf_s: 1e15 };
        assert!((costs.goodput(990.0) - 0.99).abs() < 1e-9);
    }

    #[test]
    fn half_an_interval_is_lost_where_failures_are_rare() {
        let costs = Costs { overhead_s: 1.0, latency_s: 1.0, restart_s: 60.0, mtbf_s: 1e6 };
        assert!((costs.lost_s(999.0) / 500.0 - 1.0).abs() < 0.01, "{}", costs.lost_s(999.0));
    }

    proptest! {
        #[test]
        fn no_interval_beats_that_of_the_highest_availability(
            overhead in 0.01f64..1e4, mtbf in 10.0f64..1e7, factor in 0.05f64..20.0
        ) {
            let costs = Costs { overhead_s: overhead, latency_s: 2.0 * overhead, restart_s: 30.0, mtbf_s: mtbf };
            let best = availability(overhead, mtbf);
            prop_assert!(costs.goodput(best) >= costs.goodput(best * factor) * (1.0 - 1e-9));
        }

        #[test]
        fn all_three_agree_where_saves_are_short(mtbf in 1e5f64..1e8) {
            let [young, daly, best] = [young, daly, availability].map(|of| of(1.0, mtbf));
            prop_assert!((daly / best - 1.0).abs() < 1e-4 && (young / best - 1.0).abs() < 0.01);
        }
    }
}

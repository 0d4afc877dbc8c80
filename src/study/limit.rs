//! What a simulation may take before it is stopped.
//!
//! Knows how many moments have passed and whether somebody called it off. Must not know the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use engine::{Moment, Observer, Watched, Who};

/// An end for a simulation that would take too long: so many moments, or somebody's word.
#[derive(Clone, Debug)]
pub struct Limit {
    /// Moments of requests (see [`Moment`]) after which it stops. The same run stops at the same place on every machine.
    pub moments: u64,
    /// Set by whoever no longer waits for the result.
    pub called_off: Arc<AtomicBool>,
}

/// An observer that counts towards a limit.
pub(super) struct Watch {
    limit: Limit,
    moments: u64,
}

impl Watch {
    pub(super) fn new(limit: Limit) -> Watch {
        Watch { limit, moments: 0 }
    }
}

impl Observer for Watch {
    fn watched(&self) -> Watched {
        Watched::NOTHING
    }

    fn moment(&mut self, _: u64, _: Who, _: Moment) {
        self.moments += 1;
    }

    fn warmed_up(&mut self, _: u64, _: usize) {}

    fn is_stopped(&self) -> bool {
        self.moments > self.limit.moments || self.limit.called_off.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use crate::platform::{Library, load};
    use crate::study::{Limit, Options, run};

    fn stopped_with(limit: Limit) -> Option<String> {
        let loaded = load("one-at-a-time-textbook", &Library::default(), &[]).unwrap();
        let options = Options { skip_ends: true, limit: Some(limit), ..Options::default() };
        run(&loaded, &options, None).err().map(|fault| fault.message().to_string())
    }

    #[test]
    fn a_run_that_passes_its_limit_of_moments_is_stopped() {
        let message = stopped_with(Limit { moments: 1000, called_off: Default::default() }).unwrap();
        assert!(message.starts_with("the run was stopped after"), "{message}");
    }

    #[test]
    fn a_run_that_is_called_off_is_stopped() {
        let called_off = std::sync::Arc::new(true.into());
        assert!(stopped_with(Limit { moments: u64::MAX, called_off }).is_some());
    }

    #[test]
    fn a_run_below_its_limit_goes_on_to_its_end() {
        assert_eq!(stopped_with(Limit { moments: u64::MAX, called_off: Default::default() }), None);
    }
}

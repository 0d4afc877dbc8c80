//! Room for runs: so many side by side, so many in line, each for so long, and none for anybody who has left.
//!
//! Knows permits, lines and time limits. Must not know what is run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::error::Fault;
use crate::study::Limit;

use super::point::MOST_MOMENTS;

/// The longest that a run takes, the wait for its turn included.
const LONGEST: Duration = Duration::from_secs(20);
/// Runs that may wait for their turn.
const MOST_IN_LINE: usize = 256;

/// Why there is no answer.
#[derive(Clone, Debug)]
pub(super) enum Refusal {
    /// What was asked for is wrong.
    Wrong(Fault),
    /// There is no room or no time for it.
    Busy(Fault),
}

/// Room for runs.
#[derive(Debug)]
pub(super) struct Room {
    line: Arc<Semaphore>,
    turns: Arc<Semaphore>,
    longest: Duration,
}

/// Calls a run off when nobody waits for it any more.
struct CalledOffOnDrop(Arc<AtomicBool>);

impl Drop for CalledOffOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Room {
    /// Room for so many runs side by side.
    pub(super) fn new(side_by_side: usize) -> Room {
        let turns = Arc::new(Semaphore::new(side_by_side.max(1)));
        Room { line: Arc::new(Semaphore::new(MOST_IN_LINE)), turns, longest: LONGEST }
    }

    /// Runs something on a thread of its own once it is its turn. It is given a limit that it must keep to.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        what: impl FnOnce(Limit) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Refusal> {
        let place = self.line.clone().try_acquire_owned().map_err(|_| full())?;
        match tokio::time::timeout(self.longest, self.in_turn(place, what)).await {
            Ok(result) => result,
            Err(_) => Err(too_long(self.longest)),
        }
    }

    async fn in_turn<T: Send + 'static>(
        &self,
        place: OwnedSemaphorePermit,
        what: impl FnOnce(Limit) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, Refusal> {
        let turn = self.turns.clone().acquire_owned().await.map_err(|_| full())?;
        let called_off = CalledOffOnDrop(Arc::default());
        let limit = Limit { moments: MOST_MOMENTS, called_off: called_off.0.clone() };
        let run = tokio::task::spawn_blocking(move || {
            let result = what(limit);
            // The turn ends with the run, not with the patience of whoever waits for it.
            drop((turn, place));
            result
        });
        let result = run.await.map_err(|_| Refusal::Busy(Fault::new("the run broke off")))?;
        result.map_err(Refusal::Wrong)
    }
}

fn full() -> Refusal {
    Refusal::Busy(Fault::new("too many people ask at once").help("wait a moment, then move a slider again"))
}

fn too_long(longest: Duration) -> Refusal {
    let message = format!("the run takes longer than {} s", longest.as_secs());
    Refusal::Busy(Fault::new(message).help("put fewer requests in flight (threads, depth) or ask for larger ones"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runtime() -> tokio::runtime::Runtime {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
    }

    fn until_called_off(limit: Limit) -> Result<(), Fault> {
        while !limit.called_off.load(Ordering::Relaxed) {
            std::thread::yield_now();
        }
        Ok(())
    }

    #[test]
    fn a_run_that_takes_too_long_is_called_off_and_leaves_its_turn() {
        runtime().block_on(async {
            let room = Room { longest: Duration::from_millis(20), ..Room::new(1) };
            assert!(matches!(room.run(until_called_off).await, Err(Refusal::Busy(_))));
            assert!(room.turns.acquire().await.is_ok());
        });
    }

    #[test]
    fn nobody_gets_in_line_when_the_line_is_full() {
        runtime().block_on(async {
            let room = Room { line: Arc::new(Semaphore::new(0)), ..Room::new(1) };
            assert!(matches!(room.run(|_| Ok(())).await, Err(Refusal::Busy(_))));
        });
    }

    #[test]
    fn what_is_wrong_with_the_question_comes_back_as_it_is() {
        runtime().block_on(async {
            let refused = Room::new(1).run(|_| Err::<(), _>(Fault::new("no such thing"))).await;
            assert!(matches!(refused, Err(Refusal::Wrong(fault)) if fault.message() == "no such thing"));
        });
    }
}

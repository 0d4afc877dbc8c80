//! What was computed before, so many answers and no more; whoever asks for what is being computed waits for it.
//!
//! Knows keys and cells. Must not know what is remembered.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::OnceCell;

/// Answers by what was asked.
#[derive(Debug)]
pub(super) struct Memory<K, V> {
    most: usize,
    kept: Mutex<Kept<K, V>>,
}

/// A place for an answer, filled or about to be.
pub(super) type Cell<V> = Arc<OnceCell<V>>;

#[derive(Debug)]
struct Kept<K, V> {
    cells: BTreeMap<K, Cell<V>>,
    /// The oldest first.
    order: VecDeque<K>,
}

impl<K: Ord + Clone, V> Memory<K, V> {
    /// An empty memory that keeps so many answers at most.
    pub(super) fn new(most: usize) -> Memory<K, V> {
        Memory { most, kept: Mutex::new(Kept { cells: BTreeMap::new(), order: VecDeque::new() }) }
    }

    /// The cell of a question; the oldest one goes where there are too many.
    pub(super) fn cell(&self, key: &K) -> Cell<V> {
        // A poisoned lock means that another question panicked; what is kept is whole all the same.
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cell) = kept.cells.get(key) {
            return cell.clone();
        }
        if kept.order.len() >= self.most
            && let Some(oldest) = kept.order.pop_front()
        {
            kept.cells.remove(&oldest);
        }
        kept.order.push_back(key.clone());
        kept.cells.entry(key.clone()).or_default().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_that_was_asked_before_gets_the_same_cell() {
        let memory: Memory<u32, u32> = Memory::new(2);
        memory.cell(&1).set(7).unwrap();
        assert_eq!(memory.cell(&1).get(), Some(&7));
    }

    #[test]
    fn the_oldest_answer_is_forgotten_when_there_is_no_room() {
        let memory: Memory<u32, u32> = Memory::new(2);
        for key in [1, 2, 3] {
            memory.cell(&key).set(key).unwrap();
        }
        assert_eq!((memory.cell(&3).get(), memory.cell(&2).get()), (Some(&3), Some(&2)));
        assert_eq!(memory.cell(&1).get(), None);
    }
}

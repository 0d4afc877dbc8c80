//! Pools: places that only so many may hold, given out strictly first come, first served.
//!
//! Knows who holds how many and who is in line. Must not know what a place is for.

use std::collections::VecDeque;

use crate::plan::Pool;

/// All pools of a run.
#[derive(Debug)]
pub struct Pools {
    pools: Vec<State>,
}

#[derive(Debug)]
struct State {
    places: u64,
    free: u64,
    line: VecDeque<(u32, u64)>,
}

impl Pools {
    /// All places free, nobody in line.
    pub fn new(pools: &[Pool]) -> Pools {
        let state = |pool: &Pool| State { places: pool.places, free: pool.places, line: VecDeque::new() };
        Pools { pools: pools.iter().map(state).collect() }
    }

    /// How many places a pool has.
    pub fn places(&self, pool: usize) -> u64 {
        self.pools[pool].places
    }

    /// How many are queued for a pool.
    pub fn queued(&self, pool: usize) -> usize {
        self.pools[pool].line.len()
    }

    /// Takes places, or gets in line. Nobody overtakes: who comes while others wait gets in line too.
    pub fn take(&mut self, pool: usize, who: u32, places: u64) -> bool {
        let pool = &mut self.pools[pool];
        let granted = pool.line.is_empty() && pool.free >= places;
        if granted {
            pool.free -= places;
        } else {
            pool.line.push_back((who, places));
        }
        granted
    }

    /// Gives places back and lets in who can now be served, in the order of the line.
    pub fn give_back(&mut self, pool: usize, places: u64, mut let_in: impl FnMut(u32)) {
        let pool = &mut self.pools[pool];
        pool.free += places;
        assert!(pool.free <= pool.places, "more places given back than there are");
        while let Some(&(who, wanted)) = pool.line.front() {
            if wanted > pool.free {
                break;
            }
            pool.free -= wanted;
            pool.line.pop_front();
            let_in(who);
        }
    }

    /// Who is in line, first come first.
    pub fn line(&self, pool: usize) -> impl Iterator<Item = u32> + '_ {
        self.pools[pool].line.iter().map(|&(who, _)| who)
    }
}

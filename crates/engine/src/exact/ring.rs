//! Who waits for whom, where nothing can go on any more.
//!
//! Knows queues and how far every worker has come. Must not know how that came about.

use crate::outcome::Queued;

use super::steps::Step;
use super::world::World;

impl World {
    /// The pools for which somebody is queued: who is, and who holds places.
    pub(super) fn queues(&self) -> Vec<Queued> {
        let queued = (0..self.plan.pools.len()).filter(|&pool| self.pools.queued(pool) > 0);
        let queue = |pool: usize| Queued {
            pool: self.plan.pools[pool].name.clone(),
            waiters: self.pools.line(pool).map(|who| self.name_of(who)).collect(),
            holders: self.holders(pool).map(|who| self.name_of(who)).collect(),
        };
        queued.map(queue).collect()
    }

    fn holders(&self, pool: usize) -> impl Iterator<Item = u32> + '_ {
        (0..self.workers.len() as u32).filter(move |&who| self.held(who, pool) > 0)
    }

    /// How often a worker holds places of a pool: by the steps that are behind it, but for the one that it is queued in.
    fn held(&self, who: u32, pool: usize) -> i64 {
        let worker = &self.workers[who as usize];
        let lane = &self.lanes[worker.lane as usize];
        let first = if worker.helps.is_some() { 0 } else { lane.helpers_own };
        let waits = lane.steps.all[..worker.step as usize].last().is_some_and(
            |step| matches!(step, Step::Hold(step) if self.pools.line(step.hold.pool).any(|other| other == who)),
        );
        let behind = worker.step - u32::from(waits);
        let steps = lane.steps.all.get(first as usize..behind as usize).unwrap_or_default();
        steps.iter().fold(0, |held, step| match step {
            Step::Hold(step) if step.hold.pool == pool => held + 1,
            Step::GiveBack(step) if step.hold.pool == pool => held - 1,
            _ => held,
        })
    }

    fn name_of(&self, who: u32) -> String {
        let lane = &self.lanes[self.workers[who as usize].lane as usize];
        let work = &self.plan.works[lane.work];
        format!("{} on {} (request {who})", work.name, work.lanes[lane.number].gpu_name())
    }
}

//! Tells the steps of one request one after the other and adds up their times.
//!
//! Knows a lane's legs, holds and delays. Must not know how a line is written.

use super::pace::pace;
use super::{Hop, Step};
use engine::units::{Bytes, Time};
use engine::{Delay, Direction, Each, Hold, Kind, Lane, Leg, Mover, Plan, Work};

/// The steps of all legs; `None` where the clock would overflow.
pub(super) fn steps(plan: &Plan, work: &Work, lane: &Lane, bytes: Bytes) -> Option<Vec<Step>> {
    let mut teller = Teller { plan, steps: Vec::new(), total: Time(0), hop: 0 };
    let last = lane.legs.iter().rposition(|leg| !leg.hops.is_empty());
    for (index, leg) in lane.legs.iter().enumerate() {
        teller.slots(leg, bytes);
        teller.controls(&leg.before, bytes)?;
        teller.servers(leg, bytes)?;
        if !leg.hops.is_empty() {
            teller.motion(leg, work.direction, bytes)?;
        }
        teller.controls(&leg.after, bytes)?;
        if let Some(hop) = leg.hops.last() {
            teller.steps.push(Step::Rest { at: hop.to, arrived: Some(index) == last });
        }
    }
    Some(teller.steps)
}

/// The steps before the first request; `None` where the clock would overflow.
pub(super) fn session(plan: &Plan, work: &Work, lane: &Lane) -> Option<Vec<Step>> {
    let mut teller = Teller { plan, steps: Vec::new(), total: Time(0), hop: 0 };
    for step in &lane.session {
        teller.controls(&[step.delay], work.buffer_bytes())?;
        if let (true, Some(Step::Control { who, .. })) = (step.each_thread, teller.steps.last_mut()) {
            who.push_str(", each thread");
        }
    }
    Some(teller.steps)
}

/// Tells steps one after the other and adds up.
struct Teller<'a> {
    plan: &'a Plan,
    steps: Vec<Step>,
    total: Time,
    hop: usize,
}

impl Teller<'_> {
    fn add(&mut self, time: Time) -> Option<u64> {
        self.total = Time(self.total.0.checked_add(time.0)?);
        Some(self.total.0)
    }

    /// What a leg without hops holds for its steps; a leg with hops names what it holds where its bytes move.
    fn slots(&mut self, leg: &Leg, bytes: Bytes) {
        for hold in leg.holds.iter().filter(|_| leg.hops.is_empty()) {
            self.hold(hold, bytes, format!("the steps of \"{}\" are over", leg.name));
        }
    }

    fn hold(&mut self, hold: &Hold, bytes: Bytes, until: String) {
        let pool = &self.plan.pools[hold.pool];
        let takes = hold.places(bytes.0, pool.places);
        if takes > 0 {
            self.steps.push(Step::Hold { slot: pool.name.clone(), places: pool.places, takes, until });
        }
    }

    /// What a leg holds while its bytes move: names, and how many places where there are several.
    fn held(&self, leg: &Leg, bytes: Bytes) -> Vec<String> {
        let kept = leg.served.iter().filter(|served| served.keeps).map(|served| &served.hold);
        let holds = leg.holds.iter().filter(|hold| hold.each != Each::Bytes).chain(kept);
        let named = holds.filter_map(|hold| {
            let pool = &self.plan.pools[hold.pool];
            match hold.places(bytes.0, pool.places) {
                0 => None,
                1 => Some(pool.name.clone()),
                places => Some(format!("{places} places of {}", pool.name)),
            }
        });
        named.collect()
    }

    fn servers(&mut self, leg: &Leg, bytes: Bytes) -> Option<()> {
        for served in &leg.served {
            let until = if served.keeps { "the bytes have arrived" } else { "it is served" };
            self.hold(&served.hold, bytes, until.to_string());
            self.controls(&[served.delay], bytes)?;
        }
        Some(())
    }

    fn controls(&mut self, delays: &[usize], bytes: Bytes) -> Option<()> {
        for &index in delays {
            let delay = &self.plan.delays[index];
            if !delay.passes(bytes.0) {
                continue;
            }
            let takes = Time(delay.ps(bytes.0));
            let total_ps = self.add(takes)?;
            self.steps.push(control(delay, takes, delay.times(bytes.0), total_ps));
        }
        Some(())
    }

    fn motion(&mut self, leg: &Leg, direction: Direction, bytes: Bytes) -> Option<()> {
        let pace = pace(self.plan, leg);
        let time = pace.as_ref().map_or(Some(Time(0)), |pace| pace.rate.time_for(bytes))?;
        let total_ps = self.add(time)?;
        let hops = leg.hops.iter().map(|hop| self.hop(hop)).collect();
        let holds = self.held(leg, bytes);
        let who = mover(leg.mover, direction).to_string();
        self.steps.push(Step::Move { leg: leg.name.clone(), who, hops, holds, pace, ps: time.0, total_ps });
        Some(())
    }

    fn hop(&mut self, hop: &engine::Hop) -> Hop {
        self.hop += 1;
        let mut crosses: Vec<String> =
            hop.crosses.iter().map(|c| self.plan.capacities[c.capacity].name.clone()).collect();
        // Staging crosses memory for its copy and for its DMA.
        crosses.dedup();
        Hop { number: self.hop, from: hop.from, to: hop.to, crosses }
    }
}

fn control(delay: &Delay, takes: Time, commands: u64, total_ps: u64) -> Step {
    Step::Control {
        who: actor(delay).to_string(),
        what: delay.what.clone(),
        cost: delay.name.clone(),
        ps: takes.0,
        jitter_ps: delay.jitter.0,
        on_core: delay.on_core,
        commands,
        total_ps,
    }
}

/// Who takes the time of a delay.
fn actor(delay: &Delay) -> &'static str {
    match delay.kind {
        _ if delay.on_core => "CPU",
        Kind::Target => "target",
        Kind::Fabric => "fabric",
        Kind::Nic => "NIC",
        Kind::Pcie | Kind::RootComplex => "PCIe",
        Kind::SocketLink => "socket link",
        Kind::Dram => "system memory",
        Kind::Hbm => "GPU",
        Kind::CopyEngine => "copy engine",
        Kind::Cpu => "CPU",
        Kind::Other => "software",
    }
}

/// Who moves the bytes of a leg, in words.
fn mover(mover: Mover, direction: Direction) -> &'static str {
    match (mover, direction) {
        (Mover::Nic, _) => "NIC (DMA)",
        (Mover::Drive, _) => "drive (DMA)",
        (Mover::Cpu, _) => "CPU thread (copy)",
        (Mover::CopyEngine, Direction::Read) => "copy engine (to the GPU)",
        (Mover::CopyEngine, Direction::Write) => "copy engine (from the GPU)",
        (Mover::Staging, _) => "driver (staged copy)",
        (Mover::Gpu, _) => "GPU (within HBM)",
        (Mover::None, _) => "nobody",
    }
}

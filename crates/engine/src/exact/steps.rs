//! A lane's program as numbered steps: what a worker goes through, with everything that can be looked up beforehand.
//!
//! Knows the plan. Must not know what time it is.
//!
//! Places of a pool that can never be full are not asked for, unless somebody watches them: nobody ever waits there. Delays
//! that follow each other are one row and pass as one event, unless somebody watches them one by one.

use crate::causes::Cause;
use crate::classes::Classes;
use crate::plan::{Each, Hold, Lane, Plan};
use crate::program::{Op, Program};

/// What a worker does next.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Takes places of a pool.
    Hold(HoldStep),
    /// Gives them back.
    GiveBack(HoldStep),
    /// Lets the delays of a row pass.
    Wait(u32),
    /// Sets its bytes in motion.
    Move(MoveStep),
}

/// Places of a pool.
#[derive(Clone, Copy, Debug)]
pub struct HoldStep {
    /// Which, and for what.
    pub hold: Hold,
    /// Whether they are bytes of a buffer.
    pub is_memory: bool,
    /// Being queued for them, as an activity of the lane.
    pub activity: u32,
}

/// Bytes in motion.
#[derive(Clone, Copy, Debug)]
pub struct MoveStep {
    /// The leg.
    pub leg: u32,
    /// The flow class.
    pub class: u32,
    /// Being in motion, as an activity of the lane.
    pub activity: u32,
}

/// Delays that pass one after the other.
#[derive(Clone, Debug)]
pub struct Row {
    /// The delays (indices of the plan's).
    pub delays: Vec<u32>,
    /// The leg of the first.
    pub leg: u32,
    /// Whether that comes before the leg's motion.
    pub before: bool,
    /// Letting them pass, as an activity of the lane.
    pub activity: u32,
    /// The last size for which their sum was asked, and that sum in picoseconds.
    pub known: (u64, u64),
    /// Whether a part of them is drawn.
    pub drawn: bool,
}

/// Something that a request does for a while, which its time is counted by.
#[derive(Clone, Debug, PartialEq)]
pub struct Activity {
    /// The leg.
    pub leg: usize,
    /// What kind of time it is.
    pub kind: Doing,
}

/// Kinds of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Doing {
    /// Queued for a pool.
    Queued(usize),
    /// Delays pass: each with its leg.
    Delayed(Vec<(u32, u32)>),
    /// Bytes are in motion in a class, held back by this where nothing is full.
    Moving(Cause, usize),
}

/// The steps of a lane.
#[derive(Debug)]
pub struct Steps {
    /// All, in the order of the program.
    pub all: Vec<Step>,
    /// Where the way along the legs begins, and where it ends: before it the opening, after it the closing.
    pub along: (u32, u32),
    /// The rows of delays.
    pub rows: Vec<Row>,
    /// What the requests of the lane do.
    pub activities: Vec<Activity>,
}

/// What steps are made from.
pub struct Maker<'a> {
    /// The plan.
    pub plan: &'a Plan,
    /// Its flow classes.
    pub classes: &'a Classes,
    /// Whether each pool may ever be full.
    pub contended: &'a [bool],
    /// Whether somebody watches every step.
    pub watched: bool,
}

impl Maker<'_> {
    /// The steps of a lane of a work.
    pub fn steps(&self, work: usize, number: usize, lane: &Lane) -> Steps {
        let Program { opening, legs, closing, .. } = Program::of(lane);
        let mut steps = Steps { all: Vec::new(), along: (0, 0), rows: Vec::new(), activities: Vec::new() };
        opening.iter().for_each(|&op| self.add(&mut steps, op, lane, (work, number)));
        steps.along.0 = steps.all.len() as u32;
        legs.iter().for_each(|&op| self.add(&mut steps, op, lane, (work, number)));
        steps.along.1 = steps.all.len() as u32;
        closing.iter().for_each(|&op| self.add(&mut steps, op, lane, (work, number)));
        steps
    }

    fn add(&self, steps: &mut Steps, op: Op, lane: &Lane, (work, number): (usize, usize)) {
        match op {
            Op::Hold(hold) | Op::GiveBack(hold) => {
                let is_memory = hold.each == Each::Bytes;
                if !(is_memory || self.watched || self.contended[hold.pool]) {
                    return;
                }
                let activity = steps.activity(leg_of(lane, hold), Doing::Queued(hold.pool));
                let step = HoldStep { hold, is_memory, activity };
                steps.all.push(if matches!(op, Op::Hold(_)) { Step::Hold(step) } else { Step::GiveBack(step) });
            }
            Op::Before(leg) => self.wait(steps, leg, true, &lane.legs[leg as usize].before),
            Op::After(leg) => self.wait(steps, leg, false, &lane.legs[leg as usize].after),
            Op::Serve(leg, server) => {
                self.wait(steps, leg, true, &[lane.legs[leg as usize].served[server as usize].delay]);
            }
            Op::Move(leg) => {
                let class = self.classes.of(work, number, leg as usize);
                let activity = steps.activity(leg as usize, Doing::Moving(self.classes.alone(class), class));
                steps.all.push(Step::Move(MoveStep { leg, class: class as u32, activity }));
            }
        }
    }

    /// Delays pass: in the row of those right before them, where there is one.
    fn wait(&self, steps: &mut Steps, leg: u32, before: bool, delays: &[usize]) {
        let drawn = delays.iter().any(|&delay| self.plan.delays[delay].jitter.0 > 0);
        let passed = delays.iter().map(|&delay| (leg, delay as u32));
        if let (false, Some(Step::Wait(row))) = (self.watched, steps.all.last()) {
            let row = &mut steps.rows[*row as usize];
            row.delays.extend(delays.iter().map(|&delay| delay as u32));
            row.drawn |= drawn;
            if let Doing::Delayed(all) = &mut steps.activities[row.activity as usize].kind {
                all.extend(passed);
            }
            return;
        }
        steps.activities.push(Activity { leg: leg as usize, kind: Doing::Delayed(passed.collect()) });
        let activity = steps.activities.len() as u32 - 1;
        let delays = delays.iter().map(|&delay| delay as u32).collect();
        steps.all.push(Step::Wait(steps.rows.len() as u32));
        steps.rows.push(Row { delays, leg, before, activity, known: (u64::MAX, 0), drawn });
    }
}

impl Steps {
    fn activity(&mut self, leg: usize, kind: Doing) -> u32 {
        let one = Activity { leg, kind };
        let known = self.activities.iter().position(|other| *other == one);
        known.unwrap_or_else(|| {
            self.activities.push(one);
            self.activities.len() - 1
        }) as u32
    }
}

/// The leg that being queued for a hold belongs to: the first that names it.
fn leg_of(lane: &Lane, hold: Hold) -> usize {
    let names = |leg: &crate::plan::Leg| {
        leg.holds.contains(&hold) || leg.buffers.contains(&hold) || leg.served.iter().any(|one| one.hold == hold)
    };
    lane.legs.iter().position(names).unwrap_or(0)
}

/// Which pools may be full at some time: those of which all requests together, as large as they come, may want more places than
/// there are.
pub fn contended(plan: &Plan) -> Vec<bool> {
    let mut wanted = vec![0u128; plan.pools.len()];
    for work in &plan.works {
        let largest = work.size.largest();
        for lane in &work.lanes {
            let outstanding = match work.arrivals {
                None => u128::from(work.threads) * u128::from(work.depth),
                Some(_) => u128::MAX >> 64,
            };
            let pieces = largest.map_or(lane.cut.most.max(1), |most| lane.cut.pieces(most.0));
            let holds = Program::of(lane);
            for op in [holds.opening, holds.legs].concat() {
                let Op::Hold(hold) = op else { continue };
                let places = match (hold.each, largest) {
                    (Each::One, _) => 1,
                    (_, Some(most)) => hold.places(most.0, plan.pools[hold.pool].places),
                    (_, None) => u64::MAX,
                };
                let all = outstanding.saturating_mul(u128::from(pieces)).saturating_mul(u128::from(places));
                wanted[hold.pool] = wanted[hold.pool].saturating_add(all);
            }
            for hold in &lane.cut.helpers {
                wanted[hold.pool] = wanted[hold.pool].saturating_add(outstanding.saturating_mul(u128::from(pieces)));
            }
        }
    }
    wanted.iter().zip(&plan.pools).map(|(&wanted, pool)| wanted > u128::from(pool.places)).collect()
}

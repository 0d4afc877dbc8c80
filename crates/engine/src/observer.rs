//! What a run tells while time passes.
//!
//! Knows the moments of a request. Must not know what observers make of them.

/// A worker: one place for an outstanding request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Who {
    /// The work (an index of the plan's works).
    pub work: usize,
    /// The lane of the work.
    pub lane: usize,
    /// The worker's number.
    pub worker: u32,
}

/// Something that happens to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// It begins, with so many bytes.
    Begins(u64),
    /// It gets in line for a pool.
    InLine(usize),
    /// It holds places of a pool.
    Holds(usize),
    /// It gives places of a pool back.
    GivesBack(usize),
    /// Delays before (true) or after (false) the motion of a leg begin.
    Delay {
        /// The leg.
        leg: usize,
        /// Before the motion, or after it.
        before: bool,
    },
    /// Its bytes are set in motion over a leg.
    Moves(usize),
    /// They have arrived.
    Arrived(usize),
    /// It is done; so many picoseconds after it began.
    Done(u64),
}

/// What an observer wants to be told besides beginnings and ends of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watched {
    /// Every step of a request.
    pub steps: bool,
    /// [`Observer::motion`].
    pub motion: bool,
}

impl Watched {
    /// Nothing else.
    pub const NOTHING: Watched = Watched { steps: false, motion: false };
    /// Every step.
    pub const STEPS: Watched = Watched { steps: true, motion: false };
    /// Every step and all motion.
    pub const ALL: Watched = Watched { steps: true, motion: true };
}

/// Notes every moment. Time is in picoseconds.
pub trait Observer {
    /// Something happens to a request.
    fn moment(&mut self, now: u64, who: Who, moment: Moment);
    /// A work's warm-up ends: what was noted of it so far does not count.
    fn warmed_up(&mut self, now: u64, work: usize);

    /// Whether it has seen enough: the run then stops where it is.
    fn is_stopped(&self) -> bool {
        false
    }

    /// What it wants to be told besides beginnings and ends of requests; what nobody wants costs nothing.
    fn watched(&self) -> Watched {
        Watched::STEPS
    }

    /// From `from` to `to` each flow of a class moved at `rate` (2^-16 bytes per second); told for every class that has
    /// flows, each time that anything changes.
    fn motion(&mut self, from: u64, to: u64, class: usize, rate: u64) {
        let _ = (from, to, class, rate);
    }
}

/// Notes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nobody;

impl Observer for Nobody {
    fn watched(&self) -> Watched {
        Watched::NOTHING
    }

    fn moment(&mut self, _: u64, _: Who, _: Moment) {}
    fn warmed_up(&mut self, _: u64, _: usize) {}
}

/// An observer that may be absent.
impl<A: Observer> Observer for Option<A> {
    fn watched(&self) -> Watched {
        self.as_ref().map_or(Watched::NOTHING, Observer::watched)
    }

    fn motion(&mut self, from: u64, to: u64, class: usize, rate: u64) {
        if let Some(observer) = self {
            observer.motion(from, to, class, rate);
        }
    }
    fn moment(&mut self, now: u64, who: Who, moment: Moment) {
        if let Some(observer) = self {
            observer.moment(now, who, moment);
        }
    }
    fn warmed_up(&mut self, now: u64, work: usize) {
        if let Some(observer) = self {
            observer.warmed_up(now, work);
        }
    }
    fn is_stopped(&self) -> bool {
        self.as_ref().is_some_and(Observer::is_stopped)
    }
}

/// Two observers side by side.
impl<A: Observer, B: Observer> Observer for (A, B) {
    fn watched(&self) -> Watched {
        let (a, b) = (self.0.watched(), self.1.watched());
        Watched { steps: a.steps || b.steps, motion: a.motion || b.motion }
    }

    fn motion(&mut self, from: u64, to: u64, class: usize, rate: u64) {
        self.0.motion(from, to, class, rate);
        self.1.motion(from, to, class, rate);
    }
    fn moment(&mut self, now: u64, who: Who, moment: Moment) {
        self.0.moment(now, who, moment);
        self.1.moment(now, who, moment);
    }
    fn warmed_up(&mut self, now: u64, work: usize) {
        self.0.warmed_up(now, work);
        self.1.warmed_up(now, work);
    }
    fn is_stopped(&self) -> bool {
        self.0.is_stopped() || self.1.is_stopped()
    }
}

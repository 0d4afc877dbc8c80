//! What binds: every instant of every request is charged to a cause.
//!
//! Knows who is delayed, in motion or in line, and who holds what. Must not know sizes, rates or the calendar.
//!
//! A request in a delay is charged to the delay; one in motion to what sets its pace; one in line for a pool to what the
//! pool's holders are charged with at that instant, split equally. To look that up for every waiter at every instant
//! would be slow, so it is turned round: a waiter adds its weight, split equally, to the holders, who then charge more than
//! their own time. A holder may itself be in line elsewhere; then the weight goes on to the holders there.
//!
//! Weights are integers in units of 2^-32 request, one for each account. They rest where their requests are: at a cause, in
//! a flow class or in a line. A pool remembers what each of its holders carries for it, so that what was added is taken away
//! again exactly, and how many of them rest where, so that a change of its line touches places and not holders.

use crate::share::PARTS;

/// The weight of one request.
const ONE: i64 = 1 << 32;

/// What a request is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nothing, or between two things at one instant.
    Between,
    /// In a delay or in nobody's way: charged to a cause.
    Charged(usize),
    /// In motion in a flow class.
    Moving(usize),
    /// In line for a pool.
    InLine(usize),
}

/// How a request's own time was spent, in picoseconds, by account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spent {
    /// In line.
    pub line: u128,
    /// In delays.
    pub setup: u128,
    /// In motion.
    pub moving: u128,
}

/// What some accounts were charged with by some time.
#[derive(Clone, Debug)]
pub struct Ledger {
    at: u64,
    charges: Vec<i128>,
    spent: Vec<Spent>,
}

#[derive(Clone, Debug)]
struct Request {
    state: State,
    since: u64,
    account: usize,
    /// The pools that it holds places of.
    held: Vec<usize>,
}

/// The ledger of causes. An account is a leg of a work; causes are numbered by the caller.
#[derive(Debug)]
pub struct Attribution {
    accounts: usize,
    causes: usize,
    classes: usize,
    /// Weight times picoseconds, by account and cause, as far as it has been settled.
    charges: Vec<i128>,
    spent: Vec<Spent>,
    requests: Vec<Request>,
    /// What rests at each place, by account. Places are the causes, then the classes, then the lines.
    resting: Vec<Resting>,
    /// What sets the pace of each class.
    pacers: Vec<Pacer>,
    /// The line of each pool.
    lines: Vec<Line>,
}

/// Weight at a place, and what it has not been charged with yet: each change of the weight is taken away at its time, so that
/// adding the weight at the time of settling gives weight times picoseconds.
#[derive(Clone, Copy, Debug, Default)]
struct Resting {
    weight: i64,
    unsettled: i128,
}

impl Resting {
    fn add(&mut self, more: i64, now: u64) {
        self.weight += more;
        self.unsettled -= more as i128 * now as i128;
    }

    fn settle(&mut self, now: u64) -> i128 {
        let upto = self.weight as i128 * now as i128;
        upto + std::mem::replace(&mut self.unsettled, -upto)
    }
}

/// What the time of a class's flows is charged to: a cause, and some parts of it (in [`PARTS`]) to another one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pacer {
    cause: usize,
    soft: Option<(usize, u32)>,
}

impl Pacer {
    /// Splits a charge: causes with what is theirs of it.
    fn split(self, all: i128) -> [(usize, i128); 2] {
        let (other, parts) = self.soft.unwrap_or((self.cause, 0));
        let taken = all / PARTS as i128 * parts as i128;
        [(self.cause, all - taken), (other, taken)]
    }
}

#[derive(Clone, Debug)]
struct Line {
    holders: i64,
    /// How many are in line.
    waiting: i64,
    /// How many of the holders rest at which place; those between two things rest nowhere.
    at: Vec<(usize, i64)>,
    /// What each holder carries of the line's weight, by account, and whether that is anything.
    share: Vec<i64>,
    is_carried: bool,
    /// Whether its weight is being split right now. A holder that is in line for more of the same pool, or for a pool whose
    /// holders wait for this one, would hand the weight round for ever: it waits for the next split instead.
    splitting: bool,
}

impl Line {
    /// So many more (or fewer) of the holders rest at a place.
    fn move_holders(&mut self, place: usize, more: i64) {
        match self.at.iter().position(|&(other, _)| other == place) {
            Some(index) => {
                self.at[index].1 += more;
                if self.at[index].1 == 0 {
                    self.at.swap_remove(index);
                }
            }
            None => self.at.push((place, more)),
        }
    }
}

impl Attribution {
    /// An empty ledger.
    pub fn new(accounts: usize, causes: usize, classes: usize, pools: usize) -> Attribution {
        let share = vec![0; accounts];
        let line = Line { holders: 0, waiting: 0, at: Vec::new(), share, is_carried: false, splitting: false };
        Attribution {
            accounts,
            causes,
            classes,
            charges: vec![0; accounts * causes],
            spent: vec![Spent::default(); accounts],
            requests: Vec::new(),
            resting: vec![Resting::default(); (causes + classes + pools) * accounts],
            pacers: vec![Pacer::default(); classes],
            lines: vec![line; pools],
        }
    }

    /// Makes room for one more request.
    pub fn add_request(&mut self) {
        self.requests.push(Request { state: State::Between, since: 0, account: 0, held: Vec::new() });
    }

    /// The request is delayed by a cause.
    pub fn delayed(&mut self, who: u32, account: usize, cause: usize, now: u64) {
        self.change(who, account, State::Charged(cause), now);
    }

    /// The request's bytes move in a class.
    pub fn moving(&mut self, who: u32, account: usize, class: usize, now: u64) {
        self.change(who, account, State::Moving(class), now);
    }

    /// The request is in line for a pool.
    pub fn in_line(&mut self, who: u32, account: usize, pool: usize, now: u64) {
        self.change(who, account, State::InLine(pool), now);
    }

    /// The request is between two things.
    pub fn between(&mut self, who: u32, now: u64) {
        let account = self.requests[who as usize].account;
        self.change(who, account, State::Between, now);
    }

    /// The request holds places of a pool from now on.
    pub fn holds(&mut self, who: u32, pool: usize, now: u64) {
        self.weigh(who, -1, now);
        self.requests[who as usize].held.push(pool);
        self.lines[pool].holders += 1;
        self.weigh(who, 1, now);
        self.split(pool, now);
    }

    /// The request holds them no longer.
    pub fn gives_back(&mut self, who: u32, pool: usize, now: u64) {
        self.weigh(who, -1, now);
        let held = &mut self.requests[who as usize].held;
        if let Some(place) = held.iter().rposition(|&one| one == pool) {
            held.swap_remove(place);
            self.lines[pool].holders -= 1;
        }
        self.weigh(who, 1, now);
        self.split(pool, now);
    }

    /// The holders of a pool.
    pub fn holders(&self, pool: usize) -> Vec<u32> {
        let holds = |who: &u32| self.requests[*who as usize].held.contains(&pool);
        (0..self.requests.len() as u32).filter(holds).collect()
    }

    /// From now on a cause sets the pace of a class, and another takes some parts (in [`PARTS`]) of its flows' time.
    pub fn paced(&mut self, class: usize, cause: usize, soft: Option<(usize, u32)>, now: u64) {
        let pacer = Pacer { cause, soft };
        if self.pacers[class] != pacer {
            self.settle(self.causes + class, now);
            self.pacers[class] = pacer;
        }
    }

    /// Charges an account without any request.
    pub fn charge(&mut self, account: usize, cause: usize, elapsed: u64) {
        self.charges[account * self.causes + cause] += ONE as i128 * elapsed as i128;
    }

    /// What an account was charged with by a cause, in seconds, up to when everybody was charged last.
    pub fn charged_s(&self, account: usize, cause: usize) -> f64 {
        self.charges[account * self.causes + cause] as f64 / ONE as f64 / 1e12
    }

    /// How the requests of an account spent their time.
    pub fn spent(&self, account: usize) -> Spent {
        self.spent[account]
    }

    /// Forgets what was charged to some accounts before now.
    pub fn forget(&mut self, accounts: std::ops::Range<usize>, now: u64) {
        self.settle_all(now);
        self.charges[accounts.start * self.causes..accounts.end * self.causes].fill(0);
        self.spent[accounts].fill(Spent::default());
    }

    /// What some accounts were charged with up to now.
    pub fn ledger(&mut self, accounts: std::ops::Range<usize>, now: u64) -> Ledger {
        self.settle_all(now);
        let charges = self.charges[accounts.start * self.causes..accounts.end * self.causes].to_vec();
        Ledger { at: now, charges, spent: self.spent[accounts].to_vec() }
    }

    /// Charges some accounts for `more` picoseconds as they were charged for those from a ledger until now.
    pub fn stretch(&mut self, accounts: std::ops::Range<usize>, since: &Ledger, more: u64, now: u64) {
        self.settle_all(now);
        let elapsed = now - since.at;
        let longer = |then: i128, now: i128| now + stretched(now - then, elapsed, more);
        let charges = &mut self.charges[accounts.start * self.causes..accounts.end * self.causes];
        charges.iter_mut().zip(&since.charges).for_each(|(now, &then)| *now = longer(then, *now));
        let longer = |then: u128, now: u128| longer(then as i128, now as i128) as u128;
        for (now, then) in self.spent[accounts].iter_mut().zip(&since.spent) {
            now.line = longer(then.line, now.line);
            now.setup = longer(then.setup, now.setup);
            now.moving = longer(then.moving, now.moving);
        }
    }

    /// Charges everybody up to now.
    pub fn settle_all(&mut self, now: u64) {
        (0..self.requests.len()).for_each(|who| self.spend(who, now));
        (0..self.causes + self.classes).for_each(|place| self.settle(place, now));
    }

    fn change(&mut self, who: u32, account: usize, state: State, now: u64) {
        self.spend(who as usize, now);
        self.weigh(who, -1, now);
        let request = &mut self.requests[who as usize];
        request.state = state;
        request.account = account;
        self.weigh(who, 1, now);
    }

    /// Notes how a request spent its time since that was last noted.
    fn spend(&mut self, who: usize, now: u64) {
        let Request { state, account, since, .. } = &mut self.requests[who];
        let elapsed = (now - std::mem::replace(since, now)) as u128;
        let spent = &mut self.spent[*account];
        match state {
            State::Between => {}
            State::Moving(_) => spent.moving += elapsed,
            State::InLine(_) => spent.line += elapsed,
            State::Charged(_) => spent.setup += elapsed,
        }
    }

    /// Charges what rests at a cause or in a class up to now. What rests in a line is charged where its holders are.
    fn settle(&mut self, place: usize, now: u64) {
        let at_cause = Pacer { cause: place, soft: None };
        let pacer = place.checked_sub(self.causes).map_or(at_cause, |class| self.pacers[class]);
        for account in 0..self.accounts {
            let charge = self.resting[place * self.accounts + account].settle(now);
            if charge != 0 {
                pacer
                    .split(charge)
                    .iter()
                    .for_each(|(cause, part)| self.charges[account * self.causes + cause] += part);
            }
        }
    }

    /// Where a request's weight rests.
    fn place(&self, state: State) -> Option<usize> {
        match state {
            State::Between => None,
            State::Charged(cause) => Some(cause),
            State::Moving(class) => Some(self.causes + class),
            State::InLine(pool) => Some(self.causes + self.classes + pool),
        }
    }

    /// Adds (1) or takes away (-1) a request's whole weight where its state puts it: its own and what it carries.
    fn weigh(&mut self, who: u32, sign: i64, now: u64) {
        let request = &self.requests[who as usize];
        let (state, account) = (request.state, request.account);
        let Some(place) = self.place(state) else { return };
        let here = place * self.accounts;
        let resting = &mut self.resting[here..here + self.accounts];
        resting[account].add(sign * ONE, now);
        for &pool in &request.held {
            let line = &mut self.lines[pool];
            line.move_holders(place, sign);
            if line.is_carried {
                let shares = resting.iter_mut().zip(&line.share).filter(|(_, share)| **share != 0);
                shares.for_each(|(resting, share)| resting.add(sign * share, now));
            }
        }
        if let State::InLine(pool) = state {
            self.lines[pool].waiting += sign;
            self.split(pool, now);
        }
    }

    /// Splits the weight of a pool's line equally over its holders anew.
    fn split(&mut self, pool: usize, now: u64) {
        let line = &mut self.lines[pool];
        let is_idle = line.waiting == 0 && !line.is_carried;
        if is_idle || std::mem::replace(&mut line.splitting, true) {
            return;
        }
        let at = std::mem::take(&mut line.at);
        let mut changed = false;
        for account in 0..self.accounts {
            let more = self.share_anew(pool, account);
            changed |= more != 0;
            if more != 0 {
                at.iter()
                    .for_each(|&(place, count)| self.resting[place * self.accounts + account].add(more * count, now));
            }
        }
        let lines = self.causes + self.classes;
        for &(place, _) in at.iter().filter(|&&(place, _)| changed && place >= lines) {
            self.split(place - lines, now);
        }
        let line = &mut self.lines[pool];
        line.at = at;
        line.is_carried = line.share.iter().any(|&share| share != 0);
        line.splitting = false;
    }

    /// What each holder of a pool carries for an account, found anew; how much more that is.
    fn share_anew(&mut self, pool: usize, account: usize) -> i64 {
        let weight = self.resting[(self.causes + self.classes + pool) * self.accounts + account].weight;
        let line = &mut self.lines[pool];
        let share = if weight == 0 || line.holders == 0 { 0 } else { weight / line.holders };
        share - std::mem::replace(&mut line.share[account], share)
    }
}

/// What a charge in `elapsed` picoseconds comes to in `more`, rounded down.
fn stretched(charge: i128, elapsed: u64, more: u64) -> i128 {
    let (elapsed, more) = (elapsed.max(1) as i128, more as i128);
    charge / elapsed * more + charge % elapsed * more / elapsed
}

//! What binds: every instant of every request is charged to a cause.
//!
//! Knows who is delayed, in motion or in line, and who holds what. Must not know sizes, rates or the calendar.
//!
//! A request in a delay is charged to the delay; one in motion to what sets its pace; one in line for a pool to what the
//! pool's holders are charged with at that instant, split equally. To look that up for every waiter at every instant
//! would be slow, so it is turned round: a waiter adds its weight, split equally, to the holders, who then charge more than
//! their own time. A holder may itself be in line elsewhere; then the weight goes on to the holders there.
//!
//! Weights are integers in units of 2^-32 request, one for each account, and a pool remembers what each of its holders
//! carries for it, so that what was added is taken away again exactly.

use super::share::PARTS;

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

#[derive(Clone, Debug)]
struct Request {
    state: State,
    since: u64,
    account: usize,
}

/// The ledger of causes. An account is a leg of a work; causes are numbered by the caller.
#[derive(Debug)]
pub struct Blame {
    accounts: usize,
    causes: usize,
    /// Weight times picoseconds, by account and cause.
    charges: Vec<u128>,
    spent: Vec<Spent>,
    requests: Vec<Request>,
    /// What each request carries for those in line behind it, by account.
    carried: Vec<i64>,
    /// The weight of the flows of each class, by account.
    class_weights: Vec<i64>,
    /// The line of each pool.
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    holders: Vec<u32>,
    /// The weight of all in line, by account.
    weight: Vec<i64>,
    /// What each holder carries of it, by account.
    share: Vec<i64>,
    /// Whether its weight is being split right now. A holder that is in line for more of the same pool, or for a pool whose
    /// holders wait for this one, would hand the weight round for ever: it waits for the next split instead.
    splitting: bool,
}

impl Blame {
    /// An empty ledger.
    pub fn new(accounts: usize, causes: usize, classes: usize, pools: usize) -> Blame {
        let line = Line { holders: Vec::new(), weight: vec![0; accounts], share: vec![0; accounts], splitting: false };
        Blame {
            accounts,
            causes,
            charges: vec![0; accounts * causes],
            spent: vec![Spent::default(); accounts],
            requests: Vec::new(),
            carried: Vec::new(),
            class_weights: vec![0; classes * accounts],
            lines: vec![line; pools],
        }
    }

    /// Makes room for one more request.
    pub fn add_request(&mut self) {
        self.requests.push(Request { state: State::Between, since: 0, account: 0 });
        self.carried.extend(std::iter::repeat_n(0, self.accounts));
    }

    /// The request is delayed by a cause.
    pub fn delayed(&mut self, who: u32, account: usize, cause: usize, now: u64) {
        self.change(who, account, State::Charged(cause), now);
    }

    /// The request's bytes move in a class. The class must have been charged up to now.
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
        self.lines[pool].holders.push(who);
        for account in 0..self.accounts {
            let share = self.lines[pool].share[account];
            self.carry(who, account, share, now);
        }
        self.split(pool, now);
    }

    /// The request holds them no longer.
    pub fn gives_back(&mut self, who: u32, pool: usize, now: u64) {
        let holders = &mut self.lines[pool].holders;
        if let Some(place) = holders.iter().position(|&holder| holder == who) {
            holders.swap_remove(place);
        }
        for account in 0..self.accounts {
            let share = self.lines[pool].share[account];
            self.carry(who, account, -share, now);
        }
        self.split(pool, now);
    }

    /// The holders of a pool.
    pub fn holders(&self, pool: usize) -> &[u32] {
        &self.lines[pool].holders
    }

    /// The flows of a class have moved for `elapsed` picoseconds at a pace set by `cause`, and some parts of that (in
    /// [`PARTS`]) were taken by another cause.
    pub fn charge_class(&mut self, class: usize, cause: usize, soft: Option<(usize, u32)>, elapsed: u64) {
        for account in 0..self.accounts {
            let weight = self.class_weights[class * self.accounts + account];
            if weight != 0 {
                let all = weight as u128 * elapsed as u128;
                let taken = soft.map_or(0, |(_, parts)| all / PARTS as u128 * parts as u128);
                self.charges[account * self.causes + cause] += all - taken;
                if let Some((other, _)) = soft {
                    self.charges[account * self.causes + other] += taken;
                }
            }
        }
    }

    /// Charges an account without any request.
    pub fn charge(&mut self, account: usize, cause: usize, elapsed: u64) {
        self.charges[account * self.causes + cause] += ONE as u128 * elapsed as u128;
    }

    /// What an account was charged with by a cause, in seconds.
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

    /// Charges everybody up to now.
    pub fn settle_all(&mut self, now: u64) {
        (0..self.requests.len()).for_each(|who| self.settle(who, now));
    }

    fn change(&mut self, who: u32, account: usize, state: State, now: u64) {
        self.settle(who as usize, now);
        self.weigh(who, -1, now);
        let request = &mut self.requests[who as usize];
        request.state = state;
        request.account = account;
        self.weigh(who, 1, now);
    }

    /// Charges a request's time since it was last charged.
    fn settle(&mut self, who: usize, now: u64) {
        let Request { state, since, account } = self.requests[who];
        let elapsed = now - since;
        self.requests[who].since = now;
        if elapsed == 0 {
            return;
        }
        let spent = &mut self.spent[account];
        match state {
            State::Between => {}
            State::Moving(_) => spent.moving += elapsed as u128,
            State::InLine(_) => spent.line += elapsed as u128,
            State::Charged(cause) => {
                spent.setup += elapsed as u128;
                self.charge_carried(who, account, cause, elapsed);
            }
        }
    }

    fn charge_carried(&mut self, who: usize, own: usize, cause: usize, elapsed: u64) {
        for account in 0..self.accounts {
            let own = if account == own { ONE } else { 0 };
            let weight = self.carried[who * self.accounts + account] + own;
            if weight != 0 {
                self.charges[account * self.causes + cause] += weight as u128 * elapsed as u128;
            }
        }
    }

    /// Adds (1) or takes away (-1) a request's whole weight where its state puts it.
    fn weigh(&mut self, who: u32, sign: i64, now: u64) {
        let Request { state, account: own, .. } = self.requests[who as usize];
        if !matches!(state, State::Moving(_) | State::InLine(_)) {
            return;
        }
        for account in 0..self.accounts {
            let own = if account == own { ONE } else { 0 };
            let weight = self.carried[who as usize * self.accounts + account] + own;
            self.put(state, account, sign * weight);
        }
        if let State::InLine(pool) = state {
            self.split(pool, now);
        }
    }

    fn put(&mut self, state: State, account: usize, weight: i64) {
        match state {
            State::Moving(class) => self.class_weights[class * self.accounts + account] += weight,
            State::InLine(pool) => self.lines[pool].weight[account] += weight,
            State::Between | State::Charged(_) => {}
        }
    }

    /// Splits the weight of a pool's line equally over its holders anew.
    fn split(&mut self, pool: usize, now: u64) {
        if std::mem::replace(&mut self.lines[pool].splitting, true) {
            return;
        }
        let count = self.lines[pool].holders.len() as i64;
        for account in 0..self.accounts {
            let line = &mut self.lines[pool];
            let share = if count == 0 { 0 } else { line.weight[account] / count };
            let more = share - line.share[account];
            line.share[account] = share;
            if more != 0 {
                for index in 0..self.lines[pool].holders.len() {
                    let holder = self.lines[pool].holders[index];
                    self.carry(holder, account, more, now);
                }
            }
        }
        self.lines[pool].splitting = false;
    }

    /// A request carries more (or less) for those behind it.
    fn carry(&mut self, who: u32, account: usize, more: i64, now: u64) {
        if more == 0 {
            return;
        }
        self.settle(who as usize, now);
        self.carried[who as usize * self.accounts + account] += more;
        let state = self.requests[who as usize].state;
        self.put(state, account, more);
        if let State::InLine(pool) = state {
            self.split(pool, now);
        }
    }
}

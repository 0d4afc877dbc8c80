//! How long each of some things was full.
//!
//! Knows when each becomes full. Must not know what they are.

/// How long each of some things was full, shared equally with the others that were full at the same time.
#[derive(Clone, Debug, Default)]
pub struct Full {
    /// How many are full.
    pub count: u32,
    /// Goes by one picosecond for each that passes, divided by `count`.
    clock: f64,
    /// What the clock read when each became full (`None`: it is not), and what it has so far.
    things: Vec<(Option<f64>, f64)>,
}

impl Full {
    /// Nothing has been full.
    pub fn new(things: usize) -> Full {
        Full { things: vec![(None, 0.0); things], ..Full::default() }
    }

    /// So many picoseconds pass.
    pub fn pass(&mut self, elapsed: f64) {
        if self.count > 0 {
            self.clock += elapsed / f64::from(self.count);
        }
    }

    /// A thing becomes full or is no longer. The clock is at now.
    pub fn turn(&mut self, thing: usize, full: bool) {
        let (since, sum) = &mut self.things[thing];
        match (full, since.take()) {
            (true, None) => {
                *since = Some(self.clock);
                self.count += 1;
            }
            (false, Some(begun)) => {
                *sum += self.clock - begun;
                self.count -= 1;
            }
            (_, before) => *since = before,
        }
    }

    /// What each has up to now.
    pub fn sums(&self) -> impl Iterator<Item = f64> + '_ {
        self.things.iter().map(|(since, sum)| sum + since.map_or(0.0, |begun| self.clock - begun))
    }

    /// Gives each another sum.
    pub fn set(&mut self, sums: &[f64]) {
        for ((since, sum), &new) in self.things.iter_mut().zip(sums) {
            *sum = new;
            *since = since.map(|_| self.clock);
        }
    }
}

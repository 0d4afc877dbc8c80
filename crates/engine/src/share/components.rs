//! Which classes depend on each other, and a solver of these alone.
//!
//! Knows crossings. Must not know rates.

use super::{Class, Shared, Solver, Weighed};

impl Solver {
    /// The classes in components: those that share a capacity, directly or through others.
    pub fn components(&self) -> Vec<Vec<usize>> {
        let mut of: Vec<usize> = (0..self.classes.len()).collect();
        fn root(of: &mut [usize], mut class: usize) -> usize {
            while of[class] != class {
                of[class] = of[of[class]];
                class = of[class];
            }
            class
        }
        let mut first: Vec<Option<usize>> = vec![None; self.capacities.len()];
        for class in 0..self.classes.len() {
            for capacity in self.classes[class].capacities().collect::<Vec<_>>() {
                let other = *first[capacity].get_or_insert(class);
                let (a, b) = (root(&mut of, class), root(&mut of, other));
                of[a.max(b)] = a.min(b);
            }
        }
        let mut number = vec![usize::MAX; self.classes.len()];
        let mut components: Vec<Vec<usize>> = Vec::new();
        for class in 0..self.classes.len() {
            let top = root(&mut of, class);
            if number[top] == usize::MAX {
                number[top] = components.len();
                components.push(Vec::new());
            }
            components[number[top]].push(class);
        }
        components
    }

    /// A solver of some of the classes, which share no capacity with the others.
    pub fn part(&self, classes: &[usize]) -> Solver {
        let mut crossed: Vec<usize> = classes.iter().flat_map(|&class| self.classes[class].capacities()).collect();
        crossed.sort_unstable();
        crossed.dedup();
        let place = |capacity: usize| crossed.partition_point(|&other| other < capacity);
        let here = |class: &Class| Class {
            crossings: class.crossings.iter().map(|&(capacity, charge)| (place(capacity), charge)).collect(),
            soft: class.soft.iter().map(|&(capacity, charge, kind)| (place(capacity), charge, kind)).collect(),
            weighed: class.weighed.map(|weighed| Weighed { memory: place(weighed.memory), ..weighed }),
            ..class.clone()
        };
        let capacities = crossed.iter().map(|&one| Shared { classes: Vec::new(), ..self.capacities[one].clone() });
        Solver::over(capacities.collect(), classes.iter().map(|&class| here(&self.classes[class])).collect())
    }
}

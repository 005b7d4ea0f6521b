//! How many iterations a worksharing loop had in its visits. Most loops have the same number in
//! many visits one after the other, so a node keeps the number of the last visit, and from which
//! visit on it has been the same: an event of such a run compares, and changes nothing. The sums
//! are those of the runs before. They lie in fields of the node that a loop needs for nothing else.

use crate::Node;

/// The number of iterations where it is not known.
pub const UNKNOWN_ITERATIONS: i64 = -1;

/// What the visits of a loop sum to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Iterations {
    /// Iterations of all visits whose number is known.
    pub sum: u64,
    /// These visits.
    pub known_visits: u64,
    /// The smallest number; 0 without such a visit.
    pub min: u64,
    /// The largest.
    pub max: u64,
}

impl Iterations {
    /// Adds `visits` with `count` iterations each.
    fn add(&mut self, count: i64, visits: u64) {
        let Ok(count) = u64::try_from(count) else { return };
        if visits > 0 {
            let sum = count.saturating_mul(visits);
            self.join(&Iterations { sum, known_visits: visits, min: count, max: count });
        }
    }

    /// Adds other visits.
    pub fn join(&mut self, other: &Iterations) {
        self.min = match (self.known_visits, other.known_visits) {
            (0, _) => other.min,
            (_, 0) => self.min,
            _ => self.min.min(other.min),
        };
        self.max = self.max.max(other.max);
        self.sum = self.sum.saturating_add(other.sum);
        self.known_visits = self.known_visits.saturating_add(other.known_visits);
    }
}

impl Node {
    /// Whether the loop's last visit had this number of iterations. (The complement is stored, so
    /// that a new node has an unknown number.)
    #[inline(always)]
    pub fn has_iterations(&self, count: i64) -> bool {
        self.wait_ticks == !count as u64
    }

    /// The visit that was counted last has this number of iterations.
    pub fn note_iterations(&mut self, count: i64) {
        if !self.has_iterations(count) {
            self.begin_iterations(count, self.visits.saturating_sub(1));
        }
    }

    /// Visits from here on have an unknown number of iterations.
    pub fn forget_iterations(&mut self) {
        if !self.has_iterations(UNKNOWN_ITERATIONS) {
            self.begin_iterations(UNKNOWN_ITERATIONS, self.visits);
        }
    }

    /// After the first `before` visits, each visit has `count` iterations.
    fn begin_iterations(&mut self, count: i64, before: u64) {
        let Iterations { sum, known_visits, min, max } = self.iterations_until(before);
        (self.created, self.undeferred, self.fork_ticks, self.delay_ticks) =
            (sum, known_visits, min, max);
        (self.wait_ticks, self.task_switches) = (!count as u64, before);
    }

    /// The iterations of all visits, where the node is a loop's.
    pub fn iterations(&self) -> Iterations {
        self.iterations_until(self.visits)
    }

    /// Takes the iterations out of a loop's node: the fields that they lie in are 0 then.
    pub fn take_iterations(&mut self) -> Iterations {
        let iterations = self.iterations();
        (self.created, self.undeferred, self.fork_ticks, self.delay_ticks) = (0, 0, 0, 0);
        (self.wait_ticks, self.task_switches) = (0, 0);
        iterations
    }

    fn iterations_until(&self, visits: u64) -> Iterations {
        let (sum, known_visits) = (self.created, self.undeferred);
        let mut all = Iterations { sum, known_visits, min: self.fork_ticks, max: self.delay_ticks };
        all.add(!self.wait_ticks as i64, visits.saturating_sub(self.task_switches));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_of_visits_add_up() {
        let mut node = Node::default();
        let mut shown = String::new();
        for count in [7, 7, 0, UNKNOWN_ITERATIONS, UNKNOWN_ITERATIONS, 3, 3, 3, i64::MAX, 9] {
            node.visits += 1;
            node.note_iterations(count);
            let Iterations { sum, known_visits, min, max } = node.iterations();
            shown += &format!("{count}: {sum} in {known_visits}, {min} to {max}\n");
        }
        expect_test::expect![[r#"
            7: 7 in 1, 7 to 7
            7: 14 in 2, 7 to 7
            0: 14 in 3, 0 to 7
            -1: 14 in 3, 0 to 7
            -1: 14 in 3, 0 to 7
            3: 17 in 4, 0 to 7
            3: 20 in 5, 0 to 7
            3: 23 in 6, 0 to 7
            9223372036854775807: 9223372036854775830 in 7, 0 to 9223372036854775807
            9: 9223372036854775839 in 8, 0 to 9223372036854775807
        "#]]
        .assert_eq(&shown);
    }

    #[test]
    fn a_node_without_a_number_knows_none() {
        let node = Node { visits: 5, ..Node::default() };
        assert_eq!(node.iterations(), Iterations::default());
    }
}

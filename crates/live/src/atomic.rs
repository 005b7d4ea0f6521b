//! What the timed visits of an atomic construct tell about other threads. It lies in fields of the
//! node that an atomic construct needs for nothing else.

use crate::Node;

/// A visit whose memory came from another core takes at least this many times as long as one
/// without other threads: the way between two cores is longer than an update and the two readings
/// of the clock. Less is the computation before the update, or the steps of the clock.
const FROM_ANOTHER_CORE: u64 = 2;

impl Node {
    /// Adds a visit that was timed: `took` ticks, and `alone` ticks an atomic on memory of the
    /// thread's own at the same time.
    pub fn note_timed_atomic(&mut self, took: u64, alone: u64) {
        // The complement is stored, so that a new node has the longest time.
        self.fork_ticks = self.fork_ticks.max(!took);
        self.delay_ticks = self.delay_ticks.max(!alone);
        let computes = (!self.fork_ticks).saturating_sub(!self.delay_ticks);
        let updates = took.saturating_sub(computes);
        if updates >= FROM_ANOTHER_CORE.saturating_mul(alone) {
            self.wait_ticks += updates - alone;
        }
        self.undeferred += 1;
    }

    /// How many visits were timed, and how many ticks they took longer because of other threads.
    /// The fields are as in a node of another construct afterwards.
    pub fn take_timed_atomics(&mut self) -> (u64, u64) {
        (self.fork_ticks, self.delay_ticks) = (0, 0);
        (std::mem::take(&mut self.undeferred), std::mem::take(&mut self.wait_ticks))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn longer(visits: &[(u64, u64)]) -> (u64, u64) {
        let mut node = Node::default();
        visits.iter().for_each(|&(took, alone)| node.note_timed_atomic(took, alone));
        let result = node.take_timed_atomics();
        assert_eq!([node.fork_ticks, node.delay_ticks, node.undeferred, node.wait_ticks], [0; 4]);
        result
    }

    #[test]
    fn steps_of_the_clock_and_computation_are_no_contention() {
        assert_eq!(longer(&[(52, 52), (78, 52), (52, 78)]), (3, 0));
        assert_eq!(longer(&[(500, 52), (500, 52), (520, 52)]), (3, 0));
    }

    #[test]
    fn what_comes_from_another_core_takes_longer() {
        assert_eq!(longer(&[(50, 50), (100, 50), (300, 50)]), (3, 50 + 250));
        // The statement computes for 400 ticks.
        assert_eq!(longer(&[(450, 50), (700, 50)]), (2, 250));
    }
}

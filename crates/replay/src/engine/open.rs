//! What matchers still wait for, and which calls of MPI it may concern: calls whose waiting is not
//! known, and calls that may turn out to be the cause of a wait.

use pompeii_model::LocationId;

/// Times in calls of MPI: when a call was entered, or when it began its part of an operation.
#[derive(Debug, Default)]
pub struct Open {
    waiting: Vec<(LocationId, u64)>,
    causing: Vec<(LocationId, u64)>,
}

impl Open {
    /// Whether the call has waited is not known.
    pub fn waiting(&mut self, location: LocationId, time: u64) {
        self.waiting.push((location, time));
    }

    /// A wait may turn out to be one for this call.
    pub fn causing(&mut self, location: LocationId, time: u64) {
        self.causing.push((location, time));
    }

    /// All has been added.
    pub fn sort(&mut self) {
        self.waiting.sort_unstable();
        self.causing.sort_unstable();
        self.causing.dedup();
    }

    /// All calls of which a wait may turn out to be one for them.
    pub(crate) fn all_causing(&self) -> &[(LocationId, u64)] {
        &self.causing
    }

    /// Whether a call is among those whose waiting is not known.
    pub fn has_waiting(&self, location: LocationId, from: u64, to: u64) -> bool {
        let next = self.waiting.partition_point(|it| *it < (location, from));
        self.waiting.get(next).is_some_and(|it| *it <= (location, to))
    }

    /// The calls of a location of which a wait may turn out to be one for them.
    pub(crate) fn causing_of(&self, location: LocationId) -> Causing<'_> {
        let before = self.causing.partition_point(|(other, _)| *other < location);
        let (_, rest) = self.causing.split_at(before);
        let own = rest.partition_point(|(other, _)| *other == location);
        Causing(rest.split_at(own).0)
    }
}

/// Times in calls of a location. Most locations have few of them, and each of their calls is looked
/// for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Causing<'a>(&'a [(LocationId, u64)]);

impl Causing<'_> {
    /// Whether a wait may turn out to be one for what happened at this time.
    pub(crate) fn has(&self, time: u64) -> bool {
        self.0.binary_search_by_key(&time, |(_, time)| *time).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_found_by_a_time_in_it() {
        let mut open = Open::default();
        open.waiting(LocationId(1), 20);
        open.waiting(LocationId(0), 50);
        open.causing(LocationId(0), 7);
        open.causing(LocationId(2), 30);
        open.causing(LocationId(2), 10);
        open.sort();
        assert!(open.has_waiting(LocationId(1), 10, 20));
        assert!(!open.has_waiting(LocationId(1), 21, 60));
        assert!(!open.has_waiting(LocationId(0), 10, 49));
        assert!(open.causing_of(LocationId(0)).has(7) && !open.causing_of(LocationId(1)).has(7));
        let causing = open.causing_of(LocationId(2));
        assert!(causing.has(10) && causing.has(30) && !causing.has(7) && !causing.has(20));
    }
}

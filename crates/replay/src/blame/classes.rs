//! Classes of waiting, at the place of waiting. Two questions divide it, each into two parts:
//!
//! * Why did the location wait? Direct: for an activity of another one. Indirect: because the other
//!   one had waited itself.
//! * What came of it? Propagating: another location waited later because of this waiting. Terminal:
//!   the waiting delayed no other location.
//!
//! Indirect waiting is what `blame/mod.rs` gives to earlier waits. If several later waits pass time
//! on to a wait, their parts overlap, so the largest of them counts as propagating. It is never
//! more than the wait itself.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::AddAssign;

use pompeii_model::{CallId, LocationId};

use crate::blame::{At, Kind};
use crate::hash::Table;
use crate::outcome::Outcome;

/// Waiting by class, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// For activities of other locations.
    pub direct: i64,
    /// Through waiting of other locations.
    pub indirect: i64,
    /// The part of all of it that made other locations wait.
    pub propagating: i64,
}

impl Classes {
    /// The part that delayed no other location.
    pub fn terminal(self) -> i64 {
        self.direct + self.indirect - self.propagating
    }
}

impl AddAssign for Classes {
    fn add_assign(&mut self, other: Self) {
        self.direct = self.direct.saturating_add(other.direct);
        self.indirect = self.indirect.saturating_add(other.indirect);
        self.propagating = self.propagating.saturating_add(other.propagating);
    }
}

/// How long a call path waited on a location in one way, by class.
pub type KindClasses = (Kind, CallId, LocationId, Classes);

/// The classes by call path, in an order that does not depend on the numbers of nodes.
pub(crate) fn sums(
    found: &Table<(At, LocationId), Classes>,
    call_of: &[CallId],
) -> Vec<KindClasses> {
    let mut sums: BTreeMap<(Kind, CallId, LocationId), Classes> = BTreeMap::new();
    for (&((node, kind), on), classes) in found {
        *sums.entry((kind, call_of[node.0 as usize], on)).or_default() += *classes;
    }
    sums.into_iter().map(|((kind, call, on), classes)| (kind, call, on, classes)).collect()
}

/// Shows the classes of a trace by call path and location.
pub fn show(outcome: &Outcome) -> String {
    let mut text = String::new();
    for &(_, call, on, classes) in &outcome.wait_classes {
        let (path, on) = (outcome.path(call), &outcome.definitions.system.locations[on].name);
        let Classes { direct, indirect, propagating } = classes;
        let terminal = classes.terminal();
        let _ = writeln!(
            text,
            "{path} on {on}: {direct} direct, {indirect} indirect; {propagating} propagating, \
             {terminal} terminal"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::tests::check_by;
    use crate::text;

    fn check(trace: &str, expect: Expect) {
        check_by(text::analyse_classes, trace, expect);
    }

    #[test]
    fn a_chain_of_messages_propagates_until_its_end() {
        // Rank 1 waits 20 ticks for `late` of rank 0. Rank 2 waits from 5 to 31 for rank 1, whose
        // activities were longer by 5 ticks of `program` and 1 of MPI_Recv, and which had waited
        // for 20: of 26 ticks 20 are indirect, and all waiting of rank 1 propagates.
        check(
            "end 60
             comm W = 0 1 2
             0 0.0 program; + MPI_Init
             0 1.0 program; + MPI_Init
             0 2.0 program; + MPI_Init
             1 0.0 -
             1 1.0 -
             1 2.0 -
             5 2.0 + MPI_Recv
             10 0.0 + late
             10 1.0 + MPI_Recv
             30 0.0 -; + MPI_Send; send 1 W 1 8; -
             31 1.0 recv 0 W 1 8; -; + MPI_Send; send 2 W 1 8; -
             32 2.0 recv 1 W 1 8; -
             60 0.0 exit
             60 1.0 exit
             60 2.0 exit",
            expect![[r#"
                program/MPI_Recv on 1.0: 20 direct, 0 indirect; 20 propagating, 0 terminal
                program/MPI_Recv on 2.0: 6 direct, 20 indirect; 0 propagating, 26 terminal
            "#]],
        );
    }

    #[test]
    fn of_several_waits_that_follow_the_longest_counts() {
        // Rank 1 waits from 10 to 30 for rank 0, which is together with it then. At the barrier
        // ranks 2 and 3 wait 25 and 10 ticks for rank 1. It was longer by 1 tick of MPI_Recv and 19
        // of `more`, and had waited for 20: of 25 ticks the cumulated shares are 0, 12 and 25, and
        // of 10 they are 0, 5 and 10. So 13 and 5 ticks are indirect, and 13 propagate. Rank 0 waits
        // 19 ticks. Rank 1 has waited for it, so both are compared since the begin: 9 ticks of
        // `program`, 1 of MPI_Recv, 19 of `more` and 20 of waiting, with the shares 3, 3, 11 and 19.
        check(
            "end 70
             comm W = 0 1 2 3
             0 0.0 program; + late
             0 1.0 program
             0 2.0 program
             0 3.0 program
             10 1.0 + MPI_Recv
             25 2.0 + MPI_Barrier; begin
             30 0.0 -; + MPI_Send; send 1 W 1 8; -
             31 0.0 + MPI_Barrier; begin
             31 1.0 recv 0 W 1 8; -; + more
             40 3.0 + MPI_Barrier; begin
             50 1.0 -; + MPI_Barrier; begin
             51 0.0 end BARRIER W - 0 0; -
             51 1.0 end BARRIER W - 0 0; -
             51 2.0 end BARRIER W - 0 0; -
             51 3.0 end BARRIER W - 0 0; -
             70 0.0 exit
             70 1.0 exit
             70 2.0 exit
             70 3.0 exit",
            expect![[r#"
                program/MPI_Recv on 1.0: 20 direct, 0 indirect; 13 propagating, 7 terminal
                program/MPI_Barrier on 0.0: 11 direct, 8 indirect; 0 propagating, 19 terminal
                program/MPI_Barrier on 2.0: 12 direct, 13 indirect; 0 propagating, 25 terminal
                program/MPI_Barrier on 3.0: 5 direct, 5 indirect; 0 propagating, 10 terminal
            "#]],
        );
    }

    #[test]
    fn threads_have_the_same_classes() {
        // Thread 0 waits from 12 to 30 for the lock. At the barrier thread 1 waits 10 ticks for
        // thread 0: 2 of `parallel`, 10 of `critical` and 18 of waiting are its causes, so the
        // cumulated shares are 0, 4 and 10.
        check(
            "end 60
             team A = 0.0 0.1
             10 0.0 fork; team A; + parallel
             10 0.1 team A; + parallel; + critical; acquire 0 1; + critical_body
             12 0.0 + critical
             30 0.1 -; release 0 1; -; + ibarrier
             30 0.0 acquire 0 2
             40 0.0 -; release 0 2; + ibarrier
             44 0.0 -; -; endteam A; join
             44 0.1 -; -; endteam A",
            expect![[r#"
                program/parallel/critical on 0.0: 18 direct, 0 indirect; 6 propagating, 12 terminal
                program/parallel/ibarrier on 0.1: 4 direct, 6 indirect; 0 propagating, 10 terminal
            "#]],
        );
    }
}

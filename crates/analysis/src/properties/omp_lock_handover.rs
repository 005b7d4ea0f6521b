//! How long a lock is free although a thread waits for it. The example of `ARCHITECTURE.md` for a
//! property that is found in a trace: a formula over one compound.

use pompeii_model::Unit;
use pompeii_replay::Compound;

use super::{Compute, Doc, Property};
use crate::trace::instances::Instance;

/// Lock handover.
pub const PROPERTY: Property = Property {
    name: "omp_lock_handover",
    title: "Lock handover",
    parent: None,
    unit: Unit::Ticks,
    compute: Compute::Found(handover),
    gain: "",
    doc: Doc {
        measures: "Time between the release of a critical section or lock and the moment when a \
            thread that waits for it has it.",
        formula: "for each acquisition: time of the acquisition - time of the release before it, \
            if the thread has waited since before the release. From traces only.",
        cost: "All threads that need the lock wait longer, although no thread is in the critical \
            section: a thread that sleeps must be woken, or a cache line moves between processors.",
        recognise: "It is large compared with omp_lock_contention_critical or \
            omp_lock_contention_api, and the critical section is short.",
        remedy: "Enter the critical section less often: let each thread collect its results, and \
            combine them once.",
        example: "A thread leaves a critical section at 10 µs. The thread that has waited since \
            4 µs enters at 12 µs: 2 µs of handover, and 6 µs of contention.",
    },
};

fn handover(compound: &Compound) -> Option<Instance> {
    let Compound::Lock(visit) = compound else { return None };
    let (released, holder) = visit.before?;
    let has_waited = visit.since < released && holder.location != visit.at.location;
    has_waited.then(|| Instance {
        at: visit.at,
        enter: released,
        leave: visit.acquired,
        ticks: visit.acquired.saturating_sub(released).cast_signed(),
        by: Some(holder),
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use crate::trace::check;

    #[test]
    fn a_lock_is_free_until_the_waiting_thread_has_it() {
        // Thread 1 waits from 4 on for thread 0, which releases at 10; it has the section at 12.
        // The second visit of thread 0 at 30 does not wait.
        check(
            "omp_lock_handover",
            "end 40
             0 0.0 program; + critical; acquire 1 1; + critical_body
             2 0.1 + f
             4 0.1 + critical
             10 0.0 -; release 1 1; -
             12 0.1 acquire 1 2; + critical_body
             20 0.1 -; release 1 2; -
             30 0.0 + critical
             31 0.0 acquire 1 3; + critical_body; -; release 1 3; -
             40 0.0 exit",
            expect![[r#"
                program/f/critical  [0, 2]
                all: 1 of 2 to 2, sum 2, quartiles [2, 2, 2], variance 0
                program/f/critical: 1 of 2 to 2, sum 2, quartiles [2, 2, 2], variance 0
                  2 on 1 from 10 to 12 by Some(("program/critical", 0))
            "#]],
        );
    }

    /// The description of findings shows this file.
    #[test]
    fn the_example_of_the_documents_is_this_code() {
        let text = include_str!("../../../../docs/dev/findings.md");
        let shown = text.split_once("## A property of your own").unwrap().1;
        let shown = shown.split_once("```rust\n").unwrap().1.split_once("```").unwrap().0;
        let (field, function) = shown.split_once("\n\n").unwrap();
        let source = include_str!("omp_lock_handover.rs");
        assert!(source.contains(&format!("    {field}\n")) && source.contains(function));
    }

    #[test]
    fn a_clock_that_puts_the_acquisition_before_the_release_gives_no_time() {
        check(
            "omp_lock_handover",
            "end 40
             0 0.0 program; + critical; acquire 1 1; + critical_body
             4 0.1 + critical
             9 0.1 acquire 1 2; + critical_body
             10 0.0 -; release 1 1; -
             20 0.1 -; release 1 2; -
             40 0.0 exit",
            expect![[r#""#]],
        );
    }

    #[test]
    fn a_lock_that_is_open_at_the_end_has_no_handover() {
        check(
            "omp_lock_handover",
            "end 40
             0 0.0 program; + critical; acquire 1 1; + critical_body
             4 0.1 + critical",
            expect![[r#""#]],
        );
    }
}

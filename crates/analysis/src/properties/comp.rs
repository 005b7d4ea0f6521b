//! The user's own work: what remains of execution when MPI, OpenMP and POSIX threads are taken
//! away.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Computation.
pub const PROPERTY: Property = Property {
    name: "comp",
    title: "Computation",
    parent: Some("execution"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| {
        let others = profile.openmp(call).plus(&profile.mpi(call)).plus(&profile.pthread(call));
        profile.time(call).minus(&others).minus(&profile.class_time(Class::Off, call))
    }),
    gain: "",
    doc: Doc {
        measures: "Time in the program's own code: loop bodies, tasks, serial parts, bodies of \
            critical and single, functions for files (io).",
        formula: "execution - mpi - omp_time - pthread_time - recording_off. The overhead of worksharing \
            constructs (distributing iterations, entering single or sections) is not measured \
            separately and is included.",
        cost: "This is the useful part. It is a loss only as far as it exceeds the time of the \
            serial program.",
        recognise: "Parallel efficiency is computation / time.",
        remedy: "Use faster algorithms, better memory access and vectorisation. This concerns the \
            code itself and not its parallelisation.",
        example: "A loop of 1,000 iterations of 1 ms each on 4 threads: 1 s of computation in \
            total, 0.25 s on each thread.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn bodies_are_work_and_constructs_are_not() {
        check(
            "comp",
            "wall=100 locations=1
             a                                                      0  time=10
             a/parallel@a.c:2                                       0  time=5 omp_management=3
             a/parallel@a.c:2/for@a.c:3                             0  time=40
             a/parallel@a.c:2/critical@a.c:5                        0  time=7
             a/parallel@a.c:2/critical@a.c:5/critical sblock@a.c:5  0  time=20
             a/parallel@a.c:2/implicit barrier@a.c:9                0  time=18",
            expect![[r#"
                a  [10]
                a/parallel  [2]
                a/parallel/for  [40]
                a/parallel/critical/critical sblock  [20]
                total 72
            "#]],
        );
    }
}

//! Threads that have nothing to do because the program is serial there, or the team is smaller.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};

/// Idle threads.
pub const PROPERTY: Property = Property {
    name: "omp_idle_threads",
    title: "Idle threads",
    parent: Some("time"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.idle(call)),
    gain: "idle time / number of threads. For a serial part of S seconds in a program with N threads \
        this is S x (1 - 1/N): the run would be shorter by this if the part ran in parallel \
        without loss.",
    doc: Doc {
        measures: "Time during which a thread is idle, because its process is outside of parallel \
            regions, or in a parallel region without this thread. It is shown at the call path \
            executed by the master meanwhile.",
        formula: "outside of parallel regions: own time of the master in the call path, for each \
            other thread of the process. At each outermost parallel region p: time of the master \
            in p - presence of the thread in p (its time and the tasks executed by it there).",
        cost: "The cores are reserved and do nothing. Serial parts limit the speedup (Amdahl's \
            law).",
        recognise: "Select this property: the call tree then shows the serial parts of the \
            program.",
        remedy: "Parallelise the largest serial part, or overlap it with other work (tasks, \
            sections). If this is not possible, use fewer threads.",
        example: "Reading input takes 0.66 s on one of 8 threads: 4.6 s idle. If it ran in \
            parallel without loss, the run would be 0.58 s shorter.",
    },
};

/// Time lines that show it.
pub const PICTURE: &str = "\
thread 0  == serial ==|== parallel ==|== serial ==
thread 1  ............|==============|............";

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn workers_are_idle_where_the_master_is_alone() {
        check(
            "omp_idle_threads",
            "wall=100 locations=3
             a                             0    time=25
             a/read@a.c:20                 0    time=15
             a/parallel@a.c:2              0-1  time=60
             a/parallel@a.c:2              2    time=50",
            expect![[r#"
                a  [0, 25, 25]
                a/read  [0, 15, 15]
                a/parallel  [0, 0, 10]
                total 90
            "#]],
        );
    }

    #[test]
    fn a_task_run_outside_of_parallel_regions_is_serial_time() {
        check(
            "omp_idle_threads",
            "wall=30 locations=2
             a                               0  time=10
             a/create task@a.c:7/task@a.c:7  0  task_time=20
             TASKS/task@a.c:7                0  time=20",
            expect![[r#"
                a  [0, 10]
                a/create task/task  [0, 20]
                total 30
            "#]],
        );
    }

    #[test]
    fn each_process_has_its_own_master() {
        check(
            "omp_idle_threads",
            "wall=10 locations=4 processes=2
             a                 0    time=4
             a                 2    time=6
             a/parallel@a.c:2  0-1  time=6
             a/parallel@a.c:2  2-3  time=4",
            expect![[r#"
                a  [0, 4, 0, 6]
                total 10
            "#]],
        );
    }
}

//! Efficiencies in the manner of POP: one number for the whole and factors that multiply to it.
//!
//! With A = wall time x threads (allocation), C = computation, W = waiting at barriers (for late
//! threads and for tasks) and I = idle time:
//!
//! | factor | definition | what it takes away |
//! |---|---|---|
//! | parallel efficiency | C / A | |
//! | load balance | C / (C + W) | waiting for threads with more work |
//! | serial parts | (A - I) / A | threads without work in serial parts or beside small teams |
//! | OpenMP overhead | (C + W) / (A - I) | fork, join, locks, task creation, barriers themselves |
//!
//! Their product is C / A exactly, and each lies between 0 and 1. The load balance is POP's average
//! / maximum of the threads' work, taken from barrier to barrier: a phase in which the threads
//! compute c1..cn lasts max(c), the waiting in it is n max(c) - sum(c), and so C / (C + W) is the
//! sum of averages / the sum of maxima. Taken over the whole run instead
//! ([`Efficiencies::thread_balance`]), a load that hits another thread in each phase would look
//! balanced.

use pompeii_model::{CallId, Cube};

use crate::Lens;

/// Efficiencies of a run, each between 0 and 1 (1 where there is nothing to lose).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Efficiencies {
    /// Computation / (wall time x threads): the product of the next three.
    pub parallel: f64,
    /// Computation / (computation + waiting at barriers).
    pub load_balance: f64,
    /// (Allocation - idle time) / allocation.
    pub serial_parts: f64,
    /// (Computation + waiting at barriers) / (allocation - idle time).
    pub openmp_overhead: f64,
    /// Average / maximum over the threads of their computation in parallel regions and tasks,
    /// taken over the whole run. Not a factor.
    pub thread_balance: f64,
}

/// The efficiencies of an analysed cube.
pub fn efficiencies(cube: &Cube) -> Efficiencies {
    let lens = Lens::new(cube);
    let allocation = cube.allocation_ticks();
    let computation = lens.total("comp");
    let waiting = ["omp_ebarrier_wait", "omp_ibarrier_wait"];
    let starving = ["omp_ebarrier_starvation", "omp_ibarrier_starvation"];
    let waiting: i64 = waiting.iter().chain(&starving).map(|name| lens.total(name)).sum();
    let busy = allocation - lens.total("omp_idle_threads");
    Efficiencies {
        parallel: ratio(computation, allocation),
        load_balance: ratio(computation, computation + waiting),
        serial_parts: ratio(busy, allocation),
        openmp_overhead: ratio(computation + waiting, busy),
        thread_balance: thread_balance(&lens),
    }
}

fn ratio(part: i64, whole: i64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

fn thread_balance(lens: &Lens) -> f64 {
    let parallels = lens.outermost_parallels();
    let in_parallel = |&call: &CallId| lens.in_task_tree(call) || parallels[call].is_some();
    let parallel: Vec<_> = lens.cube.calls.ids().filter(in_parallel).collect();
    let work = lens.by_location("comp", &parallel);
    let (sum, most) = (work.iter().sum::<i64>(), work.iter().copied().max().unwrap_or(0));
    ratio(sum, most * work.len() as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(text: &str, expect: Expect) {
        let cube = crate::derive(&crate::notation::cube(text).unwrap());
        let e = efficiencies(&cube);
        let product = e.load_balance * e.serial_parts * e.openmp_overhead;
        assert!((product - e.parallel).abs() < 1e-12, "{product} != {}", e.parallel);
        let shown = [e.parallel, e.load_balance, e.serial_parts, e.openmp_overhead];
        let shown = shown.map(|value| format!("{:.1}", value * 100.0)).join(" ");
        expect.assert_eq(&format!("{shown} | {:.1}", e.thread_balance * 100.0));
    }

    #[test]
    fn each_loss_has_its_factor() {
        check(
            "wall=100 locations=2
             a                                         0  time=40
             a/parallel@a.c:2                          0  time=60 omp_management=6
             a/parallel@a.c:2                          1  time=35 omp_management=8
             a/parallel@a.c:2/implicit barrier@a.c:9   1  time=25 omp_ibarrier_wait=20",
            expect!["60.5 85.8 80.0 88.1 | 75.0"],
        );
    }

    #[test]
    fn a_load_that_moves_is_imbalance_too() {
        check(
            "wall=20 locations=2
             a/parallel@a.c:2                          *  time=12
             a/parallel@a.c:2/implicit barrier@a.c:9   *  time=8 omp_ibarrier_wait=8",
            expect!["60.0 60.0 100.0 100.0 | 100.0"],
        );
    }

    #[test]
    fn a_serial_run_on_one_thread_loses_nothing() {
        check("wall=20 locations=1\n a  0  time=20", expect!["100.0 100.0 100.0 100.0 | 100.0"]);
    }
}

//! Efficiencies in the manner of POP: one number for the whole and factors that multiply to it.
//!
//! With A = wall time x threads (allocation, without the time in which recording was off), M = what
//! MPI takes of it (time in MPI, idle threads meanwhile, and processes that are not there), B = A -
//! M, C = computation, W = waiting at barriers of OpenMP (for late threads and for tasks) and I =
//! the other idle time; B_p / n_p is the time that process p with its n_p threads spends outside of
//! MPI, and T = A / threads:
//!
//! | factor | definition | what it takes away |
//! |---|---|---|
//! | parallel efficiency | C / A | |
//! | process balance | B / (max(B_p / n_p) x threads) | processes with less work than others |
//! | MPI communication | max(B_p / n_p) / T | MPI also where the most work is |
//! | load balance | C / (C + W) | waiting for threads with more work |
//! | serial parts | (B - I) / B | threads without work in serial parts or beside small teams |
//! | OpenMP overhead | (C + W) / (B - I) | fork, join, locks, task creation, barriers themselves |
//!
//! Their product is C / A exactly, and each lies between 0 and 1. The first two make up the
//! multiplicative hybrid model of POP (MPI parallel efficiency = load balance x communication
//! efficiency, with B_p / n_p for the master's time outside of MPI); they are 1 without MPI. The
//! load balance is POP's average / maximum of the threads' work, taken from barrier to barrier: a
//! phase in which the threads compute c1..cn lasts max(c), the waiting in it is n max(c) - sum(c),
//! and so C / (C + W) is the sum of averages / the sum of maxima. Taken over the whole run instead
//! ([`Efficiencies::thread_balance`]), a load that hits another thread in each phase would look
//! balanced.

use pompeii_model::{CallId, Cube, Ticks};

use crate::Lens;

/// Efficiencies of a run, each between 0 and 1 (1 where there is nothing to lose).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Efficiencies {
    /// Computation / (wall time x threads): the product of the next five.
    pub parallel: f64,
    /// Average / maximum over the processes of their time outside of MPI.
    pub process_balance: f64,
    /// That maximum / (allocation / threads).
    pub mpi_communication: f64,
    /// Computation / (computation + waiting at barriers).
    pub load_balance: f64,
    /// (Allocation - MPI - idle time) / (allocation - MPI).
    pub serial_parts: f64,
    /// (Computation + waiting at barriers) / (allocation - MPI - idle time).
    pub openmp_overhead: f64,
    /// Average / maximum over the threads of their computation in parallel regions and tasks,
    /// taken over the whole run. Not a factor.
    pub thread_balance: f64,
}

/// The efficiencies of an analysed cube.
pub fn efficiencies(cube: &Cube) -> Efficiencies {
    let lens = Lens::new(cube);
    let (off, idle_beside) = lens.off_ticks();
    let allocation = cube.allocation_ticks() - off - idle_beside;
    let computation = lens.total("comp");
    let waiting = ["omp_ebarrier_wait", "omp_ibarrier_wait"];
    let starving = ["omp_ebarrier_starvation", "omp_ibarrier_starvation"];
    let waiting: i64 = waiting.iter().chain(&starving).map(|name| lens.total(name)).sum();
    let outside = allocation - lens.in_mpi().iter().sum::<Ticks>();
    let idle_in_mpi: Ticks = lens.idle_in_mpi().iter().sum();
    let idle = lens.total("omp_idle_threads") - idle_in_mpi - idle_beside;
    let busy = outside - idle;
    let longest = outside_of_mpi(&lens).fold(0.0, f64::max) * lens.threads() as f64;
    Efficiencies {
        parallel: ratio(computation, allocation),
        process_balance: quotient(outside as f64, longest),
        mpi_communication: quotient(longest, allocation as f64),
        load_balance: ratio(computation, computation + waiting),
        serial_parts: ratio(busy, outside),
        openmp_overhead: ratio(computation + waiting, busy),
        thread_balance: thread_balance(&lens),
    }
}

/// The time that each process's threads spend outside of MPI, the average of them.
fn outside_of_mpi(lens: &Lens) -> impl Iterator<Item = f64> {
    let (off, in_mpi, wall) = (lens.off_by_location(), lens.in_mpi(), lens.cube.wall_ticks);
    lens.cube.system.locations_by_process().into_iter().map(move |threads| {
        let outside = threads.iter().map(|&at| wall - off[at] - in_mpi[at]);
        outside.sum::<Ticks>() as f64 / threads.len().max(1) as f64
    })
}

fn ratio(part: Ticks, whole: Ticks) -> f64 {
    quotient(part as f64, whole as f64)
}

fn quotient(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 1.0 } else { part / whole }
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
        let product = e.process_balance * e.mpi_communication * e.load_balance;
        let product = product * e.serial_parts * e.openmp_overhead;
        assert!((product - e.parallel).abs() < 1e-12, "{product} != {}", e.parallel);
        let shown = [e.process_balance, e.mpi_communication];
        let mpi = shown.map(|value| format!("{:.1}", value * 100.0)).join(" ");
        let shown = [e.parallel, e.load_balance, e.serial_parts, e.openmp_overhead];
        let shown = shown.map(|value| format!("{:.1}", value * 100.0)).join(" ");
        let mpi = if mpi == "100.0 100.0" { String::new() } else { format!(" | MPI {mpi}") };
        expect.assert_eq(&format!("{shown} | {:.1}{mpi}", e.thread_balance * 100.0));
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

    /// What is left of the first thread is the recorded part of the run.
    #[test]
    fn time_without_recording_is_left_out() {
        check(
            "wall=100 locations=2
             a                        0  time=20
             a/MEASUREMENT OFF        0  time=60
             a/parallel@a.c:2         *  time=20",
            expect!["75.0 100.0 75.0 100.0 | 100.0"],
        );
    }

    #[test]
    fn a_serial_run_on_one_thread_loses_nothing() {
        check("wall=20 locations=1\n a  0  time=20", expect!["100.0 100.0 100.0 100.0 | 100.0"]);
    }

    #[test]
    fn idle_threads_in_mpi_are_lost_to_mpi() {
        check(
            "wall=100 locations=4 processes=2 walls=100,90
             a                   0  time=10
             a                   2  time=10
             a/MPI_Allreduce     0  time=50
             a/MPI_Allreduce     2  time=10
             a/parallel@a.c:2    0-1  time=40
             a/parallel@a.c:2    2-3  time=70",
            expect!["60.0 100.0 92.3 100.0 | 78.6 | MPI 81.2 80.0"],
        );
    }
}

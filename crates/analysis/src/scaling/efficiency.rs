//! The efficiencies of a run with processes and threads, by the two hybrid models of POP.
//!
//! With T the wall time, U the useful computation of a thread, t_p the threads of process p, N
//! their number, out_p the time of its master outside of MPI and S_p the computation of the master
//! outside of parallel regions, O_p = out_p - S_p. Averages of processes are weighted by threads.
//!
//! | multiplicative (BSC) | | additive (NAG) | |
//! |---|---|---|---|
//! | hybrid | avg(U) / T | parallel | the same |
//! | MPI | avg(out) / T | process | avg(O + S) / T |
//! | MPI balance | avg(out) / max(out) | process balance | 1 - (max(O+S) - avg(O+S)) / T |
//! | MPI communication | max(out) / T | process communication | max(O + S) / T |
//! | OpenMP | hybrid / MPI | thread | 1 - (avg(O + S) - avg(U)) / T |
//! | OpenMP balance | avg(U) / max(U) / MPI's | serial region | 1 - sum((t_p - 1) S_p) / (N T) |
//! | OpenMP communication | max(U) / T / MPI's | OpenMP region | 1 - (avg(O) - avg(OU)) / T |
//!
//! Factors of the multiplicative model multiply to the hybrid efficiency. In the additive model the
//! losses (1 - efficiency) of the parts sum to the loss of the whole.

use pompeii_model::{CallId, Cube, IndexVec, LocationId};

use crate::Lens;

/// Factors that multiply to the first one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Multiplicative {
    /// The whole: `mpi` x `openmp`.
    pub hybrid: f64,
    /// `mpi_balance` x `mpi_communication`.
    pub mpi: f64,
    /// Do processes have the same work?
    pub mpi_balance: f64,
    /// What does MPI cost the process with the most work?
    pub mpi_communication: f64,
    /// `openmp_balance` x `openmp_communication`. It may be above 1, as may its factors.
    pub openmp: f64,
    /// Do threads have the same work?
    pub openmp_balance: f64,
    /// What does OpenMP cost the thread with the most work?
    pub openmp_communication: f64,
}

/// Efficiencies whose losses sum to that of the first one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Additive {
    /// The whole: `process` + `thread` - 1.
    pub parallel: f64,
    /// `process_balance` + `process_communication` - 1.
    pub process: f64,
    /// Do processes have the same work?
    pub process_balance: f64,
    /// What does MPI cost the process with the most work?
    pub process_communication: f64,
    /// `serial_region` + `openmp_region` - 1.
    pub thread: f64,
    /// What do threads lose outside of parallel regions?
    pub serial_region: f64,
    /// What do they lose inside?
    pub openmp_region: f64,
}

/// Both models for an analysed cube.
pub fn hybrid(cube: &Cube) -> (Multiplicative, Additive) {
    let of = Times::new(cube);
    let quotient = |part: f64, whole: f64| if whole == 0.0 { 1.0 } else { part / whole };
    let share = |part: f64| quotient(part, of.wall);
    let (hybrid, mpi) = (share(of.mean_useful), share(of.mean_outside));
    let (mpi_balance, mpi_communication) =
        (quotient(of.mean_outside, of.most_outside), share(of.most_outside));
    let balance = quotient(of.mean_useful, of.most_useful);
    let multiplicative = Multiplicative {
        hybrid,
        mpi,
        mpi_balance,
        mpi_communication,
        openmp: quotient(hybrid, mpi),
        openmp_balance: quotient(balance, mpi_balance),
        openmp_communication: quotient(share(of.most_useful), mpi_communication),
    };
    let lost = |part: f64| if of.wall == 0.0 { 1.0 } else { 1.0 - part / of.wall };
    let additive = Additive {
        parallel: hybrid,
        process: mpi,
        process_balance: lost(of.most_outside - of.mean_outside),
        process_communication: share(of.most_outside),
        thread: lost(of.mean_outside - of.mean_useful),
        serial_region: lost(of.serial_idle),
        openmp_region: lost(of.mean_outside - of.mean_useful - of.serial_idle),
    };
    (multiplicative, additive)
}

/// The times that both models are made of, in ticks.
struct Times {
    wall: f64,
    mean_useful: f64,
    most_useful: f64,
    /// Outside of MPI, of the masters.
    mean_outside: f64,
    most_outside: f64,
    /// Sum of (t_p - 1) S_p, by thread.
    serial_idle: f64,
}

impl Times {
    fn new(cube: &Cube) -> Self {
        let lens = Lens::new(cube);
        let all: Vec<CallId> = cube.calls.ids().collect();
        let useful = lens.by_location("comp", &all);
        let parallel = lens.outermost_parallels();
        let is_serial = |call: &CallId| parallel[*call].is_none() && !lens.in_task_tree(*call);
        let serial: Vec<CallId> = cube.calls.ids().filter(is_serial).collect();
        let serial = lens.by_location("comp", &serial);
        let in_mpi = lens.in_mpi();
        let outside = |master: LocationId| (cube.wall_ticks - in_mpi[master]) as f64;
        let threads = lens.threads().max(1) as f64;
        let mut of = Self {
            wall: cube.wall_ticks as f64,
            mean_useful: sum(&useful) / threads,
            most_useful: useful.iter().copied().max().unwrap_or(0) as f64,
            mean_outside: 0.0,
            most_outside: 0.0,
            serial_idle: 0.0,
        };
        let teams = cube.system.locations_by_process();
        for (process, team) in cube.system.processes.iter().zip(teams.iter()) {
            let own = team.len() as f64;
            let time = outside(process.master);
            of.mean_outside += own * time / threads;
            of.most_outside = of.most_outside.max(time);
            of.serial_idle += (own - 1.0) * serial[process.master] as f64 / threads;
        }
        of
    }
}

fn sum(values: &IndexVec<LocationId, i64>) -> f64 {
    values.iter().map(|&value| value as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ranks with two threads each; rank 0 waits in MPI for rank 1, which has more work.
    const TEXT: &str = "wall=100 locations=4 processes=2
         a                                        0  time=10
         a                                        2  time=20
         a/MPI_Allreduce                          0  time=40
         a/MPI_Allreduce                          2  time=10
         a/parallel@a.c:2                         0  time=40
         a/parallel@a.c:2                         1  time=50
         a/parallel@a.c:2                         2-3  time=70
         a/parallel@a.c:2/implicit barrier@a.c:9  0  time=10 omp_ibarrier_wait=10";

    #[test]
    fn factors_multiply_and_losses_add_up() {
        let cube = crate::derive(&crate::notation::cube(TEXT).unwrap());
        let (m, a) = hybrid(&cube);
        let near = |x: f64, y: f64| assert!((x - y).abs() < 1e-12, "{x} is not {y}");
        // Useful: 10 + 40, 50, 20 + 70, 70 of 100 each.
        near(m.hybrid, 0.65);
        // Outside of MPI: 60 and 90.
        near(m.mpi, 0.75);
        near(m.mpi_balance, 75.0 / 90.0);
        near(m.mpi_communication, 0.9);
        near(m.mpi_balance * m.mpi_communication, m.mpi);
        near(m.openmp, 0.65 / 0.75);
        near(m.openmp_balance * m.openmp_communication, m.openmp);
        near(m.mpi * m.openmp, m.hybrid);
        near(a.parallel, a.process + a.thread - 1.0);
        near(a.process, a.process_balance + a.process_communication - 1.0);
        near(a.thread, a.serial_region + a.openmp_region - 1.0);
        // The second threads have nothing to do while the masters compute for 10 and 20.
        near(a.serial_region, 1.0 - 30.0 / 400.0);
    }

    #[test]
    fn without_mpi_its_factors_are_1() {
        let text = "wall=100 locations=2
             a                 0  time=20
             a/parallel@a.c:2  *  time=80";
        let (m, a) = hybrid(&crate::derive(&crate::notation::cube(text).unwrap()));
        assert_eq!((m.mpi, m.mpi_balance, m.mpi_communication), (1.0, 1.0, 1.0));
        assert_eq!((a.process, a.openmp_region), (1.0, 1.0));
        assert!((m.hybrid - 0.9).abs() < 1e-12 && (a.serial_region - 0.9).abs() < 1e-12);
    }
}

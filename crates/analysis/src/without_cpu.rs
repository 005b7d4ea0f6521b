//! Which time of a run threads spent without a CPU although they were ready to run.
//!
//! The runtime library reads how long a thread was ready at forks, joins and barriers only. Between
//! two of these, a thread computes, but it also waits for locks, tasks and messages, and a thread
//! that polls while it waits is ready like one that computes. Nothing tells these times apart, and
//! the system treats them alike. Therefore each gets its share of the time without a CPU.

use pompeii_model::Ticks;

use crate::Lens;

/// Times of all threads between forks, joins and barriers.
pub(crate) struct BetweenBorders {
    /// In the program's own code.
    pub(crate) computing: Ticks,
    /// At locks, in the creation of tasks and waiting for them, except at barriers.
    pub(crate) openmp: Ticks,
    /// In MPI.
    pub(crate) mpi: Ticks,
}

impl BetweenBorders {
    pub(crate) fn new(lens: &Lens) -> Self {
        let at_borders = lens.total("omp_barrier") + lens.total("omp_management");
        Self {
            computing: lens.total("comp").max(0),
            openmp: (lens.total("omp_time") - at_borders).max(0),
            mpi: lens.total("mpi").max(0),
        }
    }

    /// Which share of it has no CPU, between 0 and 1, if threads were ready without a CPU for
    /// `ready_ns` in all.
    pub(crate) fn without_cpu(&self, lens: &Lens, ready_ns: u64) -> f64 {
        let whole_s = lens.seconds(self.computing + self.openmp + self.mpi);
        match whole_s > 0.0 {
            true => (ready_ns as f64 / 1e9 / whole_s).min(1.0),
            false => 0.0,
        }
    }
}

/// The share of computing in which threads had no CPU, between 0 and 1, if they were ready without
/// a CPU for `ready_ns` between forks, joins and barriers in all.
pub fn computing_without_cpu(lens: &Lens, ready_ns: u64) -> f64 {
    BetweenBorders::new(lens).without_cpu(lens, ready_ns)
}

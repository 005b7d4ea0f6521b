//! What a thread does in a region: the four states whose shares a row of a timeline shows.
//!
//! The dominant region of a bin alone would mislead: a run that waits 14 % of its time and idles
//! 40 % would look as if it only computed.

use pompeii_model::{MEASUREMENT_OFF, Paradigm, Region, Role};

/// The region of a row's cell that stands for all regions with higher numbers. Cells have 16 bits
/// for a region.
pub const OTHER: u16 = u16::MAX;

/// What a thread does in a region, exclusive of the regions that it calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// It executes the program.
    Computing,
    /// It waits for other threads.
    Waiting,
    /// It manages threads and tasks.
    Overhead,
    /// It is in a function of MPI.
    Mpi,
    /// It is not measured, or has no work.
    Idle,
}

impl State {
    /// The states with shares, in the order of the shares.
    pub const SHOWN: [State; 4] = [State::Computing, State::Waiting, State::Overhead, State::Mpi];

    /// The state of a region.
    pub fn of(region: &Region) -> State {
        match (region.paradigm, region.role) {
            (Paradigm::Mpi, _) => State::Mpi,
            (Paradigm::Pthread, _) if region.waits_for_thread() => State::Waiting,
            (Paradigm::Pthread, _) => State::Overhead,
            (_, Role::Artificial) if region.name == MEASUREMENT_OFF => State::Idle,
            (
                _,
                Role::Barrier
                | Role::ImplicitBarrier
                | Role::Taskwait
                | Role::TaskgroupEnd
                | Role::Critical
                | Role::Ordered,
            ) => State::Waiting,
            // Only routines that take a lock can wait.
            (_, Role::Lock) if region.name.starts_with("omp_set_") => State::Waiting,
            (
                _,
                Role::Lock
                | Role::TaskCreate
                | Role::Taskloop
                | Role::Taskyield
                | Role::Atomic
                | Role::Flush
                | Role::Cancel,
            ) => State::Overhead,
            _ => State::Computing,
        }
    }
}

/// The number of a region in a cell.
#[inline]
pub(crate) fn cell_region(region: u32) -> u16 {
    u16::try_from(region).unwrap_or(OTHER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_constructs() {
        let state = |paradigm, role, name: &str| {
            State::of(&Region { paradigm, role, ..Region::artificial(name) })
        };
        let openmp = |role, name| state(Paradigm::OpenMp, role, name);
        assert_eq!(openmp(Role::ImplicitBarrier, ""), State::Waiting);
        assert_eq!(openmp(Role::CriticalBody, ""), State::Computing);
        assert_eq!(openmp(Role::TaskCreate, ""), State::Overhead);
        assert_eq!(openmp(Role::Lock, "omp_set_lock"), State::Waiting);
        assert_eq!(openmp(Role::Lock, "omp_unset_lock"), State::Overhead);
        assert_eq!(state(Paradigm::Mpi, Role::PointToPoint, "MPI_Recv"), State::Mpi);
        assert_eq!(State::of(&Region::artificial(MEASUREMENT_OFF)), State::Idle);
        assert_eq!(State::of(&Region::artificial("a.out")), State::Computing);
    }
}

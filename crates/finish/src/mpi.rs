//! What live state says of MPI beside communicators: which process of which job it is of.

use pompeii_live::{Definition, LiveProcess, MpiDefinition};

/// A process's place in its job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct World {
    /// Rank in `MPI_COMM_WORLD`.
    pub rank: u32,
    /// Number of processes of the job.
    pub size: u32,
    /// What tells the job apart from others.
    pub job: String,
}

/// All records of MPI.
pub fn definitions(live: &LiveProcess) -> impl Iterator<Item = &MpiDefinition> {
    live.definitions.iter().filter_map(|definition| match definition {
        Definition::Mpi(definition) => Some(definition),
        _ => None,
    })
}

/// No machine runs more processes; a larger number is damage, and would ask for memory.
const PROCESSES_MAX: u32 = 1 << 22;

/// The process's place; `None` where it has not called `MPI_Init`.
pub fn world(live: &LiveProcess) -> Option<World> {
    definitions(live).find_map(|definition| match definition {
        MpiDefinition::World { rank, size, job } if rank < size && *size <= PROCESSES_MAX => {
            Some(World { rank: *rank, size: *size, job: job.clone() })
        }
        _ => None,
    })
}

/// Whether the process has called `MPI_Finalize`.
pub fn is_finalized(live: &LiveProcess) -> bool {
    definitions(live).any(|definition| matches!(definition, MpiDefinition::Finalized { .. }))
}

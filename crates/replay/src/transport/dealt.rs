//! Who has what, when several ranks match the records of their own locations: processes have the
//! rank that reads their events, and so have their messages on the side of the receiver. Operations
//! of a communicator have one rank, too, and so has what counters count for several locations.

use pompeii_model::{Id, IndexVec, LocationId, ProcessId, System};

/// The ranks of all processes, as one rank sees them.
#[derive(Clone, Debug)]
pub(crate) struct Dealt {
    /// The number of this rank.
    pub(crate) rank: usize,
    /// Number of ranks.
    pub(crate) ranks: usize,
    /// The critical path and the causes of waiting are wanted.
    pub(crate) has_causes: bool,
    rank_of: IndexVec<ProcessId, usize>,
    /// By location.
    of_locations: IndexVec<LocationId, usize>,
}

impl Dealt {
    /// Puts together which processes each rank has. A process without events belongs to the first.
    pub(crate) fn new(
        (rank, has_causes): (usize, bool),
        system: &System,
        of_ranks: &[Vec<u32>],
    ) -> Dealt {
        let processes = system.processes.len();
        let mut rank_of: IndexVec<ProcessId, usize> = (0..processes).map(|_| 0).collect();
        for (rank, own) in of_ranks.iter().enumerate() {
            for process in own.iter().map(|process| ProcessId(*process)) {
                if process.index() < processes {
                    rank_of[process] = rank;
                }
            }
        }
        let of_locations =
            system.locations.iter().map(|location| rank_of[location.process]).collect();
        Dealt { rank, ranks: of_ranks.len().max(1), has_causes, rank_of, of_locations }
    }

    /// The rank that has a process.
    pub(crate) fn of(&self, process: ProcessId) -> usize {
        self.rank_of.get(process).copied().unwrap_or(0)
    }

    /// The rank that has a location.
    pub(crate) fn of_location(&self, location: LocationId) -> usize {
        self.of_locations.get(location).copied().unwrap_or(0)
    }

    /// Whether this rank has a process.
    pub(crate) fn has(&self, process: ProcessId) -> bool {
        self.of(process) == self.rank
    }

    /// The rank of the operations of a communicator, or of what a counter counts for this scope.
    pub(crate) fn of_number(&self, number: u32) -> usize {
        number as usize % self.ranks
    }
}

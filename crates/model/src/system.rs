//! The system tree: machine, node, process, location. Only locations carry values.

use std::collections::HashSet;

use crate::{IndexVec, LocationId, ProcessId, Ticks};

/// A process of the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Display name: `Process` or `MPI Rank 3`.
    pub name: String,
    /// Rank, 0 for a program without MPI.
    pub rank: u32,
    /// Host that it ran on.
    pub node: String,
    /// Its first location: the thread that runs the serial parts.
    pub master: LocationId,
    /// How long it was observed: all call paths of its master together.
    pub wall_ticks: Ticks,
}

/// A thread of execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Display name: `Master thread` or `OMP thread 1`.
    pub name: String,
    /// The process that it belongs to.
    pub process: ProcessId,
}

impl Location {
    /// Whether it is no thread of the teams that the process's initial thread forks, but one that
    /// runs on its own (`Thread 3`), or of a team that such a one forks.
    pub fn runs_beside_master(&self) -> bool {
        self.name.starts_with("Thread ") || self.name.contains(" of thread ")
    }
}

/// Where the program ran.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct System {
    /// Name of the machine (the cluster).
    pub machine: String,
    /// All processes in rank order.
    pub processes: IndexVec<ProcessId, Process>,
    /// All locations; those of a process follow each other, its master first.
    pub locations: IndexVec<LocationId, Location>,
}

impl System {
    /// The master location of the process that `location` belongs to.
    pub fn master(&self, location: LocationId) -> LocationId {
        self.processes[self.locations[location].process].master
    }

    /// The location in the user's words: `thread 3`, with several processes `rank 1 thread 3`.
    pub fn thread_name(&self, location: LocationId) -> String {
        let Location { name, process } = &self.locations[location];
        let thread = match name.strip_prefix("OMP thread ") {
            Some(number) => format!("thread {number}"),
            None if name == "Master thread" => "thread 0".to_owned(),
            None => name.clone(),
        };
        match self.processes.len() {
            ..=1 => thread,
            _ => format!("rank {} {thread}", self.processes[*process].rank),
        }
    }

    /// The hosts, each once, in the order of processes.
    pub fn hosts(&self) -> Vec<&str> {
        let mut seen = HashSet::new();
        let hosts = self.processes.iter().map(|process| process.node.as_str());
        hosts.filter(|&host| seen.insert(host)).collect()
    }

    /// The locations of each process, in order. For all at once, since there may be thousands.
    pub fn locations_by_process(&self) -> IndexVec<ProcessId, Vec<LocationId>> {
        let mut found: IndexVec<ProcessId, Vec<LocationId>> =
            self.processes.iter().map(|_| Vec::new()).collect();
        for (id, location) in self.locations.enumerated() {
            found[location.process].push(id);
        }
        found
    }
}

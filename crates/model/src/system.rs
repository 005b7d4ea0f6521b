//! The system tree: machine, node, process, location. Only locations carry values.

use std::collections::HashSet;

use crate::{Id, IndexVec, LocationId, ProcessId, Ticks};

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

    /// The location as TAU names it: `n,c,t`, which are the rank of the process, a context, which
    /// is always 0, and the number of the thread in the process.
    pub fn tau_name(&self, location: LocationId) -> String {
        let process = &self.processes[self.locations[location].process];
        let thread = location.index().saturating_sub(process.master.index());
        format!("{},0,{thread}", process.rank)
    }

    /// The location with this name: that of TAU, or that of [`System::thread_name`].
    pub fn location_named(&self, name: &str) -> Option<LocationId> {
        let words = || self.locations.ids().find(|&location| self.thread_name(location) == name);
        self.location_in_tau(name).or_else(words)
    }

    fn location_in_tau(&self, name: &str) -> Option<LocationId> {
        let mut numbers = name.split(',').map(|number| number.trim().parse::<u32>().ok());
        let (rank, context, thread) = (numbers.next()??, numbers.next()??, numbers.next()??);
        if context != 0 || numbers.next().is_some() {
            return None;
        }
        let (id, process) = self.processes.enumerated().find(|(_, it)| it.rank == rank)?;
        let location = LocationId(process.master.0.checked_add(thread)?);
        self.locations.get(location).is_some_and(|it| it.process == id).then_some(location)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Two processes with two threads each.
    fn system() -> System {
        let mut system = System::default();
        for rank in 0..2 {
            let (name, node) = (format!("MPI Rank {rank}"), "node".to_owned());
            let master = LocationId(2 * rank);
            let process =
                system.processes.push(Process { name, rank, node, master, wall_ticks: 100 });
            for name in ["Master thread", "OMP thread 1"] {
                system.locations.push(Location { name: name.to_owned(), process });
            }
        }
        system
    }

    #[test]
    fn a_thread_is_found_by_the_names_of_tau_and_of_reports() {
        let system = system();
        let names = ["0,0,0", "0,0,1", "1,0,0", "1,0,1"];
        for (location, name) in system.locations.ids().zip(names) {
            assert_eq!(system.tau_name(location), name);
            assert_eq!(system.location_named(name), Some(location));
            let words = system.thread_name(location);
            assert_eq!(system.location_named(&words), Some(location), "{words}");
        }
        assert_eq!(system.location_named("1, 0, 1"), Some(LocationId(3)));
        let wrong = ["0,0,2", "2,0,0", "0,1,0", "0,0", "0,0,0,0", "0,0,4294967295", "thread 0", ""];
        for name in wrong {
            assert_eq!(system.location_named(name), None, "{name}");
        }
    }
}

//! Which regions each location has open, and to which team it belongs. EPILOG has a fork and a join
//! of the master, and the parallel region on each thread, but no teams: a thread that enters a
//! parallel region belongs to the last fork of its process.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// An open region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// Its id.
    pub region: u32,
    /// The fork whose team the location has joined here.
    pub fork: Option<usize>,
}

#[derive(Debug, Default)]
struct Location {
    open: Vec<Open>,
    /// A fork whose parallel region it has not entered yet.
    forked: Option<usize>,
}

#[derive(Debug, Default)]
struct Process {
    /// Number of forks.
    forks: usize,
    /// Open forks with their locations, the last one last.
    open: Vec<(u32, usize)>,
    /// The last fork, which has been joined. Threads may still enter its parallel region at the
    /// time of the join.
    last: Option<usize>,
}

/// All locations.
#[derive(Debug, Default)]
pub struct Forks {
    locations: HashMap<u32, Location>,
    processes: HashMap<u32, Process>,
}

impl Forks {
    /// A location of a process forks. Returns the number of the fork in the process.
    pub fn fork(&mut self, location: u32, process: u32) -> usize {
        let of = self.processes.entry(process).or_default();
        let fork = of.forks;
        of.forks += 1;
        of.open.push((location, fork));
        self.locations.entry(location).or_default().forked = Some(fork);
        fork
    }

    /// The last fork of a location is joined.
    pub fn join(&mut self, location: u32, process: u32) {
        let of = self.processes.entry(process).or_default();
        if let Some(place) = of.open.iter().rposition(|(at, _)| *at == location) {
            of.last = Some(of.open.remove(place).1);
        }
    }

    /// A location enters a region. Returns the fork whose team it joins.
    pub fn enter(
        &mut self,
        (location, process): (u32, u32),
        region: u32,
        is_parallel: bool,
    ) -> Option<usize> {
        let at = self.locations.entry(location).or_default();
        let is_inside = at.open.iter().any(|open| open.fork.is_some());
        let fork = match (is_parallel, at.forked.take()) {
            (true, Some(own)) => Some(own),
            (true, None) if !is_inside => self.processes.get(&process).and_then(Process::latest),
            (_, forked) => {
                at.forked = forked;
                None
            }
        };
        at.open.push(Open { region, fork });
        fork
    }

    /// A location leaves its innermost region; none if it has none.
    pub fn exit(&mut self, location: u32) -> Option<Open> {
        self.locations.get_mut(&location)?.open.pop()
    }

    /// All forks of a process before this one get no further threads.
    pub fn complete_before(&self, process: u32) -> usize {
        let of = self.processes.get(&process);
        of.and_then(|of| of.open.iter().map(|(_, fork)| *fork).min()).unwrap_or(0)
    }

    /// Number of regions that a location has open.
    pub fn depth(&self, location: u32) -> usize {
        self.locations.get(&location).map_or(0, |at| at.open.len())
    }
}

impl Process {
    /// The fork whose threads come next.
    fn latest(&self) -> Option<usize> {
        self.open.last().map(|(_, fork)| *fork).or(self.last)
    }
}

/// The teams of all forks. Different forks mostly have the same team, so this is a number for each
/// fork of the trace.
#[derive(Debug, Default)]
pub struct Teams {
    /// Teams by their members, which are sorted.
    numbers: BTreeMap<Vec<u32>, u32>,
    /// By process: the team of each fork.
    of_forks: HashMap<u32, Vec<u32>>,
    /// Forks that may get further members.
    growing: BTreeMap<(u32, usize), BTreeSet<u32>>,
}

impl Teams {
    /// A location belongs to a fork of its process.
    pub fn add(&mut self, process: u32, fork: usize, location: u32) {
        self.growing.entry((process, fork)).or_default().insert(location);
    }

    /// All forks of a process before this one are complete.
    pub fn complete(&mut self, process: u32, before: usize) {
        while let Some(entry) = self.growing.range((process, 0)..(process, before)).next() {
            let (key, members) = (*entry.0, entry.1.iter().copied().collect());
            self.growing.remove(&key);
            let next = self.numbers.len() as u32;
            let number = *self.numbers.entry(members).or_insert(next);
            let of = self.of_forks.entry(process).or_default();
            of.resize(of.len().max(key.1 + 1), u32::MAX);
            of[key.1] = number;
        }
    }

    /// Nothing more comes.
    pub fn complete_all(&mut self) {
        let processes: BTreeSet<u32> = self.growing.keys().map(|(process, _)| *process).collect();
        for process in processes {
            self.complete(process, usize::MAX);
        }
    }

    /// The team of a fork.
    pub fn of(&self, process: u32, fork: usize) -> Option<u32> {
        let number = *self.of_forks.get(&process)?.get(fork)?;
        (number != u32::MAX).then_some(number)
    }

    /// The members of each team, with the number of the team.
    pub fn members(&self) -> impl Iterator<Item = (&[u32], u32)> {
        self.numbers.iter().map(|(members, number)| (&**members, *number))
    }

    /// Number of members of a team.
    pub fn size(&self, team: u32) -> usize {
        self.members().find(|(_, number)| *number == team).map_or(0, |(members, _)| members.len())
    }
}

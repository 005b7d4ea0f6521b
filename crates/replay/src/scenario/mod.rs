//! What if: how long the recorded run would take if some of it were different, for example a region
//! faster, without a second run and without a record of all events.
//!
//! The run is played again while its records come. Each location has a clock for each scenario.
//! Work moves it on by the recorded time, scaled as the scenario says. Where a location depends on
//! another one, its clock is the later one of both: at forks, barriers, locks and turns in ordered
//! constructs (`threads.rs`), creations and ends of tasks (`tasks.rs`), messages and collective
//! operations (`mpi.rs`). What comes after the wait takes as long as recorded. All dependences
//! count, not only those for which the recorded run had to wait.
//!
//! Locks go to the threads in the recorded order, and tasks and iterations of loops are executed by
//! the recorded threads, unless teams have another size (`sizes.rs`). Waiting of a kind that is not
//! known keeps its length.

mod clocks;
mod live;
mod mpi;
mod rules;
mod sizes;
mod strand;
mod tasks;
#[cfg(test)]
mod tests;
mod threads;

use std::collections::VecDeque;

use pompeii_model::{Id, LocationId, ProcessId, RegionId};

use crate::compound::MpiWait;
use crate::definitions::Definitions;
use crate::engine::record::{ForkId, Rec, TeamInstance, What};
use crate::engine::tree::{NodeId, SharedTree};
use crate::hash::Table;
use crate::transport::wire::wire_struct;
use clocks::{Clocks, units};
use live::Live;
use mpi::Mpi;
use rules::Rules;
use sizes::Sizes;
use threads::{Left, Part};

pub use sizes::{Ratio, TeamSize};

/// Shares are parts of this number, and so are ticks while clocks run.
pub const UNIT: i64 = 10_000;

/// A region takes another time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scaled {
    /// The region: its own time, without that of the regions in it.
    pub region: RegionId,
    /// Only on this location; `None` stands for all.
    pub location: Option<LocationId>,
    /// Its time, as a share of the recorded one in parts of [`UNIT`].
    pub share: i64,
}

/// What is different.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scenario {
    /// Regions that take another time.
    pub scaled: Vec<Scaled>,
    /// Regions in which no thread waits for another one: barriers, locks, functions of MPI.
    pub without_waiting: Vec<RegionId>,
    /// Barriers, and functions of MPI in which all processes wait for all, at which all locations
    /// arrive at the mean of their times: as much work as recorded, but evenly shared.
    pub even: Vec<RegionId>,
    /// Calls of MPI take no time when there is nothing to wait for any more.
    pub has_ideal_network: bool,
    /// Waiting for a lock keeps its recorded length. Otherwise the last holder's release ends it,
    /// in the recorded order of the threads. Both durations together show how much of a gain
    /// depends on that order.
    pub keeps_lock_waits: bool,
    /// All teams have another number of threads.
    pub team_size: Option<TeamSize>,
}

wire_struct! {
    Scaled { region, location, share }
    Scenario { scaled, without_waiting, even, has_ideal_network, keeps_lock_waits, team_size }
    TeamSize { threads, loops, tasks }
    Ratio { recorded, played }
}

/// A location while records come.
#[derive(Debug)]
struct Location {
    /// Those of its last record at which it did not wait.
    clocks: Clocks,
    /// The time of its last record.
    last: u64,
    /// The parallel regions that it is in; the first entry stands for the time outside of them.
    parts: Vec<Part>,
    /// Calls of MPI that it is in.
    calls: Vec<mpi::Call>,
    /// Begins of calls for which others may turn out to have waited.
    begins: VecDeque<Clocks>,
    /// Those of its last event.
    end: Option<Clocks>,
}

/// Scenarios, and what comes out of them.
#[derive(Debug, Default)]
pub struct Scenarios {
    all: Vec<Scenario>,
    rules: Rules,
    sizes: Sizes,
    locations: Vec<Location>,
    forks: Table<ForkId, Clocks>,
    /// Ends of the parts of workers that have met at no barrier, by their forks.
    ended: Table<ForkId, Clocks>,
    /// The last releases of locks by writers, and those by all readers since then (`true`).
    releases: Table<(ProcessId, u32, bool), Clocks>,
    turns: Table<TeamInstance, Clocks>,
    posts: Table<TeamInstance, Clocks>,
    barriers: Table<(TeamInstance, u32), Left>,
    tasks: Live,
    groups: Table<u64, Clocks>,
    /// Numbers for parts and taskgroups.
    number: u64,
    mpi: Mpi,
}

impl Scenarios {
    /// Nothing has happened in these scenarios.
    pub fn new(all: Vec<Scenario>) -> Scenarios {
        Scenarios { all, ..Scenarios::default() }
    }

    /// Before the first record.
    pub(crate) fn begin(&mut self, definitions: &Definitions) {
        self.rules = Rules::new(&self.all, definitions.regions.len());
        self.sizes = Sizes::new(&self.all);
        self.tasks = Live::new(self.all.len());
        let location = |_| Location {
            clocks: Clocks::new(self.all.len()),
            last: 0,
            parts: vec![Part::default()],
            calls: Vec::new(),
            begins: VecDeque::new(),
            end: None,
        };
        self.locations = definitions.system.locations.ids().map(location).collect();
    }

    /// Takes the next record: the times up to it, since the one before of its location, and what a
    /// call of MPI waited for that ends with it.
    pub(crate) fn record(
        &mut self,
        known: (&Definitions, &SharedTree),
        record: &Rec,
        (profile, waits): (&[(NodeId, i64)], &[MpiWait]),
    ) {
        let location = &mut self.locations[record.location.index()];
        let is_forked = matches!(record.what,
            What::PartBegin { fork: Some(fork), .. } if fork.master != record.location);
        let works = !location.waits(&self.tasks) && !is_forked;
        if works {
            self.rules.work(known.1, (record.location, &mut location.clocks), profile);
            self.sizes.work(known, location, profile);
            location.clocks.time = record.time;
        }
        match record.what {
            What::Cut => {
                location.end = Some(Clocks { time: record.time, ..location.clocks.clone() });
            }
            _ if record.is_mpi() => self.mpi_record(known, record, waits),
            _ => self.thread_record(known, record),
        }
        self.locations[record.location.index()].last = record.time;
    }

    /// How long the run took until the last event of the last process, and the same in each
    /// scenario, in ticks.
    pub fn durations(&self, definitions: &Definitions) -> (i64, Vec<i64>) {
        let masters = definitions.system.processes.iter().map(|process| process.master);
        let masters = masters.filter_map(|master| self.locations.get(master.index()));
        let ends: Vec<(i64, &Clocks)> = masters
            .filter_map(|it| it.end.as_ref())
            .map(|end| (units(end.time.saturating_sub(definitions.begin)), end))
            .collect();
        let recorded = ends.iter().map(|(end, _)| *end).max().unwrap_or(0);
        let of_scenario = |number: usize| {
            let ends = ends.iter().map(|(end, clocks)| end.saturating_add(clocks.late[number]));
            ends.max().unwrap_or(0) / UNIT
        };
        (recorded / UNIT, (0..self.all.len()).map(of_scenario).collect())
    }

    /// Work in parallel regions without tasks that scenarios with other sizes of teams divide
    /// evenly, because no model of its loop is known; in ticks of all threads.
    pub fn evenly_divided(&self) -> i64 {
        self.sizes.evenly
    }

    /// A parallel region that several threads execute inside of another one: scenarios with other
    /// sizes of teams leave it as it is.
    pub fn nested_region(&self) -> Option<RegionId> {
        self.sizes.nested
    }

    fn new_number(&mut self) -> u64 {
        self.number += 1;
        self.number
    }
}

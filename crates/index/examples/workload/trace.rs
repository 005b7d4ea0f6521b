//! A trace as a hybrid program writes it: messages in a ring of the masters and collective
//! operations, parallel loops with nested functions, barriers with tasks in some of them. The same
//! numbers give the same trace.

use std::fs::File;
use std::path::Path;

use pompeii_otf2::Error;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::definition as def;
use pompeii_otf2::enums::{
    CollectiveOp, GroupType, LocationGroupType, LocationType, Paradigm, RegionRole,
};
use pompeii_otf2::event::*;
use pompeii_otf2::reference::*;
use pompeii_otf2::write::{ArchiveWriter, EventWriter, Options};

/// Name, role and paradigm of the regions.
const REGIONS: [(&str, RegionRole, Paradigm); 13] = [
    ("main", RegionRole::FUNCTION, Paradigm::USER),
    ("!$omp parallel @solve.c:10", RegionRole::PARALLEL, Paradigm::OPENMP),
    ("!$omp for @solve.c:12", RegionRole::LOOP, Paradigm::OPENMP),
    ("!$omp implicit barrier @solve.c:20", RegionRole::IMPLICIT_BARRIER, Paradigm::OPENMP),
    ("!$omp task @tasks.c:8", RegionRole::TASK, Paradigm::OPENMP),
    ("MPI_Sendrecv", RegionRole::POINT2POINT, Paradigm::MPI),
    ("MPI_Allreduce", RegionRole::COLL_ALL2ALL, Paradigm::MPI),
    ("flux", RegionRole::FUNCTION, Paradigm::USER),
    ("limit", RegionRole::FUNCTION, Paradigm::USER),
    ("update", RegionRole::FUNCTION, Paradigm::USER),
    ("norm", RegionRole::FUNCTION, Paradigm::USER),
    ("!$omp critical @solve.c:30", RegionRole::CRITICAL, Paradigm::OPENMP),
    ("!$omp create task @tasks.c:8", RegionRole::TASK_CREATE, Paradigm::OPENMP),
];
const BEGIN: u64 = 1_000_000;
/// The communicator of all ranks; the team of rank r has the number r + 1.
const WORLD: CommRef = CommRef(0);
const MESSAGE_BYTES: u64 = 8192;

/// Writes about `events` events.
pub fn write(
    folder: &Path,
    events: u64,
    processes: u64,
    threads: u64,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut archive = ArchiveWriter::create(folder, "traces", Options::default())?;
    let locations = processes * threads;
    let mut counts = Vec::new();
    let mut end = BEGIN;
    for location in 0..locations {
        let file = archive.events(LocationRef(location))?;
        let random = Random(location + 1);
        let ranks = (location / threads, processes);
        let number = (location % threads) as u32;
        let mut thread = Thread { file, time: BEGIN, random, tasks: 0, ranks, number };
        thread.run(events / locations, number == 0)?;
        counts.push(thread.file.events());
        end = end.max(thread.time);
        thread.file.finish()?;
    }
    define(&mut archive, &counts, threads, end)?;
    define_groups(&mut archive, processes, threads)?;
    archive.finish(Anchor::default())?;
    Ok(())
}

/// Numbers that look random.
struct Random(u64);

impl Random {
    /// A number from 1 to `limit`.
    fn up_to(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963);
        (self.0 >> 33) % limit + 1
    }
}

/// A location while it is written.
struct Thread {
    file: EventWriter<File>,
    time: u64,
    random: Random,
    tasks: u32,
    /// Its rank, and the number of ranks.
    ranks: (u64, u64),
    /// Number of the thread in its process.
    number: u32,
}

impl Thread {
    fn event(&mut self, ticks_max: u64, event: impl Into<Event>) -> Result<(), Error> {
        self.time += self.random.up_to(ticks_max);
        self.file.event(self.time, &event.into(), &[])
    }

    fn enter(&mut self, ticks_max: u64, region: u32) -> Result<(), Error> {
        self.event(ticks_max, Enter { region: RegionRef(region) })
    }

    fn leave(&mut self, ticks_max: u64, region: u32) -> Result<(), Error> {
        self.event(ticks_max, Leave { region: RegionRef(region) })
    }

    fn run(&mut self, events: u64, is_master: bool) -> Result<(), Error> {
        if is_master {
            self.enter(1000, 0)?;
        }
        while self.file.events() < events {
            if is_master {
                if self.random.up_to(4) == 4 { self.reduction()? } else { self.exchange()? }
            }
            self.part()?;
            self.time += self.random.up_to(300_000);
        }
        if is_master { self.leave(1000, 0) } else { Ok(()) }
    }

    fn team(&self) -> CommRef {
        CommRef(self.ranks.0 as u32 + 1)
    }

    /// A message to the next rank, and one from the rank before.
    fn exchange(&mut self) -> Result<(), Error> {
        let (rank, ranks) = self.ranks;
        let (receiver, sender) = ((rank + 1) % ranks, (rank + ranks - 1) % ranks);
        let (receiver, sender) = (receiver as u32, sender as u32);
        let (communicator, msg_tag, msg_length) = (WORLD, 0, MESSAGE_BYTES);
        self.enter(2000, 5)?;
        self.event(500, MpiSend { receiver, communicator, msg_tag, msg_length })?;
        self.event(200_000, MpiRecv { sender, communicator, msg_tag, msg_length })?;
        self.leave(500, 5)
    }

    fn reduction(&mut self) -> Result<(), Error> {
        self.enter(2000, 6)?;
        self.event(500, MpiCollectiveBegin {})?;
        let (collective_op, communicator) = (CollectiveOp::ALLREDUCE, WORLD);
        let (root, size_sent, size_received) = (ROOT_NONE, 8, 8);
        let end = MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received };
        self.event(200_000, end)?;
        self.leave(500, 6)
    }

    /// A parallel region.
    fn part(&mut self) -> Result<(), Error> {
        let thread_team = self.team();
        self.event(500, ThreadTeamBegin { thread_team })?;
        self.enter(500, 1)?;
        self.enter(500, 2)?;
        for _ in 0..self.random.up_to(400) {
            self.function()?;
        }
        self.leave(300, 2)?;
        self.enter(300, 3)?;
        if self.random.up_to(4) == 1 {
            for _ in 0..self.random.up_to(100) {
                self.task()?;
            }
        }
        self.leave(400_000, 3)?;
        self.leave(300, 1)?;
        self.event(500, ThreadTeamEnd { thread_team })
    }

    fn function(&mut self) -> Result<(), Error> {
        self.enter(500, 7)?;
        for callee in [8, 9] {
            self.enter(3000, callee)?;
            self.leave(20_000, callee)?;
        }
        if self.random.up_to(50) == 1 {
            self.enter(500, 11)?;
            self.leave(30_000, 11)?;
        }
        self.leave(3000, 7)
    }

    fn task(&mut self) -> Result<(), Error> {
        self.tasks += 1;
        let (thread_team, creating_thread) = (self.team(), self.number);
        let generation_number = self.tasks;
        self.enter(300, 12)?;
        self.event(300, ThreadTaskCreate { thread_team, creating_thread, generation_number })?;
        self.leave(300, 12)?;
        self.event(500, ThreadTaskSwitch { thread_team, creating_thread, generation_number })?;
        self.enter(300, 4)?;
        self.function()?;
        self.leave(2000, 4)?;
        self.event(300, ThreadTaskComplete { thread_team, creating_thread, generation_number })
    }
}

/// The communicator of all ranks, and a team for each rank.
fn define_groups(archive: &mut ArchiveWriter, processes: u64, threads: u64) -> Result<(), Error> {
    let locations = GroupType::COMM_LOCATIONS;
    let masters = (0..processes).map(|rank| rank * threads).collect();
    let mut groups = vec![
        (locations, Paradigm::MPI, masters),
        (locations, Paradigm::OPENMP, (0..processes * threads).collect()),
        (GroupType::COMM_GROUP, Paradigm::MPI, (0..processes).collect()),
    ];
    for rank in 0..processes {
        let members = (rank * threads..(rank + 1) * threads).collect();
        groups.push((GroupType::COMM_GROUP, Paradigm::OPENMP, members));
    }
    for (number, (group_type, paradigm, members)) in groups.into_iter().enumerate() {
        let (id, group) = (GroupRef(number as u32), Default::default());
        archive.define(def::Group { id, group_type, paradigm, members, ..group })?;
        if let Some(comm) = (number as u32).checked_sub(2) {
            let (group, parent) = (id, CommRef::UNDEFINED);
            archive.define(def::Comm { id: CommRef(comm), group, parent, ..Default::default() })?;
        }
    }
    Ok(())
}

/// What the events mean.
fn define(
    archive: &mut ArchiveWriter,
    counts: &[u64],
    threads: u64,
    end: u64,
) -> Result<(), Error> {
    archive.define(def::ClockProperties {
        timer_resolution: 1_000_000_000,
        global_offset: BEGIN,
        trace_length: end - BEGIN,
        realtime_timestamp: u64::MAX,
    })?;
    let (id, name) = (SystemTreeNodeRef(0), archive.string("machine")?);
    let parent = SystemTreeNodeRef::UNDEFINED;
    archive.define(def::SystemTreeNode { id, name, class_name: name, parent })?;
    let name = archive.string("thread")?;
    for (location, number_of_events) in (0..).zip(counts.iter().copied()) {
        let location_group = LocationGroupRef((location / threads) as u32);
        if location % threads == 0 {
            archive.define(def::LocationGroup {
                id: location_group,
                name,
                location_group_type: LocationGroupType::PROCESS,
                system_tree_parent: id,
                ..Default::default()
            })?;
        }
        let (id, location_type) = (LocationRef(location), LocationType::CPU_THREAD);
        let location = def::Location { id, name, location_type, number_of_events, location_group };
        archive.define(location)?;
    }
    for (id, (name, region_role, paradigm)) in (0..).map(RegionRef).zip(REGIONS) {
        let name = archive.string(name)?;
        let (canonical_name, region) = (name, def::Region::default());
        archive.define(def::Region {
            id,
            name,
            canonical_name,
            region_role,
            paradigm,
            ..region
        })?;
    }
    Ok(())
}

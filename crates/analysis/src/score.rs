//! What a trace of the same run would be: records, bytes and cost per region, from a profile alone.
//!
//! A profile knows how often each thread visits each call path, and the runtime writes a fixed set
//! of records for a visit of each kind of region; records of one moment share a time stamp. The
//! sizes are those of the encoder itself. Records are counted exactly, but for what a profile does
//! not tell: which taskwaits had something to wait for, and how often a thread went back from one
//! task to another; and of MPI, how often a request was tested in vain, and what is recorded of
//! communicators, windows and files that come and go, and of synchronisation. What is recorded of a
//! request where it begins and where it is complete counts where its message does.

use pompeii_model::{
    CallId, Cube, IndexVec, LocationId, MetricId, Paradigm, Region, RegionId, Role,
};
use pompeii_otf2::encode::{self, EVENT_ROOM_BYTES, Room, TIMESTAMP_BYTES};

use crate::mpi_class::class_of;
use crate::profile::{Class, in_task_tree, is_task_root};

/// What a region is to a filter, in Score-P's words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// A function or user region with nothing but the like below it.
    Usr,
    /// A function or user region on a call path to OpenMP, MPI or files.
    Com,
    /// A construct of OpenMP.
    Omp,
    /// A routine of MPI.
    Mpi,
    /// A function that reads or writes files.
    Io,
    /// A function of POSIX threads.
    Pthread,
    /// The measurement's own.
    Measurement,
}

impl Group {
    /// All groups.
    pub const ALL: [Group; 7] =
        [Self::Usr, Self::Com, Self::Omp, Self::Mpi, Self::Io, Self::Pthread, Self::Measurement];

    /// Up to three letters, as `scorep-score` has them; ours are the last ones.
    pub fn name(self) -> &'static str {
        match self {
            Self::Usr => "USR",
            Self::Com => "COM",
            Self::Omp => "OMP",
            Self::Mpi => "MPI",
            Self::Io => "IO",
            Self::Pthread => "PTH",
            Self::Measurement => "own",
        }
    }
}

/// What some visits cost in a trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Visits, those that are only counted included.
    pub visits: u64,
    /// Records, without their time stamps.
    pub records: u64,
    /// Bytes of both.
    pub bytes: u64,
    /// Events that take time: calls that read the clock.
    pub events: u64,
    /// Time in the region itself.
    pub ticks: i64,
}

impl std::ops::AddAssign for Cost {
    fn add_assign(&mut self, other: Self) {
        self.visits += other.visits;
        self.records += other.records;
        self.bytes += other.bytes;
        self.events += other.events;
        self.ticks += other.ticks;
    }
}

/// A region's part of the trace.
#[derive(Clone, Debug)]
pub struct Row {
    /// The region.
    pub region: RegionId,
    /// What it is to a filter.
    pub group: Group,
    /// On all threads.
    pub cost: Cost,
    /// Bytes on the thread where they are most.
    pub most_bytes: u64,
    /// By thread.
    by_location: Vec<u64>,
}

/// An estimate.
#[derive(Clone, Debug)]
pub struct Score {
    /// Regions that have visits, the largest part of the trace first.
    pub rows: Vec<Row>,
    /// Call paths of the thread that has most of them.
    pub most_call_paths: u64,
}

impl Score {
    /// The estimate for the run that `cube`, a measured one, is the profile of.
    pub fn new(cube: &Cube) -> Self {
        let groups = groups(cube);
        let counter = Counter::new(cube);
        let width = cube.system.locations.len();
        let empty = |region: RegionId| Row {
            region,
            group: groups[region],
            cost: Cost::default(),
            most_bytes: 0,
            by_location: vec![0; width],
        };
        let mut rows: IndexVec<RegionId, Row> = cube.regions.ids().map(empty).collect();
        let mut call_paths = vec![0_u64; width];
        for call in cube.calls.ids() {
            let row = &mut rows[cube.calls.region(call)];
            for location in cube.system.locations.ids() {
                let cost = counter.cost(call, location);
                row.cost += cost;
                row.by_location[location.0 as usize] += cost.bytes;
                call_paths[location.0 as usize] += u64::from(cost.visits > 0);
            }
        }
        let mut rows: Vec<Row> = rows.iter().filter(|row| row.cost.visits > 0).cloned().collect();
        for row in &mut rows {
            row.most_bytes = row.by_location.iter().copied().max().unwrap_or(0);
        }
        rows.sort_by_key(|row| (std::cmp::Reverse(row.cost.bytes), row.region));
        Self { rows, most_call_paths: call_paths.into_iter().max().unwrap_or(0) }
    }

    /// The sum of the rows that `keep` keeps, and the bytes of the thread that has most of them.
    pub fn total(&self, keep: impl Fn(&Row) -> bool) -> (Cost, u64) {
        let mut cost = Cost::default();
        let mut by_location: Vec<u64> = Vec::new();
        for row in self.rows.iter().filter(|row| keep(row)) {
            cost += row.cost;
            by_location.resize(row.by_location.len(), 0);
            for (sum, bytes) in by_location.iter_mut().zip(&row.by_location) {
                *sum += bytes;
            }
        }
        (cost, by_location.into_iter().max().unwrap_or(0))
    }
}

/// Whether a filter can leave the region out.
pub fn is_filterable(region: &Region) -> bool {
    matches!(region.role, Role::Function | Role::User) && region.paradigm == Paradigm::User
}

fn groups(cube: &Cube) -> IndexVec<RegionId, Group> {
    let group = |region: &Region| match region.paradigm {
        Paradigm::OpenMp => Group::Omp,
        Paradigm::Mpi => Group::Mpi,
        Paradigm::Io => Group::Io,
        Paradigm::Pthread => Group::Pthread,
        Paradigm::Measurement => Group::Measurement,
        Paradigm::User => Group::Usr,
    };
    let mut groups: IndexVec<RegionId, Group> = cube.regions.iter().map(group).collect();
    // From the leaves up: what is above a construct is on a call path to it.
    let mut leads: IndexVec<CallId, bool> = cube.calls.ids().map(|_| false).collect();
    for call in cube.calls.ids().rev() {
        let region = cube.calls.region(call);
        if groups[region] == Group::Usr && leads[call] {
            groups[region] = Group::Com;
        }
        let leads_on = leads[call] || !matches!(groups[region], Group::Usr | Group::Measurement);
        if let (true, Some(parent)) = (leads_on, cube.calls.parent(call)) {
            leads[parent] = true;
        }
    }
    groups
}

/// Records, their bytes without time stamps, and moments: for one visit.
#[derive(Clone, Copy, Default)]
struct Visit {
    records: u64,
    bytes: u64,
    stamps: u64,
}

/// Counts the records of call paths.
struct Counter<'a> {
    cube: &'a Cube,
    /// By call path: how many parallel regions are around it, itself included.
    levels: IndexVec<CallId, usize>,
    visits: Option<MetricId>,
    time: Option<MetricId>,
    created: Option<MetricId>,
    switches: Option<MetricId>,
    sent: Option<MetricId>,
    received: Option<MetricId>,
}

impl<'a> Counter<'a> {
    fn new(cube: &'a Cube) -> Self {
        let mut levels: IndexVec<CallId, usize> = IndexVec::default();
        for call in cube.calls.ids() {
            let above = cube.calls.parent(call).map_or(0, |parent| levels[parent]);
            let role = cube.regions[cube.calls.region(call)].role;
            levels.push(above + usize::from(role == Role::Parallel));
        }
        Self {
            cube,
            levels,
            visits: cube.metric("visits"),
            time: cube.metric("time"),
            created: cube.metric("tasks_created"),
            switches: cube.metric("task_switches"),
            sent: cube.metric("comms_send"),
            received: cube.metric("comms_recv"),
        }
    }

    fn value(&self, metric: Option<MetricId>, call: CallId, location: LocationId) -> u64 {
        let value = metric.map_or(0, |metric| self.cube.get(metric, call, location));
        u64::try_from(value).unwrap_or(0)
    }

    fn cost(&self, call: CallId, location: LocationId) -> Cost {
        let visits = self.value(self.visits, call, location);
        let role = self.cube.regions[self.cube.calls.region(call)].role;
        let (times, shared) = self.times(call, location, role, visits);
        let visit = self.visit(call, location, role);
        let stamps = (times * visit.stamps).saturating_sub(shared);
        let mut cost = Cost {
            visits,
            records: times * visit.records,
            bytes: times * visit.bytes + stamps * TIMESTAMP_BYTES as u64,
            events: stamps,
            ticks: self.value(self.time, call, location) as i64,
        };
        if role == Role::Parallel && self.is_master(call, location) {
            cost += fork_and_join(visits);
        }
        if role == Role::Task && !in_task_tree(self.cube, call) {
            cost += self.switches_back(call, location);
        }
        if role == Role::Artificial && !self.is_off(call) && !is_task_root(self.cube, call) {
            cost += begin_and_end(visits);
        }
        match self.cube.regions[self.cube.calls.region(call)].paradigm {
            Paradigm::Mpi => cost += self.of_mpi(call, location, visits),
            Paradigm::Io => {
                let (records, bytes) = operation(Class::Io, "");
                cost.records += visits * records;
                cost.bytes += visits * bytes;
            }
            _ => {}
        }
        cost
    }

    /// What is recorded inside of a function of MPI.
    fn of_mpi(&self, call: CallId, location: LocationId, visits: u64) -> Cost {
        let region = &self.cube.regions[self.cube.calls.region(call)];
        let name = region.name.strip_prefix("MPI_").unwrap_or(&region.name);
        let (send, receive) = message(name);
        let mut cost = Cost::default();
        for (times, (records, bytes)) in [
            (self.value(self.sent, call, location), send),
            (self.value(self.received, call, location), receive),
            (visits, operation(class_of(region), name)),
        ] {
            cost.records += times * records;
            cost.bytes += times * bytes;
        }
        cost
    }

    /// How many visits have records, and how many of their time stamps are those of others.
    fn times(&self, call: CallId, location: LocationId, role: Role, visits: u64) -> (u64, u64) {
        let counted_only = self.value(self.time, call, location) == 0;
        match role {
            Role::Artificial if !self.is_off(call) => (0, 0),
            // A stub; its visits are those of the task tree.
            Role::Task if !in_task_tree(self.cube, call) => (0, 0),
            Role::Atomic | Role::Flush | Role::Cancel | Role::Taskwait if counted_only => (0, 0),
            Role::TaskCreate => (self.value(self.created, call, location), 0),
            // Left together with the barrier at its end.
            Role::Loop | Role::Sections | Role::Workshare | Role::Single | Role::Scope => {
                let children = self.cube.calls.children(call).iter();
                let barrier = |child: &&CallId| {
                    self.cube.regions[self.cube.calls.region(**child)].role == Role::ImplicitBarrier
                };
                let barriers = children.filter(barrier);
                let left = barriers.map(|&child| self.value(self.visits, child, location)).sum();
                (visits, left)
            }
            _ => (visits, 0),
        }
    }

    fn is_off(&self, call: CallId) -> bool {
        let root = self.cube.calls.parent(call).is_none();
        !root && !is_task_root(self.cube, call)
    }

    fn visit(&self, call: CallId, location: LocationId, role: Role) -> Visit {
        let region = self.cube.calls.region(call);
        let (enter, leave) = (
            bytes(|room, last| encode::enter(room, last, 0, region.0)),
            bytes(|room, last| encode::leave(room, last, 0, region.0)),
        );
        let both = enter + leave;
        let team = bytes(|room, last| encode::thread_team_begin(room, last, 0, 1));
        let lock = bytes(|room, last| encode::thread_acquire_lock(room, last, 0, 3, 1, 1 << 24));
        let task =
            bytes(|room, last| encode::thread_task_create(room, last, 0, 1, location.0, 1 << 24));
        let mode = bytes(|room, last| encode::measurement_on_off(room, last, 0, 1));
        let parameter = bytes(|room, last| encode::parameter_int(room, last, 0, 1, 1));
        let (records, bytes, stamps) = match role {
            // The end is that of the final barrier.
            Role::Parallel => (4, both + 2 * team, 1),
            Role::CriticalBody => (4, both + 2 * lock, 2),
            Role::Lock if self.has_lock(region) => (3, both + lock, 2),
            Role::TaskCreate => (3, both + task, 2),
            Role::Task => (4, both + 2 * task, 2),
            // Left together with its end.
            Role::Taskgroup => (2, both, 1),
            Role::Artificial => (4, both + 2 * mode, 2),
            Role::Parameter => (1, parameter, 1),
            _ => (2, both, 2),
        };
        Visit { records, bytes, stamps }
    }

    /// Whether the routine acquires a lock or gives it back.
    fn has_lock(&self, region: RegionId) -> bool {
        let name = &self.cube.regions[region].name;
        !name.contains("init") && !name.contains("destroy")
    }

    /// Whether the location forks this region: its own threads are one level of numbers deeper.
    fn is_master(&self, call: CallId, location: LocationId) -> bool {
        let level = self.levels[call];
        let name = &self.cube.system.locations[location].name;
        let numbers = name.strip_prefix("OMP thread ").and_then(|rest| rest.split(' ').next());
        numbers.map_or(0, |numbers| numbers.split('.').count()) < level
    }

    /// Records of going back from tasks to what they had suspended at this scheduling point: once a
    /// visit of it, where tasks come one after the other.
    fn switches_back(&self, stub: CallId, location: LocationId) -> Cost {
        let fragments = self.value(self.switches, stub, location);
        let parent = self.cube.calls.parent(stub);
        let around = parent.map_or(0, |parent| self.value(self.visits, parent, location));
        let records = fragments.min(around);
        let one =
            bytes(|room, last| encode::thread_task_switch(room, last, 0, 1, location.0, 1 << 24));
        Cost { records, bytes: records * one, ..Cost::default() }
    }
}

/// Records of a message that this function of MPI sends, and of one that it receives, and their
/// bytes.
fn message(name: &str) -> ((u64, u64), (u64, u64)) {
    if ["Send", "Bsend", "Ssend", "Rsend", "Recv", "Mrecv"].iter().any(|own| name.starts_with(own))
    {
        return (
            (1, bytes(|room, last| encode::mpi_send(room, last, 0, 1, 1, 1, 1 << 12))),
            (1, bytes(|room, last| encode::mpi_recv(room, last, 0, 1, 1, 1, 1 << 12))),
        );
    }
    let send = bytes(|room, last| encode::mpi_isend(room, last, 0, 1, 1, 1, 1 << 12, 1 << 16))
        + bytes(|room, last| encode::mpi_isend_complete(room, last, 0, 1 << 16));
    let receive = bytes(|room, last| encode::mpi_irecv_request(room, last, 0, 1 << 16))
        + bytes(|room, last| encode::mpi_irecv(room, last, 0, 1, 1, 1, 1 << 12, 1 << 16));
    ((2, send + TIMESTAMP_BYTES as u64), (2, receive + TIMESTAMP_BYTES as u64))
}

/// Records of an operation that this function of MPI is, or begins, and their bytes.
fn operation(class: Class, name: &str) -> (u64, u64) {
    let is_begun = name.starts_with('I') || name.starts_with("File_i");
    match class {
        Class::MpiBarrier | Class::MpiCollective => {
            let begin = bytes(|room, last| encode::mpi_collective_begin(room, last, 0));
            let end =
                bytes(|room, last| encode::mpi_collective_end(room, last, 0, 1, 1, 0, 64, 64));
            // Non-blocking ones name their request twice.
            (2, begin + end + if is_begun { 2 * 4 } else { 0 })
        }
        Class::OneSided => {
            let put = bytes(|room, last| encode::rma_put(room, last, 0, 1, 1, 1 << 12, 1 << 16));
            let complete =
                bytes(|room, last| encode::rma_op_complete_remote(room, last, 0, 1, 1 << 16));
            (2, put + complete)
        }
        Class::FileCollective | Class::FileIndividual | Class::Io => {
            let begin = bytes(|room, last| {
                encode::io_operation_begin(room, last, 0, 1, 0, 0, 1 << 12, 1 << 16)
            });
            let issued = bytes(|room, last| encode::io_operation_issued(room, last, 0, 1, 1 << 16));
            let complete = bytes(|room, last| {
                encode::io_operation_complete(room, last, 0, 1, 1 << 12, 1 << 16)
            });
            match is_begun {
                true => (3, begin + issued + complete),
                false => (2, begin + complete),
            }
        }
        // What makes or frees the first communicators is a collective operation.
        _ if matches!(name, "Init" | "Init_thread" | "Finalize") => {
            let begin = bytes(|room, last| encode::mpi_collective_begin(room, last, 0));
            let end = bytes(|room, last| {
                encode::mpi_collective_end(room, last, 0, 17, 1, u32::MAX, 0, 0)
            });
            let created = bytes(|room, last| encode::comm_create(room, last, 0, 1));
            (4, begin + end + 2 * created)
        }
        _ => (0, 0),
    }
}

/// The records of the program's begin and end.
fn begin_and_end(visits: u64) -> Cost {
    let begin =
        bytes(|room, last| encode::program_begin(room, last, 0, 1, &[]).unwrap_or_default());
    let end = bytes(|room, last| encode::program_end(room, last, 0, 0));
    Cost {
        records: 2 * visits,
        bytes: visits * (begin + end + 2 * TIMESTAMP_BYTES as u64),
        events: 2 * visits,
        ..Cost::default()
    }
}

/// The master's records around a team.
fn fork_and_join(visits: u64) -> Cost {
    let fork = bytes(|room, last| encode::thread_fork(room, last, 0, 3, 8));
    let join = bytes(|room, last| encode::thread_join(room, last, 0, 3));
    Cost {
        records: 2 * visits,
        bytes: visits * (fork + join + TIMESTAMP_BYTES as u64),
        events: visits,
        ..Cost::default()
    }
}

/// Size of a record without a time stamp.
fn bytes(encode: impl FnOnce(&mut Room, &mut u64) -> usize) -> u64 {
    encode(&mut [0; EVENT_ROOM_BYTES], &mut 1) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation;
    use expect_test::{Expect, expect};

    fn check(profile: &str, expected: Expect) {
        let cube = notation::cube(profile).unwrap();
        let score = Score::new(&cube);
        let mut text = String::new();
        for row in &score.rows {
            let Cost { visits, records, bytes, events, .. } = row.cost;
            let (group, name) = (row.group.name(), &cube.regions[row.region].name);
            text += &format!(
                "{group} {name} x{visits}: {records} records, {events} times, {bytes} bytes, most \
                 {}\n",
                row.most_bytes
            );
        }
        expected.assert_eq(&text);
    }

    #[test]
    fn teams_and_their_constructs() {
        check(
            "wall=100 locations=2
             a                                                  0  time=40
             a/parallel@a.c:5                                   *  time=60  visits=10
             a/parallel@a.c:5/for@a.c:6                         *  time=60  visits=10
             a/parallel@a.c:5/for@a.c:6/implicit barrier@a.c:6  *  time=60  visits=10
             a/parallel@a.c:5/critical@a.c:7                    *  time=60  visits=10
             a/parallel@a.c:5/critical@a.c:7/critical sblock@a.c:7  *  time=60  visits=10
             a/parallel@a.c:5/implicit barrier@a.c:5            *  time=60  visits=10
             a/parallel@a.c:5/atomic@a.c:5                      *  visits=1000",
            expect![[r#"
                OMP !$omp critical sblock @a.c:7 x20: 80 records, 40 times, 880 bytes, most 440
                OMP !$omp parallel @a.c:5 x20: 100 records, 30 times, 630 bytes, most 400
                OMP !$omp implicit barrier @a.c:6 x20: 40 records, 40 times, 480 bytes, most 240
                OMP !$omp critical @a.c:7 x20: 40 records, 40 times, 480 bytes, most 240
                OMP !$omp implicit barrier @a.c:5 x20: 40 records, 40 times, 480 bytes, most 240
                OMP !$omp for @a.c:6 x20: 40 records, 20 times, 300 bytes, most 150
                OMP !$omp atomic @a.c:5 x2000: 0 records, 0 times, 0 bytes, most 0
            "#]],
        );
    }

    #[test]
    fn tasks() {
        check(
            "wall=100 locations=1
             a                                           0  time=40
             a/parallel@a.c:5                            *  time=60  visits=1
             a/parallel@a.c:5/create task@a.c:6          *  time=60  visits=12 tasks_created=10
             a/parallel@a.c:5/taskwait@a.c:7             *  time=6   visits=1
             a/parallel@a.c:5/taskwait@a.c:7/task@a.c:6  *  task_switches=10
             TASKS                                       *  time=0
             TASKS/task@a.c:6                            *  time=9   visits=10
             TASKS/task@a.c:6/taskwait@a.c:7             *  visits=10",
            expect![[r#"
                OMP !$omp task @a.c:6 x10: 41 records, 20 times, 450 bytes, most 450
                OMP !$omp create task @a.c:6 x12: 30 records, 20 times, 340 bytes, most 340
                OMP !$omp parallel @a.c:5 x1: 6 records, 2 times, 40 bytes, most 40
                OMP !$omp taskwait @a.c:7 x11: 2 records, 2 times, 24 bytes, most 24
            "#]],
        );
    }

    #[test]
    fn messages_and_collective_operations() {
        check(
            "wall=100 locations=2
             a                0  time=40
             a/MPI_Send       0  time=10  visits=3  comms_send=3
             a/MPI_Isend      0  time=10  visits=5  comms_send=5
             a/MPI_Recv       1  time=10  visits=3  comms_recv=3
             a/MPI_Waitall    1  time=10  visits=1  comms_recv=5
             a/MPI_Allreduce  *  time=10  visits=2
             a/MPI_Comm_rank  *  time=10  visits=1",
            expect![[r#"
                MPI MPI_Isend x5: 20 records, 10 times, 265 bytes, most 265
                MPI MPI_Waitall x1: 12 records, 2 times, 169 bytes, most 169
                MPI MPI_Allreduce x4: 16 records, 8 times, 144 bytes, most 72
                MPI MPI_Send x3: 9 records, 6 times, 105 bytes, most 105
                MPI MPI_Recv x3: 9 records, 6 times, 105 bytes, most 105
                MPI MPI_Comm_rank x2: 4 records, 4 times, 48 bytes, most 24
            "#]],
        );
    }

    #[test]
    fn functions_are_usr_unless_they_lead_to_openmp() {
        check(
            "wall=100 locations=1
             a                                              0  time=40
             a/main@a.c:1                                   0  time=60  visits=1
             a/main@a.c:1/leaf@a.c:2                        0  time=60  visits=70
             a/main@a.c:1/work@a.c:3                        0  time=60  visits=2
             a/main@a.c:1/work@a.c:3/leaf@a.c:2             0  time=60  visits=2
             a/main@a.c:1/work@a.c:3/barrier@a.c:4          0  time=60  visits=2",
            expect![[r#"
                USR leaf x72: 144 records, 144 times, 1728 bytes, most 1728
                COM work x2: 4 records, 4 times, 48 bytes, most 48
                OMP !$omp barrier @a.c:4 x2: 4 records, 4 times, 48 bytes, most 48
                COM main x1: 2 records, 2 times, 24 bytes, most 24
            "#]],
        );
    }
}

//! The records of live state, `repr(C)` so that writer and reader agree byte for byte.
//!
//! A call-tree node accounts time *exclusively*: at every event a location adds the time since
//! its previous event to its current node. Nothing has to be undone for suspended tasks, crashed
//! programs or open regions, and all nodes of a location always sum to its whole life.
//!
//! Numbers are little-endian. `N.loc` is a page with the location's header and its thread's record,
//! and then the call tree; links between nodes are bytes from the start of the file:
//!
//! ```text
//! byte 0        header         what the runtime keeps                   3864  thread's record
//! byte 4096     node 0: none
//! byte 4224     node 1: the program's root
//! byte 4352     node 2: the root of the task trees
//! byte 4480     node 3 ...
//!
//! header  +0                +8                +16               +24
//!      0  POMPEII, version  index    parent   thread   nodes    current  final_barrier
//!     32  last_ticks        level    tasks    summed_visits     excluded_visits
//!
//! node    +0                +8                +16               +24
//!      0  key               parent   child    sibling  hint     visits
//!     32  ticks             wait              starvation        private
//!     64  management        last_arrivals     fork              delay
//!     96  task_ticks        task_switches     created           undeferred
//!
//! team    +0                +8                +16               +24
//!      0  fork_ticks        master   node     stub     open     communicator, its size
//!     32  level    size     path              crew              regions
//!     64  arrivals          generation        latest_ticks      latest_place
//!     96  last_task_place   posted_ticks      posted_place      join_ticks
//!
//! process +0                +8                +16               +24
//!      0  POMPEII, version  pid               start: ticks      monotonic_ns
//!     32  realtime_ns       end: ticks        monotonic_ns      realtime_ns
//!     64  tsc               trace             locations teams   definitions_bytes
//!     96  lost_events       lost_locations    errno    legacy   permille forked_from
//!    128  uncounted         without_place ...
//! ```
//!
//! Bit 63 of a key is set in `Attach`, bit 62 in `Stub`, both in `Cause`, bit 61 in `Parameter`. A
//! region and a stub have their region in the lower half of the key, the others a node or a region
//! there, and a location or a parameter in the upper half.

use std::sync::atomic::{AtomicU32, AtomicU64};

use crate::FixedTable;

/// Marks files of this layout; the last byte changes with it, so that a library of one version and
/// a command of another do not misread each other.
pub const MAGIC: u64 = u64::from_le_bytes(*b"POMPEII\0") | (fingerprint() << 56);

/// The version of the layout. It counts what the sizes of the records do not show: another order of
/// fields, another meaning or unit of one, another tag of a definition.
const VERSION: u64 = 7;

/// A number that depends on the version, on the sizes of all records, on where the header's last
/// fields are, and on how many kinds of regions there are, since their numbers are tags.
const fn fingerprint() -> u64 {
    let sizes = [
        size_of::<ProcessHeader>(),
        std::mem::offset_of!(ProcessHeader, host),
        std::mem::offset_of!(ProcessHeader, ended),
        size_of::<LocationHeader>(),
        size_of::<Node>(),
        size_of::<Team>(),
        size_of::<TaskRecord>(),
        crate::THREAD_RECORD_OFFSET,
        size_of::<crate::SampleFrame>(),
        crate::RegionKind::ALL.len(),
    ];
    let (mut sum, mut index) = (VERSION, 0);
    while index < sizes.len() {
        sum = sum * 31 + sizes[index] as u64;
        index += 1;
    }
    sum % 255 + 1
}
/// A location file's header takes this much before the first node.
pub const LOCATION_PAGE_BYTES: usize = 4096;

/// Index of a node in its location's call tree; 0 is no node.
pub type NodeIndex = u32;
/// Where a node is in its location's file, in bytes from the start; 0 is no node. Files link nodes
/// like this, since it saves a writer the multiplication; readers get indices.
pub type NodeOffset = u32;

/// Where the node with this index is.
pub const fn node_offset(index: NodeIndex) -> NodeOffset {
    LOCATION_PAGE_BYTES as u32 + index * size_of::<Node>() as u32
}

/// The index of the node that is there; 0 for no node, and for what is the offset of none.
pub const fn node_index(offset: NodeOffset) -> NodeIndex {
    offset.saturating_sub(LOCATION_PAGE_BYTES as u32) / size_of::<Node>() as u32
}

/// What distinguishes a node from its siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A visit of a region.
    Region(u32),
    /// A stub below a scheduling point: explicit tasks of this region were executed there.
    Stub(u32),
    /// A parallel region that another location forked at its node: the two are one call path.
    Attach {
        /// Location that forked.
        location: u32,
        /// Its node.
        node: NodeIndex,
    },
    /// What the parent, a barrier, critical, lock, ordered or taskwait, has waited for: where the
    /// delaying location was. Not among the parent's children, but in a list of its own.
    Cause {
        /// Location that was waited for; [`Key::OTHERS`] where there are too many to tell apart.
        location: u32,
        /// Its node, 0 where it was not observed there: a [`NodeOffset`] in the file, since that is
        /// what whoever makes others wait publishes, and a [`NodeIndex`] in what was read.
        node: u32,
    },
    /// From here on a parameter has a value, until the region around ends.
    Parameter {
        /// Which one, as [`Definition::Parameter`](crate::Definition::Parameter) numbers it.
        parameter: u32,
        /// The region that stands for it with this value.
        region: u32,
    },
}

impl Node {
    /// One more square at a barrier.
    #[inline(always)]
    pub fn add_square(&mut self, square: f64) {
        self.created = (f64::from_bits(self.created) + square).to_bits();
    }
}

impl Key {
    /// The location of a [`Key::Cause`] that stands for all further ones.
    pub const OTHERS: u32 = (1 << 30) - 1;

    const STUB: u64 = 1 << 62;
    const ATTACH: u64 = 1 << 63;
    const CAUSE: u64 = Self::STUB | Self::ATTACH;
    /// Not set in a region's or a stub's key.
    const PARAMETER: u64 = 1 << 61;
    /// Parameters that a key can tell apart.
    pub const PARAMETERS: u32 = 1 << 29;

    /// The key in 64 bits.
    #[inline(always)]
    pub const fn encode(self) -> u64 {
        match self {
            Key::Region(region) => region as u64,
            Key::Stub(region) => Self::STUB | region as u64,
            Key::Attach { location, node } => Self::ATTACH | (location as u64) << 32 | node as u64,
            Key::Cause { location, node } => Self::CAUSE | (location as u64) << 32 | node as u64,
            Key::Parameter { parameter, region } => {
                Self::PARAMETER | (parameter as u64) << 32 | region as u64
            }
        }
    }

    /// The key that `bits` stand for.
    pub const fn decode(bits: u64) -> Self {
        if bits & Self::CAUSE == Self::CAUSE {
            Key::Cause { location: (bits >> 32) as u32 & Self::OTHERS, node: bits as u32 }
        } else if bits & Self::ATTACH != 0 {
            let location = (bits >> 32) as u32 & (u32::MAX >> 1);
            Key::Attach { location, node: bits as u32 }
        } else if bits & Self::STUB != 0 {
            Key::Stub(bits as u32)
        } else if bits & Self::PARAMETER != 0 {
            let parameter = (bits >> 32) as u32 & (Self::PARAMETERS - 1);
            Key::Parameter { parameter, region: bits as u32 }
        } else {
            Key::Region(bits as u32)
        }
    }
}

/// One call path of one location. Times are clock ticks. The first 64 bytes are all that the
/// common events touch.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug, Default)]
pub struct Node {
    /// [`Key::encode`]d; never changes, so other threads may read it.
    pub key: u64,
    /// Never changes. These four are [`NodeOffset`]s in the file, and [`NodeIndex`]es in what
    /// [`LiveProcess`](crate::LiveProcess) has read.
    pub parent: u32,
    /// Head of the list of children.
    pub first_child: u32,
    /// Next child of the same parent.
    pub sibling: u32,
    /// The child that was taken last.
    pub hint: u32,
    /// Enters.
    pub visits: u64,
    /// Time spent here and in nothing below.
    pub ticks: u64,
    /// Barrier: waiting for the latest arrival. Critical, lock: held by another thread meanwhile.
    /// Ordered: waiting for the turn. Function of POSIX threads: waiting for another thread.
    /// Atomic: what other threads cost the visits that were timed. Loop: see
    /// [`Iterations`](crate::Iterations), as for five other fields. MPI: see
    /// [`MpiValues`](crate::MpiValues), as for six other fields.
    pub wait_ticks: u64,
    /// Barrier: after the latest arrival, without a task to execute.
    pub starvation_ticks: u64,
    /// The runtime's own. Creation: lowest bit, whether the last instance created here was
    /// undeferred; creation and root of a task tree: the address of its [`TaskRecord`]s. Chunk: the
    /// iteration that would continue it. Waiting: the list of what was waited for, a
    /// [`NodeOffset`].
    pub private: u64,
    /// Parallel region and its final barrier: fork and join management.
    pub management_ticks: u64,
    /// Barrier: how often this location arrived last. Lock: when its test found first that another
    /// location has it, if it has not been acquired since.
    pub last_arrivals: u64,
    /// Part of the management before this thread's begin. Atomic: see `atomic.rs`.
    pub fork_ticks: u64,
    /// Barrier: the time of the others that this location caused by arriving last, between their
    /// arrivals and its own, tasks that they executed meanwhile included. Lock: how long this
    /// location held the locks that it acquired here. Atomic: see `atomic.rs`.
    pub delay_ticks: u64,
    /// Stub: time of the tasks executed here. Lock: time for which it was tested again and again,
    /// while another location had it.
    pub task_ticks: u64,
    /// Stub: fragments of tasks begun or resumed here.
    pub task_switches: u64,
    /// Creation: deferred task instances. Barrier of a team without tasks: the sum of the squares
    /// of how long after the team's mean arrival this location arrived, the bits of a
    /// floating-point number. Lock: the address of the one that another location has.
    pub created: u64,
    /// Creation: task instances executed at once by the thread that met them, counted only. Atomic:
    /// number of visits that were timed. Lock: tests of the same one.
    pub undeferred: u64,
}

/// A clock reading beside the same moment in real time.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct Calibration {
    /// The measurement clock.
    pub ticks: u64,
    /// `CLOCK_MONOTONIC_RAW`.
    pub monotonic_ns: u64,
    /// `CLOCK_REALTIME`.
    pub realtime_ns: u64,
}

/// How many readings of the clock are timed at the start.
pub const CLOCK_READINGS: u64 = 16;
/// Cycles that are timed when a process starts.
pub const CHAIN_CYCLES: u64 = 16_384;
/// Atomic additions that are timed when a process starts.
pub const ATOMICS: u64 = 512;

/// The process as a whole.
#[repr(C)]
#[derive(Debug)]
pub struct ProcessHeader {
    /// [`MAGIC`].
    pub magic: u64,
    /// Process id.
    pub pid: u64,
    /// Taken when the library was loaded: the start of the measurement.
    pub start: Calibration,
    /// Taken where `ended` was noted.
    pub end: Calibration,
    /// 1 where the clock is the time-stamp counter, 0 where it counts nanoseconds.
    pub tsc: u64,
    /// Whether events are recorded.
    pub trace: u64,
    /// Number of locations.
    pub locations: AtomicU32,
    /// Number of team records.
    pub teams: AtomicU32,
    /// Bytes of the definitions log that are complete.
    pub definitions_bytes: AtomicU64,
    /// Events that could not be recorded (memory, disk or nesting limits).
    pub lost_events: AtomicU64,
    /// Threads that could not be given a location.
    pub lost_locations: AtomicU64,
    /// The first failure inside the tool as an `errno`, 0 for none.
    pub first_errno: AtomicU32,
    /// 1 where the trace is for readers of OTF2 before 1.2.
    pub legacy_records: u32,
    /// Least share of the time, in permille, in which all metrics of a thread were counted.
    pub metrics_running_permille: AtomicU32,
    /// The process that this one was forked from without an exec, 0 for none.
    pub forked_from: u32,
    /// Locations whose lost events have not all been counted.
    pub uncounted: AtomicU32,
    /// Entries that had no place in each [`FixedTable`].
    pub without_place: [AtomicU64; FixedTable::ALL.len()],
    /// Readings of metrics, and visits with their times, for which the files could not grow.
    pub lost_readings: AtomicU64,
    /// The end that was noted, as [`NotedEnd::encode`](crate::NotedEnd::encode) has it; 0 where the
    /// process did not get there.
    pub ended: AtomicU64,
    /// CPU time of all threads of the process at its end, 0 where it did not get there.
    pub cpu_ns: AtomicU64,
    /// The program's name, NUL padded.
    pub program: [u8; 256],
    /// The host's name, NUL padded.
    pub host: [u8; 64],
    /// Ticks that [`CLOCK_READINGS`] readings of the clock took; 0 where that was not found out.
    pub clock_readings_ticks: u64,
    /// Ticks that [`CHAIN_CYCLES`] cycles of the processor took.
    pub chain_ticks: u64,
    /// Ticks that [`ATOMICS`] atomic additions to memory of no other thread took.
    pub atomics_ticks: u64,
    /// Most memory of the process at a time (resident set size), noted at its end; 0 where it did
    /// not get there.
    pub peak_bytes: AtomicU64,
    /// Page faults of the process up to its end.
    pub page_faults: AtomicU64,
    /// Those of them that waited for data from a disk.
    pub disk_faults: AtomicU64,
}

/// What `finish` needs of a location; the runtime keeps more behind it in the same page.
#[repr(C)]
#[derive(Debug)]
pub struct LocationHeader {
    /// [`MAGIC`].
    pub magic: u64,
    /// This location.
    pub index: u32,
    /// Location that forks this one's teams, `u32::MAX` for an initial thread.
    pub parent: u32,
    /// Thread number in those teams.
    pub thread: u32,
    /// Nodes in use, including the unused node 0.
    pub nodes: AtomicU32,
    /// Current node.
    pub current: NodeOffset,
    /// Team + 1 whose final barrier this location is in, 0 for none.
    pub final_barrier: u32,
    /// Time of the last event: everything before is accounted.
    pub last_ticks: u64,
    /// Nesting level of those teams: 1 for teams that an initial thread forks, 0 for an initial
    /// thread itself. One location forks teams of several levels where it is a thread 0.
    pub level: u32,
    /// Task records in use, including the unused record 0.
    pub task_records: AtomicU32,
    /// Visits that are in the sums of its trace, and have no records.
    pub summed_visits: u64,
    /// Visits of functions and user regions that are excluded and came after the first.
    pub excluded_visits: u64,
}

/// Bins of a distribution: one for every number of binary digits that a time can have.
pub const BINS: usize = 64;

/// Which time of task instances a [`TaskRecord`] is about.
pub mod task_time {
    /// Creating it, until its creator goes on.
    pub const CREATION: u32 = 0;
    /// From the begin of its creation to its own.
    pub const WAITING: u32 = 1;
    /// Executing it, without being suspended.
    pub const EXECUTION: u32 = 2;
}

/// One time of the instances of one task construct on one location, as a distribution in constant
/// memory. The number of instances is the sum of the bins.
#[repr(C, align(64))]
#[derive(Clone, Copy, Debug)]
pub struct TaskRecord {
    /// The task's region.
    pub region: u32,
    /// Which time: [`task_time`].
    pub time: u32,
    /// Smallest, in ticks.
    pub min_ticks: u64,
    /// Largest.
    pub max_ticks: u64,
    /// Sum.
    pub sum_ticks: u64,
    /// Sum of squares, its lower half first.
    pub sum_of_squares: [u64; 2],
    /// How many had so many binary digits: bin `b` is for `2^(b-1)` to `2^b - 1` ticks.
    pub bins: [u32; BINS],
}

impl TaskRecord {
    /// Nothing yet.
    pub const fn new(region: u32, time: u32) -> Self {
        let (min_ticks, max_ticks, sum_ticks, sum_of_squares) = (u64::MAX, 0, 0, [0; 2]);
        Self { region, time, min_ticks, max_ticks, sum_ticks, sum_of_squares, bins: [0; BINS] }
    }

    /// One more instance.
    #[inline(always)]
    pub fn add(&mut self, ticks: u64) {
        if ticks < self.min_ticks {
            self.min_ticks = ticks;
        }
        if ticks > self.max_ticks {
            self.max_ticks = ticks;
        }
        self.sum_ticks = self.sum_ticks.wrapping_add(ticks);
        // Integers: a conversion to floating point takes longer than all the rest.
        let square = u128::from(ticks) * u128::from(ticks);
        let (low, carry) = self.sum_of_squares[0].overflowing_add(square as u64);
        let high = self.sum_of_squares[1].wrapping_add((square >> 64) as u64);
        self.sum_of_squares = [low, high.wrapping_add(u64::from(carry))];
        // Twice the value and one has a digit more, and is never 0.
        self.bins[(ticks << 1 | 1).ilog2() as usize] += 1;
    }

    /// The sum of squares as a number.
    pub fn squares(&self) -> f64 {
        let [low, high] = self.sum_of_squares;
        (u128::from(high) << 64 | u128::from(low)) as f64
    }
}

/// Inclusive times of the visits of one node, on request; the record with a node's index is the
/// node's. All 0 before the first visit.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct VisitRecord {
    /// Visits that have begun.
    pub begun: u64,
    /// Visits that have ended, in whatever way: those that the other fields are about.
    pub ended: u64,
    /// Shortest, in ticks.
    pub min_ticks: u64,
    /// Longest.
    pub max_ticks: u64,
    /// Sum.
    pub sum_ticks: u64,
    /// Sum of squares.
    pub sum_of_squares: f64,
}

/// One team, recycled when it has joined and all of its workers have closed it.
#[repr(C, align(64))]
#[derive(Debug, Default)]
pub struct Team {
    /// When the region was met.
    pub fork_ticks: AtomicU64,
    /// Location that forked.
    pub master: AtomicU32,
    /// Its node of the parallel region, a [`NodeOffset`].
    pub node: AtomicU32,
    /// Where an explicit task forked: the stub on the master that stands for it, else 0.
    pub stub: AtomicU32,
    /// Behind the join: 1 while its workers may not have closed it yet.
    pub open: AtomicU32,
    /// Communicator id in the trace + 1, for `communicator_size` threads.
    pub communicator: AtomicU32,
    /// The size that `communicator` was made for.
    pub communicator_size: AtomicU32,
    /// Level of nesting, 1 for the outermost.
    pub level: AtomicU32,
    /// Threads, for who forks it.
    pub size: AtomicU32,
    /// What a worker's call path is there: the [`Key::Attach`] of `master` and `node`.
    pub path: AtomicU64,
    /// Which locations its threads are: `master` and `level` in one word; 0 where that is not all
    /// that there is to know, since an explicit task forked it.
    pub crew: AtomicU64,
    /// The runtime's own: the address of the construct's regions, 0 where the calls of its threads
    /// may not name the team.
    pub regions: AtomicU64,
    /// Arrivals at the current barrier: times << 16 (wrapping) + number of threads. From here on it
    /// is a cache line of its own, the only one that a barrier or a join moves between threads;
    /// workers only read what is before it.
    pub arrivals: AtomicU64,
    /// Completed barriers.
    pub generation: AtomicU64,
    /// When the last thread arrived at the barrier that was completed last, and in the highest bit
    /// whether the team has tasks.
    pub latest_ticks: AtomicU64,
    /// Where it arrived: the [`Key::Cause`] of those who have waited for it, with a [`NodeOffset`].
    pub latest_place: AtomicU64,
    /// The same of where a task ended last, of those that ended after the latest arrival; 0 for
    /// none. In a team without tasks: the mean time between an arrival and the latest one, the bits
    /// of a floating-point number.
    pub last_task_place: AtomicU64,
    /// When a thread came last to the `source` of a doacross loop.
    pub posted_ticks: AtomicU64,
    /// Where that was, as `latest_place`.
    pub posted_place: AtomicU64,
    /// When the master was back, 0 before.
    pub join_ticks: AtomicU64,
}

const _: () = assert!(size_of::<Node>() == 128 && size_of::<Team>() == 128);
const _: () = assert!(std::mem::offset_of!(Team, arrivals) == 64);
const _: () = assert!(size_of::<TaskRecord>() == 320);
const _: () = assert!(size_of::<ProcessHeader>() <= 4096);

#[cfg(test)]
mod tests {
    use super::*;

    /// The picture at the top of this file.
    #[test]
    fn fields_are_where_the_picture_shows_them() {
        use std::mem::offset_of;
        assert_eq!(crate::THREAD_RECORD_OFFSET, 3864);
        assert_eq!([0, 1, 3].map(node_offset), [4096, 4224, 4480]);
        let header = [
            offset_of!(LocationHeader, index),
            offset_of!(LocationHeader, thread),
            offset_of!(LocationHeader, current),
            offset_of!(LocationHeader, last_ticks),
            offset_of!(LocationHeader, level),
            offset_of!(LocationHeader, summed_visits),
            offset_of!(LocationHeader, excluded_visits),
        ];
        assert_eq!(header, [8, 16, 24, 32, 40, 48, 56]);
        let node = [
            offset_of!(Node, parent),
            offset_of!(Node, sibling),
            offset_of!(Node, visits),
            offset_of!(Node, ticks),
            offset_of!(Node, management_ticks),
            offset_of!(Node, task_ticks),
        ];
        assert_eq!(node, [8, 16, 24, 32, 64, 96]);
        let team = [
            offset_of!(Team, master),
            offset_of!(Team, stub),
            offset_of!(Team, communicator),
            offset_of!(Team, level),
            offset_of!(Team, arrivals),
            offset_of!(Team, last_task_place),
            offset_of!(Team, join_ticks),
        ];
        assert_eq!(team, [8, 16, 24, 32, 64, 96, 120]);
        let process = [
            offset_of!(ProcessHeader, start),
            offset_of!(ProcessHeader, end),
            offset_of!(ProcessHeader, tsc),
            offset_of!(ProcessHeader, locations),
            offset_of!(ProcessHeader, lost_events),
            offset_of!(ProcessHeader, uncounted),
            offset_of!(ProcessHeader, without_place),
        ];
        assert_eq!(process, [16, 40, 64, 80, 96, 128, 136]);
    }

    #[test]
    fn offsets_come_back() {
        for index in [1, 2, 1 << 20] {
            assert_eq!(node_index(node_offset(index)), index);
        }
        assert_eq!((node_index(0), node_index(node_offset(0))), (0, 0));
    }

    #[test]
    fn keys_come_back() {
        for key in [
            Key::Region(7),
            Key::Stub(u32::MAX),
            Key::Attach { location: 12, node: 99 },
            Key::Attach { location: 0, node: u32::MAX },
            Key::Cause { location: 3, node: 7 },
            Key::Cause { location: Key::OTHERS, node: 0 },
            Key::Parameter { parameter: 0, region: 9 },
            Key::Parameter { parameter: Key::PARAMETERS - 1, region: u32::MAX },
        ] {
            assert_eq!(Key::decode(key.encode()), key);
        }
    }
}

//! The table of what is measured: one row per metric, with the function that takes its value from a
//! node of live state.
//!
//! To add a measured value: a field of `live::Node`, which `live/src/layout.rs` describes, and a
//! row in [`MEASURED`]. Values that are counted on request are not here: `counted.rs`.

use pompeii_live::{Definition, Iterations, LiveProcess, Node, RegionKind};
use pompeii_model::{Display, Metric, Paradigm, Role, Unit};

use self::Value::{OfNode, TimedAtomics, WholeLoop};

/// A metric that is measured.
pub struct Row {
    name: &'static str,
    title: &'static str,
    unit: Unit,
    description: &'static str,
    /// Where its values come from.
    pub value: Value,
}

/// Where the values of a metric come from.
#[derive(Clone, Copy)]
pub enum Value {
    /// From each node, which is added to its call path.
    OfNode(fn(&Visited) -> u64),
    /// From all nodes of a loop's call path together: they have a smallest and a largest number,
    /// which cannot be added.
    WholeLoop(fn(&Iterations) -> u64),
    /// From the timed visits of atomics: see `atomics.rs`.
    TimedAtomics,
}

/// A node, and what it is a visit of.
pub struct Visited<'a> {
    /// The node.
    pub node: &'a Node,
    /// The role of its region.
    pub role: Role,
    /// The paradigm of its region.
    pub paradigm: Paradigm,
    /// Of the process's clock.
    pub ticks_per_second: f64,
}

impl Visited<'_> {
    /// The value in a construct of OpenMP of this role.
    fn openmp(&self, role: Role, value: u64) -> u64 {
        if self.role == role { self.any_openmp(value) } else { 0 }
    }

    fn is_mpi(&self) -> bool {
        self.paradigm == Paradigm::Mpi
    }

    /// The value in anything but a function of MPI, for files or of POSIX threads, which have
    /// others in the field.
    fn any_openmp(&self, value: u64) -> u64 {
        match self.paradigm {
            Paradigm::Mpi | Paradigm::Io | Paradigm::Pthread => 0,
            _ => value,
        }
    }

    /// The value in anything but a lock routine, which has something else in the field.
    fn unless_lock(&self, value: u64) -> u64 {
        if !self.is_mpi() && self.role == Role::Lock { 0 } else { value }
    }

    /// The value in a function of MPI of this role.
    fn mpi(&self, role: Role, value: u64) -> u64 {
        if self.is_mpi() && self.role == role { value } else { 0 }
    }

    /// The value in a function that locks a mutex, or a lock for readers and writers.
    fn mutex(&self, value: u64) -> u64 {
        if self.paradigm == Paradigm::Pthread && self.role == Role::Lock { value } else { 0 }
    }

    /// The value in a function that reads or writes files, of MPI or another one.
    fn file(&self, value: u64) -> u64 {
        if self.role == Role::File { value } else { 0 }
    }

    /// The value in a collective operation.
    fn collective(&self, value: u64) -> u64 {
        let roles = [Role::OneToAll, Role::AllToOne, Role::AllToAll, Role::Collective];
        if self.is_mpi() && roles.contains(&self.role) { value } else { 0 }
    }

    fn is_barrier(&self) -> bool {
        matches!(self.role, Role::Barrier | Role::ImplicitBarrier)
    }

    /// A barrier's squares, from ticks to units of 10 us; 0, which means unknown, if damage has
    /// left no number, or more than can be added up.
    fn squares(&self) -> u64 {
        const MOST: f64 = (1_u64 << 56) as f64;
        let of_tick = 1e5 / self.ticks_per_second;
        let squares = (f64::from_bits(self.node.created) * of_tick * of_tick).round();
        if (0.0..MOST).contains(&squares) { squares as u64 } else { 0 }
    }
}

/// What is always measured. The time is the first one: [`TIME`].
const MEASURED: &[Row] = &[
    Row {
        name: "time",
        title: "Time",
        unit: Unit::Ticks,
        description: "Time spent in the call path; a task's only in its task tree",
        value: OfNode(|of| of.node.ticks),
    },
    Row {
        name: "visits",
        title: "Visits",
        unit: Unit::Count,
        description: "Enters of the call path",
        value: OfNode(|of| of.node.visits),
    },
    Row {
        name: "omp_management",
        title: "Management",
        unit: Unit::Ticks,
        description: "Fork and join of parallel regions",
        value: OfNode(|of| of.node.management_ticks),
    },
    Row {
        name: "omp_fork",
        title: "Fork",
        unit: Unit::Ticks,
        description: "From the fork to the thread's begin",
        value: OfNode(|of| of.node.fork_ticks),
    },
    Row {
        name: "omp_ibarrier_wait",
        title: "Wait at implicit barrier",
        unit: Unit::Ticks,
        description: "Until the latest arrival",
        value: OfNode(|of| of.openmp(Role::ImplicitBarrier, of.node.wait_ticks)),
    },
    Row {
        name: "omp_ebarrier_wait",
        title: "Wait at explicit barrier",
        unit: Unit::Ticks,
        description: "Until the latest arrival",
        value: OfNode(|of| of.openmp(Role::Barrier, of.node.wait_ticks)),
    },
    Row {
        name: "omp_task_starvation",
        title: "Task starvation",
        unit: Unit::Ticks,
        description: "In a barrier with nothing to run",
        value: OfNode(|of| of.any_openmp(of.node.starvation_ticks)),
    },
    Row {
        name: "omp_lock_contention_critical",
        title: "Critical contention",
        unit: Unit::Ticks,
        description: "Held by another thread",
        value: OfNode(|of| of.openmp(Role::Critical, of.node.wait_ticks)),
    },
    Row {
        name: "omp_lock_contention_api",
        title: "Lock contention",
        unit: Unit::Ticks,
        description: "Held by another thread",
        value: OfNode(|of| of.openmp(Role::Lock, of.node.wait_ticks)),
    },
    Row {
        name: "omp_ordered_wait",
        title: "Wait for ordered",
        unit: Unit::Ticks,
        description: "Until it was the iteration's turn",
        value: OfNode(|of| of.openmp(Role::Ordered, of.node.wait_ticks)),
    },
    Row {
        name: "task_time",
        title: "Task time",
        unit: Unit::Ticks,
        description: "Time of tasks executed at this scheduling point",
        value: OfNode(|of| of.unless_lock(of.node.task_ticks)),
    },
    Row {
        name: "task_switches",
        title: "Task fragments",
        unit: Unit::Count,
        description: "Fragments of tasks begun or resumed here",
        value: OfNode(|of| of.any_openmp(of.node.task_switches)),
    },
    Row {
        name: "tasks_created",
        title: "Tasks created",
        unit: Unit::Count,
        description: "Deferred task instances",
        value: OfNode(|of| {
            if of.is_barrier() { 0 } else { of.unless_lock(of.any_openmp(of.node.created)) }
        }),
    },
    Row {
        name: "tasks_undeferred",
        title: "Undeferred tasks",
        unit: Unit::Count,
        description: "Executed at once, counted only",
        value: OfNode(|of| of.unless_lock(of.any_openmp(of.node.undeferred))),
    },
    Row {
        name: "omp_barrier_last",
        title: "Last arrivals",
        unit: Unit::Count,
        description: "How often the location arrived last",
        value: OfNode(|of| of.unless_lock(of.any_openmp(of.node.last_arrivals))),
    },
    Row {
        name: "omp_barrier_delay",
        title: "Barrier delay",
        unit: Unit::Ticks,
        description: "Waiting of others for this location",
        value: OfNode(|of| of.unless_lock(of.any_openmp(of.node.delay_ticks))),
    },
    Row {
        name: "omp_barrier_spread",
        title: "Barrier spread",
        unit: Unit::Count,
        description: "Squares of arrivals, (10 us)^2",
        value: OfNode(|of| if of.is_barrier() { of.any_openmp(of.squares()) } else { 0 }),
    },
    Row {
        name: "omp_loop_iterations",
        title: "Loop iterations",
        unit: Unit::Count,
        description: "Of whole loops, summed over visits",
        value: WholeLoop(|all| all.sum),
    },
    Row {
        name: "omp_loop_visits_known",
        title: "Counted loops",
        unit: Unit::Count,
        description: "Visits with known iterations",
        value: WholeLoop(|all| all.known_visits),
    },
    Row {
        name: "omp_loop_iterations_min",
        title: "Fewest iterations",
        unit: Unit::Count,
        description: "Of a whole loop in one visit",
        value: WholeLoop(|all| all.min),
    },
    Row {
        name: "omp_loop_iterations_max",
        title: "Most iterations",
        unit: Unit::Count,
        description: "Of a whole loop in one visit",
        value: WholeLoop(|all| all.max),
    },
    Row {
        name: "omp_atomic_contention",
        title: "Atomic contention",
        unit: Unit::Ticks,
        description: "From samples, part of the time",
        value: TimedAtomics,
    },
    Row {
        name: "omp_lock_held",
        title: "Lock held",
        unit: Unit::Ticks,
        description: "For which a lock acquired here was held",
        value: OfNode(|of| of.openmp(Role::Lock, of.node.delay_ticks)),
    },
    Row {
        name: "omp_lock_tested",
        title: "Lock tested",
        unit: Unit::Ticks,
        description: "Again and again, while another thread had it",
        value: OfNode(|of| of.openmp(Role::Lock, of.node.task_ticks)),
    },
];

/// Where the time is among them.
pub const TIME: usize = 0;

/// Of files, if functions for them are observed.
const MEASURED_FILES: &[Row] = &[
    Row {
        name: "bytes_written",
        title: "Bytes written",
        unit: Unit::Bytes,
        description: "To files",
        value: OfNode(|of| of.file(of.node.mpi().bytes_sent)),
    },
    Row {
        name: "bytes_read",
        title: "Bytes read",
        unit: Unit::Bytes,
        description: "From files",
        value: OfNode(|of| of.file(of.node.mpi().bytes_received)),
    },
];

/// Of MPI, if the process uses it.
const MEASURED_MPI: &[Row] = &[
    Row {
        name: "bytes_sent",
        title: "Bytes sent",
        unit: Unit::Bytes,
        description: "By point-to-point communication",
        value: OfNode(|of| of.mpi(Role::PointToPoint, of.node.mpi().bytes_sent)),
    },
    Row {
        name: "bytes_rcvd",
        title: "Bytes received",
        unit: Unit::Bytes,
        description: "By point-to-point communication",
        value: OfNode(|of| of.mpi(Role::PointToPoint, of.node.mpi().bytes_received)),
    },
    Row {
        name: "bytes_cout",
        title: "Bytes outgoing",
        unit: Unit::Bytes,
        description: "By collective communication",
        value: OfNode(|of| of.collective(of.node.mpi().bytes_sent)),
    },
    Row {
        name: "bytes_cin",
        title: "Bytes incoming",
        unit: Unit::Bytes,
        description: "By collective communication",
        value: OfNode(|of| of.collective(of.node.mpi().bytes_received)),
    },
    Row {
        name: "bytes_put",
        title: "Bytes put",
        unit: Unit::Bytes,
        description: "By one-sided communication",
        value: OfNode(|of| of.mpi(Role::OneSided, of.node.mpi().bytes_sent)),
    },
    Row {
        name: "bytes_get",
        title: "Bytes got",
        unit: Unit::Bytes,
        description: "By one-sided communication",
        value: OfNode(|of| of.mpi(Role::OneSided, of.node.mpi().bytes_received)),
    },
    Row {
        name: "comms_send",
        title: "Messages sent",
        unit: Unit::Count,
        description: "By point-to-point communication",
        value: OfNode(|of| of.mpi(Role::PointToPoint, of.node.mpi().messages_sent)),
    },
    Row {
        name: "comms_recv",
        title: "Messages received",
        unit: Unit::Count,
        description: "By point-to-point communication",
        value: OfNode(|of| of.mpi(Role::PointToPoint, of.node.mpi().messages_received)),
    },
    Row {
        name: "mpi_latesender",
        title: "Late sender",
        unit: Unit::Ticks,
        description: "Until the message was sent",
        value: OfNode(|of| of.mpi(Role::PointToPoint, of.node.mpi().wait_ticks)),
    },
    Row {
        name: "mpi_barrier_wait",
        title: "Wait at MPI barrier",
        unit: Unit::Ticks,
        description: "Until the latest arrival",
        value: OfNode(|of| of.mpi(Role::Barrier, of.node.mpi().wait_ticks)),
    },
    Row {
        name: "mpi_wait_nxn",
        title: "Wait at N x N",
        unit: Unit::Ticks,
        description: "Until the latest arrival",
        value: OfNode(|of| of.mpi(Role::AllToAll, of.node.mpi().wait_ticks)),
    },
    Row {
        name: "mpi_latebroadcast",
        title: "Late broadcast",
        unit: Unit::Ticks,
        description: "Until the root arrived",
        value: OfNode(|of| of.mpi(Role::OneToAll, of.node.mpi().wait_ticks)),
    },
    Row {
        name: "mpi_earlyreduce",
        title: "Early reduce",
        unit: Unit::Ticks,
        description: "Until the first other process arrived",
        value: OfNode(|of| of.mpi(Role::AllToOne, of.node.mpi().wait_ticks)),
    },
    Row {
        name: "mpi_earlyscan",
        title: "Early scan",
        unit: Unit::Ticks,
        description: "Until the latest of the lower ranks arrived",
        value: OfNode(|of| of.mpi(Role::Collective, of.node.mpi().wait_ticks)),
    },
    Row {
        name: "mpi_icollective_wait",
        title: "Wait for collective",
        unit: Unit::Ticks,
        description: "Until the others had begun",
        value: OfNode(|of| of.mpi(Role::PointToPoint, of.node.mpi().collective_wait_ticks)),
    },
    Row {
        name: "mpi_own_messages",
        title: "Own messages",
        unit: Unit::Ticks,
        description: "Messages of Pompeii, part of the time",
        value: OfNode(|of| if of.is_mpi() { of.node.mpi().own_ticks } else { 0 }),
    },
];

/// Of mutexes of POSIX threads, if these are observed.
const MEASURED_THREADS: &[Row] = &[
    Row {
        name: "pthread_lock_contention_mutex_lock",
        title: "Mutex contention",
        unit: Unit::Ticks,
        description: "Held by another thread",
        value: OfNode(|of| of.mutex(of.node.wait_ticks)),
    },
    Row {
        name: "pthread_lock_held",
        title: "Mutex held",
        unit: Unit::Ticks,
        description: "For which a mutex acquired here was held",
        value: OfNode(|of| of.mutex(of.node.delay_ticks)),
    },
];

/// What a process uses next to OpenMP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Uses {
    /// Functions for files, which were observed, or those of MPI.
    files: bool,
    /// MPI.
    mpi: bool,
    /// POSIX threads, which were observed.
    threads: bool,
}

impl Uses {
    /// What a process uses.
    pub fn of(live: &LiveProcess) -> Self {
        let has = |kinds: &[RegionKind]| {
            live.definitions.iter().any(|definition| {
                matches!(definition, Definition::Region { kind, .. } if kinds.contains(kind))
            })
        };
        let mpi = crate::mpi::world(live).is_some();
        let of_threads = [RegionKind::ThreadStart, RegionKind::ThreadLock, RegionKind::ThreadOther];
        Self { files: mpi || has(&[RegionKind::Io]), mpi, threads: has(&of_threads) }
    }
}

/// The rows of a process.
pub fn rows(uses: Uses) -> impl Iterator<Item = &'static Row> {
    let of = |wanted: bool, rows: &'static [Row]| rows.iter().filter(move |_| wanted);
    let more = of(uses.files, MEASURED_FILES).chain(of(uses.mpi, MEASURED_MPI));
    MEASURED.iter().chain(more).chain(of(uses.threads, MEASURED_THREADS))
}

/// All rows.
pub fn all_rows() -> impl Iterator<Item = &'static Row> {
    rows(Uses { files: true, mpi: true, threads: true })
}

/// The metrics that are measured, in the order of [`rows`].
pub fn metrics(uses: Uses) -> impl Iterator<Item = Metric> {
    rows(uses).map(|row| Metric {
        name: row.name.to_owned(),
        title: row.title.to_owned(),
        description: row.description.to_owned(),
        unit: row.unit,
        parent: None,
        display: Display::default(),
    })
}

/// Whether the metric is always measured, and not one that was asked for.
pub fn is_measured(name: &str) -> bool {
    all_rows().any(|row| row.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The metrics that a node has, all of whose fields are 1 but the creations, which are 2.
    fn values(role: Role, paradigm: Paradigm) -> Vec<(&'static str, u64)> {
        let node = Node {
            visits: 1,
            ticks: 1,
            wait_ticks: 1,
            starvation_ticks: 1,
            management_ticks: 1,
            last_arrivals: 1,
            fork_ticks: 1,
            delay_ticks: 1,
            task_ticks: 1,
            task_switches: 1,
            created: 2,
            undeferred: 1,
            ..Node::default()
        };
        let visited = Visited { node: &node, role, paradigm, ticks_per_second: 1e9 };
        let of_nodes = all_rows().filter_map(|row| match row.value {
            OfNode(value) => Some((row.name, value(&visited))),
            WholeLoop(_) | TimedAtomics => None,
        });
        of_nodes.filter(|&(_, value)| value != 0).collect()
    }

    fn check(role: Role, paradigm: Paradigm, expected: &[&str]) {
        let common = ["time", "visits", "omp_management", "omp_fork", "task_time"];
        let found = values(role, paradigm).into_iter().map(|(name, _)| name);
        let found: Vec<&str> = found.filter(|name| !common.contains(name)).collect();
        assert_eq!(found, expected, "{role:?}");
    }

    #[test]
    fn names_are_unique_and_the_time_is_the_first() {
        let names: BTreeSet<&str> = all_rows().map(|row| row.name).collect();
        assert_eq!((names.len(), all_rows().count()), (44, 44));
        assert_eq!(rows(Uses::default()).nth(TIME).map(|row| row.name), Some("time"));
        assert!(is_measured("comms_send") && !is_measured("cycles"));
        let neither = Uses::default();
        let with_files = Uses { files: true, ..neither };
        let kinds = [neither, with_files, Uses { mpi: true, ..with_files }];
        assert_eq!(kinds.map(|uses| metrics(uses).count()), [24, 26, 42]);
    }

    #[test]
    fn fields_mean_what_the_construct_says() {
        check(
            Role::Critical,
            Paradigm::OpenMp,
            &[
                "omp_task_starvation",
                "omp_lock_contention_critical",
                "task_switches",
                "tasks_created",
                "tasks_undeferred",
                "omp_barrier_last",
                "omp_barrier_delay",
            ],
        );
        // The bits of 2 are no number of squares that counts.
        check(
            Role::ImplicitBarrier,
            Paradigm::OpenMp,
            &[
                "omp_ibarrier_wait",
                "omp_task_starvation",
                "task_switches",
                "tasks_undeferred",
                "omp_barrier_last",
                "omp_barrier_delay",
            ],
        );
        check(
            Role::Lock,
            Paradigm::OpenMp,
            &[
                "omp_task_starvation",
                "omp_lock_contention_api",
                "task_switches",
                "omp_lock_held",
                "omp_lock_tested",
            ],
        );
    }

    #[test]
    fn mutexes_have_values_of_their_own() {
        let of_mutexes = ["pthread_lock_contention_mutex_lock", "pthread_lock_held"];
        check(Role::Lock, Paradigm::Pthread, &of_mutexes);
        check(Role::Function, Paradigm::Pthread, &[]);
    }

    #[test]
    fn functions_of_mpi_have_values_of_their_own() {
        check(
            Role::PointToPoint,
            Paradigm::Mpi,
            &[
                "bytes_sent",
                "bytes_rcvd",
                "comms_send",
                "comms_recv",
                "mpi_latesender",
                "mpi_icollective_wait",
                "mpi_own_messages",
            ],
        );
        check(
            Role::AllToAll,
            Paradigm::Mpi,
            &["bytes_cout", "bytes_cin", "mpi_wait_nxn", "mpi_own_messages"],
        );
        check(Role::Barrier, Paradigm::Mpi, &["mpi_barrier_wait", "mpi_own_messages"]);
        check(Role::File, Paradigm::Mpi, &["bytes_written", "bytes_read", "mpi_own_messages"]);
        check(Role::File, Paradigm::Io, &["bytes_written", "bytes_read"]);
        check(Role::OneSided, Paradigm::Mpi, &["bytes_put", "bytes_get", "mpi_own_messages"]);
    }
}

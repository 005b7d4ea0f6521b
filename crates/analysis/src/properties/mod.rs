//! The catalogue of performance properties. To add one: write a file next to this one with its
//! name, parent, documentation, computation and tests, and a line in `catalogue!` after its parent.
//! A property of waiting has a picture for `explain`, too: `PICTURE` in its file, and a line in
//! `pictures!`. The metric tree, `explain`, the page's help and the manual are all made from this
//! list.
//!
//! Names are Scalasca's where it has one, because scripts and people know them. A child is always
//! a part of its parent; what belongs to no OpenMP class (the overhead of worksharing constructs)
//! is computation.

mod gains;

use pompeii_model::{CallId, Row, Unit};
use pompeii_replay::Compound;

use crate::profile::Profile;
use crate::trace::instances::Instance;

/// One performance property: a metric of the cube, or a diagnosis made from several of them.
#[derive(Debug)]
pub struct Property {
    /// Unique name.
    pub name: &'static str,
    /// Name for people, in sentence case.
    pub title: &'static str,
    /// The metric that this one is a part of.
    pub parent: Option<&'static str>,
    /// What its integers stand for.
    pub unit: Unit,
    /// How its severities come about.
    pub compute: Compute,
    /// How the possible gain of a finding with this property is computed; empty where the property
    /// is never reported as a finding.
    pub gain: &'static str,
    /// The documentation.
    pub doc: Doc,
}

/// How the severities of a property come about.
#[derive(Clone, Copy)]
pub enum Compute {
    /// Taken from the profile's metric of the same name.
    Measured,
    /// Found in a trace: what each compound of the trace analysis adds, if anything.
    Found(fn(&Compound) -> Option<Instance>),
    /// The sum of its parts.
    Parts,
    /// A formula over the profile, per call path, for all locations.
    Row(fn(&Profile, CallId) -> Row),
    /// Not a metric: a diagnosis that names a problem.
    Nothing,
}

impl std::fmt::Debug for Compute {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Measured => "Measured",
            Self::Found(_) => "Found",
            Self::Parts => "Parts",
            Self::Row(_) => "Row",
            Self::Nothing => "Nothing",
        })
    }
}

/// Documentation under fixed headings.
#[derive(Clone, Copy, Debug)]
pub struct Doc {
    /// One paragraph; also the metric's description in tooltips and reports.
    pub measures: &'static str,
    /// The exact definition.
    pub formula: &'static str,
    /// Why one should care.
    pub cost: &'static str,
    /// What else in the report points to it.
    pub recognise: &'static str,
    /// What to change in the program.
    pub remedy: &'static str,
    /// A few lines of code or numbers.
    pub example: &'static str,
}

impl Property {
    /// The headings of its documentation with their texts, in the order in which they are shown.
    pub fn sections(&self) -> Vec<(&'static str, &'static str)> {
        let Doc { measures, formula, cost, recognise, remedy, example } = self.doc;
        let gain = (!self.gain.is_empty()).then_some(("Possible gain", self.gain));
        [("What it measures", measures), ("Formula", formula)]
            .into_iter()
            .chain(gain)
            .chain([
                ("Why it costs time", cost),
                ("How to recognise", recognise),
                ("What to try", remedy),
                ("Example", example),
            ])
            .collect()
    }

    /// Time lines of threads or processes, at most 76 columns wide, for waiting and its causes: its
    /// own, or those of the property that it is a part of.
    pub fn picture(&self) -> Option<&'static str> {
        let own = PICTURES.iter().find(|(name, _)| *name == self.name);
        own.map(|(_, picture)| *picture).or_else(|| self.parent.and_then(find)?.picture())
    }

    /// Whether it is a metric of the cube (and not a diagnosis).
    pub fn is_metric(&self) -> bool {
        !matches!(self.compute, Compute::Nothing)
    }
}

macro_rules! pictures {
    ($($module:ident)*) => {
        /// Properties that have a picture of their own: `PICTURE` in their file.
        const PICTURES: &[(&str, &str)] = &[$(($module::PROPERTY.name, $module::PICTURE)),*];
    };
}

macro_rules! catalogue {
    ($($(#[$doc:meta])* $module:ident)*) => {
        $($(#[$doc])* pub mod $module;)*
        /// All properties: metrics with parents before their children, then diagnoses.
        pub const ALL: &[&Property] = &[$(&$module::PROPERTY),*];
    };
}

catalogue! {
    /// CPU allocation time.
    time
    /// Time with code running.
    execution
    /// The user's own work.
    comp
    /// Time without recording.
    recording_off
    /// MPI.
    mpi
    /// Management.
    mpi_management
    /// Begin and end.
    mpi_init_exit
    /// The end of MPI_Init.
    mpi_init_completion
    /// Waiting at the end.
    mpi_finalize_wait
    /// Communicators.
    mpi_mgmt_comm
    /// Windows.
    mpi_mgmt_win
    /// Files, open and close.
    mpi_mgmt_file
    /// Synchronisation.
    mpi_synchronization
    /// MPI barriers.
    mpi_sync_collective
    /// Waiting.
    mpi_barrier_wait
    /// Leaving.
    mpi_barrier_completion
    /// One-sided synchronisation.
    mpi_rma_synchronization
    /// Active target.
    mpi_rma_sync_active
    /// Waiting at fences.
    mpi_rma_wait_at_fence
    /// Passive target.
    mpi_rma_sync_passive
    /// Communication.
    mpi_communication
    /// Point to point.
    mpi_point2point
    /// Late sender.
    mpi_latesender
    /// Messages in the wrong order.
    mpi_latesender_wo
    /// Of different processes.
    mpi_lswo_different
    /// Of one process.
    mpi_lswo_same
    /// Late receiver.
    mpi_latereceiver
    /// Wait for a non-blocking collective operation.
    mpi_icollective_wait
    /// Collective communication.
    mpi_collective
    /// Early reduce.
    mpi_earlyreduce
    /// Early scan.
    mpi_earlyscan
    /// Late broadcast.
    mpi_latebroadcast
    /// Wait at N x N.
    mpi_wait_nxn
    /// Leaving it.
    mpi_nxn_completion
    /// One-sided communication.
    mpi_rma_communication
    /// Files.
    mpi_io
    /// Individual access.
    mpi_io_individual
    /// Collective access.
    mpi_io_collective
    /// Waiting for the last process.
    mpi_io_collective_wait
    /// All of OpenMP.
    omp_time
    /// Fork and join.
    omp_management
    /// Fork.
    omp_fork
    /// Barriers, critical sections, locks, taskwait.
    omp_synchronization
    /// All barriers.
    omp_barrier
    /// Explicit barriers.
    omp_ebarrier
    /// Waiting at explicit barriers.
    omp_ebarrier_wait
    /// Waiting for tasks at explicit barriers.
    omp_ebarrier_starvation
    /// Implicit barriers.
    omp_ibarrier
    /// Waiting at implicit barriers.
    omp_ibarrier_wait
    /// Waiting for tasks at implicit barriers.
    omp_ibarrier_starvation
    /// Entry and exit of critical, and atomic.
    omp_critical
    /// Waiting for another thread in a critical section.
    omp_lock_contention_critical
    /// Lock routines.
    omp_lock_api
    /// Waiting for a lock's holder.
    omp_lock_contention_api
    /// Entry and exit of ordered.
    omp_ordered
    /// Waiting for an iteration's turn.
    omp_ordered_wait
    /// taskwait.
    omp_taskwait
    /// The end of taskgroups.
    omp_taskgroup
    /// taskyield.
    omp_taskyield
    /// Creating tasks.
    omp_task_creation
    /// Taskloops.
    omp_taskloop
    /// Flush.
    omp_flush
    /// Threads without work because the program is serial there.
    omp_idle_threads
    /// Threads that take no part in a parallel region.
    omp_limited_parallelism
    /// Processes that are not there yet, or any more.
    process_absent
    /// The chain of activities that determines the wall time.
    critical_path
    /// The part of it that is not spread evenly.
    critical_path_imbalance
    /// What it costs on all locations.
    performance_impact
    /// By call paths that are on it.
    performance_impact_criticalpath
    /// What locations do in them.
    critical_path_activities
    /// What they lose.
    critical_imbalance_impact
    /// Because of what they do for a shorter time.
    intra_partition_imbalance
    /// Because of what they do not do.
    inter_partition_imbalance
    /// By call paths that are not on it.
    non_critical_path_activities
    /// Waiting of other threads, at its causes.
    delay_omp
    /// The part of it that other waiting has passed on.
    delay_omp_indirect
    /// Waiting of other processes, at its causes.
    delay_mpi
    /// Waiting for a message that was sent late.
    delay_latesender
    /// Through the waiting of others.
    delay_latesender_longterm
    /// Waiting for a receive that was posted late.
    delay_latereceiver
    /// Through the waiting of others.
    delay_latereceiver_longterm
    /// Waiting for a non-blocking collective operation that another process began late.
    delay_icollective
    /// Through the waiting of others.
    delay_icollective_longterm
    /// Waiting at MPI barriers.
    delay_barrier
    /// Through the waiting of others.
    delay_barrier_longterm
    /// Waiting in operations that need the data of all processes.
    delay_n2n
    /// Through the waiting of others.
    delay_n2n_longterm
    /// Waiting for the root of an operation.
    delay_12n
    /// Through the waiting of others.
    delay_12n_longterm
    /// Waiting in operations whose root needs the data of all processes.
    delay_n21
    /// Through the waiting of others.
    delay_n21_longterm
    /// Waiting in MPI_Scan and MPI_Exscan.
    delay_scan
    /// Through the waiting of others.
    delay_scan_longterm
    /// Waiting at the end of MPI.
    delay_finalize
    /// Through the waiting of others.
    delay_finalize_longterm
    /// Waiting at fences of a window.
    delay_fence
    /// Through the waiting of others.
    delay_fence_longterm
    /// Waiting in collective operations on a file.
    delay_file
    /// Through the waiting of others.
    delay_file_longterm
    /// Waiting of threads because of what others did.
    omp_wait_direct
    /// Waiting of threads through the waiting of others.
    omp_wait_indirect
    /// Waiting of threads that makes others wait.
    omp_wait_propagating
    /// Waiting of threads that delays no other location.
    omp_wait_terminal
    /// Waiting of processes because of what others did.
    mpi_wait_direct
    /// For late senders.
    mpi_wait_direct_latesender
    /// For late receivers.
    mpi_wait_direct_latereceiver
    /// In collective operations.
    mpi_wait_direct_collective
    /// Waiting of processes through the waiting of others.
    mpi_wait_indirect
    /// For late senders.
    mpi_wait_indirect_latesender
    /// For late receivers.
    mpi_wait_indirect_latereceiver
    /// In collective operations.
    mpi_wait_indirect_collective
    /// Waiting of processes that makes others wait.
    mpi_wait_propagating
    /// For late senders.
    mpi_wait_propagating_ls
    /// For late receivers.
    mpi_wait_propagating_lr
    /// In collective operations.
    mpi_wait_propagating_collective
    /// Waiting of processes that delays no other location.
    mpi_wait_terminal
    /// For late senders.
    mpi_wait_terminal_ls
    /// For late receivers.
    mpi_wait_terminal_lr
    /// In collective operations.
    mpi_wait_terminal_collective
    /// Work.
    task_work
    /// The longest chain.
    task_span
    /// What a region takes at least.
    task_least
    /// From creation to begin.
    task_ready
    /// Threads wait for a creation.
    task_wait_creation
    /// Threads wait for the last task.
    task_wait_end
    /// Visits.
    visits
    /// All tasks.
    tasks
    /// Tasks that were queued.
    tasks_created
    /// Tasks run at once by their creator.
    tasks_undeferred
    /// Where tasks were executed.
    task_time
    /// Fragments of tasks.
    task_switches
    /// Who arrived last.
    omp_barrier_last
    /// Who made the others wait.
    omp_barrier_delay
    /// How much arrivals vary.
    omp_barrier_spread
    /// Iterations of loops.
    omp_loop_iterations
    /// Visits with known iterations.
    omp_loop_visits_known
    /// Fewest iterations of a visit.
    omp_loop_iterations_min
    /// Most iterations of a visit.
    omp_loop_iterations_max
    /// Threads that update the same memory.
    omp_atomic_contention
    /// For how long locks were held.
    omp_lock_held
    /// How long locks are free until a waiting thread has them.
    omp_lock_handover
    /// What measuring waits between processes takes.
    mpi_own_messages
    /// Bytes.
    bytes
    /// Point to point.
    bytes_p2p
    /// Sent.
    bytes_sent
    /// Received.
    bytes_rcvd
    /// Collective.
    bytes_coll
    /// Outgoing.
    bytes_cout
    /// Incoming.
    bytes_cin
    /// One-sided.
    bytes_rma
    /// Put.
    bytes_put
    /// Got.
    bytes_get
    /// Files.
    bytes_file
    /// Written.
    bytes_written
    /// Read.
    bytes_read
    /// Communications.
    comms
    /// Messages.
    comms_p2p
    /// Sent.
    comms_send
    /// Late receivers.
    mpi_clr_count
    /// Without data.
    mpi_slr_count
    /// Received.
    comms_recv
    /// Late senders.
    mpi_cls_count
    /// In the wrong order.
    mpi_clswo_count
    /// Without data.
    mpi_sls_count
    /// In the wrong order.
    mpi_slswo_count
    /// Collective.
    comms_coll
    /// One-sided.
    comms_rma
    /// Diagnosis: tasks too small.
    tasks_too_small
    /// Diagnosis: too few tasks.
    tasks_too_few
    /// Memory and sharing.
    work_inflation
    /// Diagnosis: chunks too short.
    short_chunks
    /// Diagnosis: creation bottleneck.
    task_creation_bottleneck
}

pictures! {
    critical_path
    critical_path_imbalance
    delay_omp
    delay_omp_indirect
    mpi_barrier_completion
    mpi_barrier_wait
    mpi_earlyreduce
    mpi_earlyscan
    mpi_finalize_wait
    mpi_icollective_wait
    mpi_init_completion
    mpi_io_collective_wait
    mpi_latebroadcast
    mpi_latereceiver
    mpi_latesender
    mpi_latesender_wo
    mpi_nxn_completion
    mpi_rma_wait_at_fence
    mpi_wait_direct
    mpi_wait_indirect
    mpi_wait_nxn
    mpi_wait_propagating
    mpi_wait_terminal
    omp_ebarrier_starvation
    omp_ebarrier_wait
    omp_fork
    omp_ibarrier_starvation
    omp_ibarrier_wait
    omp_idle_threads
    omp_limited_parallelism
    omp_lock_contention_api
    omp_lock_contention_critical
    omp_ordered_wait
    omp_taskgroup
    omp_taskwait
    omp_wait_direct
    omp_wait_indirect
    omp_wait_propagating
    omp_wait_terminal
    task_wait_creation
    task_wait_end
}

/// Measured names that are shown under another one, as (measured, shown).
const ALIASES: &[(&str, &str)] = &[
    ("omp_task_starvation", "omp_ibarrier_starvation"),
    ("comp_time", "comp"),
    ("barrier", "omp_barrier"),
    ("idle", "omp_idle_threads"),
];

/// The metrics of the cube; parents come before their children.
pub fn metrics() -> impl DoubleEndedIterator<Item = &'static Property> {
    ALL.iter().copied().filter(|property| property.is_metric())
}

/// The property of this name, or of this alias.
pub fn find(name: &str) -> Option<&'static Property> {
    let name = ALIASES.iter().find(|(alias, _)| *alias == name).map_or(name, |(_, shown)| shown);
    ALL.iter().copied().find(|property| property.name == name)
}

/// Whether a sum over call paths or locations means something: not that of extremes.
pub fn adds_up(name: &str) -> bool {
    !matches!(name, "omp_loop_iterations_min" | "omp_loop_iterations_max")
}

/// Properties that `property` is made of.
pub fn children(property: &Property) -> impl Iterator<Item = &'static Property> + use<> {
    let name = property.name;
    metrics().filter(move |child| child.parent == Some(name))
}

/// Shows the severities of `metric` in the cube that `text` describes, one call path per line.
#[cfg(test)]
pub(crate) fn check(metric: &str, text: &str, expect: expect_test::Expect) {
    let cube = crate::derive(&crate::notation::cube(text).unwrap());
    let id = cube.metric(metric).unwrap();
    let mut shown = String::new();
    for call in cube.calls.ids().filter(|&call| cube.row(id, call).iter().any(|&v| v != 0)) {
        let names: Vec<&str> = cube
            .calls
            .ancestors(call)
            .map(|above| cube.regions[cube.calls.region(above)].construct())
            .collect();
        let path: Vec<&str> = names.into_iter().rev().collect();
        shown += &format!("{}  {:?}\n", path.join("/"), cube.row(id, call));
    }
    shown += &format!("total {}\n", cube.total(id));
    if let Err(error) = crate::check_sum(&cube) {
        shown += &format!("! {error}\n");
    }
    expect.assert_eq(&shown);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_come_first_and_names_are_unique() {
        for (index, property) in ALL.iter().enumerate() {
            let before: Vec<&str> = ALL[..index].iter().map(|p| p.name).collect();
            assert!(!before.contains(&property.name), "{} twice", property.name);
            if let Some(parent) = property.parent {
                assert!(before.contains(&parent), "{parent} after {}", property.name);
            }
        }
    }

    #[test]
    fn every_property_is_documented_under_all_headings() {
        for property in ALL {
            for (heading, text) in property.sections() {
                assert!(text.len() > 20, "{}: {heading} says nothing", property.name);
                assert!(!text.contains("  "), "{}: {heading} has double blanks", property.name);
            }
            let first = property.title.chars().next().unwrap();
            assert!(first.is_uppercase() || property.title.starts_with("taskwait"));
        }
    }

    /// Properties that say how long a thread or process waits, and for which others.
    fn is_waiting(name: &str) -> bool {
        let ends = ["_wait", "_starvation", "_completion", "_contention_critical"];
        let begins = ["mpi_late", "mpi_early", "mpi_lswo", "mpi_wait_nxn", "omp_lock_contention"];
        ends.iter().any(|end| name.ends_with(end)) || begins.iter().any(|it| name.starts_with(it))
    }

    #[test]
    fn all_waiting_has_a_picture_and_says_what_to_try() {
        let waiting: Vec<_> = metrics().filter(|property| is_waiting(property.name)).collect();
        assert!(waiting.len() >= 20, "{}", waiting.len());
        for property in waiting.into_iter().filter(|property| property.unit == Unit::Ticks) {
            assert!(property.picture().is_some(), "{} has no picture", property.name);
            assert!(property.doc.remedy.len() > 20, "{}", property.name);
        }
    }

    #[test]
    fn pictures_have_time_lines_with_waiting_that_fit_a_terminal() {
        for (name, picture) in PICTURES {
            let lines: Vec<&str> = picture.lines().collect();
            assert!(lines.iter().all(|line| line.len() <= 76 && line.is_ascii()), "{name}");
            let is_line = |line: &&&str| line.starts_with("thread ") || line.starts_with("rank ");
            assert!((2..=3).contains(&lines.iter().filter(is_line).count()), "{name}");
            assert!(picture.contains("..."), "{name}: nothing is marked");
        }
    }

    #[test]
    fn aliases_lead_to_properties() {
        for (alias, shown) in ALIASES {
            assert_eq!(find(alias).map(|property| property.name), Some(*shown));
        }
        assert!(find("no_such_property").is_none());
    }
}

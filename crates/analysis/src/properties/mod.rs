//! Performance properties. To add one: write a file next to this one with its name, parent,
//! documentation, computation and tests, a `mod` line here (so that the compiler and `rustfmt` see
//! the file), and a line in `catalogue.rs` after its parent. A property of waiting has a picture
//! for `explain`, too: `PICTURE` in its file, and a line in `pictures!` there. The metric tree,
//! `explain`, the page's help and the manual are all made from the catalogue.
//!
//! Names are Scalasca's where it has one, because scripts and people know them. A child is always
//! a part of its parent; what belongs to no OpenMP class (the overhead of worksharing constructs)
//! is computation.

mod bytes;
mod catalogue;
mod comms;
mod comp;
mod critical_imbalance_impact;
mod critical_path;
mod critical_path_activities;
mod critical_path_imbalance;
mod delay_12n;
mod delay_12n_longterm;
mod delay_barrier;
mod delay_barrier_longterm;
mod delay_fence;
mod delay_fence_longterm;
mod delay_file;
mod delay_file_longterm;
mod delay_finalize;
mod delay_finalize_longterm;
mod delay_icollective;
mod delay_icollective_longterm;
mod delay_latereceiver;
mod delay_latereceiver_longterm;
mod delay_latesender;
mod delay_latesender_longterm;
mod delay_mpi;
mod delay_n21;
mod delay_n21_longterm;
mod delay_n2n;
mod delay_n2n_longterm;
mod delay_omp;
mod delay_omp_indirect;
mod delay_scan;
mod delay_scan_longterm;
mod delay_window;
mod delay_window_longterm;
mod execution;
mod gains;
mod inter_partition_imbalance;
mod intra_partition_imbalance;
mod io;
mod mpi;
mod mpi_barrier_completion;
mod mpi_barrier_wait;
mod mpi_clr_count;
mod mpi_cls_count;
mod mpi_clswo_count;
mod mpi_collective;
mod mpi_communication;
mod mpi_earlyreduce;
mod mpi_earlyscan;
mod mpi_finalize_wait;
mod mpi_icollective_wait;
mod mpi_init_completion;
mod mpi_init_exit;
mod mpi_io;
mod mpi_io_collective;
mod mpi_io_collective_wait;
mod mpi_io_individual;
mod mpi_latebroadcast;
mod mpi_latereceiver;
mod mpi_latesender;
mod mpi_latesender_wo;
mod mpi_lswo_different;
mod mpi_lswo_same;
mod mpi_management;
mod mpi_mgmt_comm;
mod mpi_mgmt_file;
mod mpi_mgmt_win;
mod mpi_nxn_completion;
mod mpi_own_messages;
mod mpi_point2point;
mod mpi_rma_comm_late_post;
mod mpi_rma_comm_lock_competition;
mod mpi_rma_comm_wait_for_progress;
mod mpi_rma_communication;
mod mpi_rma_early_fence;
mod mpi_rma_early_wait;
mod mpi_rma_late_complete;
mod mpi_rma_pairsync_count;
mod mpi_rma_pairsync_unneeded_count;
mod mpi_rma_sync_active;
mod mpi_rma_sync_late_post;
mod mpi_rma_sync_lock_competition;
mod mpi_rma_sync_passive;
mod mpi_rma_sync_wait_for_progress;
mod mpi_rma_synchronization;
mod mpi_rma_wait_at_create;
mod mpi_rma_wait_at_fence;
mod mpi_rma_wait_at_free;
mod mpi_slr_count;
mod mpi_sls_count;
mod mpi_slswo_count;
mod mpi_sync_collective;
mod mpi_synchronization;
mod mpi_wait_direct;
mod mpi_wait_direct_collective;
mod mpi_wait_direct_latereceiver;
mod mpi_wait_direct_latesender;
mod mpi_wait_indirect;
mod mpi_wait_indirect_collective;
mod mpi_wait_indirect_latereceiver;
mod mpi_wait_indirect_latesender;
mod mpi_wait_nxn;
mod mpi_wait_propagating;
mod mpi_wait_propagating_collective;
mod mpi_wait_propagating_lr;
mod mpi_wait_propagating_ls;
mod mpi_wait_terminal;
mod mpi_wait_terminal_collective;
mod mpi_wait_terminal_lr;
mod mpi_wait_terminal_ls;
mod non_critical_path_activities;
mod omp_atomic_contention;
mod omp_barrier;
mod omp_barrier_delay;
mod omp_barrier_last;
mod omp_barrier_spread;
mod omp_critical;
mod omp_ebarrier;
mod omp_ebarrier_starvation;
mod omp_ebarrier_wait;
mod omp_flush;
mod omp_fork;
mod omp_ibarrier;
mod omp_ibarrier_starvation;
mod omp_ibarrier_wait;
mod omp_idle_threads;
mod omp_limited_parallelism;
mod omp_lock_api;
mod omp_lock_contention_api;
mod omp_lock_contention_critical;
mod omp_lock_handover;
mod omp_lock_held;
mod omp_lock_tested;
mod omp_loop_iterations;
mod omp_loop_iterations_max;
mod omp_loop_iterations_min;
mod omp_loop_visits_known;
mod omp_management;
mod omp_ordered;
mod omp_ordered_wait;
mod omp_synchronization;
mod omp_task_creation;
mod omp_taskgroup;
mod omp_taskloop;
mod omp_taskwait;
mod omp_taskyield;
mod omp_time;
mod omp_wait_direct;
mod omp_wait_indirect;
mod omp_wait_propagating;
mod omp_wait_terminal;
mod performance_impact;
mod performance_impact_criticalpath;
mod process_absent;
mod pthread;
mod pthread_lock_contention;
mod recording_off;
mod short_chunks;
pub(crate) mod task_creation_bottleneck;
mod task_least;
mod task_ready;
mod task_span;
mod task_switches;
mod task_time;
mod task_wait_creation;
mod task_wait_end;
mod task_work;
mod tasks;
mod tasks_created;
pub(crate) mod tasks_too_few;
pub(crate) mod tasks_too_small;
mod tasks_undeferred;
mod time;
mod visits;
mod work_inflation;

use pompeii_model::{CallId, Row, Unit};
use pompeii_replay::Compound;

pub use self::catalogue::ALL;
use self::catalogue::PICTURES;
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

    /// A file without a `mod` line is neither compiled nor formatted, and one whose property is not
    /// in the catalogue is a warning of the compiler.
    #[test]
    fn every_file_is_a_module() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/properties");
        let own = std::fs::read_to_string(format!("{folder}/mod.rs")).unwrap();
        let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let files: Vec<String> = files.map(|name| name.into_string().unwrap()).collect();
        assert!(files.len() > 100, "{}", files.len());
        for file in files.iter().filter_map(|file| file.strip_suffix(".rs")) {
            let line = format!("mod {file};");
            let has_line = own.lines().any(|of| of.trim_start_matches("pub(crate) ") == line);
            assert!(file == "mod" || has_line, "{file}.rs has no `mod` line");
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

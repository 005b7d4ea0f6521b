//! Metrics of traces of another writer, compared with those that another analyser has for them. The
//! folder with the samples is the value of `POMPEII_SCALASCA_SAMPLES`; without it there is nothing to
//! compare. A sample is a folder with `traces.otf2` and `expected.json`, which has severities in
//! seconds by metric, call path and location.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use pompeii_analysis::derive;
use pompeii_analysis::trace::Severities;
use pompeii_model::{CallId, Cube, LocationId};
use pompeii_otf2::read::Archive;
use pompeii_replay::{Options, Outcome, replay, trace};
use serde_json::Value;

/// Seconds by metric, call path below the program, and location.
type Cells = BTreeMap<(&'static str, String, usize), f64>;

/// Samples that the other analyser could read: names, traces and its values.
fn samples() -> Vec<(String, PathBuf, Value)> {
    let Some(folder) = std::env::var_os("POMPEII_SCALASCA_SAMPLES") else { return Vec::new() };
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut samples: Vec<(String, PathBuf, Value)> = folders
        .filter_map(|folder| {
            let text = std::fs::read_to_string(folder.join("expected.json")).ok()?;
            let name = folder.file_name()?.to_string_lossy().into_owned();
            Some((name, folder.join("traces.otf2"), serde_json::from_str(&text).unwrap()))
        })
        .collect();
    samples.retain(|(.., expected)| expected["scout"] == "analysed");
    samples.sort_by(|one, other| one.0.cmp(&other.0));
    samples
}

/// The measured metrics of a trace, and its call paths.
fn analysed(anchor: &Path) -> (Cube, Outcome) {
    let archive = Archive::open(anchor).unwrap();
    let mut severities = Severities::default();
    let options = Options { path: true, ..Options::default() };
    let outcome = replay(trace(&archive).unwrap(), options, &mut |it| severities.note(&it));
    (severities.cube(&outcome), outcome)
}

/// What the other analyser has for some of its metrics, each with the name of the same one here.
fn theirs(expected: &Value, metrics: &[(&str, &'static str)]) -> Cells {
    let mut cells = Cells::new();
    for metric in expected["metrics"].as_array().unwrap() {
        let Some((_, name)) = metrics.iter().find(|(name, _)| metric["name"] == *name) else {
            continue;
        };
        for (path, row) in metric["rows"].as_object().unwrap() {
            let names = &expected["paths"][path.parse::<usize>().unwrap()]["path"];
            let names = names.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
            let path: Vec<&str> = names.skip(1).collect();
            for (location, value) in row.as_array().unwrap().iter().enumerate() {
                let cell = (*name, path.join("/"), location);
                *cells.entry(cell).or_default() += value.as_f64().unwrap();
            }
        }
    }
    cells
}

/// The same from our metrics.
fn ours(cube: &Cube, outcome: &Outcome, metrics: &[(&str, &'static str)]) -> Cells {
    let mut cells = Cells::new();
    for (own, name) in metrics {
        let Some(metric) = cube.metric(own) else { continue };
        for call in cube.calls.ids() {
            let path = outcome.path(call);
            let path = path.split_once('/').map_or("", |(_, path)| path);
            for (location, ticks) in cube.row(metric, call).iter().enumerate() {
                let cell = (*name, path.to_owned(), location);
                *cells.entry(cell).or_default() += cube.clock.seconds(*ticks);
            }
        }
    }
    cells
}

/// The cells that differ by more than `most` seconds, as text, and how many were compared.
fn differences(sample: &str, (theirs, ours): (&Cells, &Cells), most: f64) -> (String, usize) {
    let (mut text, mut compared) = (String::new(), 0);
    for cell in theirs.keys().chain(ours.keys()).collect::<BTreeSet<_>>() {
        let value = |map: &Cells| map.get(cell).copied().unwrap_or(0.0);
        let values = (value(theirs), value(ours));
        compared += usize::from(values != (0.0, 0.0));
        if (values.0 - values.1).abs() > most {
            text += &format!("{sample} {cell:?}: {:.6} and {:.6}\n", values.0, values.1);
        }
    }
    (text, compared)
}

/// Delays in operations of MPI, which both analysers define in the same way.
const MPI_DELAYS: [&str; 12] = [
    "delay_latesender",
    "delay_latesender_longterm",
    "delay_latereceiver",
    "delay_latereceiver_longterm",
    "delay_barrier",
    "delay_barrier_longterm",
    "delay_n2n",
    "delay_n2n_longterm",
    "delay_12n",
    "delay_12n_longterm",
    "delay_n21",
    "delay_n21_longterm",
];

/// Samples whose delays differ.
const OTHER_MPI_DELAYS: [(&str, &str); 8] = [
    // Waiting that goes through a barrier of threads has no cause there.
    ("hyb_chain", "delay_barrier_longterm"),
    ("hyb_imbalanced_ranks", "delay_n2n_longterm"),
    // There these functions have no waiting.
    ("mpi_alltoallv", "delay_n2n"),
    ("mpi_probe", "delay_latesender"),
    // A message comes before it is sent: when both processes were together is not defined.
    ("mpi_clock_jump", "delay_barrier"),
    // The process that comes late to an operation of all has waited for the one that waits there, so
    // that both are compared since the operation before.
    ("mpi_many_steps", "delay_n2n"),
    ("mpi_ring8", "delay_barrier"),
    ("mpi_ring8", "delay_barrier_longterm"),
];

#[test]
fn delays_in_mpi_agree_with_another_analyser() {
    let (mut text, mut compared) = (String::new(), 0);
    for (sample, anchor, expected) in samples() {
        let metrics = MPI_DELAYS.map(|name| (name, name));
        let (measured, outcome) = analysed(&anchor);
        let cube = derive(&measured);
        let (mut theirs, mut ours) = (theirs(&expected, &metrics), ours(&cube, &outcome, &metrics));
        let is_other = |metric: &str| OTHER_MPI_DELAYS.contains(&(&*sample, metric));
        theirs.retain(|(metric, ..), _| !is_other(metric));
        ours.retain(|(metric, ..), _| !is_other(metric));
        // Intervals begin at slightly different points inside of calls.
        let (found, cells) = differences(&sample, (&theirs, &ours), 1e-4);
        (text, compared) = (text + &found, compared + cells);
    }
    assert_eq!(text, "");
    assert!(compared > 450 || samples().is_empty(), "{compared}");
}

/// Samples with locks, tasks and turns, or threads of another model: the other analyser blames the
/// construct of the waiting thread, or nothing.
const OTHER_THREADS: [&str; 11] = [
    "omp_critical",
    "omp_lock",
    "omp_ordered",
    "omp_task_creation",
    "omp_task_straddles",
    "omp_tasks_barrier",
    "omp_tasks_late_thread",
    "omp_taskwait",
    "omp_test_lock",
    "pthread_cond",
    "pthread_mutex",
];

#[test]
fn delays_at_barriers_of_threads_agree_with_another_analyser() {
    let (mut text, mut compared) = (String::new(), 0);
    for (sample, anchor, expected) in samples() {
        if OTHER_THREADS.contains(&&*sample) {
            continue;
        }
        let (measured, outcome) = analysed(&anchor);
        let cube = derive(&measured);
        let [direct, longterm] = ["delay_ompbarrier", "delay_ompbarrier_longterm"];
        let theirs = theirs(&expected, &[(direct, "delay_omp"), (longterm, "delay_omp")]);
        let ours = ours(&cube, &outcome, &[("delay_omp", "delay_omp")]);
        // Short criticals in some programs are waited for, too.
        let (found, cells) = differences(&sample, (&theirs, &ours), 5e-4);
        (text, compared) = (text + &found, compared + cells);
    }
    assert_eq!(text, "");
    assert!(compared > 120 || samples().is_empty(), "{compared}");
}

/// What the path of the other analyser costs, by its time on the path and what each location did.
/// `None` if a call path is not in the trace: it has other ones for tasks.
fn costs(measured: &Cube, outcome: &Outcome, expected: &Value) -> Option<Cube> {
    let inputs = theirs(
        expected,
        &[
            ("critical_path", "critical_path"),
            ("critical_path_activities", "time"),
            ("non_critical_path_activities", "time"),
        ],
    );
    let below = |call| match outcome.path(call).split_once('/') {
        Some((_, path)) => path.to_owned(),
        None => String::new(),
    };
    let calls: BTreeMap<String, CallId> =
        measured.calls.ids().rev().map(|call| (below(call), call)).collect();
    let Cube { clock, wall_ticks, program, regions, calls: tree, system, .. } = measured.clone();
    let mut cube = Cube::new(clock, wall_ticks, &program, (regions, tree, system));
    for name in ["time", "critical_path"] {
        cube.add_metric(measured.metrics()[measured.metric(name)?].clone());
    }
    for ((name, path, location), seconds) in inputs.iter().filter(|(_, seconds)| **seconds != 0.0) {
        let ticks = (seconds * cube.clock.ticks_per_second()).round() as i64;
        let (metric, call) = (cube.metric(name)?, *calls.get(path)?);
        cube.add(metric, call, LocationId(*location as u32), ticks);
    }
    Some(derive(&cube))
}

/// Whether a location has a part in each call path of the critical path. Then the other analyser says
/// that the whole program is one partition; otherwise each call path has its own locations, as here.
fn is_one_partition(cube: &Cube) -> bool {
    let [path, time] = ["critical_path", "time"].map(|name| cube.metric(name).unwrap());
    let mut on_path = cube.calls.ids().filter(|&call| cube.own(path, call) > 0);
    let mut all: BTreeSet<usize> = (0..cube.system.locations.len()).collect();
    on_path.all(|call| {
        all.retain(|&location| cube.row(time, call).get(location).is_some_and(|ticks| *ticks > 0));
        !all.is_empty()
    })
}

/// If the path never leaves a location, the other analyser finds no loss.
fn has_loss(cells: &Cells) -> bool {
    cells.values().sum::<f64>() > 0.0
}

/// Samples that are not compared: `late` has two lines in each, which are two call paths there, and
/// waiting for communicators is known to neither analyser, but to the path of one.
const OTHER_COSTS: [&str; 2] = ["mpi_dup_split", "mpi_inplace"];

const INTRA: &str = "intra_partition_imbalance";
const INTER: &str = "inter_partition_imbalance";

#[test]
fn the_other_critical_path_costs_what_another_analyser_says() {
    let (mut text, mut compared) = (String::new(), 0);
    for (sample, anchor, expected) in samples() {
        if OTHER_COSTS.contains(&&*sample) {
            continue;
        }
        let (measured, outcome) = analysed(&anchor);
        let Some(cube) = costs(&measured, &outcome, &expected) else { continue };
        let names = match is_one_partition(&cube) {
            true => [(INTRA, "loss"), (INTER, "loss")],
            false => [(INTRA, INTRA), (INTER, INTER)],
        };
        let (theirs, ours) = (theirs(&expected, &names), ours(&cube, &outcome, &names));
        if has_loss(&theirs) {
            // There short calls of the path count for none or all of the locations.
            let (found, cells) = differences(&sample, (&theirs, &ours), 3e-4);
            (text, compared) = (text + &found, compared + cells);
        }
    }
    assert_eq!(text, "");
    assert!(compared > 400 || samples().is_empty(), "{compared}");
}

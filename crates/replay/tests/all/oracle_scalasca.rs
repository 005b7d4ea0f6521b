//! Another analyser's severities of traces of another writer. The folder with the samples is the
//! value of `POMPEII_SCALASCA_SAMPLES`; without it there is nothing to compare. A sample is a folder
//! with `traces.otf2` and `expected.json`, which has severities in seconds by metric, call path and
//! location.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::generate::world::Waits;
use pompeii_replay::blame::Kind;
use pompeii_replay::compound::MpiKind;
use pompeii_replay::{Options, Outcome};

use crate::engine;
use crate::naive::Trace;

/// Metrics that both analysers define in the same way.
const SAME: [&str; 17] = [
    "mpi_latesender",
    "mpi_latesender_wo",
    "mpi_lswo_same",
    "mpi_lswo_different",
    "mpi_latereceiver",
    "mpi_barrier_wait",
    "mpi_barrier_completion",
    "mpi_wait_nxn",
    "mpi_nxn_completion",
    "mpi_latebroadcast",
    "mpi_earlyreduce",
    "mpi_earlyscan",
    "mpi_init_completion",
    "mpi_finalize_wait",
    "omp_fork",
    "omp_lock_contention_critical",
    "omp_lock_contention_api",
];

/// Metrics that are counts.
const COUNTS: [&str; 6] = [
    "mpi_cls_count",
    "mpi_sls_count",
    "mpi_clswo_count",
    "mpi_slswo_count",
    "mpi_clr_count",
    "mpi_slr_count",
];

/// Functions whose waiting the other analyser does not look for.
const NOT_THERE: [&str; 3] = ["MPI_Alltoallv", "MPI_Alltoallw", "MPI_Probe"];

/// All samples that the other analyser could read.
fn analysed() -> Vec<(PathBuf, Value)> {
    let mut samples = samples();
    samples.retain(|(_, expected)| expected["scout"] == "analysed");
    samples
}

/// All samples.
fn samples() -> Vec<(PathBuf, Value)> {
    let Some(folder) = std::env::var_os("POMPEII_SCALASCA_SAMPLES") else { return Vec::new() };
    let folders = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut samples: Vec<(PathBuf, Value)> = folders
        .filter_map(|folder| {
            let text = std::fs::read_to_string(folder.join("expected.json")).ok()?;
            Some((folder.join("traces.otf2"), serde_json::from_str(&text).unwrap()))
        })
        .collect();
    samples.sort_by(|one, other| one.0.cmp(&other.0));
    samples
}

/// The severities of a metric in seconds, by call path below the program and location.
fn severities(expected: &Value, metric: &str) -> BTreeMap<(String, usize), f64> {
    let metrics = expected["metrics"].as_array().unwrap();
    let mut cells = BTreeMap::new();
    let Some(metric) = metrics.iter().find(|one| one["name"] == metric) else { return cells };
    for (path, row) in metric["rows"].as_object().unwrap() {
        let names = &expected["paths"][path.parse::<usize>().unwrap()]["path"];
        let names = names.as_array().unwrap().iter().map(|name| name.as_str().unwrap());
        let path: Vec<&str> = names.skip(1).collect();
        for (location, value) in row.as_array().unwrap().iter().enumerate() {
            let value = value.as_f64().unwrap();
            if value != 0.0 {
                *cells.entry((path.join("/"), location)).or_default() += value;
            }
        }
    }
    cells
}

/// The same from the values of our analysers, whose ticks are nanoseconds in the samples.
fn ours(waits: &Waits, locations: &[u64], metric: &str) -> BTreeMap<(String, usize), f64> {
    let own = waits.iter().filter(|((property, ..), _)| *property == metric);
    let cell = |((_, path, location), ticks): (&(&str, String, u64), &u64)| {
        let number = locations.iter().position(|id| id == location).unwrap();
        ((path.clone(), number), *ticks as f64 * 1e-9)
    };
    let scale = if COUNTS.contains(&metric) { 1e9 } else { 1.0 };
    own.map(cell).map(|(cell, value)| (cell, value * scale)).collect()
}

/// Differences of more than a microsecond, as text.
fn differences(
    anchor: &Path,
    (expected, metrics): (&Value, &[&str]),
    (waits, locations): (&Waits, &[u64]),
) -> String {
    let mut text = String::new();
    for metric in metrics {
        let theirs = severities(expected, metric);
        let ours = ours(waits, locations, metric);
        let cells: std::collections::BTreeSet<_> = theirs.keys().chain(ours.keys()).collect();
        for cell in cells {
            let value = |map: &BTreeMap<_, f64>| map.get(cell).copied().unwrap_or(0.0);
            if NOT_THERE.iter().any(|function| cell.0.ends_with(function)) {
                continue;
            }
            if (value(&theirs) - value(&ours)).abs() > 1e-6 {
                text += &format!(
                    "{} {metric} {cell:?}: {:.9} and {:.9}\n",
                    anchor.parent().unwrap().file_name().unwrap().to_string_lossy(),
                    value(&theirs),
                    value(&ours),
                );
            }
        }
    }
    text
}

#[test]
fn the_reference_analyser_agrees_with_another_one() {
    let mut text = String::new();
    for (anchor, expected) in analysed() {
        let trace = Trace::read(&anchor);
        let (waits, locations) = (trace.waits(), trace.locations());
        text += &differences(&anchor, (&expected, &SAME), (&waits, &locations));
    }
    assert_eq!(text, "");
}

#[test]
fn the_engine_agrees_with_another_analyser() {
    let mut text = String::new();
    for (anchor, expected) in analysed() {
        let (outcome, compounds) = engine::analyse(&anchor, Options::default());
        let locations: Vec<u64> = outcome.definitions.location_ids.iter().copied().collect();
        let waits = engine::waits(&outcome, &compounds);
        let metrics: Vec<&str> =
            SAME.into_iter().chain(COUNTS).filter(|metric| engine::is_compared(metric)).collect();
        text += &differences(&anchor, (&expected, &metrics), (&waits, &locations));
    }
    assert_eq!(text, "");
}

/// Samples with another critical path: that of the other analyser does not lead through locks, turns,
/// scans, fences, the creation and the end of windows, or through the calls of [`NOT_THERE`] and
/// non-blocking operations.
const OTHER_PATH: [&str; 13] = [
    "mpi_early_exscan",
    "mpi_nonblocking_collective",
    "mpi_probe",
    "omp_critical",
    "omp_lock",
    "omp_ordered",
    "omp_test_lock",
    "rma_early_fence",
    "rma_early_wait",
    "rma_early_wait_busy",
    "rma_fence",
    "rma_late_post",
    "rma_progress",
];

/// Whether both analysers count time of the critical path alike in a call path: that of the other one
/// begins in MPI_Init and ends in MPI_Finalize.
fn is_path_compared(path: &str) -> bool {
    let last = path.rsplit('/').next().unwrap_or_default();
    !last.starts_with("MPI_Init") && last != "MPI_Finalize" && last != "main" && !path.is_empty()
}

/// The end of a barrier of threads is time of any of them.
fn path_cells(cells: BTreeMap<(String, usize), f64>) -> BTreeMap<(String, usize), f64> {
    let mut compared = BTreeMap::new();
    for ((path, location), value) in cells {
        let is_barrier = path.rsplit('/').next().is_some_and(|last| last.contains("barrier @"));
        if is_path_compared(&path) {
            *compared.entry((path, if is_barrier { 0 } else { location })).or_default() += value;
        }
    }
    compared
}

fn own_path(outcome: &Outcome) -> BTreeMap<(String, usize), f64> {
    let mut cells = BTreeMap::new();
    let root = format!("{}/", outcome.definitions.program);
    for &(call, location, ticks) in &outcome.critical_path {
        let path = outcome.path(call);
        let path = path.strip_prefix(&root).unwrap_or_default().to_owned();
        *cells.entry((path, location.0 as usize)).or_default() += ticks as f64 * 1e-9;
    }
    path_cells(cells)
}

#[test]
fn the_critical_path_agrees_with_another_analyser() {
    let (mut text, mut compared) = (String::new(), 0);
    for (anchor, expected) in analysed() {
        let name = expected["sample"].as_str().unwrap();
        let theirs = severities(&expected, "critical_path");
        // Of tasks and other threads than those of OpenMP the other analyser has no path.
        let has_tasks = expected["paths"].to_string().contains("\"TASKS\"");
        if has_tasks || theirs.is_empty() || OTHER_PATH.contains(&name) {
            continue;
        }
        let (outcome, _) = engine::analyse(&anchor, Options { path: true, ..Options::default() });
        let (theirs, ours) = (path_cells(theirs), own_path(&outcome));
        for cell in theirs.keys().chain(ours.keys()).collect::<std::collections::BTreeSet<_>>() {
            let value = |map: &BTreeMap<_, f64>| map.get(cell).copied().unwrap_or(0.0);
            compared += 1;
            if (value(&theirs) - value(&ours)).abs() > 1e-6 {
                let values = (value(&theirs), value(&ours));
                text += &format!("{name} {cell:?}: {:.9} and {:.9}\n", values.0, values.1);
            }
        }
    }
    assert_eq!(text, "");
    // There is nothing to compare without the samples.
    assert!(compared > 100 || samples().is_empty(), "{compared}");
}

/// Direct and indirect waiting for messages, in seconds, by metric, call path and location.
fn own_classes(outcome: &Outcome) -> BTreeMap<(&'static str, String, usize), f64> {
    let mut cells = BTreeMap::new();
    let root = format!("{}/", outcome.definitions.program);
    for &(kind, call, location, classes) in &outcome.wait_classes {
        let names = match kind {
            Kind::Mpi(MpiKind::LateSender) => [CLASSES[0], CLASSES[1]],
            Kind::Mpi(MpiKind::LateReceiver) => [CLASSES[2], CLASSES[3]],
            _ => continue,
        };
        let path = outcome.path(call);
        let path = path.strip_prefix(&root).unwrap_or_default();
        for (name, ticks) in names.into_iter().zip([classes.direct, classes.indirect]) {
            let cell = (name, path.to_owned(), location.0 as usize);
            *cells.entry(cell).or_default() += ticks as f64 * 1e-9;
        }
    }
    cells
}

/// Classes of waiting that both analysers have. The other one has them for messages only.
const CLASSES: [&str; 4] = [
    "mpi_wait_direct_latesender",
    "mpi_wait_indirect_latesender",
    "mpi_wait_direct_latereceiver",
    "mpi_wait_indirect_latereceiver",
];

#[test]
fn direct_and_indirect_waiting_for_messages_agree_with_another_analyser() {
    let (mut text, mut compared) = (String::new(), 0);
    for (anchor, expected) in analysed() {
        let name = expected["sample"].as_str().unwrap();
        let (outcome, _) = engine::analyse(&anchor, Options { path: true, ..Options::default() });
        let own = own_classes(&outcome);
        let of = |metric| {
            let cells = severities(&expected, metric).into_iter();
            cells.map(move |((path, location), value)| ((metric, path, location), value))
        };
        let theirs: BTreeMap<_, f64> = CLASSES.into_iter().flat_map(of).collect();
        for cell in own.keys().chain(theirs.keys()).collect::<std::collections::BTreeSet<_>>() {
            let value = |map: &BTreeMap<_, f64>| map.get(cell).copied().unwrap_or(0.0);
            if NOT_THERE.iter().any(|function| cell.1.ends_with(function)) {
                continue;
            }
            compared += 1;
            // Intervals begin at slightly different points inside of calls.
            if (value(&theirs) - value(&own)).abs() > 3e-6 {
                let values = (value(&theirs), value(&own));
                text += &format!("{name} {cell:?}: {:.9} and {:.9}\n", values.0, values.1);
            }
        }
    }
    assert_eq!(text, "");
    // There is nothing to compare without the samples.
    assert!(compared > 80 || samples().is_empty(), "{compared}");
}

/// Planned waiting that no property has: in the management of communicators.
const UNSEEN: [&str; 2] = ["main/MPI_Comm_dup", "main/MPI_Comm_split"];

/// Whether a call path has these names, perhaps with others between them.
fn is_at(path: &str, names: &str) -> bool {
    let construct = |name: &str| {
        let name = name.strip_prefix("!$omp ").unwrap_or(name);
        name.split(" @").next().unwrap_or(name).to_owned()
    };
    let path: Vec<String> = path.split('/').map(construct).collect();
    let mut names = names.split('/').rev();
    let mut wanted = names.next();
    if path.last().map(String::as_str) != wanted {
        return false;
    }
    for name in path.iter().rev() {
        if wanted == Some(name.as_str()) {
            wanted = names.next();
        }
    }
    wanted.is_none()
}

/// Whether a location is the planned one: `r1` is process 1, `r1t0` its first thread.
fn is_of(outcome: &Outcome, id: u64, planned: &str) -> bool {
    let locations = &outcome.definitions.location_ids;
    let all: Vec<u32> =
        outcome.definitions.system.locations.iter().map(|it| it.process.0).collect();
    let number = locations.iter().position(|known| *known == id).unwrap();
    let thread = all[..number].iter().filter(|process| **process == all[number]).count();
    let name = format!("r{}", all[number]);
    planned == "sum" || planned == name || planned == format!("{name}t{thread}")
}

/// Waiting in MPI that was planned when a sample was made: what, in seconds, and what the engine
/// finds there. A plan without a metric is waiting of any kind.
fn planted(expected: &Value, outcome: &Outcome, waits: &Waits) -> Vec<(String, f64, f64)> {
    let mut plans = Vec::new();
    for truth in expected["truth"].as_array().unwrap() {
        let text = |key: &str| truth[key].as_str().unwrap_or_default();
        let (metric, path, location) = (text("metric"), text("path"), text("location"));
        let is_any = metric == "wait (planted)";
        let is_same = SAME.contains(&metric) && engine::is_compared(metric);
        // The other analyser ignores the records of windows, so its values are 0.
        let is_known = is_any || is_same || metric.starts_with("mpi_rma_");
        let is_mpi = path.rsplit('/').next().unwrap().starts_with("MPI_");
        if !is_known || !is_mpi || UNSEEN.contains(&path) {
            continue;
        }
        let own = waits.iter().filter(|((property, at, id), _)| {
            let counts = *property == metric || (is_any && property.starts_with("mpi"));
            counts && is_at(at, path) && is_of(outcome, *id, location)
        });
        let found: u64 = own.map(|(_, ticks)| ticks).sum();
        let seconds = truth["seconds"].as_f64().unwrap();
        plans.push((format!("{metric} {path} {location}"), seconds, found as f64 * 1e-9));
    }
    plans
}

#[test]
fn the_engine_finds_the_waiting_that_was_planted() {
    let mut text = String::new();
    for (anchor, expected) in samples() {
        let (outcome, compounds) = engine::analyse(&anchor, Options::default());
        let waits = engine::waits(&outcome, &compounds);
        for (plan, seconds, found) in planted(&expected, &outcome, &waits) {
            // Naps of the programs are longer than planned by up to this time.
            if (seconds - found).abs() > 2.5e-3 {
                text += &format!("{}: {plan}: {seconds} and {found:.9}\n", expected["sample"]);
            }
        }
    }
    assert_eq!(text, "");
}

/// Samples with tasks: the waiting for tasks that was planted, in seconds, and the functions that
/// all waiting goes back to.
const TASKS: [(&str, f64, &[&str]); 5] = [
    ("omp_taskwait", 0.03, &["long"]),
    ("omp_task_creation", 0.03, &["produce", "consume"]),
    ("omp_tasks_barrier", 0.12, &["body"]),
    ("omp_task_straddles", 0.02, &["create", "task", "late"]),
    ("omp_tasks_late_thread", 0.0, &["create", "late"]),
];

/// The other writer notes the switch back to the implicit task when the barrier ends, so the time in
/// tasks must end with the task.
#[test]
fn waiting_for_tasks_of_another_writer_has_its_causes() {
    for (anchor, expected) in samples() {
        let sample = expected["sample"].as_str().unwrap();
        let Some((_, seconds, functions)) = TASKS.iter().find(|task| task.0 == sample) else {
            continue;
        };
        let options = Options { path: true, ..Options::default() };
        let (outcome, compounds) = engine::analyse(&anchor, options);
        let waits = engine::waits(&outcome, &compounds);
        let waited = waits.iter().filter(|((property, ..), _)| *property == "task_wait");
        let found = waited.map(|(_, ticks)| *ticks).sum::<u64>() as f64 * 1e-9;
        assert!((found - seconds).abs() < 2.5e-3, "{sample}: {found}");
        let (mut all, mut named) = (0, 0);
        for (call, _, delay) in &outcome.delays {
            let path = outcome.path(*call);
            let function = path.rsplit('/').next().unwrap_or_default();
            all += delay.direct + delay.indirect;
            named += if functions.contains(&function) { delay.direct + delay.indirect } else { 0 };
        }
        assert!(named * 100 >= all * 99, "{sample}: {named} of {all}");
    }
}

//! The trees of windows: together they are those of the whole trace.

use std::collections::BTreeMap;
use std::fs;

use pompeii_analysis::trace::Severities;
use pompeii_otf2::read::Archive;
use pompeii_replay::{Options, replay};
use serde_json::Value;

use crate::common::{Running, reported, sample, traced};

/// Values by metric, call path and location.
type Table = BTreeMap<(String, String), Vec<i64>>;

fn index(value: &Value) -> Option<usize> {
    usize::try_from(value.as_i64().unwrap()).ok()
}

/// The values of a page's data, as the page reads them.
fn table(data: &Value, metrics: &[&str]) -> Table {
    let calls = data["calls"].as_array().unwrap();
    let mut paths: Vec<String> = Vec::new();
    for call in calls {
        let name = data["regions"][index(&call[1]).unwrap()]["label"].as_str().unwrap();
        let parent = index(&call[0]).map_or("", |parent| &paths[parent]);
        paths.push(format!("{parent}/{name}"));
    }
    let mut table = Table::new();
    for (number, metric) in data["metrics"].as_array().unwrap().iter().enumerate() {
        let name = metric["name"].as_str().unwrap();
        if !metrics.contains(&name) {
            continue;
        }
        for row in data["values"][number].as_array().unwrap() {
            let row: Vec<i64> =
                row.as_array().unwrap().iter().map(|it| it.as_i64().unwrap()).collect();
            table.insert((name.to_owned(), paths[row[0] as usize].clone()), row[1..].to_vec());
        }
    }
    table
}

fn add(sums: &mut Table, more: Table) {
    for (key, row) in more {
        let sum = sums.entry(key).or_insert_with(|| vec![0; row.len()]);
        sum.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
    }
}

/// Those of the analysis of the whole trace.
fn analysed(folder: &std::path::Path) -> Value {
    let archive = Archive::open(&folder.join("traces.otf2")).unwrap();
    let mut severities = Severities::default();
    let trace = pompeii_replay::trace(&archive).unwrap();
    let outcome = replay(trace, Options::default(), &mut |found| severities.note(&found));
    let cube = pompeii_analysis::derive(&severities.cube(&outcome));
    let mut json = Vec::new();
    pompeii_report::write_page_data(&cube, &Default::default(), &mut json).unwrap();
    serde_json::from_slice(&json).unwrap()
}

const METRICS: [&str; 8] = [
    "execution",
    "comp",
    "mpi",
    "omp_ibarrier",
    "visits",
    "mpi_latesender",
    "mpi_wait_nxn",
    "bytes_sent",
];

#[test]
fn windows_are_the_whole_together() {
    let folder = sample("hybrid");
    let server = Running::new(traced(folder.path()));
    let length = server.answer("open")["length"].as_u64().unwrap();
    let whole = table(&analysed(folder.path()), &METRICS);
    assert!(whole.keys().any(|(metric, _)| metric == "mpi_latesender"), "{whole:?}");
    let mut sums = Table::new();
    let borders = [0, length / 5, length / 2, length / 2 + 1, length + 10];
    for window in borders.windows(2) {
        let data = server.answer(&format!("trees?t0={}&t1={}", window[0], window[1]));
        let (begin, end) = (window[0], window[1].min(length));
        assert_eq!(data["window"], serde_json::json!([begin, end]));
        let of_causes = data["unknown"].as_array().unwrap();
        assert!(of_causes.contains(&"critical_path".into()), "{of_causes:?}");
        let wall = data["wall_ticks"].as_u64().unwrap();
        assert!(wall.abs_diff(end - begin) <= 1, "{wall} {begin} {end}");
        add(&mut sums, table(&data, &METRICS));
    }
    sums.retain(|_, row| row.iter().any(|value| *value != 0));
    assert_eq!(sums, whole);
}

/// Time and visits come from the index, and are the same.
#[test]
fn times_are_there_before_waits() {
    const TIMES: [&str; 8] = [
        "time",
        "execution",
        "comp",
        "mpi",
        "omp_time",
        "omp_ibarrier",
        "omp_idle_threads",
        "visits",
    ];
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let length = server.answer("open")["length"].as_u64().unwrap();
    let windows =
        [(0, length), (0, length / 3), (length / 3, length / 2), (length / 2, length * 2)];
    for (start, end) in windows {
        let question = format!("trees?t0={start}&t1={end}");
        let (all, times) =
            (server.answer(&question), server.answer(&format!("{question}&waits=0")));
        assert_eq!(table(&times, &TIMES), table(&all, &TIMES), "{start} to {end}");
        for fact in ["window", "wall_ticks", "locations", "processes"] {
            assert_eq!(times[fact], all[fact], "{fact}");
        }
        let unknown = |data: &Value, name: &str| {
            data["unknown"].as_array().unwrap().contains(&Value::from(name))
        };
        assert!(unknown(&times, "mpi_latesender") && !unknown(&all, "mpi_latesender"));
        assert!(!unknown(&times, "visits") && unknown(&all, "critical_path"));
        let waits = table(&times, &["mpi_latesender", "mpi_wait_nxn"]);
        assert!(waits.values().flatten().all(|ticks| *ticks == 0), "{waits:?}");
    }
    assert_eq!(server.refusal("trees?t0=0&t1=5&waits=2").0, 400);
}

#[test]
fn windows_without_trees_say_why() {
    let folder = sample("hybrid");
    let server = Running::new(traced(folder.path()));
    assert_eq!(server.refusal("trees").0, 400);
    assert_eq!(server.refusal("trees?t0=5&t1=5").0, 400);
    fs::remove_file(folder.path().join("traces/0.evt")).unwrap();
    let (status, why) = server.refusal("trees?t0=0&t1=5");
    assert_eq!(status, 410);
    assert!(why.contains("was changed or removed"), "{why}");
    let server = Running::new(reported());
    assert_eq!(server.refusal("trees?t0=0&t1=5").0, 404);
}

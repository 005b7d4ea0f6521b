//! Ranks of a job that have little in common: clocks that tick at different rates, and each its own
//! numbers for parameters and metrics of which it has others.

use std::path::Path;

use crate::common::{Process, Thread, node, region};
use expect_test::expect;
use pompeii_cubex as cubex;
use pompeii_finish::{RunInfo, finish};
use pompeii_live::metrics::MetricUnit;
use pompeii_live::{Definition, Key, ParameterKind, RegionKind};
use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::event::{Enter, Event, Leave, Metric, ParameterInt, ParameterString};
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::{MetricRef, ParameterRef, RegionRef, StringRef};

pub fn finished(ranks: &[Process]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (index, rank) in ranks.iter().enumerate() {
        let own = match index {
            0 => folder.path().join("live"),
            _ => folder.path().join(format!("procs/{}/live", rank.pid)),
        };
        rank.write(&own);
    }
    let command = vec!["mpirun".to_owned()];
    let info = RunInfo { command, exit_code: Some(0), ..RunInfo::default() };
    finish(folder.path(), &info).unwrap().unwrap();
    folder
}

/// The rows of a metric that are not 0, as exclusive whole numbers, times in ticks of the run.
pub fn rows(path: &Path, metric: &str) -> String {
    let reader = cubex::Reader::open(path).unwrap();
    let report = reader.report();
    let rate: f64 = report.attribute("pompeii::ticks_per_second").unwrap().parse().unwrap();
    let (id, metric) = report.metrics.iter().find(|(_, of)| of.unique_name == metric).unwrap();
    let mut values = reader.values(id).unwrap().matrix::<f64>().unwrap();
    if metric.kind == cubex::MetricKind::Inclusive {
        values.to_exclusive(&report.call_paths);
    }
    let scale = if metric.unit == "sec" { rate } else { 1.0 };
    let row = |path| {
        let row = values.row(path).unwrap();
        let row: Vec<i64> = row.iter().map(|value| (value * scale).round() as i64).collect();
        let region = &report.regions[report.call_paths[path].region];
        let shown = format!("{} {} {row:?}\n", metric.unique_name, region.name);
        row.iter().any(|&value| value != 0).then_some(shown)
    };
    values.call_paths().filter_map(row).collect()
}

/// 40 ms on a host of its own, whose counter makes so many ticks in them: a third each in the
/// program, a parallel region, and a loop in that. The worker is as long in the region as its master.
fn counting(rank: u32, ticks: u64) -> Process {
    let mut process = Process::of_job(rank, 2);
    process.host = format!("node{rank}");
    process.ticks_of_40_ms = Some(ticks);
    process.end = process.start + ticks;
    process.define(region(2, RegionKind::Parallel, "!$omp parallel @a.c:7"));
    process.define(region(3, RegionKind::Loop, "!$omp for @a.c:8"));
    let third = ticks / 3;
    let master =
        vec![node(Key::Region(2), 1, 1, third), node(Key::Region(3), 3, 1, ticks - 2 * third - 1)];
    let worker = vec![
        node(Key::Attach { location: 0, node: 3 }, 1, 1, third + 1),
        node(Key::Region(3), 3, 1, ticks - 2 * third - 2),
    ];
    process.threads = vec![
        Thread { root_ticks: third + 1, nodes: master, ..Thread::default() },
        Thread { root_ticks: 0, nodes: worker, ..Thread::default() },
    ];
    process
}

/// Rank 0's counter makes 2.5 ticks in a nanosecond, that of rank 1 three and a bit.
#[test]
fn durations_of_all_ranks_are_in_ticks_of_one_clock() {
    let folder = finished(&[counting(0, 100_000_000), counting(1, 120_000_007)]);
    expect![[r#"
        time ocean [33333334, 0, 33333334, 0]
        time !$omp parallel @a.c:7 [33333333, 33333334, 33333333, 33333334]
        time !$omp for @a.c:8 [33333333, 33333332, 33333333, 33333332]
    "#]]
    .assert_eq(&rows(&folder.path().join("profile.cubex"), "time"));
}

/// A visit of a function with a parameter of each kind, metrics read before it.
fn told(rank: u32, parameters: [&str; 2], texts: &[&str], metrics: &[&str]) -> Process {
    let mut process = Process::of_job(rank, 2);
    process.define(region(2, RegionKind::Function, "work"));
    for (id, name) in (0..).zip(parameters) {
        let kind = if name == "mode" { ParameterKind::Text } else { ParameterKind::Int };
        process.define(Definition::Parameter { id, kind, name: name.to_owned() });
    }
    for (id, text) in (1..).zip(texts) {
        process.define(Definition::ParameterText { id, text: (*text).to_owned() });
    }
    for name in metrics {
        let (unit, mark, missing) = (MetricUnit::Count, false, String::new());
        process.define(Definition::Metric { name: (*name).to_owned(), unit, mark, missing });
    }
    process.define(Definition::MetricReading { everywhere: true, cost_ns: 50 });
    let region = RegionRef(2);
    let (mode, size) = if parameters[0] == "mode" { (0, 1) } else { (1, 0) };
    let (parameter, string) = (ParameterRef(mode), StringRef(texts.len() as u32));
    let values = |all: u64| {
        let values = (1..).zip(metrics).map(|(one, _)| MetricValue::U64(all * one)).collect();
        Event::Metric(Metric { metric: MetricRef(0), values })
    };
    let value = i64::from(rank) + 10;
    let events = vec![
        (1100, values(0)),
        (1100, Event::Enter(Enter { region })),
        (1100, Event::ParameterString(ParameterString { parameter, string })),
        (1100, Event::ParameterInt(ParameterInt { parameter: ParameterRef(size), value })),
        (1400, values(100)),
        (1400, Event::Leave(Leave { region })),
    ];
    let nodes = vec![node(Key::Region(2), 1, 1, 300)];
    let counted = (1..).zip(metrics).map(|(one, _)| 100 * one).collect();
    let metrics = [vec![vec![0; metrics.len()]; 3], vec![counted]].concat();
    process.threads = vec![Thread { root_ticks: 700, nodes, events, metrics, ..Thread::default() }];
    process
}

/// Parameters and metrics by their names, as a reader finds them through the tables.
fn by_name(path: &Path) -> String {
    let archive = Archive::open(path).unwrap();
    let name = |kind, id: u32| archive.name(kind, u64::from(id)).unwrap_or("?").to_owned();
    let mut events = archive.merged().unwrap();
    let mut text = String::new();
    while let Some(record) = events.read_next() {
        let record = record.unwrap();
        let what = match &record.event {
            Event::ParameterString(ParameterString { parameter, string }) => {
                let value = archive.string(*string).unwrap();
                format!("{}={value:?}", name("Parameter", parameter.0))
            }
            Event::ParameterInt(ParameterInt { parameter, value }) => {
                format!("{}={value}", name("Parameter", parameter.0))
            }
            Event::Metric(Metric { metric, values }) => {
                let class = archive.metric_class(*metric).unwrap();
                let names: Vec<&str> = class
                    .metric_members
                    .iter()
                    .map(|&member| archive.metric_member(member).unwrap().name)
                    .map(|name| archive.string(name).unwrap())
                    .collect();
                format!("{names:?} {values:?}")
            }
            _ => continue,
        };
        text += &format!("rank {}: {what}\n", record.location.0);
    }
    text
}

#[test]
fn ranks_with_other_parameters_and_metrics_keep_theirs() {
    let folder = finished(&[
        told(0, ["size", "mode"], &["fast", "slow"], &["page_faults"]),
        told(1, ["mode", "depth"], &["fine", "fast"], &["cycles", "page_faults"]),
    ]);
    expect![[r#"
        rank 0: ["page_faults"] [U64(0)]
        rank 0: mode="slow"
        rank 0: size=10
        rank 1: ["cycles", "page_faults"] [U64(0), U64(0)]
        rank 1: mode="fast"
        rank 1: depth=11
        rank 0: ["page_faults"] [U64(100)]
        rank 1: ["cycles", "page_faults"] [U64(100), U64(200)]
    "#]]
    .assert_eq(&by_name(&folder.path().join("traces.otf2")));
    let profile = folder.path().join("profile.cubex");
    expect![[r#"
        page_faults work [100, 200]
        cycles work [0, 100]
    "#]]
    .assert_eq(&(rows(&profile, "page_faults") + &rows(&profile, "cycles")));
}

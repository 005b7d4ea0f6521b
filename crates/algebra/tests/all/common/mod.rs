//! Reports as text, in and out. A line per metric (`time INCLUSIVE DOUBLE sec`, indented below its
//! parent), a blank line, then a line per call path, indented below its caller:
//! `region@file:line  time=1,2 visits=3,4`, values by location. What is not said is zero.
// Each test file uses a part only; helpers of tests may unwrap like tests.
#![allow(dead_code, reason = "each user of this module uses its part")]

use std::io::Cursor;

use pompeii_algebra::{Rows, show, zero};
use pompeii_cubex::{
    CallPath, CallPathId, CubePl, DataType, Dimension, Id, Location, LocationGroup, LocationId,
    Metric, MetricId, MetricKind, Parameter, Place, Reader, Region, RegionId, Report, SystemNode,
    TauAtomic, Topology, Value, WriteOptions, Writer,
};

/// Values by metric and call path.
type Values = Vec<(MetricId, CallPathId, Vec<Value>)>;

/// The report that `text` describes, on processes with so many threads each.
pub fn report(threads: &[usize], text: &str) -> Reader {
    Reader::from_bytes(bytes(threads, text, |_| {})).unwrap()
}

/// The same after a change to its definitions, as a file.
pub fn bytes(threads: &[usize], text: &str, change: impl Fn(&mut Report)) -> Vec<u8> {
    let mut report = Report::new("test");
    let (metrics, call_paths) = text.split_once("\n\n").unwrap();
    add_metrics(&mut report, metrics);
    add_system(&mut report, threads);
    let mut values = add_call_paths(&mut report, call_paths);
    change(&mut report);
    let mut writer =
        Writer::new(Cursor::new(Vec::new()), &report, WriteOptions::default()).unwrap();
    writer.file("scorep.cfg", b"SCOREP_TOTAL_MEMORY=1").unwrap();
    for metric in report.metrics.ids() {
        if report.metrics[metric].kind.is_derived() {
            continue;
        }
        for call_path in writer.row_order(metric).unwrap() {
            let own = values.iter().position(|(m, c, _)| (*m, *c) == (metric, call_path));
            if let Some(index) = own {
                writer.row(metric, call_path, &values.swap_remove(index).2).unwrap();
            }
        }
    }
    writer.finish().unwrap().into_inner()
}

fn depth(line: &str) -> usize {
    (line.len() - line.trim_start().len()) / 2
}

fn add_metrics(report: &mut Report, text: &str) {
    let mut open: Vec<MetricId> = Vec::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let kind = MetricKind::parse(words[1]);
        let cube_pl = kind
            .is_derived()
            .then(|| CubePl { expression: words[4].to_owned(), ..CubePl::default() });
        let metric = Metric {
            unique_name: words[0].into(),
            display_name: words[0].to_uppercase(),
            kind,
            data_type: DataType::parse(words[2]),
            unit: words[3].into(),
            cube_pl,
            ..Metric::default()
        };
        open.truncate(depth(line));
        open.push(report.metrics.push(open.last().copied(), metric));
    }
}

fn add_system(report: &mut Report, threads: &[usize]) {
    let system = &mut report.system;
    let node = |name: &str, class: &str| SystemNode {
        name: name.into(),
        class: class.into(),
        ..SystemNode::default()
    };
    let machine = system.nodes.push(None, node("cluster", "machine"));
    let mut coordinates = Vec::new();
    for (rank, &threads) in (0..).zip(threads) {
        let node = system.nodes.push(Some(machine), node(&format!("host{rank}"), "node"));
        let process = LocationGroup::process(node, format!("rank {rank}"), rank);
        let process = system.groups.push(None, process);
        for thread in 0..threads as i64 {
            let location = Location::thread(process, format!("thread {thread}"), thread);
            let location = system.locations.push(location);
            coordinates.push((Place::Location(location), vec![rank, thread]));
        }
    }
    let dimension = |name: &str, size| Dimension { name: name.into(), size, periodic: false };
    report.topologies.push(Topology {
        name: "grid".into(),
        dimensions: vec![dimension("rank", threads.len() as u64), dimension("thread", 9)],
        coordinates,
    });
}

fn add_call_paths(report: &mut Report, text: &str) -> Values {
    let mut values = Values::new();
    let mut open: Vec<CallPathId> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let mut words = line.split_whitespace();
        let region = region(report, words.next().unwrap());
        open.truncate(depth(line));
        let parent = open.last().copied();
        let mut call_path = CallPath::new(region);
        let mut own = Vec::new();
        for word in words {
            let (name, value) = word.split_once('=').unwrap();
            match report.metric(name) {
                Some(metric) => own.push((metric, value)),
                None if name == "line" => call_path.line = value.parse().ok(),
                None => call_path.parameters.push(Parameter {
                    key: name.into(),
                    value: value.into(),
                    numeric: true,
                }),
            }
        }
        let id = report.call_paths.push(parent, call_path);
        open.push(id);
        for (metric, text) in own {
            let data_type = &report.metrics[metric].data_type;
            let row = text.split(',').map(|text| value(data_type, text)).collect();
            values.push((metric, id, row));
        }
    }
    values
}

/// The region `name@file:line`; one that is known already is the same.
fn region(report: &mut Report, word: &str) -> RegionId {
    let (name, place) = word.split_once('@').unwrap_or((word, ""));
    let (file, line) = place.split_once(':').unwrap_or((place, ""));
    let region = Region {
        name: name.into(),
        file: file.into(),
        begin_line: line.parse().ok(),
        paradigm: "user".into(),
        ..Region::default()
    };
    let known = report.regions.iter().find(|(_, known)| **known == region).map(|(id, _)| id);
    known.unwrap_or_else(|| report.regions.push(region))
}

/// A value from a number: composite types are made of it and its multiples.
pub fn value(data_type: &DataType, text: &str) -> Value {
    let number: f64 = text.parse().unwrap();
    match (data_type, zero(data_type)) {
        (_, Value::Int(_)) => Value::Int(text.parse().unwrap()),
        (_, Value::Uint(_)) => Value::Uint(text.parse().unwrap()),
        (_, Value::Complex(..)) => Value::Complex(number, 2.0 * number),
        (_, Value::Rate(..)) => Value::Rate(number, 2.0),
        (_, Value::TauAtomic(_)) => Value::TauAtomic(TauAtomic {
            count: 2,
            min: number / 2.0,
            max: number,
            sum: 1.5 * number,
            sum_of_squares: 1.25 * number * number,
        }),
        (_, Value::Doubles(values)) => Value::Doubles(values.iter().map(|_| number).collect()),
        (_, Value::Histogram { bins, .. }) => {
            Value::Histogram { min: 0.0, max: number, bins: bins.iter().map(|_| 1.0).collect() }
        }
        (_, Value::Opaque(_)) => Value::Opaque(vec![number as u8; 3]),
        _ => Value::Double(number),
    }
}

/// All of a report as text: what `report` reads, and the system in short.
pub fn text(rows: &dyn Rows) -> String {
    let report = rows.report();
    let mut text = String::new();
    let mut indent = 0;
    for step in report.metrics.walk() {
        match step {
            pompeii_cubex::Step::Enter(id) => {
                let metric = &report.metrics[id];
                let (name, kind) = (&metric.unique_name, metric.kind.name());
                text += &format!("{}{name} {kind} {}\n", "  ".repeat(indent), metric.data_type);
                indent += 1;
            }
            pompeii_cubex::Step::Leave(_) => indent -= 1,
        }
    }
    for step in report.call_paths.walk() {
        match step {
            pompeii_cubex::Step::Enter(id) => {
                text += &call_path_line(rows, id, indent);
                indent += 1;
            }
            pompeii_cubex::Step::Leave(_) => indent -= 1,
        }
    }
    for (id, location) in report.system.locations.iter() {
        let group = &report.system.groups[location.group];
        let node = &report.system.nodes[group.node].name;
        let at: Vec<String> = report
            .topologies
            .iter()
            .flat_map(|topology| &topology.coordinates)
            .filter(|(place, _)| *place == Place::Location(id))
            .map(|(_, position)| format!(" {position:?}"))
            .collect();
        text += &format!("{} of {} on {node}{}\n", location.name, group.name, at.concat());
    }
    text
}

fn call_path_line(rows: &dyn Rows, id: CallPathId, indent: usize) -> String {
    let report = rows.report();
    let call_path = &report.call_paths[id];
    let mut line = format!("{}{}", "  ".repeat(indent), report.regions[call_path.region].name);
    for parameter in &call_path.parameters {
        line += &format!(" {}={}", parameter.key, parameter.value);
    }
    for (metric, definition) in report.metrics.iter() {
        if let Some(row) = rows.row(metric, id).unwrap() {
            let values: Vec<String> = row.iter().map(show).collect();
            line += &format!(" {}={}", definition.unique_name, values.join(","));
        }
    }
    line + "\n"
}

/// The sum of a metric over the whole program.
pub fn whole(rows: &dyn Rows, metric: &str) -> f64 {
    let report = rows.report();
    let metric = report.metric(metric).unwrap();
    let mut sum = 0.0;
    for &root in report.call_paths.roots() {
        let row = pompeii_algebra::severity(rows, metric, root, pompeii_algebra::Mode::Inclusive);
        sum += row
            .unwrap()
            .unwrap_or_default()
            .iter()
            .filter_map(pompeii_algebra::number)
            .sum::<f64>();
    }
    sum
}

/// A location by its number.
pub fn location(index: usize) -> LocationId {
    LocationId::from_index(index)
}

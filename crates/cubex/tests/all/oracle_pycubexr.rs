//! What we write, read by pycubexr, the Python reader of Cube files: the same values, as stored and
//! converted. Runs where POMPEII_ORACLES is set; `PYTHON` names an interpreter that has pycubexr.

use std::collections::BTreeMap;
use std::process::Command;

use crate::common::{value, write_with_files};
use pompeii_cubex::{
    ByteOrder, CallPath, CallPathId, DataType, Location, LocationGroup, Metric, MetricKind, Reader,
    Region, Report, Row, SystemNode, Value, WriteOptions,
};
use pompeii_testing::oracles;

/// A metric of every type that pycubexr knows, inclusive and exclusive, on a call tree where the
/// orders of rows differ.
fn report() -> Report {
    let mut report = Report::new("oracle test");
    let types = [
        "INT8",
        "UINT8",
        "INT16",
        "UINT16",
        "INT32",
        "UINT32",
        "INT64",
        "UINT64",
        "DOUBLE",
        "MINDOUBLE",
        "MAXDOUBLE",
        "COMPLEX",
        "RATE",
        "TAU_ATOMIC",
    ];
    for name in types {
        for kind in [MetricKind::Inclusive, MetricKind::Exclusive] {
            let unique_name = format!("{name} {}", kind.name());
            let data_type = DataType::parse(name);
            let metric = Metric { unique_name, data_type, kind, ..Metric::default() };
            report.metrics.push(None, metric);
        }
    }
    let region = report.regions.push(Region { name: "<&\"'>".into(), ..Region::default() });
    for parent in [None, Some(0), Some(0), Some(1), Some(2), Some(1), Some(3), Some(0)] {
        report.call_paths.push(parent.map(CallPathId), CallPath::new(region));
    }
    let node = report.system.nodes.push(None, SystemNode::default());
    for process in 0..2 {
        let group = report.system.groups.push(None, LocationGroup::process(node, "p", process));
        for rank in 0..3 {
            report.system.locations.push(Location::thread(group, "t", rank));
        }
    }
    report
}

/// Values of moderate size, so that conversions are exact; every third row is zero.
fn sample(data_type: &DataType, call_path: CallPathId, location: u32) -> Value {
    let number = if call_path.0 % 3 == 2 { 0 } else { 1 + call_path.0 + 5 * location };
    match data_type {
        DataType::Double | DataType::MinDouble | DataType::MaxDouble => {
            Value::Double(f64::from(number) / 4.0)
        }
        other => value(other, number.into()),
    }
}

/// All values as `metric call-path mode: bytes`, where pycubexr can convert.
fn dump(reader: &Reader) -> BTreeMap<String, String> {
    let mut lines = BTreeMap::new();
    let report = reader.report();
    for (id, metric) in report.metrics.iter() {
        let values = reader.values(id).unwrap();
        for call_path in report.call_paths.ids() {
            let key = |mode| format!("{} {} {mode}", metric.unique_name, call_path.0);
            let row = values.row(call_path).unwrap();
            let row = row.as_ref();
            let value = |row: &Row, location| show(&row.value(location).unwrap());
            let shown = row.map_or("zero".into(), |row| {
                report
                    .locations()
                    .map(|location| value(row, location))
                    .collect::<Vec<_>>()
                    .join(" ")
            });
            lines.insert(key("stored"), shown);
        }
        if metric.data_type == DataType::Double || metric.data_type == DataType::Int64 {
            let exclusive = values.exclusive::<f64>().unwrap();
            let inclusive = values.inclusive::<f64>().unwrap();
            for (mode, matrix) in [("exclusive", exclusive), ("inclusive", inclusive)] {
                for call_path in report.call_paths.ids() {
                    let shown: Vec<String> = report
                        .locations()
                        .map(|location| show(&Value::Double(matrix.get(call_path, location))))
                        .collect();
                    let key = format!("{} {} {mode}", metric.unique_name, call_path.0);
                    lines.insert(key, shown.join(" "));
                }
            }
        }
    }
    lines
}

/// Integers in decimal, doubles by their bits: nothing is lost in between.
fn show(value: &Value) -> String {
    let bits = |doubles: &[f64]| {
        let words: Vec<String> = doubles.iter().map(|d| format!("{:016x}", d.to_bits())).collect();
        words.join(",")
    };
    match value {
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Double(number) => bits(&[*number]),
        Value::Complex(a, b) | Value::Rate(a, b) => bits(&[*a, *b]),
        Value::TauAtomic(tau) => {
            let doubles = bits(&[tau.min, tau.max, tau.sum, tau.sum_of_squares]);
            format!("{},{doubles}", tau.count)
        }
        Value::Doubles(_) | Value::Histogram { .. } | Value::Opaque(_) => String::new(),
    }
}

fn pycubexr(path: &std::path::Path) -> BTreeMap<String, String> {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/pycubexr_dump.py");
    let output = Command::new(&python)
        .arg(script)
        .arg(path)
        .output()
        .unwrap_or_else(|error| panic!("cannot run {python}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{python} needs pycubexr (pip install pycubexr): {errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let pair = |line: &str| {
        let (key, values) = line.split_once(": ").unwrap();
        (key.to_owned(), values.to_owned())
    };
    text.lines().map(pair).collect()
}

#[test]
fn pycubexr_reads_the_same_values() {
    if !oracles() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("oracle.cubex");
    let report = report();
    for (compress, byte_order) in [
        (false, ByteOrder::Little),
        (false, ByteOrder::Big),
        (true, ByteOrder::Little),
        (true, ByteOrder::Big),
    ] {
        let options = WriteOptions { compress, byte_order, mtime_s: 0 };
        // A file of one full block is where readers of containers disagree about what follows.
        let files = [("full.cfg", [b'x'; 512].as_slice())];
        let bytes = write_with_files(&report, options, &files, |metric, call_path, location| {
            sample(&report.metrics[metric].data_type, call_path, location.0)
        });
        std::fs::write(&path, &bytes).unwrap();
        let ours = dump(&Reader::from_bytes(bytes).unwrap());
        let theirs = pycubexr(&path);
        assert_eq!(ours.len(), theirs.len(), "{options:?}");
        for (key, values) in &ours {
            assert_eq!(theirs.get(key), Some(values), "{key} with {options:?}");
        }
    }
}

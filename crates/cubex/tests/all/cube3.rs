//! Cube 3 reports: what older tools wrote is read, what we write is read back, plain and gzipped.

use crate::common::{OLD_CUBE3 as OLD, distinct_value, shaped_report, small_report, write};
use expect_test::{Expect, expect, expect_file};
use pompeii_cubex::{
    CallPathId, Cube3Writer, DataType, Format, Metric, MetricId, MetricKind, Reader, Report, Step,
    Value, WriteOptions,
};
use proptest::prelude::*;

fn show(reader: &Reader) -> String {
    let report = reader.report();
    let mut text = String::new();
    for (id, metric) in report.metrics.iter() {
        text += &format!("{} {} {}\n", metric.unique_name, metric.data_type, metric.kind.name());
        let values = reader.values(id).unwrap();
        for call_path in values.call_paths() {
            let row = values.row(call_path).unwrap().unwrap();
            let row: Vec<Value> = report.locations().map(|id| row.value(id).unwrap()).collect();
            text += &format!("  {} {row:?}\n", call_path.0);
        }
    }
    for step in report.system.nodes.walk() {
        let Step::Enter(id) = step else { continue };
        let node = &report.system.nodes[id];
        let parent = report.system.nodes.parent(id);
        text += &format!("{} {} in {parent:?}\n", node.class, node.name);
    }
    text + &format!("{:?}\n", report.topologies)
}

#[test]
fn a_report_of_an_old_analyzer() {
    let reader = Reader::from_bytes(OLD.into()).unwrap();
    assert_eq!(reader.format(), Format::Cube3);
    expect![[r#"
        time DOUBLE EXCLUSIVE
          0 [Double(1.5), Double(0.25)]
          1 [Double(3.0), Double(4.0)]
        execution DOUBLE EXCLUSIVE
        visits INT64 EXCLUSIVE
          0 [Int(0), Int(0)]
          1 [Int(7), Int(0)]
        ~counter DOUBLE EXCLUSIVE
          0 [Double(1.0), Double(2.5)]
        machine cluster in None
        node host in Some(NodeId(0))
        [Topology { name: "", dimensions: [Dimension { name: "", size: 1, periodic: false }], coordinates: [(Node(NodeId(0)), [0]), (Node(NodeId(1)), [0]), (Group(GroupId(0)), [0]), (Location(LocationId(1)), [0])] }]
    "#]]
    .assert_eq(&show(&reader));
    let time = reader.values(MetricId(0)).unwrap();
    assert_eq!(time.inclusive::<f64>().unwrap().row(CallPathId(0)), Some(&[4.5, 4.25][..]));
    assert_eq!(reader.report().mirrors, ["http://example.org/docs"]);
}

fn check_refused(change: (&str, &str), expect: Expect) {
    let text = OLD.replacen(change.0, change.1, 1);
    assert_ne!(text, OLD);
    expect.assert_eq(&Reader::from_bytes(text.into()).err().unwrap().to_string());
}

#[test]
fn values_that_cannot_be() {
    check_refused(
        ("1.5\n", "1.5 fast\n"),
        expect!["severity of metric 0, row of cnode 0: expected numbers, found `fast`"],
    );
    check_refused(
        (" 3 4 ", "3 4 5"),
        expect![
            "severity of metric 0, row of cnode 1: expected at most 2 values, one per thread, found 3 values"
        ],
    );
    check_refused(
        ("<matrix metricId=\"5\">", "<matrix metricId=\"9\">"),
        expect![
            "severity of metric 9, row of cnode 1: expected the id of a metric, found none of that id"
        ],
    );
    check_refused(
        ("<row cnodeId=\"0\"/>", "<row cnodeId=\"8\"/>"),
        expect![
            "severity of metric 5, row of cnode 8: expected the id of a cnode, found none of that id"
        ],
    );
    check_refused(
        ("<row cnodeId=\"0\"/>", "<row/>"),
        expect![
            "anchor.xml, byte 1760, element `row`: expected a number as attribute `cnodeId`, found none"
        ],
    );
}

fn cube3(report: &Report) -> Vec<u8> {
    let mut writer = Cube3Writer::new(Vec::new(), report).unwrap();
    for (metric, definition) in report.metrics.iter() {
        if !Cube3Writer::<Vec<u8>>::can_hold(definition) {
            continue;
        }
        for call_path in report.call_paths.ids() {
            let row: Vec<Value> = report
                .locations()
                .map(|location| distinct_value(report, metric, call_path, location))
                .collect();
            writer.row(metric, call_path, &row).unwrap();
        }
    }
    writer.finish().unwrap()
}

#[test]
fn the_text_of_a_small_report() {
    let mut report = small_report();
    report
        .metrics
        .push(Some(MetricId(4)), Metric { unique_name: "below".into(), ..Metric::default() });
    let text = String::from_utf8(cube3(&report)).unwrap();
    expect_file!["expected/small.cube"].assert_eq(&text);
    let reader = Reader::from_bytes(text.into_bytes()).unwrap();
    assert_eq!(reader.format(), Format::Cube3);
    // The derived metric is gone, and the one below it has moved up.
    let names: Vec<&str> =
        reader.report().metrics.iter().map(|(_, m)| m.unique_name.as_str()).collect();
    assert_eq!(names, ["time", "wait", "visits", "hidden", "below"]);
    assert_eq!(reader.report().topologies.len(), 1);
}

#[test]
fn what_the_writer_refuses() {
    let report = small_report();
    let mut writer = Cube3Writer::new(Vec::new(), &report).unwrap();
    let error = |result: pompeii_cubex::Result<()>| result.unwrap_err().to_string();
    expect![
        "row of call path 0 of metric 4: expected a metric that Cube 3 can hold, found another"
    ]
    .assert_eq(&error(writer.row(MetricId(4), CallPathId(0), &[1.0, 2.0])));
    expect!["row of call path 0 of metric 0: expected 2 values of a call path that is defined, found 1 values"]
        .assert_eq(&error(writer.row(MetricId(0), CallPathId(0), &[1.0])));
    writer.row(MetricId(0), CallPathId(0), &[1.0, 2.0]).unwrap();
    writer.row(MetricId(1), CallPathId(0), &[1.0, 2.0]).unwrap();
    expect!["row of call path 1 of metric 0: expected all rows of a metric in one go, found rows of others in between"]
        .assert_eq(&error(writer.row(MetricId(0), CallPathId(1), &[1.0, 2.0])));
}

#[test]
fn files_plain_and_gzipped() {
    let folder = tempfile::tempdir().unwrap();
    let report = small_report();
    for (name, packed) in [("a.cube", false), ("a.cube.gz", true)] {
        let path = folder.path().join(name);
        let mut writer = Cube3Writer::create(&path, &report).unwrap();
        writer.row(MetricId(0), CallPathId(1), &[0.125, 1e300]).unwrap();
        writer.finish().unwrap();
        assert_eq!(std::fs::read(&path).unwrap().starts_with(&[0x1f, 0x8b]), packed);
        let reader = Reader::open(&path).unwrap();
        let row = reader.values(MetricId(0)).unwrap().matrix::<f64>().unwrap();
        assert_eq!(row.row(CallPathId(1)), Some(&[0.125, 1e300][..]));
    }
}

proptest! {
    #[test]
    fn numbers_survive(seeds in proptest::collection::vec(any::<u64>(), 1..20), whole in any::<bool>()) {
        let data_type = if whole { DataType::Int64 } else { DataType::Double };
        let report = shaped_report(data_type.clone(), MetricKind::Exclusive, &[None, Some(0)], 3);
        let expected = |call_path: u32, location: u32| {
            let seed = seeds[(3 * call_path + location) as usize % seeds.len()];
            crate::common::value(&data_type, seed)
        };
        let mut writer = Cube3Writer::new(Vec::new(), &report).unwrap();
        for call_path in 0..2 {
            let row: Vec<Value> = (0..3).map(|location| expected(call_path, location)).collect();
            writer.row(MetricId(0), CallPathId(call_path), &row).unwrap();
        }
        let reader = Reader::from_bytes(writer.finish().unwrap()).unwrap();
        prop_assert_eq!(reader.report(), &{
            // What Cube 3 has no words for.
            let mut report = report.clone();
            report.system.nodes[pompeii_cubex::NodeId(0)].class = "machine".into();
            let node = pompeii_cubex::SystemNode { class: "node".into(), ..Default::default() };
            let node = report.system.nodes.push(Some(pompeii_cubex::NodeId(0)), node);
            report.system.groups[pompeii_cubex::GroupId(0)].node = node;
            report
        });
        let values = reader.values(MetricId(0)).unwrap();
        for call_path in 0..2 {
            let row = values.row(CallPathId(call_path)).unwrap().unwrap();
            for location in 0..3 {
                let found = row.value(pompeii_cubex::LocationId(location)).unwrap();
                prop_assert_eq!(found, expected(call_path, location));
            }
        }
    }
}

/// A Cube 3 report becomes a Cube 4 report by copying it.
#[test]
fn copied_into_a_container() {
    let reader = Reader::from_bytes(OLD.into()).unwrap();
    let bytes = pompeii_cubex::copy(&reader, std::io::Cursor::new(Vec::new())).unwrap();
    let copied = Reader::from_bytes(bytes.into_inner()).unwrap();
    assert_eq!(copied.format(), Format::Cube4);
    assert_eq!(copied.report(), reader.report());
    assert_eq!(show(&copied), show(&reader));
    let small = small_report();
    let bytes = write(&small, WriteOptions::default(), |m, c, l| distinct_value(&small, m, c, l));
    assert_eq!(Reader::from_bytes(bytes).unwrap().format(), Format::Cube4);
}

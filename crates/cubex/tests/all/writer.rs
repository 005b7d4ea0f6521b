//! What the writer refuses, and files on disk.

use std::io::Cursor;

use crate::common::{distinct_value, shaped_report, small_report, write};
use expect_test::{Expect, expect};
use pompeii_cubex::{
    CallPathId, DataType, GroupId, Id, Location, MetricId, MetricKind, Reader, Report, Result,
    WriteOptions, Writer,
};

type MemoryWriter<'r> = Writer<'r, Cursor<Vec<u8>>>;

fn check(calls: impl Fn(&mut MemoryWriter<'_>) -> Result<()>, expect: Expect) {
    let report = small_report();
    let memory = Cursor::new(Vec::new());
    let mut writer = Writer::new(memory, &report, WriteOptions::default()).unwrap();
    expect.assert_eq(&calls(&mut writer).unwrap_err().to_string());
}

const TIME: MetricId = MetricId(0);
const VISITS: MetricId = MetricId(2);
const MEAN: MetricId = MetricId(4);

#[test]
fn rows_out_of_order() {
    check(
        |writer| {
            writer.row(TIME, CallPathId(3), &[1.0, 1.0])?;
            writer.row(TIME, CallPathId(2), &[1.0, 1.0])
        },
        expect![
            "row of call path 2 of metric `time`: expected a place behind 3 in the metric's row order, found 2"
        ],
    );
    check(
        |writer| {
            writer.row(VISITS, CallPathId(0), &[1_u64, 1])?;
            writer.row(TIME, CallPathId(0), &[1.0, 1.0])?;
            writer.row(VISITS, CallPathId(1), &[1_u64, 1])
        },
        expect![
            "rows of metric `visits`: expected all rows in one go, found rows of others in between"
        ],
    );
}

#[test]
fn values_that_do_not_fit() {
    check(
        |writer| writer.row(TIME, CallPathId(0), &[1.0]),
        expect![
            "row of call path 0 of metric `time`: expected 2 values, one per location, found 1"
        ],
    );
    check(
        |writer| writer.row(TIME, CallPathId(0), &[1_u64, 2]),
        expect![
            "row of call path 0 of metric `time`: expected values of type DOUBLE, found another type or range at location 0"
        ],
    );
    check(
        |writer| writer.row(VISITS, CallPathId(0), &[1_i64, -2]),
        expect![
            "row of call path 0 of metric `visits`: expected values of type UINT64, found another type or range at location 1"
        ],
    );
    check(
        |writer| writer.row(MetricId(3), CallPathId(0), &[1_u64, 1 << 31]),
        expect![
            "row of call path 0 of metric `hidden`: expected values of type INT32, found another type or range at location 1"
        ],
    );
}

#[test]
fn what_is_not_defined() {
    check(
        |writer| writer.row(MEAN, CallPathId(0), &[1.0, 2.0]),
        expect!["rows of metric `mean`: expected a metric with stored values, found POSTDERIVED"],
    );
    check(
        |writer| writer.row(MetricId(9), CallPathId(0), &[1.0, 2.0]),
        expect!["row: expected a metric below 5, found 9"],
    );
    check(
        |writer| writer.row(TIME, CallPathId(9), &[1.0, 2.0]),
        expect!["row of call path 9 of metric `time`: expected a call path below 4, found 9"],
    );
    check(
        |writer| writer.file("7.data", b""),
        expect!["embedded file: expected a name that Cube does not use, found 7.data"],
    );
}

fn check_report(change: impl Fn(&mut Report), expect: Expect) {
    let mut report = small_report();
    change(&mut report);
    expect.assert_eq(&report.check().unwrap_err().to_string());
}

#[test]
fn reports_that_contradict_themselves() {
    check_report(
        |report| report.metrics[VISITS].unique_name = "time".into(),
        expect!["metric 2: expected a unique name of its own, found time"],
    );
    check_report(
        |report| {
            report.system.locations.push(Location::thread(GroupId(5), "lost", 0));
        },
        expect!["group of location 2: expected an id below 1, found 5"],
    );
}

#[test]
fn rows_of_zeros_take_no_space() {
    let parents: Vec<_> = (0..1000).map(|id: usize| id.checked_sub(1)).collect();
    let report = shaped_report(DataType::Double, MetricKind::Exclusive, &parents, 200);
    for compress in [false, true] {
        let options = WriteOptions { compress, ..WriteOptions::default() };
        let written = |place: Option<usize>| {
            let mut writer = Writer::new(Cursor::new(Vec::new()), &report, options).unwrap();
            let fill = |call_path: CallPathId, row: &mut [f64]| {
                // The last byte of a row is the one that is not zero.
                row[199] = if Some(call_path.index()) == place { 2.0 } else { 0.0 };
            };
            writer.rows(TIME, fill).unwrap();
            writer.finish().unwrap().into_inner()
        };
        let nothing = written(None);
        let one = written(Some(700));
        // A row of 1600 bytes, an index of one, and a block for the head of each member.
        assert!(one.len() - nothing.len() <= 8 * 512, "{} of {}", one.len(), nothing.len());
        let reader = Reader::from_bytes(nothing).unwrap();
        assert!(reader.values(TIME).unwrap().row(CallPathId(700)).unwrap().is_none());
        let reader = Reader::from_bytes(one).unwrap();
        let values = reader.values(TIME).unwrap();
        assert!(values.row(CallPathId(699)).unwrap().is_none());
        let row = values.row(CallPathId(700)).unwrap().unwrap().numbers::<f64>().unwrap();
        assert_eq!((row[198], row[199]), (0.0, 2.0));
    }
}

#[test]
fn files_on_disk_are_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let report = small_report();
    for compress in [false, true] {
        let options = WriteOptions { compress, ..WriteOptions::default() };
        let path = folder.path().join("profile.cubex");
        let mut writer = Writer::create(&path, &report, options).unwrap();
        for (metric, definition) in report.metrics.iter() {
            if definition.kind.is_derived() {
                continue;
            }
            for call_path in writer.row_order(metric).unwrap() {
                let value = |location| distinct_value(&report, metric, call_path, location);
                let row: Vec<_> = report.locations().map(value).collect();
                writer.row(metric, call_path, &row).unwrap();
            }
        }
        writer.finish().unwrap();
        let expected = write(&report, options, |m, c, l| distinct_value(&report, m, c, l));
        assert!(std::fs::read(&path).unwrap() == expected);
        let reader = Reader::open(&path).unwrap();
        assert_eq!(*reader.report(), report);
        let time = reader.values(TIME).unwrap().matrix::<f64>().unwrap();
        assert_eq!(time.row_sum(CallPathId(0)), (101.0 + 102.0) / 8.0);
    }
    let missing = Reader::open(folder.path().join("no.cubex")).err().unwrap().to_string();
    assert!(missing.contains("no.cubex"), "{missing}");
}

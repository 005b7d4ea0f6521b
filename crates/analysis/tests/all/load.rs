//! A Cube report that is written with seconds comes back as the integer ticks that were measured,
//! also where an inclusive value is a sum that doubles cannot represent.

use expect_test::{Expect, expect};
use pompeii_analysis as analysis;
use pompeii_cubex as cubex;
use pompeii_model::Frequency;

const TICKS_PER_SECOND: f64 = 2_699_998_742.31;

fn metric(name: &str, unit: &str, kind: cubex::MetricKind) -> cubex::Metric {
    let data_type = if unit == "sec" { cubex::DataType::Double } else { cubex::DataType::Uint64 };
    cubex::Metric {
        unique_name: name.into(),
        display_name: name.into(),
        unit: unit.into(),
        kind,
        data_type,
        ..cubex::Metric::default()
    }
}

/// A report of two threads: `main`, a region in it, and a barrier in that.
fn report(own: [[i64; 2]; 3]) -> Vec<u8> {
    let clock = Frequency::new(TICKS_PER_SECOND).unwrap();
    let mut report = cubex::Report::new("test");
    let wall: i64 = own.iter().map(|row| row[0]).sum();
    for (key, value) in [
        ("pompeii::ticks_per_second", TICKS_PER_SECOND.to_string()),
        ("pompeii::wall_ticks", wall.to_string()),
        ("pompeii::program", "/home/me/ocean".to_owned()),
    ] {
        report.attributes.push((key.into(), value));
    }
    let time = report.metrics.push(None, metric("time", "sec", cubex::MetricKind::Inclusive));
    let visits = report.metrics.push(None, metric("visits", "occ", cubex::MetricKind::Exclusive));
    let region = |name: &str, paradigm: &str, role: &str, line| cubex::Region {
        name: name.into(),
        paradigm: paradigm.into(),
        role: role.into(),
        file: "src/a.c".into(),
        begin_line: Some(line),
        ..cubex::Region::default()
    };
    // The paths are defined before their regions' ids are in order, as a reader may find them.
    let barrier = region("!$omp implicit barrier @a.c:9", "openmp", "implicit barrier", 9);
    let barrier = report.regions.push(barrier);
    let main = report.regions.push(region("ocean", "measurement", "artificial", 1));
    let parallel = report.regions.push(region("!$omp parallel @a.c:5", "openmp", "parallel", 5));
    let root = report.call_paths.push(None, cubex::CallPath::new(main));
    let inside = report.call_paths.push(Some(root), cubex::CallPath::new(parallel));
    let end = report.call_paths.push(Some(inside), cubex::CallPath::new(barrier));
    let node = report.system.nodes.push(None, cubex::SystemNode::default());
    let process =
        report.system.groups.push(None, cubex::LocationGroup::process(node, "Process", 0));
    // The worker is defined first: the model puts the master first.
    report.system.locations.push(cubex::Location::thread(process, "OMP thread 1", 1));
    report.system.locations.push(cubex::Location::thread(process, "Master thread", 0));
    let memory = std::io::Cursor::new(Vec::new());
    let mut writer = cubex::Writer::new(memory, &report, cubex::WriteOptions::default()).unwrap();
    let paths = [root, inside, end];
    writer
        .rows(time, |path, row: &mut [f64]| {
            let from = paths.iter().position(|&p| p == path).unwrap();
            let inclusive = |thread: usize| own[from..].iter().map(|row| row[thread]).sum();
            row.copy_from_slice(&[clock.seconds(inclusive(1)), clock.seconds(inclusive(0))]);
        })
        .unwrap();
    writer.rows(visits, |_, row: &mut [u64]| row.fill(2)).unwrap();
    writer.finish().unwrap().into_inner()
}

fn check(own: [[i64; 2]; 3], expect: Expect) {
    let reader = cubex::Reader::from_bytes(report(own)).unwrap();
    let cube = analysis::measured(&reader).unwrap();
    let mut shown = format!("{} {} ticks\n", cube.program, cube.wall_ticks);
    for call in cube.calls.ids() {
        let region = &cube.regions[cube.calls.region(call)];
        let values: Vec<String> = cube
            .metrics()
            .enumerated()
            .map(|(id, metric)| format!("{}{:?}", metric.name, cube.row(id, call)))
            .collect();
        shown += &format!("{} {}\n", region.name, values.join(" "));
    }
    let full = analysis::load(&reader).unwrap();
    shown += &match analysis::check_sum(&full) {
        Ok(()) => "sums hold".to_owned(),
        Err(error) => error.to_string(),
    };
    expect.assert_eq(&shown);
}

#[test]
fn seconds_become_the_ticks_that_they_were() {
    check(
        [[1_234_567_890_123, 0], [7, 9_876_543_210_989], [11_111_111_111_111, 1_234_567_900_129]],
        expect![[r#"
            ocean 12345679001241 ticks
            ocean time[1234567890123, 0] visits[2, 2]
            !$omp parallel @a.c:5 time[7, 9876543210989] visits[2, 2]
            !$omp implicit barrier @a.c:9 time[11111111111111, 1234567900129] visits[2, 2]
            sums hold"#]],
    );
}

#[test]
fn a_report_without_time_is_refused() {
    let mut report = cubex::Report::new("test");
    report.metrics.push(None, metric("visits", "occ", cubex::MetricKind::Exclusive));
    let main = report.regions.push(cubex::Region::default());
    report.call_paths.push(None, cubex::CallPath::new(main));
    let node = report.system.nodes.push(None, cubex::SystemNode::default());
    let process = report.system.groups.push(None, cubex::LocationGroup::process(node, "p", 0));
    report.system.locations.push(cubex::Location::thread(process, "t", 0));
    let memory = std::io::Cursor::new(Vec::new());
    let writer = cubex::Writer::new(memory, &report, cubex::WriteOptions::default()).unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    let reader = cubex::Reader::from_bytes(bytes).unwrap();
    let error = analysis::load(&reader).map(|_| ()).unwrap_err();
    expect!["the report has no metric `time`; expected a profile.cubex of pompeii or of Score-P"]
        .assert_eq(&error.to_string());
}

/// Sums of large numbers would not fit into an integer.
#[test]
fn a_report_with_numbers_that_no_program_can_have_is_refused() {
    // Three years on two threads are possible.
    assert_eq!(complaint("Pompeii 1.0", [1e8, 1e8, 1e8], [1, 2, 2], false), "read");
    let said = "the values of metric `visits` at call path 2 (`!$omp implicit barrier @a.c:9`) are \
                larger than any program can have; the report is damaged, or the live state that \
                it was made of";
    for visits in [[1, 2, 1 << 61], [1, 2, u64::MAX / 2]] {
        for creator in ["Pompeii 1.0", "Score-P 8.4"] {
            assert_eq!(complaint(creator, [3.0, 2.0, 1.0], visits, false), said);
            assert_eq!(complaint(creator, [3.0, 2.0, 1.0], visits, true), "read");
        }
    }
}

/// What is said of a profile of ours with these inclusive times and numbers of visits of three call
/// paths below each other; rows of zeros are not stored.
fn complaint(creator: &str, times: [f64; 3], visits: [u64; 3], shows_damaged: bool) -> String {
    let mut report = cubex::Reader::from_bytes(report([[1, 1]; 3])).unwrap().report().clone();
    report.attributes.retain(|(key, _)| key != "Creator");
    report.attributes.push(("Creator".into(), creator.into()));
    let metric = |name| report.metric(name).unwrap();
    let memory = std::io::Cursor::new(Vec::new());
    let mut writer = cubex::Writer::new(memory, &report, cubex::WriteOptions::default()).unwrap();
    let rows = |path: cubex::CallPathId, row: &mut [f64]| row.fill(times[path.0 as usize]);
    writer.rows(metric("time"), rows).unwrap();
    let rows = |path: cubex::CallPathId, row: &mut [u64]| row.fill(visits[path.0 as usize]);
    writer.rows(metric("visits"), rows).unwrap();
    let mut reader = cubex::Reader::from_bytes(writer.finish().unwrap().into_inner()).unwrap();
    if shows_damaged {
        reader = reader.show_damaged();
    }
    analysis::load(&reader).map_or_else(|error| error.to_string(), |_| "read".to_owned())
}

#[test]
fn a_profile_of_ours_without_a_row_that_it_must_have_is_refused() {
    let ours = "Pompeii 1.0";
    assert_eq!(complaint(ours, [3.0, 2.0, 1.0], [1, 2, 2], false), "read");
    let cases = [
        ([3.0, 0.0, 0.0], [1, 1, 0], "though it was visited"),
        ([3.0, 0.0, 1.0], [1, 2, 2], "though a call path below it has one"),
    ];
    for (times, visits, why) in cases {
        assert_eq!(
            complaint(ours, times, visits, false),
            format!(
                "the data of metric `time` has no row of call path 1 (`!$omp parallel @a.c:5`), \
                 {why}; the report is damaged"
            )
        );
        assert_eq!(complaint(ours, times, visits, true), "read");
        assert_eq!(complaint("Score-P 8.4", times, visits, false), "read");
    }
    // A barrier may take less than a tick, and so may one visit.
    assert_eq!(complaint(ours, [3.0, 2.0, 0.0], [1, 2, 2], false), "read");
    assert_eq!(complaint(ours, [3.0, 0.0, 0.0], [1, 0, 0], false), "read");
}

//! An operator costs its definitions and a row per operand, not its values: memory while a
//! difference of large reports is written. The peak is that of a whole process, so the test has one
//! of its own.

use pompeii_testing::{is_alone, peak_bytes};
use std::path::Path;

use pompeii_algebra::{Combination, Input, diff, write};
use pompeii_cubex::{
    CallPath, CallPathId, Location, LocationGroup, Metric, MetricId, Reader, Region, Report,
    SystemNode, WriteOptions, Writer,
};

const CALL_PATHS: u32 = 400;
const LOCATIONS: i64 = 3000;

fn large_report(path: &Path, factor: f64) {
    let mut report = Report::new("test");
    let metric = Metric { unique_name: "time".into(), ..Metric::default() };
    let time = report.metrics.push(None, metric);
    let region = report.regions.push(Region { name: "f".into(), ..Region::default() });
    for id in 0..CALL_PATHS {
        let parent = id.checked_sub(1).map(|_| CallPathId(id / 4));
        report.call_paths.push(parent, CallPath::new(region));
    }
    let node = report.system.nodes.push(None, SystemNode::default());
    let group = report.system.groups.push(None, LocationGroup::process(node, "p", 0));
    for rank in 0..LOCATIONS {
        report.system.locations.push(Location::thread(group, "t", rank));
    }
    let mut writer = Writer::create(path, &report, WriteOptions::default()).unwrap();
    writer
        .rows(time, |call_path, row: &mut [f64]| row.fill(factor * f64::from(call_path.0 + 1)))
        .unwrap();
    writer.finish().unwrap();
}

#[test]
fn a_difference_row_by_row() {
    if !is_alone("memory::a_difference_row_by_row") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let [a, b, out] = ["a.cubex", "b.cubex", "out.cubex"].map(|name| folder.path().join(name));
    large_report(&a, 3.0);
    large_report(&b, 1.0);
    let (a, b) = (Reader::open(&a).unwrap(), Reader::open(&b).unwrap());
    let before = peak_bytes().unwrap_or(0);
    let (a, b) = (Input::new(&a), Input::new(&b));
    write(&diff(&a, &b, &Combination::default()), &out, WriteOptions::default()).unwrap();
    let growth = peak_bytes().unwrap_or(0).saturating_sub(before);
    let written = std::fs::metadata(&out).unwrap().len();
    assert!(written > 9_000_000, "{written}");
    assert!(growth < 7_000_000, "{growth} bytes of memory for {written} bytes of report");
    let result = Reader::open(&out).unwrap();
    let row = result.values(MetricId(0)).unwrap().row(CallPathId(7)).unwrap().unwrap();
    assert_eq!(row.numbers::<f64>().unwrap(), vec![16.0; LOCATIONS as usize]);
}

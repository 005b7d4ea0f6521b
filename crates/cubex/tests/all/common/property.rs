//! What holds for any bytes: a reader gives an error or a report whose values have the right shape,
//! and what it has read can be written and read again. The fuzz target checks the same.
// Each user of this file checks a part.
#![allow(dead_code, reason = "each user of this module uses its part")]

use std::io::Cursor;

use pompeii_cubex::{Limits, MetricId, Reader, Result, copy};

/// Whole matrices are made of fewer values than this only: fuzzing is not about memory.
const VALUES_MAX: usize = 1 << 18;

/// Reads all there is, and writes it again. Returns whether the report could be opened.
pub fn check(bytes: &[u8]) -> bool {
    let Some(reader) = open(bytes) else { return false };
    same_again(&reader);
    true
}

/// Reads all there is. Returns whether the report could be opened.
pub fn read_all(bytes: &[u8]) -> bool {
    open(bytes).is_some()
}

fn open(bytes: &[u8]) -> Option<Reader> {
    let limits = Limits { unpacked_bytes_max: 1 << 22, ..Limits::default() };
    let reader = Reader::from_bytes_within(bytes.to_vec(), limits).ok()?;
    let report = reader.report();
    for metric in report.metrics.ids() {
        let _ = values(&reader, metric);
    }
    for name in reader.files() {
        assert!(reader.file(name).is_ok(), "{name} was listed but cannot be read");
    }
    Some(reader)
}

fn values(reader: &Reader, metric: MetricId) -> Result<()> {
    let report = reader.report();
    let locations = report.system.locations.len();
    let values = reader.values(metric)?;
    for call_path in values.call_paths().take(VALUES_MAX / (locations + 1)) {
        let Some(row) = values.row(call_path)? else { continue };
        let defined = report.locations().filter(|&id| row.value(id).is_some()).count();
        assert!(defined == locations || defined == 0, "{defined} of {locations} values");
    }
    if report.call_paths.len() * locations < VALUES_MAX {
        let exclusive = values.exclusive::<i64>()?;
        assert!(exclusive.call_paths().all(|id| report.call_paths.get(id).is_some()));
        values.inclusive::<f64>()?;
    }
    Ok(())
}

/// A report that can be written comes back with the same definitions and the same values.
fn same_again(reader: &Reader) {
    let values = reader.report().call_paths.len() * reader.report().system.locations.len();
    if values > VALUES_MAX {
        return;
    }
    let Ok(bytes) = copy(reader, Cursor::new(Vec::new())) else { return };
    let again = Reader::from_bytes(bytes.into_inner()).expect("what we write can be read");
    let (ours, theirs) = (again.report(), reader.report());
    assert_eq!(ours.call_paths.len(), theirs.call_paths.len());
    assert_eq!(ours.system.locations.len(), theirs.system.locations.len());
    for metric in theirs.metrics.ids() {
        let (Ok(ours), Ok(theirs)) = (again.values(metric), reader.values(metric)) else {
            continue;
        };
        for call_path in theirs.call_paths() {
            let (Ok(ours), Ok(theirs)) = (ours.row(call_path), theirs.row(call_path)) else {
                continue;
            };
            let (ours, theirs) =
                (ours.map(|r| r.bytes().to_vec()), theirs.map(|r| r.bytes().to_vec()));
            // A row of zeros is not stored again.
            let zero = theirs.as_ref().is_none_or(|row| row.iter().all(|&byte| byte == 0));
            assert!(ours == theirs || zero, "{metric:?} {call_path:?}");
        }
    }
}

//! Writing and reading a report in pieces takes memory for a row and the definitions, whatever its
//! size. The peak is that of a whole process, so each test has one of its own.

use pompeii_testing::{is_alone, peak_bytes};
use std::io::{Read, Seek, SeekFrom, Write};

use crate::common::shaped_report;
use pompeii_cubex::{CallPathId, DataType, MetricKind, Target, WriteOptions, Writer};

/// A file that forgets what is written to it, but not how much.
#[derive(Default)]
struct Counter {
    at: u64,
    len: u64,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.at += bytes.len() as u64;
        self.len = self.len.max(self.at);
        Ok(bytes.len())
    }
    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Read for Counter {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        let size = bytes.len().min((self.len - self.at) as usize);
        bytes[..size].fill(0);
        self.at += size as u64;
        Ok(size)
    }
}

impl Seek for Counter {
    fn seek(&mut self, to: SeekFrom) -> std::io::Result<u64> {
        if let SeekFrom::Start(at) = to {
            self.at = at;
        }
        Ok(self.at)
    }
}

impl Target for Counter {
    fn truncate(&mut self, len: u64) -> std::io::Result<()> {
        self.len = len;
        Ok(())
    }
}

/// Writes a metric of so many call paths and locations; returns the bytes written and the growth of
/// memory beyond what the definitions take.
fn write_large(call_paths: usize, locations: usize, compress: bool) -> (u64, u64) {
    let parents: Vec<_> = (0..call_paths).map(|id| id.checked_sub(1).map(|_| id / 3)).collect();
    let report = shaped_report(DataType::Double, MetricKind::Inclusive, &parents, locations);
    let before = peak_bytes().unwrap_or(0);
    let options = WriteOptions { compress, ..WriteOptions::default() };
    let mut writer = Writer::new(Counter::default(), &report, options).unwrap();
    let metric = pompeii_cubex::MetricId(0);
    let fill = |call_path: CallPathId, row: &mut [f64]| {
        for (location, value) in row.iter_mut().enumerate() {
            *value = f64::from(call_path.0) + location as f64 / 1024.0;
        }
    };
    writer.rows(metric, fill).unwrap();
    let written = writer.finish().unwrap().len;
    (written, peak_bytes().unwrap_or(0).saturating_sub(before))
}

#[test]
fn a_row_at_a_time() {
    if !is_alone("memory::a_row_at_a_time") {
        return;
    }
    for (call_paths, compress) in [(1500, false), (150, true)] {
        let (written, growth) = write_large(call_paths, 2000, compress);
        assert!(written > 24_000_000 || compress, "{written}");
        assert!(growth < 8 << 20, "{growth} bytes of memory for {written} bytes of report");
    }
}

#[test]
fn ten_thousand_squared() {
    if !is_alone("memory::ten_thousand_squared") {
        return;
    }
    for compress in [false, true] {
        let (written, growth) = write_large(10_000, 10_000, compress);
        assert!(written > 100_000_000, "{written}");
        assert!(growth < 32 << 20, "{growth} bytes of memory for {written} bytes of report");
    }
}

//! Damaged reports give an error or values of the right shape, and never a panic.
#![allow(clippy::unwrap_used)] // helpers of tests, like tests

mod common;

use std::io::Write;

use common::{distinct_value, small_report, write};
use pompeii_cubex::{Reader, WriteOptions};

/// Every so manieth damage is tried; a prime, so that all fields and bits are met.
const STRIDE: usize = 61;

/// Reads all there is. Returns whether the report could be opened.
fn read_all(bytes: Vec<u8>) -> bool {
    let Ok(reader) = Reader::from_bytes(bytes) else { return false };
    let report = reader.report();
    for metric in report.metrics.ids() {
        let Ok(values) = reader.values(metric) else { continue };
        for call_path in values.call_paths() {
            let Ok(Some(row)) = values.row(call_path) else { continue };
            let defined = report.locations().filter(|&id| row.value(id).is_some()).count();
            assert_eq!(defined, report.system.locations.len());
        }
        if let Ok(exclusive) = values.exclusive::<i64>() {
            assert!(exclusive.call_paths().all(|id| report.call_paths.get(id).is_some()));
        }
    }
    for name in reader.files() {
        assert!(reader.file(name).is_ok(), "{name} was listed but cannot be read");
    }
    true
}

fn samples() -> Vec<Vec<u8>> {
    let report = small_report();
    let sample = |compress| {
        let options = WriteOptions { compress, ..WriteOptions::default() };
        write(&report, options, |m, c, l| distinct_value(&report, m, c, l))
    };
    let (plain, compressed) = (sample(false), sample(true));
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&plain).unwrap();
    vec![plain, compressed, gzip.finish().unwrap()]
}

#[test]
fn cut_off() {
    for sample in samples() {
        assert!(read_all(sample.clone()));
        // anchor.xml comes last, so a report that lost more than its padding cannot be opened.
        let opened = (0..sample.len()).step_by(STRIDE);
        let opened = opened.filter(|&len| read_all(sample[..len].to_vec())).count();
        assert!(opened * STRIDE < 1536, "{opened} of {} prefixes were opened", sample.len());
    }
}

#[test]
fn flipped_bits() {
    for sample in samples() {
        let mut opened = 0;
        let places = (0..sample.len()).step_by(STRIDE);
        let tried = places.len();
        for at in places {
            let mut damaged = sample.clone();
            damaged[at] ^= 1 << (at % 8);
            opened += usize::from(read_all(damaged));
        }
        assert!(opened > 0 || sample.starts_with(&[0x1f, 0x8b]), "no flip was harmless");
        assert!(opened < tried, "no flip was noticed");
    }
}

#[test]
fn bytes_replaced_by_extremes() {
    for sample in samples() {
        for fill in [0x00, 0xff, b'9', b'<'] {
            for at in (0..sample.len()).step_by(3 * STRIDE) {
                let mut damaged = sample.clone();
                let end = (at + 4).min(damaged.len());
                damaged[at..end].fill(fill);
                read_all(damaged);
            }
        }
    }
}

/// A row length that multiplies to petabytes must not be allocated.
#[test]
fn huge_values_in_small_files() {
    let anchor = |data_type: &str| {
        format!(
            "<cube><metrics><metric id='0' type='EXCLUSIVE'><uniq_name>m</uniq_name>\
             <dtype>{data_type}</dtype></metric></metrics><program><region id='0'/>\
             <cnode id='0' calleeId='0'/></program><system><systemtreenode Id='0'>\
             <locationgroup Id='0'><location Id='0'/></locationgroup></systemtreenode></system>\
             </cube>"
        )
    };
    let index = b"CUBEX.INDEX\x01\0\0\0\0\0\x01\x01\0\0\0\0\0\0\0";
    let packed =
        [b"ZCUBEX.DATA".as_slice(), &1_u64.to_le_bytes(), &[0; 16], &4_u64.to_le_bytes(), b"zlib"]
            .concat();
    for data in [b"CUBEX.DATA12345678".as_slice(), &packed] {
        let anchor = anchor("NDOUBLES(4294967295)");
        let members = [("anchor.xml", anchor.as_bytes()), ("0.index", index), ("0.data", data)];
        let reader = Reader::from_bytes(common::tar(&members)).unwrap();
        let metric = pompeii_cubex::MetricId(0);
        let result = reader.values(metric).and_then(|values| values.matrix::<f64>());
        let error = result.unwrap_err().to_string();
        assert!(error.contains("34359738360 bytes"), "{error}");
    }
}

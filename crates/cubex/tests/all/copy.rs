//! A report that we wrote, read and written once more, is the same bytes; types that nobody knows
//! keep their values.

use std::io::Cursor;

use crate::common::{distinct_value, shaped_report, small_report, write, write_with_files};
use expect_test::expect;
use pompeii_cubex::{
    ByteOrder, CallPathId, DataType, Limits, LocationId, MetricId, MetricKind, Reader, Value,
    WriteOptions, Writer, copy,
};

fn all_options() -> Vec<WriteOptions> {
    let mut all = Vec::new();
    for compress in [false, true] {
        for byte_order in [ByteOrder::Little, ByteOrder::Big] {
            all.push(WriteOptions { compress, byte_order, mtime_s: 1_700_000_000 });
        }
    }
    all
}

fn again(bytes: &[u8]) -> Vec<u8> {
    let reader = Reader::from_bytes(bytes.to_vec()).unwrap();
    copy(&reader, Cursor::new(Vec::new())).unwrap().into_inner()
}

#[test]
fn byte_for_byte() {
    let mut report = small_report();
    report.titles.metrics = Some("What <is> measured".into());
    report.titles.system = Some("".into());
    for options in all_options() {
        let files = [("z.cfg", b"first".as_slice()), ("a.cfg", &[b'x'; 512])];
        let bytes =
            write_with_files(&report, options, &files, |m, c, l| distinct_value(&report, m, c, l));
        assert_eq!(Reader::from_bytes(bytes.clone()).unwrap().write_options().unwrap(), options);
        assert!(again(&bytes) == bytes, "{options:?}");
    }
}

/// The metrics stand in the order in which they were written.
#[test]
fn the_order_of_metrics_is_kept() {
    let report = small_report();
    let mut writer =
        Writer::new(Cursor::new(Vec::new()), &report, WriteOptions::default()).unwrap();
    writer.row(MetricId(2), CallPathId(0), &[1_u64, 2]).unwrap();
    writer.row(MetricId(0), CallPathId(0), &[1.0, 2.0]).unwrap();
    let bytes = writer.finish().unwrap().into_inner();
    assert_eq!(
        Reader::from_bytes(bytes.clone()).unwrap().stored_metrics(),
        [MetricId(2), MetricId(0)]
    );
    assert!(again(&bytes) == bytes);
}

#[test]
fn values_of_unknown_types_are_kept() {
    let data_type = DataType::Other("SCALE_FUNC".into());
    for kind in [MetricKind::Exclusive, MetricKind::Inclusive] {
        let report = shaped_report(data_type.clone(), kind, &[None, Some(0), Some(0)], 2);
        // 216 bytes per value, as one writer has it; the row of call path 1 is zero.
        let value = |call_path: CallPathId, location: LocationId| {
            let fill = if call_path.0 == 1 { 0 } else { 1 + call_path.0 + 10 * location.0 };
            Value::Opaque(vec![fill as u8; 216])
        };
        for options in all_options() {
            let bytes = write(&report, options, |_, c, l| value(c, l));
            assert!(again(&bytes) == bytes, "{options:?}");
            let reader = Reader::from_bytes(bytes).unwrap();
            let values = reader.values(MetricId(0)).unwrap();
            for call_path in [CallPathId(0), CallPathId(2)] {
                let row = values.row(call_path).unwrap().unwrap();
                assert_eq!(row.value(LocationId(1)), Some(value(call_path, LocationId(1))));
            }
            assert!(values.row(CallPathId(1)).unwrap().is_none());
            expect!["metric `m` has SCALE_FUNC values, which are not available as double"]
                .assert_eq(&values.matrix::<f64>().unwrap_err().to_string());
        }
    }
}

#[test]
fn values_of_unknown_types_have_one_length() {
    let report =
        shaped_report(DataType::Other("X".into()), MetricKind::Simple, &[None, Some(0)], 2);
    let row = |writer: &mut Writer<'_, _>, call_path: u32, lens: [usize; 2]| {
        let row = lens.map(|len| Value::Opaque(vec![1; len]));
        writer.row(MetricId(0), CallPathId(call_path), &row).map_err(|error| error.to_string())
    };
    let mut writer =
        Writer::new(Cursor::new(Vec::new()), &report, WriteOptions::default()).unwrap();
    expect!["row of call path 0 of metric `m`: expected values of one length, found another length at location 1"]
        .assert_eq(&row(&mut writer, 0, [1, 3]).unwrap_err());
    let mut writer =
        Writer::new(Cursor::new(Vec::new()), &report, WriteOptions::default()).unwrap();
    row(&mut writer, 0, [3, 3]).unwrap();
    expect!["row of metric 0: expected 6 bytes, found 8 bytes"]
        .assert_eq(&row(&mut writer, 1, [4, 4]).unwrap_err());
}

/// A kilobyte that unpacks to a megabyte is read or refused, as the caller likes.
#[test]
fn what_unpacks_to_too_much_is_refused() {
    use std::io::Write;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    let text = [b"<cube>".as_slice(), &vec![b' '; 1 << 20], b"</cube>"].concat();
    encoder.write_all(&text).unwrap();
    let bomb = encoder.finish().unwrap();
    assert!(bomb.len() < 2000);
    assert!(Reader::from_bytes(bomb.clone()).is_ok());
    let limits = Limits { unpacked_bytes_max: 1 << 20, ..Limits::default() };
    expect!["the file: expected at most 1048576 bytes of gzip data, unpacked, found more; `gunzip` the file first if you trust it"]
        .assert_eq(&Reader::from_bytes_within(bomb.clone(), limits).err().unwrap().to_string());
    let inside = crate::common::tar(&[("anchor.xml", &bomb)]);
    expect!["anchor.xml: expected at most 1048576 bytes of gzip data, unpacked, found more; `gunzip` the file first if you trust it"]
        .assert_eq(&Reader::from_bytes_within(inside, limits).err().unwrap().to_string());
}

//! Files byte by byte: the records that they have, and the errors that damage leads to.

use std::io::Write;

use expect_test::{Expect, expect};
use flate2::Compression;
use flate2::write::GzEncoder;
use pompeii_epilog::record::{Count, Each, IdMap, Record};
use pompeii_epilog::{Endian, Writer};

use crate::property::records;

/// A file of version 1.`minor` with records that are given as hexadecimal bytes.
fn bytes(minor: u8, mark: u8, hex: &str) -> Vec<u8> {
    let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
    let byte = |pair: &[u8]| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap();
    let mut file = b"EPILOG\0".to_vec();
    file.extend([1, minor, mark]);
    file.extend(digits.chunks(2).map(byte));
    file
}

fn shown(bytes: &[u8]) -> String {
    let (records, error) = records(bytes);
    let mut text: String = records.iter().map(|record| format!("{record}\n")).collect();
    text.extend(error.map(|error| format!("error: {error}\n")));
    text
}

fn check(bytes: &[u8], expect: Expect) {
    expect.assert_eq(&shown(bytes));
}

/// The text `main`, then a time of one second in both orders of bytes.
const LITTLE: &str = "0a 01 03000000 00 6d61696e00  10 65 02000000 000000000000f03f 07000000
                      00 0d";
const BIG: &str = "0a 01 00000003 00 6d61696e00  10 65 00000002 3ff0000000000000 00000007  00 0d";

#[test]
fn numbers_are_in_the_order_of_the_file() {
    let expected = "STRING id=3 text=\"main\"\n\
                    ENTER location=2 time_s=1.0 region=7 values=[]\nLAST_DEF\n";
    assert_eq!(shown(&bytes(9, 1, LITTLE)), expected);
    assert_eq!(shown(&bytes(9, 2, BIG)), expected);
}

#[test]
fn a_file_may_be_compressed() {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&bytes(9, 1, LITTLE)).unwrap();
    assert_eq!(shown(&encoder.finish().unwrap()), shown(&bytes(9, 1, LITTLE)));
}

/// A record has at most 255 bytes: 6 and 62 ids are 254, and the 63rd id needs another record.
#[test]
fn a_list_of_ids_goes_on_after_62_of_them() {
    let ids: Vec<String> = (0..62).map(|id| format!("{id:02x}000000")).collect();
    let file = bytes(9, 1, &format!("fe 19 09 00 3f000000 {} 04 1a 3e000000", ids.concat()));
    let ids = Each((0..63).collect());
    let map: Record = IdMap { of: 9, mode: 0, number: Count(63), ids }.into();
    let mut writer = Writer::new(Vec::new(), Endian::Little).unwrap();
    writer.record(&map).unwrap();
    assert_eq!(writer.finish().unwrap(), file);
    assert_eq!(records(&file).0, [map]);
}

/// Version 1.0 has no clock rate in NODE and no mode in MPI_COMM. Events of a process have no
/// location, and some writers add the size to MPI_RECV.
#[test]
fn versions_and_writers_differ_in_fields() {
    check(
        &bytes(
            0,
            2,
            "10 04 00000001 00000000 00000004 00000002   0a 0b 00000000 00000002 0501
             10 65 00000009 0000000000000000 00000007    08 6a 3ff0000000000000
             1c 68 00000009 0000000000000000 00000001 00000002 00000003 00000040
             14 68 0000000000000000 00000001 00000002 00000003
             03 fa 010203",
        ),
        expect![[r#"
            NODE id=1 machine=0 cpus=4 name=2
            MPI_COMM id=0 mode=0 number=2 members=[5,1]
            ENTER location=9 time_s=0.0 region=7 values=[]
            OMP_FORK time_s=1.0
            MPI_RECV location=9 time_s=0.0 from=1 comm=2 tag=3 size_bytes=64
            MPI_RECV time_s=0.0 from=1 comm=2 tag=3
            UNKNOWN number=250 bytes=3
        "#]],
    );
}

/// Each metric adds a value to events.
#[test]
fn events_have_a_value_for_each_metric() {
    check(
        &bytes(
            9,
            2,
            "0f 0a 00000000 00000001 00000002 00 00 01
             14 66 00000000 3ff0000000000000 0000000000000005",
        ),
        expect![[r#"
            METRIC id=0 name=1 description=2 data_type=0 mode=0 interval=1
            EXIT location=0 time_s=1.0 values=[5]
        "#]],
    );
}

#[test]
fn what_is_no_file_of_the_format_is_told() {
    for (file, error) in [
        (
            b"OTF2".to_vec(),
            "byte 0: expected the text `EPILOG` and a zero, as each EPILOG file begins",
        ),
        (b"EPILOG\0\x01".to_vec(), "byte 8: expected the version and the byte order"),
        (b"EPILOG\0\x02\0\x01".to_vec(), "byte 7: expected version 1 of the format, found 2.0"),
        (bytes(9, 3, ""), "byte 9: expected 1 or 2, for the order of bytes in numbers, found 3"),
        (bytes(9, 1, "05"), "byte 11: expected the kind of a record; the file ends here"),
    ] {
        assert_eq!(shown(&file), format!("error: {error}\n"));
    }
}

#[test]
fn damage_is_told_with_its_place() {
    for (hex, error) in [
        (
            "05 65 0001",
            "byte 14: record ENTER: expected the rest of the record; the file ends here",
        ),
        (
            "08 65 00000000 00000000",
            "byte 16: record ENTER, field time_s: expected the eight bytes of a number",
        ),
        (
            "06 01 00000000 00 61",
            "byte 17: record STRING, field text: expected a text with a zero \
                                  after it",
        ),
        (
            "06 01 00000000 01 61  00 0d",
            "byte 20: record STRING: expected a further record that continues this one",
        ),
        ("01 13 00", "byte 10: record UNKNOWN: expected the record that this one continues"),
        (
            "09 0b 00000000 00 00000004  02 13 0101",
            "byte 25: record MPI_COMM: expected a further record that continues this one",
        ),
    ] {
        assert_eq!(shown(&bytes(9, 2, hex)), format!("error: {error}\n"), "{hex}");
    }
}

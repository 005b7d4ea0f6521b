//! The container: which members there are, how their sizes are padded, and that the habits of other
//! writers are accepted.

use std::io::{Cursor, Write};

use crate::common::{distinct_value, small_report, tar, tar_header, write};
use expect_test::{Expect, expect};
use pompeii_cubex::{
    ByteOrder, CallPathId, DataType, Error, MetricId, MetricKind, Reader, Report, WriteOptions,
    Writer,
};

/// All headers of a container as a usual tar reader sees them.
fn list(bytes: &[u8]) -> String {
    let (mut text, mut at) = (String::new(), 0);
    while bytes[at] != 0 {
        let field = |from: usize, to: usize| {
            let field = &bytes[at + from..at + to];
            String::from_utf8_lossy(field).trim_end_matches(['\0', ' ']).to_owned()
        };
        let size = usize::from_str_radix(&field(124, 136), 8).unwrap();
        let sum: u32 = bytes[at..at + 512].iter().map(|&byte| u32::from(byte)).sum();
        let own: u32 = bytes[at + 148..at + 156].iter().map(|&byte| u32::from(byte)).sum();
        assert_eq!(u32::from_str_radix(&field(148, 155), 8), Ok(sum - own + 8 * 32));
        text += &format!(
            "{} {size} {} {} {}/{}\n",
            field(0, 100),
            field(100, 108),
            field(136, 148),
            field(265, 297),
            field(297, 329),
        );
        at += 512 + size.next_multiple_of(512);
    }
    assert!(bytes[at..].iter().all(|&byte| byte == 0));
    text + &format!("end {} of {}\n", at, bytes.len())
}

fn check(options: WriteOptions, expect: Expect) {
    let report = small_report();
    let bytes = write(&report, options, |m, c, l| distinct_value(&report, m, c, l));
    expect.assert_eq(&list(&bytes));
    let again = write(&report, options, |m, c, l| distinct_value(&report, m, c, l));
    assert!(bytes == again, "the same report gave different bytes");
}

#[test]
fn members_of_a_plain_report() {
    check(
        WriteOptions { mtime_s: 1_000_000_000, ..WriteOptions::default() },
        expect![[r#"
        0.data 58 0000600 07346545000 nouser/users
        0.index 34 0000600 07346545000 nouser/users
        1.data 58 0000600 07346545000 nouser/users
        1.index 34 0000600 07346545000 nouser/users
        2.data 58 0000600 07346545000 nouser/users
        2.index 34 0000600 07346545000 nouser/users
        ghost_3.data 34 0000600 07346545000 nouser/users
        ghost_3.index 34 0000600 07346545000 nouser/users
        anchor.xml 3458 0000600 07346545000 nouser/users
        end 12288 of 13312
    "#]],
    );
}

#[test]
fn members_of_a_compressed_report() {
    check(
        WriteOptions { compress: true, ..WriteOptions::default() },
        expect![[r#"
        0.data 148 0000600 00000000000 nouser/users
        0.index 34 0000600 00000000000 nouser/users
        1.data 148 0000600 00000000000 nouser/users
        1.index 34 0000600 00000000000 nouser/users
        2.data 136 0000600 00000000000 nouser/users
        2.index 34 0000600 00000000000 nouser/users
        ghost_3.data 139 0000600 00000000000 nouser/users
        ghost_3.index 34 0000600 00000000000 nouser/users
        anchor.xml 3458 0000600 00000000000 nouser/users
        end 12288 of 13312
    "#]],
    );
}

#[test]
fn files_of_full_blocks_are_followed_by_an_empty_one() {
    let report = small_report();
    let mut writer =
        Writer::new(Cursor::new(Vec::new()), &report, WriteOptions::default()).unwrap();
    for (name, len) in [("a.cfg", 511), ("b.cfg", 512), ("c.cfg", 0), ("d.cfg", 1024)] {
        writer.file(name, &vec![b'x'; len]).unwrap();
    }
    let bytes = writer.finish().unwrap().into_inner();
    expect![[r#"
        a.cfg 511 0000600 00000000000 nouser/users
        b.cfg 512 0000600 00000000000 nouser/users
        .fill 0 0000600 00000000000 nouser/users
        c.cfg 0 0000600 00000000000 nouser/users
        d.cfg 1024 0000600 00000000000 nouser/users
        .fill 0 0000600 00000000000 nouser/users
        anchor.xml 3458 0000600 00000000000 nouser/users
        end 9216 of 10240
    "#]]
    .assert_eq(&list(&bytes));
    assert_eq!(cube_list(&bytes), ["a.cfg", "b.cfg", "c.cfg", "d.cfg", "anchor.xml"]);
    let reader = Reader::from_bytes(bytes).unwrap();
    assert_eq!(reader.files().collect::<Vec<_>>(), ["a.cfg", "b.cfg", "c.cfg", "d.cfg"]);
    assert_eq!(reader.file("d.cfg").unwrap(), Some(vec![b'x'; 1024]));
}

/// The members that Cube's own reader finds, which steps over one block too many behind full blocks.
fn cube_list(bytes: &[u8]) -> Vec<String> {
    let (mut names, mut at) = (Vec::new(), 0);
    while at + 512 <= bytes.len() {
        let header = &bytes[at..at + 512];
        let name = String::from_utf8_lossy(&header[..100]).trim_end_matches('\0').to_owned();
        let size = String::from_utf8_lossy(&header[124..135]).into_owned();
        let size = usize::from_str_radix(size.trim_end_matches('\0'), 8).unwrap_or(0);
        if !name.is_empty() {
            names.push(name);
        }
        at += 512 + if size == 0 { 0 } else { (size / 512 + 1) * 512 };
    }
    names
}

/// Writes the small report, changes the bytes, and expects to read the same.
fn same_after(change: impl Fn(Vec<u8>) -> Vec<u8>) {
    let report = small_report();
    let options = WriteOptions::default();
    let bytes = change(write(&report, options, |m, c, l| distinct_value(&report, m, c, l)));
    let reader = Reader::from_bytes(bytes).unwrap();
    assert_eq!(*reader.report(), report);
    let visits = reader.report().metric("visits").unwrap();
    let visits = reader.values(visits).unwrap().matrix::<u64>().unwrap();
    assert_eq!(visits.row(CallPathId(1)), Some(&[311, 312][..]));
    assert_eq!(visits.row(CallPathId(3)), None);
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// Takes a container apart, lets the members be changed, and puts it together again.
fn repacked(bytes: Vec<u8>, change: impl Fn(&str, Vec<u8>) -> Vec<u8>) -> Vec<u8> {
    let reader = Reader::from_bytes(bytes).unwrap();
    let mut members = Vec::new();
    for stem in ["0", "1", "2", "ghost_3"] {
        members.extend([format!("{stem}.index"), format!("{stem}.data")]);
    }
    members.push("anchor.xml".into());
    let mut packed = Vec::new();
    for name in members {
        let content = change(&name, reader.file(&name).unwrap().unwrap());
        packed.extend(tar_header(&name, content.len()));
        packed.extend(&content);
        // As Cube's own writer pads: at least one byte, even behind a full block.
        packed.resize((packed.len() + 1).next_multiple_of(512), 0);
    }
    packed
}

#[test]
fn wrong_checksums() {
    same_after(|bytes| repacked(bytes, |_, content| content));
}

#[test]
fn an_anchor_of_full_blocks_and_a_zero_block() {
    same_after(|bytes| {
        repacked(bytes, |name, mut content| {
            if name == "anchor.xml" {
                content.resize(content.len().next_multiple_of(512), b'\n');
            }
            content
        })
    });
}

#[test]
fn compressed_from_outside() {
    same_after(|bytes| gzip(&bytes));
    same_after(|bytes| {
        repacked(bytes, |name, content| if name == "anchor.xml" { gzip(&content) } else { content })
    });
}

#[test]
fn no_end_and_members_of_other_kinds() {
    same_after(|bytes| {
        let mut folder = tar_header("folder/", 0);
        folder[156] = b'5';
        let mut long_name = tar_header("././@LongLink", 8);
        long_name[156] = b'L';
        long_name.extend(b"readme\0\0");
        long_name.resize(1024, 0);
        long_name.extend(tar_header("cut", 0));
        [folder, long_name, bytes[..bytes.len() - 1024].to_vec()].concat()
    });
}

/// A report of four call paths 0{1{3},2} on two locations with a handmade index and data member.
fn handmade(kind: MetricKind, index: &[u8], data: &[u8]) -> Result<String, Error> {
    let report =
        crate::common::shaped_report(DataType::Uint8, kind, &[None, Some(0), Some(0), Some(1)], 2);
    let anchor = write(&report, WriteOptions::default(), |_, _, _| pompeii_cubex::Value::Uint(0));
    let anchor = Reader::from_bytes(anchor)?.file("anchor.xml")?.unwrap();
    let bytes = tar(&[("anchor.xml", &anchor), ("0.data", data), ("0.index", index)]);
    let reader = Reader::from_bytes(bytes)?;
    let values = reader.values(MetricId(0))?;
    let mut text = String::new();
    for call_path in reader.report().call_paths.ids() {
        let row = values.row(call_path)?.map(|row| row.numbers::<u64>().unwrap());
        text += &format!("{} {row:?}\n", call_path.0);
    }
    Ok(text)
}

fn check_values(kind: MetricKind, index: &[u8], data: &[u8], expect: Expect) {
    let text = handmade(kind, index, data).unwrap_or_else(|error| format!("error: {error}\n"));
    expect.assert_eq(&text);
}

#[test]
fn a_dense_index_lists_nothing() {
    let (index, data) =
        (b"CUBEX.INDEX\x01\0\0\0\0\0\0", b"CUBEX.DATA\x01\x02\x03\x04\x05\x06\x07\x08");
    check_values(
        MetricKind::Inclusive,
        index,
        data,
        expect![[r#"
        0 Some([1, 2])
        1 Some([3, 4])
        2 Some([5, 6])
        3 Some([7, 8])
    "#]],
    );
    check_values(
        MetricKind::Exclusive,
        index,
        data,
        expect![[r#"
        0 Some([1, 2])
        1 Some([3, 4])
        2 Some([7, 8])
        3 Some([5, 6])
    "#]],
    );
}

#[test]
fn big_endian_positions() {
    let index = b"CUBEX.INDEX\0\0\0\x01\0\0\x01\0\0\0\x02\0\0\0\0\0\0\0\x03";
    check_values(
        MetricKind::Inclusive,
        index,
        b"CUBEX.DATA\x01\x02\x03\x04",
        expect![[r#"
        0 Some([1, 2])
        1 None
        2 None
        3 Some([3, 4])
    "#]],
    );
}

/// An index of these rows.
fn sparse(rows: &[u8]) -> Vec<u8> {
    [b"CUBEX.INDEX\x01\0\0\0\0\0\x01", rows].concat()
}

fn check_exclusive(index: &[u8], data: &[u8], expect: Expect) {
    check_values(MetricKind::Exclusive, index, data, expect);
}

#[test]
fn contradictions_of_an_index() {
    let data = b"CUBEX.DATA\x01\x02";
    check_exclusive(
        b"CUBEX.INDEX",
        data,
        expect![[r#"
        error: index of metric `m`: expected 18 bytes or more, found 11
    "#]],
    );
    check_exclusive(
        b"CUBEX.XEDNI\x01\0\0\0\0\0\x01\0\0\0\0",
        data,
        expect![[r#"
        error: index of metric `m`: expected CUBEX.INDEX, found CUBEX.XEDNI
    "#]],
    );
    check_exclusive(
        b"CUBEX.INDEX\x02\0\0\0\0\0\x01\0\0\0\0",
        data,
        expect![[r#"
        error: index of metric `m`: expected the number 1 in 4 bytes, found [2, 0, 0, 0]
    "#]],
    );
    check_exclusive(
        &sparse(b"\xff\xff\xff\xff\0\0\0\0"),
        data,
        expect![[r#"
        error: index of metric `m`: expected at most 1 rows, found 4294967295
    "#]],
    );
    check_exclusive(
        &sparse(b"\x01\0\0\0\x04\0\0\0"),
        data,
        expect![[r#"
        error: index of metric `m`: expected positions below 4, found 4
    "#]],
    );
}

#[test]
fn contradictions_of_data() {
    let data = b"CUBEX.DATA\x01\x02";
    check_exclusive(
        &sparse(b"\x02\0\0\0\0\0\0\0\x01\0\0\0"),
        data,
        expect![[r#"
        error: data of metric `m`: expected 2 rows of 2 bytes, found 12 bytes
    "#]],
    );
    check_exclusive(
        &sparse(b"\x01\0\0\0\0\0\0\0"),
        b"CUBEX",
        expect![[r#"
        error: data of metric `m`: expected CUBEX.DATA or ZCUBEX.DATA, found CUBEX
    "#]],
    );
    check_exclusive(
        &sparse(b"\x01\0\0\0\0\0\0\0"),
        b"ZCUBEX.DATA\xff\xff\xff\xff\xff\xff\xff\xff",
        expect![[r#"
            error: data of metric `m`: expected at most 0 table entries, found 18446744073709551615
        "#]],
    );
}

#[test]
fn contradictions_of_packed_rows() {
    let entry = |numbers: [u64; 4], rest: &[u8]| {
        let numbers: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        [b"ZCUBEX.DATA", numbers.as_slice(), rest].concat()
    };
    let one_row = sparse(b"\x01\0\0\0\0\0\0\0");
    check_exclusive(
        &one_row,
        &entry([1, 0, 0, 9], b"four"),
        expect![[r#"
        error: data of metric `m`: expected a row within 4 bytes, found 9 bytes at 0 for 0
    "#]],
    );
    check_exclusive(
        &one_row,
        &entry([1, 0, 0, 4], b"four"),
        expect![[r#"
        error: row of call path 0 of metric `m`: expected 2 bytes of zlib data, found corrupt deflate stream
    "#]],
    );
    check_exclusive(
        &one_row,
        &entry([1, 0, 0, 0], b""),
        expect![[r#"
        0 None
        1 None
        2 None
        3 None
    "#]],
    );
}

#[test]
fn both_byte_orders_and_both_forms() {
    let report: Report = small_report();
    for (compress, byte_order) in
        [(false, ByteOrder::Big), (true, ByteOrder::Little), (true, ByteOrder::Big)]
    {
        let options = WriteOptions { compress, byte_order, ..WriteOptions::default() };
        let bytes = write(&report, options, |m, c, l| distinct_value(&report, m, c, l));
        let reader = Reader::from_bytes(bytes).unwrap();
        let time = reader.values(MetricId(0)).unwrap().matrix::<f64>().unwrap();
        assert_eq!(time.row(CallPathId(2)), Some(&[121.0 / 8.0, 122.0 / 8.0][..]));
    }
}

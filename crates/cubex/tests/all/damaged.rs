//! Damaged reports give an error or values of the right shape, and never a panic.

use std::io::Write;

use crate::common::property::{check, read_all};
use crate::common::{OLD_CUBE3 as OLD, distinct_value, small_report, write};
use expect_test::expect;
use pompeii_cubex::{Reader, WriteOptions};

/// Every so manieth damage is tried; a prime, so that all fields and bits are met.
const STRIDE: usize = 61;

fn samples() -> Vec<Vec<u8>> {
    let report = small_report();
    let sample = |compress| {
        let options = WriteOptions { compress, ..WriteOptions::default() };
        write(&report, options, |m, c, l| distinct_value(&report, m, c, l))
    };
    let (plain, compressed) = (sample(false), sample(true));
    let cube3 = OLD.as_bytes().to_vec();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&plain).unwrap();
    vec![plain, compressed, gzip.finish().unwrap(), cube3]
}

#[test]
fn cut_off() {
    for sample in samples() {
        assert!(read_all(&sample));
        // anchor.xml comes last, so a report that lost more than its padding cannot be opened.
        let opened = (0..sample.len()).step_by(STRIDE);
        let opened = opened.filter(|&len| read_all(&sample[..len])).count();
        assert!(opened * STRIDE < 1536, "{opened} of {} prefixes were opened", sample.len());
    }
}

/// Damages of many kinds and how many of each leave a report that can be opened. All others are
/// refused with an error; none panics or gives values of a wrong shape.
#[test]
fn a_table_of_damages() {
    type Damage = fn(&mut Vec<u8>, usize);
    let damages: [(&str, Damage); 8] = [
        ("cut off", |bytes, at| bytes.truncate(at)),
        ("bit flipped", |bytes, at| bytes[at] ^= 1 << (at % 8)),
        ("byte lost", |bytes, at| drop(bytes.drain(at..=at))),
        ("byte doubled", |bytes, at| bytes.insert(at, bytes[at])),
        ("block lost", |bytes, at| drop(bytes.drain(at..(at + 512).min(bytes.len())))),
        ("block of zeros", |bytes, at| {
            let end = (at + 512).min(bytes.len());
            bytes[at..end].fill(0);
        }),
        ("word of ones", |bytes, at| {
            let end = (at + 8).min(bytes.len());
            bytes[at..end].fill(0xff);
        }),
        ("halves exchanged", |bytes, at| bytes.rotate_left(at)),
    ];
    let names = ["plain", "compressed", "gzipped", "Cube 3"];
    let mut table = String::new();
    for (sample, name) in samples().iter().zip(names) {
        for (kind, damage) in damages {
            // Forty places per kind, spread over the file.
            let stride = (sample.len() / 40).max(1) | 1;
            let places = (1..sample.len()).step_by(stride);
            let tried = places.len();
            let opened = places.filter(|&at| {
                let mut damaged = sample.clone();
                damage(&mut damaged, at);
                check(&damaged)
            });
            table += &format!("{name}, {kind}: {} of {tried} opened\n", opened.count());
        }
    }
    expect![[r#"
        plain, cut off: 3 of 40 opened
        plain, bit flipped: 31 of 40 opened
        plain, byte lost: 9 of 40 opened
        plain, byte doubled: 10 of 40 opened
        plain, block lost: 3 of 40 opened
        plain, block of zeros: 17 of 40 opened
        plain, word of ones: 27 of 40 opened
        plain, halves exchanged: 0 of 40 opened
        compressed, cut off: 3 of 40 opened
        compressed, bit flipped: 31 of 40 opened
        compressed, byte lost: 9 of 40 opened
        compressed, byte doubled: 10 of 40 opened
        compressed, block lost: 3 of 40 opened
        compressed, block of zeros: 17 of 40 opened
        compressed, word of ones: 27 of 40 opened
        compressed, halves exchanged: 0 of 40 opened
        gzipped, cut off: 0 of 40 opened
        gzipped, bit flipped: 1 of 40 opened
        gzipped, byte lost: 0 of 40 opened
        gzipped, byte doubled: 0 of 40 opened
        gzipped, block lost: 0 of 40 opened
        gzipped, block of zeros: 0 of 40 opened
        gzipped, word of ones: 0 of 40 opened
        gzipped, halves exchanged: 0 of 40 opened
        Cube 3, cut off: 0 of 40 opened
        Cube 3, bit flipped: 13 of 40 opened
        Cube 3, byte lost: 14 of 40 opened
        Cube 3, byte doubled: 20 of 40 opened
        Cube 3, block lost: 0 of 40 opened
        Cube 3, block of zeros: 0 of 40 opened
        Cube 3, word of ones: 2 of 40 opened
        Cube 3, halves exchanged: 0 of 40 opened
    "#]]
    .assert_eq(&table);
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
            opened += usize::from(read_all(&damaged));
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
                read_all(&damaged);
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
        let reader = Reader::from_bytes(crate::common::tar(&members)).unwrap();
        let metric = pompeii_cubex::MetricId(0);
        let result = reader.values(metric).and_then(|values| values.matrix::<f64>());
        let error = result.unwrap_err().to_string();
        assert!(error.contains("34359738360 bytes"), "{error}");
    }
}

/// Where the header of a member begins in a container.
fn header(bytes: &[u8], name: &str) -> usize {
    let name = format!("{name}\0");
    bytes.windows(name.len()).step_by(512).position(|at| at == name.as_bytes()).unwrap() * 512
}

/// What is said of the values of all metrics; nothing where all can be read.
fn complaints(bytes: &[u8], shows_damaged: bool) -> String {
    let mut reader = Reader::from_bytes(bytes.to_vec()).unwrap();
    if shows_damaged {
        reader = reader.show_damaged();
    }
    let metrics =
        reader.report().metrics.ids().filter(|&id| !reader.report().metrics[id].kind.is_derived());
    let read = |id| {
        let values = reader.values(id)?;
        reader.report().call_paths.ids().try_for_each(|path| values.row(path).map(drop))
    };
    metrics.filter_map(|id| read(id).err()).map(|error| format!("{error}\n")).collect()
}

/// Rows that are missing are no zeros: who asks for them gets an error, or says that zeros will do.
#[test]
fn a_member_that_is_missing_or_short_is_an_error() {
    let report = small_report();
    for compress in [false, true] {
        let options = WriteOptions { compress, ..WriteOptions::default() };
        let good = write(&report, options, |m, c, l| distinct_value(&report, m, c, l));
        assert_eq!(complaints(&good, false), "");
        for (member, other) in [("0.index", "0.data"), ("0.data", "0.index")] {
            let mut bytes = good.clone();
            let at = header(&bytes, member);
            bytes[at] = b'x';
            let said = complaints(&bytes, false);
            let (kind, other) = (&member[2..], &other[2..]);
            assert!(said.starts_with(&format!("{kind} of metric `")), "{said}");
            assert!(said.contains(&format!("since its {other} is there, found none")), "{said}");
            assert_eq!(complaints(&bytes, true), "");
        }
        // One byte less than its rows take.
        let mut bytes = good.clone();
        let at = header(&bytes, "0.data") + 124;
        let size = std::str::from_utf8(&bytes[at..at + 11]).unwrap();
        let size = u64::from_str_radix(size, 8).unwrap() - 1;
        bytes[at..at + 11].copy_from_slice(format!("{size:011o}").as_bytes());
        let said = complaints(&bytes, false);
        assert!(said.starts_with("data of metric `"), "{said}");
        assert_eq!(complaints(&bytes, true), "");
    }
}

/// 1 MB that becomes a gigabyte is refused before the memory is asked for.
#[test]
fn a_small_file_does_not_become_huge() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    gzip.write_all(&vec![b' '; 1 << 20]).unwrap();
    // Parts that follow each other are one text.
    let bomb = gzip.finish().unwrap().repeat(1024);
    assert!(bomb.len() < 2 << 20);
    let error = Reader::from_bytes(bomb.clone()).err().unwrap().to_string();
    let most = (128 * bomb.len()).max(64 << 20);
    assert!(error.contains(&format!("at most {most} bytes of gzip data")), "{error}");
}

//! What holds for any bytes: the reader ends with records or with an error, and what it has read
//! can be written and read again.

use pompeii_epilog::record::Record;
use pompeii_epilog::{Endian, Error, Reader, Writer};

/// All records of a file up to its end or to the first error.
pub fn records(bytes: &[u8]) -> (Vec<Record>, Option<Error>) {
    let mut records = Vec::new();
    let mut reader = match Reader::new(bytes) {
        Ok(reader) => reader,
        Err(error) => return (records, Some(error)),
    };
    loop {
        match reader.next_record() {
            Ok(Some(record)) => records.push(record),
            Ok(None) => return (records, None),
            Err(error) => return (records, Some(error)),
        }
    }
}

/// The file of these records.
pub fn file(records: &[Record], endian: Endian) -> Vec<u8> {
    let mut writer = Writer::new(Vec::new(), endian).unwrap();
    records.iter().for_each(|record| writer.record(record).unwrap());
    writer.finish().unwrap()
}

/// Checks bytes as a file.
pub fn check(bytes: &[u8]) {
    let (found, error) = records(bytes);
    if let Some(error) = error {
        assert!(error.to_string().contains(' '), "{error:?}");
    }
    for endian in [Endian::Little, Endian::Big] {
        let (again, error) = records(&file(&found, endian));
        assert!(error.is_none(), "{error:?}");
        // As texts, because a time may be no number.
        let text = |records: &[Record]| format!("{records:?}");
        assert_eq!(text(&again), text(&found));
    }
}

/// The inputs at which the fuzz target begins, among them those that once failed.
#[test]
fn kept_inputs_are_read_and_written() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/corpus/epilog");
    for entry in std::fs::read_dir(folder).unwrap() {
        check(&std::fs::read(entry.unwrap().path()).unwrap());
    }
}

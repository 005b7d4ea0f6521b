//! What holds for any bytes as any file of an archive, for the fuzz target and for the kept inputs:
//! readers come to an end, errors have a place within the file, and all ways of reading agree.

use std::ops::ControlFlow;
use std::path::Path;

use pompeii_otf2::Error;
use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::read::{
    Bytes, DefinitionReader, EventReader, MarkerReader, Merged, SnapshotReader, ThumbnailReader,
    bookmarks,
};
use pompeii_otf2::reference::LocationRef;
use pompeii_otf2::{chunk, seal};

/// Sizes of chunks; the first byte of an input chooses one.
const CHUNK_BYTES: [u64; 4] = [64, 256, 4096, 1 << 20];

/// Reads the bytes behind the first one as every kind of file. Whether anything could be read.
pub fn check(input: &[u8]) -> bool {
    let Some((&choice, file)) = input.split_first() else { return false };
    let chunk_bytes = CHUNK_BYTES[usize::from(choice) % CHUNK_BYTES.len()];
    let path = Path::new("fuzzed");
    let source = || Bytes::new(file, chunk_bytes);
    let mut good = usize::from(Anchor::read(path, file).is_ok());
    good += drain(file, EventReader::new(source(), path, chunk_bytes, LocationRef(0)));
    good += drain(file, DefinitionReader::new(source(), path, chunk_bytes));
    good += drain(file, DefinitionReader::local(source(), path, chunk_bytes));
    good += drain(file, MarkerReader::new(source(), path, chunk_bytes));
    good += drain(file, ThumbnailReader::new(source(), path, chunk_bytes));
    good += drain(file, SnapshotReader::new(source(), path, chunk_bytes));
    ways_agree(file, chunk_bytes);
    let _ = bookmarks(&mut source(), path);
    sealing_is_stable(file, chunk_bytes as usize);
    good > 0
}

/// The number of records; more results than bytes would be an endless loop.
fn drain<T>(file: &[u8], records: impl Iterator<Item = Result<T, Error>>) -> usize {
    let (mut good, mut results) = (0, 0);
    for record in records {
        results += 1;
        assert!(results <= file.len() + 2, "endless");
        match record {
            Ok(_) => good += 1,
            Err(error) => check_error(file, &error),
        }
    }
    good
}

fn check_error(file: &[u8], error: &Error) {
    let offset = match error {
        Error::Malformed(malformed) => malformed.offset,
        Error::Truncated { offset, .. } => *offset,
        error => panic!("{error}"),
    };
    assert!(offset <= file.len() as u64, "{error} in {} bytes", file.len());
    assert!(error.to_string().starts_with("fuzzed"), "{error}");
}

/// Events by the iterator and by the visitors are the same.
fn ways_agree(file: &[u8], chunk_bytes: u64) {
    let reader = || {
        let source = Bytes::new(file, chunk_bytes);
        EventReader::new(source, Path::new("fuzzed"), chunk_bytes, LocationRef(0))
    };
    let shown = |time: u64, event: &dyn std::fmt::Debug| format!("{time} {event:?}");
    let iterated: Vec<String> = reader()
        .map(|event| event.map_or_else(|e| e.to_string(), |e| shown(e.time, &e.event)))
        .collect();
    let mut visited = Vec::new();
    let _: ControlFlow<()> = reader().visit(|event| {
        visited.push(event.map_or_else(|e| e.to_string(), |e| shown(e.time, e.event)));
        ControlFlow::Continue(())
    });
    assert_eq!(iterated, visited);
    let merged = Merged::new([reader(), reader()]).count();
    assert_eq!(merged, 2 * iterated.len());
}

/// What a dead program left can be sealed, and sealed again without a change.
fn sealing_is_stable(file: &[u8], chunk_bytes: usize) {
    let mut sealed = file.to_vec();
    if let Some(first) = seal::seal(&mut sealed, chunk_bytes) {
        let bytes = usize::try_from(first.file_bytes).expect("a length");
        assert!(bytes <= sealed.len());
        let again = sealed.clone();
        let second = seal::seal(&mut sealed, chunk_bytes).expect("sealed before");
        assert_eq!((first.events, first.file_bytes), (second.events, second.file_bytes));
        assert_eq!(again[..bytes], sealed[..bytes]);
    }
    let _ = chunk::scan(file);
}

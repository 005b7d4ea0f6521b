//! Numbers in damaged files ask for no more memory than the file justifies, whatever they count. The
//! largest allocation of the whole process is watched, so this file holds one test.
#![allow(unsafe_code, reason = "an allocator that watches")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use pompeii_otf2::anchor::Anchor;
use pompeii_otf2::read::{
    Archive, Bytes, DefinitionReader, EventReader, MarkerReader, SnapshotReader, ThumbnailReader,
};
use pompeii_otf2::reference::LocationRef;

struct Watching;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands everything on to the system's allocator, under the conditions of the caller.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // What no file here justifies is refused, so that the test ends.
        if layout.size() > 1 << 30 {
            return std::ptr::null_mut();
        }
        // SAFETY: as above.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static WATCHING: Watching = Watching;

/// A number in the file becomes eight bytes or a value with its type, and lists grow by doubling.
const BYTES_PER_BYTE: usize = 64;
/// For buffers of the standard library and for messages.
const BYTES_ANYWAY: usize = 16 << 10;

/// Absurd numbers as they stand in records: of eight and of four bytes, fixed and compressed.
const ABSURD: [&[u8]; 4] = [
    &[8, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f],
    &[4, 0xff, 0xff, 0xff, 0x7f],
    &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f],
    &[0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
];

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/allrecords")
}

/// What `read` asks for at most at once.
fn largest(read: impl FnOnce()) -> usize {
    LARGEST.store(0, Ordering::Relaxed);
    read();
    LARGEST.load(Ordering::Relaxed)
}

fn read_as_all_kinds(file: &[u8]) {
    // A chunk as large as can be: only the file bounds what is in it.
    let (path, chunk_bytes) = (Path::new("damaged"), u64::MAX);
    let source = || Bytes::new(file, chunk_bytes);
    EventReader::new(source(), path, chunk_bytes, LocationRef(0)).for_each(drop);
    DefinitionReader::new(source(), path, chunk_bytes).for_each(drop);
    DefinitionReader::local(source(), path, chunk_bytes).for_each(drop);
    MarkerReader::new(source(), path, chunk_bytes).for_each(drop);
    SnapshotReader::new(source(), path, chunk_bytes).for_each(drop);
    ThumbnailReader::new(source(), path, chunk_bytes).for_each(drop);
}

fn check_files() {
    let files = ["traces.def", "traces.marker", "traces.0.thumb"];
    let of_location = ["traces/0.def", "traces/0.evt", "traces/0.snap"];
    for name in files.iter().chain(&of_location) {
        let good = std::fs::read(sample().join(name)).expect("a file");
        let bound = BYTES_PER_BYTE * good.len() + BYTES_ANYWAY;
        for (at, absurd) in (0..good.len()).flat_map(|at| ABSURD.map(|absurd| (at, absurd))) {
            let mut bytes = good.clone();
            let end = (at + absurd.len()).min(bytes.len());
            bytes[at..end].copy_from_slice(&absurd[..end - at]);
            let largest = largest(|| read_as_all_kinds(&bytes));
            assert!(largest <= bound, "{largest} bytes for {absurd:x?} at {at} of {name}");
        }
    }
}

fn check_anchor() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = sample().join("traces.otf2");
    let good = Anchor::read(&path, &std::fs::read(&path).expect("the anchor")).expect("good");
    let absurd = Anchor {
        event_chunk_bytes: 1 << 32,
        definition_chunk_bytes: 1 << 32,
        locations: u64::MAX,
        global_definitions: u64::MAX,
        thumbnails: u32::MAX,
        ..good
    };
    let anchor = folder.path().join("traces.otf2");
    std::fs::write(&anchor, absurd.to_bytes()).expect("written");
    let definitions = sample().join("traces.def");
    let bytes = std::fs::copy(&definitions, folder.path().join("traces.def")).expect("copied");
    let largest = largest(|| {
        let (archive, _) = Archive::salvage(&anchor).expect("an anchor");
        for location in archive.locations() {
            archive.local_salvage(location.id);
            archive.events(location.id).expect("a location").for_each(drop);
        }
    });
    let bound = BYTES_PER_BYTE * bytes as usize + BYTES_ANYWAY;
    assert!(largest <= bound, "{largest} bytes for {bytes}");
}

#[test]
fn absurd_numbers_ask_for_no_memory() {
    check_files();
    check_anchor();
}

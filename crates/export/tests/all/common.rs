//! What tests of several formats have in common: a trace whose tasks have a place in a source, and
//! files with other bytes.

use pompeii_export::Read;
use pompeii_replay::text::{self, TextTrace};
use proptest::prelude::*;
use proptest::sample::Index;

/// What `write` makes of this trace, which is JSON. The trace has a clock of nanoseconds, and its
/// tasks are in line 118 of a file.
pub fn json(trace: &str, write: impl FnOnce(&TextTrace, &mut Vec<u8>) -> Read) -> String {
    let mut trace = text::parse(trace).unwrap();
    trace.definitions.ticks_per_second = 1_000_000_000;
    for region in trace.definitions.regions.iter_mut().filter(|it| it.name == "task") {
        (region.file, region.begin_line) = ("src/ocean.c".to_owned(), 118);
    }
    let mut file = Vec::new();
    assert_eq!(write(&trace, &mut file).errors, 0);
    let text = String::from_utf8(file).unwrap();
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok(), "{text}");
    text
}

/// A sound file in which up to five bytes are others.
pub fn with_other_bytes(sound: Vec<u8>) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(any::<(Index, u8)>(), 1..6).prop_map(move |changes| {
        let mut bytes = sound.clone();
        for (place, value) in changes {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        bytes
    })
}

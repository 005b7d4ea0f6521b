//! Any bytes as any file of an OTF2 archive.

#![no_main]

#[path = "../../crates/otf2/tests/all/common/property.rs"]
mod property;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    property::check(bytes);
});

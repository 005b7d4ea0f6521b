//! Any bytes as a Cube report, of whatever version and packing.

#![no_main]

#[path = "../../crates/cubex/tests/all/common/property.rs"]
mod property;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    property::check(bytes);
});

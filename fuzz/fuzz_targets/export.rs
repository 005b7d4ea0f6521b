//! Any sequence of records, written in the formats of other tools.

#![no_main]

#[path = "../../crates/export/tests/all/robust.rs"]
mod robust;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    robust::check(input);
});

//! Any sequence of records, through the engine of the trace analysis.

#![no_main]

#[path = "../../crates/replay/tests/all/robust.rs"]
mod robust;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    robust::check(input);
});

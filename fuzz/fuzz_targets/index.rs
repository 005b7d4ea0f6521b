//! Any bytes as the index of a timeline.

#![no_main]

#[path = "../../crates/index/tests/all/robust.rs"]
mod robust;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    robust::check(input);
});

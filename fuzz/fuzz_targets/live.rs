//! Any damage to the live state of killed programs.

#![no_main]

#[path = "../../crates/finish/tests/all/common/mod.rs"]
mod common;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    common::damage::check(input);
});

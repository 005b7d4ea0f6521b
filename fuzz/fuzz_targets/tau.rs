//! Any bytes as files of a profile of TAU.

#![no_main]

#[path = "../../crates/export/tests/all/tau_damage.rs"]
mod damage;

libfuzzer_sys::fuzz_target!(|input: &[u8]| damage::check(input));

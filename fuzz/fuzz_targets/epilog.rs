//! Any bytes as a trace in the format EPILOG: its records, and its import.

#![no_main]

#[path = "../../crates/export/tests/all/epilog_damage.rs"]
mod damage;
#[path = "../../crates/epilog/tests/all/property.rs"]
mod property;

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    property::check(input);
    damage::check(input);
});

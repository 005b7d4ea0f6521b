//! Any bytes as C++.

#![no_main]

#[path = "../../crates/instrument/tests/all/robust/property.rs"]
mod property;

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    property::check(text, &property::options("t.cpp"));
});

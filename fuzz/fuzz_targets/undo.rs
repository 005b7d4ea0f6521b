//! Any bytes as an output of the instrumenter, whose record anybody may have damaged: an error, or
//! a text; never a panic, nor memory by a length that nobody has checked.

#![no_main]

libfuzzer_sys::fuzz_target!(|text: &[u8]| {
    let _ = pompeii_instrument::undo(text);
});

//! The binary `pompeii`: the only crate that knows the command line.
fn main() {}

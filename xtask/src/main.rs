//! Everything a developer runs: demo, test, tidy.
fn main() {}

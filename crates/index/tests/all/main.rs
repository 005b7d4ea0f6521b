//! All integration tests of this crate, one module per topic, in one program: linked once.

mod calls;
mod damage;
mod folded;
mod gaps;
/// Random programs, as the tests of the analysis have them.
#[allow(dead_code, reason = "the tests of the analysis use all of it")]
#[allow(clippy::unwrap_used, reason = "tests")]
#[path = "../../../replay/tests/all/generate/mod.rs"]
mod generate;
mod links;
mod pictures;
mod program;
mod robust;
mod series;
mod simulation;
mod windows;

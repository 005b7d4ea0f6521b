//! All integration tests of this crate, one module per topic, in one program: linked once.

mod damage;
mod folded;
mod gaps;
mod links;
mod pictures;
mod program;
mod robust;
mod series;
mod simulation;
mod windows;

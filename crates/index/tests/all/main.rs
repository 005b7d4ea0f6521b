//! All integration tests of this crate, one module per topic, in one program: linked once.

mod damage;
mod folded;
mod pictures;
mod robust;
mod simulation;
mod windows;

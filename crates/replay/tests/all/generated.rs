//! The generator and the reference analyser agree about random programs.

use crate::generate::{Shape, program};
use crate::naive::Trace;

/// Properties that the generator does not know: they follow from definitions, not from waiting.
const DEFINED: [&str; 6] = [
    "mpi_latesender_wo",
    "mpi_lswo_same",
    "mpi_lswo_different",
    "mpi_barrier_completion",
    "mpi_nxn_completion",
    "mpi_init_completion",
];

#[test]
fn the_reference_analyser_finds_what_the_generator_knows() {
    for seed in 0..300 {
        let world = program(Shape::of(seed), seed);
        let folder = tempfile::tempdir().unwrap();
        let mut found = Trace::read(&world.write(folder.path())).waits();
        found.retain(|(property, ..), _| !DEFINED.contains(property));
        let (mut missing, mut wrong) = (world.waits.clone(), found.clone());
        missing.retain(|key, ticks| found.get(key) != Some(ticks));
        wrong.retain(|key, ticks| world.waits.get(key) != Some(ticks));
        let differ = (missing, wrong);
        assert_eq!(differ, Default::default(), "seed {seed}: {:?}", world.shape);
    }
}

//! The generator and the reference analyser agree about random programs.

use expect_test::expect;

use crate::generate::{Shape, program};
use crate::naive::Trace;

/// Properties that the generator does not know: they follow from definitions, not from waiting.
const DEFINED: [&str; 14] = [
    "omp_ibarrier_starvation",
    "omp_ebarrier_starvation",
    "mpi_cls_count",
    "mpi_sls_count",
    "mpi_clswo_count",
    "mpi_slswo_count",
    "mpi_clr_count",
    "mpi_slr_count",
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

#[test]
fn each_property_occurs_in_random_programs() {
    let mut counts = std::collections::BTreeMap::new();
    for seed in 0..300 {
        for ((property, ..), _) in program(Shape::of(seed), seed).waits {
            *counts.entry(property).or_insert(0) += 1;
        }
    }
    let names = counts.iter().filter(|(_, count)| **count > 5);
    let names: String = names.map(|(name, _)| format!("{name}\n")).collect();
    expect![[r#"
        mpi_barrier_wait
        mpi_earlyreduce
        mpi_earlyscan
        mpi_finalize_wait
        mpi_icollective_wait
        mpi_io_collective_wait
        mpi_latebroadcast
        mpi_latereceiver
        mpi_latesender
        mpi_rma_wait_at_fence
        mpi_wait_nxn
        omp_ebarrier_wait
        omp_fork
        omp_ibarrier_wait
        omp_lock_contention_api
        omp_lock_contention_critical
        task_wait
    "#]]
    .assert_eq(&names);
}

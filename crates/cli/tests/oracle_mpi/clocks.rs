//! `run --mpi-clock`: how far clocks are apart, measured more often.

use std::process::Command;

use pompeii_live::{Definition, LiveProcess, MpiDefinition};

use crate::common::oracles;
use crate::{LIBRARIES, Mpi, Sandbox, Source};

const CLOCKS: Source = ("clocks.c", include_str!("programs/clocks.c"), "mpicc");

/// How often the offset was measured in a process of a run that nobody finishes.
fn offsets(mpi: &Mpi, sandbox: &Sandbox, period: Option<&str>) -> usize {
    let experiment = format!("every{}", period.unwrap_or_default());
    std::fs::create_dir(sandbox.path(&experiment)).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{} -n 2 ./program", mpi.launcher)]);
    command.current_dir(sandbox.path("")).env("POMPEII_EXPERIMENT", sandbox.path(&experiment));
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    // Cargo's: it leads to the runtime library of another build.
    command.env_remove("LD_LIBRARY_PATH");
    command.envs(period.map(|period| ("POMPEII_MPI_CLOCK", period)));
    assert!(command.status().unwrap().success(), "{}", mpi.name);
    let live = LiveProcess::open(&sandbox.path(&experiment).join("live")).unwrap();
    let is_offset = |definition: &&Definition| {
        matches!(definition, Definition::Mpi(MpiDefinition::ClockOffset { .. }))
    };
    live.definitions.iter().filter(is_offset).count()
}

#[test]
fn clocks_are_compared_at_both_ends_and_as_often_as_wanted() {
    if !oracles() {
        return;
    }
    for mpi in &LIBRARIES {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, CLOCKS, "");
        let counts = [None, Some("1000"), Some("0.001")];
        let [never, seldom, often] = counts.map(|period| offsets(mpi, &sandbox, period));
        assert_eq!([never, seldom], [2, 2], "{}", mpi.name);
        // More than a period passes before each of twenty barriers.
        assert_eq!(often, 22, "{}", mpi.name);
    }
}

//! Clocks of processes: how far they are apart, also measured more often, and those of different
//! rates.

use std::process::Command;

use pompeii_live::{Definition, LiveProcess, MpiDefinition};

use super::{Mpi, Sandbox, Source, libraries, report};
use crate::common::{messages, oracles};

const CLOCKS: Source = ("clocks.c", include_str!("programs/clocks.c"), "mpicc");

/// How often the offset was measured in a process of a run that nobody finishes.
fn offsets(mpi: Mpi, sandbox: &Sandbox, period: Option<&str>) -> usize {
    let experiment = format!("every{}", period.unwrap_or_default());
    std::fs::create_dir(sandbox.path(&experiment)).unwrap();
    let mut command = Command::new("sh");
    command.args(["-c", &format!("{} -n 2 ./program", mpi.launcher())]);
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
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, CLOCKS, "");
        let counts = [None, Some("1000"), Some("0.001")];
        let [never, seldom, often] = counts.map(|period| offsets(mpi, &sandbox, period));
        assert_eq!([never, seldom], [2, 2], "{}", mpi.name);
        // More than a period passes before each of twenty barriers.
        assert_eq!(often, 22, "{}", mpi.name);
    }
}

/// Rank 0 and the others have clocks of different rates.
const RANK: &str = "#!/bin/sh
if [ \"${PMI_RANK:-$OMPI_COMM_WORLD_RANK}\" = 0 ]; then POMPEII_TIMER=$1; else POMPEII_TIMER=$2; fi
export POMPEII_TIMER
exec ./program
";

#[test]
fn processes_with_different_clocks_are_one_experiment() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let sandbox = Sandbox::new();
        mpi.build(&sandbox, super::C, "");
        sandbox.file("rank.sh", RANK);
        for clocks in ["clock_gettime tsc", "tsc clock_gettime"] {
            let ended = mpi.run(&sandbox, 3, "--replace --trace", &format!("sh rank.sh {clocks}"));
            let what = format!("{} {clocks}: {}", mpi.name, ended.messages);
            assert_eq!(ended.code, Some(0), "{what}");
            let report = report(&sandbox, "exp");
            assert_eq!(report["sum_error"], serde_json::Value::Null, "{what}");
            assert_eq!(report["processes"], 3, "{what}");
            let manifest = std::fs::read_to_string(sandbox.path("exp/manifest.json")).unwrap();
            let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
            let ranks = manifest["job"]["ranks"].as_array().unwrap();
            let errors = ranks.iter().map(|rank| rank["clock_error_ns"].as_u64().unwrap());
            let errors: Vec<u64> = errors.collect();
            // The others have one clock, and rank 0 another one where the machine has two.
            assert_eq!((errors[0], errors[1]), (0, errors[2]), "{what}");
            let error_ns = (errors[1] + 1).to_string();
            let trace = sandbox.path("exp/traces.otf2");
            let ways = messages("in-order", &trace, &[&error_ns, "100"]);
            assert_eq!(ways.lines().count(), 3, "{ways}");
        }
    }
}

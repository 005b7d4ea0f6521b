//! `pompeii merge`: several experiments of one run as one experiment.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use pompeii_analysis::format;
use pompeii_finish::{MANIFEST_FILE, Manifest, Part, quoted};

use crate::experiment::{self, Damaged};
use crate::output::say;
use crate::packed::{self, Need};
use crate::progress::Progress;
use crate::terminal::{cannot, shown};

/// Options of `merge`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii merge node1 node2 -o both              folders of two hosts, one MPI job
    pompeii merge exp exp/procs/* -o all           all processes of a script

The processes must have run at the same time. The result has the profile of all of them, and their
trace if all experiments have one. `pompeii cube` merges reports, and `pompeii diff` compares runs.")]
pub struct Arguments {
    /// The experiments
    #[arg(value_name = "EXP", required = true, num_args = 2..)]
    experiments: Vec<PathBuf>,
    /// Folder for the new experiment
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
    /// Merge the profiles only, without copies of the events
    #[arg(long)]
    no_trace: bool,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let output = &arguments.output;
    if output.symlink_metadata().is_ok() {
        bail!("{} exists already; name another folder: -o DIR", shown(output));
    }
    let mut parts: Vec<Part> = arguments
        .experiments
        .iter()
        .map(|experiment| part(experiment, arguments.no_trace))
        .collect::<Result<_>>()?;
    let note = leave_out_traces(&mut parts);
    let place = output.parent().filter(|place| *place != Path::new(""));
    let place = place.unwrap_or(Path::new("."));
    // Next to the result, so that the folder gets its name when it is complete.
    let copy = tempfile::tempdir_in(place).with_context(|| cannot("write into", place))?;
    let made = copy.path().join("merged");
    fs::create_dir(&made).with_context(|| cannot("write", output))?;
    let progress = Progress::of(format!("merging {} experiments", parts.len()));
    let manifest = pompeii_finish::merge(parts, &made)?;
    fs::rename(&made, output).with_context(|| cannot("write", output))?;
    drop(progress);
    say(format!(
        "{} is written: {} of {}; `pompeii report {}` shows it",
        shown(output),
        format::counted(manifest.locations as i64, "thread"),
        format::counted(manifest.merged.len() as i64, "experiment"),
        quoted(output)
    ));
    if let Some(note) = note {
        say(note);
    }
    Ok(ExitCode::SUCCESS)
}

/// Leaves all traces out if one experiment has none, because the trace of a run has all processes.
/// Returns a note about it.
fn leave_out_traces(parts: &mut [Part]) -> Option<String> {
    let without: Vec<&str> =
        parts.iter().filter(|part| part.trace.is_none()).map(|part| part.name.as_str()).collect();
    if without.is_empty() || without.len() == parts.len() {
        return None;
    }
    let verb = if without.len() == 1 { "has" } else { "have" };
    let note = format!(
        "note: the new experiment has no trace, because {} {verb} none; the other traces stay in \
         their experiments",
        without.join(" and ")
    );
    parts.iter_mut().for_each(|part| part.trace = None);
    Some(note)
}

/// An experiment, which is finished first if that has not been done.
fn part(named: &Path, no_trace: bool) -> Result<Part> {
    let need = if no_trace { Need::Reports } else { Need::Everything };
    let folder = packed::folder(named, need)?;
    if !folder.exists() {
        bail!("{}: no such experiment; `pompeii run -- PROGRAM` makes one", shown(named));
    }
    if !folder.is_dir() {
        bail!("{}: expected the folder of an experiment, as `pompeii run` writes", shown(named));
    }
    experiment::finish_if_needed(&folder)?;
    let folder = experiment::shown_run(&folder);
    if !folder.join(MANIFEST_FILE).exists() {
        bail!(
            "{}: {MANIFEST_FILE} is missing; expected an experiment of Pompeii (`pompeii cube \
             merge` merges reports of other tools)",
            shown(named)
        );
    }
    let manifest = Manifest::load(&folder)?;
    let cube = experiment::measured(&folder, Damaged::default())?;
    let trace = (manifest.trace && !no_trace).then_some(folder);
    Ok(Part { name: shown(named).into_owned(), cube, manifest, trace })
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};
    use pompeii_analysis::{Lens, check_sum, notation};
    use serde_json::json;

    use super::*;

    /// An experiment whose cube has this text. Its clock has 1,000 ticks in a second.
    fn part(name: &str, text: &str, start_ms: u64, more: &serde_json::Value) -> Part {
        let folder = tempfile::tempdir().unwrap();
        let cube = notation::cube(text).unwrap();
        pompeii_finish::write_cube(&cube, folder.path(), "profile.cubex").unwrap();
        let cube = experiment::measured(folder.path(), Damaged::default()).unwrap();
        let mut manifest = json!({
            "tool": "Pompeii", "program": "a", "host": "one", "pid": 1, "clock": "a clock",
            "run": {"command": ["./a"], "environment": {}, "exit_code": 0, "signal": null,
                "cpus": 1},
            "end": {"how": "exit", "code": 0}, "start_realtime_ns": start_ms * 1_000_000,
            "wall_ns": (cube.clock.seconds(cube.wall_ticks) * 1e9) as u64, "ticks_per_second": 1000.0,
            "locations": 1, "observed_by": "source", "trace": false, "regions": 1,
            "call_paths": 1, "processes": [],
            "lost": {"events": 2, "threads": 0, "reason": null, "died": false},
        });
        for (key, value) in more.as_object().unwrap() {
            manifest[key] = value.clone();
        }
        Part {
            name: name.to_owned(),
            cube,
            manifest: serde_json::from_value(manifest).unwrap(),
            trace: None,
        }
    }

    /// Merges, and reads the result: its processes, and the time of each call path and thread.
    fn check(parts: Vec<Part>, expect: Expect) -> Manifest {
        let folder = tempfile::tempdir().unwrap();
        pompeii_finish::merge(parts, folder.path()).unwrap();
        let measured = experiment::measured(folder.path(), Damaged::default()).unwrap();
        let cube = pompeii_analysis::derive(&measured);
        check_sum(&cube).unwrap();
        let mut text = format!("{}: wall {}\n", cube.program, cube.wall_ticks);
        for process in cube.system.processes.iter() {
            let (name, rank, wall) = (&process.name, process.rank, process.wall_ticks);
            text += &format!("{rank} {name} on {}: {wall}\n", process.node);
        }
        let lens = Lens::new(&cube);
        for call in cube.calls.ids() {
            let names = cube.calls.ancestors(call).map(|at| lens.region(at).label());
            let path = names.collect::<Vec<_>>().join(" < ");
            for metric in ["execution", "omp_idle_threads", "process_absent"] {
                let times: Vec<i64> = lens.by_location(metric, &[call]).iter().copied().collect();
                if times.iter().any(|ticks| *ticks != 0) {
                    text += &format!("{path}: {metric} {times:?}\n");
                }
            }
        }
        expect.assert_eq(&text);
        Manifest::load(folder.path()).unwrap()
    }

    const TEAM: &str = "wall=100 locations=2
        a                 0  time=40 visits=1
        a/parallel@a.c:2  *  time=60 visits=1";

    /// The second process begins 30 ms later and ends 10 ms later. Both execute tasks.
    #[test]
    fn processes_that_ran_at_the_same_time_become_one_experiment() {
        let team = "wall=100 locations=2
             a                              0  time=40 visits=1
             a/parallel@a.c:2               *  time=50 visits=1
             a/parallel@a.c:2/task@a.c:3    *  task_time=10
             TASKS/task@a.c:3               *  time=10 visits=1";
        let other = "wall=80 locations=1
             b                          0  time=50 visits=1
             b/f@b.c:7                  0  time=10 visits=3
             b/f@b.c:7/task@b.c:8       0  task_time=20
             TASKS/task@b.c:8           0  time=20 visits=4";
        let parts = vec![
            part("first", team, 1000, &json!({})),
            part("second", other, 1030, &json!({"pid": 2})),
        ];
        let manifest = check(
            parts,
            expect![[r#"
            a and b: wall 110
            0 first: Process on node: 100
            1 second: Process on node: 80
            a: execution [40, 0, 0]
            a: omp_idle_threads [0, 40, 0]
            a: process_absent [10, 10, 30]
            parallel a.c:2 < a: execution [50, 50, 0]
            task a.c:3 < TASKS < a: execution [10, 10, 0]
            task b.c:8 < TASKS < a: execution [0, 0, 20]
            b < a: execution [0, 0, 50]
            f < b < a: execution [0, 0, 10]
        "#]],
        );
        assert_eq!((manifest.lost.events, manifest.wall_ns), (4, 110_000_000));
        assert_eq!(manifest.merged, ["first", "second"]);
        // They may have had one CPU each.
        assert_eq!(manifest.run.cpus, 0);
    }

    /// Both hosts have ranks of one job. A tick of the second host is half as long.
    #[test]
    fn ranks_of_one_job_keep_their_numbers() {
        let job = |rank: u32, host: &str| {
            let end = json!({"how": "exit", "code": 0});
            let entry = json!({"rank": rank, "host": host, "pid": 5, "end": end,
                "finalized": true, "clock_error_ns": 0});
            json!({"host": host, "pid": rank, "job": {"id": "j", "size": 3, "ranks": [entry],
                "missing": [], "unreadable": []}})
        };
        let of_two = TEAM.replace("wall=100", "wall=200 clock=2000").replace("time=40", "time=81");
        let mut second = part("two", &of_two.replace("time=60", "time=119"), 1000, &job(2, "two"));
        second.cube.system.processes.iter_mut().for_each(|it| it.rank = 2);
        let parts = vec![part("one", TEAM, 1000, &job(0, "one")), second.clone()];
        let manifest = check(
            parts,
            expect![[r#"
            a: wall 100
            0 Process on node: 100
            2 Process on node: 100
            a: execution [40, 0, 41, 0]
            a: omp_idle_threads [0, 40, 0, 41]
            parallel a.c:2 < a: execution [60, 60, 59, 59]
        "#]],
        );
        let job = manifest.job.unwrap();
        assert_eq!((job.size, job.ranks.len(), job.missing), (3, 2, vec![1]));
        // The same rank twice.
        let mut copy = second.clone();
        (copy.name, copy.manifest.pid) = ("copy".to_owned(), 9);
        refuse(vec![second, copy], "two and copy both have rank 2 of the same MPI job");
    }

    fn refuse(parts: Vec<Part>, why: &str) {
        let folder = tempfile::tempdir().unwrap();
        let error = pompeii_finish::merge(parts, folder.path()).unwrap_err();
        assert!(error.to_string().contains(why), "{error}");
        assert!(fs::read_dir(folder.path()).unwrap().next().is_none());
    }

    #[test]
    fn runs_that_do_not_belong_together_are_refused() {
        let of = |name: &str, start_ms, pid: u32| part(name, TEAM, start_ms, &json!({"pid": pid}));
        refuse(vec![of("a", 1000, 1), of("b", 1000, 1)], "a and b are the same run");
        let apart = vec![of("a", 1000, 1), of("b", 1050, 2), of("c", 1151, 3)];
        refuse(apart, "c did not run at the same time as any of the others");
    }
}

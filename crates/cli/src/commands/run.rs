//! `pompeii run`: start a program, measure it, and say what was lost. The exit code is the
//! program's; signals, terminal and standard input are its own.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};

use anyhow::{Context, Result};
use pompeii_finish::{Manifest, ProcessEntry, RunInfo, quoted};

use super::{analyze, reference};
use crate::calibration::calibrate;
use crate::executables::executable;
use crate::machine::Moment;
use crate::mpi::launcher;
use crate::new_experiment::{Made, NewExperiment};
use crate::output::{self, say};
use crate::progress::Progress;
use crate::recording::{self, Recording};
use crate::terminal::shown;
use crate::{child, experiment, failure, variables};

/// Options of `run`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii run -- ./ocean 400                                    a profile and a summary
    pompeii run --trace -o before -- ./ocean 400                  and a trace, in the folder before
    OMP_NUM_THREADS=8 pompeii run -o eight --replace -- ./ocean 400
    pompeii run --analyze -- ./ocean 400                          who waited for whom, and why
    pompeii run --trace --filter ocean.filter -- ./ocean 400      leave functions out
    pompeii run --trace --window 10:12.5 -- ./ocean 400           only 2.5 seconds of the run
    pompeii run --trace --window 'step@100:102' -- ./ocean 400    only three visits of region step
    pompeii run -- mpirun -n 4 ./ocean 400                        all processes of an MPI job
    pompeii run --reference 1 -- ./ocean 400                      and again on one thread, to see
                                                                  what memory costs
    pompeii run -- sh -c './prepare && ./solve'                   all programs of a script")]
pub struct Arguments {
    /// Record a trace in addition to the profile
    #[arg(long)]
    trace: bool,
    /// Record a trace, and analyze it when the program has ended (pompeii analyze)
    #[arg(long)]
    analyze: bool,
    /// Folder for the experiment [default: a new name from date and time]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// If an experiment of that name exists, rename the old one instead of refusing to run
    #[arg(long)]
    replace: bool,
    /// Time undeferred tasks instead of only counting them
    #[arg(long)]
    timed_undeferred: bool,
    #[command(flatten)]
    recording: recording::Options,
    /// Measure forked children that continue without exec, each in its own experiment
    #[arg(long)]
    follow_forks: bool,
    /// Run the command a second time with OMP_NUM_THREADS=1, into EXP/reference, and compare: only
    /// this shows what memory and shared cache lines cost. The second run reads and prints nothing
    #[arg(long, value_name = "THREADS", value_parser = clap::value_parser!(u8).range(1..=1))]
    reference: Option<u8>,
    /// Print no summary at the end
    #[arg(long, short)]
    quiet: bool,
    /// Show at most N findings in the summary
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// The program and its arguments
    #[arg(trailing_var_arg = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    variables::tell();
    let recording = match arguments.recording.read() {
        Ok(recording) => recording,
        Err(error) => {
            say(format!("error: {}", failure::message(&error)));
            return Ok(ExitCode::from(2));
        }
    };
    recording.check_counters()?;
    let mut info = RunInfo {
        command: arguments.command.iter().map(text).collect(),
        environment: environment(),
        cpus: std::thread::available_parallelism().map_or(0, usize::from),
        finished_by: "run".to_owned(),
        ..RunInfo::default()
    };
    let named = arguments.output.clone().or_else(variables::experiment);
    let replace = arguments.replace || variables::says_yes(variables::REPLACE);
    let made = NewExperiment::make(named, replace, &info)?;
    if let Made::Nowhere(why) = &made {
        say(format!(
            "warning: {why}\n  the program runs without being measured; name a folder that can be \
             written with -o, for example: pompeii run -o /tmp/exp -- {}",
            command_line(arguments)
        ));
    }
    // Registered before the start: Ctrl-C ends the program and not the report about it.
    let signals = child::outlive_signals().context("cannot watch signals")?;
    let before = Moment::now();
    let mut program = match start(arguments, &recording, &made) {
        Ok(program) => program,
        Err(error) => return Ok(not_started(arguments, &made, &error)),
    };
    let status = child::wait(&mut program, signals).context("cannot wait for the program")?;
    info.pid = Some(program.id());
    info.machine = Some(before.until_now());
    info.calibration = calibrate(before.cpus(), threads_asked_for());
    (info.exit_code, info.signal) = (status.code(), status.signal());
    match &made {
        Made::Here(experiment) => conclude(arguments, &recording, experiment, &info),
        Made::Nowhere(why) => say(format!("warning: nothing was measured: {why}")),
    }
    drop(made);
    Ok(child::exit_like(status))
}

fn not_started(arguments: &Arguments, made: &Made, error: &std::io::Error) -> ExitCode {
    if let Made::Here(experiment) = made {
        experiment.remove_unused();
    }
    say(format!("error: cannot run `{}`: {error}", quoted(&arguments.command[0])));
    let missing = error.kind() == std::io::ErrorKind::NotFound;
    ExitCode::from(if missing { 127 } else { 126 })
}

/// A word of the command, or a value of a variable, where only text can be kept.
fn text(word: impl AsRef<OsStr>) -> String {
    let word = word.as_ref();
    word.to_str().map_or_else(|| quoted(word), str::to_owned)
}

/// The command as a user types it.
fn command_line(arguments: &Arguments) -> String {
    arguments.command.iter().map(quoted).collect::<Vec<_>>().join(" ")
}

fn start(arguments: &Arguments, recording: &Recording, made: &Made) -> std::io::Result<Child> {
    let mut command = Command::new(&arguments.command[0]);
    match made {
        Made::Here(experiment) => command.env("POMPEII_EXPERIMENT", &experiment.folder),
        Made::Nowhere(_) => command.env("POMPEII_ENABLE", "0"),
    };
    // What a program says of its experiment where there is no `run` is said here.
    command.env("POMPEII_QUIET", "1");
    for (name, wanted) in [
        ("POMPEII_TRACE", arguments.trace || arguments.analyze),
        ("POMPEII_TIMED_UNDEFERRED", arguments.timed_undeferred),
        ("POMPEII_FOLLOW_FORKS", arguments.follow_forks),
    ] {
        if wanted {
            command.env(name, "1");
        }
    }
    recording.set(&mut command);
    launcher::add_words(&mut command, &arguments.command);
    command.spawn()
}

/// Finishes the experiment and prints the summary; a failure here never changes the exit code.
fn conclude(
    arguments: &Arguments,
    recording: &Recording,
    experiment: &NewExperiment,
    info: &RunInfo,
) {
    let folder = &experiment.folder;
    if !folder.exists() {
        return say(format!(
            "warning: {} was removed while the program ran, and its measurement with it",
            quoted(folder)
        ));
    }
    if launcher::is_launcher(&arguments.command[0]) {
        child::wait_for_processes(folder, info);
    }
    let progress = Progress::of(format!("finishing {}", shown(folder)));
    let finished = pompeii_finish::finish(folder, info);
    drop(progress);
    match finished {
        Ok(Some(manifest)) => {
            recording.keep(folder);
            if arguments.reference.is_some() {
                reference::run(folder, &arguments.command, recording, info);
            }
            let traces = match arguments.analyze {
                true => analyze::analyze_run(folder, &manifest),
                false => Vec::new(),
            };
            summarise(arguments, folder, &manifest);
            if !arguments.quiet {
                traces.iter().for_each(|text| output::print_error(&format!("\n{text}")));
            }
        }
        Ok(None) => not_measured(arguments, experiment, info),
        Err(error) => say(format!(
            "error: cannot finish the experiment: {error}\n  what was measured is kept in {folder}; \
             `pompeii recover {folder}` tries again",
            folder = quoted(folder)
        )),
    }
}

fn summarise(arguments: &Arguments, folder: &Path, manifest: &Manifest) {
    if arguments.quiet {
        return;
    }
    // Of the root nothing may have been measured, but of programs that it started.
    match experiment::open(folder, experiment::Damaged::default()) {
        Ok(experiment) => {
            super::report::print_summary(experiment, arguments.top);
        }
        Err(error) => {
            let why = failure::message(&error);
            say(format!("error: {} was measured, but {why}", manifest.program));
        }
    }
}

/// Says why there is nothing: because measuring failed, or because there was nothing to measure.
fn not_measured(arguments: &Arguments, experiment: &NewExperiment, info: &RunInfo) {
    let failed = pompeii_finish::take_failed(&experiment.folder);
    experiment.remove_unused();
    for ProcessEntry { program, problem, .. } in &failed {
        let problem = problem.as_deref().unwrap_or("no reason known");
        say(format!("warning: nothing of {program} was measured: {problem}"));
    }
    if failed.is_empty() {
        not_instrumented(arguments, info);
    }
}

/// A command that failed has perhaps not even come to the program.
fn not_instrumented(arguments: &Arguments, info: &RunInfo) {
    let failed = match info.exit_code {
        Some(0) | None => String::new(),
        Some(code) => format!(", and ended with exit code {code}"),
    };
    let program = command_line(arguments);
    if has_library(&arguments.command[0]) {
        return say(format!(
            "warning: `{program}` was not observed: it raised no event{failed}.\n  \
             It is instrumented, but came to none of the constructs that are measured, or \
             POMPEII_ENABLE says not to."
        ));
    }
    say(format!(
        "warning: `{program}` was not observed: it raised no event{failed}.\n  \
         Compile it with `pompeii compile -- gcc -fopenmp ...` (any gcc, g++, gfortran or clang \
         command),\n  or build with CC='pompeii compile -- gcc'; `pompeii doctor` checks this \
         machine."
    ));
}

/// Whether the runtime library is in this program, or loaded by it: the name of a variable that
/// only the library reads, or the library's own name, stands in the file.
fn has_library(word: &OsStr) -> bool {
    let Some(text) = executable(word).and_then(|path| fs::read(path).ok()) else {
        return false;
    };
    ["POMPEII_LIVE_DIR", "libpomp.so"]
        .iter()
        .any(|name| memchr::memmem::find(&text, name.as_bytes()).is_some())
}

/// The number of threads that the user asked for, of the outermost teams.
fn threads_asked_for() -> Option<usize> {
    let value = std::env::var("OMP_NUM_THREADS").ok()?;
    value.split(',').next()?.trim().parse().ok().filter(|&threads| threads > 0)
}

/// Variables that steer OpenMP and the measurement.
fn environment() -> BTreeMap<String, String> {
    let steers = |name: &OsStr| {
        ["OMP_", "GOMP_", "KMP_", "POMPEII_", "SCOREP_"]
            .iter()
            .any(|prefix| name.as_bytes().starts_with(prefix.as_bytes()))
    };
    let set = std::env::vars_os().filter(|(name, _)| steers(name));
    set.map(|(name, value)| (text(name), text(value))).collect()
}

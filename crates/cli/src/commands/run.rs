//! `pompeii run`: start a program, measure it, and say what was lost. The exit code is the
//! program's; signals, terminal and standard input are its own.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode, ExitStatus};

use anyhow::{Context, Result, bail};
use pompeii_finish::{Manifest, ProcessEntry, RunInfo, quoted};

use super::{analyze, reference, repeat, summary_only};
use crate::calibration::calibrate;
use crate::executables::executable;
use crate::machine::Moment;
use crate::mpi::launcher;
use crate::new_experiment::{Made, NewExperiment};
use crate::output::{self, say};
use crate::program::Program;
use crate::progress::Progress;
use crate::recording::{self, Recording};
use crate::resources::Used;
use crate::terminal::shown;
use crate::{child, experiment, failure, unmodified, variables};

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
    pompeii run --repeat 5 -- ./ocean 400                         five runs, to know the noise
    srun pompeii run --summary-only -- ./ocean 400                a summary of all ranks, no files
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
    /// Run the command N times, one run after another, into EXP/1 to EXP/N. `diff` and `check` use
    /// all runs; `report` shows the one with the median wall time. Only the first run can read
    /// standard input
    #[arg(long, value_name = "N", conflicts_with = "reference")]
    #[arg(value_parser = clap::value_parser!(u16).range(2..=1000))]
    repeat: Option<u16>,
    /// Print the summary, and keep no experiment. What the ranks of an MPI job have measured stays
    /// on their hosts, and one rank gets it by messages in MPI_Finalize: no common file system is
    /// needed
    #[arg(long, conflicts_with_all = ["trace", "analyze", "output", "replace", "reference", "repeat",
                                      "quiet"])]
    summary_only: bool,
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
    let named = arguments.output.clone().or_else(variables::experiment);
    let replace = arguments.replace || variables::says_yes(variables::REPLACE);
    if arguments.summary_only {
        return Ok(without_experiment(arguments, &recording)?.exit_code());
    }
    if let Some(runs) = arguments.repeat {
        return repeated(arguments, &recording, named, replace, usize::from(runs));
    }
    let made = NewExperiment::make(named, replace, &begun(arguments))?;
    Ok(measure(arguments, &recording, made, arguments.quiet)?.exit_code())
}

/// What is known of a run before it starts.
fn begun(arguments: &Arguments) -> RunInfo {
    RunInfo {
        command: arguments.command.iter().map(text).collect(),
        environment: environment(),
        cpus: std::thread::available_parallelism().map_or(0, usize::from),
        openmp_library: openmp_library(arguments),
        finished_by: "run".to_owned(),
        ..RunInfo::default()
    }
}

/// The OpenMP library that the program of the command loads, for the analysis of its trace: the
/// program is the first word, or later ones if the first word is a launcher. `None` if it starts
/// programs with different libraries.
fn openmp_library(arguments: &Arguments) -> Option<String> {
    let words = &arguments.command;
    if !arguments.trace && !arguments.analyze {
        return None;
    }
    let words = match launcher::is_launcher(&words[0]) {
        true => &words[1..],
        false => &words[..1],
    };
    let programs = words.iter().filter_map(executable).filter_map(Program::open);
    let mut libraries = programs.filter_map(|program| unmodified::openmp_library(&program));
    let first = libraries.next()?;
    libraries.all(|library| library == first).then_some(first)
}

/// How a run ended.
enum Ended {
    /// The program did not start.
    NotStarted(ExitCode),
    /// As the program did.
    Like(ExitStatus),
}

impl Ended {
    /// The exit code of the program; where a signal ended it, this process dies by the same one.
    fn exit_code(self) -> ExitCode {
        match self {
            Self::NotStarted(code) => code,
            Self::Like(status) => child::exit_like(status),
        }
    }
}

/// Runs the command once, in a folder that is removed when the summary is printed.
fn without_experiment(arguments: &Arguments, recording: &Recording) -> Result<Ended> {
    let (made, _folder) = summary_only::make(&begun(arguments))?;
    measure(arguments, recording, made, false)
}

/// Runs the command several times, each in a folder of its own. If one ends in another way than the
/// first, there are no further ones, because they would not be runs of the same work.
fn repeated(
    arguments: &Arguments,
    recording: &Recording,
    named: Option<PathBuf>,
    replace: bool,
    runs: usize,
) -> Result<ExitCode> {
    let all = match NewExperiment::make(named, replace, &begun(arguments))? {
        Made::Here(all) => all,
        Made::Nowhere(why) => bail!(why),
    };
    let mut first: Option<ExitStatus> = None;
    let mut ended = None;
    for number in 1..=runs {
        let folder = repeat::folder_of(&all.folder, number);
        let made = NewExperiment::make(Some(folder), false, &begun(arguments))?;
        let run = measure(arguments, recording, made, true)?;
        let is_alike = match &run {
            Ended::NotStarted(_) => false,
            Ended::Like(status) => {
                *first.get_or_insert(*status) == *status && status.code().is_some()
            }
        };
        ended = Some(run);
        if is_alike {
            continue;
        }
        if number < runs {
            say(format!(
                "note: there are no more runs, because run {number} did not start, was killed, or \
                 did not end like the first"
            ));
        }
        break;
    }
    if let Err(error) = repeat::conclude(&all.folder, arguments.quiet, arguments.top) {
        say(format!("error: the runs cannot be put together: {}", failure::message(&error)));
    }
    all.remove_unused();
    Ok(ended.map_or(ExitCode::SUCCESS, Ended::exit_code))
}

/// Runs the command once.
fn measure(
    arguments: &Arguments,
    recording: &Recording,
    made: Made,
    is_quiet: bool,
) -> Result<Ended> {
    let mut info = begun(arguments);
    if let Made::Nowhere(why) = &made {
        let advice = match arguments.summary_only {
            true => "set TMPDIR to a folder that can be written".to_owned(),
            false => format!(
                "name a folder that can be written with -o, for example: pompeii run -o /tmp/exp \
                 -- {}",
                command_line(arguments)
            ),
        };
        say(format!("warning: {why}\n  the program runs without being measured; {advice}"));
    }
    // Registered before the start: Ctrl-C ends the program and not the report about it.
    let signals = child::outlive_signals().context("cannot watch signals")?;
    let (before, used) = (Moment::now(), Used::now());
    let mut program = match start(arguments, recording, &made) {
        Ok(program) => program,
        Err(error) => return Ok(Ended::NotStarted(not_started(arguments, &made, &error))),
    };
    let status = child::wait(&mut program, signals).context("cannot wait for the program")?;
    info.resources = Some(used.until_now());
    info.pid = Some(program.id());
    info.machine = Some(before.until_now());
    if arguments.summary_only {
        summary_only::leave_out_ranks(&mut info);
    }
    info.calibration = calibrate(before.cpus(), threads_asked_for());
    (info.exit_code, info.signal) = (status.code(), status.signal());
    match &made {
        Made::Here(experiment) => conclude(arguments, recording, (experiment, is_quiet), &info),
        Made::Nowhere(why) => say(format!("warning: nothing was measured: {why}")),
    }
    Ok(Ended::Like(status))
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
    summary_only::set(&mut command, arguments.summary_only);
    recording.set(&mut command);
    launcher::add_words(&mut command, &arguments.command);
    command.spawn()
}

/// Finishes the experiment and prints the summary; a failure here never changes the exit code.
fn conclude(
    arguments: &Arguments,
    recording: &Recording,
    (experiment, is_quiet): (&NewExperiment, bool),
    info: &RunInfo,
) {
    let folder = &experiment.folder;
    if arguments.summary_only && summary_only::is_elsewhere(folder) {
        return;
    }
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
        Ok(Some(manifest)) if arguments.summary_only => {
            if summary_only::is_first(&manifest) {
                summarise(arguments, folder, &manifest);
            }
        }
        Ok(Some(manifest)) => {
            recording.keep(folder);
            if arguments.reference.is_some() {
                reference::run(folder, &arguments.command, recording, info);
            }
            let traces = match arguments.analyze {
                true => analyze::analyze_run(folder, &manifest),
                false => Vec::new(),
            };
            if !is_quiet {
                summarise(arguments, folder, &manifest);
                traces.iter().for_each(|text| output::print_error(&format!("\n{text}")));
            }
        }
        Ok(None) => not_measured(arguments, experiment, info),
        Err(error) if arguments.summary_only => {
            say(format!("error: there is no summary: {error}"));
        }
        Err(error) => say(format!(
            "error: cannot finish the experiment: {error}\n  what was measured is kept in {folder}; \
             `pompeii recover {folder}` tries again",
            folder = quoted(folder)
        )),
    }
}

fn summarise(arguments: &Arguments, folder: &Path, manifest: &Manifest) {
    // Of the root nothing may have been measured, but of programs that it started.
    match experiment::open(folder, experiment::Damaged::default()) {
        Ok(experiment) => {
            super::report::print_summary(experiment, arguments.top, !arguments.summary_only);
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

/// Whether the runtime library is in this program, or loaded by it.
fn has_library(word: &OsStr) -> bool {
    executable(word).and_then(Program::open).is_some_and(|program| program.is_instrumented())
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

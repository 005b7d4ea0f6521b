//! `pompeii run`: start a program, measure it, and say what was lost. The exit code is the
//! program's; signals, terminal and standard input are its own.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use pompeii_finish::{Manifest, ProcessEntry, RunInfo};

use super::say;
use crate::executables::executable;
use crate::mpi::launcher;
use crate::recording::{self, Recording};
use crate::{child, experiment, failure, variables};

/// Options of `run`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii run -- ./ocean 400
    pompeii run --trace -o before -- ./ocean 400
    OMP_NUM_THREADS=8 pompeii run -o eight --replace -- ./ocean 400
    pompeii run --trace --filter ocean.filter -- ./ocean 400
    pompeii run --trace --window 10:12.5 -- ./ocean 400
    pompeii run --trace --window 'step@100:102' -- ./ocean 400
    pompeii run -- sh -c './prepare && ./solve'")]
pub struct Arguments {
    /// Record a trace as well
    #[arg(long)]
    trace: bool,
    /// The experiment directory; without it one is named after the time
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Rename an existing experiment of that name instead of refusing
    #[arg(long)]
    replace: bool,
    /// Time undeferred tasks as well, instead of only counting them
    #[arg(long)]
    timed_undeferred: bool,
    #[command(flatten)]
    recording: recording::Options,
    /// Measure children that are forked and go on without an exec, each in a folder of its own
    #[arg(long)]
    follow_forks: bool,
    /// No summary at the end
    #[arg(long, short)]
    quiet: bool,
    /// Show at most so many findings in the summary
    #[arg(long, value_name = "N", default_value_t = 5)]
    top: usize,
    /// The program and its arguments
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<String>,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    variables::tell();
    let recording = arguments.recording.read()?;
    let folder = make_folder(arguments)?;
    // Registered before the start: Ctrl-C ends the program and not the report about it.
    let signals = child::outlive_signals().context("cannot watch signals")?;
    let mut info = RunInfo {
        command: arguments.command.clone(),
        environment: environment(),
        cpus: std::thread::available_parallelism().map_or(0, usize::from),
        finished_by: "run".to_owned(),
        ..RunInfo::default()
    };
    // A full disk is no reason not to run the program.
    let _ = info.store_started(&folder);
    let mut program = match start(arguments, &recording, &folder) {
        Ok(program) => program,
        Err(error) => {
            remove_unused(&folder);
            say(format!("cannot run `{}`: {error}", arguments.command[0]));
            let missing = error.kind() == std::io::ErrorKind::NotFound;
            return Ok(ExitCode::from(if missing { 127 } else { 126 }));
        }
    };
    child::forward_signals(&program, signals);
    let status = program.wait().context("cannot wait for the program")?;
    info.pid = Some(program.id());
    info.interruptions = child::interruptions();
    (info.exit_code, info.signal) = (status.code(), status.signal());
    conclude(arguments, &recording, &folder, &info);
    Ok(child::exit_like(status))
}

/// The experiment's folder, new and writable: everything that can be refused is refused before
/// the program starts.
fn make_folder(arguments: &Arguments) -> Result<PathBuf> {
    let named = arguments.output.clone().or_else(variables::experiment);
    let folder = named.unwrap_or_else(default_name);
    if folder.exists() {
        if !arguments.replace && !variables::says_yes(variables::REPLACE) {
            let behind = match launcher::is_one_of_many() {
                true => "; a launcher stands behind it: `pompeii run -- srun ...`",
                false => "",
            };
            bail!(
                "{}: exists already; choose another name with -o, or --replace to rename it{behind}",
                folder.display()
            );
        }
        let old = unused_name(&folder);
        fs::rename(&folder, &old).with_context(|| folder.display().to_string())?;
        say(format!("{} is now {}", folder.display(), old.display()));
    }
    fs::create_dir_all(&folder)
        .with_context(|| format!("cannot create the experiment {}", folder.display()))?;
    Ok(std::path::absolute(&folder)?)
}

/// `pompeii-YYYYMMDD_HHMM_XXXXXXXX`, in universal time.
fn default_name() -> PathBuf {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let minutes = now.as_secs() / 60;
    let (year, month, day) = civil_date(minutes / (24 * 60));
    let (hour, minute) = (minutes / 60 % 24, minutes % 60);
    let unique = now.subsec_nanos() ^ std::process::id().rotate_left(16);
    format!("pompeii-{year:04}{month:02}{day:02}_{hour:02}{minute:02}_{unique:08x}").into()
}

/// The date of a day since 1970 (Gregorian calendar; counts from March, so that the leap day is
/// the last of its year).
fn civil_date(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let leap_days = day_of_era / 1_460 + day_of_era / 146_096;
    let year_of_era = (day_of_era + day_of_era / 36_524 - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

fn unused_name(folder: &Path) -> PathBuf {
    let base = folder.display().to_string();
    let names = (1..).map(|number| PathBuf::from(format!("{base}.{number}")));
    names.into_iter().find(|name| !name.exists()).unwrap_or_else(|| folder.to_owned())
}

fn start(arguments: &Arguments, recording: &Recording, folder: &Path) -> std::io::Result<Child> {
    let mut command = Command::new(&arguments.command[0]);
    command.env("POMPEII_EXPERIMENT", folder);
    for (name, wanted) in [
        ("POMPEII_TRACE", arguments.trace),
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
fn conclude(arguments: &Arguments, recording: &Recording, folder: &Path, info: &RunInfo) {
    if !folder.exists() {
        return say(format!(
            "{} has vanished while the program ran, and with it what was measured",
            folder.display()
        ));
    }
    if launcher::is_launcher(&arguments.command[0]) {
        wait_for_processes(folder, info);
    }
    match pompeii_finish::finish(folder, info) {
        Ok(Some(manifest)) => {
            recording.keep(folder);
            summarise(arguments, folder, &manifest);
        }
        Ok(None) => not_measured(arguments, folder, info),
        Err(error) => say(format!(
            "cannot finish the experiment: {error}\n  what was measured is kept in {}; \
             `pompeii recover` tries again",
            folder.display()
        )),
    }
}

/// Processes of a job that was ended by force are given time to be gone, too, which a busy machine
/// needs. What a job leaves behind that has ended well is meant to go on.
fn wait_for_processes(folder: &Path, info: &RunInfo) {
    let tries = if info.exit_code == Some(0) { 150 } else { 1500 };
    for _ in 0..tries {
        if !pompeii_finish::is_running(folder) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn summarise(arguments: &Arguments, folder: &Path, manifest: &Manifest) {
    if arguments.quiet {
        return;
    }
    // Of the root nothing may have been measured, but of programs that it started.
    match experiment::open(folder) {
        Ok(experiment) => {
            let text = super::report::summary(&experiment, arguments.top, &std::io::stderr());
            super::print_error_bytes(text.as_bytes());
        }
        Err(error) => {
            let why = failure::message(&error);
            say(format!("{} was measured, but {why}", manifest.program));
        }
    }
}

/// The folder, where nothing is in it but what this command has written.
fn remove_unused(folder: &Path) {
    let _ = fs::remove_file(folder.join(pompeii_finish::STARTED_FILE));
    let _ = fs::remove_dir(folder);
}

/// Says why there is nothing: because measuring failed, or because there was nothing to measure.
fn not_measured(arguments: &Arguments, folder: &Path, info: &RunInfo) {
    let failed = pompeii_finish::take_failed(folder);
    remove_unused(folder);
    for ProcessEntry { program, problem, .. } in &failed {
        let problem = problem.as_deref().unwrap_or("no reason known");
        say(format!("nothing of {program} was measured: {problem}"));
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
    let program = arguments.command.join(" ");
    if has_library(&arguments.command[0]) {
        return say(format!(
            "`{program}` was not observed: it raised no event{failed}.\n  \
             It is instrumented, but came to none of the constructs that are measured, or \
             POMPEII_ENABLE says not to."
        ));
    }
    say(format!(
        "`{program}` was not observed: it raised no event{failed}.\n  \
         Compile it with `pompeii compile -- gcc -fopenmp ...` (any gcc, g++, gfortran or clang \
         command),\n  or build with CC='pompeii compile -- gcc'; `pompeii doctor` checks this \
         machine."
    ));
}

/// Whether the runtime library is in this program, or loaded by it: the name of a variable that
/// only the library reads, or the library's own name, stands in the file.
fn has_library(word: &str) -> bool {
    let Some(text) = executable(word).and_then(|path| fs::read(path).ok()) else {
        return false;
    };
    ["POMPEII_LIVE_DIR", "libpomp.so"]
        .iter()
        .any(|name| memchr::memmem::find(&text, name.as_bytes()).is_some())
}

/// Variables that steer OpenMP and the measurement.
fn environment() -> BTreeMap<String, String> {
    let steers = |name: &str| {
        ["OMP_", "GOMP_", "KMP_", "POMPEII_", "SCOREP_"]
            .iter()
            .any(|prefix| name.starts_with(prefix))
    };
    std::env::vars().filter(|(name, _)| steers(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_dates() {
        assert_eq!(civil_date(0), (1970, 1, 1));
        assert_eq!(civil_date(11_016), (2000, 2, 29));
        assert_eq!(civil_date(20_777), (2026, 11, 20));
    }
}

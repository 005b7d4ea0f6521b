//! A reference run: the same program on one thread, which shows what memory and cache lines shared
//! between threads cost. `run --reference 1` makes it in `EXP/reference`, an experiment of its own.
//! `report` and `html` use it, or the one that `--serial` names.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use pompeii_analysis::reference::Run;
use pompeii_analysis::{Reference, SerialCosts};
use pompeii_finish::{RunInfo, quoted};
use pompeii_model::Cube;

use super::cpus;
use crate::experiment::{self, Damaged, Experiment};
use crate::machine::Moment;
use crate::mpi::launcher;
use crate::new_experiment::{Made, NewExperiment};
use crate::output::say;
use crate::progress::Progress;
use crate::recording::Recording;
use crate::terminal::{shown, shown_name};
use crate::{child, failure};

/// The folder of the reference run in the experiment.
const FOLDER: &str = "reference";

/// What the commands that report have.
#[derive(clap::Args)]
pub struct Options {
    /// Compare with this run of the same program on one thread (in each process), to see what
    /// memory and shared cache lines cost [default: EXP/reference, if there is one]
    #[arg(long, value_name = "EXP0")]
    serial: Option<PathBuf>,
}

/// A run as its reference shows it.
#[derive(Default)]
pub struct Compared {
    /// What the work takes on one thread.
    pub reference: Option<Reference>,
    /// What each construct costs more than on one thread.
    pub costs: Option<SerialCosts>,
    /// What the report says about it.
    pub note: Option<String>,
}

impl Options {
    /// Compares an experiment with the reference that the options name, or else with its own.
    ///
    /// # Errors
    /// Why the reference that the options name cannot be used.
    pub fn compare(&self, experiment: &Experiment) -> Result<Compared> {
        let Some(folder) = &self.serial else { return Ok(Compared::with_its_own(experiment)) };
        if is_same(folder, &experiment.folder) {
            bail!("--serial {}: this is the experiment itself", shown(folder));
        }
        Compared::new(experiment, folder).with_context(|| {
            format!("--serial {}: no reference for {}", shown(folder), shown(&experiment.folder))
        })
    }
}

fn is_same(one: &Path, other: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    real(one).is_some_and(|path| real(other) == Some(path))
}

impl Compared {
    /// With the reference run that the experiment has; a problem with it is a note.
    pub fn with_its_own(experiment: &Experiment) -> Self {
        let folder = experiment.folder.join(FOLDER);
        if !folder.is_dir() {
            return Self::default();
        }
        Self::new(experiment, &folder).unwrap_or_else(|error| {
            let why = failure::message(&error);
            let name = shown_name(&folder);
            let note = format!("The reference run {name} cannot be used: {why}.");
            Self { note: Some(note), ..Self::default() }
        })
    }

    fn new(experiment: &Experiment, folder: &Path) -> Result<Self> {
        let serial = experiment::open(folder, Damaged::default())?;
        let reference = Reference::new(run_of(experiment), run_of(&serial))?;
        let seconds =
            |cube: &Cube| pompeii_analysis::format::seconds(cube.clock.seconds(cube.wall_ticks));
        let note = format!(
            "Compared with a run on one thread, which took {}: {}.",
            seconds(&serial.cube),
            shown_name(folder)
        );
        let costs = Some(SerialCosts::new(&experiment.cube, &serial.cube, &reference));
        Ok(Self { reference: Some(reference), costs, note: Some(note) })
    }
}

fn run_of(experiment: &Experiment) -> Run<'_> {
    let not_on_cpu_ns = experiment.manifest.as_ref().and_then(cpus::not_on_cpu_ns);
    Run { cube: &experiment.cube, not_on_cpu_ns }
}

/// Runs the command again with one thread, in `EXP/reference`. Its output is discarded. A
/// failure is a message and does not change the first run's result.
pub fn run(experiment: &Path, command: &[OsString], recording: &Recording, first: &RunInfo) {
    if first.signal.is_some() {
        return say("note: there is no reference run, because the program did not end by itself");
    }
    let _progress = Progress::of("running the program again on one thread".to_owned());
    let folder = experiment.join(FOLDER);
    if let Err(error) = try_run(&folder, command, recording, first) {
        // Otherwise a report would compare with a run that did something else.
        let _ = fs::remove_dir_all(&folder);
        let why = failure::message(&error);
        say(format!("note: there is no reference run: {why}"));
    }
}

fn try_run(
    folder: &Path,
    words: &[OsString],
    recording: &Recording,
    first: &RunInfo,
) -> Result<()> {
    let mut info = RunInfo { machine: None, pid: None, ..first.clone() };
    for (name, value) in VARIABLES {
        info.environment.insert(name.to_owned(), value.to_owned());
    }
    let made = match NewExperiment::make(Some(folder.to_owned()), false, &info)? {
        Made::Here(made) => made,
        Made::Nowhere(why) => bail!(why),
    };
    let signals = child::outlive_signals().context("cannot watch signals")?;
    let before = Moment::now();
    let started = start(&made.folder, words, recording).spawn();
    let mut program = started.with_context(|| format!("cannot run `{}`", quoted(&words[0])))?;
    let status = child::wait(&mut program, signals).context("cannot wait for the program")?;
    info.pid = Some(program.id());
    info.machine = Some(before.until_now());
    info.exit_code = status.code();
    if info.exit_code != first.exit_code {
        bail!("on one thread the program ended with {status}");
    }
    if launcher::is_launcher(&words[0]) {
        child::wait_for_processes(&made.folder, &info);
    }
    match pompeii_finish::finish(&made.folder, &info)? {
        Some(_) => Ok(()),
        None => {
            made.remove_unused();
            bail!("on one thread nothing of the program was measured")
        }
    }
}

/// What makes a program run on one thread.
const VARIABLES: [(&str, &str); 1] = [("OMP_NUM_THREADS", "1")];

fn start(folder: &Path, words: &[OsString], recording: &Recording) -> Command {
    let mut command = Command::new(&words[0]);
    command.env("POMPEII_EXPERIMENT", folder).env("POMPEII_QUIET", "1").env("POMPEII_TRACE", "0");
    command.envs(VARIABLES);
    recording.set(&mut command);
    launcher::add_words(&mut command, words);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

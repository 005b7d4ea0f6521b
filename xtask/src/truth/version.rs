//! Versions of a program: faulty, repaired, advised, and measured. How each is compiled, and how it
//! is started.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};

use super::header::{self, Chosen, Setting};
use super::program::{Language, Program};
use super::surroundings::Surroundings;

/// Variables that would make versions do something else than the head says.
const CLEARED_PREFIXES: [&str; 5] = ["OMP_", "GOMP_", "POMPEII_", "SCOREP_", "OMPI_"];

/// In all versions functions and loops begin at a cache line. Otherwise chance decides whether a
/// short loop lies in one cache line or in two, since the versions have different code before it.
/// Then differences of placement would count as gain or dilation: the loop of `work` in a library
/// that is not measured took twice as long in the measured version.
const PLACEMENT: [&str; 2] = ["-falign-functions=64", "-falign-loops=64"];

/// A program, what the seed has chosen for it, and where its versions are built.
pub(super) struct Workshop<'a> {
    pub(super) program: &'a Program,
    pub(super) chosen: Chosen,
    pub(super) folder: PathBuf,
}

/// What can be built of a program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Version {
    Faulty,
    Repaired,
    /// The faulty one with what the first finding advises.
    Advised(Vec<Setting>),
    /// The faulty one, compiled by `pompeii compile`.
    Measured,
}

/// How a version ended.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Run {
    /// Wall time: of the process, or what the program itself prints as `seconds: S`.
    pub(super) seconds: f64,
    /// Without the line `seconds:`.
    pub(super) output: String,
}

impl Version {
    fn name(&self) -> &'static str {
        match self {
            Self::Faulty => "faulty",
            Self::Repaired => "repaired",
            Self::Advised(_) => "advised",
            Self::Measured => "measured",
        }
    }
}

impl Workshop<'_> {
    /// Compiles a version; `compiler` comes before the compiler's name.
    pub(super) fn build(&self, version: &Version, before: &[String]) -> Result<()> {
        fs::create_dir_all(&self.folder).with_context(|| self.folder.display().to_string())?;
        let mut objects = Vec::new();
        for part in &self.program.plain {
            let object = part.with_extension("o");
            let object = object.file_name().context("a file has a name")?.to_owned();
            let mut command = Command::new("gcc");
            // Other people's libraries know nothing of this program's OpenMP.
            command.args(["-O2", "-g", "-c", "-pthread"]).args(PLACEMENT);
            command.args(self.macros(version)).arg(part);
            self.compile(command.arg("-o").arg(&object))?;
            objects.push(object);
        }
        let mut words = before.to_vec();
        words.push(self.compiler().to_owned());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).args(["-O2", "-g", "-fopenmp", "-pthread"]).args(PLACEMENT);
        // The main program comes last, since Fortran's modules must be compiled before it.
        let sources = self.program.sources.iter().rev();
        command.args(self.macros(version)).args(sources).args(objects);
        self.compile(command.args(["-o", version.name(), "-lm"]))
    }

    fn compile(&self, command: &mut Command) -> Result<()> {
        clear_environment(command);
        let output = command.current_dir(&self.folder).stdin(Stdio::null()).output();
        let output = output.with_context(|| format!("{command:?}"))?;
        let messages = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{command:?} failed:\n{messages}");
        Ok(())
    }

    fn compiler(&self) -> &'static str {
        match (self.program.language, self.chosen.ranks > 0) {
            (Language::C, false) => "gcc",
            (Language::Cxx, false) => "g++",
            (Language::Fortran, false) => "gfortran",
            (Language::C, true) => "mpicc.openmpi",
            (Language::Cxx, true) => "mpicxx.openmpi",
            (Language::Fortran, true) => "mpifort.openmpi",
        }
    }

    fn macros(&self, version: &Version) -> Vec<String> {
        let chosen = self.chosen.macros.iter();
        let mut words: Vec<String> =
            chosen.map(|(name, value)| format!("-D{name}={value}")).collect();
        let settings: &[Setting] = match version {
            Version::Repaired => {
                words.push("-DREPAIRED".to_owned());
                &self.program.header.repaired
            }
            Version::Advised(settings) => settings,
            Version::Faulty | Version::Measured => &[],
        };
        words.extend(settings.iter().filter_map(|setting| match setting {
            Setting::Argument(word) => Some(word.clone()),
            Setting::Variable(..) => None,
        }));
        words
    }

    /// The command that starts a version, `before` in front of it.
    pub(super) fn command(&self, version: &Version, before: &[String]) -> Command {
        let mut words = before.to_vec();
        if self.chosen.ranks > 0 {
            let launcher = format!("mpirun.openmpi --oversubscribe -n {}", self.chosen.ranks);
            words.extend(launcher.split(' ').map(str::to_owned));
        }
        words.push(format!("./{}", version.name()));
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]).current_dir(&self.folder).stdin(Stdio::null());
        clear_environment(&mut command);
        command.env("LC_ALL", "C").env("OMP_NUM_THREADS", self.chosen.threads.to_string());
        command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        // Ranks bind themselves to one core each otherwise, and with it all their threads.
        command.env("OMPI_MCA_hwloc_base_binding_policy", "none");
        command.env("OMPI_MCA_mpi_yield_when_idle", "1");
        // Without looking for other machines, a start takes 0.2 s less.
        command.env("OMPI_MCA_plm", "isolated");
        if !self.program.header.computes {
            // Threads that sleep leave the few cores to those that do not.
            command.env("OMP_WAIT_POLICY", "passive");
        }
        set(&mut command, &self.program.header.environment);
        match version {
            Version::Repaired => set(&mut command, &self.program.header.repaired),
            Version::Faulty | Version::Measured => set(&mut command, &self.program.header.faulty),
            Version::Advised(settings) => {
                set(&mut command, &self.program.header.faulty);
                set(&mut command, settings);
            }
        }
        command
    }

    /// What is around a version.
    pub(super) fn surroundings(&self, version: &Version) -> header::Surroundings {
        match version {
            Version::Repaired => header::Surroundings::Nothing,
            _ => self.program.header.surroundings,
        }
    }

    /// Runs a version that is not measured.
    pub(super) fn run(&self, version: &Version, surroundings: &Surroundings) -> Result<Run> {
        start(surroundings.around(self.command(version, &[])))
    }
}

/// Runs a command to its end.
pub(super) fn start(mut command: Command) -> Result<Run> {
    let begin = Instant::now();
    let output = command.output().with_context(|| format!("{command:?}"))?;
    let life = begin.elapsed().as_secs_f64();
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        bail!("{command:?}: {}\n{messages}", output.status);
    }
    Ok(timed(&String::from_utf8_lossy(&output.stdout), life))
}

/// What a program printed, and its time: starting ranks takes longer than their work, so programs
/// with MPI take the time themselves.
fn timed(stdout: &str, life: f64) -> Run {
    let mut run = Run { seconds: life, output: String::new() };
    for line in stdout.lines() {
        match line.trim().strip_prefix("seconds: ").map(|word| word.trim().parse()) {
            Some(Ok(seconds)) => run.seconds = seconds,
            _ => run.output += &format!("{line}\n"),
        }
    }
    run
}

fn clear_environment(command: &mut Command) {
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let foreign = CLEARED_PREFIXES.iter().any(|prefix| text.starts_with(prefix));
        if foreign && text != "POMPEII_HOME" {
            command.env_remove(&name);
        }
    }
}

fn set(command: &mut Command, settings: &[Setting]) {
    for setting in settings {
        if let Setting::Variable(name, value) = setting {
            command.env(name, value);
        }
    }
}

/// Puts an advised value into what the head sets for the kind; `None` where the head needs a value
/// and the advice has none.
pub(super) fn with_value(settings: &[Setting], value: Option<&str>) -> Option<Vec<Setting>> {
    let fill = |text: &String| {
        if text.contains("{value}") {
            Some(text.replace("{value}", value?))
        } else {
            Some(text.clone())
        }
    };
    settings
        .iter()
        .map(|setting| match setting {
            Setting::Argument(word) => fill(word).map(Setting::Argument),
            Setting::Variable(name, text) => {
                fill(text).map(|text| Setting::Variable(name.clone(), text))
            }
        })
        .collect()
}

/// An empty folder for a row.
pub(super) fn fresh(folder: &Path) -> Result<PathBuf> {
    let _ = fs::remove_dir_all(folder);
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    Ok(folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::program;
    use super::super::seed::Stream;
    use super::*;

    #[test]
    fn a_program_may_take_its_own_time() {
        let run = timed("sum 3\nseconds:  0.25\n", 0.9);
        assert_eq!(run, Run { seconds: 0.25, output: "sum 3\n".into() });
        assert_eq!(timed("seconds: soon\n", 0.9).seconds, 0.9);
    }

    /// A library's functions, which are the same code in all versions. Without the options one of
    /// four functions begins at a cache line by chance.
    #[test]
    fn functions_begin_at_cache_lines() {
        let programs = Program::all(&program::folder()).unwrap();
        let program = programs.iter().find(|program| program.name == "library_threads").unwrap();
        let chosen = program.header.choose(&mut Stream::new(1, &program.name));
        let folder = tempfile::tempdir().unwrap();
        let workshop = Workshop { program, chosen, folder: folder.path().to_owned() };
        workshop.build(&Version::Faulty, &[]).unwrap();
        let output = Command::new("nm").arg(folder.path().join("faulty")).output().unwrap();
        let symbols = String::from_utf8(output.stdout).unwrap();
        for name in ["take_part", "library_solve", "main._omp_fn.0"] {
            let line = symbols.lines().find(|line| line.ends_with(&format!(" {name}")));
            let address = line.and_then(|line| line.split(' ').next()).unwrap();
            let address = u64::from_str_radix(address, 16).unwrap();
            assert_eq!(address % 64, 0, "{name} at {address:#x}");
        }
    }

    #[test]
    fn advised_values_are_put_in() {
        let variable = |text: &str| Setting::Variable("OMP_SCHEDULE".into(), text.into());
        let template = [variable("{value}")];
        assert_eq!(with_value(&template, Some("dynamic,4")), Some(vec![variable("dynamic,4")]));
        assert_eq!(with_value(&template, None), None);
        let argument = [Setting::Argument("-DMERGED".into())];
        assert_eq!(with_value(&argument, None), Some(argument.to_vec()));
    }
}

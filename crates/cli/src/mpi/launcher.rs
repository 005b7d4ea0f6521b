//! How a program that starts the processes of an MPI job is told to hand our variables on, also to
//! other hosts, and to load the wrappers of MPI into programs that were not linked with them: into
//! the program alone, not into launchers and shells.

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use super::{Mpi, wrappers};
use crate::executables::executable;
use crate::output::say;

/// Where Open MPI's launcher is told what to hand on, once somebody has begun with that.
const ENV_LIST: &str = "OMPI_MCA_mca_base_env_list";
/// Variables that a batch system sets in its jobs.
const JOBS: [&str; 4] = ["SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID"];

/// How names of MPI libraries begin; the last is that of the standard's ABI.
const LIBRARIES: [&str; 3] = ["libmpi.so.", "libmpich.so.", "libmpi_abi.so."];

/// Where launchers say how many processes they have started together.
const SIZES: [&str; 3] = ["OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"];

/// How a program begins that the system loads itself.
const ELF: &[u8] = b"\x7fELF";

/// Who starts the processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Launcher {
    OpenMpi,
    /// MPICH's and what is made of it.
    Hydra,
    Slurm,
}

/// Whether a program starts the processes of a job. Where one of them is ended by force, the
/// launcher may be gone before they are.
pub fn is_launcher(program: &OsStr) -> bool {
    let known = ["srun", "mpirun", "mpiexec", "orterun", "prterun"];
    known.iter().any(|known| base_name(program).as_bytes().starts_with(known.as_bytes()))
}

fn base_name(program: &OsStr) -> &OsStr {
    Path::new(program).file_name().unwrap_or(program)
}

/// Whether this is one of several processes that a launcher has started.
pub fn is_one_of_many() -> bool {
    let size = |name| env::var(name).ok()?.parse::<u32>().ok();
    SIZES.into_iter().filter_map(size).any(|size| size > 1)
}

impl Launcher {
    fn of(program: &OsStr) -> Option<Self> {
        if base_name(program) == "srun" {
            return Some(Self::Slurm);
        }
        if !is_launcher(program) {
            return None;
        }
        let said = Command::new(program).arg("--version").output().ok()?;
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        let says = |words: &[&str]| words.iter().any(|word| said.contains(word));
        match () {
            () if says(&["Open MPI", "OpenRTE", "PRRTE"]) => Some(Self::OpenMpi),
            () if says(&["HYDRA", "Intel(R) MPI"]) => Some(Self::Hydra),
            () => None,
        }
    }
}

/// Adds the words of the user's command behind the program, and what hands our variables on; those
/// of `command` are set already.
pub fn add_words(command: &mut Command, words: &[OsString]) {
    let Some((program, rest)) = words.split_first() else { return };
    let launcher = Launcher::of(program);
    let preloaded = preload(program, rest, launcher.is_some());
    let ours = ours(command);
    match launcher {
        None => {
            if let Some(library) = preloaded {
                command.env("LD_PRELOAD", library);
            }
            command.args(rest);
        }
        Some(launcher) => {
            let list = env::var_os(ENV_LIST);
            let handed = hand_on(launcher, &ours, preloaded.as_deref(), rest, list.as_deref());
            command.args(handed.words);
            command.envs(handed.list.map(|list| (ENV_LIST, list)));
        }
    }
}

/// Our variables, by name, with their values.
fn ours(command: &Command) -> Vec<(OsString, OsString)> {
    let inherited = env::vars_os();
    let set = command.get_envs().filter_map(|(name, value)| Some((name.into(), value?.into())));
    let is_ours = |name: &OsString| {
        [&b"POMPEII_"[..], b"SCOREP_"].iter().any(|prefix| name.as_bytes().starts_with(prefix))
    };
    let mut all: Vec<(OsString, OsString)> =
        inherited.filter(|(name, _)| is_ours(name)).chain(set).collect();
    // The value that was set last counts.
    all.reverse();
    all.sort_by(|(one, _), (other, _)| one.cmp(other));
    all.dedup_by(|(one, _), (other, _)| one == other);
    all
}

/// What a launcher gets.
#[derive(Debug, Default, PartialEq, Eq)]
struct Handed {
    /// Its words, the user's last.
    words: Vec<OsString>,
    /// A new value for [`ENV_LIST`].
    list: Option<OsString>,
}

fn hand_on(
    launcher: Launcher,
    ours: &[(OsString, OsString)],
    preload: Option<&OsStr>,
    rest: &[OsString],
    list: Option<&OsStr>,
) -> Handed {
    let assignment = preload.map(|library| joined([OsStr::new("LD_PRELOAD"), library], "="));
    let names = ours.iter().map(|(name, _)| name.clone());
    let mut handed = Handed::default();
    match launcher {
        // The two ways exclude each other; options of the user's come later, and count.
        Launcher::OpenMpi if rest.iter().any(|word| contains(word.as_bytes(), OPTION)) => {}
        Launcher::OpenMpi => match list {
            Some(list) => {
                let all = std::iter::once(list.to_owned()).chain(names).chain(assignment);
                handed.list = Some(joined(all, ";"));
            }
            None => {
                let all = names.chain(assignment);
                handed.words.extend(all.flat_map(|one| [OsString::from("-x"), one]));
            }
        },
        Launcher::Hydra => {
            let library = preload.map(|library| (OsString::from("LD_PRELOAD"), library.to_owned()));
            for (name, value) in ours.iter().cloned().chain(library) {
                handed.words.extend([OsString::from("-genv"), name, value]);
            }
        }
        Launcher::Slurm => return slurm(names.chain(assignment), rest),
    }
    handed.words.extend_from_slice(rest);
    handed
}

/// The parameter of Open MPI that [`ENV_LIST`] sets, in its options.
const OPTION: &[u8] = b"mca_base_env_list";

/// `srun` takes the last `--export` alone: what the user exports has ours behind it.
fn slurm(ours: impl Iterator<Item = OsString>, rest: &[OsString]) -> Handed {
    let ours = joined(ours, ",");
    let mut words = rest.to_vec();
    match words.iter_mut().find(|word| word.as_bytes().starts_with(b"--export=")) {
        Some(word) => *word = joined([&*word, &ours], ","),
        None => words.insert(0, joined([OsStr::new("--export=ALL"), &ours], ",")),
    }
    Handed { words, list: None }
}

fn joined<S: AsRef<OsStr>>(parts: impl IntoIterator<Item = S>, separator: &str) -> OsString {
    let mut all = OsString::new();
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            all.push(separator);
        }
        all.push(part);
    }
    all
}

/// What the program has to load: the wrappers of its MPI library, where it has one and was not
/// linked with them, in front of what is loaded already. Where they cannot be had, that is said.
fn preload(program: &OsStr, rest: &[OsString], launched: bool) -> Option<OsString> {
    // Values of a launcher's options may be files that can be executed, too: a remote shell.
    let with_needs = |path: PathBuf| needed(&path, launched).map(|needs| (path, needs));
    let (application, Needed { library, wrapped }) = match launched {
        true => rest
            .iter()
            .filter(|word| !word.as_bytes().starts_with(b"-"))
            .filter_map(executable)
            .find_map(with_needs),
        false => executable(program).and_then(with_needs),
    }?;
    let others = env::var_os("LD_PRELOAD").filter(|others| !others.is_empty());
    // A tool that is loaded before everything else calls MPI itself: it has to come behind us.
    if wrapped && others.is_none() {
        return None;
    }
    match wrappers_of(&application, &library) {
        Ok(found) => Some(joined(std::iter::once(found.into_os_string()).chain(others), ":")),
        Err(error) => {
            say(format!("warning: MPI is not observed: {error:#}"));
            None
        }
    }
}

/// What a program is linked with, itself or by way of other libraries.
struct Needed {
    /// Name of the MPI library.
    library: Vec<u8>,
    /// Whether the wrappers are among the others.
    wrapped: bool,
}

fn needed(application: &Path, launched: bool) -> Option<Needed> {
    let text = std::fs::read(application).ok()?;
    // Nothing can be put in front of what is in the program itself.
    if contains(&text, wrappers::OBJECT.as_bytes()) {
        return None;
    }
    if let Some(library) = mpi_library(&text) {
        return Some(Needed { library, wrapped: contains(&text, wrappers::NAME.as_bytes()) });
    }
    // Where the processes of a job are started, it may be libraries that call MPI.
    if !launched || !text.starts_with(ELF) {
        return None;
    }
    let names = libraries_of(application)?;
    let names: Vec<&str> =
        names.lines().filter_map(|line| line.split_whitespace().next()).collect();
    let is_mpi = |name: &&&str| LIBRARIES.iter().any(|library| name.starts_with(library));
    let library = names.iter().find(is_mpi)?.as_bytes().to_vec();
    Some(Needed { library, wrapped: names.contains(&wrappers::NAME) })
}

/// The MPI library that a program or a library needs: names of libraries stand in it as text.
fn mpi_library(text: &[u8]) -> Option<Vec<u8>> {
    if !text.starts_with(ELF) {
        return None;
    }
    let at = LIBRARIES.iter().find_map(|name| memchr::memmem::find(text, &named(name)))?;
    text[at + 1..].split(|&byte| byte == 0).next().map(<[u8]>::to_vec)
}

/// A name behind the end of another.
fn named(name: &str) -> Vec<u8> {
    [b"\0", name.as_bytes()].concat()
}

fn contains(text: &[u8], what: &[u8]) -> bool {
    memchr::memmem::find(text, what).is_some()
}

/// The wrappers for this library: of a compiler in PATH, made where this is no job on a compute
/// node, else any that have been made. Libraries of several makers have the same name, with
/// functions that others do not have: those of the file that the program loads come first.
fn wrappers_of(application: &Path, library: &[u8]) -> Result<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let in_job = JOBS.iter().any(|name| env::var_os(name).is_some());
    let fits = |made: &PathBuf| std::fs::read(made).is_ok_and(|text| contains(&text, library));
    let of_compilers =
        Mpi::installed(env::split_paths(&path)).into_iter().filter_map(|mpi| match in_job {
            true => wrappers::known(&mpi).ok().flatten(),
            false => wrappers::library(&mpi).ok(),
        });
    let name = String::from_utf8_lossy(library).into_owned();
    let (of_program, mut first) = (loaded(application, &name), None);
    for made in of_compilers.chain(wrappers::all()).filter(fits) {
        if of_program.is_some() && loaded(&made, &name) == of_program {
            return Ok(made);
        }
        first.get_or_insert(made);
    }
    match first {
        Some(made) => Ok(made),
        None => bail!(
            "there are no wrappers for {name}; link with `pompeii compile -- mpicc ...`, or call \
             `pompeii doctor --build-mpi` where its mpicc is in PATH"
        ),
    }
}

/// The libraries that are loaded with a file, as the system's tool says, which has its place even
/// where PATH does not lead to it.
fn libraries_of(file: &Path) -> Option<String> {
    let list = |tool: &str| Command::new(tool).arg(file).output().ok();
    let output = ["ldd", "/usr/bin/ldd"].into_iter().find_map(list)?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The file that is loaded as this library with a program or with wrappers.
fn loaded(file: &Path, library: &str) -> Option<PathBuf> {
    let listed = libraries_of(file)?;
    let line = listed.lines().find(|line| line.trim_start().starts_with(library))?;
    PathBuf::from(line.split_whitespace().nth(2)?).canonicalize().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(launcher: Launcher, rest: &str, list: Option<&str>, expected: Expect) {
        let ours = [("POMPEII_EXPERIMENT", "/e x"), ("POMPEII_TRACE", "1")];
        let ours = ours.map(|(name, value)| (name.into(), value.into()));
        let rest: Vec<OsString> = rest.split(' ').map(OsString::from).collect();
        let preload = Some(OsStr::new("/w.so:/other.so"));
        let handed = hand_on(launcher, &ours, preload, &rest, list.map(OsStr::new));
        let (words, list) = (joined(handed.words, " "), handed.list.unwrap_or_default());
        expected.assert_eq(&format!("{}\n{}", words.display(), list.display()));
    }

    #[test]
    fn each_launcher_is_told_in_its_way() {
        check(
            Launcher::OpenMpi,
            "-n 4 ./a",
            None,
            expect![[r#"
            -x POMPEII_EXPERIMENT -x POMPEII_TRACE -x LD_PRELOAD=/w.so:/other.so -n 4 ./a
        "#]],
        );
        check(
            Launcher::OpenMpi,
            "-n 4 ./a",
            Some("FOO;BAR=1"),
            expect![[r#"
            -n 4 ./a
            FOO;BAR=1;POMPEII_EXPERIMENT;POMPEII_TRACE;LD_PRELOAD=/w.so:/other.so"#]],
        );
        let own = "--mca mca_base_env_list FOO -n 4 ./a";
        check(
            Launcher::OpenMpi,
            own,
            None,
            expect![[r#"
            --mca mca_base_env_list FOO -n 4 ./a
        "#]],
        );
        check(
            Launcher::Hydra,
            "-n 4 ./a",
            None,
            expect![[r#"
            -genv POMPEII_EXPERIMENT /e x -genv POMPEII_TRACE 1 -genv LD_PRELOAD /w.so:/other.so -n 4 ./a
        "#]],
        );
        check(
            Launcher::Slurm,
            "-n 4 ./a",
            None,
            expect![[r#"
            --export=ALL,POMPEII_EXPERIMENT,POMPEII_TRACE,LD_PRELOAD=/w.so:/other.so -n 4 ./a
        "#]],
        );
        check(
            Launcher::Slurm,
            "-n 4 --export=FOO ./a",
            None,
            expect![[r#"
            -n 4 --export=FOO,POMPEII_EXPERIMENT,POMPEII_TRACE,LD_PRELOAD=/w.so:/other.so ./a
        "#]],
        );
    }

    #[test]
    fn programs_say_which_mpi_they_need() {
        let of =
            |text: &[u8]| mpi_library(text).map(|name| String::from_utf8_lossy(&name).into_owned());
        assert_eq!(of(b"\x7fELF..\0libm.so.6\0libmpi.so.40\0").as_deref(), Some("libmpi.so.40"));
        assert_eq!(of(b"\x7fELF..\0libmpich.so.12\0").as_deref(), Some("libmpich.so.12"));
        assert_eq!(of(b"\x7fELF..\0libmpi_abi.so.1\0").as_deref(), Some("libmpi_abi.so.1"));
        assert_eq!(
            (of(b"\x7fELF..\0libmpi_mpifh.so.40\0"), of(b"#!/bin/sh libmpi.so.1")),
            (None, None)
        );
    }
}

//! How a program that starts the processes of an MPI job gets our variables and hands them on, also
//! to other hosts, and which libraries the program itself loads ([`preload`]).

use std::env;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::Command;

use crate::preload::{self, Preload};
use crate::starters;

/// The list of variables that Open MPI's launcher hands on. If the user has set it, ours are added.
const ENV_LIST: &str = "OMPI_MCA_mca_base_env_list";

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

/// Adds the words of the user's command after the program, and what hands our variables on; those
/// of `command` are set already.
pub fn add_words(command: &mut Command, words: &[OsString]) {
    let Some((program, rest)) = words.split_first() else { return };
    let launcher = Launcher::of(program);
    let ours = ours(command);
    let is_on = |wanted: &str| {
        ours.iter().any(|(name, value)| name == wanted && !value.is_empty() && value != "0")
    };
    let preloaded = preload::preload(&preload::Command {
        program,
        rest,
        is_launcher: launcher.is_some(),
        has_samples: !ours.iter().any(|(name, value)| name == "POMPEII_SAMPLE" && value == "0"),
        has_files: is_on("POMPEII_IO"),
        has_threads: is_on("POMPEII_PTHREADS"),
    });
    match launcher {
        None => {
            if let Some(Preload { libraries, named }) = preloaded {
                command.env("LD_PRELOAD", libraries);
                command.envs(named.map(|file| (preload::NAMED, file)));
                starters::prepare(command, program);
            }
            command.args(rest);
        }
        Some(launcher) => {
            let list = env::var_os(ENV_LIST);
            let libraries = preloaded.map(|preload| preload.libraries);
            let handed = hand_on(launcher, &ours, libraries.as_deref(), rest, list.as_deref());
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
        Launcher::OpenMpi if rest.iter().any(|word| sets_list(word)) => {}
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

/// Whether an option of Open MPI sets the parameter that [`ENV_LIST`] sets.
fn sets_list(word: &OsStr) -> bool {
    memchr::memmem::find(word.as_bytes(), b"mca_base_env_list").is_some()
}

/// `srun` takes the last `--export` alone: ours follow what the user exports.
fn slurm(ours: impl Iterator<Item = OsString>, rest: &[OsString]) -> Handed {
    let ours = joined(ours, ",");
    let mut words = rest.to_vec();
    match words.iter_mut().find(|word| word.as_bytes().starts_with(b"--export=")) {
        Some(word) => *word = joined([&*word, &ours], ","),
        None => words.insert(0, joined([OsStr::new("--export=ALL"), &ours], ",")),
    }
    Handed { words, list: None }
}

/// The parts as one word.
pub fn joined<S: AsRef<OsStr>>(parts: impl IntoIterator<Item = S>, separator: &str) -> OsString {
    let mut all = OsString::new();
    for (index, part) in parts.into_iter().enumerate() {
        if index > 0 {
            all.push(separator);
        }
        all.push(part);
    }
    all
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
}

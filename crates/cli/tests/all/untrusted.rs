//! What another user of the machine can do to a compilation: plant folders, links and libraries
//! where temporary files are. Two users are needed, so these tests need root.

use std::fs::{self, Permissions};
use std::io::Write;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use pompeii_testing::copy_program;

use crate::common::{Ended, LOOP, Sandbox, oracles};

const ATTACKER: u32 = 54_321;
const VICTIM: u32 = 54_322;

/// A folder that all can write to, as `/tmp` is, and one of the victim's.
struct Machine {
    sandbox: Sandbox,
}

impl Machine {
    /// `None` without root, loudly.
    fn new(test: &str) -> Option<Self> {
        let sandbox = Sandbox::new();
        if fs::metadata(sandbox.path("")).unwrap().uid() != 0 {
            // Not captured, as what `println` writes is.
            let _ = writeln!(std::io::stderr(), "SKIPPED: {test} needs root, to act as two users");
            return None;
        }
        with_mode(&sandbox.path(""), 0o755);
        let machine = Self { sandbox };
        for (folder, mode, owner) in [("shared", 0o1777, 0), ("home", 0o700, VICTIM)] {
            let path = machine.path(folder);
            fs::create_dir(&path).unwrap();
            with_mode(&path, mode);
            chown(&path, Some(owner), Some(owner)).unwrap();
        }
        // Where others cannot get to the tree that it was built in.
        copy_program(env!("CARGO_BIN_EXE_pompeii"), &machine.path("pompeii"));
        fs::write(machine.path("home/loop.c"), LOOP).unwrap();
        Some(machine)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.sandbox.path(name)
    }

    /// The victim runs a line of shell without HOME in a folder of its own.
    fn victim(&self, line: &str) -> Ended {
        let mut command = as_user(VICTIM);
        command.args(["sh", "-c", line]).current_dir(self.path("home"));
        command.env_clear().env("PATH", std::env::var("PATH").unwrap());
        command.env("TMPDIR", self.path("shared")).env("POMPEII", self.path("pompeii"));
        command.env("OMP_NUM_THREADS", "2");
        Ended::of(command.output().unwrap())
    }

    /// The same, which must succeed.
    fn succeeds(&self, line: &str) -> Ended {
        let ended = self.victim(line);
        assert_eq!(ended.code, Some(0), "{line}\n{}{}", ended.output, ended.messages);
        ended
    }

    fn attacker(&self, line: &str) {
        let mut command = as_user(ATTACKER);
        command.args(["sh", "-c", line]).current_dir(self.path("shared"));
        assert!(command.status().unwrap().success(), "{line}");
    }

    /// Everything below a folder is now the attacker's, and begins with another byte.
    fn plant(&self, folder: &Path) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                self.plant(&path);
            } else {
                let mut bytes = fs::read(&path).unwrap();
                bytes[0] ^= 1;
                fs::write(&path, bytes).unwrap();
                chown(&path, Some(ATTACKER), Some(ATTACKER)).unwrap();
            }
        }
        chown(folder, Some(ATTACKER), Some(ATTACKER)).unwrap();
        with_mode(folder, 0o755);
    }

    /// The folder of the runtime library that the victim takes.
    fn library(&self) -> PathBuf {
        PathBuf::from(self.succeeds("$POMPEII config --libdir").output.trim_end())
    }
}

fn as_user(user: u32) -> Command {
    let mut command = Command::new("setpriv");
    command.arg(format!("--reuid={user}")).arg(format!("--regid={user}"));
    command.args(["--clear-groups", "--"]);
    command
}

fn with_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn is_of_the_victim_alone(folder: &Path) {
    let entry = fs::symlink_metadata(folder).unwrap();
    assert!(entry.is_dir(), "{}", folder.display());
    assert_eq!((entry.uid(), entry.mode() & 0o7777), (VICTIM, 0o700), "{}", folder.display());
}

#[test]
fn a_folder_of_another_user_is_not_compiled_in() {
    let Some(machine) = Machine::new("a_folder_of_another_user_is_not_compiled_in") else { return };
    let precious = machine.path("home/precious");
    fs::write(&precious, "kept").unwrap();
    chown(&precious, Some(VICTIM), Some(VICTIM)).unwrap();
    machine.attacker(&format!(
        "umask 0; mkdir -p .pompeii-loop/0; ln -s {0} .pompeii-loop/0/loop.c; \
         ln -s {0} .pompeii-loop/arguments",
        precious.display()
    ));
    machine.succeeds("$POMPEII compile --strict -- gcc -fopenmp loop.c -o $TMPDIR/loop");
    machine.succeeds(
        "echo '-fopenmp loop.c' >words; $POMPEII compile --strict -- gcc @words -o $TMPDIR/loop",
    );
    assert_eq!(fs::read_to_string(&precious).unwrap(), "kept");
    let planted = fs::read_link(machine.path("shared/.pompeii-loop/0/loop.c")).unwrap();
    assert_eq!(planted, precious);
    machine.succeeds("$TMPDIR/loop >out; test $(cat out) = 4950");
}

#[test]
fn a_link_of_another_user_is_not_compiled_in() {
    let Some(machine) = Machine::new("a_link_of_another_user_is_not_compiled_in") else { return };
    let own = machine.path("home/own");
    fs::create_dir(&own).unwrap();
    fs::write(own.join("file"), "kept").unwrap();
    chown(&own, Some(VICTIM), Some(VICTIM)).unwrap();
    symlink(&own, machine.path("shared/.pompeii-loop.o")).unwrap();
    machine.succeeds("$POMPEII compile --strict -- gcc -fopenmp -c loop.c -o $TMPDIR/loop.o");
    let names = fs::read_dir(&own).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), ["file"]);
}

#[test]
fn sources_are_not_kept_in_a_folder_of_another_user() {
    let test = "sources_are_not_kept_in_a_folder_of_another_user";
    let Some(machine) = Machine::new(test) else { return };
    machine.attacker("umask 0; mkdir -p keep/loop.o");
    let refused =
        machine.victim("$POMPEII compile --keep $TMPDIR/keep -- gcc -fopenmp -c loop.c -o loop.o");
    assert_eq!(refused.code, Some(2), "{}", refused.messages);
    refused.says("/keep/loop.o belongs to another user");
}

#[test]
fn a_planted_library_is_not_linked() {
    let Some(machine) = Machine::new("a_planted_library_is_not_linked") else { return };
    let known = machine.library();
    is_of_the_victim_alone(&known);
    let original = fs::read(known.join("libpomp.a")).unwrap();
    assert_eq!(machine.library(), known, "a safe folder is used again");
    machine.plant(&machine.path("shared"));
    chown(machine.path("shared"), Some(0), Some(0)).unwrap();
    with_mode(&machine.path("shared"), 0o1777);
    let ended = machine.succeeds("$POMPEII compile --strict -- gcc -fopenmp loop.c -o loop");
    ended.says("belongs to the user with number 54321");
    ended.says("set POMPEII_HOME");
    let fresh = machine.library();
    assert!(fresh != known && fresh.starts_with(machine.path("shared")), "{}", fresh.display());
    is_of_the_victim_alone(&fresh);
    assert!(fs::read(fresh.join("libpomp.a")).unwrap() == original);
    machine.succeeds("./loop >out; test $(cat out) = 4950");
}

#[test]
fn a_damaged_library_is_replaced() {
    let Some(machine) = Machine::new("a_damaged_library_is_replaced") else { return };
    let library = machine.library().join("libpomp.a");
    let original = fs::read(&library).unwrap();
    // The same length.
    fs::write(&library, vec![b'x'; original.len()]).unwrap();
    machine.succeeds("$POMPEII compile --strict -- gcc -fopenmp loop.c -o loop");
    assert!(fs::read(&library).unwrap() == original);
}

/// A home, or a folder that the user has named, that others can write to.
#[test]
fn a_library_in_a_folder_that_others_can_write_to_is_not_linked() {
    let test = "a_library_in_a_folder_that_others_can_write_to_is_not_linked";
    let Some(machine) = Machine::new(test) else { return };
    machine.succeeds("chmod 755 .; mkdir open; chmod 777 open");
    for variable in ["HOME", "POMPEII_HOME"] {
        let line = format!("{variable}=$PWD/open $POMPEII config --libdir");
        let ended = machine.succeeds(&line);
        let folder = PathBuf::from(ended.output.trim_end());
        assert!(folder.starts_with(machine.path("shared")), "{line}: {}", folder.display());
        is_of_the_victim_alone(&folder);
    }
    let line = "POMPEII_HOME=$PWD/open $POMPEII config --libdir";
    machine.succeeds(line).says("/home/open (its mode is 777)");
}

#[test]
fn planted_wrappers_of_mpi_are_not_linked() {
    if !oracles() {
        return;
    }
    let Some(machine) = Machine::new("planted_wrappers_of_mpi_are_not_linked") else { return };
    fs::write(
        machine.path("home/mpi.c"),
        "#include <mpi.h>\nint main(int n, char **v) { MPI_Init(&n, &v); return MPI_Finalize(); }\n",
    )
    .unwrap();
    let link = "$POMPEII compile -- mpicc mpi.c -o mpi";
    let made = machine.succeeds(link).messages;
    assert!(!made.contains("warning"), "{made}");
    let folder = machine.path(&format!("shared/pompeii-{VICTIM}/mpi"));
    let key = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let is_in_program = || {
        let program = fs::read(machine.path("home/mpi")).unwrap();
        let name = key.display().to_string();
        program.windows(name.len()).any(|window| window == name.as_bytes())
    };
    assert!(is_in_program());
    machine.plant(&folder);
    machine.succeeds(link).says("belongs to the user with number 54321");
    assert!(!is_in_program());
}

//! Programs that have more rights than whoever starts them: set-user-id, set-group-id, with file
//! capabilities. The environment is a stranger's, so the library reads none of it, measures nothing
//! and writes nothing. Needs root, for two other users.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::{Ended, Sandbox};

/// Who owns the program and the secret, and who starts the program.
const OWNER: u32 = 64_001;
const STRANGER: u32 = 64_002;

const PROGRAM: &str = r#"
#include <stdio.h>
#include <sys/auxv.h>
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp critical
  ;
#pragma omp inst begin(work)
#pragma omp inst end(work)
  printf("privileged: %lu\n", getauxval(AT_SECURE));
  return 3;
}
"#;

/// A folder that everybody may enter and write to, on a file system that knows set-user-id.
struct Open {
    sandbox: Sandbox,
    program: PathBuf,
    secret: PathBuf,
}

fn mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

impl Open {
    /// `None` without root, which is said.
    fn new() -> Option<Self> {
        let sandbox = Sandbox::new();
        let (program, secret) = (sandbox.path("program"), sandbox.path("secret"));
        fs::write(&secret, "TOPSECRET word\n").unwrap();
        mode(&secret, 0o600);
        if chown(&secret, Some(OWNER), Some(OWNER)).is_err() {
            println!("NOT RUN: only root can act as two other users");
            return None;
        }
        sandbox.compile("program", PROGRAM);
        mode(&sandbox.path("."), 0o777);
        Some(Self { sandbox, program, secret })
    }

    /// Runs the program as the stranger, who asks for a measurement in all ways that there are.
    fn run(&self) -> Ended {
        let stranger = STRANGER.to_string();
        let mut setpriv = Command::new("setpriv");
        setpriv.args(["--reuid", &stranger, "--regid", &stranger, "--clear-groups"]);
        setpriv.arg(&self.program).current_dir(self.sandbox.path("."));
        for name in ["POMPEII_EXPERIMENT", "SCOREP_EXPERIMENT_DIRECTORY"] {
            setpriv.env(name, self.sandbox.path("experiment"));
        }
        let files = ["POMPEII_FILTER", "SCOREP_FILTERING_FILE", "POMPEII_SELECT"];
        for name in files.into_iter().chain(["SCOREP_SELECTIVE_CONFIG_FILE"]) {
            setpriv.env(name, &self.secret);
        }
        setpriv.env("POMPEII_LIVE_DIR", self.sandbox.path("live"));
        setpriv.env("POMPEII_METRICS", "nonsense").env("POMPEII_WINDOW", "nonsense");
        setpriv.env_remove("LD_LIBRARY_PATH");
        Ended::of(setpriv.output().unwrap())
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.sandbox.path(".")).unwrap();
        let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
        let mut files: Vec<_> = entries.map(|entry| name(entry.unwrap())).collect();
        files.sort();
        files
    }

    /// The program runs as without us, and nothing else has happened.
    fn is_left_alone(&self, how: &str) {
        let before = self.files();
        let ended = self.run();
        if ended.output == "privileged: 0\n" {
            return println!("NOT RUN: this file system knows no {how}");
        }
        let said = (ended.code, ended.output.as_str(), ended.messages.as_str());
        assert_eq!(said, (Some(3), "privileged: 1\n", ""), "{how}");
        assert_eq!(self.files(), before, "{how}");
    }
}

/// Without more rights the stranger gets what was asked for, as far as the stranger may: so the
/// other tests can fail.
#[test]
fn a_program_with_the_rights_of_whoever_starts_it_is_measured() {
    let Some(open) = Open::new() else { return };
    let ended = open.run();
    assert_eq!((ended.code, ended.output.as_str()), (Some(3), "privileged: 0\n"));
    ended.says("Permission denied");
    assert!(open.sandbox.exists("experiment"));
}

#[test]
fn a_set_user_id_program_reads_no_variable_and_writes_nothing() {
    let Some(open) = Open::new() else { return };
    chown(&open.program, Some(OWNER), Some(OWNER)).unwrap();
    mode(&open.program, 0o4755);
    open.is_left_alone("set-user-id");
}

#[test]
fn a_set_group_id_program_reads_no_variable_and_writes_nothing() {
    let Some(open) = Open::new() else { return };
    chown(&open.program, Some(OWNER), Some(OWNER)).unwrap();
    mode(&open.program, 0o2755);
    open.is_left_alone("set-group-id");
}

#[test]
fn a_program_with_file_capabilities_reads_no_variable_and_writes_nothing() {
    let Some(open) = Open::new() else { return };
    let mut setcap = Command::new("setcap");
    let set = setcap.arg("cap_dac_read_search+ep").arg(&open.program).status();
    if !set.is_ok_and(|status| status.success()) {
        return println!("NOT RUN: setcap cannot give a program capabilities here");
    }
    open.is_left_alone("file capabilities");
}

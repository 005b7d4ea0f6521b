//! A folder of its own for each test, and `pompeii` run in it as a user would.
#![allow(dead_code, reason = "each user of this module uses its part")]

use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

pub use pompeii_testing::{oracles, silent, with_more_time};

pub struct Sandbox {
    folder: tempfile::TempDir,
}

impl Sandbox {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn file(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// `pompeii WORDS`, words separated by blanks.
    pub fn command(&self, words: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_pompeii"));
        command.args(words.split_whitespace()).current_dir(self.folder.path());
        command.env("HOME", self.folder.path()).env("OMP_NUM_THREADS", "2");
        command.env("OMP_WAIT_POLICY", "passive").env_remove("POMPEII_ENABLE");
        // A setting of these tests that `pompeii` does not know.
        command.env_remove("POMPEII_ORACLES");
        // Cargo's: it leads to the runtime library of another build.
        command.env_remove("LD_LIBRARY_PATH");
        command
    }

    pub fn pompeii(&self, words: &str) -> Ended {
        Ended::of(self.command(words).output().unwrap())
    }

    /// The same, which must succeed.
    pub fn succeeds(&self, words: &str) -> Ended {
        let ended = self.pompeii(words);
        assert_eq!(ended.code, Some(0), "pompeii {words}\n{}", ended.messages);
        ended
    }

    /// Compiles `text` as `program`, instrumented.
    pub fn compile(&self, program: &str, text: &str) {
        self.file(&format!("{program}.c"), text);
        let words = format!("compile --strict -q -- gcc -g -fopenmp {program}.c -o {program}");
        self.succeeds(&words);
    }

    pub fn exists(&self, name: &str) -> bool {
        self.path(name).exists()
    }
}

/// How a command ended.
pub struct Ended {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub output: String,
    pub messages: String,
}

impl Ended {
    pub fn of(output: Output) -> Self {
        Self {
            code: output.status.code(),
            signal: output.status.signal(),
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
            messages: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    pub fn says(&self, text: &str) {
        assert!(self.messages.contains(text), "expected `{text}` in\n{}", self.messages);
    }
}

/// Instructions of a whole run of a program in the sandbox, by callgrind, every event recorded: a
/// number that can be repeated, where times cannot. The variables come last.
pub fn instructions(sandbox: &Sandbox, words: &[&str], environment: &[(&str, &str)]) -> u64 {
    let experiment = sandbox.path("exp");
    let _ = fs::remove_dir_all(&experiment);
    fs::create_dir(&experiment).unwrap();
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(words)
        .current_dir(sandbox.path(""))
        .env("POMPEII_EXPERIMENT", &experiment)
        .env("POMPEII_GUARD", "0")
        // How often a millisecond passes differs from run to run.
        .env("POMPEII_READY", "0")
        // Cargo's: it leads to the runtime library of another build.
        .env_remove("LD_LIBRARY_PATH")
        .envs(environment.iter().copied())
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    let line = text.lines().find(|line| line.contains("Collected :")).unwrap();
    line.rsplit(' ').next().unwrap().parse().unwrap()
}

/// What the reference library's own reader finds in a trace's messages: `messages.py` says which
/// ways to look there are, and what further words they take.
pub fn messages(way: &str, trace: &Path, words: &[&str]) -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/messages.py");
    silent(Command::new("/usr/bin/python3").args([script, way]).arg(trace).args(words))
}

/// The folder of examples.
pub fn examples() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").canonicalize().unwrap()
}

pub const LOOP: &str = "#include <stdio.h>
int main(void) {
  int sum = 0;
#pragma omp parallel for reduction(+:sum)
  for (int i = 0; i < 100; i++) sum += i;
  printf(\"%d\\n\", sum);
  return 3;
}
";

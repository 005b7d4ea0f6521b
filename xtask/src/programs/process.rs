//! One child process with a time limit, its output collected through files.
//!
//! Files and not pipes, because a test of a measurement tool must survive what it looks for: a
//! grandchild that outlives its parent would keep a pipe open for ever.

use std::fs::{self, File};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

const POLL: Duration = Duration::from_millis(2);

/// How a process ended and what it wrote.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) end: End,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: String,
}

/// The end of a process, as a shell would tell it apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    Code(i32),
    Signal(i32),
    TimeLimit,
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            End::Code(code) => write!(f, "exit code {code}"),
            End::Signal(signal) => write!(f, "signal {signal}"),
            End::TimeLimit => f.write_str("no end within the time limit"),
        }
    }
}

impl Outcome {
    pub(super) fn succeeded(&self) -> bool {
        self.end == End::Code(0)
    }

    /// The end and the first lines of stderr: enough to know what to look at.
    pub(super) fn explain(&self) -> String {
        let mut text = self.end.to_string();
        for line in self.stderr.lines().filter(|line| !line.trim().is_empty()).take(8) {
            text.push_str("\n  | ");
            text.push_str(line);
        }
        text
    }
}

/// Runs `command` in `folder` with an empty stdin; `name` tells its output files apart.
pub(super) fn run(
    command: &mut Command,
    folder: &Path,
    name: &str,
    limit: Duration,
) -> Result<Outcome> {
    let stdout = folder.join(format!("{name}.stdout"));
    let stderr = folder.join(format!("{name}.stderr"));
    command
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(File::create(&stdout).with_context(|| stdout.display().to_string())?)
        .stderr(File::create(&stderr).with_context(|| stderr.display().to_string())?)
        .process_group(0);
    let mut child = command
        .spawn()
        .with_context(|| format!("cannot start {}", command.get_program().display()))?;
    let end = match wait(&mut child, limit)? {
        Some(status) => end_of(status),
        None => End::TimeLimit,
    };
    Ok(Outcome {
        end,
        stdout: fs::read(&stdout)?,
        stderr: String::from_utf8_lossy(&fs::read(&stderr)?).into_owned(),
    })
}

fn end_of(status: ExitStatus) -> End {
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Code(code),
        (None, signal) => End::Signal(signal.unwrap_or_default()),
    }
}

/// `None`: the limit has passed, and the process and all that it started are dead.
fn wait(child: &mut Child, limit: Duration) -> Result<Option<ExitStatus>> {
    let mut waited = Duration::ZERO;
    while waited < limit {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        thread::sleep(POLL);
        waited += POLL;
    }
    // The whole group: the program is a child of `pompeii run`, and it is the one that hangs.
    let group = format!("-{}", child.id());
    Command::new("kill").args(["-KILL", "--", &group]).status().context("kill")?;
    child.wait()?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, limit: Duration) -> Outcome {
        let folder = tempfile_folder();
        let outcome = run(Command::new("sh").args(["-c", script]), &folder, "test", limit);
        fs::remove_dir_all(&folder).unwrap();
        outcome.unwrap()
    }

    fn tempfile_folder() -> std::path::PathBuf {
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("pompeii-process-test-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn output_and_code_are_told_apart() {
        let outcome = check("echo out; echo err >&2; exit 3", Duration::from_secs(60));
        assert_eq!(outcome.end, End::Code(3));
        assert_eq!(outcome.stdout, b"out\n");
        assert_eq!(outcome.explain(), "exit code 3\n  | err");
    }

    #[test]
    fn a_signal_is_not_a_code() {
        assert_eq!(check("kill -TERM $$", Duration::from_secs(60)).end, End::Signal(15));
    }

    #[test]
    fn a_hanging_grandchild_ends_at_the_limit() {
        assert_eq!(check("sleep 600; true", Duration::from_millis(50)).end, End::TimeLimit);
    }
}

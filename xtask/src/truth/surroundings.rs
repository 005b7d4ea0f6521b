//! What the court puts around a program, so that it is late by no fault of its own: other processes
//! that compute, or a control group with a quota. Both end with this value.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};

use super::header;

/// The surroundings of a run, while they last.
pub(super) struct Surroundings {
    neighbours: Vec<Child>,
    group: Option<PathBuf>,
}

/// The period of a quota in microseconds, a tenth of the system's default, so that how long a run
/// takes does not depend on where in a period it begins.
const PERIOD_US: u64 = 10_000;

impl Surroundings {
    /// Makes them.
    pub(super) fn new(wanted: header::Surroundings) -> Result<Self> {
        let mut made = Self { neighbours: Vec::new(), group: None };
        match wanted {
            header::Surroundings::Nothing => {}
            header::Surroundings::Neighbours(number) => {
                for _ in 0..number {
                    let mut shell = Command::new("sh");
                    shell.args(["-c", "while :; do :; done"]).stdin(Stdio::null());
                    made.neighbours.push(shell.spawn().context("a busy neighbour")?);
                }
            }
            header::Surroundings::Quota(percent) => {
                made.group = Some(group(percent * PERIOD_US / 100)?);
            }
        }
        Ok(made)
    }

    /// `command`, or a command that starts it inside of the group.
    pub(super) fn around(&self, command: Command) -> Command {
        let Some(group) = &self.group else { return command };
        let mut shell = Command::new("sh");
        shell.args(["-c", "echo $$ > \"$0\" && exec \"$@\""]).arg(group.join("cgroup.procs"));
        shell.arg(command.get_program()).args(command.get_args());
        crate::shell::like(&command, &mut shell);
        shell
    }
}

impl Drop for Surroundings {
    fn drop(&mut self) {
        for child in &mut self.neighbours {
            // Its time counts as a child's once it has ended.
            let _ = child.kill();
            let _ = child.wait();
        }
        if let Some(group) = &self.group {
            let _ = fs::remove_dir(group);
        }
    }
}

/// Why no quota can be set here.
pub(super) fn quota_is_missing() -> Option<String> {
    let made = Surroundings::new(header::Surroundings::Quota(100));
    made.err().map(|error| format!("a control group with a quota ({error:#})"))
}

/// A group of our own with a quota: version 1 of control groups, or version 2 without it.
fn group(quota_us: u64) -> Result<PathBuf> {
    let name = format!("pompeii-truth-{}", std::process::id());
    let first = Path::new("/sys/fs/cgroup/cpu");
    let is_first = first.join("cpu.cfs_quota_us").exists();
    let group = if is_first { first } else { Path::new("/sys/fs/cgroup") }.join(name);
    fs::create_dir_all(&group).with_context(|| group.display().to_string())?;
    let settings = if is_first {
        vec![
            ("cpu.cfs_period_us", PERIOD_US.to_string()),
            ("cpu.cfs_quota_us", quota_us.to_string()),
        ]
    } else {
        vec![("cpu.max", format!("{quota_us} {PERIOD_US}"))]
    };
    for (file, text) in settings {
        let path = group.join(file);
        if let Err(error) = fs::write(&path, text) {
            let _ = fs::remove_dir(&group);
            return Err(error).with_context(|| path.display().to_string());
        }
    }
    Ok(group)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_end_with_their_value() {
        let made = Surroundings::new(header::Surroundings::Neighbours(1)).unwrap();
        let id = made.neighbours[0].id();
        assert!(Path::new(&format!("/proc/{id}")).exists());
        drop(made);
        assert!(!Path::new(&format!("/proc/{id}")).exists());
    }
}

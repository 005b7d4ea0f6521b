//! Traces of any size for benchmarks. An example of the crate `replay` writes them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

use crate::shell;

/// Writes one trace after the other into the same folder.
pub struct Writer {
    program: PathBuf,
    folder: PathBuf,
}

impl Writer {
    /// Builds the program. What is in the folder is removed.
    pub fn new(folder: &Path) -> Result<Writer> {
        let arguments = ["build", "--release", "-q", "-p", "pompeii-replay", "--example", "trace"];
        shell::run(shell::cargo().args(arguments))?;
        let program = shell::target_folder().join("release/examples/trace");
        let _ = fs::remove_dir_all(folder);
        Ok(Writer { program, folder: folder.to_owned() })
    }

    /// Writes a trace; returns its anchor and the number of its events.
    pub fn write(
        &self,
        shape: &str,
        (processes, threads): (u32, u32),
        events: u64,
    ) -> Result<(PathBuf, u64)> {
        let folder = self.folder.join("trace");
        let _ = fs::remove_dir_all(&folder);
        let numbers = [processes.into(), threads.into(), events].map(|number| number.to_string());
        let mut writer = Command::new(&self.program);
        let output = writer.arg(&folder).arg(shape).args(numbers).output().context("trace")?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let events = String::from_utf8_lossy(&output.stdout).trim().parse()?;
        Ok((folder.join("traces.otf2"), events))
    }

    /// Removes the folder.
    pub fn end(self) -> Result<()> {
        fs::remove_dir_all(&self.folder).with_context(|| self.folder.display().to_string())
    }
}

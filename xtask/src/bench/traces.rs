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
    /// Builds the program: for release, unless `POMPEII_BINARY` names what is measured. What is in
    /// the folder is removed.
    pub fn new(folder: &Path) -> Result<Writer> {
        let is_release = std::env::var_os("POMPEII_BINARY").is_none();
        let mut build = shell::cargo();
        build.args(["build", "-q", "-p", "pompeii-replay", "--example", "trace"]);
        shell::run(build.args(is_release.then_some("--release")))?;
        let profile = if is_release { "release" } else { "debug" };
        let program = shell::target_folder().join(profile).join("examples/trace");
        let _ = fs::remove_dir_all(folder);
        Ok(Writer { program, folder: folder.to_owned() })
    }

    /// Writes a trace; returns its anchor and the number of its events.
    pub fn write(&self, shape: &str, of: (u32, u32), events: u64) -> Result<(PathBuf, u64)> {
        self.write_copies(shape, of, (events, 1))
    }

    /// The same with several copies of the regions, which take turns.
    pub fn write_copies(
        &self,
        shape: &str,
        (processes, threads): (u32, u32),
        (events, copies): (u64, u64),
    ) -> Result<(PathBuf, u64)> {
        let folder = self.folder.join("trace");
        let _ = fs::remove_dir_all(&folder);
        let numbers = [processes.into(), threads.into(), events, copies];
        let mut writer = Command::new(&self.program);
        writer.arg(&folder).arg(shape).args(numbers.map(|number| number.to_string()));
        let output = writer.output().context("trace")?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let events = String::from_utf8_lossy(&output.stdout).trim().parse()?;
        Ok((folder.join("traces.otf2"), events))
    }

    /// Removes the folder.
    pub fn end(self) -> Result<()> {
        fs::remove_dir_all(&self.folder).with_context(|| self.folder.display().to_string())
    }
}

//! The folder that rewritten sources are compiled in. It stands beside what is made and is named
//! after it, so that commands that run at the same time have folders of their own, while the same
//! command has the same one in every run: a compiler cache finds it again, and output is
//! reproducible. It is gone when the command ends.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::compiler::CommandLine;

/// See above.
pub struct Workplace {
    path: PathBuf,
    /// Where nothing can be written beside the output.
    elsewhere: Option<tempfile::TempDir>,
    kept: bool,
}

impl Workplace {
    /// That of a command; below `keep`, where the user wants to see it afterwards.
    ///
    /// # Errors
    /// Where nothing can be written.
    pub fn new(line: &CommandLine, keep: Option<&Path>) -> Result<Self> {
        let made = made(line);
        if let Some(keep) = keep {
            let below: PathBuf = made.components().filter(is_name).collect();
            let path = keep.join(below);
            fs::create_dir_all(&path).with_context(|| path.display().to_string())?;
            return Ok(Self { path, elsewhere: None, kept: true });
        }
        let name = made.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let path = made.with_file_name(format!(".pompeii-{name}"));
        if !made.starts_with("/dev") && fs::create_dir_all(&path).is_ok() {
            return Ok(Self { path, elsewhere: None, kept: false });
        }
        let elsewhere = tempfile::Builder::new().prefix("pompeii-").tempdir()?;
        let path = elsewhere.path().to_owned();
        Ok(Self { path, elsewhere: Some(elsewhere), kept: false })
    }

    /// The folder of one source.
    pub fn of_source(&self, number: usize) -> PathBuf {
        self.path.join(number.to_string())
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Workplace {
    fn drop(&mut self) {
        if self.elsewhere.is_none() && !self.kept {
            let _ = fs::remove_dir_all(&self.path);
        }
    }
}

/// What the command makes: its output, else what is named after its first source.
fn made(line: &CommandLine) -> PathBuf {
    let source = line.sources.first().and_then(|source| source.path.file_name());
    match line.output() {
        Some(output) if output != "-" => PathBuf::from(output),
        _ => PathBuf::from(source.unwrap_or_else(|| "a.out".as_ref())),
    }
}

fn is_name(part: &std::path::Component) -> bool {
    matches!(part, std::path::Component::Normal(_))
}

//! Where the result of a conversion goes: to a new file, a new folder, a pipe or a device. Nothing
//! that exists is overwritten: it may be a part of the trace, or all that the user has of another
//! one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pompeii_export::Error;

use crate::output::named_file;
use crate::terminal::{cannot, shown};

/// Makes a file of this name in the folder of the result.
pub type Create<'a> = &'a mut (dyn FnMut(&str) -> io::Result<File> + Send);

/// A result that is one file, or standard output.
pub fn to_file<T>(
    output: &PathBuf,
    write: impl FnOnce(&mut Box<dyn Write + Send>) -> Result<T, Error>,
) -> Result<T> {
    let mut out = stream(output)?;
    let written = write(&mut out).and_then(|done| {
        out.flush()?;
        Ok(done)
    });
    written.with_context(|| cannot("convert to", output))
}

/// A result that is several files in a folder.
pub fn to_folder<T>(
    output: &PathBuf,
    write: impl FnOnce(Create<'_>) -> Result<T, Error>,
) -> Result<T> {
    let folder = make_folder(output)?;
    let written = write(&mut |name| File::create_new(folder.join(name)));
    written.with_context(|| cannot("convert to", output))
}

/// A result that is an archive in a new folder.
pub fn to_archive<T>(output: &PathBuf, write: impl FnOnce(&Path) -> Result<T, Error>) -> Result<T> {
    let folder = make_folder(output)?;
    write(folder).with_context(|| cannot("convert to", output))
}

fn check_new(path: &Path, expected: &str) -> Result<()> {
    if fs::metadata(path).is_ok_and(|it| it.is_file() || it.is_dir()) {
        bail!("{} exists already; expected the name of a new {expected}", shown(path));
    }
    Ok(())
}

/// A new file, a device, a pipe, or standard output.
fn stream(output: &PathBuf) -> Result<Box<dyn Write + Send>> {
    let Some(path) = named_file(Some(output)) else {
        if io::stdout().is_terminal() {
            bail!("the result is not text for a terminal; name a file: -o FILE");
        }
        return Ok(Box::new(io::stdout()));
    };
    check_new(path, "file")?;
    let mut options = OpenOptions::new();
    options.write(true);
    // A file that has come since the look is not overwritten either.
    if !path.exists() {
        options.create_new(true);
    }
    let file = options.open(path).with_context(|| cannot("write", path))?;
    Ok(Box::new(file))
}

/// A new folder.
fn make_folder(output: &PathBuf) -> Result<&Path> {
    let Some(path) = named_file(Some(output)) else {
        bail!("the result is several files; name a folder: -o FOLDER");
    };
    new_folder(path)?;
    Ok(path)
}

/// Makes a folder, which must not exist yet.
pub fn new_folder(path: &Path) -> Result<()> {
    check_new(path, "folder")?;
    fs::create_dir(path).with_context(|| cannot("create", path))
}

//! `pompeii archive`: an experiment in one compressed file, and back.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use pompeii_analysis::format;
use pompeii_finish::{MANIFEST_FILE, PROFILE_FILE};

use super::analyze::ANCHOR_FILE;
use crate::analyzed_trace::CUBE_FILE;
use crate::output::say;
use crate::packed::{self, Need};
use crate::terminal::{cannot, shown};
use crate::{damage, experiment, repeated};

/// Options of `archive`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii archive first -o first.tar.zst           the folder in one compressed file
    pompeii report first.tar.zst                     all commands read it like the folder
    pompeii archive --unpack first.tar.zst           the folder again, for other tools

The file is a tar file in independent frames of zstd. `tar --zstd -xf` reads it, too.")]
pub struct Arguments {
    /// The experiment, or, with --unpack, the file
    #[arg(value_name = "EXP")]
    experiment: PathBuf,
    /// The file to write, or, with --unpack, the folder to make [default: the name that it had]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Make the folder of the experiment from the file
    #[arg(long)]
    unpack: bool,
}

/// One of them makes a folder an experiment, of whatever tool.
const FILES: [&str; 6] =
    [MANIFEST_FILE, PROFILE_FILE, CUBE_FILE, ANCHOR_FILE, "summary.cubex", repeated::FILE];

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    match (&arguments.output, arguments.unpack) {
        (output, true) => unpack(&arguments.experiment, output.as_deref()),
        (Some(output), false) => pack(&arguments.experiment, output),
        (None, false) => bail!("name a file for the experiment: -o FILE"),
    }
}

/// Packs an experiment. One that is damaged is packed, too, because its other files can be read.
/// The exit code is 1 then, so that a script does not remove the folder afterwards.
fn pack(folder: &Path, file: &Path) -> Result<ExitCode> {
    if !FILES.iter().any(|name| folder.join(name).exists()) {
        bail!("{}: expected the directory of an experiment", shown(folder));
    }
    if file.is_dir() {
        bail!("{}: this is a folder; expected the name of a file", shown(file));
    }
    experiment::finish_if_needed(folder)?;
    let place = real(file.parent().filter(|place| *place != Path::new("")));
    if place.starts_with(real(Some(folder))) {
        bail!(
            "{}: this file would be part of the experiment; name one in another folder",
            shown(file)
        );
    }
    let damage = damage::of(folder);
    damage.iter().for_each(|what| say(format!("warning: {what}")));
    let (bytes, packed) = packed::pack(folder, file)?;
    let share = format::percent(packed as f64 / bytes.max(1) as f64);
    let (bytes, packed) = (format::bytes(bytes), format::bytes(packed));
    say(format!("{} is written: {packed}, which is {share} of {bytes}", shown(file)));
    if damage.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    say(format!(
        "{} is as damaged as {}: the warnings above name its files",
        shown(file),
        shown(folder)
    ));
    Ok(ExitCode::from(1))
}

/// A folder without links in its path, as far as it exists; `None` is the current one.
fn real(folder: Option<&Path>) -> PathBuf {
    let folder = folder.unwrap_or(Path::new("."));
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

fn unpack(file: &Path, wanted: Option<&Path>) -> Result<ExitCode> {
    if !packed::is_packed(file) {
        bail!("{}: expected a file that `pompeii archive` has written", shown(file));
    }
    let place = wanted.and_then(Path::parent).filter(|place| *place != Path::new(""));
    let place = place.unwrap_or(Path::new("."));
    // Next to the result, so that the folder can get its name when it is complete.
    let copy = tempfile::tempdir_in(place).with_context(|| cannot("write into", place))?;
    let (made, _) = packed::unpack(file, copy.path(), Need::Everything)?;
    let named = made.file_name().map_or_else(PathBuf::new, PathBuf::from);
    let output = wanted.map_or(named, Path::to_owned);
    if output.exists() {
        bail!("{} exists already; name another folder: -o DIR", shown(&output));
    }
    std::fs::rename(&made, &output).with_context(|| cannot("write", &output))?;
    say(format!("{} is unpacked", shown(&output)));
    Ok(ExitCode::SUCCESS)
}

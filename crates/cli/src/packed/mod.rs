//! Experiments in one compressed file, as `pompeii archive` writes them: a tar file in frames
//! (`frames.rs`). A command that is given such a file works on a copy of the folder, which is
//! removed at the end. Commands that need no events leave them out: they jump over their frames.

mod frames;

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;

use anyhow::{Context, Result, bail};
use tempfile::{NamedTempFile, TempDir};

use self::frames::{Reader, Writer};
use crate::progress::Progress;
use crate::terminal::{cannot, shown};

/// What a command needs of an experiment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd)]
pub enum Need {
    /// All but the events of its traces.
    Reports,
    /// All.
    Everything,
}

/// The folder of traces that has their events.
const EVENTS: &str = "traces";

/// A copy of an experiment.
struct Copy {
    file: PathBuf,
    need: Need,
    folder: PathBuf,
    /// Bytes of events that it does not have.
    left_out: u64,
    _whole: TempDir,
}

/// All copies. They are removed at the end and not earlier, because files of them are mapped.
static COPIES: Mutex<Vec<Copy>> = Mutex::new(Vec::new());

fn copies() -> MutexGuard<'static, Vec<Copy>> {
    COPIES.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether this is the file of a compressed experiment.
pub fn is_packed(path: &Path) -> bool {
    path.is_file() && File::open(path).is_ok_and(|file| frames::is_compressed(&file))
}

/// The folder of an experiment: of a copy if `path` is the file of a compressed one, otherwise
/// `path` itself.
///
/// # Errors
/// Why the file cannot be read.
pub fn folder(path: &Path, need: Need) -> Result<Cow<'_, Path>> {
    if !is_packed(path) {
        return Ok(Cow::Borrowed(path));
    }
    if let Some(copy) = copies().iter().find(|copy| copy.file == path && copy.need >= need) {
        return Ok(Cow::Owned(copy.folder.clone()));
    }
    let whole = tempfile::tempdir().context("cannot make a folder for a copy")?;
    let (folder, left_out) = unpack(path, whole.path(), need)?;
    let copy =
        Copy { file: path.to_owned(), need, folder: folder.clone(), left_out, _whole: whole };
    copies().push(copy);
    Ok(Cow::Owned(folder))
}

/// Bytes of events that the folder of a copy does not have.
pub fn left_out_bytes(folder: &Path) -> u64 {
    copies().iter().find(|copy| copy.folder == folder).map_or(0, |copy| copy.left_out)
}

/// Removes all copies.
pub fn remove_copies() {
    copies().clear();
}

/// Copies the experiment in a file into a folder. Returns its own folder there, and how many bytes
/// of events were left out.
///
/// # Errors
/// Why the file cannot be read, or what cannot be written.
pub fn unpack(file: &Path, into: &Path, need: Need) -> Result<(PathBuf, u64)> {
    let _progress = Progress::of(format!("unpacking {}", shown(file)));
    let cannot_read = || cannot("read", file);
    let packed = File::open(file).with_context(cannot_read)?;
    let reader = Reader::open(packed, threads()).with_context(cannot_read)?;
    let mut archive = tar::Archive::new(reader);
    let (mut top, mut left_out) = (None, 0);
    for entry in archive.entries_with_seek().with_context(cannot_read)? {
        let mut entry = entry.with_context(cannot_read)?;
        let name = entry.path().with_context(cannot_read)?.into_owned();
        let Some(Component::Normal(first)) = name.components().next() else {
            bail!("{}: {} is no name in an experiment", shown(file), shown(&name));
        };
        if *top.get_or_insert_with(|| first.to_owned()) != first {
            bail!("{}: expected one folder, found also {}", shown(file), shown(first));
        }
        if need == Need::Reports && is_of_events(&name) {
            left_out += entry.size();
            continue;
        }
        let is_inside = entry.unpack_in(into).with_context(cannot_read)?;
        if !is_inside {
            bail!("{}: {} is no name in an experiment", shown(file), shown(&name));
        }
    }
    let top = top.with_context(|| format!("{}: there is no experiment in it", shown(file)))?;
    Ok((into.join(top), left_out))
}

/// Whether a file has events: it lies in a folder of traces.
fn is_of_events(name: &Path) -> bool {
    name.parent().and_then(Path::file_name).is_some_and(|folder| folder == EVENTS)
}

/// Writes the folder of an experiment to a file. Returns the bytes of all files, and of the one.
///
/// # Errors
/// What cannot be read or written. Then there is no file.
pub fn pack(folder: &Path, file: &Path) -> Result<(u64, u64)> {
    let _progress = Progress::of(format!("packing {}", shown(folder)));
    let real = folder.canonicalize().with_context(|| cannot("read", folder))?;
    let top = real.file_name().unwrap_or(OsStr::new("experiment"));
    let place = file.parent().filter(|place| *place != Path::new("")).unwrap_or(Path::new("."));
    let cannot_write = || cannot("write", file);
    let unfinished = NamedTempFile::new_in(place).with_context(cannot_write)?;
    let mut builder = tar::Builder::new(Writer::new(BufWriter::new(unfinished), threads()));
    builder.follow_symlinks(false);
    builder.sparse(false);
    let bytes = add(&mut builder, &real, Path::new(top))?;
    let written = builder.into_inner().and_then(Writer::finish).with_context(cannot_write)?;
    let written = written.into_inner().map_err(|error| error.into_error());
    let written = written.with_context(cannot_write)?;
    let kept = written.persist(file).map_err(|error| error.error).with_context(cannot_write)?;
    let packed = kept.metadata().with_context(cannot_write)?.len();
    Ok((bytes, packed))
}

/// Adds a folder with everything in it, in the order of names. Returns the bytes of its files.
fn add(builder: &mut tar::Builder<impl Write>, folder: &Path, name: &Path) -> Result<u64> {
    let cannot_read = || cannot("read", folder);
    builder.append_path_with_name(folder, name).with_context(cannot_read)?;
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries = entries.with_context(cannot_read)?;
    entries.sort_by_key(fs::DirEntry::file_name);
    let mut bytes = 0;
    for entry in entries {
        let (path, name) = (entry.path(), name.join(entry.file_name()));
        if entry.file_type().with_context(cannot_read)?.is_dir() {
            bytes += add(builder, &path, &name)?;
            continue;
        }
        builder.append_path_with_name(&path, &name).with_context(|| cannot("read", &path))?;
        bytes += entry.metadata().with_context(cannot_read)?.len();
    }
    Ok(bytes)
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn experiment(folder: &Path) -> PathBuf {
        let made = folder.join("exp");
        fs::create_dir_all(made.join("traces")).unwrap();
        fs::write(made.join("profile.cubex"), "profile").unwrap();
        fs::write(made.join("traces.otf2"), "anchor").unwrap();
        fs::write(made.join("traces/0.evt"), "events".repeat(1000)).unwrap();
        std::os::unix::fs::symlink("profile.cubex", made.join("link")).unwrap();
        made
    }

    #[test]
    fn an_experiment_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("exp.tar.zst");
        let (bytes, packed) = pack(&experiment(folder.path()), &file).unwrap();
        assert_eq!(bytes, 7 + 6 + 6000 + 13);
        assert!(packed < 1500 && is_packed(&file), "{packed}");
        let into = folder.path().join("into");
        fs::create_dir(&into).unwrap();
        let (made, left_out) = unpack(&file, &into, Need::Everything).unwrap();
        assert_eq!((made.clone(), left_out), (into.join("exp"), 0));
        assert_eq!(fs::read(made.join("traces/0.evt")).unwrap(), "events".repeat(1000).as_bytes());
        assert_eq!(fs::read_link(made.join("link")).unwrap(), Path::new("profile.cubex"));
    }

    #[test]
    fn reports_do_not_need_events() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("exp.tar.zst");
        let made = experiment(folder.path());
        pack(&made, &file).unwrap();
        assert_eq!(self::folder(&made, Need::Reports).unwrap(), made.as_path());
        let copy = self::folder(&file, Need::Reports).unwrap().into_owned();
        assert!(copy.join("traces.otf2").exists() && !copy.join("traces/0.evt").exists());
        assert_eq!(left_out_bytes(&copy), 6000);
        let all = self::folder(&file, Need::Everything).unwrap().into_owned();
        assert!(all.join("traces/0.evt").exists() && all != copy);
        assert_eq!(self::folder(&file, Need::Reports).unwrap(), copy.as_path());
    }

    #[test]
    fn files_outside_of_the_folder_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("bad.tar.zst");
        let mut builder = tar::Builder::new(Writer::new(Vec::new(), 1));
        let mut header = tar::Header::new_gnu();
        // `set_path` refuses such a name itself.
        header.as_old_mut().name[..8].copy_from_slice(b"../x.txt");
        header.set_size(0);
        header.set_cksum();
        builder.append(&header, std::io::empty()).unwrap();
        fs::write(&file, builder.into_inner().unwrap().finish().unwrap()).unwrap();
        let refused = unpack(&file, &folder.path().join("into"), Need::Everything).unwrap_err();
        assert!(refused.to_string().ends_with("../x.txt is no name in an experiment"), "{refused}");
        assert!(!folder.path().join("x.txt").exists());
    }
}

//! Where debug information is that is not in the file itself: below `/usr/lib/debug` by the build
//! id, or next to the file under the name that `.gnu_debuglink` gives.

use std::fmt::Write;
use std::fs::{File, Metadata};
use std::path::{Path, PathBuf};

use object::{Object, ReadCache};

use crate::Loaded;

const FOLDER: &str = "/usr/lib/debug";

/// The separate debug file of a file, if there is one with the same build id.
pub fn separate<'a>(path: &Path, build_id: &[u8], elf: &impl Object<'a>) -> Option<PathBuf> {
    let (first, rest) = build_id.split_first()?;
    let mut name = format!(".build-id/{first:02x}/");
    for byte in rest {
        let _ = write!(name, "{byte:02x}");
    }
    let by_id = Path::new(FOLDER).join(name + ".debug");
    let mut candidates = vec![by_id];
    if let Ok(Some((link, _))) = elf.gnu_debuglink() {
        let link = Path::new(std::str::from_utf8(link).ok()?).file_name()?;
        let folder = path.parent()?;
        let below = Path::new(FOLDER).join(folder.strip_prefix("/").unwrap_or(folder));
        candidates.extend([folder.join(link), folder.join(".debug").join(link), below.join(link)]);
    }
    candidates.into_iter().find(|candidate| candidate != path && has_id(candidate, build_id))
}

/// Shows the file that was loaded, if it is still there, and then its separate debug file, if it
/// has one.
pub fn each_file(loaded: &Loaded, mut look: impl FnMut(&object::File<'_, &ReadCache<File>>)) {
    let Loaded { path, build_id } = loaded;
    let Some(separate) = look_at(path, |elf| {
        let is_loaded = elf.build_id().ok().flatten().unwrap_or_default() == build_id;
        is_loaded.then(|| {
            look(elf);
            separate(path, build_id, elf)
        })
    }) else {
        return;
    };
    if let Some(path) = separate.flatten() {
        look_at(&path, look);
    }
}

fn look_at<T>(
    path: &Path,
    look: impl FnOnce(&object::File<'_, &ReadCache<File>>) -> T,
) -> Option<T> {
    let file = ReadCache::new(regular(path)?);
    object::File::parse(&file).ok().map(|elf| look(&elf))
}

/// Opens a file with content; a pipe of that name would block.
pub fn regular(path: &Path) -> Option<File> {
    path.metadata().ok().filter(Metadata::is_file)?;
    File::open(path).ok()
}

fn has_id(path: &Path, build_id: &[u8]) -> bool {
    let Some(file) = regular(path) else { return false };
    let file = ReadCache::new(file);
    let elf = object::File::parse(&file);
    elf.is_ok_and(|elf| matches!(elf.build_id(), Ok(Some(id)) if id == build_id))
}

//! Where live state is: in the experiment's folder, or where `live` there leads to.
//!
//! A process that cannot write to that folder keeps its live state in storage of its host, under a
//! name that follows from the experiment's path alone. So whoever finishes the experiment on that
//! host finds it.
//!
//! Where live state lies in memory only because the experiment's file system cannot map files, its
//! full chunks still go to that file system: a link in live state leads to their folder.

use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Variables that name such storage; behind them comes [`STORAGES`].
pub const STORAGE_VARIABLES: [&str; 2] = ["POMPEII_LIVE_DIR", "TMPDIR"];
/// What every host has; the second is memory, which can hold live state wherever the first cannot.
pub const STORAGES: [&str; 2] = ["/tmp", "/dev/shm"];

/// The folder in `storage` of all processes that cannot write to the experiment of this absolute
/// path, each with a folder of its own.
pub fn elsewhere(storage: &Path, experiment: &Path) -> PathBuf {
    storage.join(format!("pompeii-{:016x}", hash(experiment)))
}

/// FNV-1a of the path's parts: the same for all spellings of a path.
fn hash(path: &Path) -> u64 {
    let parts = path.as_os_str().as_bytes().split(|&byte| byte == b'/');
    let parts = parts.filter(|part| !matches!(*part, b"" | b"."));
    let bytes = parts.flat_map(|part| std::iter::once(b'/').chain(part.iter().copied()));
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Name of the link that leads to the folder of event files.
pub const SPILL_LINK: &str = "spill";

/// The folder of the event files of the live state in `live`.
pub fn spill_folder(live: &Path) -> PathBuf {
    let spill = live.join(SPILL_LINK);
    if spill.exists() { spill } else { live.to_owned() }
}

/// Removes live state, if it is there, with all that it leads to.
///
/// # Errors
/// What could not be removed, and why.
pub fn remove_live(live: &Path) -> io::Result<()> {
    for link in [&live.join(SPILL_LINK), live] {
        if let Ok(target) = fs::read_link(link) {
            gone(fs::remove_dir_all(target))?;
            gone(fs::remove_file(link))?;
        }
    }
    gone(fs::remove_dir_all(live))
}

fn gone(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_path_have_one_folder() {
        let of = |storage: &str, path: &str| elsewhere(Path::new(storage), Path::new(path));
        let folder = of("/tmp/", "/home/user/exp");
        assert_eq!(folder, of("/tmp", "/home/user/./exp/"));
        assert_ne!(folder, of("/tmp", "/home/user/exp2"));
        assert_ne!(of("/tmp", "/ab/c"), of("/tmp", "/a/bc"));
        let text = folder.to_str().unwrap();
        assert!(text.starts_with("/tmp/pompeii-") && text.len() == 29, "{text}");
    }
}

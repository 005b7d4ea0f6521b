//! The runtime library that the binary carries inside, and where it is unpacked, once per content:
//! `../lib` next to the binary where that has it, else `$POMPEII_HOME/lib`, else the user's cache
//! folder, else a folder of the user's among the temporary files.
//!
//! Programs are linked with what lies there, so others must not be able to write to it ([`trust`]),
//! and its files are compared with those inside. Where no such place is safe, a new folder is made.

use std::env;
use std::fs::{self, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use anyhow::{Context, Result};
use nix::unistd::geteuid;

use crate::carried::{Carried, FILES};
use crate::output::say;
use crate::terminal::{cannot, shown};
use crate::trust;

/// The folder with `libpomp.a`, `libpomp-static.a`, `libpomp-without-locks.a`, `libpomp.so`,
/// `libpompeii-io.so`, `libpompeii-threads.so`, `pomp.h`, `pomp_mpi.h`, `pomp_io.h`, the list of
/// exported functions, and what CMake and pkg-config read, in folders of their own.
///
/// # Errors
/// Where no folder can be written to.
pub fn folder() -> Result<PathBuf> {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    if let Some(known) = FOLDER.get() {
        return Ok(known.clone());
    }
    let found = match beside_the_binary() {
        Some(beside) => beside,
        None => in_a_place("lib", &format!("{:016x}", content_hash()), unpack)?,
    };
    Ok(FOLDER.get_or_init(|| found).clone())
}

fn beside_the_binary() -> Option<PathBuf> {
    let folder = env::current_exe().ok()?.parent()?.parent()?.join("lib/pompeii");
    FILES.iter().all(|file| is_current(&folder.join(file.name), file)).then_some(folder)
}

/// Makes something in the first of its [`places`] that others cannot write to, else in a new
/// folder; `key` is its name there.
///
/// # Errors
/// Where none of them can be written to, with the reason for each.
pub fn in_a_place<T>(name: &str, key: &str, make: impl Fn(&Path) -> Result<T>) -> Result<PathBuf> {
    let mut refused = Vec::new();
    for folder in places(name).into_iter().map(|base| base.join(key)) {
        match trust::private_folder(&folder).and_then(|()| make(&folder)) {
            Ok(_) => return Ok(folder),
            Err(error) => refused.push(format!("{} ({error:#})", shown(&folder))),
        }
    }
    let refused = refused.join(", ");
    let fresh = trust::fresh_folder(&format!("pompeii-{name}-"))?;
    make(fresh.path()).with_context(|| format!("not used: {refused}"))?;
    let fresh = fresh.keep();
    say(format!(
        "warning: not used: {refused}; the library is in the new folder {}, which programs that are \
         linked with a shared library of it need when they run; set POMPEII_HOME to a folder that \
         only you can write to",
        shown(&fresh)
    ));
    Ok(fresh)
}

/// The folders that something of this name may be kept in, the best first.
pub fn places(name: &str) -> Vec<PathBuf> {
    let variable =
        |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    if let Some(home) = variable("POMPEII_HOME") {
        return vec![home.join(name)];
    }
    let cache = variable("XDG_CACHE_HOME").or_else(|| Some(variable("HOME")?.join(".cache")));
    let own = cache.map(|cache| cache.join("pompeii").join(name));
    let temporary = env::temp_dir().join(format!("pompeii-{}", geteuid())).join(name);
    own.into_iter().chain([temporary]).collect()
}

/// What these files are, as a number.
pub fn content_hash() -> u64 {
    let mut hasher = DefaultHasher::new();
    FILES.hash(&mut hasher);
    hasher.finish()
}

/// Writes the files under other names first: two builds may unpack at the same time, on several
/// machines with one home.
///
/// # Errors
/// What the system says, or that the binary is damaged.
pub fn unpack(folder: &Path) -> Result<()> {
    for file in FILES {
        let path = folder.join(file.name);
        if is_current(&path, file) {
            continue;
        }
        let beside = path.parent().unwrap_or(folder);
        fs::create_dir_all(beside)?;
        let mut unfinished = tempfile::NamedTempFile::new_in(beside)?;
        unfinished.write_all(&file.content()?).with_context(|| cannot("write", &path))?;
        unfinished.as_file().set_permissions(Permissions::from_mode(0o644))?;
        unfinished.persist(&path)?;
    }
    Ok(())
}

/// Whether a file is the carried one, and others can neither change nor replace it.
fn is_current(path: &Path, file: &Carried) -> bool {
    trust::check(path).is_ok() && file.is_at(path)
}

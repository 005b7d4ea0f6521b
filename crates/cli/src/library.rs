//! The runtime library that the binary carries inside, and where it is unpacked: to
//! `$POMPEII_HOME/lib`, else `../lib` beside the binary where that has it, else the user's cache
//! folder, once per content.

use std::env;
use std::fs::{self, Permissions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

const FILES: [(&str, &[u8]); 10] = [
    ("libpomp.a", include_bytes!(concat!(env!("OUT_DIR"), "/libpomp.a"))),
    ("libpomp-static.a", include_bytes!(concat!(env!("OUT_DIR"), "/libpomp-static.a"))),
    (
        "libpomp-without-locks.a",
        include_bytes!(concat!(env!("OUT_DIR"), "/libpomp-without-locks.a")),
    ),
    ("libpomp.so", include_bytes!(concat!(env!("OUT_DIR"), "/libpomp.so"))),
    ("pomp.h", include_bytes!(concat!(env!("OUT_DIR"), "/pomp.h"))),
    ("pomp_mpi.h", include_bytes!(concat!(env!("OUT_DIR"), "/pomp_mpi.h"))),
    ("pomp.list", include_bytes!("../package/pomp.list")),
    ("cmake/PompeiiConfig.cmake", include_bytes!(concat!(env!("OUT_DIR"), "/PompeiiConfig.cmake"))),
    (
        "cmake/PompeiiConfigVersion.cmake",
        include_bytes!(concat!(env!("OUT_DIR"), "/PompeiiConfigVersion.cmake")),
    ),
    ("pkgconfig/pompeii.pc", include_bytes!(concat!(env!("OUT_DIR"), "/pompeii.pc"))),
];

/// The folder with `libpomp.a`, `libpomp-static.a`, `libpomp-without-locks.a`, `libpomp.so`,
/// `pomp.h`, `pomp_mpi.h`, the list of exported functions, and what CMake and pkg-config read, in
/// folders of their own.
///
/// # Errors
/// Where no folder can be written to.
pub fn folder() -> Result<PathBuf> {
    if let Some(beside) = beside_the_binary() {
        return Ok(beside);
    }
    let mut tried = Vec::new();
    for base in places("lib") {
        let folder = base.join(format!("{:016x}", content_hash()));
        match unpack(&folder) {
            Ok(()) => return Ok(folder),
            Err(error) => tried.push(format!("{}: {error:#}", folder.display())),
        }
    }
    bail!(
        "no place for the runtime library; set POMPEII_HOME to a writable folder ({})",
        tried.join("; ")
    )
}

fn beside_the_binary() -> Option<PathBuf> {
    let folder = env::current_exe().ok()?.parent()?.parent()?.join("lib/pompeii");
    let current = |(name, bytes): &(&str, &[u8])| {
        fs::metadata(folder.join(name)).is_ok_and(|file| file.len() == bytes.len() as u64)
    };
    FILES.iter().all(current).then_some(folder)
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
    own.into_iter().chain([env::temp_dir().join(format!("pompeii-{name}"))]).collect()
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
/// What the system says.
pub fn unpack(folder: &Path) -> Result<()> {
    for (name, bytes) in FILES {
        let path = folder.join(name);
        if fs::metadata(&path).is_ok_and(|file| file.len() == bytes.len() as u64) {
            continue;
        }
        let beside = path.parent().unwrap_or(folder);
        fs::create_dir_all(beside)?;
        let mut unfinished = tempfile::NamedTempFile::new_in(beside)?;
        unfinished.write_all(bytes).with_context(|| path.display().to_string())?;
        unfinished.as_file().set_permissions(Permissions::from_mode(0o644))?;
        unfinished.persist(&path)?;
    }
    Ok(())
}

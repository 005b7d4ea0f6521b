//! What the file of a program says before it is started: which libraries it loads, and whether it
//! measures itself.

use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// How a program begins that the system loads itself.
const ELF: &[u8] = b"\x7fELF";

/// Text of our runtime library, or its name: one of them is in each instrumented program.
const OURS: [&str; 2] = ["POMPEII_LIVE_DIR", "libpomp.so"];

/// A program that the system loads itself, or a library.
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    text: Vec<u8>,
    /// The answer of [`list_of`].
    listed: OnceCell<Option<String>>,
}

impl Program {
    /// Reads the file; `None` for a script, and if it cannot be read.
    pub fn open(path: PathBuf) -> Option<Self> {
        let text = fs::read(&path).ok().filter(|text| text.starts_with(ELF))?;
        Some(Self { path, text, listed: OnceCell::new() })
    }

    /// The content of the file.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Whether these bytes are in the file.
    pub fn has(&self, what: impl AsRef<[u8]>) -> bool {
        memchr::memmem::find(&self.text, what.as_ref()).is_some()
    }

    /// Whether our runtime library is in the program, or is loaded by it.
    pub fn is_instrumented(&self) -> bool {
        OURS.iter().any(|name| self.has(name))
    }

    /// Whether it is a program for this processor, in its 64 bits.
    pub fn is_native(&self) -> bool {
        /// The places of class and machine in the header, and the number of x86-64.
        const CLASS_64: u8 = 2;
        const X86_64: [u8; 2] = [62, 0];
        self.text.get(4) == Some(&CLASS_64) && self.text.get(18..20) == Some(&X86_64[..])
    }

    /// Names of the libraries that are loaded with it, directly or by other ones. None for a
    /// program that is linked statically.
    pub fn libraries(&self) -> Vec<&str> {
        let listed = self.listed.get_or_init(|| list_of(&self.path));
        listed.as_deref().map_or_else(Vec::new, |listed| names(listed).collect())
    }

    /// The file that is loaded as this library with it.
    pub fn loaded(&self, library: &str) -> Option<PathBuf> {
        let listed = self.listed.get_or_init(|| list_of(&self.path));
        path_of(listed.as_deref()?, library)?.canonicalize().ok()
    }
}

/// The libraries that are loaded with a file, as the system's tool says, which has its place even
/// where PATH does not lead to it.
fn list_of(file: &Path) -> Option<String> {
    let list = |tool: &str| Command::new(tool).arg(file).output().ok();
    let output = ["ldd", "/usr/bin/ldd"].into_iter().find_map(list)?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The first words of the lines.
fn names(listed: &str) -> impl Iterator<Item = &str> {
    listed.lines().filter_map(|line| line.split_whitespace().next())
}

/// The file of a library: `NAME => FILE (ADDRESS)`.
fn path_of(listed: &str, library: &str) -> Option<PathBuf> {
    let line = listed.lines().find(|line| line.trim_start().starts_with(library))?;
    Some(PathBuf::from(line.split_whitespace().nth(2)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_has_names_and_files() {
        let listed = "\tlinux-vdso.so.1 (0x7ffc)\n\tlibgomp.so.1 => /lib/libgomp.so.1 (0x7f00)\n\
                      \tlibc.so.6 => not found\n\t/lib64/ld-linux-x86-64.so.2 (0x7f11)\n";
        let found: Vec<_> = names(listed).collect();
        let linker = "/lib64/ld-linux-x86-64.so.2";
        assert_eq!(found, ["linux-vdso.so.1", "libgomp.so.1", "libc.so.6", linker]);
        assert_eq!(path_of(listed, "libgomp.so.1"), Some(PathBuf::from("/lib/libgomp.so.1")));
        assert_eq!(path_of(listed, "libmpi.so.40"), None);
    }

    #[test]
    fn programs_are_read_and_scripts_are_not() {
        let own = Program::open(std::env::current_exe().unwrap()).unwrap();
        assert!(own.has("programs_are_read") && !own.libraries().is_empty());
        assert_eq!(own.is_native(), cfg!(target_arch = "x86_64"));
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("script");
        fs::write(&script, "#!/bin/sh\n").unwrap();
        assert!(Program::open(script).is_none());
        assert!(Program::open(folder.path().join("missing")).is_none());
    }
}

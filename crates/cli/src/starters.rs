//! Programs that only start others: those that [`is_starter`] knows, and scripts. They are not
//! measured themselves, but what they start is.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::process::Command;

use pompeii_finish::is_starter;

use crate::executables::executable;

/// The variable with options of AddressSanitizer.
const ASAN_OPTIONS: &str = "ASAN_OPTIONS";
/// Allows that a library is loaded in front of AddressSanitizer's. Ours does not allocate by the
/// functions that AddressSanitizer replaces.
const ASAN_ORDER: &str = "verify_asan_link_order=0";

/// Whether this file only starts other programs: one of them by its name, or a script.
pub fn starts_others(file: &Path) -> bool {
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    is_starter(&name) || is_script(file).unwrap_or(false)
}

fn is_script(file: &Path) -> std::io::Result<bool> {
    let mut begin = [0; 2];
    File::open(file)?.read_exact(&mut begin)?;
    Ok(begin == *b"#!")
}

/// Prepares the command of a program into which a library is loaded. If the program starts others,
/// one among them that has AddressSanitizer would otherwise refuse to begin.
pub fn prepare(command: &mut Command, program: &OsStr) {
    if executable(program).is_some_and(|file| starts_others(&file)) {
        command.env(ASAN_OPTIONS, with_order(std::env::var_os(ASAN_OPTIONS)));
    }
}

/// Options with the one of ours, which the user's own may overrule.
fn with_order(options: Option<OsString>) -> OsString {
    let mut all = OsString::from(ASAN_ORDER);
    if let Some(options) = options.filter(|options| !options.is_empty()) {
        all.push(":");
        all.push(options);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_start_others() {
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("job");
        std::fs::write(&script, "#!/bin/sh\n./ocean\n").unwrap();
        assert!(starts_others(&script) && starts_others(Path::new("/bin/sh")));
        std::fs::write(&script, "#").unwrap();
        assert!(!starts_others(&script));
        assert!(!starts_others(&folder.path().join("missing")));
    }

    #[test]
    fn options_of_the_user_come_last() {
        assert_eq!(with_order(None), ASAN_ORDER);
        assert_eq!(with_order(Some("".into())), ASAN_ORDER);
        assert_eq!(with_order(Some("a=1".into())), "verify_asan_link_order=0:a=1");
    }
}

//! Interpreters of languages whose extensions bring OpenMP libraries along. Neither the interpreter
//! nor the script shows which ones they will load.

use std::fs::File;
use std::io::Read;
use std::path::Path;

/// As much of a script as its first line has at most on Linux.
const FIRST_LINE_BYTES: u64 = 256;

/// The name of the interpreter that this file is, or that executes it.
pub fn name(file: &Path) -> Option<String> {
    let own = file.file_name()?.to_string_lossy().into_owned();
    if is_python(&own) {
        return Some(own);
    }
    let mut text = Vec::new();
    File::open(file).ok()?.take(FIRST_LINE_BYTES).read_to_end(&mut text).ok()?;
    of_script(&String::from_utf8_lossy(&text))
}

/// The interpreter in the first line of a script: `#!/usr/bin/env python3`.
fn of_script(text: &str) -> Option<String> {
    let line = text.strip_prefix("#!")?.lines().next()?;
    let name = |word: &str| word.rsplit('/').next().unwrap_or_default().to_owned();
    line.split_whitespace().map(name).find(|name| is_python(name))
}

/// `python`, `python3`, `python3.11`.
fn is_python(name: &str) -> bool {
    let version = name.strip_prefix("python");
    version.is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpreters_are_known_by_their_names() {
        for (name, is) in [
            ("python", true),
            ("python3", true),
            ("python3.11", true),
            ("python3-config", false),
            ("pythonic", false),
            ("sh", false),
        ] {
            assert_eq!(is_python(name), is, "{name}");
        }
    }

    #[test]
    fn scripts_say_who_executes_them() {
        let of = |text: &str| of_script(text).unwrap_or_default();
        assert_eq!(of("#!/usr/bin/env python3\nimport os\n"), "python3");
        assert_eq!(of("#!/usr/bin/env -S python3 -u\n"), "python3");
        assert_eq!(of("#! /opt/conda/bin/python3.11\n"), "python3.11");
        assert_eq!(of("#!/bin/sh\n# python3\n"), "");
        assert_eq!(of("python3\n"), "");
        assert_eq!(of(""), "");
    }
}

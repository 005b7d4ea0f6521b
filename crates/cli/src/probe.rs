//! Whether a command is a question that a build system asks while it configures: does the compiler
//! work, does a header exist, which flags does it take? Answers must be the compiler's own, without
//! a library of ours behind them, and many such tests take any word on standard error for a no.
//!
//! To teach another build system: the names that its tests have, in one of the tables.

use std::env;
use std::path::{Path, PathBuf};

use crate::compiler::CommandLine;
use crate::compiler::words::base_name;

/// Folders below which build systems make their tests: CMake, meson, waf, SCons.
const FOLDERS: [&str; 4] = ["CMakeScratch", "CMakeTmp", "meson-private", ".sconf_temp"];
/// The beginnings of names of such folders.
const FOLDERS_WITH: [&str; 3] = ["CompilerId", "cmTC_", ".conf_check_"];
/// The beginnings of names of files that are tests: autoconf, CMake.
const FILES_WITH: [&str; 3] = ["conftest", "cmTC_", "CMakeDetermine"];
/// Variables with which a build switches all wrappers off.
const SWITCHES: [&str; 2] = ["POMPEII_WRAPPER", "SCOREP_WRAPPER"];

/// Whether the command is left as it is.
pub fn is_probe(line: &CommandLine) -> bool {
    if is_switched_off() {
        return true;
    }
    let here = env::current_dir().unwrap_or_default();
    let mut files: Vec<PathBuf> = line.output().map(PathBuf::from).into_iter().collect();
    let inputs = line.arguments().filter(|(_, words)| !words[0].starts_with('-'));
    files.extend(inputs.map(|(position, _)| PathBuf::from(&line.words[position])));
    is_in_test_folder(&here) || files.iter().any(|file| is_test(file))
}

fn is_switched_off() -> bool {
    let value = SWITCHES.iter().find_map(env::var_os).unwrap_or_default();
    value.to_str().is_some_and(|value| {
        ["off", "0", "no", "false"].contains(&value.to_ascii_lowercase().as_str())
    })
}

fn is_test(file: &Path) -> bool {
    let name = file.to_str().map(base_name).unwrap_or_default();
    FILES_WITH.iter().any(|start| name.starts_with(start))
        || file.parent().is_some_and(is_in_test_folder)
}

fn is_in_test_folder(path: &Path) -> bool {
    path.iter().filter_map(|part| part.to_str()).any(|part| {
        FOLDERS.contains(&part) || FOLDERS_WITH.iter().any(|start| part.starts_with(start))
    })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    fn check(command: &str, expected: bool) {
        let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
        assert_eq!(is_probe(&CommandLine::parse(&words)), expected, "{command}");
    }

    #[test]
    fn tests_of_build_systems_are_known() {
        check("gcc -c -fopenmp conftest.c", true);
        check("gcc -o conftest conftest.o -fopenmp", true);
        check("gcc -o CMakeFiles/cmTC_0a1b2.dir/x.c.o -c x.c", true);
        check("cc -o cmTC_0a1b2 x.o", true);
        check("gcc /b/CMakeFiles/CMakeScratch/TryCompile-1/OpenMPTryFlag.c -c", true);
        check("gcc /b/meson-private/sanitycheckc.c -o a", true);
        check("gfortran -c CMakeFiles/3.25.1/CompilerIdFortran/CMakeFortranCompilerId.F", true);
    }

    #[test]
    fn sources_of_a_project_are_not() {
        check("gcc -fopenmp -c src/ocean.c -o CMakeFiles/ocean.dir/src/ocean.c.o", false);
        check("gcc -fopenmp ocean.o -o ocean -DCMakeTmp", false);
    }
}

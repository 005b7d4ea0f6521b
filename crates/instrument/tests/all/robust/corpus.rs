//! Every program of the project, whichever test it was written for.

use std::fs;
use std::path::{Path, PathBuf};

/// A program and the name that says its language.
pub struct Program {
    /// Where it is, for messages.
    pub path: PathBuf,
    /// What it is read as: a header is read as each language that may include it.
    pub name: &'static str,
    /// Its bytes.
    pub text: Vec<u8>,
}

/// Suffixes, and what files that have them are read as.
const LANGUAGES: [(&str, &[&str]); 8] = [
    ("c", &["t.c", "t.cpp", "t.i"]),
    ("h", &["t.c", "t.cpp"]),
    ("cpp", &["t.cpp", "t.ii"]),
    ("hpp", &["t.cpp"]),
    ("f90", &["t.f90"]),
    ("F90", &["t.F90"]),
    ("f", &["t.f"]),
    ("inc", &["t.f90", "t.f"]),
];

/// All programs, each once per language, in the order of their paths.
pub fn programs() -> Vec<Program> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for folder in ["tests/programs", "examples", "crates/instrument/tests"] {
        collect(&root.join(folder), &mut files);
    }
    files.sort();
    let mut programs = Vec::new();
    for path in files {
        let suffix = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let names = LANGUAGES.iter().find(|(known, _)| *known == suffix).map(|(_, names)| *names);
        for &name in names.unwrap_or_default() {
            let text = fs::read(&path).unwrap();
            programs.push(Program { path: path.clone(), name, text });
        }
    }
    assert!(programs.len() > 300, "only {} programs were found", programs.len());
    programs
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else {
            files.push(path);
        }
    }
}

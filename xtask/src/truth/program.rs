//! The programs of `tests/truth`: their files, their heads, and the line that is to be found.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::header::Header;

/// A comment with this stands in the line that the first finding must name.
const MARK: &str = "<-- cause";

/// A program of the court.
#[derive(Debug, Clone)]
pub(super) struct Program {
    /// The main file's name without its suffix.
    pub(super) name: String,
    pub(super) header: Header,
    /// Files that are measured; the first has the main program.
    pub(super) sources: Vec<PathBuf>,
    /// Files that are compiled plainly.
    pub(super) plain: Vec<PathBuf>,
    pub(super) language: Language,
    /// Where the cause is: base name and line; `None` where the program is good.
    pub(super) at: Option<Place>,
}

/// A line of a file: the base name, since folders depend on where the project lies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) file: String,
    pub(super) line: u64,
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// The main file's language, which says what compiles and links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    C,
    Cxx,
    Fortran,
}

impl Language {
    fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "c" => Some(Self::C),
            "cpp" => Some(Self::Cxx),
            "F90" => Some(Self::Fortran),
            _ => None,
        }
    }
}

/// The folder of all programs.
pub(super) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/truth")
}

impl Program {
    /// All programs, sorted by name. A source file that begins with a head is a program; the rest
    /// are parts of programs.
    pub(super) fn all(folder: &Path) -> Result<Vec<Self>> {
        let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
        let mut programs = Vec::new();
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            let Some(language) = Language::of(&path) else { continue };
            let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
            if is_part(&text) {
                continue;
            }
            let program = Self::load(&path, language, &text);
            programs.push(program.with_context(|| path.display().to_string())?);
        }
        programs.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(programs)
    }

    fn load(path: &Path, language: Language, text: &str) -> Result<Self> {
        let header = Header::parse(text)?;
        let in_folder = |name: &String| path.with_file_name(name);
        let mut sources = vec![path.to_owned()];
        sources.extend(header.with.iter().map(in_folder));
        let plain: Vec<PathBuf> = header.plain.iter().map(in_folder).collect();
        for part in sources.iter().chain(&plain) {
            ensure!(part.is_file(), "{} does not exist", part.display());
        }
        let at = marked_line(&sources)?;
        ensure!(
            at.is_some() != header.is_good(),
            "one line needs the comment `{MARK}`, unless the cause is none"
        );
        let name = path.file_stem().context("a file has a name")?.display().to_string();
        Ok(Self { name, header, sources, plain, language, at })
    }
}

/// Parts say whose they are in their first line.
fn is_part(text: &str) -> bool {
    text.lines().next().is_some_and(|line| line.contains("Part of "))
}

fn marked_line(sources: &[PathBuf]) -> Result<Option<Place>> {
    let mut found = None;
    for path in sources {
        let text = fs::read_to_string(path)?;
        let file = path.file_name().context("a file has a name")?.display().to_string();
        for (number, _) in text.lines().enumerate().filter(|(_, line)| line.contains(MARK)) {
            let place = Place { file: file.clone(), line: number as u64 + 1 };
            if let Some(first) = found.replace(place.clone()) {
                bail!("`{MARK}` stands in {first} and in {place}");
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::lists;
    use super::*;

    #[test]
    fn every_program_is_complete() {
        let programs = Program::all(&folder()).unwrap();
        for program in &programs {
            let header = &program.header;
            let many = header.threads.iter().chain(&header.ranks).any(|number| *number > 2);
            let may = program.name.starts_with("oversubscription") || header.cause == "one_cpu";
            assert!(!many || !header.computes || may, "{} needs too many CPUs", program.name);
        }
    }

    #[test]
    fn every_part_belongs_to_a_program() {
        let programs = Program::all(&folder()).unwrap();
        let used: BTreeSet<_> = programs
            .iter()
            .flat_map(|program| program.sources.iter().chain(&program.plain))
            .collect();
        for entry in fs::read_dir(folder().canonicalize().unwrap()).unwrap() {
            let path = entry.unwrap().path();
            let is_source = Language::of(&path).is_some();
            assert!(!is_source || used.contains(&path), "{} is unused", path.display());
        }
    }

    #[test]
    fn a_program_has_one_marked_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.c");
        let load = |text: &str| {
            fs::write(&path, text).unwrap();
            Program::load(&path, Language::C, text)
        };
        let head = "// cause: lock\n// advice: none\n// body: sleeps\n";
        let at = load(&format!("{head}\nint a; // <-- cause\n")).unwrap().at;
        assert_eq!(at, Some(Place { file: "x.c".into(), line: 5 }));
        assert!(load(head).is_err());
        assert!(load(&format!("{head}// <-- cause\n// <-- cause\n")).is_err());
        assert!(load("// cause: none\n// advice: none\n// body: sleeps\n").unwrap().at.is_none());
        assert!(load(&format!("{head}// with: y.c\n// <-- cause\n")).is_err());
        assert_eq!(lists::NO_CAUSE, "none");
    }
}

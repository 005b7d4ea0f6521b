//! The programs of `tests/programs`: what belongs to each, and with which compilers it is tried.
//!
//! To add a program: put it and `NAME.expect` beside each other, or, where it has several files or
//! a folder of its own, write `case.expect` with a `sources:` header. Count from the source; a
//! count that was copied from the tool tests nothing.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};

use super::expectation::{Expectation, Runtime};

/// What a header line of an expectation may say.
const HEADER_KEYS: [&str; 8] = [
    "sources",
    "compilers",
    "flags",
    "openmp",
    "instrument",
    "environment",
    "exit",
    "skip-plain-failure",
];

/// A family of compilers that share an OpenMP runtime library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Toolchain {
    Gcc,
    Clang,
}

impl Toolchain {
    pub(super) fn runtime(self) -> Runtime {
        match self {
            Self::Gcc => Runtime::Gnu,
            Self::Clang => Runtime::Llvm,
        }
    }

    pub(super) fn compiler(self, language: Language) -> &'static str {
        match (self, language) {
            (Self::Gcc, Language::C) => "gcc",
            (Self::Gcc, Language::Cxx) => "g++",
            (Self::Clang, Language::C) => "clang-19",
            (Self::Clang, Language::Cxx) => "clang++-19",
            // There is no second Fortran compiler yet: `toolchains_for` never pairs these.
            (Self::Gcc | Self::Clang, Language::Fortran) => "gfortran",
        }
    }
}

/// The language of a source file, told by its suffix.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Language {
    C,
    Cxx,
    Fortran,
}

impl Language {
    pub(super) fn of(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "c" => Some(Self::C),
            "cpp" => Some(Self::Cxx),
            "f" | "f90" | "F90" => Some(Self::Fortran),
            _ => None,
        }
    }
}

/// One program: its files, its flags and what it is expected to do.
#[derive(Debug)]
pub(super) struct Case {
    /// Relative to the folder of all programs, without suffixes of ours: `probes/s_for.c`, `fib`.
    pub(super) name: String,
    /// In the order of compilation; the first has the main program's language.
    pub(super) sources: Vec<(PathBuf, Language)>,
    pub(super) toolchains: Vec<Toolchain>,
    pub(super) expectation: Expectation,
    pub(super) exit_code: i32,
    pub(super) environment: Vec<(String, String)>,
    /// A compiler that cannot compile or run the program plainly is no failure of ours.
    pub(super) may_fail_plainly: bool,
}

impl Case {
    /// All programs below `root`, sorted by name.
    pub(super) fn all(root: &Path) -> Result<Vec<Self>> {
        let root = root.canonicalize().with_context(|| root.display().to_string())?;
        let mut files = Vec::new();
        collect(&root, &mut files)?;
        let mut cases = Vec::new();
        for path in files.iter().filter(|path| path.extension().is_some_and(|e| e == "expect")) {
            cases.push(Self::load(path, &root).with_context(|| path.display().to_string())?);
        }
        cases.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(cases)
    }

    fn load(path: &Path, root: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)?;
        let folder = path.parent().unwrap_or(root);
        let beside = path.with_extension("");
        // The headers name the sources, and the first source names the file of bare line numbers.
        let headers = Expectation::parse(&text, "")?;
        let (name, files) = match headers.header("sources") {
            Some(names) => (folder, names.split_whitespace().map(|n| folder.join(n)).collect()),
            None => (beside.as_path(), vec![beside.clone()]),
        };
        let main_file = files.first().and_then(|f: &PathBuf| f.file_name()?.to_str());
        let main_file = main_file.context("no source file")?.to_owned();
        let expectation = Expectation::parse(&text, &main_file)?;
        for key in expectation.header_keys() {
            ensure!(HEADER_KEYS.contains(&key), "unknown header `{key}`");
        }
        let sources = files.into_iter().map(with_language).collect::<Result<Vec<_>>>()?;
        Ok(Self {
            name: name.strip_prefix(root)?.display().to_string(),
            toolchains: toolchains_for(&sources, expectation.header("compilers"))?,
            sources,
            exit_code: expectation.header("exit").unwrap_or("0").parse().context("exit")?,
            environment: environment(expectation.header("environment"))?,
            may_fail_plainly: expectation.header("skip-plain-failure") == Some("yes"),
            expectation,
        })
    }

    /// What every file of the program is compiled and linked with: the language's standard, the
    /// flag that switches OpenMP on, and behind the files what the program asks for.
    pub(super) fn flags(&self, language: Language) -> (Vec<&str>, Vec<&str>) {
        let mut before = vec!["-g"];
        before.extend((language == Language::Cxx).then_some("-std=c++20"));
        before.extend(self.expectation.header("openmp").unwrap_or("-fopenmp").split_whitespace());
        let after = self.expectation.header("flags").unwrap_or_default();
        (before, after.split_whitespace().collect())
    }

    /// Options for `pompeii compile`.
    pub(super) fn instrument_options(&self) -> impl Iterator<Item = &str> {
        self.expectation.header("instrument").unwrap_or_default().split_whitespace()
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

fn with_language(path: PathBuf) -> Result<(PathBuf, Language)> {
    ensure!(path.is_file(), "{} does not exist", path.display());
    match Language::of(&path) {
        Some(language) => Ok((path, language)),
        None => bail!("{}: the suffix names no language", path.display()),
    }
}

fn toolchains_for(
    sources: &[(PathBuf, Language)],
    compilers: Option<&str>,
) -> Result<Vec<Toolchain>> {
    if sources.iter().any(|(_, language)| *language == Language::Fortran) {
        return Ok(vec![Toolchain::Gcc]);
    }
    compilers
        .unwrap_or("gcc clang")
        .split_whitespace()
        .map(|name| match name {
            "gcc" => Ok(Toolchain::Gcc),
            "clang" => Ok(Toolchain::Clang),
            _ => bail!("compilers: expected gcc or clang, found `{name}`"),
        })
        .collect()
}

fn environment(text: Option<&str>) -> Result<Vec<(String, String)>> {
    let words = text.unwrap_or_default().split_whitespace();
    words
        .map(|word| match word.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => bail!("environment: expected NAME=VALUE, found `{word}`"),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::programs_folder;
    use super::*;

    fn all() -> Vec<Case> {
        Case::all(&programs_folder()).unwrap()
    }

    #[test]
    fn every_source_file_belongs_to_a_program() {
        let cases = all();
        let mut files = Vec::new();
        collect(&programs_folder().canonicalize().unwrap(), &mut files).unwrap();
        let orphans: Vec<_> = files
            .iter()
            .filter(|path| Language::of(path).is_some())
            .filter(|path| !cases.iter().any(|c| c.sources.iter().any(|(p, _)| p == *path)))
            .collect();
        assert!(orphans.is_empty(), "no expectation: {orphans:?}");
    }

    /// Finds slips in the line numbers. Where a macro hides the directive there is nothing to find.
    /// A function's line has its name; a lambda's name is where its captures begin.
    #[test]
    fn every_row_stands_at_its_directive() {
        let mut wrong = Vec::new();
        for case in all().iter().filter(|case| !case.name.contains("macro_")) {
            let folder = case.sources[0].0.parent().unwrap();
            for site in case.expectation.sites().filter(|site| !site.place.is_empty()) {
                let (file, line) = site.place.rsplit_once(':').unwrap();
                let text = fs::read_to_string(folder.join(file)).unwrap();
                if !directive_at(&text, line.parse().unwrap(), &site.kind) {
                    wrong.push(format!("{}: {} at {}", case.name, site.kind, site.place));
                }
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }

    /// Whether the directive that starts in this line has the kind's word in it. The barrier at a
    /// construct's end has no word of its own: there the line must only exist and say something.
    fn directive_at(text: &str, line: usize, kind: &str) -> bool {
        if let Some(name) = kind.strip_prefix("function:") {
            let plain = name.rsplit("::").next().unwrap_or(name);
            let text = text.lines().nth(line - 1).unwrap_or_default().to_lowercase();
            return match plain.strip_prefix("lambda@").and_then(|place| place.split_once(':')) {
                Some((in_line, column)) => {
                    let before = column.parse::<usize>().unwrap() - 1;
                    in_line == line.to_string() && text[before..].starts_with('[')
                }
                // In fixed form a name may have blanks in it.
                None => text.replace(' ', "").contains(&plain.to_lowercase()),
            };
        }
        let mut directive = String::new();
        for line in text.lines().skip(line - 1) {
            directive.push_str(&line.to_lowercase());
            if !line.ends_with('\\') {
                break;
            }
        }
        let word = match kind {
            "implicit_barrier" => return !directive.trim().is_empty(),
            "create_task" => "task",
            // `single_sblock`, `cancellation_point`, `target_enter_data`: the first word must do.
            _ => match kind.split_once(':') {
                Some((_, name)) => name,
                None => kind.split('_').next().unwrap_or(kind),
            },
        };
        // A first section without a directive, a generated task, a loop's chunk.
        let stand_in = match word {
            "section" => "sections",
            "task" => "taskloop",
            "chunk" => "for",
            word => word,
        };
        let marked = directive.contains("omp");
        let mut words = directive.split(|c: char| !c.is_alphanumeric() && c != '_');
        // In fixed form a word may have blanks in it.
        let squeezed = directive.replace(' ', "");
        let in_pieces = squeezed.strip_prefix("c$omp").is_some_and(|rest| rest.starts_with(word));
        marked && (in_pieces || words.any(|w| w == word || w == stand_in))
    }
}

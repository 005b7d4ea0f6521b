//! A compiler's command line, as far as instrumenting needs it: which arguments are sources, what
//! is made of them, and whether OpenMP is on. Options of gcc, clang and gfortran, and the spellings
//! of other compilers where they are known.

use std::path::{Path, PathBuf};

use pompeii_instrument::Language;

/// What the command makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Preprocessed text, dependencies, a version: nothing to instrument.
    Other,
    /// Objects or assembly (`-c`, `-S`).
    Compile,
    /// An executable.
    Executable,
    /// A shared object.
    Shared,
}

/// A source among the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Position among the arguments.
    pub position: usize,
    /// Its path as given.
    pub path: PathBuf,
    /// Its language.
    pub language: Language,
}

/// A parsed command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The compiler and its arguments as given.
    pub words: Vec<String>,
    /// What it makes.
    pub stage: Stage,
    /// Sources, in order.
    pub sources: Vec<Source>,
    /// Whether OpenMP directives are in effect.
    pub openmp: bool,
    /// Longest Fortran line where an option says so; 0 for no limit.
    pub line_length: Option<usize>,
    /// The dependency file, where one is written.
    pub dependencies: Option<PathBuf>,
}

/// Options that are followed by a word of their own.
const WITH_WORD: [&str; 26] = [
    "-o",
    "-I",
    "-L",
    "-l",
    "-D",
    "-U",
    "-MF",
    "-MT",
    "-MQ",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-J",
    "-T",
    "-u",
    "-z",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-arch",
    "-aux-info",
    "-target",
    "-Xclang",
    "-mllvm",
];

/// Options that switch OpenMP directives on, for the compilers that are known.
const OPENMP: [&str; 8] =
    ["-fopenmp", "-qopenmp", "-openmp", "-mp", "-homp", "-Kopenmp", "-fiopenmp", "-qsmp=omp"];

/// Options after which nothing is compiled.
const OTHER: [&str; 7] = ["-E", "-M", "-MM", "-fsyntax-only", "--version", "-v", "-###"];

impl CommandLine {
    /// The arguments one by one, each with its position and with the word that belongs to it.
    pub fn arguments(&self) -> impl Iterator<Item = (usize, &[String])> {
        let mut position = 1;
        std::iter::from_fn(move || {
            let word = self.words.get(position)?;
            let start = position;
            let length = if WITH_WORD.contains(&word.as_str()) || word == "-x" { 2 } else { 1 };
            position += length;
            Some((start, &self.words[start..position.min(self.words.len())]))
        })
    }

    /// The language that a `-x` before this position sets.
    pub fn explicit_language(&self, position: usize) -> Option<&str> {
        let before = self.arguments().take_while(|(start, _)| *start < position);
        let named = before.filter_map(|(_, words)| match words[0].strip_prefix("-x")? {
            "" => words.get(1).map(String::as_str),
            joined => Some(joined),
        });
        named.filter(|name| *name == "none" || explicit_language(name).is_some()).last()
    }

    /// Reads the words of a command; the first is the compiler.
    pub fn parse(words: &[String]) -> Self {
        let mut line = Self {
            words: words.to_vec(),
            stage: Stage::Executable,
            sources: Vec::new(),
            openmp: false,
            line_length: None,
            dependencies: None,
        };
        let mut language = None;
        let mut form = None;
        let mut position = 1;
        while let Some(word) = words.get(position) {
            let next = words.get(position + 1);
            line.option(word, next);
            match word.as_str() {
                "-x" => language = next.map(|name| explicit_language(name)),
                joined if joined.strip_prefix("-x").and_then(explicit_language).is_some() => {
                    language = joined.strip_prefix("-x").map(explicit_language);
                }
                "-ffree-form" => form = Some(Language::FortranFree),
                "-ffixed-form" => form = Some(Language::FortranFixed),
                _ if !word.starts_with('-') => line.source(position, language.flatten()),
                _ => {}
            }
            position += if WITH_WORD.contains(&word.as_str()) || word == "-x" { 2 } else { 1 };
        }
        for source in line.sources.iter_mut().filter(|source| source.language.is_fortran()) {
            source.language = form.unwrap_or(source.language);
        }
        line.dependencies = line.dependency_file();
        line
    }

    fn option(&mut self, word: &str, next: Option<&String>) {
        match word {
            "-c" | "-S" if self.stage != Stage::Other => self.stage = Stage::Compile,
            "-shared" if self.stage == Stage::Executable => self.stage = Stage::Shared,
            "-MF" => self.dependencies = next.map(PathBuf::from),
            "-fno-openmp" => self.openmp = false,
            "-ffree-line-length-none" | "-ffixed-line-length-none" => self.line_length = Some(0),
            _ if OTHER.contains(&word) => self.stage = Stage::Other,
            _ if OPENMP.contains(&word) || word.starts_with("-fopenmp=") => self.openmp = true,
            _ => {}
        }
        let lengths = ["-ffree-line-length-", "-ffixed-line-length-"];
        let length = lengths.iter().find_map(|prefix| word.strip_prefix(prefix)?.parse().ok());
        self.line_length = length.or(self.line_length);
    }

    fn source(&mut self, position: usize, language: Option<Language>) {
        let path = PathBuf::from(&self.words[position]);
        let by_name = match Language::from_path(&self.words[position]) {
            Some(Language::C) if compiles_cxx(&self.words[0]) => Some(Language::Cxx),
            by_name => by_name,
        };
        if let Some(language) = language.or(by_name) {
            self.sources.push(Source { position, path, language });
        }
    }

    /// The value of `-o`.
    pub fn output(&self) -> Option<&str> {
        let position = self.words.iter().position(|word| word == "-o")?;
        self.words.get(position + 1).map(String::as_str)
    }

    /// Where gcc and clang write dependencies: `-MF`, else the output or the source with `.d`.
    fn dependency_file(&self) -> Option<PathBuf> {
        let wanted = self.words.iter().any(|word| word == "-MD" || word == "-MMD");
        if !wanted || self.dependencies.is_some() {
            return self.dependencies.clone().filter(|_| wanted);
        }
        let source = self.sources.first()?.path.file_name()?;
        let output = self.output().map_or_else(|| PathBuf::from(source), PathBuf::from);
        Some(output.with_extension("d"))
    }

    /// Whether something is linked.
    pub fn links(&self) -> bool {
        matches!(self.stage, Stage::Executable | Stage::Shared) && self.has_inputs()
    }

    /// Whether there is anything but options: `gcc --help` and the like make nothing.
    fn has_inputs(&self) -> bool {
        let mut words = self.words.iter().skip(1);
        while let Some(word) = words.next() {
            if WITH_WORD.contains(&word.as_str()) || word == "-x" {
                words.next();
            } else if !word.starts_with('-') {
                return true;
            }
        }
        false
    }
}

/// Whether this compiler takes files of C for C++.
fn compiles_cxx(compiler: &str) -> bool {
    let name = compiler.rsplit('/').next().unwrap_or(compiler);
    ["++", "cxx", "icpc", "icpx", "mpiCC"].iter().any(|part| name.contains(part))
}

fn explicit_language(name: &str) -> Option<Language> {
    match name {
        "c" => Some(Language::C),
        "c++" => Some(Language::Cxx),
        "f77" | "f77-cpp-input" => Some(Language::FortranFixed),
        "f95" | "f95-cpp-input" => Some(Language::FortranFree),
        _ => None,
    }
}

/// The folder that quoted includes of a source are relative to.
pub fn source_folder(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(command: &str, expected: Expect) {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let line = CommandLine::parse(&words);
        let sources: Vec<String> = line
            .sources
            .iter()
            .map(|source| format!("{}:{:?}", source.path.display(), source.language))
            .collect();
        let text = format!(
            "{:?} openmp={} links={} [{}] length={:?} deps={:?}",
            line.stage,
            line.openmp,
            line.links(),
            sources.join(" "),
            line.line_length,
            line.dependencies
        );
        expected.assert_eq(&text);
    }

    #[test]
    fn commands_are_understood() {
        check(
            "gcc -O2 -fopenmp ocean.c -o ocean -lm",
            expect![[r#"Executable openmp=true links=true [ocean.c:C] length=None deps=None"#]],
        );
        check(
            "g++ -c -I inc.c a.cpp -MD -o obj/a.o",
            expect![[
                r#"Compile openmp=false links=false [a.cpp:Cxx] length=None deps=Some("obj/a.d")"#
            ]],
        );
        check(
            "gfortran -fopenmp -ffree-line-length-200 -c a.f90 b.f -MMD -MF x.dep",
            expect![[
                r#"Compile openmp=true links=false [a.f90:FortranFree b.f:FortranFixed] length=Some(200) deps=Some("x.dep")"#
            ]],
        );
        check(
            "mpicxx -fopenmp -c a.c b.ii",
            expect!["Compile openmp=true links=false [a.c:Cxx b.ii:Cxx] length=None deps=None"],
        );
        check(
            "g++ -c -xc a.cpp -xHost",
            expect!["Compile openmp=false links=false [a.cpp:C] length=None deps=None"],
        );
        check(
            "gcc -E a.c",
            expect!["Other openmp=false links=false [a.c:C] length=None deps=None"],
        );
        check(
            "gcc -shared a.o -o liba.so",
            expect!["Shared openmp=false links=true [] length=None deps=None"],
        );
        check(
            "gfortran -ffixed-form -fopenmp -x f95 a.inc",
            expect!["Executable openmp=true links=true [a.inc:FortranFixed] length=None deps=None"],
        );
        check("gcc --version", expect!["Other openmp=false links=false [] length=None deps=None"]);
        check(
            "gcc -dumpversion",
            expect!["Executable openmp=false links=false [] length=None deps=None"],
        );
    }
}

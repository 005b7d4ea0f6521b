//! A compiler's command line, as far as instrumenting needs it: which arguments are sources, what
//! is made of them, and whether OpenMP is on.

mod options;
pub mod words;

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use pompeii_instrument::Language;

/// What is defined for sources with OpenMP: the version of the POMP API, for conditional
/// compilation (paper, section 3.6).
pub const POMP_MACRO: &str = "-D_POMP=200110";

/// Lines and inlined calls in the debug information, and nothing else there: with them the report
/// names the line of a call of MPI, and who calls a function. The code stays the same.
const LINES: &str = "-g1";

/// What the command makes; of several options the greatest decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// An executable.
    Executable,
    /// A shared object.
    Shared,
    /// Objects, assembly, precompiled headers: nothing that the library belongs into.
    Compile,
    /// Preprocessed text, dependencies, a version: nothing to instrument.
    Other,
}

/// A source among the arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Position among the words.
    pub position: usize,
    /// Its path as given; `-` for standard input.
    pub path: PathBuf,
    /// Its language.
    pub language: Language,
    /// The name of the language, where a `-x` in front of it sets one.
    pub explicit: Option<String>,
}

/// A parsed command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandLine {
    /// The whole command, with the words of response files in their place.
    pub words: Vec<OsString>,
    /// The same as text, which options are known by.
    pub texts: Vec<String>,
    /// Which of them is the compiler.
    pub compiler: usize,
    /// Whether libtool is in front of it.
    pub libtool: bool,
    /// Whether there are response files.
    pub response_files: bool,
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
    /// Whether there is anything but options: `gcc --help` and the like make nothing.
    has_inputs: bool,
}

/// What is known while the words are read.
#[derive(Default)]
struct Reading {
    /// The value of the last `-x`.
    explicit: Option<String>,
    /// The form of Fortran that an option sets.
    form: Option<Language>,
    /// Whether dependencies are written beside something else.
    wants_dependencies: bool,
}

impl CommandLine {
    /// Reads the words of a command; the first is the compiler, or what runs it.
    pub fn parse(given: &[OsString]) -> Self {
        let words = words::expand(given);
        let texts = words::texts(&words);
        let compiler = words::compiler_position(&texts);
        let mut line = Self {
            compiler,
            libtool: texts[..compiler].iter().any(|word| words::is_libtool(word)),
            response_files: words != given,
            words,
            texts,
            stage: Stage::Executable,
            sources: Vec::new(),
            openmp: false,
            line_length: None,
            dependencies: None,
            has_inputs: false,
        };
        let mut reading = Reading::default();
        let arguments: Vec<(usize, Vec<String>)> =
            line.arguments().map(|(position, words)| (position, words.to_vec())).collect();
        for (position, words) in &arguments {
            if words[0].starts_with('-') && words[0] != "-" {
                line.option(*position, words, &mut reading);
            } else {
                line.input(*position, reading.explicit.as_deref());
            }
        }
        for source in line.sources.iter_mut().filter(|source| source.language.is_fortran()) {
            source.language = reading.form.unwrap_or(source.language);
        }
        line.dependencies = line.dependency_file(reading.wants_dependencies);
        line.adapt_to_libtool();
        line
    }

    /// The compiler itself.
    pub fn program(&self) -> &OsStr {
        self.words.get(self.compiler).map_or(OsStr::new(""), OsString::as_os_str)
    }

    /// The same as text.
    pub fn program_text(&self) -> &str {
        self.texts.get(self.compiler).map_or("", String::as_str)
    }

    /// The words behind the compiler, as text.
    pub fn argument_texts(&self) -> &[String] {
        self.texts.get(self.compiler + 1..).unwrap_or_default()
    }

    /// The arguments one by one, as text, each with its position and with the word that belongs to
    /// it.
    pub fn arguments(&self) -> impl Iterator<Item = (usize, &[String])> {
        let mut position = self.compiler + 1;
        std::iter::from_fn(move || {
            let start = position;
            position += options::length(self.texts.get(start)?, self.libtool);
            Some((start, &self.texts[start..position.min(self.texts.len())]))
        })
    }

    /// The values of an option, joined to it or in a word of their own.
    pub fn values(&self, option: &str) -> impl Iterator<Item = &OsStr> {
        self.arguments().filter_map(move |(position, words)| {
            let joined = words[0].strip_prefix(option)?;
            if joined.is_empty() {
                self.next_word(position, words)
            } else {
                self.tail(position, option.len())
            }
        })
    }

    /// The word that belongs to the option at this position.
    fn next_word(&self, position: usize, words: &[String]) -> Option<&OsStr> {
        words.get(1).and_then(|_| self.words.get(position + 1)).map(OsString::as_os_str)
    }

    /// What a word has behind as many bytes.
    fn tail(&self, position: usize, bytes: usize) -> Option<&OsStr> {
        self.words.get(position)?.as_bytes().get(bytes..).map(OsStr::from_bytes)
    }

    fn option(&mut self, position: usize, words: &[String], reading: &mut Reading) {
        let (word, next) = (words[0].as_str(), words.get(1));
        match word {
            "-c" | "-S" | "-r" => self.makes(Stage::Compile),
            "-shared" | "-dynamiclib" => self.makes(Stage::Shared),
            "-MF" => self.dependencies = self.next_word(position, words).map(PathBuf::from),
            "-MD" | "-MMD" => reading.wants_dependencies = true,
            "-x" => reading.explicit = next.cloned(),
            "-ffree-form" => reading.form = Some(Language::FortranFree),
            "-ffixed-form" => reading.form = Some(Language::FortranFixed),
            "-ffree-line-length-none" | "-ffixed-line-length-none" => self.line_length = Some(0),
            _ if options::only_asks(word) => self.makes(Stage::Other),
            _ => {}
        }
        if let Some(name) = word.strip_prefix("-x").filter(|name| is_language(name)) {
            reading.explicit = Some(name.to_owned());
        }
        if let Some(rest) = word.strip_prefix("-Wp,-M") {
            let path = rest
                .find(',')
                .and_then(|comma| self.tail(position, word.len() - rest.len() + comma + 1));
            let path = path.map(PathBuf::from);
            reading.wants_dependencies |= rest.starts_with("D,") || rest.starts_with("MD,");
            if !rest.starts_with(['T', 'Q', 'P', 'G']) {
                self.dependencies = path.or(self.dependencies.take());
            }
        }
        self.openmp = options::openmp(words).unwrap_or(self.openmp);
        let lengths = ["-ffree-line-length-", "-ffixed-line-length-"];
        let length = lengths.iter().find_map(|prefix| word.strip_prefix(prefix)?.parse().ok());
        self.line_length = length.or(self.line_length);
    }

    fn makes(&mut self, stage: Stage) {
        self.stage = self.stage.max(stage);
    }

    fn input(&mut self, position: usize, explicit: Option<&str>) {
        let word = &self.texts[position];
        self.has_inputs = true;
        let explicit = explicit.filter(|name| *name != "none");
        let header = match explicit {
            Some(name) => name.contains("header"),
            None => is_header(word),
        };
        if header {
            return self.makes(Stage::Compile);
        }
        let by_name = match Language::from_path(word) {
            Some(Language::C) if compiles_cxx(self.program_text()) => Some(Language::Cxx),
            by_name => by_name,
        };
        if let Some(language) = explicit.map_or(by_name, explicit_language) {
            let (path, explicit) =
                (PathBuf::from(&self.words[position]), explicit.map(str::to_owned));
            self.sources.push(Source { position, path, language, explicit });
        }
    }

    /// libtool makes objects, and shared objects, of other names.
    fn adapt_to_libtool(&mut self) {
        if !self.libtool {
            return;
        }
        let front = &self.texts[..self.compiler];
        let is_mode = |mode: &str| {
            let joined = format!("--mode={mode}");
            let apart = front.windows(2).any(|pair| pair[0] == "--mode" && pair[1] == mode);
            apart || front.contains(&joined)
        };
        let library = self.output().is_some_and(|name| name.as_bytes().ends_with(b".la"));
        match (is_mode("compile"), is_mode("link")) {
            (true, _) => self.makes(Stage::Compile),
            (_, true) if library => self.makes(Stage::Shared),
            (_, true) => {}
            _ => self.makes(Stage::Other),
        }
    }

    /// The value of the last `-o`.
    pub fn output(&self) -> Option<&OsStr> {
        let outputs = self.arguments().filter_map(|(position, words)| match words[0].as_str() {
            "-o" => self.next_word(position, words),
            word if options::openmp(words).is_some() || word.starts_with("-objc") => None,
            word => word.strip_prefix("-o").and_then(|_| self.tail(position, 2)),
        });
        outputs.last()
    }

    /// Where gcc and clang write dependencies: `-MF`, else the output or the source with `.d`.
    fn dependency_file(&self, wanted: bool) -> Option<PathBuf> {
        if !wanted || self.dependencies.is_some() {
            return self.dependencies.clone().filter(|_| wanted);
        }
        let source = self.sources.first()?.path.file_name()?;
        let output = self.output().map_or_else(|| PathBuf::from(source), PathBuf::from);
        Some(output.with_extension("d"))
    }

    /// Whether something is linked.
    pub fn links(&self) -> bool {
        matches!(self.stage, Stage::Executable | Stage::Shared) && self.has_inputs
    }

    /// Whether the compiler sends this source through the preprocessor.
    pub fn preprocesses(&self, source: &Source) -> bool {
        let has = |option: &str| self.words.iter().any(|word| word == option);
        if has("-fpreprocessed") {
            return false;
        }
        if !source.language.is_fortran() {
            return !source.is_preprocessed();
        }
        let suffix = source.path.extension().unwrap_or_default().to_string_lossy();
        let by_name = match source.explicit.as_deref() {
            Some(name) => name.ends_with("-cpp-input"),
            None => suffix.starts_with('F') || suffix.eq_ignore_ascii_case("fpp"),
        };
        (by_name || has("-cpp")) && !has("-nocpp")
    }

    /// [`LINES`], where the compiler is of a family that has it and the user says nothing about
    /// debug information.
    pub fn lines(&self) -> Option<OsString> {
        let options = self.argument_texts();
        let is_known = options.iter().any(|word| word.starts_with("-fopenmp"))
            && !["flang", "ftn"].iter().any(|name| self.program_text().contains(name));
        let said = options.iter().any(|word| word.starts_with("-g"));
        (self.stage != Stage::Other && is_known && !said).then(|| LINES.into())
    }

    /// [`POMP_MACRO`], where it means something and the user does not say otherwise.
    pub fn macros(&self) -> Vec<OsString> {
        let preprocesses = self.sources.iter().any(|source| self.preprocesses(source));
        let said = self
            .values("-D")
            .chain(self.values("-U"))
            .any(|name| name.as_bytes().starts_with(b"_POMP"));
        let wanted = self.openmp && preprocesses && !said;
        wanted.then(|| POMP_MACRO.into()).into_iter().collect()
    }
}

impl Source {
    /// Whether the compiler reads standard input.
    pub fn is_standard_input(&self) -> bool {
        self.path.as_os_str() == "-"
    }

    /// Whether the compiler takes it for the output of a preprocessor.
    pub fn is_preprocessed(&self) -> bool {
        match self.explicit.as_deref() {
            Some(name) => name.ends_with("cpp-output"),
            None => self.path.extension().is_some_and(|suffix| suffix == "i" || suffix == "ii"),
        }
    }
}

/// Whether this compiler takes files of C for C++.
fn compiles_cxx(compiler: &str) -> bool {
    let name = words::base_name(compiler);
    ["++", "cxx", "icpc", "icpx", "mpiCC"].iter().any(|part| name.contains(part))
}

fn is_header(path: &str) -> bool {
    let suffix = Path::new(path).extension().and_then(|suffix| suffix.to_str());
    suffix.is_some_and(|suffix| {
        ["h", "hh", "hp", "hpp", "hxx", "h++", "H", "HPP", "tcc"].contains(&suffix)
    })
}

fn explicit_language(name: &str) -> Option<Language> {
    match name {
        "c" | "cpp-output" => Some(Language::C),
        "c++" | "c++-cpp-output" => Some(Language::Cxx),
        "f77" | "f77-cpp-input" => Some(Language::FortranFixed),
        "f95" | "f95-cpp-input" => Some(Language::FortranFree),
        _ => None,
    }
}

/// Whether `-xNAME` sets a language: `-xHost` and its like do not.
fn is_language(name: &str) -> bool {
    explicit_language(name).is_some()
        || ["none", "c-header", "c++-header", "assembler", "assembler-with-cpp", "cuda", "hip"]
            .contains(&name)
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
        let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
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
    fn lines_are_added_where_the_user_says_nothing_about_them() {
        let added = |command: &str| {
            let words: Vec<OsString> = command.split(' ').map(OsString::from).collect();
            CommandLine::parse(&words).lines()
        };
        for command in ["gcc -O2 -fopenmp a.c", "mpif90 -fopenmp=libomp -c a.f90"] {
            assert_eq!(added(command), Some("-g1".into()), "{command}");
        }
        let said = ["-g", "-g0", "-ggdb", "-gline-tables-only"];
        let said = said.map(|option| format!("gcc -fopenmp {option} -c a.c"));
        let others =
            ["gcc -c a.c", "flang-19 -fopenmp a.f90", "nvc -mp a.c", "gcc -fopenmp -E a.c"];
        for command in said.iter().map(String::as_str).chain(others) {
            assert_eq!(added(command), None, "{command}");
        }
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
            expect!["Other openmp=false links=false [] length=None deps=None"],
        );
    }

    #[test]
    fn openmp_is_switched_on_in_many_ways() {
        let is_on = |options: &str| {
            let words: Vec<OsString> =
                format!("cc {options} -c a.c").split(' ').map(OsString::from).collect();
            CommandLine::parse(&words).openmp
        };
        for on in [
            "-fopenmp",
            "-fopenmp=libomp",
            "-qopenmp",
            "-fiopenmp",
            "-mp",
            "-mp=multicore",
            "-xopenmp",
            "-qsmp=omp:noauto",
            "-h omp",
            "-Xpreprocessor -fopenmp",
            "-fno-openmp -fopenmp",
        ] {
            assert!(is_on(on), "{on}");
        }
        for off in [
            "",
            "-fopenmp-simd",
            "-fopenmp -fno-openmp",
            "-qopenmp-stubs",
            "-fopenacc",
            "-I -fopenmp",
            "-h noomp",
            "-pthread",
        ] {
            assert!(!is_on(off), "{off}");
        }
    }

    #[test]
    fn more_is_made_than_objects_and_programs() {
        check(
            "gcc -fopenmp -r a.c b.c -o c.o",
            expect!["Compile openmp=true links=false [a.c:C b.c:C] length=None deps=None"],
        );
        check(
            "gcc -fopenmp all.h",
            expect!["Compile openmp=true links=false [] length=None deps=None"],
        );
        check(
            "g++ -x c++-header all.txt",
            expect!["Compile openmp=false links=false [] length=None deps=None"],
        );
        check(
            "gcc -fopenmp -x assembler a.c",
            expect!["Executable openmp=true links=true [] length=None deps=None"],
        );
        check(
            "gcc -fopenmp -x cpp-output a.txt -x none b.c",
            expect!["Executable openmp=true links=true [a.txt:C b.c:C] length=None deps=None"],
        );
        check(
            "gcc -fopenmp -c -",
            expect!["Compile openmp=true links=false [] length=None deps=None"],
        );
        check(
            "gcc -fopenmp -x c -c -",
            expect!["Compile openmp=true links=false [-:C] length=None deps=None"],
        );
        check(
            "gcc -v -fopenmp a.c",
            expect!["Executable openmp=true links=true [a.c:C] length=None deps=None"],
        );
        check(
            "mpicc -showme:compile a.c",
            expect!["Other openmp=false links=false [a.c:C] length=None deps=None"],
        );
        check(
            "gcc -fopenmp -oprogram a.c -MMD",
            expect![[
                r#"Executable openmp=true links=true [a.c:C] length=None deps=Some("program.d")"#
            ]],
        );
        check(
            "gcc -c a.c -Wp,-MD,x/.a.d -Wp,-MT,a.o",
            expect![[
                r#"Compile openmp=false links=false [a.c:C] length=None deps=Some("x/.a.d")"#
            ]],
        );
        check(
            "ccache gcc -MD -MT a.o -MF a.dep -c a.c -o a.o",
            expect![[r#"Compile openmp=false links=false [a.c:C] length=None deps=Some("a.dep")"#]],
        );
    }

    #[test]
    fn libtool_has_names_and_options_of_its_own() {
        check(
            "./libtool --mode=compile gcc -fopenmp a.c",
            expect!["Compile openmp=true links=false [a.c:C] length=None deps=None"],
        );
        check(
            "libtool --mode=link gcc -rpath /lib -version-info 1:0:0 -o a.la a.lo",
            expect!["Shared openmp=false links=true [] length=None deps=None"],
        );
        check(
            "libtool --mode link gcc -o a a.lo b.la",
            expect!["Executable openmp=false links=true [] length=None deps=None"],
        );
        check(
            "libtool --mode=install cp a.la /lib",
            expect!["Other openmp=false links=false [] length=None deps=None"],
        );
    }
}

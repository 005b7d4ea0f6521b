//! Preprocessed text: what the user's compiler makes of a source with `-E`, and the options with
//! which that text is compiled.
//!
//! Directives in headers and in macros are only there. C and C++ are compiled as `.i` and `.ii`, so
//! that no macro of the command line is replaced a second time; Fortran gets the suffix that keeps
//! the preprocessor away. Line markers keep the user's files and lines, and tell the system's
//! headers, in messages and in debug information. Dependencies are written by the first step,
//! because the second one knows no headers.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{fs, str};

use anyhow::{Context, Result, bail};
use pompeii_instrument::Language;

use crate::compiler::{CommandLine, Source, Stage, source_folder};
use crate::execution::as_standard_input;
use crate::headers::{self, Folders};
use crate::raw_strings;
use crate::terminal::{cannot, indented, shown};

/// Includes nested deeper than this are left to the compiler.
const DEPTH_MAX: usize = 16;

/// The preprocessed text of a source.
pub struct Preprocessed {
    /// With line markers.
    pub text: Vec<u8>,
    /// What the preprocessor said.
    pub messages: Vec<u8>,
    /// Whether it was clang, which warns of its own markers.
    pub clang: bool,
}

/// What an option is about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Preprocessing,
    Dependencies,
    /// Linking, output, and where the compiler stops.
    Later,
    Other,
}

/// Asks the compiler of the command; `input` is what it would read from standard input.
///
/// # Errors
/// What it says, if it fails.
pub fn preprocess(
    line: &CommandLine,
    source: &Source,
    input: Option<&[u8]>,
) -> Result<Preprocessed> {
    let input = input.filter(|_| source.is_standard_input());
    let mut done = if line.preprocesses(source) {
        run(line, source, input)?
    } else {
        let text = match input {
            Some(text) => text.to_vec(),
            None => fs::read(&source.path).with_context(|| cannot("read", &source.path))?,
        };
        Preprocessed { text, messages: Vec::new(), clang: false }
    };
    if source.language.is_fortran() {
        done.text = with_includes(line, source, &done.text);
    }
    Ok(done)
}

fn run(line: &CommandLine, source: &Source, input: Option<&[u8]>) -> Result<Preprocessed> {
    let mut command = Command::new(line.program());
    command.args(line.macros());
    for (position, words) in line.arguments() {
        let is_source = line.sources.iter().any(|source| source.position == position);
        let kept = match role(&words[0]) {
            Role::Preprocessing => words[0] != "-P",
            Role::Dependencies => line.sources.len() == 1,
            Role::Later => false,
            // Objects and libraries.
            Role::Other => words[0].starts_with('-') && words[0] != "-x",
        };
        if kept && !is_source {
            command.args(&line.words[position..position + words.len()]);
        }
    }
    command.args(dependency_options(line));
    if keeps_comments(line) {
        command.arg("-C");
    }
    command.arg("-E");
    if let Some(language) = &source.explicit {
        command.args(["-x", language]);
    }
    let input = input.map_or_else(|| Ok(Stdio::null()), as_standard_input)?;
    let output = command.arg(&source.path).stdin(input).output();
    let output = output.with_context(|| format!("cannot start `{}`", line.program_text()))?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr);
        bail!("{}: cannot be preprocessed:{}", shown(&source.path), indented(&messages));
    }
    let head = &output.stdout[..output.stdout.len().min(4000)];
    let clang = String::from_utf8_lossy(head).contains("\"<command line>\"");
    let raw = clang && source.language == Language::Cxx;
    let text = if raw { raw_strings::mend(&output.stdout) } else { output.stdout };
    Ok(Preprocessed { text, messages: output.stderr, clang })
}

/// The dependency file and its target, where the compiler would take them from the object's name.
fn dependency_options(line: &CommandLine) -> Vec<OsString> {
    let mut options = Vec::new();
    let Some(path) = &line.dependencies else { return options };
    let has = |option: &str| line.texts.iter().any(|word| word.starts_with(option));
    // What is said to the preprocessor past the compiler says all.
    if line.sources.len() != 1 || has("-Wp,-M") {
        return options;
    }
    if !has("-MF") {
        options.extend(["-MF".into(), path.clone().into_os_string()]);
    }
    if let (Stage::Compile, Some(object)) = (line.stage, line.output())
        && !has("-MT")
        && !has("-MQ")
    {
        options.extend(["-MQ".into(), object.to_owned()]);
    }
    options
}

/// Comments may silence a warning: "fall through".
fn keeps_comments(line: &CommandLine) -> bool {
    let matters = |word: &String| word == "-W" || word == "-Wextra" || word.contains("fallthrough");
    !line.sources.iter().any(|source| source.language.is_fortran())
        && line.texts.iter().any(matters)
}

fn role(word: &str) -> Role {
    let starts = |prefixes: &[&str]| prefixes.iter().any(|prefix| word.starts_with(prefix));
    match word {
        "-c" | "-S" | "-o" | "-shared" | "-rdynamic" | "-static" => Role::Later,
        "-Xlinker" | "-T" | "-u" | "-z" | "-s" | "-r" => Role::Later,
        "-cpp" | "-P" | "-C" | "-CC" | "-H" | "-undef" => Role::Preprocessing,
        _ if starts(&["-l", "-L", "-Wl,", "-save-temps", "-fuse-ld"]) => Role::Later,
        _ if starts(&["-MD", "-MM", "-MP", "-MG", "-MF", "-MT", "-MQ"]) => Role::Dependencies,
        _ if starts(&["-Wp,-M"]) => Role::Dependencies,
        _ if starts(&["-D", "-U", "-I", "-i", "-Xpreprocessor", "-Wp,"]) => Role::Preprocessing,
        _ => Role::Other,
    }
}

/// Whether an option is of no use, or does harm, where all sources are preprocessed.
pub fn is_spent(line: &CommandLine, word: &str) -> bool {
    match role(word) {
        // Fortran looks for modules there.
        Role::Preprocessing if word.starts_with("-I") => {
            !line.sources.iter().any(|source| source.language.is_fortran())
        }
        Role::Preprocessing => !word.starts_with("-isysroot"),
        Role::Dependencies => true,
        _ => false,
    }
}

/// What stands for a source in the command: its preprocessed copy. The suffix says the language,
/// so an explicit one is suspended.
pub fn words_for(line: &CommandLine, source: &Source, copy: &Path) -> Vec<OsString> {
    let copy = copy.as_os_str().to_owned();
    let Some(explicit) = &source.explicit else { return vec![copy] };
    let mut words = vec!["-x".into(), "none".into(), copy];
    // clang complains of a `-x` behind the last file.
    if line.arguments().any(|(at, words)| at > source.position && !words[0].starts_with('-')) {
        words.extend(["-x".into(), explicit.into()]);
    }
    words
}

/// The name of the copy: that of the source with a suffix that keeps the preprocessor away.
pub fn file_name(source: &Source) -> PathBuf {
    let name = PathBuf::from(source.path.file_name().unwrap_or_default());
    let suffix = name.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    name.with_extension(match (source.language, suffix.as_str()) {
        (Language::C, _) => "i",
        (Language::Cxx, _) => "ii",
        (Language::FortranFree, "f90" | "f95" | "f03" | "f08") => &suffix,
        (Language::FortranFree, _) => "f90",
        (Language::FortranFixed, _) => "f",
    })
}

/// The text with INCLUDE lines replaced by the files that they name, where those have directives.
fn with_includes(line: &CommandLine, source: &Source, text: &[u8]) -> Vec<u8> {
    let mut expansion = Expansion { folders: Folders::new(line), output: Vec::new() };
    if !text.starts_with(b"# ") {
        expansion.marker(1, &source.path, "");
    }
    expansion.file(&source.path, text, 0);
    expansion.output
}

struct Expansion {
    folders: Folders,
    output: Vec<u8>,
}

impl Expansion {
    /// Adds the text of one file.
    fn file(&mut self, path: &Path, text: &[u8], depth: usize) {
        let mut place = (path.to_owned(), 0);
        for line in text.split_inclusive(|&byte| byte == b'\n') {
            place.1 += 1;
            let words = str::from_utf8(line).unwrap_or_default();
            if let Some((path, number)) = marker(line) {
                place = (path.to_owned(), number - 1);
            }
            let folder = source_folder(&place.0);
            let included = headers::fortran_include(words)
                .filter(|_| depth < DEPTH_MAX)
                .and_then(|name| self.folders.find(name, &folder, true))
                .and_then(|path| Some((fs::read(&path).ok()?, path)))
                .filter(|(text, _)| headers::has_fortran_directives(text));
            match included {
                Some((text, path)) => {
                    self.marker(1, &path, " 1");
                    self.file(&path, &text, depth + 1);
                    self.marker(place.1 + 1, &place.0, " 2");
                }
                None => self.output.extend_from_slice(line),
            }
        }
        if !self.output.ends_with(b"\n") {
            self.output.push(b'\n');
        }
    }

    fn marker(&mut self, line: u32, path: &Path, flag: &str) {
        let (before, behind) = (format!("# {line} \""), format!("\"{flag}\n"));
        let parts = [before.as_bytes(), path.as_os_str().as_bytes(), behind.as_bytes()];
        self.output.extend_from_slice(&parts.concat());
    }
}

/// File and line of a line marker.
fn marker(line: &[u8]) -> Option<(&Path, u32)> {
    let rest = line.strip_prefix(b"# ")?;
    let open = rest.iter().position(|&byte| byte == b'"')?;
    let close = rest.iter().rposition(|&byte| byte == b'"').filter(|&close| close > open)?;
    let number = str::from_utf8(&rest[..open]).ok()?.trim_end().parse().ok();
    Some((Path::new(OsStr::from_bytes(&rest[open + 1..close])), number.filter(|&line| line > 0)?))
}

//! Sources of a command and the copies that are compiled in their place.
//!
//! Copies have the names of the sources, so that whatever the compiler names after them has the
//! name that the user expects; options take care that includes, macros, debug information and
//! dependency files still name the user's file.
//!
//! The user's own text is rewritten where that shows everything, else what the preprocessor makes
//! of it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};
use pompeii_instrument::Outcome;

use crate::compiler::words::joined;
use crate::compiler::{CommandLine, Source, source_folder};
use crate::headers;
use crate::instrument_options::InstrumentOptions;
use crate::instrumented::render;
use crate::output::say;
use crate::preprocess::{self, Preprocessed};
use crate::workplace::Workplace;

/// When preprocessed text is instrumented.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// For every source.
    Always,
    /// Where the text itself does not show everything.
    Hidden,
    /// For none.
    Never,
}

/// A source with its rewritten copy.
pub struct Rewritten<'a> {
    /// The user's.
    pub source: &'a Source,
    /// What is compiled; the source's own path where that is standard input.
    pub copy: PathBuf,
    /// What the instrumenter says.
    pub outcome: Outcome,
    /// How the preprocessor fared, where its text was rewritten.
    pub preprocessed: Option<Preprocessed>,
}

/// What is the same for all sources of a command.
pub struct Job<'a> {
    /// The command.
    pub line: &'a CommandLine,
    /// The user's options.
    pub options: &'a InstrumentOptions,
    /// Whether a source that cannot be instrumented is an error.
    pub strict: bool,
    /// Where copies go.
    pub workplace: &'a Workplace,
    /// What the compiler would read from standard input, if that is a source.
    pub input: Option<&'a [u8]>,
}

/// What tells this compilation of a source from another one for the same program:
/// the options, and the name of what is made. Paths are left out, so that it is reproducible.
fn compilation(line: &CommandLine) -> String {
    let options = line.texts.iter().filter(|word| word.starts_with('-') && !word.contains('/'));
    let made = line.output().and_then(|path| Path::new(path).file_name());
    let made = made.map(|name| name.to_string_lossy().into_owned());
    options.cloned().chain(made).collect::<Vec<_>>().join(" ")
}

impl<'a> Job<'a> {
    /// Instruments all sources that have something to instrument. One that cannot be is left out,
    /// with a warning.
    ///
    /// # Errors
    /// The same, if the user wants to be strict.
    pub fn rewrite_all(&self, mode: Mode) -> Result<Vec<Rewritten<'a>>> {
        let mut rewritten = Vec::new();
        for (number, source) in self.line.sources.iter().enumerate() {
            match self.rewrite(source, mode, number) {
                Ok(Some(done)) => rewritten.push(done),
                Ok(None) => {}
                Err(error) if self.strict => return Err(error),
                Err(error) => say(format!("warning: {error:#}\n  it is compiled as it is")),
            }
        }
        Ok(rewritten)
    }

    /// Instruments one source; `None` where it has nothing to instrument.
    fn rewrite(
        &self,
        source: &'a Source,
        mode: Mode,
        number: usize,
    ) -> Result<Option<Rewritten<'a>>> {
        let text = match self.input.filter(|_| source.is_standard_input()) {
            Some(input) => Ok(input.to_vec()),
            None => fs::read(&source.path),
        };
        // The compiler says it better.
        let Ok(text) = text else { return Ok(None) };
        let outcome = match mode {
            Mode::Always => Err(anyhow!("not asked for")),
            _ => self.instrument(source, &text, source.is_preprocessed()),
        };
        let hidden = |outcome: &Outcome| {
            let hides = outcome.hides_directives()
                || (self.line.openmp && headers::hide_directives(self.line, source, &text))
                || (self.has_several_folders() && headers::is_beside(source, &text));
            hides && !source.is_preprocessed()
        };
        if mode != Mode::Never && outcome.as_ref().map_or(true, hidden) {
            match self.instrument_preprocessed(source) {
                Ok((outcome, preprocessed)) => {
                    if outcome.text == preprocessed.text {
                        return Ok(None);
                    }
                    return self.write(source, outcome, Some(preprocessed), number);
                }
                Err(error) if mode == Mode::Always => return Err(error),
                Err(_) => {}
            }
        }
        let outcome = outcome?;
        if outcome.text == text { Ok(None) } else { self.write(source, outcome, None, number) }
    }

    /// Headers beside a source are found by an option, which holds for all sources of the command.
    fn has_several_folders(&self) -> bool {
        let mut folders = self.line.sources.iter().map(|source| source.path.parent());
        let first = folders.next();
        folders.any(|folder| Some(folder) != first)
    }

    fn instrument_preprocessed(&self, source: &Source) -> Result<(Outcome, Preprocessed)> {
        let preprocessed = preprocess::preprocess(self.line, source, self.input)?;
        Ok((self.instrument(source, &preprocessed.text, true)?, preprocessed))
    }

    fn instrument(&self, source: &Source, text: &[u8], preprocessed: bool) -> Result<Outcome> {
        let name = match source.is_standard_input() {
            true => "<stdin>".to_owned(),
            false => {
                let name = mapped(self.line, source.path.as_os_str(), "-fmacro-prefix-map=");
                name.to_string_lossy().into_owned()
            }
        };
        let mut options = self.options.for_source(&name, source.language)?;
        if preprocessed && source.language.is_fortran() {
            // The suffix says to the front, too, that there is no preprocessor any more.
            let copy = Path::new(&name).with_file_name(preprocess::file_name(source));
            options.path = copy.display().to_string();
        }
        options.preprocessed |= preprocessed;
        options.own_folders = headers::measured_folders(self.line);
        options.openmp = self.line.openmp;
        options.compilation = compilation(self.line);
        if let Some(length) = self.line.line_length {
            options.line_length = if length == 0 { usize::MAX } else { length };
        }
        pompeii_instrument::instrument(text, &options)
            .map_err(|error| anyhow!("{}", render(&name, &error)))
    }

    /// Writes the copy that is compiled in place of the source.
    fn write(
        &self,
        source: &'a Source,
        outcome: Outcome,
        preprocessed: Option<Preprocessed>,
        number: usize,
    ) -> Result<Option<Rewritten<'a>>> {
        if source.is_standard_input() && preprocessed.is_none() {
            let copy = source.path.clone();
            return Ok(Some(Rewritten { source, copy, outcome, preprocessed }));
        }
        let name = match preprocessed {
            Some(_) => preprocess::file_name(source),
            None => PathBuf::from(source.path.file_name().unwrap_or_default()),
        };
        let copy = self.workplace.write_source(number, &name, &outcome.text)?;
        Ok(Some(Rewritten { source, copy, outcome, preprocessed }))
    }
}

/// The command with the rewritten sources in the place of the user's.
pub fn with_copies(line: &CommandLine, rewritten: &[Rewritten]) -> Vec<OsString> {
    let all_preprocessed = rewritten.len() == line.sources.len()
        && rewritten.iter().all(|one| one.preprocessed.is_some());
    let mut words = line.words[..=line.compiler].to_vec();
    if !all_preprocessed {
        words.extend(line.macros());
    }
    words.extend(line.lines());
    for one in rewritten {
        words.extend(include_options(one));
    }
    for (position, argument) in line.arguments() {
        match rewritten.iter().find(|one| one.source.position == position) {
            Some(one) if one.preprocessed.is_some() => {
                words.extend(preprocess::words_for(line, one.source, &one.copy));
            }
            Some(one) => words.push(one.copy.clone().into_os_string()),
            None if all_preprocessed && preprocess::is_spent(line, &argument[0]) => {}
            None => words.extend_from_slice(&line.words[position..position + argument.len()]),
        }
    }
    for one in rewritten {
        words.extend(name_options(line, one));
    }
    words
}

/// The options by which a copy finds what its source includes. They come first, as the source's
/// own folder does.
fn include_options(rewritten: &Rewritten) -> Vec<OsString> {
    let Rewritten { source, preprocessed, .. } = rewritten;
    let beside = source_folder(&source.path).into_os_string();
    match preprocessed {
        _ if source.language.is_fortran() => vec![joined([OsStr::new("-I"), &beside])],
        Some(Preprocessed { clang: true, .. }) => vec!["-Wno-gnu-line-marker".into()],
        Some(_) => Vec::new(),
        None => vec!["-iquote".into(), beside],
    }
}

/// The options by which a copy has the name of its source. They come last: of several that fit, the
/// last one counts, and one of the user's may fit the folder of the copy.
fn name_options(line: &CommandLine, rewritten: &Rewritten) -> Vec<OsString> {
    let Rewritten { source, copy, .. } = rewritten;
    let Some(from) = copy.parent().filter(|_| !source.is_standard_input()) else {
        return Vec::new();
    };
    let folder = match source.path.parent().map(Path::as_os_str) {
        Some(parent) if !parent.is_empty() => joined([parent, OsStr::new("/")]),
        _ => OsString::new(),
    };
    let map = |option: &str, to: &OsStr| {
        joined([OsStr::new(option), from.as_os_str(), OsStr::new("/="), to])
    };
    let in_macros = mapped(line, &folder, "-fmacro-prefix-map=");
    let in_debug = mapped(line, &folder, "-fdebug-prefix-map=");
    let mut options = vec![map("-ffile-prefix-map=", &in_macros)];
    if in_debug != in_macros {
        options.push(map("-fdebug-prefix-map=", &in_debug));
    }
    options
}

/// What the user's options make of a path, in macros or in debug information.
fn mapped(line: &CommandLine, path: &OsStr, option: &str) -> OsString {
    let maps = line.arguments().filter_map(|(position, _)| {
        let word = line.words[position].as_bytes();
        let map = word.strip_prefix(b"-ffile-prefix-map=");
        let map = map.or_else(|| word.strip_prefix(option.as_bytes()))?;
        map.split_at_checked(map.iter().position(|&byte| byte == b'=')?)
    });
    let found = maps.filter_map(|(from, to)| {
        let rest = path.as_bytes().strip_prefix(from)?;
        Some(joined([&to[1..], rest].map(OsStr::from_bytes)))
    });
    found.last().unwrap_or_else(|| path.to_owned())
}

//! `pompeii compile`: compile and link, instrumented.
//!
//! Sources are rewritten to a temporary folder under their own names, so that objects get the
//! names that the user expects; options take care that includes, macros, debug information and
//! dependency files still name the user's file (decision 25).
//!
//! The user's own text is rewritten where that shows everything; else, or where the result does not
//! compile, what the preprocessor makes of it. A file that cannot be compiled instrumented is
//! compiled as it is, with a warning.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use pompeii_instrument::{Outcome, Severity};

use super::instrument::{render, summary};
use super::say;
use crate::compiler::{CommandLine, Source, Stage, source_folder};
use crate::instrument_options::InstrumentOptions;
use crate::preprocess::{self, Preprocessed};
use crate::{headers, library};

/// Options of `compile`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii compile -- gcc -O2 -fopenmp ocean.c -o ocean
    pompeii compile -- gfortran -fopenmp -c grid.f90
    make CC='pompeii compile -- gcc'
    pompeii compile --strict --pomp-disable=atomic -- g++ -fopenmp retrieval.cpp")]
pub struct Arguments {
    /// A file that cannot be compiled instrumented is an error, not a warning
    #[arg(long)]
    strict: bool,
    /// Instrument what the preprocessor makes of every source, not only where directives come from
    /// headers and macros
    #[arg(long, conflicts_with = "no_preprocess")]
    preprocess: bool,
    /// Instrument the sources themselves, never what the preprocessor makes of them
    #[arg(long)]
    no_preprocess: bool,
    /// Keep the rewritten sources in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Say nothing about what was instrumented
    #[arg(long, short)]
    quiet: bool,
    #[command(flatten)]
    instrument: InstrumentOptions,
    /// The compiler and its arguments
    #[arg(last = true, required = true, value_name = "COMPILER ARGS")]
    command: Vec<String>,
}

/// When preprocessed text is instrumented.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Always,
    /// Where the text itself does not show everything.
    Hidden,
    Never,
}

/// A source with its rewritten copy.
struct Rewritten<'a> {
    source: &'a Source,
    copy: PathBuf,
    outcome: Outcome,
    /// How the preprocessor fared, where its text was rewritten.
    preprocessed: Option<Preprocessed>,
}

/// What is the same for all sources of a command.
struct Job<'a> {
    line: &'a CommandLine,
    options: &'a InstrumentOptions,
    strict: bool,
    folder: &'a Path,
}

/// Does it; the exit code is the compiler's.
pub fn execute(arguments: Arguments) -> Result<ExitCode> {
    let line = &CommandLine::parse(&arguments.command);
    let temporary = tempfile::Builder::new().prefix("pompeii-").tempdir()?;
    let folder = arguments.keep.as_deref().unwrap_or(temporary.path());
    let job = Job { line, options: &arguments.instrument, strict: arguments.strict, folder };
    let mode = match (arguments.preprocess, arguments.no_preprocess) {
        (true, _) => Mode::Always,
        (_, true) => Mode::Never,
        _ => Mode::Hidden,
    };
    let rewritten = job.rewrite_all(mode)?;
    let plain = with_library(line, line.words.clone())?;
    if rewritten.is_empty() {
        return run(&plain, false).map(|done| done.code);
    }
    let done = run(&with_library(line, with_copies(line, &rewritten))?, true)?;
    if done.success {
        return Ok(finish(line, &rewritten, &done, arguments.quiet));
    }
    // Perhaps the user's own text does not compile either.
    let check = run(&plain, true)?;
    if !check.success {
        super::print_error_bytes(&check.messages);
        return Ok(check.code);
    }
    if mode == Mode::Hidden && rewritten.iter().any(|one| one.preprocessed.is_none()) {
        let rewritten = job.rewrite_all(Mode::Always)?;
        let done = run(&with_library(line, with_copies(line, &rewritten))?, true)?;
        if done.success {
            return Ok(finish(line, &rewritten, &done, arguments.quiet));
        }
    }
    fall_back(arguments.strict, &plain, &done)
}

/// What there is to do and to say after a success.
fn finish(line: &CommandLine, rewritten: &[Rewritten], done: &Done, quiet: bool) -> ExitCode {
    for one in rewritten.iter().filter_map(|one| one.preprocessed.as_ref()) {
        super::print_error_bytes(&one.messages);
    }
    super::print_error_bytes(&done.messages);
    mend_dependencies(line, rewritten);
    if !quiet {
        rewritten.iter().for_each(announce);
    }
    done.code
}

impl<'a> Job<'a> {
    /// Instruments all sources that have something to instrument. One that cannot be is left out,
    /// with a warning.
    fn rewrite_all(&self, mode: Mode) -> Result<Vec<Rewritten<'a>>> {
        let mut rewritten = Vec::new();
        let wanted = self.line.openmp || self.options.measures_functions();
        if !wanted || self.line.stage == Stage::Other {
            return Ok(rewritten);
        }
        for (number, source) in self.line.sources.iter().enumerate() {
            match self.rewrite(source, mode, &self.folder.join(number.to_string())) {
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
        folder: &Path,
    ) -> Result<Option<Rewritten<'a>>> {
        let Ok(text) = fs::read(&source.path) else {
            // The compiler says it better.
            return Ok(None);
        };
        let outcome = match mode {
            Mode::Always => Err(anyhow!("not asked for")),
            _ => self.instrument(source, &text, false),
        };
        let hidden = |outcome: &Outcome| {
            let in_headers =
                || self.line.openmp && headers::hide_directives(self.line, source, &text);
            outcome.hides_directives() || in_headers()
        };
        if mode != Mode::Never && outcome.as_ref().map_or(true, hidden) {
            match self.instrument_preprocessed(source) {
                Ok((outcome, preprocessed)) => {
                    if outcome.text == preprocessed.text {
                        return Ok(None);
                    }
                    return self.write(source, outcome, Some(preprocessed), folder);
                }
                Err(error) if mode == Mode::Always => return Err(error),
                Err(_) => {}
            }
        }
        let outcome = outcome?;
        if outcome.text == text { Ok(None) } else { self.write(source, outcome, None, folder) }
    }

    fn instrument_preprocessed(&self, source: &Source) -> Result<(Outcome, Preprocessed)> {
        let preprocessed = preprocess::preprocess(self.line, source)?;
        Ok((self.instrument(source, &preprocessed.text, true)?, preprocessed))
    }

    fn instrument(&self, source: &Source, text: &[u8], preprocessed: bool) -> Result<Outcome> {
        let name = source.path.display().to_string();
        let mut options = self.options.for_source(&name, source.language)?;
        if preprocessed && source.language.is_fortran() {
            // The suffix says to the front, too, that there is no preprocessor any more.
            let copy = source.path.with_file_name(preprocess::file_name(source));
            options.path = copy.display().to_string();
        }
        options.preprocessed |= preprocessed;
        options.openmp = self.line.openmp;
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
        folder: &Path,
    ) -> Result<Option<Rewritten<'a>>> {
        fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        let copy = match preprocessed {
            Some(_) => folder.join(preprocess::file_name(source)),
            None => folder.join(source.path.file_name().unwrap_or_default()),
        };
        fs::write(&copy, &outcome.text).with_context(|| copy.display().to_string())?;
        Ok(Some(Rewritten { source, copy, outcome, preprocessed }))
    }
}

/// The command with the rewritten sources in the place of the user's.
fn with_copies(line: &CommandLine, rewritten: &[Rewritten]) -> Vec<String> {
    let all_preprocessed = rewritten.len() == line.sources.len()
        && rewritten.iter().all(|one| one.preprocessed.is_some());
    let mut words = vec![line.words[0].clone()];
    for one in rewritten {
        words.extend(place_options(one));
    }
    for (position, argument) in line.arguments() {
        match rewritten.iter().find(|one| one.source.position == position) {
            Some(one) if one.preprocessed.is_some() => {
                words.extend(preprocess::words_for(line, one.source, &one.copy));
            }
            Some(one) => words.push(one.copy.display().to_string()),
            None if all_preprocessed && preprocess::is_spent(line, &argument[0]) => {}
            None => words.extend_from_slice(argument),
        }
    }
    words
}

/// The options that make a copy take the place of its source.
fn place_options(rewritten: &Rewritten) -> Vec<String> {
    let Rewritten { source, copy, preprocessed, .. } = rewritten;
    let beside = source_folder(&source.path).display().to_string();
    let from = copy.parent().unwrap_or(Path::new("")).display().to_string();
    let prefix = match source.path.parent().map(|parent| parent.display().to_string()) {
        Some(parent) if !parent.is_empty() => format!("{parent}/"),
        _ => String::new(),
    };
    let mut options = vec![format!("-ffile-prefix-map={from}/={prefix}")];
    match preprocessed {
        _ if source.language.is_fortran() => options.push(format!("-I{beside}")),
        Some(Preprocessed { clang: true, .. }) => options.push("-Wno-gnu-line-marker".to_owned()),
        Some(_) => {}
        None => options.extend(["-iquote".to_owned(), beside]),
    }
    options
}

/// The command with the runtime library behind everything, where it links. Executables take the
/// archive and export its API, shared objects take the shared library (decision 5).
fn with_library(line: &CommandLine, mut words: Vec<String>) -> Result<Vec<String>> {
    if !line.links() {
        return Ok(words);
    }
    let folder = library::folder()?.display().to_string();
    words.push(format!("-L{folder}"));
    if line.stage == Stage::Shared {
        words.extend(["-lpomp".to_owned(), format!("-Wl,-rpath,{folder}")]);
    } else if words.iter().any(|word| word == "-static") {
        words.extend(["-l:libpomp-static.a", "-lpthread", "-ldl", "-lm"].map(str::to_owned));
    } else {
        words.push("-l:libpomp.a".to_owned());
        for api in ["POMP_*", "POMP2_*", "pomp2_*"] {
            words.push(format!("-Wl,--export-dynamic-symbol={api}"));
        }
        words.extend(["-lpthread", "-ldl", "-lm"].map(str::to_owned));
        if line.openmp {
            // The OpenMP library comes last, and a program that uses nothing but lock routines,
            // which ours resolves, would lose it.
            words.push("-Wl,--no-as-needed".to_owned());
        }
    }
    Ok(words)
}

/// How a compiler ended.
struct Done {
    success: bool,
    code: ExitCode,
    messages: Vec<u8>,
}

fn run(words: &[String], capture: bool) -> Result<Done> {
    let (program, arguments) = words.split_first().context("no compiler given")?;
    let messages = if capture { Stdio::piped() } else { Stdio::inherit() };
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::inherit()).stdout(Stdio::inherit()).stderr(messages);
    let output = match command.output() {
        Ok(output) => output,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("compiler `{program}` not found: install it, or name another after `--`")
        }
        Err(error) => return Err(error).with_context(|| format!("cannot start `{program}`")),
    };
    let code = output.status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1);
    Ok(Done {
        success: output.status.success(),
        code: ExitCode::from(code),
        messages: output.stderr,
    })
}

/// The instrumented text does not compile, the user's does.
fn fall_back(strict: bool, plain: &[String], failed: &Done) -> Result<ExitCode> {
    let done = run(plain, true)?;
    let first = String::from_utf8_lossy(&failed.messages);
    if strict {
        bail!("this compiles, but not instrumented:\n{}", first.trim_end());
    }
    super::print_error_bytes(&done.messages);
    let first = first.lines().find(|line| line.contains("rror")).unwrap_or("");
    say(format!("warning: compiled without instrumentation, since that does not compile: {first}"));
    Ok(done.code)
}

/// Dependency files name the rewritten copy: they shall name the user's source.
fn mend_dependencies(line: &CommandLine, rewritten: &[Rewritten]) {
    let Some(path) = &line.dependencies else { return };
    let Ok(mut text) = fs::read_to_string(path) else { return };
    for Rewritten { source, copy, .. } in rewritten.iter().filter(|one| one.preprocessed.is_none())
    {
        text = text.replace(&*copy.display().to_string(), &source.path.display().to_string());
    }
    if let Err(error) = fs::write(path, text) {
        say(format!("warning: {}: {error}", path.display()));
    }
}

fn announce(rewritten: &Rewritten) {
    let name = rewritten.source.path.display();
    let after = if rewritten.preprocessed.is_some() { " after preprocessing" } else { "" };
    say(format!("{name}: {}{after}", summary(&rewritten.outcome)));
    for remark in &rewritten.outcome.diagnostics {
        if remark.severity >= Severity::Warning {
            say(format!("{name}:{}: warning: {}", remark.line, remark.message));
        }
    }
}

//! `pompeii compile`: compile and link, instrumented.
//!
//! Sources are rewritten to a temporary folder under their own names, so that objects get the
//! names that the user expects; options take care that includes, macros, debug information and
//! dependency files still name the user's file (decision 25). A file that cannot be instrumented,
//! or does not compile instrumented, is compiled as it is, with a warning.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context, Result, anyhow, bail};
use pompeii_instrument::{Disabled, Options, Outcome, Severity};

use super::instrument::render;
use super::say;
use crate::compiler::{CommandLine, Source, Stage, source_folder};
use crate::library;

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
    /// Constructs without events, separated by commas; `sync` for all short synchronisation
    #[arg(long, value_name = "LIST", default_value = "", hide_default_value = true)]
    pomp_disable: String,
    /// Keep the rewritten sources in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Say nothing about what was instrumented
    #[arg(long, short)]
    quiet: bool,
    /// The compiler and its arguments
    #[arg(last = true, required = true, value_name = "COMPILER ARGS")]
    command: Vec<String>,
}

/// A source with its rewritten copy.
struct Rewritten<'a> {
    source: &'a Source,
    copy: PathBuf,
    outcome: Outcome,
}

/// Does it; the exit code is the compiler's.
pub fn execute(arguments: Arguments) -> Result<ExitCode> {
    let line = CommandLine::parse(&arguments.command);
    let disabled = Disabled::parse(&arguments.pomp_disable)
        .map_err(|message| anyhow!("--pomp-disable: {message}"))?;
    let temporary = tempfile::Builder::new().prefix("pompeii-").tempdir()?;
    let folder = arguments.keep.as_deref().unwrap_or(temporary.path());
    let mut rewritten = Vec::new();
    if line.openmp && line.stage != Stage::Other {
        for (number, source) in line.sources.iter().enumerate() {
            match rewrite(source, &line, &disabled, &folder.join(number.to_string())) {
                Ok(Some(done)) => rewritten.push(done),
                Ok(None) => {}
                Err(error) if arguments.strict => return Err(error),
                Err(error) => say(format!("warning: {error:#}\n  it is compiled as it is")),
            }
        }
    }
    let plain = with_library(&line, line.words.clone())?;
    if rewritten.is_empty() {
        return run(&plain, false).map(|done| done.code);
    }
    let instrumented = with_library(&line, with_copies(&line, &rewritten))?;
    let done = run(&instrumented, true)?;
    if !done.success {
        return fall_back(&arguments, &plain, &done);
    }
    super::print_error_bytes(&done.messages);
    mend_dependencies(&line, &rewritten);
    if !arguments.quiet {
        rewritten.iter().for_each(announce);
    }
    Ok(done.code)
}

/// Instruments one source; `None` where it has nothing to instrument.
fn rewrite<'a>(
    source: &'a Source,
    line: &CommandLine,
    disabled: &Disabled,
    folder: &Path,
) -> Result<Option<Rewritten<'a>>> {
    let Ok(text) = fs::read(&source.path) else {
        // The compiler says it better.
        return Ok(None);
    };
    let name = source.path.display().to_string();
    let mut options = Options::new(&name, source.language);
    options.disabled = disabled.clone();
    if let Some(length) = line.line_length {
        options.line_length = if length == 0 { usize::MAX } else { length };
    }
    let outcome = pompeii_instrument::instrument(&text, &options)
        .map_err(|error| anyhow!("{}", render(&name, &error)))?;
    if outcome.directives_instrumented == 0 && outcome.text == text {
        return Ok(None);
    }
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    let copy = folder.join(source.path.file_name().unwrap_or_default());
    fs::write(&copy, &outcome.text).with_context(|| copy.display().to_string())?;
    Ok(Some(Rewritten { source, copy, outcome }))
}

/// The command with the rewritten sources in the place of the user's.
fn with_copies(line: &CommandLine, rewritten: &[Rewritten]) -> Vec<String> {
    let mut words = line.words.clone();
    let mut options = Vec::new();
    for Rewritten { source, copy, .. } in rewritten {
        words[source.position] = copy.display().to_string();
        let beside = source_folder(&source.path).display().to_string();
        let from = copy.parent().unwrap_or(Path::new("")).display().to_string();
        let prefix = match source.path.parent().map(|parent| parent.display().to_string()) {
            Some(parent) if !parent.is_empty() => format!("{parent}/"),
            _ => String::new(),
        };
        options.push(format!("-ffile-prefix-map={from}/={prefix}"));
        if source.language.is_fortran() {
            options.push(format!("-I{beside}"));
        } else {
            options.extend(["-iquote".to_owned(), beside]);
        }
    }
    words.splice(1..1, options);
    words
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
    } else {
        words.push("-l:libpomp.a".to_owned());
        words.push("-Wl,--export-dynamic-symbol=POMP_*".to_owned());
        words.extend(["-lpthread", "-ldl", "-lm"].map(str::to_owned));
        if line.openmp {
            // The OpenMP library comes last, and a program that uses nothing but lock routines, which
            // ours resolves, would lose it.
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

/// The instrumented text does not compile: perhaps the user's does not either.
fn fall_back(arguments: &Arguments, plain: &[String], failed: &Done) -> Result<ExitCode> {
    let done = run(plain, true)?;
    if !done.success {
        super::print_error_bytes(&done.messages);
        return Ok(done.code);
    }
    let first = String::from_utf8_lossy(&failed.messages);
    if arguments.strict {
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
    for Rewritten { source, copy, .. } in rewritten {
        text = text.replace(&*copy.display().to_string(), &source.path.display().to_string());
    }
    if let Err(error) = fs::write(path, text) {
        say(format!("warning: {}: {error}", path.display()));
    }
}

fn announce(rewritten: &Rewritten) {
    let Outcome { directives_instrumented: done, directives_found: found, .. } = rewritten.outcome;
    let name = rewritten.source.path.display();
    say(format!("{name}: instrumented {done} of {found} directives"));
    for remark in &rewritten.outcome.diagnostics {
        if remark.severity == Severity::Warning {
            say(format!("{name}:{}: warning: {}", remark.line, remark.message));
        }
    }
}

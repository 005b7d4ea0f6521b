//! `pompeii compile`: compile and link, instrumented.
//!
//! Whatever is not a compilation of the user's sources with OpenMP is handed to the compiler, which
//! takes the place of this process. Else rewritten copies are compiled in the place of the sources.
//! Where they do not compile, what the preprocessor makes of the sources is tried; and a file that
//! cannot be compiled instrumented is compiled as it is, with a warning.

use std::ffi::{OsStr, OsString};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Command, ExitCode, ExitStatus};

use anyhow::{Context, Result, bail};
use pompeii_instrument::{Language, Severity};

use crate::compiler::words::{joined, texts};
use crate::compiler::{CommandLine, Stage};
use crate::execution::{self, Done, Execution};
use crate::instrument_options::InstrumentOptions;
use crate::instrumented::summary;
use crate::linking::{self, Linked};
use crate::mpi::{Mpi, archives, wrappers};
use crate::output::{self, say};
use crate::rewriting::{Job, Mode, Rewritten, with_copies};
use crate::terminal::{indented, shown};
use crate::workplace::Workplace;
use crate::{
    build_tools, child, dependencies, late, library, pomp2_link, probe, settings, without_openmp,
};

/// Options of `compile`.
#[derive(clap::Args)]
#[command(args_override_self = true)]
#[command(before_long_help = "EXAMPLES
    pompeii compile -- gcc -O2 -fopenmp ocean.c -o ocean
    pompeii compile -- gfortran -fopenmp -c grid.f90
    pompeii compile --strict --pomp-disable=atomic -- g++ -fopenmp retrieval.cpp

For make, configure and CMake use the drop-in compilers made by `pompeii wrappers`, because some
build systems do not accept a compiler command of several words:
    make CC=pompeii-gcc
    CC=pompeii-gcc cmake -B build

Options can also be given in the variable POMPEII_INSTRUMENT, and in the table [instrument] of a
file pompeii.toml in the folder of the source or above. The command line overrides the variable, and
the variable overrides the file.")]
pub struct Arguments {
    /// Treat it as an error if a file cannot be instrumented, instead of warning and compiling the
    /// original
    #[arg(long)]
    strict: bool,
    /// Instrument the preprocessed text of every source, instead of only of sources with
    /// directives from macros and headers
    #[arg(long, overrides_with = "no_preprocess")]
    preprocess: bool,
    /// Never instrument preprocessed text
    #[arg(long, overrides_with = "preprocess")]
    no_preprocess: bool,
    /// Keep the rewritten sources in this folder
    #[arg(long, value_name = "DIR")]
    keep: Option<PathBuf>,
    /// Link this library instead of Pompeii's; it must define the routines of pomp.h. `none`: the
    /// command itself names a library
    #[arg(long, value_name = "FILE")]
    pomp_library: Option<PathBuf>,
    /// Print only warnings and errors (the default of drop-in compilers)
    #[arg(long, short, overrides_with = "verbose")]
    quiet: bool,
    /// Also print what was instrumented (the default, except for drop-in compilers)
    #[arg(long, short, overrides_with = "quiet")]
    verbose: bool,
    /// Ignore POMPEII_INSTRUMENT and pompeii.toml
    #[arg(long)]
    no_config: bool,
    #[command(flatten)]
    instrument: InstrumentOptions,
    /// The compiler and its arguments
    #[arg(last = true, required = true, value_name = "COMPILER ARGS")]
    command: Vec<OsString>,
}

/// Does it; the exit code is the compiler's.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let line = CommandLine::parse(&arguments.command);
    build_tools::refuse(&texts(&line.words))?;
    if probe::is_probe(&line) {
        return Err(execution::replace(&arguments.command));
    }
    let command = UsersCommand::new(&line, arguments)?;
    if line.stage == Stage::Other {
        return command.pass_on(arguments);
    }
    without_openmp::warn(&line);
    let wanted = line.openmp || arguments.instrument.measures_functions();
    if !wanted || line.sources.is_empty() {
        return match command.unit {
            true => link(arguments, &line, &command),
            false => Err(execution::replace(&command.plain())),
        };
    }
    // A wrong word is no reason to leave a source alone.
    arguments.instrument.for_source("", Language::C)?;
    // The folder of the copies is gone before a signal ends this process.
    let status = compile(arguments, &line, &command)?;
    Ok(child::exit_like(status))
}

/// The command as the user gave it, and what is added to every variant of it.
struct UsersCommand<'a> {
    line: &'a CommandLine,
    given: &'a [OsString],
    /// In front of all libraries.
    front: Vec<OsString>,
    library: Vec<OsString>,
    /// Whether it needs the unit that initialises POMP2's handles.
    unit: bool,
    /// Whether something else links the object.
    late: bool,
}

impl<'a> UsersCommand<'a> {
    fn new(line: &'a CommandLine, arguments: &'a Arguments) -> Result<Self> {
        let (mut front, mut library) = (Vec::new(), Vec::new());
        match &arguments.pomp_library {
            _ if !line.links() => {}
            Some(none) if none.as_os_str() == "none" => {}
            Some(foreign) => library.push(foreign.clone().into_os_string()),
            None => {
                front = mpi_words(line);
                library = library_words(line, arguments.instrument.observes_locks()?)?;
            }
        }
        let foreign = arguments.pomp_library.is_some() && arguments.instrument.is_pomp2();
        let unit = foreign && line.links() && line.stage != Stage::Shared;
        let late = arguments.pomp_library.is_none() && late::is_wanted(line);
        Ok(Self { line, given: &arguments.command, front, library, unit, late })
    }

    /// Not instrumented, with nothing but the library behind it.
    fn plain(&self) -> Vec<OsString> {
        self.with_library(self.without_library())
    }

    fn with_library(&self, mut words: Vec<OsString>) -> Vec<OsString> {
        let behind = (self.line.compiler + 1).min(words.len());
        words.splice(behind..behind, self.front.iter().cloned());
        words.extend_from_slice(&self.library);
        words
    }

    fn without_library(&self) -> Vec<OsString> {
        let mut words = self.given.to_vec();
        let behind = (self.line.compiler + 1).min(words.len());
        words.splice(behind..behind, self.line.macros().into_iter().chain(self.line.lines()));
        words
    }

    /// With these sources instrumented.
    fn complete(&self, rewritten: &[Rewritten], workplace: &Workplace) -> Result<Vec<OsString>> {
        let mut words = match rewritten.is_empty() {
            true => self.without_library(),
            false => with_copies(self.line, rewritten),
        };
        if self.unit {
            let texts = rewritten.iter().map(|one| one.outcome.text.as_slice());
            let unit = pomp2_link::unit(self.line, texts, workplace)?;
            words.extend(unit.map(PathBuf::into_os_string));
        }
        Ok(self.with_library(words))
    }

    /// Hands on a command that makes no objects. In preprocessed text the file with settings is
    /// named like a header, and told by what it says: a compiler cache in front of us takes the
    /// text, and the files that it names, for all that counts.
    fn pass_on(&self, arguments: &Arguments) -> Result<ExitCode> {
        let has = |option: &str| self.line.texts.iter().any(|word| word == option);
        let text = has("-E") && !has("-P") && !has("-M") && !has("-MM");
        let settings = match text && self.line.openmp && !arguments.no_config {
            true => settings::file(self.line),
            false => None,
        };
        let words = self.plain();
        let Some(settings) = settings else { return Err(execution::replace(&words)) };
        let status = Command::new(&words[0]).args(&words[1..]).status();
        let status = status.with_context(|| format!("cannot start `{}`", shown(&words[0])))?;
        if status.success() {
            let content = settings::fingerprint(&settings);
            let (name, rest) = (settings.as_os_str(), format!("\"\n# 1 \"<{content:016x}>\"\n"));
            let marker = joined([OsStr::new("# 1 \""), name, OsStr::new(&rest)]);
            match self.line.output().filter(|path| *path != "-") {
                Some(path) => {
                    OpenOptions::new().append(true).open(path)?.write_all(marker.as_bytes())?
                }
                None => output::print_bytes(marker.as_bytes())?,
            }
        }
        Ok(child::exit_like(status))
    }
}

/// Whether nothing is linked that is not in the program itself.
fn is_static(line: &CommandLine) -> bool {
    let has = |option: &str| line.texts.iter().any(|word| word == option);
    // To libtool, `-static` is about its own libraries.
    (has("-static") && !line.libtool) || has("-static-pie")
}

/// The words for the runtime library.
fn library_words(line: &CommandLine, locks: bool) -> Result<Vec<OsString>> {
    let linked = match line.stage {
        Stage::Shared => Linked::Shared,
        _ if is_static(line) => Linked::Static,
        _ => Linked::Executable { openmp: line.openmp, locks },
    };
    let folder = library::folder()?;
    // A language that is still set would be the library's, too.
    let set = line.values("-x").last().is_some_and(|name| name != "none");
    let reset = if set { vec!["-x".into(), "none".into()] } else { Vec::new() };
    let flags = late::linker_flags(line);
    Ok([reset, flags, linking::flags(linked, &folder), linking::libraries(linked, &folder)]
        .concat())
}

/// The words for the wrappers of MPI, where the command links an MPI program or a library of one.
/// Where there can be none, it is linked all the same.
fn mpi_words(line: &CommandLine) -> Vec<OsString> {
    let Some(mpi) = Mpi::of_command(line.program_text(), &line.texts) else { return Vec::new() };
    let words = match (archives::of_command(line), line.stage) {
        // The programs that load it have MPI, and the wrappers.
        (Some(_), Stage::Shared) => Ok(Vec::new()),
        (Some(archives), _) => wrappers::object(&mpi, &archives)
            .map(|object| linking::mpi_object(&object, &wrappers::options(&object))),
        (None, _) if is_static(line) => Ok(Vec::new()),
        (None, _) => wrappers::library(&mpi)
            .map(|library| linking::mpi(&library, &wrappers::stand_in(&library))),
    };
    words.unwrap_or_else(|error| {
        say(format!("warning: MPI is not observed: {error:#}"));
        Vec::new()
    })
}

/// Links, with a unit that is made for it.
fn link(arguments: &Arguments, line: &CommandLine, command: &UsersCommand) -> Result<ExitCode> {
    let workplace = &Workplace::new(line, arguments.keep.as_deref())?;
    let execution = Execution { line, workplace, input: None };
    let done = execution.run(&command.complete(&[], workplace)?, None)?;
    Ok(child::exit_like(finish(arguments, line, &[], &done)))
}

/// Compiles, instrumented where that can be.
fn compile(
    arguments: &Arguments,
    line: &CommandLine,
    command: &UsersCommand,
) -> Result<ExitStatus> {
    let workplace = &Workplace::new(line, arguments.keep.as_deref())?;
    let execution = Execution { line, workplace, input: standard_input(line)? };
    let job = Job {
        line,
        options: &arguments.instrument,
        strict: arguments.strict,
        workplace,
        input: execution.input.as_deref(),
    };
    let mode = match (arguments.preprocess, arguments.no_preprocess) {
        (true, _) => Mode::Always,
        (_, true) => Mode::Never,
        _ => Mode::Hidden,
    };
    let rewritten = job.rewrite_all(mode)?;
    let done = attempt(&execution, command, &rewritten)?;
    if is_final(&done) || rewritten.is_empty() {
        return Ok(finish(arguments, line, &rewritten, &done));
    }
    // Perhaps the user's own text does not compile either.
    let check = execution.run(&command.complete(&[], workplace)?, None)?;
    if !check.status.success() {
        return Ok(finish(arguments, line, &[], &check));
    }
    if mode == Mode::Hidden && rewritten.iter().any(|one| one.preprocessed.is_none()) {
        let rewritten = job.rewrite_all(Mode::Always)?;
        let done = attempt(&execution, command, &rewritten)?;
        if is_final(&done) {
            return Ok(finish(arguments, line, &rewritten, &done));
        }
    }
    fall_back(arguments, &execution, command, &done)
}

/// The whole of standard input, where that is a source.
fn standard_input(line: &CommandLine) -> Result<Option<Vec<u8>>> {
    if !line.sources.iter().any(|source| source.is_standard_input()) {
        return Ok(None);
    }
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text).context("standard input")?;
    Ok(Some(text))
}

fn attempt(execution: &Execution, command: &UsersCommand, rewritten: &[Rewritten]) -> Result<Done> {
    let from_input =
        |one: &&Rewritten| one.source.is_standard_input() && one.preprocessed.is_none();
    let input = rewritten.iter().find(from_input).map(|one| one.outcome.text.as_slice());
    let done = execution.run(&command.complete(rewritten, execution.workplace)?, input)?;
    if done.status.success() && command.late && !rewritten.is_empty() {
        late::add_routines(execution.line, execution.workplace).unwrap_or_else(|error| {
            say(format!(
                "warning: {}: a linker that is not started by pompeii cannot link it ({error:#}); \
                 set CMAKE_<LANG>_LINKER_LAUNCHER to what CMAKE_<LANG>_COMPILER_LAUNCHER is",
                execution.line.output().unwrap_or_default().display()
            ));
        });
    }
    Ok(done)
}

/// Whether nothing else is to be tried.
fn is_final(done: &Done) -> bool {
    done.status.success() || done.status.signal().is_some()
}

/// What there is to do and to say at the end.
fn finish(
    arguments: &Arguments,
    line: &CommandLine,
    rewritten: &[Rewritten],
    done: &Done,
) -> ExitStatus {
    for one in rewritten.iter().filter_map(|one| one.preprocessed.as_ref()) {
        output::print_error_bytes(&one.messages);
    }
    output::print_error_bytes(&done.messages);
    if done.status.success() {
        dependencies::mend(line, rewritten, !arguments.no_config);
        rewritten.iter().for_each(|one| announce(one, arguments.quiet));
    }
    done.status
}

/// The instrumented text does not compile, the user's does.
fn fall_back(
    arguments: &Arguments,
    execution: &Execution,
    command: &UsersCommand,
    failed: &Done,
) -> Result<ExitStatus> {
    // On a terminal the compiler writes colours.
    let messages = String::from_utf8_lossy(&failed.messages);
    let messages = anstream::adapter::strip_str(&messages).to_string();
    if arguments.strict {
        bail!("the instrumented copy does not compile, the original does:{}", indented(&messages));
    }
    let done = execution.run(&command.complete(&[], execution.workplace)?, None)?;
    let status = finish(arguments, execution.line, &[], &done);
    let first = messages.lines().find(|line| line.contains("rror")).unwrap_or("");
    say(format!(
        "warning: compiled without instrumentation, because the instrumented copy does not \
         compile: {first}"
    ));
    Ok(status)
}

fn announce(rewritten: &Rewritten, quiet: bool) {
    let name = shown(&rewritten.source.path);
    let after = if rewritten.preprocessed.is_some() { " after preprocessing" } else { "" };
    if !quiet {
        say(format!("{name}: {}{after}", summary(&rewritten.outcome)));
    }
    for remark in &rewritten.outcome.diagnostics {
        if remark.severity >= Severity::Warning {
            say(format!("{name}:{}: warning: {}", remark.line, remark.message));
        }
    }
}

//! `pompeii instrument`: only rewrite a source file (OPARI's role), or give the original back.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::{fs, io};

use anyhow::{Context, Result, anyhow};
use pompeii_instrument::Language;

use crate::instrument_options::InstrumentOptions;
use crate::instrumented::{render, summary};
use crate::output::{self, named_file, say};
use crate::terminal::cannot;

/// Options of `instrument`.
#[derive(clap::Args)]
#[command(args_override_self = true)]
#[command(before_long_help = "EXAMPLES
    pompeii instrument ocean.c                    print the rewritten source
    pompeii instrument ocean.c -o ocean.mod.c
    pompeii instrument --undo ocean.mod.c         restore the original, byte for byte
    pompeii instrument --pomp-disable=sync solver.f90 -o solver.mod.f90

Options can also be given in POMPEII_INSTRUMENT and pompeii.toml, as for pompeii compile.")]
pub struct Arguments {
    /// The source file; `-` reads standard input and needs --language
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// File for the result; without it, or with `-`, standard output
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
    /// Restore the original of a rewritten file
    #[arg(long)]
    undo: bool,
    /// Language of the source, if its suffix does not tell; fixed and free are forms of Fortran
    #[arg(long, value_parser = ["c", "c++", "fixed", "free"])]
    language: Option<String>,
    /// Ignore POMPEII_INSTRUMENT and pompeii.toml
    #[arg(long)]
    no_config: bool,
    #[command(flatten)]
    instrument: InstrumentOptions,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let (name, source) = read(&arguments.file)?;
    let result = if arguments.undo {
        pompeii_instrument::undo(&source).map_err(|error| anyhow!("{}", render(&name, &error)))?
    } else {
        rewrite(arguments, &name, &source)?
    };
    match named_file(arguments.output.as_ref()) {
        Some(path) => fs::write(path, result).with_context(|| cannot("write", path))?,
        None => output::print_bytes(&result)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// A source and what it is called: standard input's name is the one that compilers give it.
fn read(file: &Path) -> Result<(String, Vec<u8>)> {
    if file.as_os_str() != "-" {
        let name = file.display().to_string();
        let source = fs::read(file).with_context(|| cannot("read", file))?;
        return Ok((name, source));
    }
    let mut source = Vec::new();
    io::stdin().read_to_end(&mut source).context("cannot read standard input")?;
    Ok(("<stdin>".to_owned(), source))
}

fn rewrite(arguments: &Arguments, name: &str, source: &[u8]) -> Result<Vec<u8>> {
    let named = match arguments.language.as_deref() {
        Some("c") => Some(Language::C),
        Some("c++") => Some(Language::Cxx),
        Some("fixed") => Some(Language::FortranFixed),
        Some("free") => Some(Language::FortranFree),
        _ => Language::from_path(name),
    };
    let language = named.with_context(|| {
        format!(
            "{name}: the suffix does not tell the language; use --language c, c++, free or fixed"
        )
    })?;
    let options = arguments.instrument.for_source(name, language)?;
    let outcome = pompeii_instrument::instrument(source, &options)
        .map_err(|error| anyhow!("{}", render(name, &error)))?;
    say(format!("{name}: {}", summary(&outcome)));
    for remark in &outcome.diagnostics {
        say(format!("{name}:{}: {}", remark.line, remark.message));
    }
    Ok(outcome.text)
}

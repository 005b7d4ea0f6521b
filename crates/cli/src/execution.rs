//! How the compiler of a command is started.

use std::ffi::{OsStr, OsString};
use std::io::{IsTerminal, Seek, SeekFrom, Write};
use std::process::{Command, ExitStatus, Stdio};

use anyhow::{Context, Error, Result, anyhow};

use crate::child;
use crate::compiler::CommandLine;
use crate::compiler::words;
use crate::terminal::shown;
use crate::workplace::Workplace;

/// How a compiler ended.
pub struct Done {
    /// Its exit.
    pub status: ExitStatus,
    /// What it wrote to standard error.
    pub messages: Vec<u8>,
}

/// What the compilers of one command have in common.
pub struct Execution<'a> {
    /// The command.
    pub line: &'a CommandLine,
    /// Where a response file goes.
    pub workplace: &'a Workplace,
    /// What the user's compiler would read.
    pub input: Option<Vec<u8>>,
}

impl Execution<'_> {
    /// Runs a variant of the command and keeps what it says. `input` takes the place of the user's
    /// standard input.
    ///
    /// # Errors
    /// Where it cannot be started.
    pub fn run(&self, words: &[OsString], input: Option<&[u8]>) -> Result<Done> {
        let mut command = self.command(words)?;
        if let Some(text) = input.or(self.input.as_deref()) {
            command.stdin(as_standard_input(text)?);
        }
        let signals = child::outlive_signals().context("cannot watch signals")?;
        let handle = signals.handle();
        let program = command.stderr(Stdio::piped()).spawn().map_err(|error| {
            let program = &words[0];
            cannot_start(program, error)
        })?;
        child::forward_signals(&program, signals);
        let output = program.wait_with_output();
        handle.close();
        let output = output.context("cannot wait for the compiler")?;
        Ok(Done { status: output.status, messages: output.stderr })
    }

    fn command(&self, words: &[OsString]) -> Result<Command> {
        let (front, arguments) = words.split_at(self.line.compiler + 1);
        let mut command = Command::new(&front[0]);
        command.args(&front[1..]);
        if self.wants_colour() {
            command.arg("-fdiagnostics-color=always");
        }
        if self.line.response_files && !self.line.libtool {
            // What was too long for a command line still is.
            let path = self.workplace.write("arguments", &words::join(arguments))?;
            command.arg(words::joined([OsStr::new("@"), path.as_os_str()]));
        } else {
            command.args(arguments);
        }
        Ok(command)
    }

    /// A compiler looks whether it writes to a terminal; it does not, but what it says gets there.
    fn wants_colour(&self) -> bool {
        let name = words::base_name(self.line.program_text());
        let knows = ["gcc", "g++", "gfortran", "clang"].iter().any(|part| name.contains(part));
        let dumb = std::env::var_os("TERM").is_none_or(|name| name == "dumb");
        let said = self.line.texts.iter().any(|word| word.contains("color"));
        knows && !dumb && !said && !self.line.libtool && std::io::stderr().is_terminal()
    }
}

/// What a program reads, without a thread that writes it.
///
/// # Errors
/// Where there is no room for a copy.
pub fn as_standard_input(text: &[u8]) -> Result<Stdio> {
    let mut file = tempfile::tempfile().context("no room for a copy of standard input")?;
    file.write_all(text)?;
    file.seek(SeekFrom::Start(0))?;
    Ok(file.into())
}

/// Becomes the command.
///
/// # Errors
/// Only returns if that fails.
pub fn replace(words: &[OsString]) -> Error {
    let program = words.first().map_or(OsStr::new(""), OsString::as_os_str);
    cannot_start(program, child::replace(words))
}

fn cannot_start(program: &OsStr, error: std::io::Error) -> Error {
    let program = shown(program);
    if error.kind() == std::io::ErrorKind::NotFound {
        return anyhow!("compiler `{program}` not found: install it, or name another after `--`");
    }
    Error::new(error).context(format!("cannot start `{program}`"))
}

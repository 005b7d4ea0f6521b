//! `pompeii completions`: what shells and `man` know about the command line, made of the same
//! definition as its help.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Command, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};

use crate::output::{print_bytes, say};
use crate::terminal::shown;

/// Options of `completions`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    source <(pompeii completions bash)                  in this shell
    pompeii completions bash > ~/.local/share/bash-completion/completions/pompeii
    pompeii completions zsh --dir ~/.zfunc              as the file _pompeii
    pompeii completions fish > ~/.config/fish/completions/pompeii.fish
    pompeii completions man --dir ~/.local/share/man/man1 && man pompeii-run")]
pub struct Arguments {
    /// The shell, or `man` for manual pages
    #[arg(value_enum)]
    reader: Reader,
    /// Write the files under their usual names into this folder instead of standard output
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Reader {
    /// GNU Bash
    Bash,
    /// Z shell
    Zsh,
    /// Friendly interactive shell
    Fish,
    /// Manual pages: one for `pompeii`, one for each command
    Man,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    let mut files = match arguments.reader {
        Reader::Bash => vec![script(Shell::Bash)],
        Reader::Zsh => vec![script(Shell::Zsh)],
        Reader::Fish => vec![script(Shell::Fish)],
        Reader::Man => pages()?,
    };
    match &arguments.dir {
        Some(folder) => write_files(folder, &files)?,
        // One text: of the pages, the one about all commands.
        None => print_bytes(&files.swap_remove(0).1)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn write_files(folder: &Path, files: &[(String, Vec<u8>)]) -> Result<()> {
    fs::create_dir_all(folder)
        .with_context(|| format!("cannot create the folder {}", shown(folder)))?;
    for (name, text) in files {
        let path = folder.join(name);
        fs::write(&path, text).with_context(|| format!("cannot write {}", shown(&path)))?;
    }
    let (first, count) = (&files[0].0, files.len());
    match count {
        1 => say(format!("{} is written", shown(&folder.join(first)))),
        _ => say(format!("{count} files are written into {}", shown(folder))),
    }
    Ok(())
}

fn script(shell: Shell) -> (String, Vec<u8>) {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut crate::Arguments::command(), "pompeii", &mut text);
    let name = match shell {
        Shell::Zsh => "_pompeii",
        Shell::Fish => "pompeii.fish",
        _ => "pompeii",
    };
    (name.to_owned(), text)
}

/// The pages, that of `pompeii` first.
fn pages() -> Result<Vec<(String, Vec<u8>)>> {
    let mut command = crate::Arguments::command().disable_help_subcommand(true);
    command.build();
    let (mut pages, mut open) = (Vec::new(), vec![command]);
    while let Some(command) = open.pop() {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
        open.extend(command.get_subcommands().filter(|it| !it.is_hide_set()).cloned());
        pages.push((format!("{name}.1"), page(command)?));
    }
    Ok(pages)
}

fn page(command: Command) -> Result<Vec<u8>> {
    let examples = command.get_before_long_help().map(ToString::to_string).unwrap_or_default();
    let with_commands = command.has_subcommands();
    let (man, mut text) = (Man::new(command), Vec::new());
    man.render_title(&mut text)?;
    man.render_name_section(&mut text)?;
    man.render_synopsis_section(&mut text)?;
    render_examples(&examples, &mut text)?;
    man.render_description_section(&mut text)?;
    man.render_options_section(&mut text)?;
    if with_commands {
        man.render_subcommands_section(&mut text)?;
    }
    Ok(text)
}

/// The examples as the help has them: the lines of commands as they are, and what follows them.
fn render_examples(examples: &str, text: &mut Vec<u8>) -> Result<()> {
    let Some(examples) = examples.strip_prefix("EXAMPLES\n") else { return Ok(()) };
    let mut roff = Roff::new();
    roff.control("SH", ["EXAMPLES"]);
    roff.control("nf", []);
    for line in examples.lines() {
        roff.text([roman(line)]);
    }
    roff.control("fi", []);
    Ok(roff.to_writer(text)?)
}

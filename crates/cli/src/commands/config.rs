//! `pompeii config`: what a build system must know that does not go through `pompeii compile`, in
//! the words of a command line; and the same as files of an installation, which CMake and
//! pkg-config read.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::wrappers;
use crate::compiler::POMP_MACRO;
use crate::compiler::words::joined;
use crate::library;
use crate::linking::{self, Linked};
use crate::output::{self, say};
use crate::shell;
use crate::terminal::{cannot, shown};

/// Options of `config`.
#[derive(clap::Args)]
#[command(arg_required_else_help = true)]
#[command(before_long_help = "EXAMPLES
    gcc -fopenmp *.o $(pompeii config --libs) -o ocean
    make CC=\"$(pompeii config --cc)\" FC=\"$(pompeii config --fc)\"
    cmake -B build -DPompeii_DIR=$(pompeii config --cmakedir)
    PKG_CONFIG_PATH=$(pompeii config --pkgconfigdir) pkg-config --libs pompeii
    pompeii config --install ~/pompeii

Several options may be combined: the answers are printed on one line, in the order of this list.

If a word of an answer contains blanks, it is quoted for the shell. make, $(shell ...) in a Makefile
and `eval` process the quotes, for example `eval \"gcc *.o $(pompeii config --libs)\"`. A bare $(...)
does not process them. A single folder is never quoted: write \"$(pompeii config --libdir)\" instead.")]
pub struct Arguments {
    /// Print the version
    #[arg(long)]
    version: bool,
    /// Print the folder above the `bin` folder of this program
    #[arg(long)]
    prefix: bool,
    /// Print the command of an instrumenting C compiler; --cc=NAME for another one than gcc
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "gcc")]
    cc: Option<String>,
    /// Print the command of an instrumenting C++ compiler
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "g++")]
    cxx: Option<String>,
    /// Print the command of an instrumenting Fortran compiler
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "gfortran")]
    fc: Option<String>,
    /// Print options for compiling C and C++ sources rewritten by `pompeii instrument`
    #[arg(long)]
    cflags: bool,
    /// Print options for compiling Fortran sources rewritten by `pompeii instrument`
    #[arg(long)]
    fflags: bool,
    /// Print linker options for instrumented objects
    #[arg(long)]
    ldflags: bool,
    /// Print the libraries for instrumented objects; write them after the objects
    #[arg(long)]
    libs: bool,
    /// Print the answers for linking a shared library
    #[arg(long, conflicts_with = "static")]
    shared: bool,
    /// Print the answers for linking a static executable
    #[arg(long, name = "static")]
    is_static: bool,
    /// Print the folder of the libraries and of pomp.h
    #[arg(long)]
    libdir: bool,
    /// Print the value for CMake's variable Pompeii_DIR
    #[arg(long)]
    cmakedir: bool,
    /// Print the folder for PKG_CONFIG_PATH
    #[arg(long)]
    pkgconfigdir: bool,
    /// Install Pompeii into this folder: program, drop-in compilers, libraries, files for CMake
    /// and pkg-config
    #[arg(long, value_name = "PREFIX")]
    install: Option<PathBuf>,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(prefix) = &arguments.install {
        install(prefix)?;
    }
    let words = answers(arguments)?;
    let words: Vec<OsString> = match words.as_slice() {
        // A folder alone is a value, which `"$(...)"` takes as it is.
        [Answer::Folder(folder)] => vec![folder.clone()],
        _ => words.into_iter().map(Answer::quoted).collect(),
    };
    if !words.is_empty() {
        output::print_bytes(&[words.join(OsStr::new(" ")).as_bytes(), b"\n"].concat())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A part of the line that is printed.
enum Answer {
    /// One word of a command line.
    Word(OsString),
    /// The same, where the question was for a folder.
    Folder(OsString),
    /// Several words, each of them quoted already.
    Command(OsString),
}

impl Answer {
    fn quoted(self) -> OsString {
        match self {
            Answer::Word(text) | Answer::Folder(text) => shell::word(text),
            Answer::Command(text) => text,
        }
    }
}

fn answers(arguments: &Arguments) -> Result<Vec<Answer>> {
    let own = env::current_exe()?;
    let folder = library::folder()?;
    let linked = match (arguments.shared, arguments.is_static) {
        (true, _) => Linked::Shared,
        (_, true) => Linked::Static,
        _ => Linked::Executable { openmp: false, locks: true },
    };
    let mut words = Vec::new();
    if arguments.version {
        words.push(Answer::Word(env!("CARGO_PKG_VERSION").into()));
    }
    if arguments.prefix {
        let prefix = own.parent().and_then(Path::parent);
        words.extend(prefix.map(|path| Answer::Folder(path.into())));
    }
    for compiler in [&arguments.cc, &arguments.cxx, &arguments.fc].into_iter().flatten() {
        let parts = [shell::word(&own), " compile -- ".into(), shell::word(compiler)];
        words.push(Answer::Command(parts.into_iter().collect()));
    }
    if arguments.cflags || arguments.fflags {
        let include = joined([OsStr::new("-I"), folder.as_os_str()]);
        words.extend([POMP_MACRO.into(), include].map(Answer::Word));
    }
    if arguments.ldflags || arguments.libs {
        words.extend(linking::flags(linked, &folder).into_iter().map(Answer::Word));
    }
    if arguments.libs {
        words.extend(linking::libraries(linked, &folder).into_iter().map(Answer::Word));
    }
    for (wanted, name) in [
        (arguments.libdir, ""),
        (arguments.cmakedir, "cmake"),
        (arguments.pkgconfigdir, "pkgconfig"),
    ] {
        if wanted {
            let path = if name.is_empty() { folder.clone() } else { folder.join(name) };
            words.push(Answer::Folder(path.into_os_string()));
        }
    }
    Ok(words)
}

/// Writes what lies where CMake, pkg-config and compilers look below a prefix.
fn install(prefix: &Path) -> Result<()> {
    let (bin, libraries) = (prefix.join("bin"), prefix.join("lib/pompeii"));
    let (own, program) = (env::current_exe()?, bin.join("pompeii"));
    fs::create_dir_all(&bin).with_context(|| cannot("create the folder", &bin))?;
    if fs::canonicalize(&program).ok() != fs::canonicalize(&own).ok() {
        let unfinished = bin.join(".pompeii.new");
        fs::copy(&own, &unfinished).with_context(|| cannot("write", &unfinished))?;
        fs::rename(&unfinished, &program).with_context(|| cannot("write", &program))?;
    }
    wrappers::create(&bin, Path::new("pompeii"), &[])?;
    library::unpack(&libraries).with_context(|| cannot("write into", &libraries))?;
    let header = prefix.join("include/pomp.h");
    copy_text(&libraries.join("pomp.h"), &header, |text| text)?;
    // pkg-config looks one folder higher.
    let package = prefix.join("lib/pkgconfig/pompeii.pc");
    let folder = "folder=${pcfiledir}/..";
    copy_text(&libraries.join("pkgconfig/pompeii.pc"), &package, |text| {
        text.replace(folder, &format!("{folder}/pompeii"))
    })?;
    say(format!("installed in {}; put {} into PATH", shown(prefix), shown(&bin)));
    Ok(())
}

fn copy_text(from: &Path, to: &Path, change: impl Fn(String) -> String) -> Result<()> {
    let text = fs::read_to_string(from).with_context(|| cannot("read", from))?;
    let folder = to.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).with_context(|| cannot("create the folder", folder))?;
    fs::write(to, change(text)).with_context(|| cannot("write", to))
}

//! `pompeii config`: what a build system must know that does not go through `pompeii compile`, in
//! the words of a command line; and the same as files of an installation, which CMake and
//! pkg-config read.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, Result};

use super::{say, wrappers};
use crate::compiler::POMP_MACRO;
use crate::library;
use crate::linking::{self, Linked};

/// Options of `config`.
#[derive(clap::Args)]
#[command(arg_required_else_help = true)]
#[command(before_long_help = "EXAMPLES
    gcc -fopenmp *.o $(pompeii config --libs) -o ocean
    make CC=\"$(pompeii config --cc)\" FC=\"$(pompeii config --fc)\"
    cmake -B build -DPompeii_DIR=$(pompeii config --cmakedir)
    PKG_CONFIG_PATH=$(pompeii config --pkgconfigdir) pkg-config --libs pompeii
    pompeii config --install ~/pompeii

Several questions are answered on one line, in the order in which they stand here.")]
pub struct Arguments {
    /// The version
    #[arg(long)]
    version: bool,
    /// The folder above `bin`, where this program is
    #[arg(long)]
    prefix: bool,
    /// A compiler of C that instruments; another than gcc with --cc=NAME
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "gcc")]
    cc: Option<String>,
    /// The same for C++
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "g++")]
    cxx: Option<String>,
    /// The same for Fortran
    #[arg(long, value_name = "NAME", num_args = 0..=1, require_equals = true)]
    #[arg(default_missing_value = "gfortran")]
    fc: Option<String>,
    /// Options for C and C++ that `pompeii instrument` has rewritten
    #[arg(long)]
    cflags: bool,
    /// The same for Fortran
    #[arg(long)]
    fflags: bool,
    /// Options for linking what is instrumented
    #[arg(long)]
    ldflags: bool,
    /// Options and libraries for linking, to stand behind the objects
    #[arg(long)]
    libs: bool,
    /// Answer for shared objects
    #[arg(long, conflicts_with = "static")]
    shared: bool,
    /// Answer for executables without shared libraries
    #[arg(long, name = "static")]
    is_static: bool,
    /// The folder of the libraries and of pomp.h
    #[arg(long)]
    libdir: bool,
    /// The folder for CMake's Pompeii_DIR
    #[arg(long)]
    cmakedir: bool,
    /// The folder for PKG_CONFIG_PATH
    #[arg(long)]
    pkgconfigdir: bool,
    /// Write an installation: program, drop-in compilers, libraries, files of CMake and pkg-config
    #[arg(long, value_name = "PREFIX")]
    install: Option<PathBuf>,
}

/// Does it.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(prefix) = &arguments.install {
        install(prefix)?;
    }
    let words = answers(arguments)?;
    if !words.is_empty() {
        super::print(&format!("{}\n", words.join(" ")))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn answers(arguments: &Arguments) -> Result<Vec<String>> {
    let own = env::current_exe()?;
    let folder = library::folder()?;
    let path = |path: &Path| path.display().to_string();
    let linked = match (arguments.shared, arguments.is_static) {
        (true, _) => Linked::Shared,
        (_, true) => Linked::Static,
        _ => Linked::Executable { openmp: false, locks: true },
    };
    let mut words = Vec::new();
    if arguments.version {
        words.push(env!("CARGO_PKG_VERSION").to_owned());
    }
    if arguments.prefix {
        words.extend(own.parent().and_then(Path::parent).map(path));
    }
    for compiler in [&arguments.cc, &arguments.cxx, &arguments.fc].into_iter().flatten() {
        words.push(format!("{} compile -- {compiler}", own.display()));
    }
    if arguments.cflags || arguments.fflags {
        words.extend([POMP_MACRO.to_owned(), format!("-I{}", folder.display())]);
    }
    if arguments.ldflags || arguments.libs {
        words.extend(linking::flags(linked, &folder));
    }
    if arguments.libs {
        words.extend(linking::libraries(linked, &folder));
    }
    for (wanted, name) in [
        (arguments.libdir, ""),
        (arguments.cmakedir, "cmake"),
        (arguments.pkgconfigdir, "pkgconfig"),
    ] {
        if wanted {
            words.push(path(&if name.is_empty() { folder.clone() } else { folder.join(name) }));
        }
    }
    Ok(words)
}

/// Writes what lies where CMake, pkg-config and compilers look below a prefix.
fn install(prefix: &Path) -> Result<()> {
    let (bin, libraries) = (prefix.join("bin"), prefix.join("lib/pompeii"));
    let (own, program) = (env::current_exe()?, bin.join("pompeii"));
    let named = |path: &Path| path.display().to_string();
    fs::create_dir_all(&bin).with_context(|| named(&bin))?;
    if fs::canonicalize(&program).ok() != fs::canonicalize(&own).ok() {
        let unfinished = bin.join(".pompeii.new");
        fs::copy(&own, &unfinished).with_context(|| named(&unfinished))?;
        fs::rename(&unfinished, &program).with_context(|| named(&program))?;
    }
    wrappers::create(&bin, Path::new("pompeii"), &[])?;
    library::unpack(&libraries).with_context(|| named(&libraries))?;
    let header = prefix.join("include/pomp.h");
    copy_text(&libraries.join("pomp.h"), &header, |text| text)?;
    // pkg-config looks one folder higher.
    let package = prefix.join("lib/pkgconfig/pompeii.pc");
    let folder = "folder=${pcfiledir}/..";
    copy_text(&libraries.join("pkgconfig/pompeii.pc"), &package, |text| {
        text.replace(folder, &format!("{folder}/pompeii"))
    })?;
    say(format!("installed in {}; put {} into PATH", prefix.display(), bin.display()));
    Ok(())
}

fn copy_text(from: &Path, to: &Path, change: impl Fn(String) -> String) -> Result<()> {
    let text = fs::read_to_string(from).with_context(|| from.display().to_string())?;
    let folder = to.parent().unwrap_or(Path::new(""));
    fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
    fs::write(to, change(text)).with_context(|| to.display().to_string())
}

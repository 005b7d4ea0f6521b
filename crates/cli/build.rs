//! Builds the runtime library and puts it where the command line can carry it inside:
//! `cargo install` copies binaries only.
//!
//! The archive must live beside any other code in one program: it becomes a single object whose
//! only global symbols are its API, without the compiler's intermediate code.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "this is how cargo is told")]

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use flate2::write::DeflateEncoder;
use flate2::{Compression, Crc};

type Result<T> = std::result::Result<T, String>;

/// The functions of the C library that are interposed: for ends and children of processes, and for
/// the actions of signals.
const OF_C: [&str; 25] = [
    "_exit",
    "_Exit",
    "_Fork",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execveat",
    "execvp",
    "execvpe",
    "fexecve",
    "vfork",
    "clone",
    "syscall",
    "sigaction",
    "__sigaction",
    "signal",
    "bsd_signal",
    "ssignal",
    "sysv_signal",
    "__sysv_signal",
    "sigset",
    "sigignore",
    "siginterrupt",
];

/// Where an event of a detached task is fulfilled: no lock routine.
const EVENTS: [&str; 2] = ["omp_fulfill_event", "omp_fulfill_event_"];

/// Whether a function is not interposed. All others may be in the program already, and theirs
/// counts: a program can write those of the C library for itself, and an object may contain a
/// static OpenMP library (`gcc -fopenmp -r` links that).
fn is_ours(name: &str) -> bool {
    name.starts_with("POMP") || name.starts_with("pomp")
}

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot build the runtime library: {error}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<()> {
    let out = PathBuf::from(variable("OUT_DIR")?);
    println!("cargo:rustc-env=BUILT_FROM_COMMIT={}", commit().unwrap_or_default());
    let crates = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("..");
    for name in ["runtime", "live", "model", "otf2", "filter"] {
        println!("cargo:rerun-if-changed={}", crates.join(name).join("src").display());
        println!("cargo:rerun-if-changed={}", crates.join(name).join("Cargo.toml").display());
    }
    for name in ["include", "preload"] {
        println!("cargo:rerun-if-changed={}", crates.join("runtime").join(name).display());
    }
    println!("cargo:rerun-if-changed=build.rs");
    let built = cargo_build(&crates.join("runtime/Cargo.toml"), &shared_target(&out))?;
    let shared = out.join("libpomp.so");
    copy(&built.join("libpomp.so"), &shared)?;
    let symbols = api(&shared)?;
    archive(&built.join("libpomp.a"), &symbols, &out.join("libpomp.a"))?;
    // In a statically linked program nothing can be interposed, the OpenMP library's lock routines
    // included: this archive leaves all that alone.
    let only = |wanted: &dyn Fn(&String) -> bool| {
        symbols.iter().filter(|s| wanted(s)).cloned().collect::<Vec<_>>()
    };
    let own = only(&|name| is_ours(name));
    archive(&built.join("libpomp.a"), &own, &out.join("libpomp-static.a"))?;
    // Nor are they wanted where locks are disabled.
    let others = only(&|name| !name.starts_with("omp_") || EVENTS.contains(&name.as_str()));
    archive(&built.join("libpomp.a"), &others, &out.join("libpomp-without-locks.a"))?;
    run(Command::new("strip").arg("--strip-unneeded").arg(&shared))?;
    for name in ["io", "threads"] {
        functions(name, &crates.join("runtime"), &shared)?;
    }
    for name in ["pomp.h", "pomp_mpi.h", "pomp_io.h"] {
        copy(&crates.join("runtime/include").join(name), &out.join(name))?;
    }
    for name in ["PompeiiConfig.cmake", "PompeiiConfigVersion.cmake", "pompeii.pc"] {
        package_file(name, &out.join(name))?;
    }
    copy(Path::new("package/pomp.list"), &out.join("pomp.list"))?;
    println!("cargo:rerun-if-changed=package/pomp.list");
    carry(&out)
}

/// The files that the binary carries, by their names below the folder of the library.
const CARRIED: [&str; 13] = [
    "libpomp.a",
    "libpomp-static.a",
    "libpomp-without-locks.a",
    "libpomp.so",
    "libpompeii-io.so",
    "libpompeii-threads.so",
    "pomp.h",
    "pomp_mpi.h",
    "pomp_io.h",
    "pomp.list",
    "cmake/PompeiiConfig.cmake",
    "cmake/PompeiiConfigVersion.cmake",
    "pkgconfig/pompeii.pc",
];

/// Deflates the carried files, and writes the list that `src/carried.rs` includes.
fn carry(out: &Path) -> Result<()> {
    let mut list = String::from("&[\n");
    for name in CARRIED {
        let file = Path::new(name).file_name().map(|name| out.join(name)).unwrap_or_default();
        let says = |error| format!("{}: {error}", file.display());
        let content = fs::read(&file).map_err(says)?;
        let mut crc = Crc::new();
        crc.update(&content);
        let deflated = out.join(format!("{}.deflated", name.replace('/', "-")));
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
        let packed = encoder.write_all(&content).and_then(|()| encoder.finish()).map_err(says)?;
        fs::write(&deflated, packed).map_err(says)?;
        let (length_bytes, crc) = (content.len(), crc.sum());
        list += &format!(
            "Carried {{ name: {name:?}, length_bytes: {length_bytes}, crc: {crc}, \
             deflated: include_bytes!({deflated:?}) }},\n"
        );
    }
    fs::write(out.join("carried.rs"), list + "]").map_err(|error| error.to_string())
}

/// The commit that a release is built from: `None` where the sources are no checkout, or a part of
/// another project's. A development build has none, since it would be linked again at every commit.
fn commit() -> Option<String> {
    let root =
        fs::canonicalize(Path::new(&env::var_os("CARGO_MANIFEST_DIR")?).join("../..")).ok()?;
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).current_dir(&root).output().ok()?;
        let text = output.status.success().then_some(output.stdout)?;
        Some(String::from_utf8(text).ok()?.trim().to_owned())
    };
    let is_release = env::var("PROFILE").is_ok_and(|profile| profile == "release");
    if !is_release || fs::canonicalize(git(&["rev-parse", "--show-toplevel"])?).ok()? != root {
        return None;
    }
    // It grows with every commit and at every other one that is checked out.
    let log = root.join(git(&["rev-parse", "--git-path", "logs/HEAD"])?);
    if log.exists() {
        println!("cargo:rerun-if-changed={}", log.display());
    }
    git(&["rev-parse", "--short=10", "HEAD"])
}

/// What CMake and pkg-config read, with the version in its place.
fn package_file(name: &str, to: &Path) -> Result<()> {
    let from = Path::new("package").join(name);
    println!("cargo:rerun-if-changed={}", from.display());
    let text = fs::read_to_string(&from).map_err(|error| format!("{}: {error}", from.display()))?;
    let text = text.replace("@VERSION@", &variable("CARGO_PKG_VERSION")?);
    fs::write(to, text).map_err(|error| format!("{}: {error}", to.display()))
}

fn variable(name: &str) -> Result<String> {
    env::var(name).map_err(|error| format!("{name}: {error}"))
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to).map(drop).map_err(|error| format!("{}: {error}", from.display()))
}

/// Where all builds of a target folder, whatever their profile, and the tests of the runtime have
/// the library built once: `TARGET/libpomp` for an OUT_DIR of `TARGET/PROFILE/build/PACKAGE/out`.
fn shared_target(out: &Path) -> PathBuf {
    out.ancestors().nth(4).unwrap_or(out).join("libpomp")
}

/// Builds the runtime with a profile and a target folder of its own, so that the outer cargo's
/// locks and flags do not matter. Returns the folder with the libraries.
fn cargo_build(manifest: &Path, target: &Path) -> Result<PathBuf> {
    let mut cargo = Command::new(variable("CARGO")?);
    cargo.args(["build", "--profile", "runtime", "--lib", "--manifest-path"]).arg(manifest);
    cargo.arg("--target-dir").arg(target);
    // The outer build's wrappers and flags (clippy, coverage, sanitizers) are not for the library.
    for name in ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER"]
    {
        cargo.env_remove(name);
    }
    run(&mut cargo)?;
    Ok(target.join("runtime"))
}

/// Compiles a library with functions of the C library, which a program loads if its files or its
/// threads are observed. It needs libpomp, which it finds in its own folder, before
/// LD_LIBRARY_PATH: other tools have libraries of this name. In the program, libpomp's functions
/// come first if it has them.
fn functions(name: &str, runtime: &Path, libpomp: &Path) -> Result<()> {
    let library = format!("libpompeii-{name}.so");
    let mut cc = Command::new("cc");
    cc.args([
        "-O2",
        "-fPIC",
        "-shared",
        "-fvisibility=hidden",
        "-fexceptions",
        "-U_FORTIFY_SOURCE",
    ]);
    cc.arg(format!("-Wl,-soname,{library}")).args(["-Wl,-z,nodelete", "-Wl,--no-as-needed"]);
    cc.arg("-Wl,--disable-new-dtags,-rpath,$ORIGIN").arg("-I").arg(runtime.join("include"));
    cc.arg("-o").arg(libpomp.with_file_name(library));
    run(cc.arg(runtime.join(format!("preload/{name}.c"))).arg(libpomp))
}

/// Makes one object with only `symbols` visible, and an archive of it.
fn archive(from: &Path, symbols: &[String], archive: &Path) -> Result<()> {
    let (object, list) = (archive.with_extension("o"), archive.with_extension("txt"));
    fs::write(&list, symbols.join("\n") + "\n").map_err(|error| error.to_string())?;
    let mut link = Command::new("ld");
    link.args(["-r", "--gc-sections", "-o"]).arg(&object);
    for symbol in symbols {
        link.arg("-u").arg(symbol);
    }
    run(link.arg("--whole-archive").arg(from))?;
    let mut objcopy = Command::new("objcopy");
    objcopy.args(["--remove-section=.llvmbc", "--remove-section=.llvmcmd", "--strip-debug"]);
    objcopy.arg(format!("--keep-global-symbols={}", list.display()));
    let yielding = symbols.iter().filter(|name| !is_ours(name));
    objcopy.args(yielding.map(|name| format!("--weaken-symbol={name}")));
    run(objcopy.arg(&object))?;
    let _ = fs::remove_file(archive);
    run(Command::new("ar").arg("crsD").arg(archive).arg(&object))
}

/// The library's own global functions, from the shared object: in the archive `nm` stumbles over
/// the compiler's intermediate code where a linker plug-in of another LLVM is installed.
fn api(shared: &Path) -> Result<Vec<String>> {
    let mut command = Command::new("nm");
    let output =
        command.args(["-D", "--defined-only", "--format=just-symbols"]).arg(shared).output();
    let output = output.map_err(|error| missing("nm", &error))?;
    let names = String::from_utf8_lossy(&output.stdout);
    let prefixes = ["POMP_", "pomp_", "POMP2_", "pomp2_", "omp_"];
    let own =
        |name: &&str| prefixes.iter().any(|prefix| name.starts_with(prefix)) || OF_C.contains(name);
    let mut names: Vec<String> = names.lines().filter(own).map(str::to_owned).collect();
    names.sort();
    names.dedup();
    if names.is_empty() { Err(format!("{}: no API in it", shared.display())) } else { Ok(names) }
}

fn run(command: &mut Command) -> Result<()> {
    let program = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| missing(&program, &error))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr)))
}

fn missing(program: &str, error: &std::io::Error) -> String {
    format!("{program}: {error} (cc, ld, objcopy, strip, nm and ar come with gcc or binutils)")
}

//! `pompeii doctor`: what works on this machine and what does not, by trying it. The core check
//! compiles, runs and reports a small program with each compiler that is found.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Result, bail};

use pompeii_finish::metrics::{self, Counters};

use crate::executables::executable;
use crate::mpi::{Mpi, shim, wrappers};
use crate::output::{print, say};
use crate::program::Program;
use crate::terminal::shown;
use crate::{interpreters, library, starters, unmodified};

/// Options of `doctor`.
#[derive(clap::Args)]
#[command(before_long_help = "EXAMPLES
    pompeii doctor
    pompeii doctor ./ocean                 whether `run` can measure it as it is
    pompeii doctor && make CC=pompeii-gcc
    pompeii doctor --build-mpi             needed once, before jobs run on nodes without compiler")]
pub struct Arguments {
    /// Build the wrappers, and what `analyze` needs on several processes, for all MPI libraries
    /// whose compilers are in PATH
    #[arg(long)]
    build_mpi: bool,
    /// Say how `run` would measure this program, and test nothing; exit code 1 if it would not
    #[arg(value_name = "PROGRAM", conflicts_with = "build_mpi")]
    program: Option<OsString>,
}

const C_PROGRAM: &str = "int main(void) {\n  int sum = 0;\n  #pragma omp parallel for \
    reduction(+:sum)\n  for (int i = 0; i < 100; i++) sum += i;\n  return sum != 4950;\n}\n";
const FORTRAN_PROGRAM: &str = "program check\n  integer :: i, s\n  s = 0\n  !$omp parallel do \
    reduction(+:s)\n  do i = 1, 99\n    s = s + i\n  end do\n  if (s /= 4950) stop 1\nend program\n";
const COMPILERS: [(&str, &str, &str); 4] = [
    ("gcc", "check.c", C_PROGRAM),
    ("g++", "check.cpp", C_PROGRAM),
    ("clang", "check.c", C_PROGRAM),
    ("gfortran", "check.f90", FORTRAN_PROGRAM),
];

/// One line of the answer.
struct Finding {
    what: String,
    /// Fine, not there (which may be fine), or broken.
    state: State,
    detail: String,
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Good,
    Absent,
    Broken,
}

/// Does it; 1 where something is broken.
pub fn execute(arguments: &Arguments) -> Result<ExitCode> {
    if let Some(word) = &arguments.program {
        return measures(word);
    }
    let mut findings = vec![clock(), runtime_library()];
    for (compiler, name, text) in COMPILERS {
        findings.push(compiler_works(&installed(compiler), name, text));
    }
    findings.extend(mpi_libraries(arguments.build_mpi));
    findings.push(shared_memory());
    findings.push(counters());
    let mut text = String::new();
    for Finding { what, state, detail } in &findings {
        let mark = match state {
            State::Good => "ok     ",
            State::Absent => "absent ",
            State::Broken => "BROKEN ",
        };
        text += &format!("{mark} {what:<18} {detail}\n");
    }
    print(&text)?;
    let broken = findings.iter().any(|finding| finding.state == State::Broken);
    Ok(ExitCode::from(u8::from(broken)))
}

/// Says how `run` would measure a program; 1 if it would not.
fn measures(word: &OsStr) -> Result<ExitCode> {
    let Some(path) = executable(word) else {
        bail!("{}: there is no such program, or it may not be executed", shown(word));
    };
    let interpreter = interpreters::name(&path);
    let program = Program::open(path);
    let is_measured = match (&program, interpreter) {
        (Some(program), _) if program.is_instrumented() => {
            say(format!("{} is instrumented: it measures itself", shown(word)));
            true
        }
        (_, Some(interpreter)) => {
            say(format!("{interpreter} is measured if it loads extensions with OpenMP"));
            true
        }
        (Some(program), None) => {
            let is_starter = starters::starts_others(&program.path);
            unmodified::is_observed(program)
                || !is_starter && unmodified::is_sampled(program, false)
        }
        (None, None) => false,
    };
    if !is_measured {
        say(format!(
            "`run` would measure nothing of {} itself; build it with `pompeii compile`",
            shown(word)
        ));
    }
    Ok(ExitCode::from(u8::from(!is_measured)))
}

fn clock() -> Finding {
    let file = "/sys/devices/system/clocksource/clocksource0/current_clocksource";
    let source = fs::read_to_string(file).unwrap_or_default();
    let flags = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let constant = flags.contains("constant_tsc") && flags.contains("nonstop_tsc");
    let detail = if constant {
        format!("time-stamp counter (constant); the system uses {}", source.trim())
    } else {
        "no constant time-stamp counter: CLOCK_MONOTONIC_RAW is used, about 20 ns a reading".into()
    };
    let state = if constant { State::Good } else { State::Absent };
    Finding { what: "clock".into(), state, detail }
}

fn runtime_library() -> Finding {
    let what = "runtime library".to_owned();
    match library::folder() {
        Ok(folder) => Finding { what, state: State::Good, detail: shown(&folder).into_owned() },
        Err(error) => Finding { what, state: State::Broken, detail: format!("{error:#}") },
    }
}

/// The MPI libraries whose compilers are in PATH, and whether they can be observed.
fn mpi_libraries(build: bool) -> Vec<Finding> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = Mpi::installed(std::env::split_paths(&path));
    let finding = |mpi: &Mpi| {
        let what = mpi.name().rsplit('/').next().unwrap_or_default().to_owned();
        let made = match build {
            // Nodes without a compiler need both.
            true => shim::library(mpi).and_then(|_| wrappers::library(mpi)).map(Some),
            false => wrappers::known(mpi),
        };
        let (state, detail) = match made {
            Ok(Some(library)) => (State::Good, format!("wrappers in {}", shown(&library))),
            Ok(None) => {
                let detail = "wrappers are made at the first link, or by doctor --build-mpi";
                (State::Good, detail.to_owned())
            }
            Err(error) => (State::Broken, format!("{error:#}")),
        };
        Finding { what, state, detail }
    };
    match found.is_empty() {
        true => vec![Finding {
            what: "MPI".into(),
            state: State::Absent,
            detail: "no mpicc in PATH".into(),
        }],
        false => found.iter().map(finding).collect(),
    }
}

/// What `run --metrics` can count here.
fn counters() -> Finding {
    let names: Vec<&str> = metrics::known_names().collect();
    let wanted = names.iter().flat_map(|name| metrics::parse_list(name, ",").unwrap_or_default());
    let (mut there, mut reasons) = (Vec::new(), Vec::new());
    // One at a time: a machine has fewer counters than there are names.
    for metric in wanted {
        match Counters::open(std::slice::from_ref(&metric)).1.first() {
            None => there.push(metric.name),
            Some(failed) => reasons.push(failed.reason()),
        }
    }
    let (present, all) = (there.len(), names.len());
    let there = there.join(" ");
    reasons.dedup();
    let missing = match reasons.first() {
        Some(reason) => format!("; the others: {reason}"),
        None => String::new(),
    };
    let state = if present > 0 { State::Good } else { State::Absent };
    Finding {
        what: "run --metrics".into(),
        state,
        detail: format!("{present} of {all}: {there}{missing}"),
    }
}

fn shared_memory() -> Finding {
    let writable = tempfile::tempdir_in("/dev/shm").is_ok();
    let (state, detail) = if writable {
        (State::Good, "writable; used where a file system cannot map or allocate")
    } else {
        (State::Absent, "not writable: set POMPEII_LIVE_DIR where the file system cannot map files")
    };
    Finding { what: "/dev/shm".into(), state, detail: detail.into() }
}

/// The compiler under its plain name, else its newest version under a name with a number.
fn installed(compiler: &str) -> String {
    let numbered = (9..40).rev().map(|version| format!("{compiler}-{version}"));
    let mut names = std::iter::once(compiler.to_owned()).chain(numbered);
    let exists = |name: &String| executable(name).is_some();
    names.find(exists).unwrap_or_else(|| compiler.to_owned())
}

fn compiler_works(compiler: &str, name: &str, text: &str) -> Finding {
    let what = compiler.to_owned();
    let version = Command::new(compiler).arg("-dumpversion").output();
    let Ok(version) = version else {
        return Finding { what, state: State::Absent, detail: "not found".into() };
    };
    let version = String::from_utf8_lossy(&version.stdout).trim().to_owned();
    match try_program(compiler, name, text) {
        Ok(()) => {
            let detail = format!("{version}: compiles, runs and is observed");
            Finding { what, state: State::Good, detail }
        }
        Err(error) => {
            let first = format!("{error:#}").lines().next().unwrap_or_default().to_owned();
            Finding { what, state: State::Broken, detail: format!("{version}: {first}") }
        }
    }
}

fn try_program(compiler: &str, name: &str, text: &str) -> Result<()> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join(name), text)?;
    let own = std::env::current_exe()?;
    step(
        folder.path(),
        Command::new(&own)
            .args(["compile", "--strict", "-q", "--", compiler])
            .args(["-fopenmp", name, "-o", "check"]),
    )?;
    step(folder.path(), Command::new(&own).args(["run", "-q", "-o", "exp", "--", "./check"]))?;
    if !folder.path().join("exp/profile.cubex").exists() {
        anyhow::bail!("it runs, but raised no event");
    }
    Ok(())
}

fn step(folder: &Path, command: &mut Command) -> Result<()> {
    let output = command.current_dir(folder).output()?;
    if !output.status.success() {
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        anyhow::bail!(
            "{}",
            messages.lines().find(|line| line.contains("rror")).unwrap_or(&messages)
        );
    }
    Ok(())
}

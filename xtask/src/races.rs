//! The runtime library under ThreadSanitizer in real programs: both are built with it, clang's
//! Archer tells it how LLVM's OpenMP runtime synchronises threads, and the programs do all that
//! OpenMP has, profiled and traced. Some have races of their own, and Archer does not know of every
//! promise of OpenMP's (doacross loops, memory of tasks), so only reports that name the library
//! count.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::shell;

/// Sources and their arguments. To add a program: its line here; it must end well and soon under
/// ThreadSanitizer.
const PROGRAMS: [(&str, &[&str]); 24] = [
    (MICRO, &["function", "2000"]),
    (MICRO, &["barrier", "2000"]),
    (MICRO, &["critical", "2000"]),
    (MICRO, &["atomic", "2000"]),
    (MICRO, &["single", "2000"]),
    (MICRO, &["master", "2000"]),
    (MICRO, &["loop", "2000"]),
    (MICRO, &["parallel", "2000"]),
    (MICRO, &["task", "20000"]),
    (MICRO, &["undeferred", "2000"]),
    (MICRO, &["taskwait", "2000"]),
    ("tests/programs/cancelled_tasks/main.c", &[]),
    ("tests/programs/detached_tasks/main.c", &[]),
    ("tests/programs/fib/fib.c", &[]),
    ("tests/programs/lock_pointers/main.c", &[]),
    ("tests/programs/nested_teams/main.c", &[]),
    ("tests/programs/ordering/main.c", &[]),
    ("tests/programs/orphans/main.c", &[]),
    ("tests/programs/taskloops/main.c", &[]),
    ("tests/programs/teams_on_host/main.c", &[]),
    ("tests/programs/threadprivate/main.c", &[]),
    ("tests/programs/untied/untied.c", &[]),
    (THREADS, &["threads-in-turn"]),
    (THREADS, &["locks"]),
];
const MICRO: &str = "xtask/src/bench/overhead/micro.c";
const THREADS: &str = "crates/cli/tests/all/ends/programs/threads.c";

/// What is measured: little, much, and with a thread of the library's own.
const MODES: [&[(&str, &str)]; 3] = [
    &[],
    &[("POMPEII_TRACE", "1"), ("POMPEII_STATISTICS", "1"), ("POMPEII_METRICS", "ru_minflt")],
    &[("POMPEII_TRACE", "1"), ("POMPEII_TOTAL_MEMORY", "1M"), ("POMPEII_MEMORY_FULL", "drop")],
];

/// Its race must be found, or nothing is.
const RACE: &str = "int x;
int main(void) {
#pragma omp parallel num_threads(4)
  for (int i = 0; i < 1000; i++) x++;
  return 0;
}
";

const ARCHER: &str = "/usr/lib/llvm-19/lib/libarcher.so";
const COMPILER: [&str; 6] = ["clang-19", "-fsanitize=thread", "-fopenmp", "-g", "-O1", "-w"];

/// Runs the programs with the library in `libraries`, which was built with the sanitizer.
pub fn run(libraries: &Path) -> Result<()> {
    let folder = shell::target_folder().join("races");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("race.c"), RACE)?;
    let mut plain = Command::new(COMPILER[0]);
    plain.args(&COMPILER[1..]).args(["race.c", "-o", "race"]).current_dir(&folder);
    if !Path::new(ARCHER).exists() || !plain.status().is_ok_and(|status| status.success()) {
        println!(
            "NOT RUN: programs under ThreadSanitizer need clang-19 with its run-time libraries \
             (Debian: apt-get install clang-19 libomp-19-dev libclang-rt-19-dev)"
        );
        return Ok(());
    }
    if !reports(&folder, &["race".into()], &[("POMPEII_ENABLE", "0")])?.contains("data race") {
        bail!("ThreadSanitizer has not found the race of {}/race.c", folder.display());
    }
    let pompeii = shell::build_pompeii()?;
    let mut built = "";
    for (source, arguments) in PROGRAMS {
        if built != source {
            build(&pompeii, libraries, &crate::root().join(source), &folder)?;
            built = source;
        }
        let name = [&[source], arguments].concat().join(" ");
        let words = arguments.iter().map(|word| (*word).to_owned());
        let command: Vec<String> = std::iter::once("program".to_owned()).chain(words).collect();
        for mode in MODES {
            let text = reports(&folder, &command, mode).with_context(|| name.clone())?;
            if let Some(report) = ours(&text) {
                bail!("{name}, {mode:?}:\n{report}");
            }
        }
        println!("no race in {name}");
    }
    Ok(())
}

fn build(pompeii: &Path, libraries: &Path, source: &Path, folder: &Path) -> Result<()> {
    let library = libraries.join(LIBRARY);
    let mut command = Command::new(pompeii);
    command.args(["compile", "--quiet", "--pomp-library"]).arg(library).arg("--").args(COMPILER);
    command.arg(source).args(["-o", "program", "-lm"]).current_dir(folder);
    shell::run(command.arg(format!("-Wl,-rpath,{}", libraries.display())))
}

const LIBRARY: &str = "libpomp.so";

/// What ThreadSanitizer says of a program in `folder`, which must end well.
fn reports(folder: &Path, command: &[String], mode: &[(&str, &str)]) -> Result<String> {
    let experiment = folder.join("experiment");
    let _ = fs::remove_dir_all(&experiment);
    let mut program = Command::new("timeout");
    program.arg("600").arg(folder.join(&command[0])).args(&command[1..]).current_dir(folder);
    program.env("OMP_NUM_THREADS", "4").env("OMP_TOOL_LIBRARIES", ARCHER);
    program.env("TSAN_OPTIONS", "ignore_noninstrumented_modules=1 exitcode=0");
    // Cargo's would lead to a library of its own.
    program.env_remove("LD_LIBRARY_PATH").env("POMPEII_EXPERIMENT", experiment);
    let output = program.envs(mode.iter().copied()).output()?;
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if !output.status.success() {
        bail!("ended with {}:\n{text}", output.status);
    }
    Ok(text)
}

/// The first report with the library in it: in a stack of one of the two accesses, or as the owner
/// of what they are about.
fn ours(text: &str) -> Option<&str> {
    text.split("==================\n").find(|report| report.contains(LIBRARY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reports_that_name_the_library_count() {
        let theirs = "==================\nWARNING: ThreadSanitizer: data race\n #0 (a.out+0x1)\n";
        let own = "WARNING: ThreadSanitizer: data race\n #0 (libpomp.so+0x1)\n";
        assert_eq!(ours(theirs), None);
        let both = format!("{theirs}==================\n{own}==================\n");
        assert_eq!(ours(&both), Some(own));
    }
}

//! How many instructions measuring adds to constructs of a program that gcc compiled without Pompeii:
//! the bounds in `bounds.rs`, counted by callgrind.
//!
//! Not run without `POMPEII_ORACLES=1`, since it needs gcc and valgrind.

use std::collections::HashMap;
use std::path::Path;
use std::process::Command;

use pompeii_testing::oracles;

use crate::bounds::OF_LIBGOMP;
use crate::oracle_programs::shipped;

/// Constructs in each function of `programs/gomp_hot.c`.
const MANY: u64 = 100_000;

/// Functions whose instructions do not count. Libgomp gets memory for each region and each task, and
/// how long that takes depends on what else lies in the heap: 200 instructions more or less.
const OF_MEMORY: [&str; 7] =
    ["malloc", "calloc", "realloc", "free", "aligned_alloc", "memalign", "posix_memalign"];

/// Instructions of each function with all that it calls. With `traced`, the library is loaded before
/// libgomp.
fn instructions(folder: &Path, traced: Option<bool>) -> HashMap<String, u64> {
    let counted = folder.join("callgrind.out");
    let mut command = Command::new("valgrind");
    command
        .args(["-q", "--tool=callgrind"])
        .args(OF_MEMORY.map(|function| format!("--toggle-collect={function}")))
        .arg("--collect-atstart=yes")
        .arg(format!("--callgrind-out-file={}", counted.display()))
        .arg(folder.join("gomp_hot"))
        .envs([("OMP_NUM_THREADS", "1"), ("POMPEII_GUARD", "0")])
        // How often a millisecond passes differs from run to run.
        .envs([("POMPEII_READY", "0"), ("POMPEII_SAMPLE", "0")])
        .env("POMPEII_EXPERIMENT", folder.join(format!("experiment-{traced:?}")));
    if let Some(traced) = traced {
        let traced = if traced { "1" } else { "0" };
        command.env("LD_PRELOAD", shipped("libpomp.so")).env("POMPEII_TRACE", traced);
    }
    assert!(command.status().unwrap().success());
    let mut annotate = Command::new("callgrind_annotate");
    annotate.args(["--inclusive=yes", "--threshold=100", "--auto=no"]).arg(&counted);
    let output = annotate.output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().filter_map(function).collect()
}

/// `2,405,233 ( 6.65%)  gomp_hot.c:many_tasks [/tmp/gomp_hot]`.
fn function(line: &str) -> Option<(String, u64)> {
    let (count, rest) = line.trim().split_once(" (")?;
    let (_, place) = rest.split_once(':')?;
    let name = place.split_whitespace().next().filter(|name| name.starts_with("many_"))?;
    Some((name.to_owned(), count.replace(',', "").parse().ok()?))
}

#[test]
fn instructions_of_constructs_of_libgomp() {
    if !oracles() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/programs/gomp_hot.c");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O1", "-g", "-fopenmp", source, "-o"]).arg(folder.path().join("gomp_hot"));
    assert!(gcc.status().unwrap().success());
    let plain = instructions(folder.path(), None);
    for traced in [false, true] {
        let measured = instructions(folder.path(), Some(traced));
        for bound in &OF_LIBGOMP {
            let added = measured[bound.kind].abs_diff(plain[bound.kind]) / MANY;
            let most = bound.most(traced);
            assert!(added <= most, "{}, trace {traced}: {added}, at most {most}", bound.construct);
            // The call was measured.
            assert!(added > most / 2, "{}, trace {traced}: {added}", bound.construct);
        }
    }
}

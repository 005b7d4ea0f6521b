//! The work for a text is in proportion to its length, whatever the text has many of. Work is the
//! number of instructions that valgrind counts, so the result is the same on every machine.
//!
//! Runs only with `POMPEII_ORACLES` set; then a missing valgrind is a failure.

use crate::robust::shapes::SHAPES;
use pompeii_instrument::{Functions, Language, Options, instrument};
use pompeii_testing::oracles;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What tells the process under valgrind its task: a count, then the shapes, `50 0 1 2`.
const TASK: &str = "POMPEII_WORK";
/// Count of the smaller text; the larger one has three times as many. Some work grows until it meets
/// a limit (of depth, of views): where it has grown too much, the second count decides.
const COUNTS: [usize; 2] = [24, 120];
/// Three times the text may cost so many times the work. Linear is 3, with a logarithm 3.7; where
/// half of the work is quadratic, it is 6.
const RATIO_MAX: f64 = 4.0;

#[test]
fn work_is_in_proportion_to_the_text() {
    if !oracles() {
        return;
    }
    let mut suspects: Vec<usize> = (0..SHAPES.len()).collect();
    for count in COUNTS {
        let [small, large] = [count, 3 * count].map(|count| instructions(&suspects, count));
        let grows = |at: &usize| large[*at] / small[*at] > RATIO_MAX;
        suspects = (0..suspects.len()).filter(grows).map(|at| suspects[at]).collect();
    }
    let failed: Vec<&str> = suspects.into_iter().map(|shape| SHAPES[shape].0).collect();
    assert!(
        failed.is_empty(),
        "three times the text is more than {RATIO_MAX} times the work: {failed:#?}"
    );
}

/// Instructions that each of these shapes takes, all in one process: to start valgrind costs more
/// than most of them.
fn instructions(shapes: &[usize], count: usize) -> Vec<f64> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("work");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    let counts = folder.join("counts");
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--dump-line=no"]);
    let counted = "all::oracle_work::instrument_shape";
    valgrind.args([format!("--zero-before={counted}"), format!("--dump-after={counted}")]);
    valgrind.arg(format!("--callgrind-out-file={}", counts.display()));
    valgrind.arg(std::env::current_exe().unwrap()).args(["--exact", "oracle_work::one_task"]);
    let shapes_text: String = shapes.iter().map(|shape| format!(" {shape}")).collect();
    let output = valgrind.env(TASK, format!("{count}{shapes_text}")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // One dump per call, numbered from 1 by valgrind.
    (1..=shapes.len()).map(|dump| total(&folder.join(format!("counts.{dump}")))).collect()
}

/// The instructions in a dump of callgrind.
fn total(dump: &PathBuf) -> f64 {
    let text = fs::read_to_string(dump).unwrap();
    let total = text.lines().find_map(|line| line.strip_prefix("totals: "));
    total.unwrap().trim().parse().unwrap()
}

/// The task; without one, nothing.
#[test]
fn one_task() {
    let Ok(task) = std::env::var(TASK) else { return };
    let mut numbers = task.split(' ').map(|number| number.parse::<usize>().unwrap());
    let count = numbers.next().unwrap();
    for shape in numbers {
        let (_, path, text) = SHAPES[shape];
        let language = Language::from_path(path).unwrap();
        instrument_shape(text(count).as_bytes(), &Options::new(path, language));
    }
}

/// What is counted: the usual work, and that for functions.
#[inline(never)]
fn instrument_shape(text: &[u8], options: &Options) {
    let _ = instrument(text, options);
    let functions = Some(Functions::default());
    let _ = instrument(text, &Options { functions, ..options.clone() });
}

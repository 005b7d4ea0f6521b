//! The work for a text is in proportion to its length, whatever the text has many of. Work is the
//! number of instructions that valgrind counts, so the result is the same on every machine.
//!
//! Runs only with `POMPEII_ORACLES` set; then a missing valgrind is a failure.

#![allow(clippy::unwrap_used, reason = "a test that fails may panic")]

#[path = "robust/shapes.rs"]
mod shapes;

use pompeii_instrument::{Language, Options, instrument};
use shapes::SHAPES;
use std::process::Command;
use std::sync::Mutex;
use std::thread;

/// What tells the process under valgrind its shape and count: `3 1000`.
const TASK: &str = "POMPEII_WORK";
/// Count of the smaller text; the larger one has four times as many. Some work grows until it meets
/// a limit (of depth, of views): where it has grown too much, the second count decides.
const COUNTS: [usize; 2] = [50, 400];
/// Four times the text may cost so many times the work. Linear is 4, with a logarithm 4.6; where
/// half of the work is quadratic, it is 10.
const RATIO_MAX: f64 = 5.0;

#[test]
fn work_is_in_proportion_to_the_text() {
    if std::env::var_os("POMPEII_ORACLES").is_none() {
        return;
    }
    let nothing = instructions(0, 0);
    let open = Mutex::new((0..SHAPES.len()).collect::<Vec<_>>());
    let failed = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(|| {
                loop {
                    let Some(shape) = open.lock().unwrap().pop() else { return };
                    let ratio = |&count: &usize| {
                        let small = instructions(shape, count) - nothing;
                        (instructions(shape, 4 * count) - nothing) / small
                    };
                    if COUNTS.iter().all(|count| ratio(count) > RATIO_MAX) {
                        failed.lock().unwrap().push(SHAPES[shape].0);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().unwrap();
    assert!(
        failed.is_empty(),
        "four times the text is more than {RATIO_MAX} times the work: {failed:#?}"
    );
}

/// Instructions of this program when it is given a task.
fn instructions(shape: usize, count: usize) -> f64 {
    let mut valgrind = Command::new("valgrind");
    valgrind.args(["--tool=callgrind", "--callgrind-out-file=/dev/null"]);
    valgrind.arg(std::env::current_exe().unwrap()).args(["--exact", "one_text"]);
    let output = valgrind.env(TASK, format!("{shape} {count}")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    let collected = log.lines().find_map(|line| line.split_once("Collected : "));
    collected.and_then(|(_, number)| number.trim().parse().ok()).unwrap()
}

/// The task; without one, nothing.
#[test]
fn one_text() {
    let Ok(task) = std::env::var(TASK) else { return };
    let (shape, count) = task.split_once(' ').unwrap();
    let (_, path, text) = SHAPES[shape.parse::<usize>().unwrap()];
    let text = text(count.parse().unwrap());
    let _ = instrument(text.as_bytes(), &Options::new(path, Language::from_path(path).unwrap()));
}

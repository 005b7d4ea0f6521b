//! Folded stacks: a line for each call path, `main;solve;parallel solve ocean.c:20 1200`, for flame
//! graphs. The number is the time of the call path without its callees, on all locations together,
//! in nanoseconds. They are made of a profile.

use std::io::Write;

use pompeii_model::sums::metrics;
use pompeii_model::{CallId, Cube, IndexVec};

use crate::source::Error;

/// Steps that a line names. What is below them belongs to the line of the last one: else the lines
/// of a recursion would have the square of its depth.
const STEPS_MAX: u32 = 1000;

/// Writes a profile.
///
/// # Errors
/// The profile has no times or visits, or is a difference, which has negative values; or the file
/// cannot be written.
pub fn write(cube: &Cube, out: &mut impl Write) -> Result<(), Error> {
    let (_, time) = metrics(cube)?;
    let lines = lines(cube, |call| cube.own(time, call));
    let names: Vec<String> = cube.regions.iter().map(|region| frame(&region.label())).collect();
    for (call, ticks) in lines {
        let ns = (ticks as f64 * 1e9 / cube.clock.ticks_per_second()).round();
        if ns <= 0.0 {
            continue;
        }
        let calls = cube.calls.ancestors(call);
        let mut steps: Vec<&str> =
            calls.map(|call| names[cube.calls.region(call).0 as usize].as_str()).collect();
        steps.reverse();
        writeln!(out, "{} {ns}", steps.join(";"))?;
    }
    Ok(())
}

/// The call paths that have lines, with their ticks.
fn lines(cube: &Cube, own_ticks: impl Fn(CallId) -> i64) -> Vec<(CallId, i64)> {
    // By call path: its depth, and the one whose line it belongs to.
    let mut of: IndexVec<CallId, (u32, CallId)> = IndexVec::default();
    let mut ticks: IndexVec<CallId, i64> = IndexVec::default();
    for call in cube.calls.ids() {
        let line = match cube.calls.parent(call).map(|parent| of[parent]) {
            Some((STEPS_MAX.., line)) => (STEPS_MAX, line),
            Some((depth, _)) => (depth + 1, call),
            None => (1, call),
        };
        of.push(line);
        ticks.push(0);
        ticks[line.1] += own_ticks(call);
    }
    ticks.enumerated().map(|(call, ticks)| (call, *ticks)).collect()
}

/// A frame contains no semicolon, which separates frames.
fn frame(name: &str) -> String {
    name.replace(';', ",").replace(|letter: char| letter.is_control(), " ")
}

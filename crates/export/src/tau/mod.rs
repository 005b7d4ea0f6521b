//! Profiles of TAU: a text file for each thread, `profile.NODE.CONTEXT.THREAD`, as pprof and
//! ParaProf read them. A node is a process, the context is 0, and threads are counted from the
//! master of the process. Times are microseconds.
//!
//! * A timer is a region (`names.rs`), or one call path: `.TAU application => main => MPI_Send()`.
//!   Those of call paths are in the group `TAU_CALLPATH`.
//! * The first timer, `.TAU application`, is the thread as a whole. All call paths begin there, so
//!   that tools find one tree and know the time that is 100 %. Readers expect whole microseconds in
//!   its line.
//! * Exclusive time is without callees. Inclusive time counts the outermost visits only, so that a
//!   recursion is not counted twice.
//! * Tasks have a tree of their own, below the timer `TASKS`: so exclusive times add up to the time
//!   of the thread, and inclusive times of scheduling points have no tasks.
//! * [`import`] reads such profiles, also those of TAU.

pub mod import;
mod names;
mod timers;

use std::io::{self, BufWriter, Write};

use pompeii_model::sums::{Sums, Values, metrics};
use pompeii_model::{Cube, LocationId};

use crate::graph::escaped;
use crate::source::Error;
use timers::{APPLICATION, Timer, Timers};

pub use names::View;

/// Writes the profile of each thread; `create` makes a file of this name.
///
/// # Errors
/// The profile has no times or visits, or is a difference, which has negative values; or a file
/// cannot be written.
pub fn write<W: Write>(
    cube: &Cube,
    view: View,
    mut create: impl FnMut(&str) -> io::Result<W>,
) -> Result<(), Error> {
    let metrics = metrics(cube)?;
    let timers = [Timers::regions(cube, view), Timers::paths(cube, view)];
    for location in cube.system.locations.ids() {
        let values = Values::at(cube, metrics, location);
        let mut out = BufWriter::new(create(&file_name(cube, location))?);
        write_thread(cube, location, (&timers, &values), &mut out)?;
        out.flush()?;
    }
    Ok(())
}

fn file_name(cube: &Cube, location: LocationId) -> String {
    format!("profile.{}", cube.system.tau_name(location).replace(',', "."))
}

/// The lines of a thread. A timer without visits and time on the thread has none, except the first
/// one.
fn write_thread(
    cube: &Cube,
    location: LocationId,
    (timers, values): (&[Timers; 2], &Values),
    out: &mut impl Write,
) -> io::Result<()> {
    let sums = timers.each_ref().map(|timers| timers.sums(values));
    let lines = timers.iter().zip(&sums).flat_map(|(timers, sums)| timers.iter().zip(sums));
    let is_written =
        |(timer, sums): &(&Timer, &Sums)| **sums != Sums::default() && timer.name != APPLICATION;
    let lines: Vec<(&Timer, &Sums)> = lines.filter(is_written).collect();
    writeln!(out, "{} templated_functions_MULTI_TIME", 1 + lines.len())?;
    let metadata = metadata(cube, location);
    writeln!(out, "# Name Calls Subrs Excl Incl ProfileCalls # {metadata}")?;
    let microseconds = |ticks: i64| ticks as f64 * 1e6 / cube.clock.ticks_per_second();
    let Sums { called, inclusive, .. } = values.of_all(cube);
    let all = microseconds(inclusive).round();
    let own = timers[0].application(&sums[0]).unwrap_or(Sums { called, ..Sums::default() });
    let (called, exclusive) = (own.called, microseconds(own.exclusive).round());
    writeln!(out, "\"{APPLICATION}\" 1 {called} {exclusive} {all} 0 GROUP=\"TAU_DEFAULT\" ")?;
    for (timer, sums) in lines {
        let (exclusive, inclusive) = (microseconds(sums.exclusive), microseconds(sums.inclusive));
        writeln!(
            out,
            "\"{}\" {} {} {exclusive} {inclusive} 0 GROUP=\"{}\" ",
            timer.name, sums.visits, sums.called, timer.group
        )?;
    }
    writeln!(out, "0 aggregates")
}

/// Facts about the run, as XML in one line.
fn metadata(cube: &Cube, location: LocationId) -> String {
    let process = &cube.system.processes[cube.system.locations[location].process];
    let facts = [
        ("Metric Name", "TIME"),
        ("Executable", cube.program.as_str()),
        ("Hostname", process.node.as_str()),
        ("Thread Name", cube.system.locations[location].name.as_str()),
    ];
    let attribute = |(name, value): (&str, &str)| {
        let value = escaped(value);
        format!("<attribute><name>{name}</name><value>{value}</value></attribute>")
    };
    let attributes: String = facts.into_iter().map(attribute).collect();
    format!("<metadata>{attributes}</metadata>")
}

//! Who waited for whom, as text: per construct the threads that the others waited for there, each
//! with the call path that it came from.

use pompeii_analysis::{Lens, WaitedAt, WaitedFor, format, waited_at};
use pompeii_model::Cube;

use crate::Options;
use crate::layout::{Style, even, name_width, named, right, wrap};

/// Constructs, and causes of each, that are shown.
const SHOWN: usize = 5;
/// Narrow, since call paths and threads are to be told apart by their names.
const NUMBERS: [usize; 3] = [10, 11, 8];

/// The table; empty where nobody waited for anybody.
pub fn waits(cube: &Cube, options: &Options) -> String {
    let lens = Lens::new(cube);
    let found = waited_at(&lens);
    if found.is_empty() {
        return String::new();
    }
    let style = Style::new(options);
    let heading = named("Waiting, and for whom", name_width(options, &NUMBERS), options);
    let base = wrap(&base(lens.cube), options.width, " ", " ");
    let columns = right("lost", NUMBERS[0]) + &right("times", NUMBERS[1]);
    let mut text = format!(" {}{columns}{}\n", style.bold(&heading), right("share", NUMBERS[2]));
    for at in found.iter().take(SHOWN) {
        text += &construct(&lens, at, options);
    }
    if found.len() > SHOWN {
        let more = format::counted((found.len() - SHOWN) as i64, "construct");
        text += &format!(" ({more} more: --json has all)\n");
    }
    even(&text) + &base
}

/// What the shares are shares of. A finding follows waiting back to its first cause if there is a
/// trace, so it may name other code, with other shares.
pub(crate) fn base(cube: &Cube) -> String {
    let counted = match Lens::new(cube).total("pthread_time") {
        0 => "came last, or that held the lock",
        _ => {
            "came last, that held the lock, that ended the waiting for a condition or a semaphore, \
             or whose end was waited for"
        }
    };
    let last = format!(
        "Shares are those of all waiting at the construct. Each wait is counted for the thread that \
         {counted}."
    );
    match cube.roots.is_empty() {
        true => last,
        false => format!(
            "{last} Findings follow the trace from there to the code that made this thread late, \
             possibly on another thread, so their shares differ."
        ),
    }
}

fn construct(lens: &Lens, at: &WaitedAt, options: &Options) -> String {
    let visits = at.causes.iter().map(|cause| cause.visits).sum();
    let name = lens.cube.regions[at.region].label();
    let mut text = line(options, &name, (lens.seconds(at.ticks), visits, 1.0));
    for WaitedFor { by, visits, ticks } in at.causes.iter().take(SHOWN) {
        let name = by.map_or("  others".to_owned(), |(call, location)| {
            let place = format::name_with_place(lens.cube, call);
            format!("  {} in {place}", lens.thread_name(location))
        });
        let share = *ticks as f64 / at.ticks.max(1) as f64;
        text += &line(options, &name, (lens.seconds(*ticks), *visits, share));
    }
    text
}

fn line(options: &Options, name: &str, (seconds, visits, share): (f64, i64, f64)) -> String {
    let name = named(name, name_width(options, &NUMBERS), options);
    let numbers = right(&format::seconds(seconds), NUMBERS[0])
        + &right(&format::count(visits), NUMBERS[1])
        + &right(&format::percent(share), NUMBERS[2]);
    format!(" {name}{numbers}\n")
}

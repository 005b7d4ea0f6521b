//! Windows: recording follows the time, or the visits of chosen regions.
//!
//! By time, each thread looks at the clock's progress at its own events, so that a window may begin
//! and end inside of a long parallel region: teams are whole in any case, and a thread that is
//! outside of a window switches itself off where its part begins. By visits, as in Score-P, only a
//! thread outside of parallel regions switches; the teams that it forks meanwhile are recorded.

pub mod progress;

use pompeii_live::filter::Windows;
use pompeii_live::quoted;

use crate::clock;
use crate::folder::{self, Started};
use crate::location::{Location, gate};

use progress::Visits;

/// The windows that the environment says.
pub fn of_environment(started: &Started) -> Windows {
    let text = folder::variable(&["POMPEII_WINDOW"]).filter(|text| !text.is_empty());
    let windows = match (text, folder::path(FILES)) {
        (Some(text), _) => Windows::parse(&text),
        (None, Some(path)) => std::fs::read(started.absolute(&path))
            .map_err(|error| format!("{}: {error}", quoted(&path)))
            .and_then(|text| Windows::parse_selective(&String::from_utf8_lossy(&text))),
        (None, None) => return Windows::default(),
    };
    windows.unwrap_or_else(|error| {
        started.say(&format!("warning: measuring without a window: {error}"));
        Windows::default()
    })
}

const FILES: &[&str] = &["POMPEII_SELECT", "SCOREP_SELECTIVE_CONFIG_FILE"];

/// Something begins on the thread at `now`: recording is what the window says.
#[cold]
pub fn follow(thread: &mut Location, now: u64) {
    let process = thread.process;
    if !process.options.windows.is_by_time() {
        // Visits of regions say the rest.
        thread.gate &= !gate::WINDOW;
        return switch(thread, false, now);
    }
    if now >= thread.window.ask_ticks {
        ask(thread, now);
    }
    let wanted = thread.window.wanted;
    switch(thread, wanted, now);
}

/// Asks what the window says now, and when to ask again: at half of the way to the next border, so
/// that the rate of the ticks need not be known well.
fn ask(thread: &mut Location, now: u64) {
    let options = &thread.process.options;
    let ticks = now.saturating_sub(options.start.ticks);
    let ns = match options.tsc {
        true => clock::monotonic_ns().saturating_sub(options.start.monotonic_ns),
        false => ticks,
    };
    let (wanted, next) = options.windows.at(ns);
    let ticks_until = |border: u64| {
        let ticks = u128::from(ticks) * u128::from(border - ns) / u128::from(2 * ns.max(1));
        u64::try_from(ticks).unwrap_or(u64::MAX)
    };
    let ask_ticks = next.map_or(u64::MAX, |border| now.saturating_add(ticks_until(border).max(1)));
    (thread.window.wanted, thread.window.ask_ticks) = (wanted, ask_ticks);
}

/// Switches, unless the program itself has switched off.
fn switch(thread: &mut Location, on: bool, now: u64) {
    let is_on = thread.gate & gate::OFF == 0;
    if is_on && on {
        thread.window.is_off = false;
    } else if is_on && !on {
        thread.switch_recording(false, now);
        thread.window.is_off = thread.gate & gate::OFF != 0;
    } else if !is_on && on && thread.window.is_off {
        thread.window.is_off = false;
        thread.switch_recording(true, now);
    }
}

/// A team is forked: its threads follow the window on their own, so the team is recorded.
pub fn fork(thread: &mut Location, now: u64) {
    if thread.process.options.windows.is_by_time() {
        switch(thread, true, now);
    } else if thread.gate & gate::WINDOW != 0 {
        follow(thread, now);
    }
}

/// A region that opens windows is about to be entered.
pub fn enter(thread: &mut Location, place: usize, now: u64) {
    if thread.gate & gate::WINDOW != 0 {
        follow(thread, now);
    }
    if thread.window.visits.len() <= place {
        thread.window.visits.resize(place + 1, Visits::default());
    }
    let visits = thread.window.visits[place];
    let opens = visits.open == 0
        && thread.window.is_off
        && thread.contexts.is_outside()
        && !thread.contexts.top().is_unobserved()
        && thread.process.options.windows.has_visit(place, visits.begun);
    if opens {
        switch(thread, true, now);
    }
    let known = &mut thread.window.visits[place];
    known.begun += 1;
    known.open += u64::from(opens || visits.open > 0);
}

/// A region that opens windows has been left.
pub fn exit(thread: &mut Location, place: usize, now: u64) {
    let Some(known) = thread.window.visits.get_mut(place).filter(|known| known.open > 0) else {
        return;
    };
    known.open -= 1;
    if known.open == 0 {
        switch(thread, false, now);
    }
}

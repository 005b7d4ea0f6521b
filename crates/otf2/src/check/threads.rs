//! The rule for threads that a program creates: each is created before it begins, ends where it has
//! begun, outside of regions and teams, and only then has another location waited for it. A part of
//! a longer trace may lack the first of these records, and then has a begin without a name.

use super::definitions::Known;
use super::location::Location;
use super::tasks::{Life, Process, ThreadName};
use super::{Found, Rule};
use crate::event::Event;

/// Checks the event if it is one of such threads.
pub(super) fn event(
    event: &Event,
    location: &mut Location,
    known: &Known,
    process: &mut Process,
    found: &mut Found<'_>,
) {
    let (name, from, to) = match event {
        Event::ThreadCreate(of) => {
            ((of.thread_contingent, of.sequence_count), None, Some(Life::Created))
        }
        Event::ThreadBegin(of) => {
            ((of.thread_contingent, of.sequence_count), Some(Life::Created), Some(Life::Begun))
        }
        Event::ThreadEnd(of) => {
            ((of.thread_contingent, of.sequence_count), Some(Life::Begun), Some(Life::Ended))
        }
        Event::ThreadWait(of) => {
            ((of.thread_contingent, of.sequence_count), Some(Life::Ended), None)
        }
        _ => return,
    };
    if name.0.is_undefined() {
        return;
    }
    match known.comm(name.0) {
        None => found.add(Rule::Members, format!("contingent {} is no communicator", name.0)),
        Some(comm) if !known.is_member(comm, location.id) => {
            let text = format!("this location is no member of contingent {}", name.0);
            found.add(Rule::Members, text);
        }
        Some(_) => {}
    }
    let before = match to {
        Some(to) => process.threads.insert(name, to),
        None => process.threads.get(&name).copied(),
    };
    if let Some(before) = before.filter(|_| !process.is_known_in_part)
        && Some(before) != from
    {
        found.add(Rule::Threads, wrong(event, name.1, before));
    }
    here(event, name, (location, process), found);
}

/// What is wrong with an event of a thread that has come so far.
fn wrong(event: &Event, number: u64, before: Life) -> String {
    let what = match event {
        Event::ThreadCreate(_) => "is created",
        Event::ThreadBegin(_) => "begins",
        Event::ThreadEnd(_) => "ends",
        _ => "was waited for",
    };
    let state = match before {
        Life::Created => "has not begun",
        Life::Begun => "has begun and not ended",
        Life::Ended => "has ended",
    };
    format!("thread {number} {what}, but it {state}")
}

/// What begins and ends at a location.
fn here(
    event: &Event,
    name: ThreadName,
    (location, process): (&mut Location, &mut Process),
    found: &mut Found<'_>,
) {
    let is_begin = matches!(event, Event::ThreadBegin(_));
    if !is_begin && !matches!(event, Event::ThreadEnd(_)) {
        return;
    }
    let number = name.1;
    let before = std::mem::replace(&mut location.thread, is_begin.then_some(name));
    let open = location.open();
    if process.is_known_in_part {
        return;
    }
    match before {
        Some((_, other)) if is_begin => {
            let text = format!("thread {number} begins where thread {other} has not ended");
            found.add(Rule::Threads, text);
        }
        _ if !is_begin && before != Some(name) => {
            found.add(Rule::Threads, format!("thread {number} ends where it has not begun"));
        }
        _ => {}
    }
    if open > 0 {
        let what = if is_begin { "begins" } else { "ends" };
        let text = format!("thread {number} {what} inside of {open} regions or teams");
        found.add(Rule::Threads, text);
    }
}

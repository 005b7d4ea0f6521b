//! Keeping the end of an iteration or of a construct, taking it back, and making it good.

use super::ending::Ending;
use crate::location::{Location, gate};
use crate::task::execution;

/// Makes the end of the last iteration good, with its time.
#[cold]
pub fn end_last(thread: &mut Location) {
    thread.gate &= !gate::ENDING;
    let now = thread.header.last_ticks;
    match std::mem::replace(&mut thread.ending, Ending::None) {
        Ending::None => {}
        Ending::Chunk(region) => thread.exit(region, now),
        Ending::Task(task, regions) => execution::complete(thread, task, regions, now),
    }
}

pub(super) fn keep(thread: &mut Location, ending: Ending, now: u64) {
    thread.account(now);
    put_back(thread, ending);
}

pub(super) fn put_back(thread: &mut Location, ending: Ending) {
    thread.ending = ending;
    thread.gate |= gate::ENDING;
}

pub(super) fn take_back(thread: &mut Location) {
    thread.ending = Ending::None;
    thread.gate &= !gate::ENDING;
}

/// Takes the end of a region back, if that was kept and nothing has come since: something that
/// belongs to the region comes now.
pub fn take_back_end(thread: &mut Location, region: u32) -> bool {
    let is_kept = matches!(thread.ending, Ending::Chunk(kept) if kept == region);
    if is_kept {
        take_back(thread);
    }
    is_kept
}

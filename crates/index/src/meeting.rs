//! Where the ends of a process meet: a task that is executed finds its creation, and a lock that is
//! taken the thread that gave it back. Tasks that are ready or run and threads that wait or have no
//! work are counted on the way. The ends of all locations are taken in the order of time, so only
//! tasks that are not complete are in memory.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::context::Context;
use crate::ends::{End, Ends, Packed, Status};
use crate::format::{Piece, Section};
use crate::links::{Link, LinkKind, LinkStore};
use crate::series::{Curve, Number};
use crate::shape::Shape;
use crate::walk::TaskId;
use pompeii_replay::hash::Table;

/// A location, and a time there.
type Moment = (usize, u64);

/// Acquisitions of a lock that are kept until the release before them comes.
const KEPT: usize = 32;

/// The ends of several locations, in the order of time.
pub(crate) struct InOrder<'a> {
    streams: Vec<(usize, Ends<'a>)>,
    /// Of each stream its next end.
    next: Vec<Option<End>>,
    order: BinaryHeap<Reverse<(u64, bool, usize)>>,
}

impl<'a> InOrder<'a> {
    pub fn new(streams: &'a [(usize, Packed)]) -> InOrder<'a> {
        let iters: Vec<_> = streams.iter().map(|(place, packed)| (*place, packed.iter())).collect();
        let next = vec![None; iters.len()];
        let mut all = InOrder { streams: iters, next, order: BinaryHeap::new() };
        (0..all.streams.len()).for_each(|stream| all.advance(stream));
        all
    }

    fn advance(&mut self, stream: usize) {
        let Some((_, ends)) = self.streams.get_mut(stream) else { return };
        if let Some((time, end)) = ends.next() {
            // Causes come before their effects, if the clock has no time between them.
            let is_effect = matches!(end, End::Start(_) | End::Complete(_) | End::Acquire { .. });
            self.next[stream] = Some(end);
            self.order.push(Reverse((time, is_effect, stream)));
        }
    }
}

impl Iterator for InOrder<'_> {
    /// Time, location and end.
    type Item = (u64, usize, End);

    fn next(&mut self) -> Option<(u64, usize, End)> {
        let Reverse((time, _, stream)) = self.order.pop()?;
        let end = self.next[stream].take()?;
        self.advance(stream);
        Some((time, self.streams[stream].0, end))
    }
}

/// Links the ends of a process, and returns its curves.
pub(crate) fn link(
    context: &Context<'_>,
    ends: &[(usize, Packed)],
    links: &mut LinkStore,
) -> Vec<Piece> {
    let mut meeting = Meeting::default();
    let mut threads = Threads::new(context.shape, ends.len());
    for (time, location, end) in InOrder::new(ends) {
        threads.take((location, time), end);
        meeting.take((location, time), end, links);
        threads.ready.set(time, meeting.created.len() as u64);
    }
    let [ready, running, waiting, idle] = Curve::ALL;
    let Threads { ready: tasks, running: executed, waiting: waits, idle: idles, .. } = threads;
    let numbers = [(ready, tasks), (running, executed), (waiting, waits), (idle, idles)];
    let pieces = |(curve, number): (Curve, Number)| number.pieces(curve, context.end());
    let mut pieces: Vec<Piece> = numbers.into_iter().flat_map(pieces).collect();
    // Links tell when all other tasks are ready.
    let mut words: Vec<u64> = meeting.created.values().map(|(_, time)| *time).collect();
    words.sort_unstable();
    pieces.push(Piece { section: Section::Unbegun, row: 0, level: 0, words, is_coarse: false });
    pieces
}

/// How many threads do what.
struct Threads {
    ready: Number,
    running: Number,
    waiting: Number,
    idle: Number,
    /// By location.
    status: Table<usize, Status>,
}

impl Threads {
    fn new(shape: Shape, threads: usize) -> Threads {
        let number = |value: usize| Number::new(shape, value as u64);
        Threads {
            ready: number(0),
            running: number(0),
            waiting: number(0),
            idle: number(threads),
            status: Table::default(),
        }
    }

    fn take(&mut self, (location, time): Moment, end: End) {
        match end {
            End::Start(_) => self.running.change(time, 1),
            End::Suspend(_) | End::Complete(_) => self.running.change(time, -1),
            End::Status(status) => {
                let before = self.status.insert(location, status).unwrap_or_default();
                for (which, by) in [(before, -1), (status, 1)] {
                    match which {
                        Status::Idle => self.idle.change(time, by),
                        Status::Waiting => self.waiting.change(time, by),
                        Status::Busy => {}
                    }
                }
            }
            _ => {}
        }
    }
}

/// What has one end so far.
#[derive(Debug, Default)]
struct Meeting {
    created: Table<TaskId, Moment>,
    suspended: Table<TaskId, Moment>,
    locks: Table<u32, Lock>,
}

/// A lock of the process.
#[derive(Debug, Default)]
struct Lock {
    /// Number and moment of the last release.
    released: Option<(u32, Moment)>,
    /// The last release by a writer, and the last one by a reader since then.
    writer: Option<Moment>,
    reader: Option<Moment>,
    /// Acquisitions whose release before has not come, and since when they waited: the release may
    /// be recorded after the other thread has the lock.
    early: Vec<(u32, Moment, u64)>,
}

impl Meeting {
    fn take(&mut self, here: Moment, end: End, links: &mut LinkStore) {
        let mut link = |kind, from, task: TaskId| {
            let detail = u64::from(task.thread) << 32 | u64::from(task.number);
            links.push(Link { kind, from, to: here, detail });
        };
        match end {
            End::Create(task) => drop(self.created.insert(task, here)),
            End::Start(task) => {
                if let Some(from) = self.created.remove(&task) {
                    link(LinkKind::TaskStart, from, task);
                } else if let Some(from) = self.suspended.remove(&task) {
                    link(LinkKind::TaskResume, from, task);
                }
            }
            End::Suspend(task) => drop(self.suspended.insert(task, here)),
            End::Complete(task) => drop(self.suspended.remove(&task)),
            End::Acquire { lock, order, waited, is_shared } => {
                let since = here.1.saturating_sub(waited);
                let of = self.locks.entry(lock).or_default();
                let found = &mut |link| links.push(link);
                match is_shared {
                    true => of.share(lock, here, since, found),
                    false => of.acquire((lock, order), here, since, found),
                }
            }
            End::Release { lock, order, is_shared } => {
                let of = self.locks.entry(lock).or_default();
                of.release((lock, order, is_shared), here, &mut |link| links.push(link));
            }
            _ => {}
        }
    }
}

impl Lock {
    /// A reader has waited for the last writer.
    fn share(&self, lock: u32, here: Moment, since: u64, found: &mut dyn FnMut(Link)) {
        if let Some(from) = self.writer {
            hand_over(lock, from, here, since, found);
        }
    }

    /// A writer has waited for the last one of several readers, or for the holder before.
    fn acquire(
        &mut self,
        (lock, order): (u32, u32),
        here: Moment,
        since: u64,
        found: &mut dyn FnMut(Link),
    ) {
        if let Some(from) = self.reader.take() {
            return hand_over(lock, from, here, since, found);
        }
        match self.released {
            Some((before, from)) if before.wrapping_add(1) == order => {
                hand_over(lock, from, here, since, found);
            }
            Some((before, _)) if before >= order => {}
            _ if order > 1 => {
                if self.early.len() == KEPT {
                    self.early.remove(0);
                }
                self.early.push((order, here, since));
            }
            _ => {}
        }
    }

    fn release(
        &mut self,
        (lock, order, is_shared): (u32, u32, bool),
        here: Moment,
        found: &mut dyn FnMut(Link),
    ) {
        match is_shared {
            true => self.reader = Some(here),
            false => (self.writer, self.reader) = (Some(here), None),
        }
        let next = order.wrapping_add(1);
        if let Some(place) = self.early.iter().position(|(order, ..)| *order == next) {
            let (_, to, since) = self.early.remove(place);
            hand_over(lock, here, to, since, found);
        }
        if self.released.is_none_or(|(before, _)| before < order) {
            self.released = Some((order, here));
        }
    }
}

/// A lock goes from one thread to another one, if that one has waited for it.
fn hand_over(lock: u32, from: Moment, to: Moment, since: u64, found: &mut dyn FnMut(Link)) {
    if from.0 != to.0 && since < from.1 {
        found(Link { kind: LinkKind::Lock, from, to, detail: lock.into() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Locations 1 and 2 read; location 3 waits for both from 5 on, and location 1 from 21 on for
    /// location 3. Location 2 reads at 32, when no writer has the lock any more.
    #[test]
    fn readers_come_from_the_last_writer_and_writers_from_the_last_reader() {
        let (mut lock, mut links) = (Lock::default(), Vec::new());
        let mut found = |link: Link| links.push((link.from, link.to));
        lock.share(7, (1, 2), 2, &mut found);
        lock.share(7, (2, 3), 3, &mut found);
        lock.release((7, 2, true), (2, 9), &mut found);
        lock.release((7, 1, true), (1, 12), &mut found);
        lock.acquire((7, 3), (3, 13), 5, &mut found);
        lock.release((7, 3, false), (3, 30), &mut found);
        lock.share(7, (1, 31), 21, &mut found);
        lock.share(7, (2, 32), 32, &mut found);
        lock.release((7, 5, true), (2, 33), &mut found);
        lock.release((7, 4, true), (1, 34), &mut found);
        assert_eq!(links, [((1, 12), (3, 13)), ((3, 30), (1, 31))]);
    }
}

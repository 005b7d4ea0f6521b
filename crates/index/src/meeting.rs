//! Where the ends of a process meet: a task that is executed finds its creation, and a lock that is
//! taken the thread that gave it back. Tasks that are ready or run and threads that wait or have no
//! work are counted on the way. The ends of all locations are taken in the order of time, so only
//! tasks that are not complete are in memory.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::context::Context;
use crate::ends::{End, Ends, Packed, Status};
use crate::format::{Piece, Section};
use crate::links::{Link, LinkKind, LinkStore};
use crate::series::{Curve, Number};
use crate::shape::Shape;
use crate::walk::TaskId;

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
    status: HashMap<usize, Status>,
}

impl Threads {
    fn new(shape: Shape, threads: usize) -> Threads {
        let number = |value: usize| Number::new(shape, value as u64);
        Threads {
            ready: number(0),
            running: number(0),
            waiting: number(0),
            idle: number(threads),
            status: HashMap::new(),
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
    created: HashMap<TaskId, Moment>,
    suspended: HashMap<TaskId, Moment>,
    locks: HashMap<u32, Lock>,
}

/// A lock of the process.
#[derive(Debug, Default)]
struct Lock {
    /// Number and moment of the last release.
    released: Option<(u32, Moment)>,
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
            End::Acquire { lock, order, waited } => {
                let since = here.1.saturating_sub(waited);
                self.locks.entry(lock).or_default().acquire((lock, order), here, since, links);
            }
            End::Release { lock, order } => {
                self.locks.entry(lock).or_default().release((lock, order), here, links);
            }
            _ => {}
        }
    }
}

impl Lock {
    fn acquire(
        &mut self,
        (lock, order): (u32, u32),
        here: Moment,
        since: u64,
        links: &mut LinkStore,
    ) {
        match self.released {
            Some((before, from)) if before.wrapping_add(1) == order => {
                hand_over(lock, from, here, since, links);
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

    fn release(&mut self, (lock, order): (u32, u32), here: Moment, links: &mut LinkStore) {
        let next = order.wrapping_add(1);
        if let Some(place) = self.early.iter().position(|(order, ..)| *order == next) {
            let (_, to, since) = self.early.remove(place);
            hand_over(lock, here, to, since, links);
        }
        if self.released.is_none_or(|(before, _)| before < order) {
            self.released = Some((order, here));
        }
    }
}

/// A lock goes from one thread to another one, if that one has waited for it.
fn hand_over(lock: u32, from: Moment, to: Moment, since: u64, links: &mut LinkStore) {
    if from.0 != to.0 && since < from.1 {
        links.push(Link { kind: LinkKind::Lock, from, to, detail: lock.into() });
    }
}

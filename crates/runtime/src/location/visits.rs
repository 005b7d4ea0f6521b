//! Inclusive times of single visits, on request: shortest, longest, sum of squares per call path.
//!
//! Times are accounted exclusively, so nothing else knows how long a visit took. This does not
//! watch enters and exits, which come in many ways (unwinding, cancellation, tasks, lazily closed
//! barriers), but compares, at each event, the call path that the location is in with the one that
//! it was in before: what is not in it any more has ended, what is new in it has begun, both at the
//! location's last event. A task that begins suspends what is open; its frames are on their own,
//! and its time is no part of the frames below.

use std::ptr::null_mut;

use pompeii_live::{Mapped, Node, NodeOffset, VisitRecord, node_index, visits_file};

use super::roots::{NODES_RESERVED_BYTES, TASKS};
use crate::location::Location;
use crate::process::Process;
use crate::task::instance::Task;

/// As many records as a location may have call paths, so that only the disk limits them.
const RESERVED_BYTES: usize = NODES_RESERVED_BYTES / size_of::<Node>() * size_of::<VisitRecord>();
/// Bytes of the file that are there from the beginning.
pub const FIRST_BYTES: usize = 4096;

/// An open visit.
#[derive(Clone, Copy)]
struct Frame {
    node: NodeOffset,
    begin_ticks: u64,
    /// Time of tasks that were executed on top of it.
    tasks_ticks: u64,
    /// It is a visit, and not a part of one that goes on here.
    counts: bool,
}

/// The open visits of the implicit task, or of one explicit task.
#[derive(Clone, Copy)]
struct Segment {
    task: *mut Task,
    begin_ticks: u64,
    first_frame: usize,
}

/// What a location has open, and its records.
pub struct Visits {
    records: Mapped,
    /// Innermost last.
    frames: Vec<Frame>,
    segments: Vec<Segment>,
    /// A call path with its visits, for [`settle`].
    path: Vec<(NodeOffset, u64)>,
    process: &'static Process,
}

impl Visits {
    /// For the location with this index; `None` where its file cannot be made, which is told.
    pub fn new(process: &'static Process, location: u32) -> Option<Box<Visits>> {
        let path = process.options.folder.join(visits_file(location));
        match Mapped::create(&path, FIRST_BYTES, RESERVED_BYTES) {
            Ok(records) => {
                let segments = vec![Segment { task: null_mut(), begin_ticks: 0, first_frame: 0 }];
                let (frames, path) = (Vec::with_capacity(64), Vec::with_capacity(64));
                Some(Box::new(Visits { records, frames, segments, path, process }))
            }
            Err(error) => {
                process.lost(1, error.errno);
                None
            }
        }
    }

    fn record(&mut self, node: NodeOffset) -> Option<&mut VisitRecord> {
        let index = node_index(node) as usize;
        if let Err(error) = self.records.ensure((index + 1) * size_of::<VisitRecord>()) {
            self.process.lost_readings(1, error.errno);
            return None;
        }
        // SAFETY: `ensure` has allocated the record; only this thread uses the file.
        Some(unsafe { &mut *self.records.base().cast::<VisitRecord>().add(index) })
    }

    fn open(&mut self, (node, visits): (NodeOffset, u64), now: u64) {
        let counts = self.record(node).is_some_and(|record| {
            let is_new = visits > record.begun;
            record.begun = visits.max(record.begun);
            is_new
        });
        self.frames.push(Frame { node, begin_ticks: now, tasks_ticks: 0, counts });
    }

    /// Ends the innermost visit.
    fn close(&mut self, now: u64) {
        let Some(frame) = self.frames.pop() else { return };
        let first = self.segments.last().map_or(0, |segment| segment.first_frame);
        if let Some(below) = self.frames[first..].last_mut() {
            below.tasks_ticks += frame.tasks_ticks;
        }
        let ticks = now.saturating_sub(frame.begin_ticks).saturating_sub(frame.tasks_ticks);
        if !frame.counts {
            return;
        }
        let Some(record) = self.record(frame.node) else { return };
        record.min_ticks = if record.ended == 0 { ticks } else { record.min_ticks.min(ticks) };
        record.max_ticks = record.max_ticks.max(ticks);
        record.ended += 1;
        record.sum_ticks += ticks;
        record.sum_of_squares += ticks as f64 * ticks as f64;
    }

    /// What runs since `now` is this task: it has been suspended, or begins.
    fn switch(&mut self, task: *mut Task, now: u64) {
        if self.segments.iter().any(|segment| segment.task == task) {
            while self.segments.last().is_some_and(|segment| segment.task != task) {
                self.leave_task(now);
            }
        } else {
            let first_frame = self.frames.len();
            self.segments.push(Segment { task, begin_ticks: now, first_frame });
        }
    }

    /// The running task ends, or has left.
    fn leave_task(&mut self, now: u64) {
        let Some(segment) = self.segments.last().copied() else { return };
        while self.frames.len() > segment.first_frame {
            self.close(now);
        }
        self.segments.pop();
        let first = self.segments.last().map_or(0, |below| below.first_frame);
        if let Some(below) = self.frames[first..].last_mut() {
            below.tasks_ticks += now.saturating_sub(segment.begin_ticks);
        }
    }

    /// The call path is `path` since `now`, innermost first; the running task is the same.
    fn go_to(&mut self, path: &[(NodeOffset, u64)], now: u64) {
        let first = self.segments.last().map_or(0, |segment| segment.first_frame);
        let same = self.frames[first..]
            .iter()
            .zip(path.iter().rev())
            .take_while(|(frame, (node, _))| frame.node == *node)
            .count();
        while self.frames.len() > first + same {
            self.close(now);
        }
        for &of in path.iter().rev().skip(same) {
            self.open(of, now);
        }
    }
}

/// Notes what the events up to the location's last one have opened and closed. To be called before
/// anything else happens.
#[cold]
#[inline(never)]
pub fn settle(thread: &mut Location) {
    let Some(mut visits) = thread.visits.take() else { return };
    let (now, current) = (thread.header.last_ticks, thread.header.current);
    let task = running(thread);
    let is_same = visits.segments.last().is_some_and(|segment| segment.task == task)
        && visits.frames.last().is_some_and(|frame| frame.node == current);
    if !is_same {
        visits.switch(task, now);
        let mut path = std::mem::take(&mut visits.path);
        path.clear();
        let mut at = current;
        while at > TASKS {
            let node = thread.node(at);
            path.push((at, node.visits));
            at = node.parent;
        }
        visits.go_to(&path, now);
        visits.path = path;
    }
    thread.visits = Some(visits);
}

/// The explicit task that runs, or that has forked the team whose implicit task runs; null for what
/// is in no explicit task.
fn running(thread: &Location) -> *mut Task {
    match thread.tasks.current() {
        task if task.is_null() => thread.contexts.outer_task(),
        task => task,
    }
}

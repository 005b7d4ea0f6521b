//! When the metrics of a location's thread are read, and which node they belong to.

use pompeii_live::CLASS_MEMBERS;
use pompeii_live::encode::{self, MetricValue};

use super::{Location, gate};

/// Adds what the thread has counted since its last reading to the location's current node.
#[cold]
#[inline(never)]
pub fn count(thread: &mut Location, now: u64) {
    let (process, node) = (thread.process, thread.header.current);
    if let Some(table) = &mut thread.metrics {
        table.count(process, node, now);
    }
}

/// The same at a border: the trace says what has been counted so far.
pub fn read(thread: &mut Location, now: u64) {
    if thread.gate & gate::DETAIL == 0 || thread.metrics.is_none() {
        return;
    }
    count(thread, now);
    if !thread.tracing {
        return;
    }
    let Some(table) = thread.metrics.take() else { return };
    for (class, members_of) in thread.process.metrics.classes().enumerate() {
        let values = &table.totals()[members_of];
        let mut members = [MetricValue::U64(0); CLASS_MEMBERS];
        for (member, &value) in members.iter_mut().zip(values) {
            *member = MetricValue::U64(value);
        }
        let (class, members) = (class as u32, &members[..values.len()]);
        thread
            .event(now, |room, last| encode::metric(room, last, now, class, members).unwrap_or(0));
    }
    thread.metrics = Some(table);
}

/// Adds what the thread has counted since its last reading to the time outside of teams.
pub fn count_outside(thread: &mut Location, now: u64) {
    if thread.gate & gate::DETAIL == 0 {
        return;
    }
    if let (process, Some(table)) = (thread.process, &mut thread.metrics) {
        table.count_outside(process, now);
    }
}

/// The same for a worker that waits for its next team when another thread ends the process.
pub fn count_of_waiting(worker: &mut Location) {
    if let (process, Some(table)) = (worker.process, &mut worker.metrics) {
        table.count_of_waiting(process);
    }
}

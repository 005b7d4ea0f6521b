//! Waiting in functions for messages that is no waiting for a message to be sent: of a sender until
//! its receiver has come, or of two processes until the other one works on their messages.
//!
//! Nothing measures it, but a message takes both its processes about the same time. So the process
//! that spends the least time per message, or per byte, shows what messages cost. A process that
//! spends many times as much for as many messages waits for others in the rest of the time.

use pompeii_model::Ticks;

use super::mpi_calls::Calls;
use super::mpi_functions::CALL_S;

/// The two processes of a message may differ by less than this factor without any waiting, since
/// sending and receiving are not the same work.
const FACTOR: f64 = 2.0;

/// What a process does for messages.
#[derive(Clone, Copy, Default)]
struct Effort {
    /// Time without the waiting that was measured.
    time: Ticks,
    messages: i64,
    bytes: i64,
}

/// Adds it to the waits of calls for messages, if these were measured.
pub(super) fn find(places: &mut [Calls]) {
    let is_asking = |calls: &Calls| calls.is_poll() || calls.is_spin;
    let is_meant = |calls: &Calls| calls.is_message() && !is_asking(calls) && calls.waits.is_some();
    // Reports of other tools may have no numbers of messages.
    let is_counted = places.iter().any(|calls| calls.of("comms_send").iter().any(|&n| n > 0));
    let processes = places.first().map_or(0, |calls| calls.time.len());
    let mut efforts = vec![Effort::default(); processes];
    for calls in places.iter().filter(|calls| is_meant(calls)) {
        add(&mut efforts, calls, is_counted);
    }
    let ticks_per_second = places.first().map_or(0.0, |of| of.lens.cube.clock.ticks_per_second());
    let call = CALL_S * ticks_per_second;
    let blocked: Vec<Ticks> = efforts.iter().map(|own| own.blocked(&efforts, call)).collect();
    for calls in places.iter_mut().filter(|calls| is_meant(calls)) {
        let costs = calls.costs();
        let Some(waits) = &mut calls.waits else { continue };
        for (process, wait) in waits.iter_mut().enumerate() {
            let effort = efforts[process].time.max(1) as f64;
            let more = (costs[process] as f64 * blocked[process] as f64 / effort) as Ticks;
            calls.blocked[process] = more;
            *wait += more;
        }
    }
}

fn add(efforts: &mut [Effort], calls: &Calls, is_counted: bool) {
    let costs = calls.costs();
    let [out, into] = ["bytes_sent", "bytes_rcvd"].map(|metric| calls.of(metric));
    let counts: &[&str] = if is_counted { &["comms_send", "comms_recv"] } else { &["visits"] };
    for (process, effort) in efforts.iter_mut().enumerate() {
        effort.time += costs[process];
        effort.messages += counts.iter().map(|metric| calls.of(metric)[process]).sum::<i64>();
        effort.bytes += out[process] + into[process];
    }
}

impl Effort {
    /// What is waiting: the time beyond what as many messages, or bytes, have cost another process,
    /// if it is more than `call` ticks for each message.
    fn blocked(&self, all: &[Self], call: f64) -> Ticks {
        let cost = |count: fn(&Self) -> i64| {
            let each = |other: &Self| other.time as f64 / count(other) as f64;
            let least = all.iter().filter(|other| count(other) > 0).map(each);
            least.fold(f64::INFINITY, f64::min) * count(self) as f64
        };
        if self.messages == 0 {
            return 0;
        }
        let bytes = if self.bytes > 0 { cost(|effort| effort.bytes) } else { 0.0 };
        let cost = cost(|effort| effort.messages).max(bytes);
        let (time, rest) = (self.time as f64, self.time as f64 - cost);
        let is_certain = time > FACTOR * cost && rest > call * self.messages as f64;
        if is_certain { rest as Ticks } else { 0 }
    }
}

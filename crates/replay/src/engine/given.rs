//! Records that have all their waits, for what finds the critical path and the causes of waiting
//! (`engine/finders.rs`). They are made once and then only read, because both may run in threads of
//! their own.

use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

use pompeii_model::LocationId;

use crate::compound::{Compound, MpiWait};
use crate::engine::open::Open;
use crate::engine::record::Rec;
use crate::engine::records::Window;
use crate::engine::tree::NodeId;

/// What is known at a record.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Known {
    /// A fact about the threads of a process.
    Threads(Compound),
    /// A wait in the call of MPI that ends with the record.
    InCall(MpiWait),
    /// A wait in a call of MPI that became known too late: its cause is not known.
    Late(MpiWait),
}

/// The times of a location up to a record, since its record before, and what is known then.
pub(crate) type AtRecord<'a> = (&'a [(NodeId, i64)], &'a [(usize, Known)]);

/// Records in the order (time, location), each with what is known then.
#[derive(Debug, Default)]
pub(crate) struct Given {
    /// Windows, and which of their records.
    parts: Vec<(Arc<Window>, Range<usize>)>,
    /// Number of these records.
    records: usize,
    /// What is known, by the number of its record among these.
    known: Vec<(usize, Known)>,
    /// Waits in calls of MPI whose records have been given before.
    pub(crate) late: Vec<MpiWait>,
    /// Begins of calls to which a later wait may refer.
    pub(crate) needed: Open,
}

impl Given {
    /// Adds something that is known at the next record.
    pub(crate) fn know(&mut self, known: Known) {
        self.known.push((self.records, known));
    }

    /// Adds the next records of a window.
    pub(crate) fn add(&mut self, window: &Arc<Window>, places: Range<usize>) {
        match self.parts.last_mut() {
            Some((last, of_last)) if Arc::ptr_eq(last, window) => of_last.end = places.end,
            _ => self.parts.push((window.clone(), places.clone())),
        }
        self.records += places.len();
    }

    /// Number of the records.
    pub(crate) fn records(&self) -> usize {
        self.records
    }

    /// Calls of MPI that another rank has given, with their waits.
    pub(crate) fn of_calls(window: Window, waits: impl Iterator<Item = (usize, MpiWait)>) -> Given {
        let records = window.records.len();
        let known = waits.map(|(record, wait)| (record, Known::InCall(wait))).collect();
        let parts = vec![(Arc::new(window), 0..records)];
        Given { parts, records, known, ..Given::default() }
    }

    /// Calls `take` with each record, the times up to it, and what is known then.
    pub(crate) fn each(&self, mut take: impl FnMut(&Rec, &[(NodeId, i64)], &[(usize, Known)])) {
        let (mut number, mut later) = (0, self.known.as_slice());
        for (window, places) in &self.parts {
            for record in window.records.get(places.clone()).unwrap_or_default() {
                let own = later.iter().take_while(|(of, _)| *of == number).count();
                let (now, rest) = later.split_at(own);
                take(record, window.profile(record), now);
                (number, later) = (number + 1, rest);
            }
        }
    }
}

/// Records that have been given and not been taken yet.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    all: VecDeque<Given>,
    /// Of the first ones: its part, the place in it, the number of records and of what is known.
    part: usize,
    place: usize,
    number: usize,
    known: usize,
}

impl Queue {
    /// Adds records.
    pub(crate) fn push(&mut self, given: Given) {
        self.all.push_back(given);
    }

    /// The place of the next record in the order of all; `None` if there is none.
    pub(crate) fn key(&mut self) -> Option<(u64, LocationId)> {
        loop {
            let Some((window, places)) = self.all.front()?.parts.get(self.part) else {
                self.all.pop_front();
                (self.part, self.place, self.number, self.known) = (0, 0, 0, 0);
                continue;
            };
            if let Some(place) = places.clone().nth(self.place) {
                let record = window.records.get(place)?;
                return Some((record.time, record.location));
            }
            (self.part, self.place) = (self.part + 1, 0);
        }
    }

    /// Calls `take` with the record whose key was got last.
    pub(crate) fn take(&mut self, take: impl FnOnce(&Rec, &[(NodeId, i64)], &[(usize, Known)])) {
        let Some(given) = self.all.front() else { return };
        let Some((window, places)) = given.parts.get(self.part) else { return };
        let Some(record) = window.records.get(places.start + self.place) else { return };
        let later = given.known.get(self.known..).unwrap_or_default();
        let own = later.iter().take_while(|(of, _)| *of == self.number).count();
        take(record, window.profile(record), &later[..own]);
        (self.place, self.number, self.known) = (self.place + 1, self.number + 1, self.known + own);
    }

    /// Waits in calls of MPI that have not been taken.
    pub(crate) fn waits(&self) -> impl Iterator<Item = &MpiWait> {
        let taken = self.known;
        let known = self.all.iter().enumerate().flat_map(move |(place, given)| {
            given.known.get(if place == 0 { taken } else { 0 }..).unwrap_or_default()
        });
        known.filter_map(|(_, known)| match known {
            Known::InCall(wait) => Some(wait),
            Known::Threads(_) | Known::Late(_) => None,
        })
    }
}

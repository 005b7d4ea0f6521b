//! How far the index of a trace is: told by those who build it, and asked by the page.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;

/// How far the index of a trace is.
#[derive(Debug)]
pub struct Progress {
    events: AtomicU64,
    of: u64,
    is_stopped: AtomicBool,
    /// `None` while there is work; then why there is no index.
    end: Mutex<Option<Option<String>>>,
}

/// The progress at one moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ProgressState {
    /// Events that have been read.
    pub events: u64,
    /// Events of the trace.
    pub of: u64,
    /// The index is there.
    pub ready: bool,
    /// Why there is no index and will be none.
    pub error: Option<String>,
}

impl Progress {
    /// Nothing was read yet of this number of events.
    pub(crate) fn new(of: u64) -> Progress {
        let (events, is_stopped) = (AtomicU64::new(0), AtomicBool::new(false));
        Progress { events, of, is_stopped, end: Mutex::new(None) }
    }

    /// Adds events that have been read.
    pub(crate) fn add(&self, events: u64) {
        self.events.fetch_add(events, Ordering::Relaxed);
    }

    /// Begins again.
    pub(crate) fn restart(&self) {
        self.events.store(0, Ordering::Relaxed);
    }

    /// The work is over; why there is no index, if there is none.
    pub(crate) fn end(&self, error: Option<String>) {
        *self.end.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
    }

    /// Ends the work as soon as possible.
    pub(crate) fn stop(&self) {
        if !self.has_ended() {
            self.is_stopped.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the server has ended before the work had.
    pub fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// The progress now.
    pub fn state(&self) -> ProgressState {
        let end = self.end.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let ready = end == Some(None);
        let events = match ready {
            true => self.of,
            // Damaged files may have more events than their headers say.
            false => self.events.load(Ordering::Relaxed).min(self.of),
        };
        ProgressState { events, of: self.of, ready, error: end.flatten() }
    }

    /// Whether nothing happens any more.
    pub fn has_ended(&self) -> bool {
        self.end.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }
}

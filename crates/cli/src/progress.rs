//! Work that takes long, on a terminal: after a second, a line on standard error shows what is done
//! and for how long, until the work is over. In a pipe there is nothing.
//!
//! The code that does the work knows nothing of it but a number, to which it adds what is done.

use std::fmt::Write;
use std::io::IsTerminal;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

/// Shorter work shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
const BETWEEN_STEPS: Duration = Duration::from_millis(100);

/// The line that is shown, so that messages find it.
static LINE: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// Work that goes on until this is dropped.
pub struct Progress {
    /// What is done.
    pub done: Arc<AtomicU64>,
    line: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Work that is called `what`: a message and a place, such as `reading before`.
    pub fn of(what: String) -> Self {
        Self::new(what, None)
    }

    /// The same, of which `total` things are to be done.
    pub fn new(what: String, total: Option<u64>) -> Self {
        Self::with(what, total, "")
    }

    /// The reading of `total` events: shows how many were read, and how fast.
    pub fn events(what: String, total: u64) -> Self {
        Self::with(what, Some(total), "{human_pos} events, {rate}, ")
    }

    fn with(what: String, total: Option<u64>, rate: &'static str) -> Self {
        let done = Arc::new(AtomicU64::new(0));
        let line = std::io::stderr().is_terminal().then(|| {
            let (over, is_over) = mpsc::channel();
            let done = done.clone();
            let show = move || {
                if is_over.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                    return;
                }
                let bar = bar(what, total, rate);
                if !take_line(&bar) {
                    return;
                }
                while is_over.recv_timeout(BETWEEN_STEPS) == Err(RecvTimeoutError::Timeout) {
                    match total {
                        Some(_) => bar.set_position(done.load(Ordering::Relaxed)),
                        None => bar.tick(),
                    }
                }
                bar.finish_and_clear();
                *line() = None;
            };
            (over, thread::spawn(show))
        });
        Self { done, line }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((over, line)) = self.line.take() {
            drop(over);
            let _ = line.join();
        }
    }
}

fn bar(what: String, total: Option<u64>, rate: &str) -> ProgressBar {
    let (bar, template) = match total {
        None => (ProgressBar::new_spinner(), "{spinner} {msg} ({elapsed})".to_owned()),
        Some(total) => (
            ProgressBar::new(total),
            format!("{{spinner}} {{msg}} {{wide_bar}} {rate}{{percent}} % ({{elapsed}})"),
        ),
    };
    let style =
        ProgressStyle::with_template(&template).unwrap_or_else(|_| ProgressStyle::default_bar());
    // Events per second since the work began, which is before the line is shown.
    let style = style.with_key("rate", |state: &ProgressState, out: &mut dyn Write| {
        let rate = state.pos() as f64 / state.elapsed().as_secs_f64().max(1e-3);
        let _ = write!(out, "{:.1} million/s", rate * 1e-6);
    });
    bar.with_style(style).with_message(what).with_elapsed(PATIENCE)
}

fn line() -> MutexGuard<'static, Option<ProgressBar>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether nothing else was shown, and now this is. Of work in several threads one line is shown.
fn take_line(bar: &ProgressBar) -> bool {
    let mut line = line();
    let is_free = line.is_none();
    line.get_or_insert_with(|| bar.clone());
    is_free
}

/// Writes to standard error while the line is away.
pub fn without_line(write: impl FnOnce()) {
    match &*line() {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

//! How a process ended: what it has noted itself, and what the one who started it has seen. A
//! signal counts more than what was noted before it, since it may have come in an exit handler.

use std::fmt;

use pompeii_live::{LiveProcess, NotedEnd};
use serde::{Deserialize, Serialize};

use crate::manifest::RunInfo;

/// The end of a process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "how", rename_all = "snake_case")]
pub enum End {
    /// `return` from main, or `exit`, in whichever thread.
    Exit {
        /// Its exit code.
        code: Option<i32>,
    },
    /// `quick_exit`.
    QuickExit {
        /// Its exit code.
        code: Option<i32>,
    },
    /// `_exit`, `_Exit`, or the system call: without exit handlers.
    ImmediateExit {
        /// Its exit code.
        code: Option<i32>,
    },
    /// It has become another program, which this experiment says nothing about.
    Exec,
    /// A signal.
    Signal {
        /// Its number.
        number: i32,
        /// Its name.
        name: String,
    },
    /// It died of an unknown cause: `run` has not started it, and a signal leaves no note.
    #[default]
    Unknown,
}

impl End {
    /// The end of the process that has left `live`; `info` is about the process that was started.
    pub fn of(live: &LiveProcess, info: &RunInfo) -> Self {
        let seen = info.pid.is_some_and(|pid| u64::from(pid) == live.pid);
        let seen_code = info.exit_code.filter(|_| seen);
        // Behind an exec, it has ended the other program.
        let own = seen && live.noted_end != Some(NotedEnd::Exec);
        if let Some(number) = info.signal.filter(|_| own) {
            return End::Signal { number, name: signal_name(number) };
        }
        match live.noted_end {
            Some(NotedEnd::Exit(code)) => End::Exit { code: Some(code & 0xff) },
            Some(NotedEnd::ImmediateExit(code)) => End::ImmediateExit { code: Some(code & 0xff) },
            Some(NotedEnd::QuickExit) => End::QuickExit { code: seen_code },
            Some(NotedEnd::Exec) => End::Exec,
            Some(NotedEnd::Finalized) => End::Exit { code: seen_code },
            None if seen_code.is_some() => End::ImmediateExit { code: seen_code },
            None => End::Unknown,
        }
    }
}

impl fmt::Display for End {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, code) = match self {
            End::Exit { code } => ("exit", code),
            End::QuickExit { code } => ("quick_exit", code),
            End::ImmediateExit { code } => ("_exit", code),
            End::Exec => return write!(out, "exec of another program"),
            End::Signal { number, name } => return write!(out, "signal {number}, {name}"),
            End::Unknown => return write!(out, "an unknown cause"),
        };
        match code {
            Some(code) => write!(out, "{name} with code {code}"),
            None => write!(out, "{name}"),
        }
    }
}

/// Linux's names of the signals that end programs.
fn signal_name(number: i32) -> String {
    const NAMES: [(i32, &str); 22] = [
        (1, "SIGHUP"),
        (2, "SIGINT"),
        (3, "SIGQUIT"),
        (4, "SIGILL"),
        (5, "SIGTRAP"),
        (6, "SIGABRT"),
        (7, "SIGBUS"),
        (8, "SIGFPE"),
        (9, "SIGKILL"),
        (10, "SIGUSR1"),
        (11, "SIGSEGV"),
        (12, "SIGUSR2"),
        (13, "SIGPIPE"),
        (14, "SIGALRM"),
        (15, "SIGTERM"),
        (16, "SIGSTKFLT"),
        (24, "SIGXCPU"),
        (25, "SIGXFSZ"),
        (26, "SIGVTALRM"),
        (27, "SIGPROF"),
        (29, "SIGIO"),
        (31, "SIGSYS"),
    ];
    let known = NAMES.iter().find(|(known, _)| *known == number);
    known.map_or_else(|| format!("real-time signal {number}"), |(_, name)| (*name).to_owned())
}

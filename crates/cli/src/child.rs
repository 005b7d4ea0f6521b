//! Programs that are started in the place of the user's command: signals reach them, and their end
//! is passed on as it was.

use std::ffi::OsStr;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitCode, ExitStatus};

use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

use signal_hook::iterator::Signals;

/// A file has grown beyond the limit: here it is an error like others. (A number that Linux has on
/// all machines but MIPS.)
const SIGXFSZ: i32 = 25;

/// Keeps what ends a program from ending this one first. To be called before the program starts.
///
/// A signal that is ignored already, as by `nohup`, stays so: the program inherits that, while one
/// that is watched would have its default effect there.
///
/// # Errors
/// What the system says.
pub fn outlive_signals() -> std::io::Result<Signals> {
    let ignored = ignored(&std::fs::read_to_string("/proc/self/status").unwrap_or_default());
    let signals = [SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXFSZ];
    Signals::new(signals.into_iter().filter(|signal| ignored & 1 << (signal - 1) == 0))
}

/// The set of ignored signals, a bit for each from signal 1 on, in what Linux says of a process.
fn ignored(status: &str) -> u64 {
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0)
}

/// Passes on what is sent to this process alone. What a terminal sends reaches the child by itself.
pub fn forward_signals(child: &Child, mut signals: Signals) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap_or(0));
    std::thread::spawn(move || {
        for signal in signals.forever() {
            if let (false, Ok(signal)) =
                (matches!(signal, SIGINT | SIGQUIT | SIGXFSZ), signal.try_into())
            {
                let _ = kill(pid, Some::<Signal>(signal));
            }
        }
    });
}

/// How often the system has taken a CPU from programs of this one that have ended, and from theirs,
/// while they could have used it.
pub fn interruptions() -> u64 {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN);
    usage.map_or(0, |usage| usage.involuntary_context_switches().unsigned_abs())
}

/// The program's exit code; a program that a signal ended makes this one die by the same signal.
pub fn exit_like(status: ExitStatus) -> ExitCode {
    if let Some(signal) = status.signal() {
        // The program has left a core file, if any: this one shall not.
        let _ = nix::sys::resource::setrlimit(nix::sys::resource::Resource::RLIMIT_CORE, 0, 0);
        let _ = signal_hook::low_level::emulate_default_handler(signal);
        return ExitCode::from(128u8.saturating_add(u8::try_from(signal).unwrap_or(0)));
    }
    ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1))
}

/// Becomes the program; returns only if that fails.
pub fn replace<S: AsRef<OsStr>>(words: &[S]) -> std::io::Error {
    Command::new(&words[0]).args(&words[1..]).exec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_ignored_is_read_from_the_status() {
        assert_eq!(ignored("Name:\tsh\nSigBlk:\t01\nSigIgn:\t0000000000000003\nSigCgt:\t08\n"), 3);
        assert_eq!(ignored("Name:\tsh\n"), 0);
    }
}

//! Programs that are started in the place of the user's command: signals reach them, and their end
//! is passed on as it was.

use std::ffi::OsStr;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Child, Command, ExitCode, ExitStatus};
use std::thread::JoinHandle;
use std::time::Duration;

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;
use pompeii_finish::RunInfo;
use signal_hook::iterator::SignalsInfo;
use signal_hook::iterator::exfiltrator::WithOrigin;
use signal_hook::low_level::siginfo::{Cause, Origin};

/// Signals that would end this process, each with who sent it.
pub type Signals = SignalsInfo<WithOrigin>;

/// All that end a process, and that somebody may send to a program: its own faults are not among
/// them.
const WATCHED: [Signal; 12] = [
    Signal::SIGHUP,
    Signal::SIGINT,
    Signal::SIGQUIT,
    Signal::SIGUSR1,
    Signal::SIGUSR2,
    Signal::SIGALRM,
    Signal::SIGTERM,
    Signal::SIGVTALRM,
    Signal::SIGPROF,
    Signal::SIGIO,
    Signal::SIGXCPU,
    Signal::SIGXFSZ,
];

/// Keeps what ends a program from ending this one first. To be called before the program starts.
///
/// A signal that is ignored already, as by `nohup`, stays so: the program inherits that, while one
/// that is watched would have its default effect there.
///
/// # Errors
/// What the system says.
pub fn outlive_signals() -> std::io::Result<Signals> {
    let status = std::fs::read("/proc/self/status").unwrap_or_default();
    let ignored = ignored(&String::from_utf8_lossy(&status));
    let signals = WATCHED.map(|signal| signal as i32).into_iter();
    Signals::new(signals.filter(|signal| ignored & 1 << (signal - 1) == 0))
}

/// Whether a signal is meant for the program too, which has not got it. The keys of a terminal send
/// theirs to all processes of the foreground, and limits are each process's own.
fn is_for_child(signal: Signal, cause: Cause) -> bool {
    let from_kernel = matches!(cause, Cause::Kernel);
    match signal {
        Signal::SIGINT | Signal::SIGQUIT | Signal::SIGXCPU => !from_kernel,
        Signal::SIGXFSZ => false,
        _ => true,
    }
}

/// Waits for the program, and passes on what is sent to this process alone meanwhile.
///
/// # Errors
/// What the system says.
pub fn wait(child: &mut Child, signals: Signals) -> std::io::Result<ExitStatus> {
    let pid = Pid::from_raw(child.id().cast_signed());
    let handle = signals.handle();
    let forwarder = forward_signals(child, signals);
    // The id is the program's until its end has been asked for, and may be another's later.
    while waitid(Id::Pid(pid), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) == Err(Errno::EINTR) {}
    handle.close();
    let _ = forwarder.join();
    child.wait()
}

/// Processes of a job that was ended by force are given time to be gone, too, which a busy machine
/// needs. If a job has ended well, the processes that it leaves are meant to go on.
pub fn wait_for_processes(folder: &Path, info: &RunInfo) {
    let tries = if info.exit_code == Some(0) { 150 } else { 1500 };
    for _ in 0..tries {
        if !pompeii_finish::is_running(folder) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Passes on what is sent to this process alone, until the handle of `signals` is closed.
pub fn forward_signals(child: &Child, mut signals: Signals) -> JoinHandle<()> {
    let pid = Pid::from_raw(child.id().cast_signed());
    std::thread::spawn(move || {
        for Origin { signal, cause, .. } in signals.forever() {
            if let Some(signal) = signal.try_into().ok().filter(|of| is_for_child(*of, cause)) {
                let _ = kill(pid, signal);
            }
        }
    })
}

/// The set of ignored signals, a bit for each from signal 1 on, in what Linux says of a process.
fn ignored(status: &str) -> u64 {
    let set = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    set.and_then(|set| u64::from_str_radix(set.trim(), 16).ok()).unwrap_or(0)
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

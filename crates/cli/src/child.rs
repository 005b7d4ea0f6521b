//! Programs that are started in the place of the user's command: signals reach them, and their end
//! is passed on as it was (decision 28).

use std::ffi::OsStr;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, ExitCode, ExitStatus};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2};

/// A file has grown beyond the limit: here it is an error like others. (A number that Linux has on
/// all machines but MIPS.)
const SIGXFSZ: i32 = 25;
use signal_hook::iterator::Signals;

/// Keeps what ends a program from ending this one first. To be called before the program starts.
///
/// # Errors
/// What the system says.
pub fn outlive_signals() -> std::io::Result<Signals> {
    Signals::new([SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGXFSZ])
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

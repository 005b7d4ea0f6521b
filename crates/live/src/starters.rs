//! Programs that only start others: shells, tools that build, compilers, launchers, and commands in
//! front of a command. They are not measured themselves, but the programs that they start are. The
//! command line and the measured process must agree about that, so the names are here.

/// Their names. A version after a hyphen does not count: `gcc-12`.
const NAMES: &[&str] = &[
    // Shells.
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "mksh",
    "fish",
    "csh",
    "tcsh",
    "busybox",
    // Tools that build or test.
    "make",
    "gmake",
    "ninja",
    "cmake",
    "ctest",
    "meson",
    "scons",
    "bazel",
    "cargo",
    "ccache",
    // Compilers and linkers, and the programs that they start.
    "gcc",
    "g++",
    "gfortran",
    "cc",
    "c++",
    "clang",
    "clang++",
    "flang",
    "icx",
    "icpx",
    "ifx",
    "rustc",
    "as",
    "ld",
    "mpicc",
    "mpicxx",
    "mpic++",
    "mpifort",
    "mpif90",
    "cc1",
    "cc1plus",
    "f951",
    "collect2",
    "lto1",
    "lto-wrapper",
    "x86_64-linux-gnu-gcc",
    "x86_64-linux-gnu-g++",
    "x86_64-linux-gnu-gfortran",
    "x86_64-linux-gnu-as",
    "x86_64-linux-gnu-ld",
    "x86_64-linux-gnu-ld.bfd",
    "ld.bfd",
    "ld.gold",
    "ld.lld",
    "lld",
    "mold",
    // Launchers.
    "mpirun",
    "mpiexec",
    "orterun",
    "prterun",
    "srun",
    "jsrun",
    "aprun",
    "ssh",
    // Commands in front of a command.
    "env",
    "time",
    "nice",
    "nohup",
    "timeout",
    "taskset",
    "numactl",
    "chrt",
    "ionice",
    "setarch",
    "stdbuf",
    "xargs",
    "find",
    "parallel",
    "watch",
    "sudo",
    "unshare",
    "setsid",
    "script",
    "strace",
    "ltrace",
    "gdb",
    "perf",
    "pompeii",
];

/// Whether a program of this file name only starts others.
pub fn is_starter(name: &str) -> bool {
    let is_version = |text: &str| text.chars().all(|c| c.is_ascii_digit() || c == '.');
    let stem =
        name.rsplit_once('-').filter(|(_, end)| is_version(end)).map_or(name, |(stem, _)| stem);
    NAMES.contains(&stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starters_are_known_with_and_without_a_version() {
        for name in ["sh", "make", "gcc", "gcc-12", "clang++-19", "mpirun", "env", "cc1plus"] {
            assert!(is_starter(name), "{name}");
        }
        for name in ["ocean", "gcc-ocean", "python3", "shell", ""] {
            assert!(!is_starter(name), "{name}");
        }
    }
}

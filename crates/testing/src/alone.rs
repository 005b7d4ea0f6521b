//! A process of its own for a test that looks at the largest memory of its process.

use std::process::Command;

/// Set in that process.
const ALONE: &str = "POMPEII_TEST_ALONE";

/// Whether this process runs `test` (with its modules) and no other one. If not, it is run so, and
/// must pass there.
pub fn is_alone(test: &str) -> bool {
    if std::env::var_os(ALONE).is_some() {
        return true;
    }
    let mut command = Command::new(std::env::current_exe().unwrap());
    let output = command.args(["--exact", test, "--nocapture"]).env(ALONE, "1").output().unwrap();
    let [text, messages] =
        [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes));
    // A name that no test has would run nothing.
    let passed = output.status.success() && text.contains("1 passed");
    assert!(passed, "{test} alone:\n{text}{messages}");
    false
}

/// The largest resident memory of this process so far; `None` where the system does not say.
pub fn peak_bytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}

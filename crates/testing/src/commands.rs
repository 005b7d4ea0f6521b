//! Commands that a test runs.

use std::process::Command;

/// The output of a tool that must succeed and write nothing to standard error.
pub fn silent(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && messages.is_empty(), "{command:?}\n{messages}");
    String::from_utf8(output.stdout).unwrap()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> String {
        silent(Command::new("sh").args(["-c", script]))
    }

    #[test]
    fn the_output_is_returned() {
        assert_eq!(shell("echo a"), "a\n");
    }

    #[test]
    #[should_panic(expected = "b")]
    fn a_message_is_a_failure() {
        shell("echo b >&2");
    }

    #[test]
    #[should_panic(expected = "exit 3")]
    fn an_exit_code_is_a_failure() {
        shell("exit 3");
    }
}

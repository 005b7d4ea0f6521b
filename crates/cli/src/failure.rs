//! What the user is told of an error: its causes in one line, each of them once.
//!
//! Errors of libraries name their cause in their own text and hand it on as well, so that the chain
//! as `anyhow` prints it would say "No such file or directory" twice.

use std::io::ErrorKind;

use anyhow::Error;

/// The chain of causes, the outermost first, without those that the text before ends with.
pub fn message(error: &Error) -> String {
    let mut message = error.to_string();
    for cause in error.chain().skip(1).map(ToString::to_string) {
        if !message.ends_with(&cause) {
            message = format!("{message}: {cause}");
        }
    }
    message
}

/// Whether whoever read the output has gone, as `head` does: no error of the user's.
pub fn is_broken_pipe(error: &Error) -> bool {
    let system = |cause: &(dyn std::error::Error + 'static)| {
        cause.downcast_ref::<std::io::Error>().map(std::io::Error::kind)
    };
    error.chain().any(|cause| system(cause) == Some(ErrorKind::BrokenPipe))
}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::Context;

    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let source = io::Error::from(ErrorKind::NotFound);
        let library = pompeii_cubex::Error::Io { action: "open a.cubex".to_owned(), source };
        let error = Err::<(), _>(library).context("no report").unwrap_err();
        assert_eq!(message(&error), "no report: cannot open a.cubex: entity not found");
    }

    #[test]
    fn a_broken_pipe_is_known_below_other_errors() {
        let broken = |kind| {
            let source = io::Error::from(kind);
            is_broken_pipe(&pompeii_cubex::Error::Io { action: String::new(), source }.into())
        };
        assert!(broken(ErrorKind::BrokenPipe));
        assert!(!broken(ErrorKind::StorageFull));
    }
}

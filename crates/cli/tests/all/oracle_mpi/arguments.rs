//! What only Fortran's arguments have: addresses that are constants, sections of arrays, and counts of
//! another kind.

use super::{Mpi, Sandbox, command, count, libraries, records};
use crate::common::{Ended, oracles};

const ARGUMENTS: &str = include_str!("programs/arguments.F90");

/// In this form of the interface.
fn trace_of(mpi: Mpi, form: &str) -> String {
    let sandbox = Sandbox::new();
    sandbox.file("arguments.F90", ARGUMENTS);
    let compiler = mpi.tool("mpif90");
    let words = format!(
        "compile --strict -q -- {compiler} -w -fallow-argument-mismatch {form} arguments.F90 -o program"
    );
    let built = Ended::of(command(&sandbox, &words).output().unwrap());
    assert_eq!(built.code, Some(0), "{words}: {}", built.messages);
    let ended = mpi.run(&sandbox, 2, "--trace", "./program");
    let expected = (Some(0), "values 0 0 0 0 0 1 1 1 1 1\n");
    assert_eq!((ended.code, ended.output.as_str()), expected, "{words}: {}", ended.messages);
    records(&sandbox)
}

/// How many lines that begin so end so.
fn lines(text: &str, begin: &str, end: &str) -> usize {
    text.lines().filter(|line| line.starts_with(begin) && line.ends_with(end)).count()
}

#[test]
fn arguments_of_fortran_mean_what_they_do() {
    if !oracles() {
        return;
    }
    for mpi in libraries().into_iter().filter(|mpi| mpi.folder.is_empty()) {
        for form in ["-DMPIF", "-DMPI", "-DF08", "-DF08 -DLARGE"] {
            // Debian's Open MPI has no counts of another kind.
            let is_large = form.contains("LARGE");
            if is_large && mpi.name != "mpich" {
                continue;
            }
            let (text, what) = (trace_of(mpi, form), format!("{} {form}", mpi.name));
            let in_place = lines(&text, "MPI_COLLECTIVE_END ", "Sent: 40, Received: 40");
            assert_eq!(in_place, 2, "{what}: {text}");
            for begin in ["MPI_SEND ", "MPI_RECV "] {
                let found = ["Tag: 1, Length: 20", "Tag: 2, Length: 40", "Tag: 3, Length: 40"]
                    .map(|end| lines(&text, begin, end));
                assert_eq!(found, [1, 1, is_large.into()], "{what}: {text}");
            }
            let windows = count(&text, ["RMA_WIN_CREATE", "RMA_WIN_DESTROY"]);
            assert_eq!(windows, [2 * usize::from(is_large); 2], "{what}: {text}");
        }
    }
}

//! Files of MPI in traces and profiles.

use std::process::Command;

use super::{Sandbox, Source, command, count, libraries, records};
use crate::common::{oracles, silent};

const FILES: Source = ("files.c", include_str!("programs/files.c"), "mpicc");
const FORTRAN: [Source; 2] = [
    ("files.F90", include_str!("programs/files.F90"), "mpif90"),
    ("f08.F90", concat!("#define F08\n", include_str!("programs/files.F90")), "mpif90"),
];

/// The reference library's reader knows every file, and the end of each operation.
const MATCHED: &str = r#"
import sys, otf2
from otf2.events import *
begun, ended, names = {}, {}, set()
with otf2.reader.open(sys.argv[1]) as trace:
    for location, event in trace.events:
        if isinstance(event, IoCreateHandle):
            names.add((event.handle.file.name, event.handle.io_paradigm.name, event.handle.comm.name))
        if isinstance(event, IoOperationBegin):
            begun[(location.group.name, event.matching_id)] = event.bytes_request
        elif isinstance(event, IoOperationComplete):
            ended[(location.group.name, event.matching_id)] = event.bytes_result
assert set(begun) == set(ended), (begun, ended)
print(sorted(names), sorted(begun.values()), sorted(ended.values()))
"#;

#[test]
fn files_and_what_is_done_to_them_are_recorded() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        let (sandbox, what) = (Sandbox::new(), mpi.name);
        mpi.build(&sandbox, FILES, "");
        let ended = mpi.run(&sandbox, 2, "--trace", "./program");
        assert_eq!((ended.code, ended.output.as_str()), (Some(0), "3\n"), "{what}");
        let text = records(&sandbox);
        let handles = ["IO_CREATE_HANDLE", "IO_DESTROY_HANDLE", "IO_DELETE_FILE", "IO_SEEK"];
        assert_eq!(count(&text, handles), [4, 4, 1, 2], "{what}");
        let operations = ["IO_OPERATION_BEGIN", "IO_OPERATION_COMPLETE", "IO_OPERATION_ISSUED"];
        assert_eq!(count(&text, operations), [10, 10, 4], "{what}");
        let trace = sandbox.path("exp/traces.otf2");
        let events = silent(Command::new("otf2-print").arg(&trace));
        assert!(!events.contains("UNKNOWN") && !events.contains("INVALID"), "{what}: {events}");
        let read = silent(Command::new("/usr/bin/python3").args(["-c", MATCHED]).arg(&trace));
        let expected = "[('data', 'MPI-IO', 'MPI_COMM_SELF'), ('data', 'MPI-IO', 'MPI_COMM_WORLD')] \
            [0, 0, 8, 8, 12, 12, 16, 16, 32, 32] [0, 0, 8, 8, 12, 12, 16, 16, 24, 24]\n";
        assert_eq!(read, expected, "{what}");
        let report = command(&sandbox, "report --json exp").output().unwrap().stdout;
        let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
        let metrics = report["metrics"].as_array().unwrap();
        let total = |name: &str| {
            let metric = metrics.iter().find(|metric| metric["name"] == name).unwrap();
            metric["raw"].as_i64().unwrap()
        };
        assert_eq!([total("bytes_written"), total("bytes_read")], [48, 72], "{what}");
        // Rank 1 has 64 MB more than rank 0; the rest of their memory is much the same.
        let ranks = &report["resources"]["ranks"];
        let peak = &ranks["peak_bytes"];
        assert_eq!(
            (&ranks["count"], &peak["most_rank"]),
            (&2.into(), &1.into()),
            "{what}: {ranks}"
        );
        let more = peak["most"].as_u64().unwrap() - peak["least"].as_u64().unwrap();
        assert!((48 << 20..96 << 20).contains(&more), "{what}: {ranks}");
        assert!(ranks["page_faults"]["least"].as_u64() > Some(0), "{what}: {ranks}");
    }
}

/// Texts of Fortran have no end but their length.
#[test]
fn names_of_files_in_fortran_are_those_in_c() {
    if !oracles() {
        return;
    }
    for mpi in libraries() {
        for source in FORTRAN {
            let sandbox = Sandbox::new();
            mpi.build(&sandbox, source, "");
            let ended = mpi.run(&sandbox, 2, "--trace", "./program");
            let what = format!("{} {}: {}", mpi.name, source.0, ended.messages);
            assert_eq!(ended.code, Some(0), "{what}");
            assert!(sandbox.exists("fortran data"), "{what}");
            let text = records(&sandbox);
            let names = ["IO_CREATE_HANDLE", "IO_OPERATION_BEGIN", "IO_DESTROY_HANDLE"];
            assert_eq!(count(&text, names), [2; 3], "{what}\n{text}");
            let off = count(&text, ["MEASUREMENT_ON_OFF", "MPI_COLLECTIVE_END"]);
            assert_eq!(off, [4, 0], "{what}\n{text}");
            let definitions =
                silent(Command::new("otf2-print").arg("-G").arg(sandbox.path("exp/traces.otf2")));
            assert!(definitions.contains("\"fortran data\""), "{what}\n{definitions}");
        }
    }
}

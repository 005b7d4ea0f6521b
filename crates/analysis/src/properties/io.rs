//! Reading and writing files with functions of the C library.

use pompeii_model::Unit;

use super::{Compute, Doc, Property};
use crate::profile::Class;

/// Files without MPI.
pub const PROPERTY: Property = Property {
    name: "io",
    title: "Files",
    parent: Some("comp"),
    unit: Unit::Ticks,
    compute: Compute::Row(|profile, call| profile.class_time(Class::Io, call)),
    gain: "",
    doc: Doc {
        measures: "Time in functions that open, read, write and close files, pipes and sockets \
            (read, write, fread, printf and others). Measured with `run --io`.",
        formula: "own time of call paths of these functions. mpi_io has the time in those of MPI.",
        cost: "The thread does not compute meanwhile. If other threads or processes wait for it, \
            they lose the same time.",
        recognise: "Compare with bytes_read and bytes_written: bytes / time is the bandwidth.",
        remedy: "Use fewer and larger portions; let all ranks write together (MPI_File_write_all); \
            let one thread write while the others compute.",
        example: "Rank 0 writes 2 GB in 4 s while 7 ranks wait at the next barrier: 4 s in io, and \
            28 s in mpi_barrier_wait.",
    },
};

#[cfg(test)]
mod tests {
    use crate::properties::check;
    use expect_test::expect;

    #[test]
    fn functions_for_files_count_and_those_of_mpi_do_not() {
        let text = "wall=60 locations=1
             a                    0  time=10
             a/fwrite@a.c:4       0  time=20 bytes_written=80
             a/MPI_File_write     0  time=30";
        check(
            "io",
            text,
            expect![[r#"
                a/fwrite  [20]
                total 20
            "#]],
        );
        check(
            "comp",
            text,
            expect![[r#"
                a  [10]
                a/fwrite  [20]
                total 30
            "#]],
        );
    }
}

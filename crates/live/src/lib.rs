//! The layout of live state: the only thing that a measured process writes.
//!
//! Live state is a folder of preallocated, mapped files. What a thread has stored there survives
//! whatever ends the process, so nothing has to be flushed, no signal handler is needed, and
//! `finish` can always make an experiment of it.
//!
//! | file | what |
//! |---|---|
//! | `process` | one [`ProcessHeader`]: start and end, clock calibration, what was lost |
//! | `definitions` | a log of [`Definition`]s, appended under a lock, published by its length |
//! | `teams` | [`Team`] records: who forked whom, barrier arrivals |
//! | `N.loc` | location N: its [`LocationHeader`] and [`ThreadRecord`] in the first page, then its call tree's [`Node`]s |
//! | `N.tsk` | location N's [`TaskRecord`]s, where it has had tasks |
//! | `N.vis` | location N's [`VisitRecord`]s by node, on request |
//! | `N.buf` | the chunk that location N is filling, already in OTF2's layout |
//! | `N.met` | what metrics have counted at location N's nodes, on request |
//! | `N.smp` | call paths that location N's samples have, as [`SampleFrame`]s, on request |
//! | `N.evt` | location N's full chunks |
//! | `spill` | where it is there, a link to the folder that has the `N.evt` |
//!
//! Design constraints:
//! * Files hold indices, never pointers that a reader would follow.
//! * Blocks are allocated on disk before they are touched, and stay there: a full disk is an error
//!   here and never a SIGBUS in the user's program.
//! * Writer and reader share these types, so a layout exists once.

mod atomic;
mod calibrate;
mod definition;
mod disk;
mod end;
mod fixed;
mod iterations;
mod layout;
mod map;
pub mod metrics;
mod mpi;
mod mpi_node;
mod pack;
mod place;
mod quote;
mod read;
mod room;
mod samples;
mod spill;
mod starters;
mod threads;

use std::ops::Range;

pub use calibrate::calibrate_tsc;
pub use definition::{Definition, ParameterKind, RegionKind, Summable};
pub use disk::{begin_writing, bytes_of, finish_writing, lies_in_memory};
pub use end::NotedEnd;
pub use fixed::FixedTable;
pub use iterations::{Iterations, UNKNOWN_ITERATIONS};
pub use layout::{
    ATOMICS, BINS, CHAIN_CYCLES, CLOCK_READINGS, Calibration, Key, LOCATION_PAGE_BYTES,
    LocationHeader, MAGIC, Node, NodeIndex, NodeOffset, ProcessHeader, TaskRecord, Team,
    VisitRecord, node_index, node_offset, task_time,
};
pub use map::{MapError, Mapped};
pub use mpi::{FOREIGN_RANK, FileInterface, MpiDefinition};
pub use mpi_node::MpiValues;
pub use pack::{pack, unpack};
pub use place::{SPILL_LINK, STORAGE_VARIABLES, STORAGES, elsewhere, remove_live, spill_folder};
/// Foreign text in a message, without control characters.
pub use pompeii_otf2::print::printable;
pub use quote::quoted;
pub use read::{LiveLocation, LiveProcess, LiveTeam, ReadError, Used};
pub use samples::{SAMPLE_PAGE_BYTES, SampleFrame, SampleHeader, SamplePlace};
pub use spill::{begin_chunk, gather, write_chunk};
pub use starters::is_starter;
pub use threads::{
    CPUS_MAX, NAME_WORDS, THREAD_RECORD_OFFSET, ThreadRecord, ThreadTimes, ready_state,
};

/// Name of the process header file.
pub const PROCESS_FILE: &str = "process";
/// Name of the definitions log.
pub const DEFINITIONS_FILE: &str = "definitions";
/// Name of the file of team records.
pub const TEAMS_FILE: &str = "teams";
/// A process that cannot be measured leaves a symbolic link of this name and its process id in the
/// experiment's root, which leads to `PROGRAM: reason`: a link can be made on a full disk.
pub const FAILED_PREFIX: &str = "not-measured-";
/// A file in the experiment's root as long as `run --summary-only` waits there for what is
/// measured. A process whose live state has gone to another rank removes the file.
pub const SUMMARY_FILE: &str = "summary-only";
/// Folder of further processes of the same run, each with an experiment of its own.
pub const PROCESSES_FOLDER: &str = "procs";
/// Bytes of one event chunk, the same in live state and in the archive.
pub const CHUNK_BYTES: usize = 1 << 20;

/// So many requested metrics are a metric class of the trace: their values fit into the room of an
/// event.
pub const CLASS_MEMBERS: usize = 3;

/// The classes of the requested metrics, by where their members begin and end: those of threads,
/// and a mark, which is the process's and the last metric, alone. Theirs come first and other
/// classes follow, since readers want dense ids.
pub fn metric_classes(metrics: usize, mark: bool) -> impl Iterator<Item = Range<usize>> {
    let of_threads = metrics - usize::from(mark);
    let class = move |from| from..of_threads.min(from + CLASS_MEMBERS);
    let classes = (0..of_threads).step_by(CLASS_MEMBERS).map(class);
    classes.chain(mark.then_some(of_threads..metrics))
}

/// Name of a location's header and call-tree file.
pub fn location_file(location: u32) -> String {
    format!("{location}.loc")
}

/// Name of a location's file of task records.
pub fn tasks_file(location: u32) -> String {
    format!("{location}.tsk")
}

/// Name of the file of the chunk that a location is filling.
pub fn buffer_file(location: u32) -> String {
    format!("{location}.buf")
}

/// Name of a location's file of visit records.
pub fn visits_file(location: u32) -> String {
    format!("{location}.vis")
}

/// Name of a location's file of metrics: for each node one 64-bit number per metric.
pub fn metrics_file(location: u32) -> String {
    format!("{location}.met")
}

/// Name of a location's file of samples.
pub fn samples_file(location: u32) -> String {
    format!("{location}.smp")
}

/// Name of a location's event file.
pub fn events_file(location: u32) -> String {
    format!("{location}.evt")
}

/// Event records and chunk framing, for the runtime.
pub use pompeii_otf2::{chunk, encode};

/// What is to be measured, for the runtime.
pub use pompeii_filter as filter;

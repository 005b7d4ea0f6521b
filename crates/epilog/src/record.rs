//! The table of all kinds of records. From one list of numbers, names and fields come the types,
//! the reader, the writer and the text for people (`table.rs`).
//!
//! To add a record: an entry here. Fields stand in the order of the file. Those of type `Option`
//! are missing in older versions, or some writers leave them out; they stand at the end. If a
//! record can be longer than 255 bytes, it has a line in `long.rs`, too.

use std::fmt;

use crate::field::Field;
pub use crate::field::{Count, Dimensions, Each, Location, Mode};
use crate::wire::{Flaw, Input, Output};

/// Events have numbers from here on; definitions and attributes have lower ones.
const FIRST_EVENT: u8 = 100;

records! {
    /// A text. If it is long, it goes on in records STRING_CNT.
    1 Text "STRING" {
        id: u32,
        text: String,
    }
    /// A machine with its number of nodes.
    3 Machine "MACHINE" {
        id: u32,
        nodes: u32,
        name: u32,
    }
    /// A node of a machine with its number of CPUs.
    4 Node "NODE" {
        id: u32,
        machine: u32,
        cpus: u32,
        name: u32,
        clock_rate: Option<f64>,
    }
    /// A process. Its id is its global rank.
    5 Process "PROCESS" {
        id: u32,
        name: u32,
    }
    /// A thread of a process; the master has the id 0.
    6 Thread "THREAD" {
        id: u32,
        process: u32,
        name: u32,
    }
    /// A thread as a place of events.
    7 LocationDefinition "LOCATION" {
        id: u32,
        machine: u32,
        node: u32,
        process: u32,
        thread: u32,
    }
    /// A source file.
    8 File "FILE" {
        id: u32,
        name: u32,
    }
    /// A region of the source. `kind` is one of [`region_kind`].
    9 Region "REGION" {
        id: u32,
        name: u32,
        file: u32,
        begin_line: u32,
        end_line: u32,
        description: u32,
        kind: u8,
    }
    /// A metric: all events with `values` have one of it. Type: 0 whole, 1 real. Mode: 0 counter,
    /// 1 rate, 2 sample. Interval: 0 since the start, 1 since the last event, 2 to the next one.
    10 Metric "METRIC" {
        id: u32,
        name: u32,
        description: u32,
        data_type: u8,
        mode: u8,
        interval: u8,
    }
    /// A communicator with this number of bytes: process 8 * i + j is a member if bit j of byte i
    /// is set. If it is long, it goes on in records MPI_COMM_CNT.
    11 MpiComm "MPI_COMM" {
        id: u32,
        mode: Mode,
        number: Count,
        members: Each<u8>,
    }
    /// A local time and its offset to the clock of the master, in seconds.
    12 Offset "OFFSET" {
        local_time_s: f64,
        offset_s: f64,
    }
    /// Events follow.
    13 LastDefinition "LAST_DEF" {
    }
    /// The number of events.
    14 NumberOfEvents "NUM_EVENTS" {
        number: u32,
    }
    /// A line of the source at which a region is left for another one.
    15 CallSite "CALL_SITE" {
        id: u32,
        file: u32,
        line: u32,
        entered: u32,
        left: u32,
    }
    /// A Cartesian topology of the processes of a communicator.
    16 CartTopology "CART_TOPOLOGY" {
        id: u32,
        comm: u32,
        dimensions: Dimensions,
        sizes: Each<u32>,
        periodic: Each<u8>,
        name: Option<u32>,
        names: Option<Each<u32>>,
    }
    /// Where a location stands in a topology.
    17 CartCoordinates "CART_COORDS" {
        topology: u32,
        at: u32,
        dimensions: Dimensions,
        coordinates: Each<u32>,
    }
    /// A window of remote memory access.
    18 MpiWindow "MPI_WIN" {
        id: u32,
        comm: u32,
    }
    /// A region in a path of calls.
    20 CallPath "CALL_PATH" {
        id: u32,
        region: u32,
        parent: u32,
        order: u64,
    }
    /// The kinds of the events of a file.
    21 EventTypes "EVENT_TYPES" {
        number: Count,
        types: Each<u8>,
    }
    /// The numbers of these events.
    22 EventCounts "EVENT_COUNTS" {
        number: Count,
        counts: Each<u32>,
    }
    /// A section of `epik.map`.
    23 MapSection "MAP_SECTION" {
        rank: u32,
    }
    /// The place of a section of `epik.map`.
    24 MapOffset "MAP_OFFSET" {
        rank: u32,
        offset_bytes: u32,
    }
    /// Global ids by those of a process. If it is long, it goes on in records IDMAP_CNT.
    25 IdMap "IDMAP" {
        of: u8,
        mode: u8,
        number: Count,
        ids: Each<u32>,
    }
    /// Processes by their global ranks. With mode 1 these are the first `number` ones, and the list
    /// is missing. If it is long, it goes on in records MPI_GROUP_CNT.
    27 MpiGroup "MPI_GROUP" {
        id: u32,
        mode: u8,
        number: Count,
        ranks: Each<u32>,
    }
    /// A communicator whose ranks are those of a group.
    29 MpiCommReference "MPI_COMM_REF" {
        id: u32,
        group: u32,
    }
    /// A communicator as one of its processes knows it.
    30 MpiCommDistributed "MPI_COMM_DIST" {
        id: u32,
        root: u32,
        id_at_root: u32,
        rank: u32,
        size: u32,
    }
    /// More about the next event. `kind` is one of [`attribute_kind`].
    60 ByteAttribute "ATTR_UI1" {
        kind: u8,
        value: u8,
    }
    /// More about the next event. `kind` is one of [`attribute_kind`].
    61 NumberAttribute "ATTR_UI4" {
        kind: u8,
        value: u32,
    }
    /// The location enters a region.
    101 Enter "ENTER" {
        location: Location,
        time_s: f64,
        region: u32,
        values: Vec<u64>,
    }
    /// The location leaves the innermost region.
    102 Exit "EXIT" {
        location: Location,
        time_s: f64,
        values: Vec<u64>,
    }
    /// A message to another location is sent.
    103 MpiSend "MPI_SEND" {
        location: Location,
        time_s: f64,
        to: u32,
        comm: u32,
        tag: u32,
        size_bytes: u32,
    }
    /// A message of another location is received.
    104 MpiReceive "MPI_RECV" {
        location: Location,
        time_s: f64,
        from: u32,
        comm: u32,
        tag: u32,
        size_bytes: Option<u32>,
    }
    /// The location leaves the innermost region, a collective operation.
    105 MpiCollectiveExit "MPI_COLLEXIT" {
        location: Location,
        time_s: f64,
        values: Vec<u64>,
        root: u32,
        comm: u32,
        sent_bytes: u32,
        received_bytes: u32,
    }
    /// The location creates a team.
    106 OmpFork "OMP_FORK" {
        location: Location,
        time_s: f64,
    }
    /// The team has ended.
    107 OmpJoin "OMP_JOIN" {
        location: Location,
        time_s: f64,
    }
    /// A lock of OpenMP is held from here on.
    108 OmpAcquireLock "OMP_ALOCK" {
        location: Location,
        time_s: f64,
        lock: u32,
    }
    /// A lock of OpenMP is released.
    109 OmpReleaseLock "OMP_RLOCK" {
        location: Location,
        time_s: f64,
        lock: u32,
    }
    /// The location leaves the innermost region, which a team executes together.
    110 OmpCollectiveExit "OMP_COLLEXIT" {
        location: Location,
        time_s: f64,
        values: Vec<u64>,
    }
    /// The location enters the region of a call site.
    111 EnterCallSite "ENTER_CS" {
        location: Location,
        time_s: f64,
        call_site: u32,
        values: Vec<u64>,
    }
    /// A put begins at its origin.
    112 MpiPutBegin "MPI_PUT_1TS" {
        location: Location,
        time_s: f64,
        to: u32,
        window: u32,
        operation: u32,
        size_bytes: u32,
    }
    /// A put ends at its target.
    113 MpiPutEnd "MPI_PUT_1TE" {
        location: Location,
        time_s: f64,
        from: u32,
        window: u32,
        operation: u32,
    }
    /// A get begins at its target.
    114 MpiGetBegin "MPI_GET_1TS" {
        location: Location,
        time_s: f64,
        to: u32,
        window: u32,
        operation: u32,
        size_bytes: u32,
    }
    /// A get ends at its origin.
    115 MpiGetEnd "MPI_GET_1TE" {
        location: Location,
        time_s: f64,
        from: u32,
        window: u32,
        operation: u32,
    }
    /// The origin of a get.
    116 MpiGetOrigin "MPI_GET_1TO" {
        location: Location,
        time_s: f64,
        operation: u32,
    }
    /// The location leaves the innermost region, a synchronisation on a window.
    117 MpiWindowExit "MPI_WINEXIT" {
        location: Location,
        time_s: f64,
        values: Vec<u64>,
        window: u32,
        comm: u32,
        synchronisation: u8,
    }
    /// The location leaves the innermost region, a collective operation on a window.
    118 MpiWindowCollectiveExit "MPI_WINCOLLEXIT" {
        location: Location,
        time_s: f64,
        values: Vec<u64>,
        window: u32,
    }
    /// A lock of a window: 0 is shared, 1 exclusive.
    119 MpiWindowLock "MPI_WIN_LOCK" {
        location: Location,
        time_s: f64,
        of: u32,
        window: u32,
        lock_type: u8,
    }
    /// A lock of a window is released.
    120 MpiWindowUnlock "MPI_WIN_UNLOCK" {
        location: Location,
        time_s: f64,
        of: u32,
        window: u32,
    }
    /// The end of a put at its target, as its origin knows it.
    121 MpiPutEndRemote "MPI_PUT_1TE_REMOTE" {
        location: Location,
        time_s: f64,
        to: u32,
        window: u32,
        operation: u32,
    }
    /// The begin of a get at its target, as its origin knows it.
    122 MpiGetBeginRemote "MPI_GET_1TS_REMOTE" {
        location: Location,
        time_s: f64,
        to: u32,
        window: u32,
        operation: u32,
        size_bytes: u32,
    }
    /// A put without a window begins at its origin.
    123 PutBegin "PUT_1TS" {
        location: Location,
        time_s: f64,
        to: u32,
        operation: u32,
        size_bytes: u32,
    }
    /// A put without a window ends at its target.
    124 PutEnd "PUT_1TE" {
        location: Location,
        time_s: f64,
        from: u32,
        operation: u32,
    }
    /// A get without a window begins at its target.
    125 GetBegin "GET_1TS" {
        location: Location,
        time_s: f64,
        to: u32,
        operation: u32,
        size_bytes: u32,
    }
    /// A get without a window ends at its origin.
    126 GetEnd "GET_1TE" {
        location: Location,
        time_s: f64,
        from: u32,
        operation: u32,
    }
    /// The end of a put without a window at its target, as its origin knows it.
    127 PutEndRemote "PUT_1TE_REMOTE" {
        location: Location,
        time_s: f64,
        to: u32,
        operation: u32,
    }
    /// The begin of a get without a window at its target, as its origin knows it.
    128 GetBeginRemote "GET_1TS_REMOTE" {
        location: Location,
        time_s: f64,
        to: u32,
        operation: u32,
        size_bytes: u32,
    }
    /// The location leaves the innermost region, a collective operation that is not of MPI.
    129 CollectiveExit "COLLEXIT" {
        location: Location,
        time_s: f64,
        values: Vec<u64>,
        root: u32,
        comm: u32,
        sent_bytes: u32,
        received_bytes: u32,
    }
    /// A lock that is not of OpenMP is held from here on.
    130 AcquireLock "ALOCK" {
        location: Location,
        time_s: f64,
        lock: u32,
    }
    /// A lock that is not of OpenMP is released.
    131 ReleaseLock "RLOCK" {
        location: Location,
        time_s: f64,
        lock: u32,
    }
    /// The send of a request is complete.
    132 MpiSendComplete "MPI_SEND_COMPLETE" {
        location: Location,
        time_s: f64,
        request: u32,
    }
    /// The receive of a request begins.
    133 MpiReceiveRequest "MPI_RECV_REQUEST" {
        location: Location,
        time_s: f64,
        request: u32,
    }
    /// A request was tested and was not complete.
    134 MpiRequestTested "MPI_REQUEST_TESTED" {
        location: Location,
        time_s: f64,
        request: u32,
    }
    /// A request was cancelled.
    135 MpiRequestCancelled "MPI_CANCELLED" {
        location: Location,
        time_s: f64,
        request: u32,
    }
    /// No events are recorded from here on.
    201 LogOff "LOG_OFF" {
        location: Location,
        time_s: f64,
        values: Vec<u64>,
    }
    /// Events are recorded from here on.
    202 LogOn "LOG_ON" {
        location: Location,
        time_s: f64,
        values: Vec<u64>,
    }
    /// The measurement itself begins to work, for example to write its buffer.
    203 EnterTracing "ENTER_TRACING" {
        location: Location,
        time_s: f64,
        values: Vec<u64>,
    }
    /// The measurement itself ends its work.
    204 ExitTracing "EXIT_TRACING" {
        location: Location,
        time_s: f64,
        values: Vec<u64>,
    }
}

/// Kinds of regions.
pub mod region_kind {
    /// Of which nothing is known.
    pub const UNKNOWN: u8 = 0;
    /// A function.
    pub const FUNCTION: u8 = 1;
    /// A loop without a construct.
    pub const LOOP: u8 = 2;
    /// A region that the user has marked.
    pub const USER: u8 = 3;
    /// A barrier of MPI.
    pub const BARRIER: u8 = 4;
    /// An operation from one process to all.
    pub const ONE_TO_ALL: u8 = 5;
    /// An operation from all processes to one.
    pub const ALL_TO_ONE: u8 = 6;
    /// An operation from all processes to all.
    pub const ALL_TO_ALL: u8 = 7;
    /// Another collective operation.
    pub const COLLECTIVE: u8 = 8;
    /// A parallel region of OpenMP.
    pub const OMP_PARALLEL: u8 = 11;
    /// A loop construct.
    pub const OMP_LOOP: u8 = 12;
    /// A sections construct.
    pub const OMP_SECTIONS: u8 = 13;
    /// A section.
    pub const OMP_SECTION: u8 = 14;
    /// A workshare construct.
    pub const OMP_WORKSHARE: u8 = 15;
    /// A single construct.
    pub const OMP_SINGLE: u8 = 16;
    /// A master construct.
    pub const OMP_MASTER: u8 = 17;
    /// A critical construct.
    pub const OMP_CRITICAL: u8 = 18;
    /// An atomic construct.
    pub const OMP_ATOMIC: u8 = 19;
    /// A barrier.
    pub const OMP_BARRIER: u8 = 20;
    /// An implicit barrier.
    pub const OMP_IMPLICIT_BARRIER: u8 = 21;
    /// A flush.
    pub const OMP_FLUSH: u8 = 22;
    /// The body of a critical construct.
    pub const OMP_CRITICAL_BODY: u8 = 23;
    /// The body of a single construct.
    pub const OMP_SINGLE_BODY: u8 = 24;
    /// An ordered construct.
    pub const OMP_ORDERED: u8 = 25;
    /// The body of an ordered construct.
    pub const OMP_ORDERED_BODY: u8 = 26;
}

/// Kinds of attributes of events.
pub mod attribute_kind {
    /// The receive was posted for any source or any tag.
    pub const ANY: u8 = 1;
    /// The request of a message.
    pub const REQUEST: u8 = 2;
    /// The size of a message in bytes.
    pub const BYTES: u8 = 3;
    /// A region.
    pub const REGION: u8 = 4;
}

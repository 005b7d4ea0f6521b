//! The table of event records.

use crate::encode::MetricValue;
use crate::enums::*;
use crate::record::records;
use crate::reference::*;
use crate::wire::Timestamp;

/// `root` of a collective operation that has none.
pub const ROOT_NONE: u32 = u32::MAX;

/// `root` of an inter-communicator's collective operation: this location itself.
pub const ROOT_SELF: u32 = u32::MAX - 1;

/// `root` of an inter-communicator's collective operation: a location of the own group.
pub const ROOT_THIS_GROUP: u32 = u32::MAX - 2;

records! {
    /// What happens on a location at a time; the time stands beside the record.
    Event;

    /// The measurement wrote its buffer out, from the time of the record until `stop_time`.
    10 BufferFlush {
        stop_time: Timestamp,
    }
    /// From here on events are recorded, or not.
    11 MeasurementOnOff {
        measurement_mode: MeasurementMode,
    }
    /// The location enters a region.
    12 Enter {
        region: RegionRef,
    }
    /// The location leaves a region.
    13 Leave {
        region: RegionRef,
    }
    /// A blocking send of `msg_length` bytes begins; `receiver` is a rank of the communicator.
    14 MpiSend {
        receiver: u32,
        communicator: CommRef,
        msg_tag: u32,
        msg_length: u64,
    }
    /// A non-blocking send of `msg_length` bytes begins.
    15 MpiIsend {
        receiver: u32,
        communicator: CommRef,
        msg_tag: u32,
        msg_length: u64,
        request_id: u64,
    }
    /// The non-blocking send of a request is complete.
    16 MpiIsendComplete {
        request_id: u64,
    }
    /// A non-blocking receive was posted.
    17 MpiIrecvRequest {
        request_id: u64,
    }
    /// A message of `msg_length` bytes has been received; `sender` is a rank of the communicator.
    18 MpiRecv {
        sender: u32,
        communicator: CommRef,
        msg_tag: u32,
        msg_length: u64,
    }
    /// The non-blocking receive of a request is complete; `msg_length` in bytes.
    19 MpiIrecv {
        sender: u32,
        communicator: CommRef,
        msg_tag: u32,
        msg_length: u64,
        request_id: u64,
    }
    /// A request was tested and was not complete.
    20 MpiRequestTest {
        request_id: u64,
    }
    /// A request was cancelled.
    21 MpiRequestCancelled {
        request_id: u64,
    }
    /// A collective operation begins.
    22 MpiCollectiveBegin {
    }
    /// A collective operation ends; sizes in bytes, `root` is a rank or one of the `ROOT_`
    /// constants.
    23 MpiCollectiveEnd {
        collective_op: CollectiveOp,
        communicator: CommRef,
        root: u32,
        size_sent: u64,
        size_received: u64,
    }
    /// Replaced by `ThreadFork` in OTF2 1.2.
    24 OmpFork {
        number_of_requested_threads: u32,
    }
    /// Replaced by `ThreadJoin` in OTF2 1.2.
    25 OmpJoin {
    }
    /// Replaced by `ThreadAcquireLock` in OTF2 1.2.
    26 OmpAcquireLock {
        lock_id: u32,
        acquisition_order: u32,
    }
    /// Replaced by `ThreadReleaseLock` in OTF2 1.2.
    27 OmpReleaseLock {
        lock_id: u32,
        acquisition_order: u32,
    }
    /// Replaced by `ThreadTaskCreate` in OTF2 1.2.
    28 OmpTaskCreate {
        task_id: u64,
    }
    /// Replaced by `ThreadTaskSwitch` in OTF2 1.2.
    29 OmpTaskSwitch {
        task_id: u64,
    }
    /// Replaced by `ThreadTaskComplete` in OTF2 1.2.
    30 OmpTaskComplete {
        task_id: u64,
    }
    /// Values of the members of a metric class.
    31 Metric {
        metric: MetricRef,
        values: Vec<MetricValue>,
    }
    /// A parameter has this string as its value.
    32 ParameterString {
        parameter: ParameterRef,
        string: StringRef,
    }
    /// A parameter has this value.
    33 ParameterInt {
        parameter: ParameterRef,
        value: i64,
    }
    /// A parameter has this value.
    34 ParameterUnsignedInt {
        parameter: ParameterRef,
        value: u64,
    }
    /// A window comes into being.
    35 RmaWinCreate {
        win: RmaWinRef,
    }
    /// A window ends.
    36 RmaWinDestroy {
        win: RmaWinRef,
    }
    /// A collective operation on a window begins.
    37 RmaCollectiveBegin {
    }
    /// A collective operation on a window ends.
    38 RmaCollectiveEnd {
        collective_op: CollectiveOp,
        sync_level: RmaSyncLevel,
        win: RmaWinRef,
        root: u32,
        bytes_sent: u64,
        bytes_received: u64,
    }
    /// A group of locations synchronises on a window.
    39 RmaGroupSync {
        sync_level: RmaSyncLevel,
        win: RmaWinRef,
        group: GroupRef,
    }
    /// A lock of a window is asked for.
    40 RmaRequestLock {
        win: RmaWinRef,
        remote: u32,
        lock_id: u64,
        lock_type: LockType,
    }
    /// A lock of a window is held from here on.
    41 RmaAcquireLock {
        win: RmaWinRef,
        remote: u32,
        lock_id: u64,
        lock_type: LockType,
    }
    /// An attempt at a lock of a window failed.
    42 RmaTryLock {
        win: RmaWinRef,
        remote: u32,
        lock_id: u64,
        lock_type: LockType,
    }
    /// A lock of a window is given back.
    43 RmaReleaseLock {
        win: RmaWinRef,
        remote: u32,
        lock_id: u64,
    }
    /// Two locations synchronise on a window.
    44 RmaSync {
        win: RmaWinRef,
        remote: u32,
        sync_type: RmaSyncType,
    }
    /// The location waits for a change in a window.
    45 RmaWaitChange {
        win: RmaWinRef,
    }
    /// Data goes to a remote location.
    46 RmaPut {
        win: RmaWinRef,
        remote: u32,
        bytes: u64,
        matching_id: u64,
    }
    /// Data comes from a remote location.
    47 RmaGet {
        win: RmaWinRef,
        remote: u32,
        bytes: u64,
        matching_id: u64,
    }
    /// An atomic operation on remote memory.
    48 RmaAtomic {
        win: RmaWinRef,
        remote: u32,
        kind: RmaAtomicType,
        bytes_sent: u64,
        bytes_received: u64,
        matching_id: u64,
    }
    /// A blocking remote operation is complete.
    49 RmaOpCompleteBlocking {
        win: RmaWinRef,
        matching_id: u64,
    }
    /// A non-blocking remote operation is complete on this side.
    50 RmaOpCompleteNonBlocking {
        win: RmaWinRef,
        matching_id: u64,
    }
    /// A remote operation was tested and was not complete.
    51 RmaOpTest {
        win: RmaWinRef,
        matching_id: u64,
    }
    /// A remote operation is complete on the other side.
    52 RmaOpCompleteRemote {
        win: RmaWinRef,
        matching_id: u64,
    }
    /// A team of that many threads was asked for.
    53 ThreadFork {
        model: Paradigm,
        number_of_requested_threads: u32,
    }
    /// The threads of a team have come together again.
    54 ThreadJoin {
        model: Paradigm,
    }
    /// The location becomes a member of a team.
    55 ThreadTeamBegin {
        thread_team: CommRef,
    }
    /// The location is no member of the team any more.
    56 ThreadTeamEnd {
        thread_team: CommRef,
    }
    /// A lock is held from here on; `acquisition_order` counts the acquisitions of this lock.
    57 ThreadAcquireLock {
        model: Paradigm,
        lock_id: u32,
        acquisition_order: u32,
    }
    /// A lock is given back; `acquisition_order` is that of its acquisition.
    58 ThreadReleaseLock {
        model: Paradigm,
        lock_id: u32,
        acquisition_order: u32,
    }
    /// A task instance is created. Team, thread and generation number are its name.
    59 ThreadTaskCreate {
        thread_team: CommRef,
        creating_thread: u32,
        generation_number: u32,
    }
    /// The location goes on with a task instance; generation number 0 is the implicit task.
    60 ThreadTaskSwitch {
        thread_team: CommRef,
        creating_thread: u32,
        generation_number: u32,
    }
    /// A task instance is done.
    61 ThreadTaskComplete {
        thread_team: CommRef,
        creating_thread: u32,
        generation_number: u32,
    }
    /// A thread is created; `sequence_count` says which `ThreadBegin` belongs to it.
    62 ThreadCreate {
        thread_contingent: CommRef,
        sequence_count: u64,
    }
    /// First event of a created thread.
    63 ThreadBegin {
        thread_contingent: CommRef,
        sequence_count: u64,
    }
    /// The end of a created thread was waited for.
    64 ThreadWait {
        thread_contingent: CommRef,
        sequence_count: u64,
    }
    /// Last event of a created thread.
    65 ThreadEnd {
        thread_contingent: CommRef,
        sequence_count: u64,
    }
    /// A calling context is entered.
    66 CallingContextEnter {
        calling_context: CallingContextRef,
        unwind_distance: u32,
    }
    /// A calling context is left.
    67 CallingContextLeave {
        calling_context: CallingContextRef,
    }
    /// A sample was taken in a calling context.
    68 CallingContextSample {
        calling_context: CallingContextRef,
        unwind_distance: u32,
        interrupt_generator: InterruptGeneratorRef,
    }
    /// A file or directory is opened.
    69 IoCreateHandle {
        handle: IoHandleRef,
        mode: IoAccessMode,
        creation_flags: IoCreationFlag,
        status_flags: IoStatusFlag,
    }
    /// A handle is closed.
    70 IoDestroyHandle {
        handle: IoHandleRef,
    }
    /// A handle is duplicated.
    71 IoDuplicateHandle {
        old_handle: IoHandleRef,
        new_handle: IoHandleRef,
        status_flags: IoStatusFlag,
    }
    /// The position in a file changes.
    72 IoSeek {
        handle: IoHandleRef,
        offset_request: i64,
        whence: IoSeekOption,
        offset_result: u64,
    }
    /// The status of a handle changes.
    73 IoChangeStatusFlags {
        handle: IoHandleRef,
        status_flags: IoStatusFlag,
    }
    /// A file is deleted.
    74 IoDeleteFile {
        io_paradigm: IoParadigmRef,
        file: IoFileRef,
    }
    /// An I/O operation begins; `bytes_request` is what it asks for.
    75 IoOperationBegin {
        handle: IoHandleRef,
        mode: IoOperationMode,
        operation_flags: IoOperationFlag,
        bytes_request: u64,
        matching_id: u64,
    }
    /// An I/O operation was tested and was not complete.
    76 IoOperationTest {
        handle: IoHandleRef,
        matching_id: u64,
    }
    /// A non-blocking I/O operation has been issued.
    77 IoOperationIssued {
        handle: IoHandleRef,
        matching_id: u64,
    }
    /// An I/O operation is complete; `bytes_result` is what it moved.
    78 IoOperationComplete {
        handle: IoHandleRef,
        bytes_result: u64,
        matching_id: u64,
    }
    /// An I/O operation was cancelled.
    79 IoOperationCancelled {
        handle: IoHandleRef,
        matching_id: u64,
    }
    /// A lock of a handle is held from here on.
    80 IoAcquireLock {
        handle: IoHandleRef,
        lock_type: LockType,
    }
    /// A lock of a handle is given back.
    81 IoReleaseLock {
        handle: IoHandleRef,
        lock_type: LockType,
    }
    /// An attempt at a lock of a handle failed.
    82 IoTryLock {
        handle: IoHandleRef,
        lock_type: LockType,
    }
    /// The program begins, with its arguments.
    83 ProgramBegin {
        program_name: StringRef,
        program_arguments: Vec<StringRef>,
    }
    /// The program ends.
    84 ProgramEnd {
        exit_status: i64,
    }
    /// A request of a non-blocking collective operation exists from here on.
    85 NonBlockingCollectiveRequest {
        request_id: u64,
    }
    /// A non-blocking collective operation is complete; sizes in bytes.
    86 NonBlockingCollectiveComplete {
        collective_op: CollectiveOp,
        communicator: CommRef,
        root: u32,
        size_sent: u64,
        size_received: u64,
        request_id: u64,
    }
    /// A communicator comes into being.
    87 CommCreate {
        communicator: CommRef,
    }
    /// A communicator ends.
    88 CommDestroy {
        communicator: CommRef,
    }
    /// A message was matched by a probe and can be received by its id.
    89 MpiProbe {
        sender: u32,
        communicator: CommRef,
        tag: u32,
        message_id: u64,
    }
    /// A matched message has been received; `msg_length` in bytes.
    90 MpiMrecv {
        message_id: u64,
        msg_length: u64,
    }
    /// A non-blocking receive of a matched message was posted.
    91 MpiImrecvRequest {
        message_id: u64,
        request_id: u64,
    }
    /// The non-blocking receive of a matched message is complete; `msg_length` in bytes.
    92 MpiImrecv {
        request_id: u64,
        msg_length: u64,
    }
}

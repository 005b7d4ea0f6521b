//! Numbers of the fields and values of the enumerations that are written. They are those of
//! Perfetto's schema, `protos/perfetto/trace/` in its repository, and never change there.

/// `Trace`.
pub mod trace {
    pub const PACKET: u32 = 1;
}

/// `TracePacket`.
pub mod packet {
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED_DATA: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const DEFAULTS: u32 = 59;
    pub const TRACK_DESCRIPTOR: u32 = 60;

    /// `SEQ_INCREMENTAL_STATE_CLEARED`: the sequence begins.
    pub const STATE_CLEARED: u64 = 1;
    /// `SEQ_NEEDS_INCREMENTAL_STATE`: the packet uses what the sequence has defined.
    pub const NEEDS_STATE: u64 = 2;
}

/// `TracePacketDefaults`, and `TrackEventDefaults` in it.
pub mod defaults {
    pub const TRACK_EVENT: u32 = 11;
    pub const TRACK: u32 = 11;
}

/// `TrackDescriptor`.
pub mod track {
    pub const UUID: u32 = 1;
    pub const NAME: u32 = 2;
    pub const PROCESS: u32 = 3;
    pub const THREAD: u32 = 4;
    pub const PARENT: u32 = 5;
    pub const COUNTER: u32 = 8;
}

/// `ProcessDescriptor`.
pub mod process {
    pub const PID: u32 = 1;
    pub const NAME: u32 = 6;
}

/// `ThreadDescriptor`.
pub mod thread {
    pub const PID: u32 = 1;
    pub const TID: u32 = 2;
    pub const NAME: u32 = 5;
}

/// `CounterDescriptor`.
pub mod counter {
    pub const UNIT_NAME: u32 = 6;
}

/// `TrackEvent`.
pub mod event {
    pub const CATEGORY: u32 = 3;
    pub const ANNOTATION: u32 = 4;
    pub const TYPE: u32 = 9;
    pub const NAME_ID: u32 = 10;
    pub const TRACK: u32 = 11;
    pub const NAME: u32 = 23;
    pub const COUNTER_VALUE: u32 = 30;
    pub const SOURCE_ID: u32 = 34;
    pub const DOUBLE_COUNTER_VALUE: u32 = 44;
    pub const FLOW: u32 = 47;
    pub const LAST_OF_FLOW: u32 = 48;

    pub const SLICE_BEGIN: u64 = 1;
    pub const SLICE_END: u64 = 2;
    pub const INSTANT: u64 = 3;
    pub const COUNTER: u64 = 4;
}

/// `DebugAnnotation`.
pub mod annotation {
    pub const BOOL: u32 = 2;
    pub const UNSIGNED: u32 = 3;
    pub const TEXT: u32 = 6;
    pub const NAME: u32 = 10;
}

/// `InternedData`, and `EventCategory` and `EventName` in it.
pub mod interned {
    pub const CATEGORY: u32 = 1;
    pub const NAME: u32 = 2;
    pub const SOURCE: u32 = 4;

    pub const ID: u32 = 1;
    pub const TEXT: u32 = 2;
}

/// `SourceLocation`.
pub mod source {
    pub const ID: u32 = 1;
    pub const FILE: u32 = 2;
    pub const FUNCTION: u32 = 3;
    pub const LINE: u32 = 4;
}

//! The table of snapshot records: what a reader that starts in the middle of a trace must know.
//!
//! A snapshot tells at its own time which events before are still in effect; `orig_event_time` is
//! when such an event took place, in ticks.

use crate::encode::MetricValue;
use crate::enums::*;
use crate::event::{self, Event};
use crate::field::FieldValue;
use crate::record::records;
use crate::reference::*;
use crate::wire::Timestamp;

records! {
    /// State of a location at the time of a snapshot.
    Snapshot;

    /// First record of a snapshot: how many records it has, without the first and the last.
    10 SnapshotStart {
        number_of_records: u64,
    }
    /// Last record of a snapshot: the number of the event at which reading goes on.
    11 SnapshotEnd {
        cont_read_pos: u64,
    }
    /// From here on events are recorded, or not.
    12 MeasurementOnOff {
        orig_event_time: Timestamp,
        measurement_mode: MeasurementMode,
    }
    /// The location enters a region.
    13 Enter {
        orig_event_time: Timestamp,
        region: RegionRef,
    }
    /// A blocking send of `msg_length` bytes begins; `receiver` is a rank of the communicator.
    14 MpiSend {
        orig_event_time: Timestamp,
        receiver: u32,
        communicator: CommRef,
        msg_tag: u32,
        msg_length: u64,
    }
    /// A non-blocking send of `msg_length` bytes begins.
    15 MpiIsend {
        orig_event_time: Timestamp,
        receiver: u32,
        communicator: CommRef,
        msg_tag: u32,
        msg_length: u64,
        request_id: u64,
    }
    /// A send that is complete but still has its request.
    16 MpiIsendComplete {
        orig_event_time: Timestamp,
        request_id: u64,
    }
    /// A message of `msg_length` bytes has been received; `sender` is a rank of the communicator.
    17 MpiRecv {
        orig_event_time: Timestamp,
        sender: u32,
        communicator: CommRef,
        msg_tag: u32,
        msg_length: u64,
    }
    /// A non-blocking receive was posted.
    18 MpiIrecvRequest {
        orig_event_time: Timestamp,
        request_id: u64,
    }
    /// The non-blocking receive of a request is complete; `msg_length` in bytes.
    19 MpiIrecv {
        orig_event_time: Timestamp,
        sender: u32,
        communicator: CommRef,
        msg_tag: u32,
        msg_length: u64,
        request_id: u64,
    }
    /// A collective operation begins.
    20 MpiCollectiveBegin {
        orig_event_time: Timestamp,
    }
    /// A collective operation ends; sizes in bytes, `root` is a rank or one of the `ROOT_`
    /// constants.
    21 MpiCollectiveEnd {
        orig_event_time: Timestamp,
        collective_op: CollectiveOp,
        communicator: CommRef,
        root: u32,
        size_sent: u64,
        size_received: u64,
    }
    /// Replaced by `ThreadFork` in OTF2 1.2.
    22 OmpFork {
        orig_event_time: Timestamp,
        number_of_requested_threads: u32,
    }
    /// Replaced by `ThreadAcquireLock` in OTF2 1.2.
    23 OmpAcquireLock {
        orig_event_time: Timestamp,
        lock_id: u32,
        acquisition_order: u32,
    }
    /// Replaced by `ThreadTaskCreate` in OTF2 1.2.
    24 OmpTaskCreate {
        orig_event_time: Timestamp,
        task_id: u64,
    }
    /// Replaced by `ThreadTaskSwitch` in OTF2 1.2.
    25 OmpTaskSwitch {
        orig_event_time: Timestamp,
        task_id: u64,
    }
    /// Values of the members of a metric class.
    26 Metric {
        orig_event_time: Timestamp,
        metric: MetricRef,
        values: Vec<MetricValue>,
    }
    /// A parameter has this string as its value.
    27 ParameterString {
        orig_event_time: Timestamp,
        parameter: ParameterRef,
        string: StringRef,
    }
    /// A parameter has this value.
    28 ParameterInt {
        orig_event_time: Timestamp,
        parameter: ParameterRef,
        value: i64,
    }
    /// A parameter has this value.
    29 ParameterUnsignedInt {
        orig_event_time: Timestamp,
        parameter: ParameterRef,
        value: u64,
    }
}

impl Snapshot {
    /// When the event took place that is told again, in ticks of the location's own clock; `None`
    /// for the first and last record of a snapshot, and for unknown ones.
    pub fn orig_event_time(&self) -> Option<u64> {
        let mut time = None;
        self.fields(&mut |field, value| {
            if let ("orig_event_time", FieldValue::Unsigned(ticks)) = (field, value) {
                time = Some(ticks);
            }
        });
        time
    }

    /// The event that is told again; `None` as for [`orig_event_time`](Snapshot::orig_event_time).
    pub fn event(&self) -> Option<Event> {
        macro_rules! same {
            ($($name:ident { $($field:ident),* })*) => {
                match self {
                    Snapshot::SnapshotStart(_) | Snapshot::SnapshotEnd(_) => None,
                    Snapshot::Unknown(_) => None,
                    $( Snapshot::$name(_record) => Some(Event::$name(event::$name {
                        $($field: _record.$field.clone()),*
                    })), )*
                }
            };
        }
        same! {
            MeasurementOnOff { measurement_mode }
            Enter { region }
            MpiSend { receiver, communicator, msg_tag, msg_length }
            MpiIsend { receiver, communicator, msg_tag, msg_length, request_id }
            MpiIsendComplete { request_id }
            MpiRecv { sender, communicator, msg_tag, msg_length }
            MpiIrecvRequest { request_id }
            MpiIrecv { sender, communicator, msg_tag, msg_length, request_id }
            MpiCollectiveBegin {}
            MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received }
            OmpFork { number_of_requested_threads }
            OmpAcquireLock { lock_id, acquisition_order }
            OmpTaskCreate { task_id }
            OmpTaskSwitch { task_id }
            Metric { metric, values }
            ParameterString { parameter, string }
            ParameterInt { parameter, value }
            ParameterUnsignedInt { parameter, value }
        }
    }
}

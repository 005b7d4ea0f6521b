//! The lines of events, and of what snapshots tell of them.

use super::line::{Line, plural, shown, value_text};
use super::number::{general, put_digits};
use super::{Options, Times};
use crate::encode::MetricValue;
use crate::enums::ValueType;
use crate::event::Event;
use crate::read::EventView;
use crate::reference::*;
use crate::snapshot::Snapshot;
use crate::value::AttributeValue;

use super::names::Names;

/// A line of an Enter up to its region, with blanks for location and time.
const ENTER: [u8; HEAD_BYTES] = head(b"ENTER");
const LEAVE: [u8; HEAD_BYTES] = head(b"LEAVE");
const HEAD_BYTES: usize = 79;
const LOCATION_END: usize = 48;
const TIME_END: usize = 69;

const fn head(name: &[u8]) -> [u8; HEAD_BYTES] {
    let mut line = [b' '; HEAD_BYTES];
    let mut at = 0;
    while at < name.len() {
        line[at] = name[at];
        at += 1;
    }
    let label = b"Region: ";
    at = 0;
    while at < label.len() {
        line[TIME_END + 2 + at] = label[at];
        at += 1;
    }
    line
}

/// Appends the lines of an event.
#[inline]
pub(super) fn event(out: &mut Vec<u8>, names: &Names, options: &Options, it: EventView<'_>) {
    let (head, region) = match it.event {
        Event::Enter(enter) => (&ENTER, enter.region),
        Event::Leave(leave) => (&LEAVE, leave.region),
        _ => return any_event(out, names, options, it),
    };
    let shown = names.regions.shown(u64::from(region.0));
    let fits = it.location.0 < 1_000_000_000_000_000 && it.time != u64::MAX;
    match shown {
        Some(shown) if fits && options.times == Times::Plain && it.attributes.is_empty() => {
            region_line(out, head, it, shown);
        }
        _ => any_event(out, names, options, it),
    }
}

/// Most lines of a print are these. The numbers are written where they will stay: to copy bytes
/// that were stored one by one just before would wait for the stores.
#[inline]
fn region_line(out: &mut Vec<u8>, head: &[u8; HEAD_BYTES], it: EventView<'_>, shown: &str) {
    let begin = out.len();
    out.extend_from_slice(head);
    if let Some(line) = out.get_mut(begin..).and_then(|line| line.first_chunk_mut()) {
        let line: &mut [u8; HEAD_BYTES] = line;
        put_digits(&mut line[TIME_END - 20..TIME_END], it.time);
        put_digits(&mut line[LOCATION_END - 15..LOCATION_END], it.location.0);
    }
    out.extend_from_slice(shown.as_bytes());
    out.push(b'\n');
}

fn any_event(out: &mut Vec<u8>, names: &Names, options: &Options, it: EventView<'_>) {
    let mut printer = Printer { out, names, options, location: it.location, time: it.time };
    printer.event(it.event);
    printer.attributes(it.attributes);
}

/// Appends the lines of a record of a snapshot, as if what it tells happened now.
pub(super) fn snapshot(
    out: &mut Vec<u8>,
    names: &Names,
    options: &Options,
    (location, time): (LocationRef, u64),
    it: &Snapshot,
    attributes: &[AttributeValue],
) {
    let time = it.orig_event_time().unwrap_or(time);
    let mut printer = Printer { out, names, options, location, time };
    match it {
        Snapshot::SnapshotStart(it) => {
            printer.line("SNAPSHOT_START").number("# Events", it.number_of_records).end();
        }
        Snapshot::SnapshotEnd(it) => {
            printer.line("SNAPSHOT_END").number("Cont. Read Position", it.cont_read_pos).end();
        }
        it => match it.event() {
            Some(event) => printer.event(&event),
            None => printer.unknown(),
        },
    }
    printer.attributes(attributes);
}

struct Printer<'a> {
    out: &'a mut Vec<u8>,
    names: &'a Names,
    options: &'a Options,
    location: LocationRef,
    time: u64,
}

impl Printer<'_> {
    fn line(&mut self, name: &str) -> Line<'_> {
        let time = self.options.times.text(self.time);
        Line::event(self.out, self.names, name, self.location, &time)
    }

    fn unknown(&mut self) {
        let mut line = self.line("UNKNOWN");
        // No fields follow, and no blanks in front of them.
        line.out.truncate(line.out.len() - 2);
        line.end();
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Unknown(_) => self.unknown(),
            event => {
                let known = self.general(event)
                    || self.mpi(event)
                    || self.collective(event)
                    || self.threads(event)
                    || self.omp(event)
                    || self.rma(event)
                    || self.rma_operation(event)
                    || self.io(event);
                if !known {
                    self.io_operation(event);
                }
            }
        }
    }

    /// The line below an event with its attributes.
    fn attributes(&mut self, attributes: &[AttributeValue]) {
        if attributes.is_empty() {
            return;
        }
        let mut line = Line::below(self.out, self.names);
        line.text("ADDITIONAL ATTRIBUTES: ");
        for (number, AttributeValue { attribute, value }) in attributes.iter().enumerate() {
            let name = line.names.of(*attribute);
            let text = value_text(line.names, value);
            line.text(if number == 0 { "" } else { ", " });
            line.text(&format!("({name}; {}; {text})", shown(value.kind())));
        }
        line.end();
    }

    /// Events of the measurement and of any program.
    fn general(&mut self, event: &Event) -> bool {
        match event {
            Event::BufferFlush(it) => {
                let time = self.options.times.text(it.stop_time.0);
                self.line("BUFFER_FLUSH").field("Stop Time", &time).end();
            }
            Event::MeasurementOnOff(it) => {
                self.line("MEASUREMENT_ON_OFF").value("Mode", it.measurement_mode).end();
            }
            Event::Enter(it) => self.line("ENTER").name("Region", it.region).end(),
            Event::Leave(it) => self.line("LEAVE").name("Region", it.region).end(),
            Event::Metric(it) => self.metric(it.metric, &it.values),
            Event::ParameterString(it) => {
                let mut line = self.line("PARAMETER_STRING");
                line.name("Parameter", it.parameter).name("Value", it.string).end();
            }
            Event::ParameterInt(it) => {
                let mut line = self.line("PARAMETER_INT64");
                line.name("Parameter", it.parameter).signed("Value", it.value).end();
            }
            Event::ParameterUnsignedInt(it) => {
                let mut line = self.line("PARAMETER_UINT64");
                line.name("Parameter", it.parameter).number("Value", it.value).end();
            }
            Event::CallingContextEnter(it) => {
                let mut line = self.line("CALLING_CONTEXT_ENTER");
                line.name("Calling Context", it.calling_context);
                line.optional("Unwind Distance", it.unwind_distance).end();
                self.unwind(it.calling_context, it.unwind_distance);
            }
            Event::CallingContextLeave(it) => {
                let mut line = self.line("CALLING_CONTEXT_LEAVE");
                line.name("Calling Context", it.calling_context).end();
                // The context that is left has come to its end.
                self.unwind(it.calling_context, 1);
            }
            Event::CallingContextSample(it) => {
                let mut line = self.line("CALLING_CONTEXT_SAMPLE");
                line.name("Calling Context", it.calling_context);
                line.optional("Unwind Distance", it.unwind_distance);
                line.name("Interrupt Generator", it.interrupt_generator).end();
                self.unwind(it.calling_context, it.unwind_distance);
            }
            Event::ProgramBegin(it) => {
                let count = it.program_arguments.len();
                let mut line = self.line("PROGRAM_BEGIN");
                line.name("Name", it.program_name);
                line.field("", &format!("{count} Argument{}", plural(count, "", "s")));
                line.list(&it.program_arguments, |line, &argument| {
                    line.name("", argument);
                });
                line.end();
            }
            Event::ProgramEnd(it) => {
                // The smallest number stands for a status that is not known.
                let status = match it.exit_status {
                    i64::MIN => "UNDEFINED".to_owned(),
                    status => status.to_string(),
                };
                self.line("PROGRAM_END").field("Exit status", &status).end();
            }
            _ => return false,
        }
        true
    }

    fn metric(&mut self, metric: MetricRef, values: &[MetricValue]) {
        let count = values.len();
        let mut line = self.line("METRIC");
        line.name("Metric", metric);
        line.field("", &format!("{count} Value{}", plural(count, "", "s")));
        line.list(values.iter().enumerate(), |line, (index, value)| {
            let member = line.names.metric_member(metric, index);
            let text = match *value {
                MetricValue::U64(value) => format!("UINT64; {value}"),
                MetricValue::I64(value) => format!("INT64; {value}"),
                MetricValue::F64(value) => format!("DOUBLE; {}", general(value)),
                MetricValue::Other { kind, bits } => {
                    format!("INVALID <{}>; {bits:08x}", ValueType(kind).0)
                }
            };
            line.text(&format!("({member}; {text})"));
        });
        line.end();
    }

    /// The callers of a calling context, each on a line: `+` was entered since the last event, `*`
    /// was not left, `?` is not known.
    fn unwind(&mut self, context: CallingContextRef, mut distance: u32) {
        let mut next = context;
        // Damaged definitions may form a circle.
        let mut lines_left = if self.options.unwind { 10_000 } else { 0 };
        while !next.is_undefined() && lines_left > 0 {
            lines_left -= 1;
            let name = self.names.of(next);
            let mut line = Line::below(self.out, self.names);
            let Some(caller) = self.names.caller(next) else {
                line.text(&name).end();
                return;
            };
            line.text(match distance {
                u32::MAX => "?",
                2.. => "+",
                1 => "*",
                0 => " ",
            });
            line.text(&name).end();
            next = caller;
            distance = if distance == u32::MAX { distance } else { distance.saturating_sub(1) };
        }
    }

    /// Messages and their requests.
    fn mpi(&mut self, event: &Event) -> bool {
        match event {
            Event::MpiSend(it) => {
                let mut line = self.line("MPI_SEND");
                line.rank("Receiver", Some(it.communicator), it.receiver);
                line.name("Communicator", it.communicator).number("Tag", it.msg_tag);
                line.number("Length", it.msg_length).end();
            }
            Event::MpiIsend(it) => {
                let mut line = self.line("MPI_ISEND");
                line.rank("Receiver", Some(it.communicator), it.receiver);
                line.name("Communicator", it.communicator).number("Tag", it.msg_tag);
                line.number("Length", it.msg_length).number("Request", it.request_id).end();
            }
            Event::MpiRecv(it) => {
                let mut line = self.line("MPI_RECV");
                line.rank("Sender", Some(it.communicator), it.sender);
                line.name("Communicator", it.communicator).number("Tag", it.msg_tag);
                line.number("Length", it.msg_length).end();
            }
            Event::MpiIrecv(it) => {
                let mut line = self.line("MPI_IRECV");
                line.rank("Sender", Some(it.communicator), it.sender);
                line.name("Communicator", it.communicator).number("Tag", it.msg_tag);
                line.number("Length", it.msg_length).number("Request", it.request_id).end();
            }
            Event::MpiProbe(it) => {
                let mut line = self.line("MPI_PROBE");
                line.rank("Sender", Some(it.communicator), it.sender);
                line.name("Communicator", it.communicator).number("Tag", it.tag);
                line.number("Message", it.message_id).end();
            }
            Event::MpiMrecv(it) => {
                let mut line = self.line("MPI_MRECV");
                line.number("Message", it.message_id).number("Length", it.msg_length).end();
            }
            Event::MpiImrecvRequest(it) => {
                let mut line = self.line("MPI_IMRECV_REQUEST");
                line.number("Message", it.message_id).number("Request", it.request_id).end();
            }
            Event::MpiImrecv(it) => {
                let mut line = self.line("MPI_IMRECV");
                line.number("Request", it.request_id).number("Length", it.msg_length).end();
            }
            _ => return self.request(event),
        }
        true
    }

    fn request(&mut self, event: &Event) -> bool {
        let (name, request) = match event {
            Event::MpiIsendComplete(it) => ("MPI_ISEND_COMPLETE", it.request_id),
            Event::MpiIrecvRequest(it) => ("MPI_IRECV_REQUEST", it.request_id),
            Event::MpiRequestTest(it) => ("MPI_REQUEST_TEST", it.request_id),
            Event::MpiRequestCancelled(it) => ("MPI_REQUEST_CANCELLED", it.request_id),
            Event::NonBlockingCollectiveRequest(it) => {
                ("NON_BLOCKING_COLLECTIVE_REQUEST", it.request_id)
            }
            _ => return false,
        };
        self.line(name).number("Request", request).end();
        true
    }

    /// Collective operations and communicators.
    fn collective(&mut self, event: &Event) -> bool {
        match event {
            Event::MpiCollectiveBegin(_) => self.line("MPI_COLLECTIVE_BEGIN").end(),
            Event::MpiCollectiveEnd(it) => {
                let mut line = self.line("MPI_COLLECTIVE_END");
                line.value("Operation", it.collective_op).name("Communicator", it.communicator);
                line.root("Root", Some(it.communicator), it.root);
                line.number("Sent", it.size_sent).number("Received", it.size_received).end();
            }
            Event::NonBlockingCollectiveComplete(it) => {
                let mut line = self.line("NON_BLOCKING_COLLECTIVE_COMPLETE");
                line.value("Operation", it.collective_op).name("Communicator", it.communicator);
                line.root("Root", Some(it.communicator), it.root);
                line.number("Sent", it.size_sent).number("Received", it.size_received);
                line.number("Request", it.request_id).end();
            }
            Event::CommCreate(it) => {
                self.line("COMM_CREATE").name("Communicator", it.communicator).end();
            }
            Event::CommDestroy(it) => {
                self.line("COMM_DESTROY").name("Communicator", it.communicator).end();
            }
            _ => return false,
        }
        true
    }

    /// Teams, locks and tasks.
    fn threads(&mut self, event: &Event) -> bool {
        match event {
            Event::ThreadFork(it) => {
                let mut line = self.line("THREAD_FORK");
                line.paradigm("Model", it.model);
                line.number("# Requested Threads", it.number_of_requested_threads).end();
            }
            Event::ThreadJoin(it) => self.line("THREAD_JOIN").paradigm("Model", it.model).end(),
            Event::ThreadTeamBegin(it) => {
                self.line("THREAD_TEAM_BEGIN").name("Thread Team", it.thread_team).end();
            }
            Event::ThreadTeamEnd(it) => {
                self.line("THREAD_TEAM_END").name("Thread Team", it.thread_team).end();
            }
            Event::ThreadAcquireLock(it) => {
                let mut line = self.line("THREAD_ACQUIRE_LOCK");
                line.paradigm("Model", it.model).number("Lock", it.lock_id);
                line.number("Acquisition Order", it.acquisition_order).end();
            }
            Event::ThreadReleaseLock(it) => {
                let mut line = self.line("THREAD_RELEASE_LOCK");
                line.paradigm("Model", it.model).number("Lock", it.lock_id);
                line.number("Acquisition Order", it.acquisition_order).end();
            }
            _ => return self.task(event) || self.thread(event),
        }
        true
    }

    fn task(&mut self, event: &Event) -> bool {
        let (name, team, thread, generation) = match event {
            Event::ThreadTaskCreate(it) => {
                ("THREAD_TASK_CREATE", it.thread_team, it.creating_thread, it.generation_number)
            }
            Event::ThreadTaskSwitch(it) => {
                ("THREAD_TASK_SWITCH", it.thread_team, it.creating_thread, it.generation_number)
            }
            Event::ThreadTaskComplete(it) => {
                ("THREAD_TASK_COMPLETE", it.thread_team, it.creating_thread, it.generation_number)
            }
            _ => return false,
        };
        let mut line = self.line(name);
        line.name("Thread Team", team).rank("Creating Thread", Some(team), thread);
        line.number("Generation Number", generation).end();
        true
    }

    fn thread(&mut self, event: &Event) -> bool {
        let (name, contingent, sequence) = match event {
            Event::ThreadCreate(it) => ("THREAD_CREATE", it.thread_contingent, it.sequence_count),
            Event::ThreadBegin(it) => ("THREAD_BEGIN", it.thread_contingent, it.sequence_count),
            Event::ThreadWait(it) => ("THREAD_WAIT", it.thread_contingent, it.sequence_count),
            Event::ThreadEnd(it) => ("THREAD_END", it.thread_contingent, it.sequence_count),
            _ => return false,
        };
        let mut line = self.line(name);
        line.name("Thread Contingent", contingent).number("Sequence Count", sequence).end();
        true
    }

    /// What OTF2 1.2 has replaced.
    fn omp(&mut self, event: &Event) -> bool {
        match event {
            Event::OmpFork(it) => {
                let mut line = self.line("OMP_FORK");
                line.number("# Requested Threads", it.number_of_requested_threads).end();
            }
            Event::OmpJoin(_) => self.line("OMP_JOIN").end(),
            Event::OmpAcquireLock(it) => {
                let mut line = self.line("OMP_ACQUIRE_LOCK");
                line.number("Lock", it.lock_id);
                line.number("Acquisition Order", it.acquisition_order).end();
            }
            Event::OmpReleaseLock(it) => {
                let mut line = self.line("OMP_RELEASE_LOCK");
                line.number("Lock", it.lock_id);
                line.number("Acquisition Order", it.acquisition_order).end();
            }
            Event::OmpTaskCreate(it) => {
                self.line("OMP_TASK_CREATE").number("Task", it.task_id).end();
            }
            Event::OmpTaskSwitch(it) => {
                self.line("OMP_TASK_SWITCH").number("Task", it.task_id).end();
            }
            Event::OmpTaskComplete(it) => {
                self.line("OMP_TASK_COMPLETE").number("Task", it.task_id).end();
            }
            _ => return false,
        }
        true
    }

    /// Windows of remote memory access, and locks of them.
    fn rma(&mut self, event: &Event) -> bool {
        let lock = match event {
            Event::RmaRequestLock(it) => {
                ("RMA_REQUEST_LOCK", it.win, it.remote, it.lock_id, it.lock_type)
            }
            Event::RmaAcquireLock(it) => {
                ("RMA_ACQUIRE_LOCK", it.win, it.remote, it.lock_id, it.lock_type)
            }
            Event::RmaTryLock(it) => ("RMA_TRY_LOCK", it.win, it.remote, it.lock_id, it.lock_type),
            _ => return self.rma_window(event),
        };
        let (name, window, remote, lock, kind) = lock;
        let mut line = self.line(name);
        line.name("Window", window).window_rank("Remote", window, remote);
        line.number("Lock", lock).value("Type", kind).end();
        true
    }

    fn rma_window(&mut self, event: &Event) -> bool {
        match event {
            Event::RmaWinCreate(it) => self.line("RMA_WIN_CREATE").name("Window", it.win).end(),
            Event::RmaWinDestroy(it) => self.line("RMA_WIN_DESTROY").name("Window", it.win).end(),
            Event::RmaWaitChange(it) => self.line("RMA_WAIT_CHANGE").name("Window", it.win).end(),
            Event::RmaCollectiveBegin(_) => self.line("RMA_COLLECTIVE_BEGIN").end(),
            Event::RmaCollectiveEnd(it) => {
                let comm = self.names.window_comm(it.win);
                let mut line = self.line("RMA_COLLECTIVE_END");
                line.value("Operation", it.collective_op).name("Window", it.win);
                line.value("Level of Synchronicity", it.sync_level).root("Root", comm, it.root);
                line.number("Sent", it.bytes_sent).number("Received", it.bytes_received).end();
            }
            Event::RmaGroupSync(it) => {
                let mut line = self.line("RMA_GROUP_SYNC");
                line.value("Level of Synchronicity", it.sync_level).name("Window", it.win);
                line.name("Group", it.group).end();
            }
            Event::RmaReleaseLock(it) => {
                let mut line = self.line("RMA_RELEASE_LOCK");
                line.name("Window", it.win).window_rank("Remote", it.win, it.remote);
                line.number("Lock", it.lock_id).end();
            }
            Event::RmaSync(it) => {
                let mut line = self.line("RMA_SYNC");
                line.name("Window", it.win).window_rank("Remote", it.win, it.remote);
                line.value("Sync Type", it.sync_type).end();
            }
            _ => return false,
        }
        true
    }

    /// Remote memory access and its end.
    fn rma_operation(&mut self, event: &Event) -> bool {
        let (name, window, matching) = match event {
            Event::RmaPut(it) => {
                let mut line = self.line("RMA_PUT");
                line.name("Window", it.win).window_rank("Remote", it.win, it.remote);
                line.number("Bytes", it.bytes).number("Matching", it.matching_id).end();
                return true;
            }
            Event::RmaGet(it) => {
                let mut line = self.line("RMA_GET");
                line.name("Window", it.win).window_rank("Remote", it.win, it.remote);
                line.number("Bytes", it.bytes).number("Matching", it.matching_id).end();
                return true;
            }
            Event::RmaAtomic(it) => {
                let mut line = self.line("RMA_ATOMIC");
                line.name("Window", it.win).window_rank("Remote", it.win, it.remote);
                line.value("Type", it.kind).number("Sent", it.bytes_sent);
                line.number("Received", it.bytes_received).number("Matching", it.matching_id);
                line.end();
                return true;
            }
            Event::RmaOpCompleteBlocking(it) => {
                ("RMA_OP_COMPLETE_BLOCKING", it.win, it.matching_id)
            }
            Event::RmaOpCompleteNonBlocking(it) => {
                ("RMA_OP_COMPLETE_NON_BLOCKING", it.win, it.matching_id)
            }
            Event::RmaOpTest(it) => ("RMA_OP_TEST", it.win, it.matching_id),
            Event::RmaOpCompleteRemote(it) => ("RMA_OP_COMPLETE_REMOTE", it.win, it.matching_id),
            _ => return false,
        };
        self.line(name).name("Window", window).number("Matching", matching).end();
        true
    }

    /// Handles of files.
    fn io(&mut self, event: &Event) -> bool {
        match event {
            Event::IoCreateHandle(it) => {
                let mut line = self.line("IO_CREATE_HANDLE");
                line.name("Handle", it.handle).value("Access Mode", it.mode);
                line.value("Creation Flags", it.creation_flags);
                line.value("Status Flags", it.status_flags).end();
            }
            Event::IoDestroyHandle(it) => {
                self.line("IO_DESTROY_HANDLE").name("Handle", it.handle).end();
            }
            Event::IoDuplicateHandle(it) => {
                let mut line = self.line("IO_DUPLICATE_HANDLE");
                line.name("Old Handle", it.old_handle).name("New Handle", it.new_handle);
                line.value("Status Flags", it.status_flags).end();
            }
            Event::IoSeek(it) => {
                let mut line = self.line("IO_SEEK");
                line.name("Handle", it.handle).signed("Offset Request", it.offset_request);
                line.value("Whence", it.whence).number("Offset Result", it.offset_result).end();
            }
            Event::IoChangeStatusFlags(it) => {
                let mut line = self.line("IO_CHANGE_FLAGS");
                line.name("Handle", it.handle).value("Status Flags", it.status_flags).end();
            }
            Event::IoDeleteFile(it) => {
                let mut line = self.line("IO_DELETE_FILE");
                line.name("I/O Paradigm", it.io_paradigm).name("File", it.file).end();
            }
            _ => return self.io_lock(event),
        }
        true
    }

    fn io_lock(&mut self, event: &Event) -> bool {
        let (name, handle, kind) = match event {
            Event::IoAcquireLock(it) => ("IO_ACQUIRE_LOCK", it.handle, it.lock_type),
            Event::IoReleaseLock(it) => ("IO_RELEASE_LOCK", it.handle, it.lock_type),
            Event::IoTryLock(it) => ("IO_TRY_LOCK", it.handle, it.lock_type),
            _ => return false,
        };
        self.line(name).name("Handle", handle).value("Type", kind).end();
        true
    }

    /// Reading and writing files.
    fn io_operation(&mut self, event: &Event) {
        let (name, handle, matching) = match event {
            Event::IoOperationBegin(it) => {
                let mut line = self.line("IO_OPERATION_BEGIN");
                line.name("Handle", it.handle).value("Mode", it.mode);
                line.value("Operation Flags", it.operation_flags);
                line.number("Bytes Request", it.bytes_request);
                return line.number("Matching Id", it.matching_id).end();
            }
            Event::IoOperationComplete(it) => {
                let mut line = self.line("IO_OPERATION_COMPLETE");
                line.name("Handle", it.handle).number("Bytes Result", it.bytes_result);
                return line.number("Matching Id", it.matching_id).end();
            }
            Event::IoOperationTest(it) => ("IO_OPERATION_TEST", it.handle, it.matching_id),
            Event::IoOperationIssued(it) => ("IO_OPERATION_ISSUED", it.handle, it.matching_id),
            Event::IoOperationCancelled(it) => {
                ("IO_OPERATION_CANCELLED", it.handle, it.matching_id)
            }
            _ => return self.unknown(),
        };
        self.line(name).name("Handle", handle).number("Matching Id", matching).end();
    }
}

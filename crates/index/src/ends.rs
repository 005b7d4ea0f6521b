//! The ends of what connects locations: where a location sends and receives, takes and gives back a
//! lock, creates tasks and executes them, and whether it waits. A location packs them while its
//! events are read; they meet when all locations are known that may have the other end
//! (`meeting.rs`, `messages.rs`).

use pompeii_model::RegionId;
use pompeii_otf2::enums::{CollectiveOp, MeasurementMode};
use pompeii_otf2::event::Event;
use pompeii_otf2::reference::CommRef;
use pompeii_replay::definitions::Definitions;

use crate::pack::{Input, difference, put, put_all, put_signed};
use crate::state::State;
use crate::walk::{TaskId, Walker};

/// What a thread does, as far as the number of threads that do it is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Status {
    /// It has no open region, or is not recorded.
    #[default]
    Idle,
    /// It waits for other threads.
    Waiting,
    /// All else.
    Busy,
}

impl Status {
    /// What a thread does whose innermost region is in this state; `None`: no region is open.
    #[inline]
    pub fn of(state: Option<State>) -> Status {
        match state {
            None | Some(State::Idle) => Status::Idle,
            Some(State::Waiting) => Status::Waiting,
            Some(_) => Status::Busy,
        }
    }
}

/// A message, as its sender or its receiver knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Message {
    /// Rank of the other process in the communicator.
    pub peer: u32,
    pub comm: u32,
    pub tag: u32,
    pub bytes: u64,
    /// The request of a non-blocking send.
    pub request: u64,
}

/// The part of a process in a collective operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Collective {
    pub comm: u32,
    pub op: u8,
    pub root: u32,
    /// Bytes that were sent and received.
    pub bytes: u64,
}

/// What happened on a location.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    Create(TaskId),
    /// A task begins or goes on.
    Start(TaskId),
    /// It is suspended.
    Suspend(TaskId),
    Complete(TaskId),
    Status(Status),
    /// The lock is taken; the ticks of waiting for it before. Others may share it for reading.
    Acquire {
        lock: u32,
        order: u32,
        waited: u64,
        is_shared: bool,
    },
    Release {
        lock: u32,
        order: u32,
        is_shared: bool,
    },
    Send(Message),
    Receive(Message),
    /// A request has no message.
    Cancel(u64),
    Enters,
    Leaves(Collective),
    /// A non-blocking operation with this request begins.
    Posts(u64),
    Completes(u64, Collective),
    /// Recording is off for a while.
    Off,
    /// Records are missing.
    Lost,
}

/// Ends in the order of time, packed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packed {
    bytes: Vec<u8>,
    time: u64,
    task: TaskId,
}

impl Packed {
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub fn push(&mut self, time: u64, end: End) {
        let out = &mut self.bytes;
        put(out, time.saturating_sub(self.time));
        self.time = time.max(self.time);
        match end {
            End::Create(task) => self.push_task(0, task),
            End::Start(task) => self.push_task(1, task),
            End::Suspend(task) => self.push_task(2, task),
            End::Complete(task) => self.push_task(3, task),
            End::Status(status) => out.push(4 + status as u8),
            End::Acquire { lock, order, waited, is_shared } => {
                out.push(7);
                put_all(out, [lock_word(lock, is_shared), u64::from(order), waited]);
            }
            End::Release { lock, order, is_shared } => {
                out.push(8);
                put_all(out, [lock_word(lock, is_shared), u64::from(order)]);
            }
            End::Send(message) => push_message(out, 9, message),
            End::Receive(message) => push_message(out, 10, message),
            End::Cancel(request) => {
                out.push(11);
                put(out, request);
            }
            End::Enters => out.push(12),
            End::Leaves(end) => {
                out.push(13);
                push_collective(out, end);
            }
            End::Posts(request) => {
                out.push(14);
                put(out, request);
            }
            End::Completes(request, end) => {
                out.push(15);
                put(out, request);
                push_collective(out, end);
            }
            End::Off => out.push(16),
            End::Lost => out.push(17),
        }
    }

    fn push_task(&mut self, kind: u8, task: TaskId) {
        let before = std::mem::replace(&mut self.task, task);
        let out = &mut self.bytes;
        out.push(kind);
        for (number, before) in task_numbers(task).into_iter().zip(task_numbers(before)) {
            put_signed(out, difference(number, before));
        }
    }

    /// All ends with their times.
    pub fn iter(&self) -> Ends<'_> {
        Ends { input: Input::new(&self.bytes), time: 0, task: TaskId::default() }
    }
}

fn task_numbers(task: TaskId) -> [u64; 3] {
    [task.team.into(), task.thread.into(), task.number.into()]
}

fn push_message(out: &mut Vec<u8>, kind: u8, message: Message) {
    let Message { peer, comm, tag, bytes, request } = message;
    out.push(kind);
    // Blocking operations have the largest number as their request.
    let request = request.wrapping_add(1);
    put_all(out, [peer.into(), comm.into(), tag.into(), bytes, request]);
}

fn push_collective(out: &mut Vec<u8>, end: Collective) {
    let Collective { comm, op, root, bytes } = end;
    put_all(out, [comm.into(), op.into(), root.into(), bytes]);
}

/// Reads packed ends.
#[derive(Clone, Debug)]
pub(crate) struct Ends<'a> {
    input: Input<'a>,
    time: u64,
    task: TaskId,
}

impl Ends<'_> {
    fn task(&mut self) -> Option<TaskId> {
        let mut numbers = task_numbers(self.task);
        for number in &mut numbers {
            *number = self.input.after(*number)?;
        }
        let [team, thread, number] = numbers.map(|number| number as u32);
        self.task = TaskId { team, thread, number };
        Some(self.task)
    }

    fn lock(&mut self) -> Option<(u32, bool)> {
        self.input.number().map(|word| ((word >> 1) as u32, word & 1 == 1))
    }

    fn small(&mut self) -> Option<u32> {
        self.input.number().map(|number| number as u32)
    }

    fn message(&mut self) -> Option<Message> {
        let (peer, comm, tag) = (self.small()?, self.small()?, self.small()?);
        let (bytes, request) = (self.input.number()?, self.input.number()?.wrapping_sub(1));
        Some(Message { peer, comm, tag, bytes, request })
    }

    fn collective(&mut self) -> Option<Collective> {
        let (comm, op, root) = (self.small()?, self.small()? as u8, self.small()?);
        Some(Collective { comm, op, root, bytes: self.input.number()? })
    }
}

impl Iterator for Ends<'_> {
    type Item = (u64, End);

    fn next(&mut self) -> Option<(u64, End)> {
        self.time += self.input.number()?;
        let end = match self.input.number()? {
            0 => End::Create(self.task()?),
            1 => End::Start(self.task()?),
            2 => End::Suspend(self.task()?),
            3 => End::Complete(self.task()?),
            4 => End::Status(Status::Idle),
            5 => End::Status(Status::Waiting),
            6 => End::Status(Status::Busy),
            7 => {
                let ((lock, is_shared), order) = (self.lock()?, self.small()?);
                End::Acquire { lock, order, waited: self.input.number()?, is_shared }
            }
            8 => {
                let ((lock, is_shared), order) = (self.lock()?, self.small()?);
                End::Release { lock, order, is_shared }
            }
            9 => End::Send(self.message()?),
            10 => End::Receive(self.message()?),
            11 => End::Cancel(self.input.number()?),
            12 => End::Enters,
            13 => End::Leaves(self.collective()?),
            14 => End::Posts(self.input.number()?),
            15 => End::Completes(self.input.number()?, self.collective()?),
            16 => End::Off,
            _ => End::Lost,
        };
        Some((self.time, end))
    }
}

/// A lock, and whether other threads may have it for reading, in one number.
fn lock_word(lock: u32, is_shared: bool) -> u64 {
    u64::from(lock) << 1 | u64::from(is_shared)
}

/// The ends of a location.
#[derive(Clone, Debug, Default)]
pub(crate) struct LocationEnds {
    /// Those within its process.
    pub threads: Packed,
    /// Those of MPI.
    pub mpi: Packed,
    status: Status,
    /// Locks that it has for reading, with the numbers of the acquisitions.
    shared: Vec<(u32, u32)>,
}

/// Locks that a location can have for reading at a time. Of more, the oldest ones count as locks
/// for writing when they are given back.
const SHARED_MAX: usize = 64;

impl LocationEnds {
    /// The innermost region is in this state from now on; `None`: no region is open.
    #[inline]
    pub fn state(&mut self, time: u64, state: Option<State>) {
        let status = Status::of(state);
        if status != self.status {
            self.status = status;
            self.threads.push(time, End::Status(status));
        }
    }

    /// Takes an event that opens and closes no region, after the walk has taken it.
    pub fn event(&mut self, definitions: &Definitions, walker: &Walker, event: &Event) {
        let time = walker.now;
        let waited = || walker.frames.last().map_or(0, |frame| time.saturating_sub(frame.since));
        let lock = match event {
            Event::ThreadAcquireLock(it) => Some((it.lock_id, it.acquisition_order, true)),
            Event::OmpAcquireLock(it) => Some((it.lock_id, it.acquisition_order, true)),
            Event::ThreadReleaseLock(it) => Some((it.lock_id, it.acquisition_order, false)),
            Event::OmpReleaseLock(it) => Some((it.lock_id, it.acquisition_order, false)),
            _ => None,
        };
        match lock {
            Some((lock, order, true)) => {
                let is_shared = is_for_reading(definitions, walker);
                if is_shared {
                    if self.shared.len() == SHARED_MAX {
                        self.shared.remove(0);
                    }
                    self.shared.push((lock, order));
                }
                self.threads.push(time, End::Acquire { lock, order, waited: waited(), is_shared });
            }
            Some((lock, order, false)) => {
                let place = self.shared.iter().rposition(|shared| *shared == (lock, order));
                let is_shared = place.map(|place| self.shared.remove(place)).is_some();
                self.threads.push(time, End::Release { lock, order, is_shared });
            }
            None => {
                if let Some(end) = mpi_end(definitions, walker, event) {
                    self.mpi.push(time, end);
                }
            }
        }
    }
}

/// Whether the walk is in a function that acquires a lock for reading.
fn is_for_reading(definitions: &Definitions, walker: &Walker) -> bool {
    let region = walker.frames.last().map(|frame| RegionId(frame.region));
    let region = region.and_then(|region| definitions.regions.get(region));
    region.is_some_and(|region| region.locks_for_reading())
}

fn mpi_end(definitions: &Definitions, walker: &Walker, event: &Event) -> Option<End> {
    let message = |peer, (comm, tag): (CommRef, u32), bytes, request| Message {
        peer,
        comm: comm.0,
        tag,
        bytes,
        request,
    };
    let collective = |comm: CommRef, op: CollectiveOp, root, bytes| Collective {
        comm: comm.0,
        op: op.0,
        root,
        bytes,
    };
    const NONE: u64 = u64::MAX;
    Some(match event {
        Event::MpiSend(it) => {
            let key = (it.communicator, it.msg_tag);
            End::Send(message(it.receiver, key, it.msg_length, NONE))
        }
        Event::MpiIsend(it) => {
            let key = (it.communicator, it.msg_tag);
            End::Send(message(it.receiver, key, it.msg_length, it.request_id))
        }
        Event::MpiRecv(it) => {
            let key = (it.communicator, it.msg_tag);
            End::Receive(message(it.sender, key, it.msg_length, NONE))
        }
        Event::MpiIrecv(it) => {
            let key = (it.communicator, it.msg_tag);
            End::Receive(message(it.sender, key, it.msg_length, NONE))
        }
        Event::MpiRequestCancelled(it) => End::Cancel(it.request_id),
        // The trace does not have who the neighbours of a process are.
        Event::MpiCollectiveBegin(_) if is_with_neighbours(definitions, walker) => return None,
        Event::MpiCollectiveBegin(_) => End::Enters,
        Event::MpiCollectiveEnd(it) => {
            let bytes = it.size_sent.saturating_add(it.size_received);
            End::Leaves(collective(it.communicator, it.collective_op, it.root, bytes))
        }
        Event::NonBlockingCollectiveRequest(it) => End::Posts(it.request_id),
        Event::NonBlockingCollectiveComplete(it) => {
            let bytes = it.size_sent.saturating_add(it.size_received);
            let end = collective(it.communicator, it.collective_op, it.root, bytes);
            End::Completes(it.request_id, end)
        }
        Event::MeasurementOnOff(it) if it.measurement_mode == MeasurementMode::OFF => {
            if is_lost(definitions, walker) { End::Lost } else { End::Off }
        }
        _ => return None,
    })
}

/// Whether records are missing, when recording has been switched off. The walk has opened a region
/// for this time. Pompeii has one of its own around it, if the program or the user switched
/// recording off; else it had no room for records.
pub(crate) fn is_lost(definitions: &Definitions, walker: &Walker) -> bool {
    let around = walker.frames.iter().rev().nth(1);
    let is_wanted = around.is_some_and(|frame| frame.region == definitions.off_region.0);
    definitions.tells_off && !is_wanted
}

fn is_with_neighbours(definitions: &Definitions, walker: &Walker) -> bool {
    let region = walker.frames.last().map(|frame| RegionId(frame.region));
    let region = region.and_then(|region| definitions.regions.get(region));
    region.is_some_and(|region| region.name.starts_with("MPI_Neighbor"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_come_back() {
        let task = |thread, number| TaskId { team: 7, thread, number };
        let message = Message { peer: 3, comm: 1, tag: u32::MAX, bytes: 1 << 40, request: NONE };
        const NONE: u64 = u64::MAX;
        let end = Collective { comm: 2, op: 9, root: u32::MAX, bytes: 16 };
        let all = [
            End::Create(task(1, u32::MAX)),
            End::Start(task(u32::MAX, 1)),
            End::Suspend(task(0, 0)),
            End::Complete(task(3, 2)),
            End::Status(Status::Waiting),
            End::Status(Status::Busy),
            End::Status(Status::Idle),
            End::Acquire { lock: 1, order: u32::MAX, waited: 77, is_shared: true },
            End::Release { lock: u32::MAX, order: 0, is_shared: false },
            End::Send(message),
            End::Receive(Message { request: 0, ..message }),
            End::Cancel(u64::MAX),
            End::Enters,
            End::Leaves(end),
            End::Posts(5),
            End::Completes(5, end),
            End::Off,
            End::Lost,
        ];
        let mut packed = Packed::default();
        let timed: Vec<(u64, End)> = (3..).step_by(1000).zip(all).collect();
        timed.iter().for_each(|(time, end)| packed.push(*time, *end));
        assert_eq!(packed.iter().collect::<Vec<_>>(), timed);
    }
}

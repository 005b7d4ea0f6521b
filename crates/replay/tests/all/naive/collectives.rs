//! Collective operations, also those on windows and files, MPI_Init and MPI_Finalize.

use pompeii_otf2::definition::Definition;
use pompeii_otf2::enums::CollectiveOp;
use pompeii_otf2::event::*;
use pompeii_otf2::reference::CommRef;

use super::Trace;
use crate::generate::world::Waits;

/// What has operations of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Of {
    Comm(u32),
    Window(u32),
    File(u32),
}

/// Of what the operation is, its location if it is alone, and which one.
type Key = (Of, u64, usize);

/// One location's part of an operation.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub of: Of,
    pub location: u64,
    pub begin: u64,
    pub end: u64,
    pub visit: usize,
    pub record: MpiCollectiveEnd,
}

impl Part {
    fn until(&self, time: u64) -> i128 {
        i128::from(time.min(self.end)) - i128::from(self.begin)
    }
}

impl Trace {
    pub(super) fn collectives(&self, waits: &mut Waits) {
        for parts in self.instances() {
            self.collective(waits, &parts);
        }
        self.management(waits, &["MPI_Init", "MPI_Init_thread"]);
        self.management(waits, &["MPI_Finalize"]);
    }

    /// The parts of all operations of more than one process.
    pub(super) fn instances(&self) -> Vec<Vec<Part>> {
        let mut instances: Vec<(Key, Vec<Part>)> = Vec::new();
        for location in self.locations() {
            for (key, part) in self.parts(location) {
                match instances.iter_mut().find(|(known, _)| *known == key) {
                    Some((_, parts)) => parts.push(part),
                    None => instances.push((key, vec![part])),
                }
            }
        }
        let several = instances.into_iter().filter(|(_, parts)| parts.len() > 1);
        several.map(|(_, parts)| parts).collect()
    }

    /// All parts of one location.
    fn parts(&self, location: u64) -> Vec<(Key, Part)> {
        let mut parts: Vec<(Key, Part)> = Vec::new();
        let mut begin = 0;
        for (_, seen) in self.on(location) {
            if begins_part(&seen.event) {
                begin = seen.time;
            }
            let Some((of, record)) = self.ended(&seen.event) else { continue };
            let is_self = self.members(record.communicator).is_empty();
            let number = parts.iter().filter(|(known, _)| known.0 == of).count();
            let key = (of, if is_self { location } else { u64::MAX }, number);
            let end = seen.time;
            if let Some(visit) = seen.visit {
                parts.push((key, Part { of, location, begin, end, visit, record }));
            }
        }
        parts
    }

    /// The operation that ends with an event. Those on windows and files are barriers of theirs.
    fn ended(&self, event: &Event) -> Option<(Of, MpiCollectiveEnd)> {
        let of = match event {
            Event::MpiCollectiveEnd(record) => {
                return Some((Of::Comm(record.communicator.0), record.clone()));
            }
            Event::RmaCollectiveEnd(record) => Of::Window(record.win.0),
            Event::IoOperationComplete(record) => Of::File(record.handle.0),
            _ => return None,
        };
        let record = MpiCollectiveEnd {
            collective_op: CollectiveOp::BARRIER,
            communicator: self.comm_of(of)?,
            root: ROOT_NONE,
            size_sent: 0,
            size_received: 0,
        };
        Some((of, record))
    }

    /// The communicator of a window or a file.
    fn comm_of(&self, of: Of) -> Option<CommRef> {
        self.archive.definitions().iter().find_map(|definition| match definition {
            Definition::RmaWin(it) if of == Of::Window(it.id.0) => Some(it.comm),
            Definition::IoHandle(it) if of == Of::File(it.id.0) => Some(it.comm),
            _ => None,
        })
    }

    fn collective(&self, waits: &mut Waits, parts: &[Part]) {
        let resource = match parts[0].of {
            Of::Comm(_) => None,
            Of::Window(_) => Some("mpi_rma_wait_at_fence"),
            Of::File(_) => Some("mpi_io_collective_wait"),
        };
        if let Some(property) = resource {
            let latest = parts.iter().map(|part| part.begin).max().unwrap_or(0);
            for part in parts.iter().filter(|_| came_together(parts)) {
                self.wait(waits, property, part.visit, part.until(latest));
            }
            return;
        }
        let record = &parts[0].record;
        let members = self.members(record.communicator);
        let root = members.get(record.root as usize).copied();
        let root = parts.iter().find(|part| Some(part.location) == root);
        match (record.collective_op, root) {
            (CollectiveOp::BARRIER, _) => {
                let names = ("mpi_barrier_wait", "mpi_barrier_completion");
                self.all(waits, parts, names);
            }
            (
                CollectiveOp::ALLGATHER
                | CollectiveOp::ALLGATHERV
                | CollectiveOp::ALLTOALL
                | CollectiveOp::ALLTOALLV
                | CollectiveOp::ALLTOALLW
                | CollectiveOp::ALLREDUCE
                | CollectiveOp::REDUCE_SCATTER
                | CollectiveOp::REDUCE_SCATTER_BLOCK,
                _,
            ) => self.all_to_all(waits, parts),
            (CollectiveOp::BCAST | CollectiveOp::SCATTER | CollectiveOp::SCATTERV, Some(root)) => {
                let receives =
                    |part: &&Part| part.location != root.location && part.record.size_received > 0;
                if root.record.size_sent > 0 {
                    for part in parts.iter().filter(receives) {
                        let ticks = part.until(root.begin);
                        self.wait(waits, "mpi_latebroadcast", part.visit, ticks);
                    }
                }
            }
            (CollectiveOp::REDUCE | CollectiveOp::GATHER | CollectiveOp::GATHERV, Some(root))
                if root.record.size_received > 0 =>
            {
                let latest = latest_sender(parts.iter());
                self.wait(waits, "mpi_earlyreduce", root.visit, root.until(latest));
            }
            (CollectiveOp::SCAN | CollectiveOp::EXSCAN, _) => {
                let rank = |part: &Part| members.iter().position(|&one| one == part.location);
                for part in parts {
                    let before = parts.iter().filter(|other| rank(other) <= rank(part));
                    let ticks = part.until(latest_sender(before));
                    self.wait(waits, "mpi_earlyscan", part.visit, ticks);
                }
            }
            _ => {}
        }
    }

    fn all_to_all(&self, waits: &mut Waits, parts: &[Part]) {
        let names = ("mpi_wait_nxn", "mpi_nxn_completion");
        if parts.iter().all(|part| part.record.size_sent + part.record.size_received == 0) {
            return;
        }
        let latest = parts.iter().map(|part| part.begin).max();
        if parts.iter().map(|part| part.end).min() > latest {
            self.all(waits, parts, names);
            return;
        }
        // Some were gone before others came: a rank that sends nothing keeps no other rank waiting.
        // Of several that begin last it is the one with the lowest rank.
        let members = self.members(parts[0].record.communicator);
        let rank = |part: &Part| members.iter().position(|&one| one == part.location);
        let senders = parts.iter().filter(|part| part.record.size_sent > 0);
        let last = senders.max_by_key(|part| (part.begin, std::cmp::Reverse(rank(part))));
        let Some(last) = last else { return };
        let takes_part = |part: &&Part| {
            part.location == last.location
                || (part.record.size_received > 0 && part.begin < last.begin)
        };
        let some: Vec<Part> = parts.iter().filter(takes_part).cloned().collect();
        self.all(waits, &some, names);
    }

    /// All wait for the latest, and leave when the first can.
    fn all(&self, waits: &mut Waits, parts: &[Part], names: (&'static str, &'static str)) {
        let latest = parts.iter().map(|part| part.begin).max().unwrap_or(0);
        let first = parts.iter().map(|part| part.end).min().unwrap_or(0);
        for part in parts {
            self.wait(waits, names.0, part.visit, part.until(latest));
            let complete = first.max(latest.min(part.end));
            self.wait(waits, names.1, part.visit, i128::from(part.end) - i128::from(complete));
        }
    }

    /// MPI_Init and MPI_Finalize: from enter to leave, all processes.
    fn management(&self, waits: &mut Waits, names: &[&str]) {
        let named = (0..self.visits.len()).filter(|&visit| names.contains(&self.name(visit)));
        let calls: Vec<usize> = named.collect();
        if calls.len() < 2 {
            return;
        }
        let latest = calls.iter().map(|&call| self.visits[call].enter).max().unwrap_or(0);
        let first = calls.iter().map(|&call| self.visits[call].leave).min().unwrap_or(0);
        for call in calls {
            let (enter, leave) = (self.visits[call].enter, self.visits[call].leave);
            let until = latest.min(leave);
            if names.contains(&"MPI_Finalize") {
                let ticks = i128::from(until) - i128::from(enter);
                self.wait(waits, "mpi_finalize_wait", call, ticks);
            } else {
                let ticks = i128::from(leave) - i128::from(first.max(until));
                self.wait(waits, "mpi_init_completion", call, ticks);
            }
        }
    }
}

/// Whether an event begins a part of an operation.
pub(super) fn begins_part(event: &Event) -> bool {
    matches!(
        event,
        Event::MpiCollectiveBegin(_) | Event::RmaCollectiveBegin(_) | Event::IoOperationBegin(_)
    )
}

/// Whether an operation has brought its processes together. A fence always has; an operation on
/// a file has if no process had ended it before the last one began.
pub(super) fn came_together(parts: &[Part]) -> bool {
    let last_begin = parts.iter().map(|part| part.begin).max();
    let is_file = matches!(parts[0].of, Of::File(_));
    !is_file || parts.iter().map(|part| part.end).min() > last_begin
}

fn latest_sender<'p>(parts: impl Iterator<Item = &'p Part>) -> u64 {
    let senders = parts.filter(|part| part.record.size_sent > 0);
    senders.map(|part| part.begin).max().unwrap_or(0)
}

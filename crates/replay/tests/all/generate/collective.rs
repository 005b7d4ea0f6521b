//! Collective operations of MPI: who waits for whom follows from the kind of the operation.

use pompeii_otf2::enums::{CollectiveOp, RegionRole};
use pompeii_otf2::event::*;
use pompeii_otf2::reference::CommRef;

use super::resource;
use super::world::World;

/// Function, operation, role, and the property that has its waiting.
type Kind = (&'static str, CollectiveOp, RegionRole, &'static str);

const ALL_TO_ALL: [Kind; 7] = [
    ("MPI_Allreduce", CollectiveOp::ALLREDUCE, RegionRole::COLL_ALL2ALL, "mpi_wait_nxn"),
    ("MPI_Allgather", CollectiveOp::ALLGATHER, RegionRole::COLL_ALL2ALL, "mpi_wait_nxn"),
    ("MPI_Allgatherv", CollectiveOp::ALLGATHERV, RegionRole::COLL_ALL2ALL, "mpi_wait_nxn"),
    ("MPI_Alltoallv", CollectiveOp::ALLTOALLV, RegionRole::COLL_ALL2ALL, "mpi_wait_nxn"),
    ("MPI_Alltoall", CollectiveOp::ALLTOALL, RegionRole::COLL_ALL2ALL, "mpi_wait_nxn"),
    ("MPI_Reduce_scatter", CollectiveOp::REDUCE_SCATTER, RegionRole::COLL_OTHER, "mpi_wait_nxn"),
    ("MPI_Barrier", CollectiveOp::BARRIER, RegionRole::BARRIER, "mpi_barrier_wait"),
];
const FROM_ROOT: [Kind; 3] = [
    ("MPI_Bcast", CollectiveOp::BCAST, RegionRole::COLL_ONE2ALL, "mpi_latebroadcast"),
    ("MPI_Scatter", CollectiveOp::SCATTER, RegionRole::COLL_ONE2ALL, "mpi_latebroadcast"),
    ("MPI_Scatterv", CollectiveOp::SCATTERV, RegionRole::COLL_ONE2ALL, "mpi_latebroadcast"),
];
const TO_ROOT: [Kind; 3] = [
    ("MPI_Reduce", CollectiveOp::REDUCE, RegionRole::COLL_ALL2ONE, "mpi_earlyreduce"),
    ("MPI_Gather", CollectiveOp::GATHER, RegionRole::COLL_ALL2ONE, "mpi_earlyreduce"),
    ("MPI_Gatherv", CollectiveOp::GATHERV, RegionRole::COLL_ALL2ONE, "mpi_earlyreduce"),
];
const SCANS: [Kind; 2] = [
    ("MPI_Scan", CollectiveOp::SCAN, RegionRole::COLL_OTHER, "mpi_earlyscan"),
    ("MPI_Exscan", CollectiveOp::EXSCAN, RegionRole::COLL_OTHER, "mpi_earlyscan"),
];

const NON_BLOCKING: [Kind; 4] = [
    ("MPI_Ibarrier", CollectiveOp::BARRIER, RegionRole::BARRIER, ""),
    ("MPI_Iallreduce", CollectiveOp::ALLREDUCE, RegionRole::COLL_ALL2ALL, ""),
    ("MPI_Ibcast", CollectiveOp::BCAST, RegionRole::COLL_ONE2ALL, ""),
    ("MPI_Ireduce", CollectiveOp::REDUCE, RegionRole::COLL_ALL2ONE, ""),
];

/// An operation of any kind on a communicator, or on its window or its file.
pub fn any(world: &mut World, comm: u32) {
    match world.numbers.below(if world.has_resources { 7 } else { 5 }) {
        0 | 1 => all_to_all(world, comm),
        2 => {
            let root = any_member(world, comm);
            from_root(world, comm, root);
        }
        3 => {
            let root = any_member(world, comm);
            to_root(world, comm, root);
        }
        4 => scan(world, comm),
        5 => resource::fence(world, comm),
        _ => resource::access(world, comm),
    }
}

/// All members begin an operation that does not block: location, record, and when the last process
/// began that the location needs. They are inside of the function then.
pub fn begin_any(
    world: &mut World,
    comm: u32,
    of_all: bool,
) -> Vec<(usize, MpiCollectiveEnd, u64)> {
    let kinds = if of_all { &NON_BLOCKING[..2] } else { &NON_BLOCKING[..] };
    let kind = world.numbers.of(kinds);
    let ranks = world.comms[comm as usize].clone();
    let root = world.numbers.below(ranks.len() as u64) as usize;
    let mut begins = Vec::new();
    for rank in ranks {
        let at = world.at(rank, 0);
        world.work(at);
        world.enter_mpi(at, kind.0, kind.2);
        begins.push((at, world.logs[at].now));
    }
    let latest = begins.iter().map(|begin| begin.1).max().unwrap_or(0);
    let sent = begins[root].1;
    let part = |(index, (at, _)): (usize, (usize, u64))| {
        let is_root = index == root;
        let (bytes, needed) = match (kind.1, is_root) {
            (CollectiveOp::BARRIER, _) => ((0, 0), latest),
            (CollectiveOp::ALLREDUCE, _) => ((16, 16), latest),
            (CollectiveOp::BCAST, true) => ((64, 8), 0),
            (CollectiveOp::BCAST, false) => ((0, 8), sent),
            (_, true) => ((8, 64), latest),
            (_, false) => ((8, 0), 0),
        };
        let has_root = !matches!(kind.1, CollectiveOp::BARRIER | CollectiveOp::ALLREDUCE);
        let root = if has_root { root as u32 } else { ROOT_NONE };
        (at, record(comm, kind, root, bytes.0, bytes.1), needed)
    };
    begins.into_iter().enumerate().map(part).collect()
}

/// All ranks enter; the times at which they do.
fn begin(world: &mut World, comm: u32, kind: Kind) -> Vec<(usize, u64)> {
    let ranks = world.comms[comm as usize].clone();
    let enter = |world: &mut World, rank: u32| {
        let at = world.at(rank, 0);
        world.work(at);
        world.enter_mpi(at, kind.0, kind.2);
        world.event(at, MpiCollectiveBegin {});
        (at, world.logs[at].now)
    };
    ranks.into_iter().map(|rank| enter(world, rank)).collect()
}

/// A rank leaves after the time until which it waited.
fn end(
    world: &mut World,
    (at, begin): (usize, u64),
    waits_until: u64,
    (kind, record): (Kind, MpiCollectiveEnd),
) {
    world.waited(kind.3, at, waits_until.saturating_sub(begin));
    world.logs[at].now += 1;
    world.until(at, waits_until + 1);
    world.pass(at, 0);
    world.event(at, record);
    world.leave(at);
}

fn record(comm: u32, kind: Kind, root: u32, sent: u64, received: u64) -> MpiCollectiveEnd {
    MpiCollectiveEnd {
        collective_op: kind.1,
        communicator: CommRef(comm),
        root,
        size_sent: sent,
        size_received: received,
    }
}

fn any_member(world: &mut World, comm: u32) -> usize {
    let size = world.comms[comm as usize].len() as u64;
    world.numbers.below(size) as usize
}

/// An operation in which all wait for all.
pub fn all_to_all(world: &mut World, comm: u32) {
    let kind = world.numbers.of(&ALL_TO_ALL);
    let bytes = if kind.1 == CollectiveOp::BARRIER { 0 } else { 16 };
    let begins = begin(world, comm, kind);
    let latest = begins.iter().map(|begin| begin.1).max().unwrap_or(0);
    for begin in begins {
        let record = record(comm, kind, ROOT_NONE, bytes, bytes);
        end(world, begin, latest, (kind, record));
    }
}

/// An operation in which all wait for the root.
pub fn from_root(world: &mut World, comm: u32, root: usize) {
    let kind = world.numbers.of(&FROM_ROOT);
    let begins = begin(world, comm, kind);
    let sent = begins[root].1;
    for (index, begin) in begins.into_iter().enumerate() {
        let bytes = if index == root { 64 } else { 0 };
        let until = if index == root { 0 } else { sent };
        end(world, begin, until, (kind, record(comm, kind, root as u32, bytes, 8)));
    }
}

/// An operation in which the root waits for all.
pub fn to_root(world: &mut World, comm: u32, root: usize) {
    let kind = world.numbers.of(&TO_ROOT);
    let begins = begin(world, comm, kind);
    let latest = begins.iter().map(|begin| begin.1).max().unwrap_or(0);
    for (index, begin) in begins.into_iter().enumerate() {
        let (bytes, until) = if index == root { (64, latest) } else { (0, 0) };
        end(world, begin, until, (kind, record(comm, kind, root as u32, 8, bytes)));
    }
}

/// An operation in which each rank waits for those below it.
pub fn scan(world: &mut World, comm: u32) {
    let kind = world.numbers.of(&SCANS);
    let mut latest = 0;
    for begin in begin(world, comm, kind) {
        latest = latest.max(begin.1);
        end(world, begin, latest, (kind, record(comm, kind, ROOT_NONE, 8, 8)));
    }
}

/// MPI_Init_thread: no rank leaves before all have entered.
pub fn init(world: &mut World) {
    management(world, "MPI_Init_thread", None);
}

/// MPI_Finalize.
pub fn finalize(world: &mut World) {
    management(world, "MPI_Finalize", Some("mpi_finalize_wait"));
}

fn management(world: &mut World, name: &str, property: Option<&'static str>) {
    let masters: Vec<usize> = (0..world.shape.ranks).map(|rank| world.at(rank, 0)).collect();
    for &at in &masters {
        world.work(at);
        world.enter_mpi(at, name, RegionRole::FUNCTION);
    }
    let latest = masters.iter().map(|&at| world.logs[at].now).max().unwrap_or(0);
    for at in masters {
        if let Some(property) = property {
            world.waited(property, at, latest - world.logs[at].now);
        }
        world.until(at, latest);
        world.pass(at, 1);
        world.leave(at);
    }
}

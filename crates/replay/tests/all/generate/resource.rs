//! What the members of a communicator do together on a window or a file of theirs: fences, and
//! collective operations on files. All wait for the last one. Each communicator has a window and
//! a file, with its number.

use pompeii_otf2::enums::{
    CollectiveOp, IoOperationFlag, IoOperationMode, RegionRole, RmaSyncLevel,
};
use pompeii_otf2::event::*;
use pompeii_otf2::reference::{IoHandleRef, RmaWinRef};

use super::world::World;

/// MPI_Win_fence.
pub fn fence(world: &mut World, comm: u32) {
    let end = RmaCollectiveEnd {
        collective_op: CollectiveOp::BARRIER,
        sync_level: RmaSyncLevel::PROCESS,
        win: RmaWinRef(comm),
        root: ROOT_NONE,
        bytes_sent: 0,
        bytes_received: 0,
    };
    let names = ("MPI_Win_fence", RegionRole::RMA, "mpi_rma_wait_at_fence");
    together(world, comm, names, (RmaCollectiveBegin {}.into(), end.into()));
}

/// MPI_File_write_all, in which no process ends before the last one has begun.
pub fn access(world: &mut World, comm: u32) {
    let (handle, matching_id) = (IoHandleRef(comm), 1);
    let begin = IoOperationBegin {
        handle,
        mode: IoOperationMode::WRITE,
        operation_flags: IoOperationFlag::COLLECTIVE,
        bytes_request: 8,
        matching_id,
    };
    let end = IoOperationComplete { handle, bytes_result: 8, matching_id };
    let names = ("MPI_File_write_all", RegionRole::FILE_IO, "mpi_io_collective_wait");
    together(world, comm, names, (begin.into(), end.into()));
}

fn together(
    world: &mut World,
    comm: u32,
    (name, role, property): (&str, RegionRole, &'static str),
    (begin, end): (Event, Event),
) {
    let mut begins = Vec::new();
    for rank in world.comms[comm as usize].clone() {
        let at = world.at(rank, 0);
        world.work(at);
        world.enter_mpi(at, name, role);
        world.event(at, begin.clone());
        begins.push((at, world.logs[at].now));
    }
    let latest = begins.iter().map(|begin| begin.1).max().unwrap_or(0);
    for (at, begun) in begins {
        world.waited(property, at, latest - begun);
        world.until(at, latest + 1);
        world.pass(at, 0);
        world.event(at, end.clone());
        world.leave(at);
    }
}

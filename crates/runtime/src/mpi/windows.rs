//! One-sided communication: windows, operations on them, and what makes these complete.
//!
//! A window is called as communicators are ([`comms`]): by its communicator, and by how many
//! others of that are alive. Operations complete when the program synchronises, and there may be
//! any number of them before. So those to one process have one number in records, from the first
//! of them to the synchronisation: what is under way takes constant memory, and two records
//! complete all of it.

use std::collections::HashMap;
use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pompeii_live::{Definition, FixedTable, MpiDefinition, encode};

use super::table::Table;
use super::{When, begin, comms, messages, record, text};
use crate::alive::Alive;
use crate::entry::on_thread;
use crate::location::Location;
use crate::transfers::Moved;

/// Of OTF2: collective operations, and what synchronises.
mod of_otf2 {
    pub const BARRIER: u8 = 0;
    pub const CREATE_HANDLE: u8 = 17;
    pub const DESTROY_HANDLE: u8 = 18;
    /// What is added where memory comes and goes with the window.
    pub const WITH_MEMORY: u8 = 4;
    pub const SYNC_PROCESS: u32 = 1;
    pub const SYNC_ALL: u32 = 3;
    pub const SYNC_TYPE_MEMORY: u8 = 0;
    pub const NO_ROOT: u32 = u32::MAX;
    pub const ALL_RANKS: u32 = u32::MAX;
}

/// What is known of a window, by its handle.
#[derive(Clone, Copy)]
struct Window {
    id: u32,
    rank: u32,
    with_memory: bool,
    /// Groups of the epochs that are open, as ids.
    access: u32,
    exposure: u32,
}

impl Window {
    fn words(self) -> [u64; 3] {
        let pair = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let Self { id, rank, with_memory, access, exposure } = self;
        [pair(id, rank), u64::from(with_memory), pair(access, exposure)]
    }

    fn of([first, with_memory, groups]: [u64; 3]) -> Self {
        Self {
            id: first as u32,
            rank: (first >> 32) as u32,
            with_memory: with_memory != 0,
            access: groups as u32,
            exposure: (groups >> 32) as u32,
        }
    }
}

static WINDOWS: Table<3, { FixedTable::Windows.places() }> = Table::new();

fn find(handle: u64) -> Option<Window> {
    WINDOWS.get(handle).map(Window::of)
}

/// The id of a window in records.
pub(super) fn window_id(handle: u64) -> Option<u32> {
    find(handle).map(|window| window.id)
}

#[derive(Default)]
struct Known {
    windows: Alive<u32>,
    groups: HashMap<Vec<u32>, u32>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// Takes the lock; what it guards was whole before anything panicked.
fn known() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A collective operation on a window begins.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_rma_collective_begin() {
    on_thread!(|thread| begin(thread, Moved::default(), encode::rma_collective_begin));
}

fn collective_end(thread: &mut Location, operation: u8, sync_level: u32, window: u32) {
    record(thread, When::Now, |room, last, now| {
        let root = of_otf2::NO_ROOT;
        encode::rma_collective_end(room, last, now, operation, sync_level, window, root, 0, 0)
    });
}

/// A window comes into being.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_win_create(handle: u64, comm: u64, rank: u32, with_memory: c_int) {
    let Some(comm) = comms::id(comm) else { return };
    let with_memory = with_memory != 0;
    on_thread!(|thread| {
        let id = define(thread, comm);
        let window = Window { id, rank, with_memory, access: u32::MAX, exposure: u32::MAX };
        if !WINDOWS.set(handle, window.words()) {
            thread.process.has_no_place(FixedTable::Windows);
        }
        record(thread, When::Now, |room, last, now| encode::rma_win_create(room, last, now, id));
        let memory = if with_memory { of_otf2::WITH_MEMORY } else { 0 };
        collective_end(thread, of_otf2::CREATE_HANDLE + memory, of_otf2::SYNC_PROCESS, id);
    });
}

/// The id of a window that is alive from now on.
fn define(thread: &Location, comm: u32) -> u32 {
    let mut known = known();
    let (id, number, is_new) = known.get_or_insert_default().windows.revive(comm);
    if is_new {
        thread.process.define(&Definition::Mpi(MpiDefinition::Window { id, comm, number }));
    }
    id
}

/// Before a window is freed: what [`pomp_mpi_win_freed`] needs.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_win_release(handle: u64) -> u64 {
    pomp_mpi_rma_collective_begin();
    match find(handle) {
        Some(Window { id, with_memory, .. }) => u64::from(id) | u64::from(with_memory) << 32,
        None => u64::MAX,
    }
}

/// It is freed. Another thread may have got its handle for a window of its own by now.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_win_freed(handle: u64, released: u64) {
    if released == u64::MAX {
        return;
    }
    let (id, with_memory) = (released as u32, released >> 32 != 0);
    WINDOWS.remove_if(handle, |words| words.at(0) as u32 == id);
    on_thread!(|thread| {
        complete(thread, id, None, Sync::Both);
        record(thread, When::Now, |room, last, now| encode::rma_win_destroy(room, last, now, id));
        let memory = if with_memory { of_otf2::WITH_MEMORY } else { 0 };
        collective_end(thread, of_otf2::DESTROY_HANDLE + memory, of_otf2::SYNC_PROCESS, id);
        if let Some(known) = known().as_mut() {
            known.windows.bury(id);
        }
    });
}

/// A window gets a name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_win_name(handle: u64, name: *const c_char) {
    let Some(window) = window_id(handle) else { return };
    // SAFETY: the contract of `pomp_mpi.h`.
    let name = unsafe { text(name) };
    on_thread!(|thread| {
        thread.process.define(&Definition::Mpi(MpiDefinition::WindowName { window, name }));
    });
}

/// All processes of a window have met, and their operations are complete.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_win_fence(handle: u64) {
    let Some(Window { id, .. }) = find(handle) else { return };
    on_thread!(|thread| {
        complete(thread, id, None, Sync::Both);
        collective_end(thread, of_otf2::BARRIER, of_otf2::SYNC_ALL, id);
    });
}

/// Ids of groups by what tells them from others.
static GROUPS: Table<1, { FixedTable::Groups.places() }> = Table::new();

/// Whether the processes of a group have been said.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_win_group_is_known(hash: u64) -> c_int {
    GROUPS.get(hash).is_some().into()
}

/// The processes of a group.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_win_group(hash: u64, size: u32, members: *const c_int) {
    let members = match members.is_null() {
        true => &[],
        // SAFETY: the contract of `pomp_mpi.h`: so many ranks.
        false => unsafe { std::slice::from_raw_parts(members, size as usize) },
    };
    on_thread!(|thread| {
        let members = comms::ranks_of(members);
        let mut known = known();
        let groups = &mut known.get_or_insert_default().groups;
        let next = groups.len() as u32;
        let id = *groups.entry(members.clone()).or_insert(next);
        if id == next {
            thread.process.define(&Definition::Mpi(MpiDefinition::Group { id, members }));
        }
        // Epochs of groups for which there is no room are passed over.
        if !GROUPS.set(hash, [u64::from(id)]) {
            thread.process.has_no_place(FixedTable::Groups);
        }
    });
}

/// An epoch begins: of access to the processes of a group, or of exposure to them.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_win_epoch(handle: u64, is_exposure: c_int, group: u64) {
    let (Some(mut window), Some([group])) = (find(handle), GROUPS.get(group)) else { return };
    let group = group as u32;
    on_thread!(|thread| {
        match is_exposure {
            0 => window.access = group,
            _ => window.exposure = group,
        }
        WINDOWS.set(handle, window.words());
        group_sync(thread, of_otf2::SYNC_PROCESS, window.id, group);
    });
}

fn group_sync(thread: &mut Location, sync_level: u32, window: u32, group: u32) {
    record(thread, When::Now, |room, last, now| {
        encode::rma_group_sync(room, last, now, sync_level, window, group)
    });
}

/// An epoch ends.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_win_epoch_end(handle: u64, is_exposure: c_int) {
    let Some(window) = find(handle) else { return };
    on_thread!(|thread| {
        let group = match is_exposure {
            0 => {
                complete(thread, window.id, None, Sync::Here);
                window.access
            }
            _ => window.exposure,
        };
        if group != u32::MAX {
            group_sync(thread, of_otf2::SYNC_ALL, window.id, group);
        }
    });
}

/// The rank in records of one that is locked; negative stands for all.
fn locked(rank: c_int) -> u32 {
    u32::try_from(rank).unwrap_or(of_otf2::ALL_RANKS)
}

/// Before a lock is asked for.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_win_request_lock(handle: u64, rank: c_int, is_shared: c_int) {
    let Some(Window { id, .. }) = find(handle) else { return };
    let (rank, lock_type) = (locked(rank), u8::from(is_shared != 0));
    on_thread!(|thread| begin(thread, Moved::default(), |room, last, now| {
        encode::rma_request_lock(room, last, now, id, rank, 0, lock_type)
    }));
}

/// It has been got.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_win_locked(handle: u64, rank: c_int, is_shared: c_int) {
    let Some(Window { id, .. }) = find(handle) else { return };
    let (rank, lock_type) = (locked(rank), u8::from(is_shared != 0));
    on_thread!(|thread| record(thread, When::Now, |room, last, now| {
        encode::rma_acquire_lock(room, last, now, id, rank, 0, lock_type)
    }));
}

/// It has been given back.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_win_unlocked(handle: u64, rank: c_int) {
    let Some(Window { id, .. }) = find(handle) else { return };
    on_thread!(|thread| {
        complete(thread, id, u32::try_from(rank).ok(), Sync::Both);
        let rank = locked(rank);
        record(thread, When::Now, |room, last, now| {
            encode::rma_release_lock(room, last, now, id, rank, 0)
        });
    });
}

/// Operations are complete: those to this process, or all where it is negative.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_win_flushed(handle: u64, rank: c_int, is_local: c_int) {
    let Some(Window { id, .. }) = find(handle) else { return };
    let sync = if is_local != 0 { Sync::HereFirst } else { Sync::Both };
    on_thread!(|thread| complete(thread, id, u32::try_from(rank).ok(), sync));
}

/// The copies of the own memory are the same.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_win_sync(handle: u64) {
    let Some(Window { id, rank, .. }) = find(handle) else { return };
    on_thread!(|thread| record(thread, When::Now, |room, last, now| {
        encode::rma_sync(room, last, now, id, rank, of_otf2::SYNC_TYPE_MEMORY)
    }));
}

/// Numbers of operations under way, by window and process.
static UNDER_WAY: Table<1, { FixedTable::Targets.places() }> = Table::new();
/// How many there are.
static UNDER_WAY_COUNT: AtomicUsize = AtomicUsize::new(0);

fn way(window: u32, target: u32) -> u64 {
    u64::from(window + 1) << 32 | u64::from(target)
}

/// The number of operations to this process until the next synchronisation, and the way, where this
/// is the first one.
fn number(thread: &Location, window: u32, target: u32) -> (u64, u64) {
    let way = way(window, target);
    if let Some([number]) = UNDER_WAY.get(way) {
        return (number, 0);
    }
    let number = messages::new_request();
    match UNDER_WAY.set(way, [number]) {
        true => drop(UNDER_WAY_COUNT.fetch_add(1, Ordering::Relaxed)),
        false => thread.process.has_no_place(FixedTable::Targets),
    }
    (number, way)
}

/// The first operation of a way has failed, so none is under way.
pub(super) fn forget_way(way: u64) {
    if UNDER_WAY.take(way).is_some() {
        UNDER_WAY_COUNT.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Where operations are complete.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sync {
    /// Here; when they are there, the other process says.
    Here,
    /// Here, and a later call says that they are there.
    HereFirst,
    /// Here and there.
    Both,
}

/// Operations are complete, those to this process or all.
fn complete(thread: &mut Location, window: u32, target: Option<u32>, sync: Sync) {
    if UNDER_WAY_COUNT.load(Ordering::Relaxed) == 0 {
        return;
    }
    match target {
        Some(target) => complete_way(thread, window, way(window, target), sync),
        None => {
            let of_window = |way: &u64| way >> 32 == u64::from(window) + 1;
            UNDER_WAY
                .handles()
                .filter(of_window)
                .for_each(|way| complete_way(thread, window, way, sync));
        }
    }
}

fn complete_way(thread: &mut Location, window: u32, way: u64, sync: Sync) {
    let found = match sync {
        Sync::HereFirst => UNDER_WAY.get(way),
        Sync::Here | Sync::Both => UNDER_WAY.take(way),
    };
    let Some([number]) = found else { return };
    record(thread, When::Now, |room, last, now| {
        encode::rma_op_complete_non_blocking(room, last, now, window, number)
    });
    if sync == Sync::Both {
        record(thread, When::Now, |room, last, now| {
            encode::rma_op_complete_remote(room, last, now, window, number)
        });
    }
    if sync != Sync::HereFirst {
        UNDER_WAY_COUNT.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Before an operation on another process's memory; `operation` is one of
/// `enum pomp_mpi_rma_operation`.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_rma(
    handle: u64,
    target: c_int,
    operation: c_int,
    sent: u64,
    received: u64,
) {
    on_thread!(|thread| {
        let window = if thread.tracing { window_id(handle) } else { None };
        let known = window.filter(|_| !thread.is_passing()).map(|window| {
            let (number, way) = number(thread, window, target as u32);
            (window, number, way)
        });
        let place = known.map(|(window, number, _)| (window, target as u32, number));
        operate(thread, place, operation, Moved::bytes(sent, received));
        thread.mpi_begun.way = known.map_or(0, |(.., way)| way);
    });
}

/// The same of one that has a request: its id.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_rma_request(
    handle: u64,
    target: c_int,
    operation: c_int,
    sent: u64,
    received: u64,
) -> u64 {
    let number = messages::new_request();
    on_thread!(|thread| {
        let place = window_id(handle).map(|window| (window, target as u32, number));
        operate(thread, place, operation, Moved::bytes(sent, received));
    });
    number
}

/// The record of an operation that begins, where its window is known.
fn operate(thread: &mut Location, place: Option<(u32, u32, u64)>, operation: c_int, moved: Moved) {
    let (sent, received) = (moved.bytes_sent, moved.bytes_received);
    begin(thread, moved, |room, last, now| match (place, operation) {
        (None, _) => 0,
        (Some((window, target, number)), -2) => {
            encode::rma_put(room, last, now, window, target, sent, number)
        }
        (Some((window, target, number)), -1) => {
            encode::rma_get(room, last, now, window, target, received, number)
        }
        (Some((window, target, number)), kind) => {
            encode::rma_atomic(room, last, now, window, target, kind as u8, sent, received, number)
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_back() {
        let window = Window { id: 7, rank: 1 << 20, with_memory: true, access: 3, exposure: 9 };
        let Window { id, rank, with_memory, access, exposure } = Window::of(window.words());
        assert_eq!((id, rank, with_memory, access, exposure), (7, 1 << 20, true, 3, 9));
    }
}

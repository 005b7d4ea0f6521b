//! Communicators: what they are called by in records, and who is in them.
//!
//! A communicator of several processes is the same where its root and number are. The number is a
//! hash of its members, of the communicator that it was made from, and of how many of the same are
//! alive: all members know that alike, since they make and free communicators in the same order,
//! without a message of ours. One that is made again after it was freed is the old one, so a
//! program that makes a million needs no more definitions than it has of them at a time.

use std::collections::HashMap;
use std::ffi::{c_char, c_int};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pompeii_live::{Definition, FOREIGN_RANK, FixedTable, MpiDefinition, encode};

use super::table::Table;
use super::{When, record, text};
use crate::entry::on_thread;
use crate::location::Location;

/// `struct pomp_mpi_comm`.
#[repr(C)]
pub struct Created {
    handle: u64,
    parent: u64,
    name: *const c_char,
    tag: i32,
    rank: u32,
    size: u32,
    remote: u32,
    members: *const c_int,
    remote_members: *const c_int,
}

/// Ids by handles.
static IDS: Table<1, { FixedTable::Communicators.places() }> = Table::new();

#[derive(Default)]
struct Known {
    /// Ids of communicators by root and number.
    ids: HashMap<(u32, u64), u32>,
    /// What is alive: by what makes communicators the same, which of them.
    alive: HashMap<u64, Vec<bool>>,
    /// By id, where it is in `alive`, and its number.
    places: HashMap<u32, (u64, usize, u64)>,
}

static KNOWN: Mutex<Option<Known>> = Mutex::new(None);

/// Takes the lock; what it guards was whole before anything panicked.
fn known() -> MutexGuard<'static, Option<Known>> {
    KNOWN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The id of a communicator in records.
pub(super) fn id(handle: u64) -> Option<u32> {
    IDS.get(handle).map(|[id]| id as u32)
}

/// Which communicator it is among all of the job.
struct Identity {
    root: u32,
    /// All but how many of the same are alive.
    kind: u64,
}

impl Identity {
    fn new(members: &[u32], remote: &[u32], tag: i32, parent: u64) -> Self {
        let first = |group: &[u32]| group.first().copied().unwrap_or(FOREIGN_RANK);
        let mut groups = [members, remote];
        if !remote.is_empty() {
            // The two sides know each other as the other one.
            groups.sort_by_key(|group| first(group));
        }
        let mut hasher = DefaultHasher::new();
        (groups, tag).hash(&mut hasher);
        if remote.is_empty() {
            parent.hash(&mut hasher);
        }
        Self { root: first(groups[0]), kind: hasher.finish() }
    }

    /// The number of this one of several that are alive.
    fn number(&self, instance: usize) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.kind, instance).hash(&mut hasher);
        hasher.finish()
    }
}

impl Known {
    /// The first of the same kind that is not alive now is.
    fn revive(&mut self, kind: u64) -> usize {
        let alive = self.alive.entry(kind).or_default();
        let instance = alive.iter().position(|alive| !alive).unwrap_or(alive.len());
        alive.resize(alive.len().max(instance + 1), false);
        alive[instance] = true;
        instance
    }

    fn bury(&mut self, id: u32) {
        let Some(&(kind, instance, _)) = self.places.get(&id) else { return };
        if let Some(alive) = self.alive.get_mut(&kind).and_then(|alive| alive.get_mut(instance)) {
            *alive = false;
        }
    }
}

/// World ranks as the wrappers have them.
///
/// # Safety
/// Null, or so many.
pub(super) unsafe fn ranks(of: *const c_int, count: u32) -> Vec<u32> {
    if of.is_null() {
        return Vec::new();
    }
    // SAFETY: the caller's promise.
    ranks_of(unsafe { std::slice::from_raw_parts(of, count as usize) })
}

/// The same of a list that is known to be one.
pub(super) fn ranks_of(ranks: &[c_int]) -> Vec<u32> {
    ranks.iter().map(|&rank| u32::try_from(rank).unwrap_or(FOREIGN_RANK)).collect()
}

/// A communicator comes into being.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_comm_create(of: *const Created) -> u32 {
    let mut made = u32::MAX;
    // SAFETY: the contract of `pomp_mpi.h`.
    let of = unsafe { &*of };
    on_thread!(|thread| {
        // SAFETY: the contract of `pomp_mpi.h`: its lists are as long as it says.
        made = unsafe { create(thread, of) };
        bind(thread, made, of.handle);
    });
    made
}

/// # Safety
/// The contract of `pomp_mpi.h`.
unsafe fn create(thread: &mut Location, of: &Created) -> u32 {
    // SAFETY: the caller's promise.
    let (members, remote) =
        unsafe { (ranks(of.members, of.size), ranks(of.remote_members, of.remote)) };
    // SAFETY: the caller's promise.
    let name = unsafe { text(of.name) };
    let parent = id(of.parent);
    let mut known = known();
    let known = known.get_or_insert_with(Known::default);
    let parent_number = parent.and_then(|id| known.places.get(&id)).map_or(0, |place| place.2);
    let identity = Identity::new(&members, &remote, of.tag, parent_number);
    let instance = known.revive(identity.kind);
    let (root, number) = (identity.root, identity.number(instance));
    if let Some(&id) = known.ids.get(&(root, number)) {
        return id;
    }
    let id = thread.process.new_communicator();
    known.ids.insert((root, number), id);
    known.places.insert(id, (identity.kind, instance, number));
    let said = |list: Vec<u32>| if of.rank == 0 { list } else { Vec::new() };
    thread.process.define(&Definition::Mpi(MpiDefinition::Comm {
        id,
        root,
        number,
        parent: parent.unwrap_or(u32::MAX),
        size: of.size,
        rank: of.rank,
        name,
        members: said(members),
        remote: said(remote),
    }));
    id
}

fn bind(thread: &mut Location, id: u32, handle: u64) {
    if handle == 0 {
        return;
    }
    if !IDS.set(handle, [u64::from(id)]) {
        thread.process.has_no_place(FixedTable::Communicators);
    }
    record(thread, When::Now, |room, last, now| encode::comm_create(room, last, now, id));
}

/// The handle of one that had none.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_comm_bind(id: u32, handle: u64) {
    on_thread!(|thread| bind(thread, id, handle));
}

/// A communicator is freed. Its id; the greatest number where it has none.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_comm_free(handle: u64) -> u32 {
    let Some([id]) = IDS.take(handle) else { return u32::MAX };
    let id = id as u32;
    on_thread!(|thread| {
        record(thread, When::Entered, |room, last, now| encode::comm_destroy(room, last, now, id));
        if let Some(known) = known().as_mut() {
            known.bury(id);
        }
    });
    id
}

/// OTF2's collective operation that frees something.
const DESTROY_HANDLE: u8 = 18;

/// The communicator with this id was freed by all of its processes.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_comm_freed(id: u32) {
    on_thread!(|thread| {
        record(thread, When::Now, |room, last, now| {
            encode::mpi_collective_end(room, last, now, DESTROY_HANDLE, id, u32::MAX, 0, 0)
        });
    });
}

/// A communicator gets a name.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_comm_name(handle: u64, name: *const c_char) {
    let Some(comm) = id(handle) else { return };
    // SAFETY: the contract of `pomp_mpi.h`.
    let name = unsafe { text(name) };
    on_thread!(|thread| {
        thread.process.define(&Definition::Mpi(MpiDefinition::CommName { comm, name }));
    });
}

/// A communicator has a Cartesian topology.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_cart(
    handle: u64,
    dimensions: c_int,
    sizes: *const c_int,
    periodic: *const c_int,
    coordinates: *const c_int,
) {
    let (Some(comm), Ok(count)) = (id(handle), u32::try_from(dimensions)) else { return };
    // SAFETY: the contract of `pomp_mpi.h`: three lists of that length.
    let [sizes, periodic, coordinates] =
        [sizes, periodic, coordinates].map(|list| unsafe { ranks(list, count) });
    let dimensions =
        sizes.into_iter().zip(periodic).map(|(size, periodic)| (size, periodic != 0)).collect();
    let cart = MpiDefinition::Cart { comm, dimensions, coordinates };
    on_thread!(|thread| thread.process.define(&Definition::Mpi(cart)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_call_a_communicator_alike() {
        let of = |members: &[u32], remote: &[u32], tag, parent| {
            let identity = Identity::new(members, remote, tag, parent);
            (identity.root, identity.number(0))
        };
        // The two sides of an intercommunicator, made from communicators of their own.
        assert_eq!(of(&[2, 3], &[0, 1], 7, 11), of(&[0, 1], &[2, 3], 7, 12));
        assert_eq!(of(&[3, 2], &[], 0, 5).0, 3);
        let others = [
            of(&[0, 1], &[], 0, 5),
            of(&[1, 0], &[], 0, 5),
            of(&[0, 1], &[], 0, 6),
            of(&[0, 1], &[], 1, 5),
            of(&[0], &[1], 0, 5),
        ];
        for (place, one) in others.iter().enumerate() {
            assert!(!others[..place].contains(one), "{place}");
        }
    }

    #[test]
    fn one_that_was_freed_comes_again_and_two_alive_are_two() {
        let mut known = Known::default();
        assert_eq!([known.revive(9), known.revive(9), known.revive(8)], [0, 1, 0]);
        known.places.insert(4, (9, 0, 0));
        known.bury(4);
        assert_eq!([known.revive(9), known.revive(9)], [0, 2]);
    }
}

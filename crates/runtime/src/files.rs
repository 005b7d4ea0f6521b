//! The files that a process has open, as the definitions log has them: by their names, and by the
//! handles that records of reading and writing name. Adapters for MPI and for the C library share
//! the ids.

use std::collections::HashMap;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};

use pompeii_live::{Definition, FileInterface, MpiDefinition};

use crate::addresses::zeroed;
use crate::alive::Alive;

/// Descriptors from this one on have no handles, so that records leave their operations out.
pub const DESCRIPTORS: usize = 1 << 16;

/// What makes two handles of a file two, if one of them is open after the other.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub enum Opened {
    /// The processes of this communicator have opened it together.
    Together(u32),
    /// The process has opened it by these functions. If it was open before, then with this access
    /// mode and these status flags.
    Alone(FileInterface, Option<(u8, u32)>),
}

/// What is defined of files.
#[derive(Default)]
pub struct Files {
    paths: HashMap<String, u32>,
    handles: Alive<(u32, Opened)>,
}

/// The handle of each file descriptor plus 1; 0 where it has none.
pub struct Descriptors(Box<[AtomicU32]>);

impl Descriptors {
    /// No handles yet; without a trace there is no room for any.
    pub fn new(is_traced: bool) -> Self {
        Self(zeroed(if is_traced { DESCRIPTORS } else { 0 }).unwrap_or_default())
    }

    fn place(&self, descriptor: i32) -> Option<&AtomicU32> {
        self.0.get(usize::try_from(descriptor).ok()?)
    }

    /// Whether a descriptor can have a handle.
    pub fn has_room(&self, descriptor: i32) -> bool {
        self.place(descriptor).is_some()
    }

    /// The handle of a descriptor.
    #[inline]
    pub fn get(&self, descriptor: i32) -> Option<u32> {
        self.place(descriptor)?.load(Acquire).checked_sub(1)
    }

    /// The descriptor has this handle from now on.
    pub fn set(&self, descriptor: i32, handle: u32) {
        if let Some(place) = self.place(descriptor) {
            place.store(handle + 1, Release);
        }
    }

    /// The descriptor has no handle any more: returns the one that it had.
    pub fn take(&self, descriptor: i32) -> Option<u32> {
        self.place(descriptor)?.swap(0, AcqRel).checked_sub(1)
    }
}

impl Files {
    /// The id of a file, which is defined at its first use.
    pub fn file(&mut self, path: &str, define: impl Fn(&Definition)) -> u32 {
        if let Some(&id) = self.paths.get(path) {
            return id;
        }
        let (id, path) = (self.paths.len() as u32, path.to_owned());
        self.paths.insert(path.clone(), id);
        define(&Definition::Mpi(MpiDefinition::IoFile { id, path }));
        id
    }

    /// The id of the handle of a file that is open from now on.
    pub fn open(&mut self, path: &str, opened: Opened, define: impl Fn(&Definition)) -> u32 {
        let file = self.file(path, &define);
        let (id, number, is_new) = self.handles.revive((file, opened));
        if is_new {
            define(&Definition::Mpi(match opened {
                Opened::Together(comm) => MpiDefinition::IoHandle { id, file, comm, number },
                Opened::Alone(interface, inherited) => {
                    MpiDefinition::OpenFile { id, file, interface, number, inherited }
                }
            }));
        }
        id
    }

    /// The file of this handle is closed.
    pub fn close(&mut self, handle: u32) {
        self.handles.bury(handle);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn handles_are_defined_once_and_come_again() {
        let defined = RefCell::new(Vec::new());
        let define = |definition: &Definition| defined.borrow_mut().push(definition.clone());
        let mut files = Files::default();
        let alone = |interface| Opened::Alone(interface, None);
        let posix = alone(FileInterface::Posix);
        assert_eq!(files.open("a", posix, define), 0);
        assert_eq!(files.open("a", posix, define), 1);
        assert_eq!(files.open("a", alone(FileInterface::IsoC), define), 2);
        assert_eq!(files.open("b", Opened::Together(7), define), 3);
        files.close(0);
        assert_eq!(files.open("a", posix, define), 0);
        assert_eq!((files.file("b", define), files.file("c", define)), (1, 2));
        assert_eq!(defined.borrow().len(), 3 + 4);
    }

    #[test]
    fn descriptors_have_handles_where_there_is_room() {
        let descriptors = Descriptors::new(true);
        let last = DESCRIPTORS as i32 - 1;
        for descriptor in [0, last] {
            assert_eq!(descriptors.get(descriptor), None);
            descriptors.set(descriptor, 0);
            assert_eq!(descriptors.get(descriptor), Some(0));
            assert_eq!(descriptors.take(descriptor), Some(0));
            assert_eq!(descriptors.take(descriptor), None);
        }
        for beyond in [last + 1, -1, i32::MIN] {
            descriptors.set(beyond, 0);
            assert!(!descriptors.has_room(beyond) && descriptors.get(beyond).is_none());
        }
        assert!(!Descriptors::new(false).has_room(0));
    }
}

//! The loaded files as the unwinder needs them: where their code is, and their unwind tables.
//!
//! A handler must not ask the loader, which may be in the middle of a change. So the list is made
//! outside of handlers, and published by one pointer. An old list is freed as soon as no handler
//! can be using it any more. The tables are copies: those of a library go away when it is unloaded.

use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::SeqCst;

use framehop::x86_64::UnwinderX86_64;
use framehop::{ExplicitModuleSectionInfo, Module, MustNotAllocateDuringUnwind, Unwinder as _};
use pompeii_live::SamplePlace;

use super::threads;
use crate::objects::{self, LoadedFile};

/// An unwinder that a handler may use.
pub type Unwinder = UnwinderX86_64<Arc<[u8]>, MustNotAllocateDuringUnwind>;

/// The code of a loaded file.
#[derive(Clone, Copy, Debug)]
pub struct Code {
    start: usize,
    end: usize,
    /// What loading adds to the addresses of the file.
    pub base: usize,
    /// Its number among the objects of live state.
    pub object: u32,
    /// It is an OpenMP runtime: who is in there waits, or works for the runtime.
    pub is_runtime: bool,
    /// It has functions for files or of threads, whose calls are measured: their time is not that
    /// of the caller.
    pub is_observed: bool,
}

/// The loaded files at one time.
pub struct Modules {
    /// Unwinds code of all of them.
    pub unwinder: Unwinder,
    /// Sorted by addresses.
    code: Vec<Code>,
}

static CURRENT: AtomicPtr<Modules> = AtomicPtr::new(null_mut());

/// The latest list.
///
/// # Safety
/// For a handler whose thread says that it is [sampling](threads::Thread::sampling), as long as it
/// says so.
pub unsafe fn current<'a>() -> Option<&'a Modules> {
    // SAFETY: a list that was published is freed only after no thread has said so, at a time when
    // there was a newer one.
    unsafe { CURRENT.load(SeqCst).as_ref() }
}

impl Modules {
    /// The file that has this address.
    pub fn find(&self, address: u64) -> Option<&Code> {
        let address = address as usize;
        let after = self.code.partition_point(|code| code.start <= address);
        self.code[..after].last().filter(|code| address < code.end)
    }
}

/// The unwind tables of a file, as copies, with their addresses in the file.
struct Tables {
    index: (u64, Arc<[u8]>),
    frames: (u64, Arc<[u8]>),
}

/// A file that is loaded.
struct Known {
    path: String,
    build_id: String,
    code: Code,
    tables: Option<Tables>,
}

/// What the next list is made of.
#[derive(Default)]
pub struct List {
    known: Vec<Known>,
    changes: Option<u64>,
    /// Lists that handlers may still be using.
    #[expect(clippy::vec_box, reason = "a handler may still hold the address of the list")]
    old: Vec<Box<Modules>>,
}

/// Gives a file its number among the objects, by path and build id.
pub type Number<'a> = &'a dyn Fn(&str, &str) -> u32;

impl List {
    /// Publishes a new list if files have come or gone since the last one.
    pub fn renew(&mut self, number: Number) {
        if !self.old.is_empty() && threads::none_is_sampling() {
            self.old.clear();
        }
        let mut changes = None;
        objects::each(&mut |file| {
            changes = Some(file.changes);
            false
        });
        if changes.is_some() && changes == self.changes {
            return;
        }
        self.changes = changes;
        let mut before = std::mem::take(&mut self.known);
        objects::each(&mut |file| {
            self.known.extend(known(file, &mut before));
            true
        });
        for Known { path, build_id, code, .. } in &mut self.known {
            if code.object == SamplePlace::OBJECTS {
                // Not while the loader holds its lock, because this takes one of ours.
                code.object = number(path, build_id);
            }
        }
        self.old.extend(publish(&self.known));
    }
}

/// What is known of a file: what was known of it before, or what it says; `None` for one without
/// code.
fn known(file: &LoadedFile, before: &mut Vec<Known>) -> Option<Known> {
    let (path, build_id, (start, end)) = (file.path(), file.build_id(), extent(file)?);
    let same = |known: &Known| {
        let code = known.code;
        (code.start, code.end, code.base) == (start, end, file.base)
            && known.path == path
            && known.build_id == build_id
    };
    if let Some(place) = before.iter().position(same) {
        return Some(before.swap_remove(place));
    }
    let (object, is_runtime) = (SamplePlace::OBJECTS, is_runtime(&path));
    let observed = ["/libpompeii-io.so", "/libpompeii-threads.so"];
    let is_observed = observed.iter().any(|library| path.ends_with(library));
    let code = Code { start, end, base: file.base, object, is_runtime, is_observed };
    Some(Known { path, build_id, code, tables: tables(file) })
}

/// Makes these files the latest list, and returns the one before.
fn publish(files: &[Known]) -> Option<Box<Modules>> {
    let mut modules = Modules { unwinder: Unwinder::new(), code: Vec::new() };
    // What has no number cannot be named, but the stack goes on through it.
    for Known { path, code, tables, .. } in files {
        modules.code.push(*code);
        if let Some(tables) = tables {
            modules.unwinder.add_module(module(path, code, tables));
        }
    }
    modules.code.sort_by_key(|code| code.start);
    let before = CURRENT.swap(Box::into_raw(Box::new(modules)), SeqCst);
    // SAFETY: what is published was a box, and is taken from there only once.
    (!before.is_null()).then(|| unsafe { Box::from_raw(before) })
}

fn module(path: &str, code: &Code, tables: &Tables) -> Module<Arc<[u8]>> {
    let range = |(start, bytes): &(u64, Arc<[u8]>)| Some(*start..*start + bytes.len() as u64);
    let sections = ExplicitModuleSectionInfo {
        // Addresses in files begin at 0.
        base_svma: 0,
        eh_frame_svma: range(&tables.frames),
        eh_frame: Some(tables.frames.1.clone()),
        eh_frame_hdr_svma: range(&tables.index),
        eh_frame_hdr: Some(tables.index.1.clone()),
        ..ExplicitModuleSectionInfo::default()
    };
    let addresses = code.start as u64..code.end as u64;
    Module::new(path.to_owned(), addresses, code.base as u64, sections)
}

/// From the first to the last address of a file's code.
fn extent(file: &LoadedFile) -> Option<(usize, usize)> {
    let is_code = |header: &&libc::Elf64_Phdr| {
        header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0
    };
    let segments = file.headers.iter().filter(is_code).map(|header| {
        let start = file.base.wrapping_add(header.p_vaddr as usize);
        (start, start.saturating_add(header.p_memsz as usize))
    });
    segments.reduce(|(start, end), (next, last)| (start.min(next), end.max(last)))
}

/// The bytes of a segment from this address of the file on. They stay where they are as long as the
/// file is loaded.
fn bytes_from<'a>(file: &'a LoadedFile, address: u64) -> Option<&'a [u8]> {
    let has_it = |header: &&libc::Elf64_Phdr| {
        header.p_type == libc::PT_LOAD
            && header.p_flags & libc::PF_R != 0
            && address.wrapping_sub(header.p_vaddr) < header.p_filesz
    };
    let header = file.headers.iter().find(has_it)?;
    let start = file.base.wrapping_add(address as usize) as *const u8;
    let length = header.p_filesz - (address - header.p_vaddr);
    // SAFETY: the segment is loaded, may be read, and has that many bytes from there on.
    Some(unsafe { std::slice::from_raw_parts(start, length as usize) })
}

/// The tables of a file whose index is as linkers write it: sorted, with the address of the frames
/// relative to its own place, in 32 bits.
fn tables(file: &LoadedFile) -> Option<Tables> {
    const VERSION: u8 = 1;
    const RELATIVE: u8 = 0x1b;
    let header = file.headers.iter().find(|header| header.p_type == libc::PT_GNU_EH_FRAME)?;
    let index = bytes_from(file, header.p_vaddr)?.get(..header.p_memsz as usize)?;
    if index.first_chunk() != Some(&[VERSION, RELATIVE]) {
        return None;
    }
    let offset = i32::from_le_bytes(index.get(4..8)?.try_into().ok()?);
    let frames_at = (header.p_vaddr + 4).checked_add_signed(offset.into())?;
    let frames = bytes_from(file, frames_at)?;
    Some(Tables { index: (header.p_vaddr, index.into()), frames: (frames_at, frames.into()) })
}

/// Whether the process has loaded an OpenMP runtime or MPI.
pub fn has_parallel_library() -> bool {
    let mut found = false;
    objects::each(&mut |file| {
        let path = file.path();
        found = is_runtime(&path) || is_mpi(&path);
        !found
    });
    found
}

fn is_mpi(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    name.starts_with("libmpi") && name.contains(".so")
}

/// Whether a file is an OpenMP runtime, also one with a hash in its name.
fn is_runtime(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let stem = name.split(['.', '-']).next().unwrap_or_default();
    ["libgomp", "libomp", "libiomp5", "libomptarget"].contains(&stem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runtimes_are_known_by_their_names() {
        for (path, is) in [
            ("/usr/lib/x86_64-linux-gnu/libgomp.so.1", true),
            ("/opt/py/sklearn.libs/libgomp-e985bcbb.so.1.0.0", true),
            ("/usr/lib/llvm-19/lib/libomp.so.5", true),
            ("/opt/intel/libiomp5.so", true),
            ("/home/me/libompsolver.so", false),
            ("/home/me/libgomp/solver", false),
            ("", false),
        ] {
            assert_eq!(is_runtime(path), is, "{path}");
        }
        assert!(is_mpi("/usr/lib/libmpi.so.40") && is_mpi("/opt/mpich/lib/libmpich.so.12"));
        assert!(!is_mpi("/usr/lib/libmpi/solver") && !is_mpi("/usr/lib/libmpir.a"));
    }

    /// This test itself is in the program, and a function of the C library is in that. What is
    /// published may be the list of another test.
    #[test]
    fn addresses_are_in_the_files_that_have_them() {
        let mut list = List::default();
        list.renew(&|path, _| if path.contains("libc.so") { 7 } else { 1 });
        let object = |address: usize| {
            let has_it = |known: &&Known| (known.code.start..known.code.end).contains(&address);
            list.known.iter().find(has_it).map(|known| known.code.object)
        };
        assert_eq!(object(is_runtime as *const () as usize), Some(1));
        assert_eq!(object(libc::getpid as *const () as usize), Some(7));
        assert_eq!(object(1), None);
        assert!(list.known.iter().filter(|known| known.tables.is_some()).count() >= 2);
        let _looking = crate::sampling::hold();
        // SAFETY: lists are freed while that is held by whoever frees them.
        let modules = unsafe { current() }.unwrap();
        assert!(modules.find(libc::getpid as *const () as u64).is_some());
        assert!(modules.find(1).is_none());
        list.renew(&|path, _| unreachable!("{path} was not loaded since"));
    }
}

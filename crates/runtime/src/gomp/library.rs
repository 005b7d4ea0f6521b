//! Copies of libgomp in the process, and their functions. Mostly there is one, in the global scope.
//! Extensions of Python bring copies of their own, which only their files depend on; those are
//! found by the file of the caller ([`crate::next`]).
//!
//! A copy is looked up when it is called for the first time, without a lock: the loader may hold
//! its own, and another thread ours.

use std::ffi::{CStr, c_int};
use std::mem::transmute;
use std::ptr::{from_ref, null_mut};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicUsize};

use super::table::{COUNT, NAMES};
use super::thread;
use crate::addresses::Addresses;
use crate::next::{self, Scope};
use crate::openmp;

/// One copy. It is never freed.
pub struct Library {
    /// The function of each entry point.
    pub originals: [usize; COUNT],
    /// Whether its constructs may be observed.
    pub is_observed: bool,
    /// Whether constructs can be cancelled: `OMP_CANCELLATION` says so at the start.
    pub is_cancellable: bool,
    /// Whether the rest of this library asks this copy about threads ([`openmp`]).
    pub is_asked: bool,
    /// Its `omp_get_thread_num` and `omp_get_num_threads`.
    thread: [usize; 2],
    /// Where its file is loaded.
    base: usize,
    /// The copy that was found before this one out of the global scope.
    before: *mut Library,
}

/// The copy in the global scope.
static GLOBAL: AtomicPtr<Library> = AtomicPtr::new(null_mut());
/// The copy out of it that was found last.
static LAST: AtomicPtr<Library> = AtomicPtr::new(null_mut());
/// By an address of the caller the copy that it reaches, if that is not in the global scope.
static BY_CALLER: Addresses<AtomicUsize> = Addresses::new();

/// The copy that code at this address calls.
#[inline(always)]
pub fn of(caller: usize) -> &'static Library {
    // SAFETY: copies are never freed.
    match unsafe { GLOBAL.load(Acquire).as_ref() } {
        Some(global) => global,
        None => find(caller),
    }
}

impl Library {
    /// Whether all calls reach this copy.
    pub fn is_global(&self) -> bool {
        std::ptr::eq(self, GLOBAL.load(Acquire))
    }

    /// What it is known by in a part ([`thread::Part`]): its address, and one more if it is not the
    /// copy that the rest of this library asks.
    pub fn name_in_parts(&self) -> *const () {
        self.name_if_asked().wrapping_byte_add(usize::from(!self.is_asked))
    }

    /// The same of a copy that is asked; that of no copy for another one.
    #[inline(always)]
    pub fn name_if_asked(&self) -> *const () {
        from_ref(self).cast()
    }

    /// Number of the calling thread and size of its team, as this copy says.
    pub fn thread_of_team(&self) -> (u32, u32) {
        let [number, size] = self.thread.map(|function| match function {
            0 => 0,
            // SAFETY: the functions of these names have this type. They are never negative.
            found => unsafe { transmute::<usize, extern "C" fn() -> c_int>(found)() as u32 },
        });
        (number, size.max(1))
    }

    /// The copy whose functions these are; `None` where there are none.
    pub fn new(symbol: &dyn Fn(&CStr) -> usize, is_global: bool) -> Option<Self> {
        let base = match symbol(c"GOMP_barrier") {
            0 => return None,
            barrier => next::base(barrier),
        };
        let originals = NAMES.map(|name| match symbol(name) {
            0 => missing as *const () as usize,
            found => found,
        });
        // LLVM's library has these functions for programs of gcc; it is observed by its own
        // interface.
        let is_llvm = match symbol(c"__kmpc_fork_call") {
            0 => false,
            fork => next::base(fork) == base,
        };
        let is_asked = openmp::is_asked(symbol) || is_global;
        let is_observed = !is_llvm && next::is_preloaded() && next::is_only_instance();
        let is_cancellable = match symbol(c"omp_get_cancellation") {
            0 => false,
            // SAFETY: the function of this name has this type.
            found => unsafe { transmute::<usize, extern "C" fn() -> c_int>(found)() != 0 },
        };
        let thread = [c"omp_get_thread_num", c"omp_get_num_threads"].map(symbol);
        let before = null_mut();
        Some(Self { originals, is_observed, is_cancellable, is_asked, thread, base, before })
    }
}

#[cold]
#[inline(never)]
fn find(caller: usize) -> &'static Library {
    let known = BY_CALLER.known(caller).map_or(0, |known| known.load(Acquire));
    // SAFETY: the table has addresses of copies only, which are never freed.
    if let Some(known) = unsafe { (known as *const Library).as_ref() } {
        return known;
    }
    if let Some(global) = Library::new(&next::in_global_scope, true) {
        return publish(global);
    }
    let found = Scope::of(caller).and_then(|scope| of_scope(&scope));
    if let (Some(found), Some((place, _))) = (found, BY_CALLER.take(caller)) {
        place.store(from_ref(found) as usize, Release);
    }
    found.or_else(of_part).unwrap_or_else(no_library)
}

/// The first thread that finds the copy of the global scope makes it known.
fn publish(global: Library) -> &'static Library {
    let fresh = Box::into_raw(Box::new(global));
    match GLOBAL.compare_exchange(null_mut(), fresh, AcqRel, Acquire) {
        // SAFETY: it stays for good.
        Ok(_) => unsafe { &*fresh },
        Err(known) => {
            // SAFETY: made above and known to no one else; the other one stays for good.
            unsafe {
                drop(Box::from_raw(fresh));
                &*known
            }
        }
    }
}

/// The copy among the dependencies of a file. Two threads that find it at the same time may make
/// two descriptions of it, which are equal.
fn of_scope(scope: &Scope) -> Option<&'static Library> {
    let base = next::base(scope.find(c"GOMP_barrier"));
    let mut known = LAST.load(Acquire);
    // SAFETY: copies are never freed, and do not change after they are published.
    while let Some(library) = unsafe { known.as_ref() } {
        if base != 0 && library.base == base {
            return Some(library);
        }
        known = library.before;
    }
    let made = Box::into_raw(Box::new(Library::new(&|name: &CStr| scope.find(name), false)?));
    let mut last = LAST.load(Relaxed);
    loop {
        // SAFETY: no other thread knows it before the exchange.
        unsafe { (*made).before = last };
        match LAST.compare_exchange(last, made, AcqRel, Relaxed) {
            // SAFETY: it stays for good.
            Ok(_) => return Some(unsafe { &*made }),
            Err(other) => last = other,
        }
    }
}

/// The copy whose region the thread executes: the address of a call at the end of a function is
/// one of libgomp's or of this library's.
fn of_part() -> Option<&'static Library> {
    let name = thread::with_part(|part| part.library);
    let library = name.map_addr(|address| address & !1).cast::<Library>();
    // SAFETY: parts have addresses of copies, which are never freed, or null.
    unsafe { library.as_ref() }
}

/// Any copy, where the caller is in no file: code that the program has made itself.
fn no_library() -> &'static Library {
    // SAFETY: copies are never freed.
    match unsafe { LAST.load(Acquire).as_ref() } {
        Some(any) => any,
        None => missing(),
    }
}

/// The program calls a function that no library has. Without this library it would not have
/// started.
extern "C" fn missing() -> ! {
    let message = "pompeii: error: the program calls a function of libgomp that the loaded libgomp \
                   does not have; is LD_LIBRARY_PATH that of an older gcc?\n";
    // SAFETY: writes a text and ends the process.
    unsafe {
        libc::write(libc::STDERR_FILENO, message.as_ptr().cast(), message.len());
        libc::abort()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_without_libgomp_has_no_copy() {
        assert!(Library::new(&|_| 0, true).is_none());
    }
}

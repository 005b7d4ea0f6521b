//! Where a call would have gone without this library, which has a function of the same name. That
//! is what the loader would have found: the next function of this name in the global scope, or,
//! where the global scope has none, the one among the dependencies of the caller's file. Libraries
//! of OpenMP that an extension of Python brings along are in no other scope.
//!
//! The global scope comes first. A file that depends on one copy of a library shares the copy that
//! the global scope has already; sent to its own, its threads would be strangers there.

use std::ffi::{CStr, c_void};
use std::mem::MaybeUninit;
use std::sync::OnceLock;

use crate::{folder, objects, openmp};

/// The file name of this library.
const OWN_NAME: &str = "libpomp.so";

/// The function of this name that the caller at this address would have reached; 0 if there is
/// none.
pub fn function(name: &CStr, caller: usize) -> usize {
    match in_global_scope(name) {
        0 => Scope::of(caller).map_or(0, |scope| scope.find(name)),
        found => found,
    }
}

/// The function of this name after this library in the global scope; 0 if there is none.
pub fn in_global_scope(name: &CStr) -> usize {
    // SAFETY: a NUL-terminated name.
    unsafe { openmp::symbol(libc::RTLD_NEXT, name.as_ptr()) }
}

/// Whether this library is the one in which the program finds the API. A program that was linked
/// with the archive has that, and exports it: then it measures itself, and nothing may be measured
/// a second time here.
pub fn is_only_instance() -> bool {
    // SAFETY: a NUL-terminated name.
    let found = unsafe { openmp::symbol(libc::RTLD_DEFAULT, c"POMP_Init".as_ptr()) };
    found == 0 || is_ours(found)
}

/// Whether this library was loaded in front of all others, for a program that was not instrumented.
/// An instrumented program needs it as it needs others, and its constructs make their events
/// themselves. Its own copy of this library is no file of this name, even if it is started by a
/// shell into which the library was loaded. To be asked first before the program begins, which may
/// change its environment.
pub fn is_preloaded() -> bool {
    static PRELOADED: OnceLock<bool> = OnceLock::new();
    let names_this = |list: String| has_own_name(&list);
    let is_named = || folder::variable(&["LD_PRELOAD"]).is_some_and(names_this);
    *PRELOADED.get_or_init(|| is_named() && own_path().is_some_and(|path| has_own_name(&path)))
}

/// Whether this library is in a list of libraries.
fn has_own_name(list: &str) -> bool {
    list.split([':', ' ']).any(|path| path.rsplit('/').next() == Some(OWN_NAME))
}

/// Where the file that has this address is loaded; 0 if it is in none.
pub fn base(address: usize) -> usize {
    file(address).map_or(0, |file| file.dli_fbase as usize)
}

/// Whether an address is in the code of this library. (Statically linked programs ask that, too: no
/// function is called here that needs a loader.)
pub fn is_ours(address: usize) -> bool {
    own_code().is_some_and(|(start, end)| (start..end).contains(&address))
}

/// Where the code of this library begins and ends.
pub fn own_code() -> Option<(usize, usize)> {
    let address = own_code as *const () as usize;
    let mut found = None;
    objects::each(&mut |file| {
        let segments = file.headers.iter().filter(|header| header.p_type == libc::PT_LOAD);
        let mut borders = segments.map(|header| {
            let start = file.base.wrapping_add(header.p_vaddr as usize);
            (start, start.wrapping_add(header.p_memsz as usize))
        });
        found = borders.find(|&(start, end)| (start..end).contains(&address));
        found.is_none()
    });
    found
}

/// The path of the file that has the code of this library.
fn own_path() -> Option<String> {
    let address = own_path as *const () as usize;
    let mut found = None;
    objects::each(&mut |file| {
        found = file.has(address).then(|| file.path());
        found.is_none()
    });
    found
}

/// The dependencies of a loaded file.
pub struct Scope(*mut c_void);

impl Scope {
    /// Those of the file that has this address.
    pub fn of(address: usize) -> Option<Self> {
        let file = file(address)?;
        // SAFETY: the loader's own name of a file; it is not loaded anew.
        let handle = unsafe { libc::dlopen(file.dli_fname, libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        (!handle.is_null()).then(|| Self(handle))
    }

    /// The function of this name in them; 0 if there is none, or only this library's.
    pub fn find(&self, name: &CStr) -> usize {
        // SAFETY: a NUL-terminated name, and a handle that is open.
        let found = unsafe { openmp::symbol(self.0, name.as_ptr()) };
        if found == 0 || is_ours(found) { 0 } else { found }
    }
}

impl Drop for Scope {
    fn drop(&mut self) {
        // SAFETY: opened by `of`. The file stays loaded, because its user has it loaded, too.
        unsafe { libc::dlclose(self.0) };
    }
}

/// The loaded file that has this address.
fn file(address: usize) -> Option<libc::Dl_info> {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: the function fills all of it if it finds the file.
    unsafe {
        let found = libc::dladdr(address as *const c_void, info.as_mut_ptr()) != 0;
        found.then(|| info.assume_init()).filter(|info| !info.dli_fname.is_null())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_after_this_library_or_nowhere() {
        let here = function as *const () as usize;
        assert_eq!(function(c"no_library_has_this", here), 0);
        assert_ne!(function(c"getpid", here), 0);
        assert!(!is_ours(function(c"getpid", here)));
    }

    #[test]
    fn addresses_are_in_files() {
        let here = function as *const () as usize;
        assert!(is_ours(here) && base(here) != 0);
        assert!(!is_ours(libc::getpid as *const () as usize));
        assert_eq!(base(0x10), 0);
        let (start, end) = own_code().unwrap();
        assert!((start..end).contains(&here) && !(start..end).contains(&0x10));
        assert!(Scope::of(0x10).is_none());
    }

    #[test]
    fn a_test_has_one_instance() {
        assert!(is_only_instance());
    }

    #[test]
    fn a_list_of_libraries_names_this_one_or_not() {
        for (list, is_named) in [
            ("/cache/lib/libpomp.so", true),
            ("libjemalloc.so.2:/cache/lib/libpomp.so", true),
            ("/cache/mpi/libpompeii-mpi.so /cache/lib/libpomp.so", true),
            ("/cache/mpi/libpompeii-mpi.so", false),
            ("/lib/libpomp.so.1", false),
            ("", false),
        ] {
            assert_eq!(has_own_name(list), is_named, "{list}");
        }
    }
}

//! The functions of `shim.c` in this process: the only unsafe code of this crate. What can be
//! called is safe, because sizes are checked here, and because the library was made of that file.
#![allow(unsafe_code, reason = "a library that is known at run time only cannot be called without")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::mem;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use nix::libc;

use crate::terminal::shown;

type Init = unsafe extern "C" fn(*mut c_int, *mut c_int) -> c_int;
type Sizes = unsafe extern "C" fn(*const u64, *mut u64) -> c_int;
type Bytes =
    unsafe extern "C" fn(*const *const u8, *const u64, *const *mut u8, *const u64) -> c_int;
type Least = unsafe extern "C" fn(*mut u64) -> c_int;
type Abort = unsafe extern "C" fn(c_int);
type End = unsafe extern "C" fn() -> c_int;
type Text = unsafe extern "C" fn(c_int, *mut c_char, c_int);

/// What all MPI libraries return if a call has worked.
const SUCCESS: c_int = 0;
/// Texts of errors are not longer.
const TEXT_BYTES: usize = 1024;

/// A library that was made of `shim.c`. It stays loaded until the process ends.
pub struct Library {
    /// Its file.
    pub file: PathBuf,
    init: Init,
    sizes: Sizes,
    bytes: Bytes,
    least: Least,
    abort: Abort,
    end: End,
    text: Text,
}

impl Library {
    /// Loads it, with the MPI library that it is linked with.
    ///
    /// # Errors
    /// What the system's loader says.
    pub fn load(file: &Path) -> Result<Library> {
        let name = CString::new(file.as_os_str().as_bytes())?;
        // Parts of an MPI library that it loads itself look for the others among all symbols.
        // SAFETY: the name ends with 0. Only the user can change the file (`trust`), and the code
        // that runs when it is loaded is that of the user's MPI library.
        let handle = unsafe { libc::dlopen(name.as_ptr(), libc::RTLD_NOW | libc::RTLD_GLOBAL) };
        if handle.is_null() {
            bail!("cannot load {}: {}", shown(file), last_error());
        }
        // SAFETY: the handle is open, and each type is that of the function in `shim.c`.
        unsafe {
            Ok(Library {
                file: file.to_owned(),
                init: function(handle, c"pompeii_ranks_init")?,
                sizes: function(handle, c"pompeii_ranks_sizes")?,
                bytes: function(handle, c"pompeii_ranks_bytes")?,
                least: function(handle, c"pompeii_ranks_least")?,
                abort: function(handle, c"pompeii_ranks_abort")?,
                end: function(handle, c"pompeii_ranks_end")?,
                text: function(handle, c"pompeii_ranks_text")?,
            })
        }
    }

    /// Begins with MPI; returns when all processes of the job have done so.
    ///
    /// # Errors
    /// Those of MPI.
    pub fn start(self) -> Result<Started> {
        let (mut rank, mut ranks): (c_int, c_int) = (0, 0);
        // SAFETY: both places live until the function returns.
        self.check(unsafe { (self.init)(&mut rank, &mut ranks) })?;
        let (rank, ranks) = (usize::try_from(rank)?, usize::try_from(ranks)?);
        if rank >= ranks {
            bail!("MPI says that this is rank {rank} of {ranks}");
        }
        Ok(Started { library: self, rank, ranks })
    }

    /// An error if MPI has returned one.
    fn check(&self, error: c_int) -> Result<()> {
        if error == SUCCESS {
            return Ok(());
        }
        let mut text = [0_u8; TEXT_BYTES];
        // SAFETY: the text has room for `TEXT_BYTES` bytes, the 0 at the end included.
        unsafe { (self.text)(error, text.as_mut_ptr().cast::<c_char>(), TEXT_BYTES as c_int) };
        let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
        bail!("MPI cannot reach the other ranks: {}", String::from_utf8_lossy(text))
    }
}

/// The function of this name.
///
/// # Safety
/// The handle is open, and `F` is the type of a pointer to this function.
unsafe fn function<F: Copy>(handle: *mut c_void, name: &CStr) -> Result<F> {
    // SAFETY: the handle is open, and the name ends with 0.
    let address = unsafe { libc::dlsym(handle, name.as_ptr()) };
    if address.is_null() {
        bail!("a library for MPI is damaged: {}", last_error());
    }
    // SAFETY: a pointer to a function has the size of an address, and the caller knows its type.
    Ok(unsafe { mem::transmute_copy::<*mut c_void, F>(&address) })
}

/// What the loader says of its last failure.
fn last_error() -> String {
    // SAFETY: the text is there until the next call of the loader by this thread.
    let text = unsafe { libc::dlerror() };
    if text.is_null() {
        return String::new();
    }
    // SAFETY: it is not null, and ends with 0.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// MPI in this process, between its begin and its end.
pub struct Started {
    library: Library,
    /// The number of this rank.
    pub rank: usize,
    /// The number of ranks.
    pub ranks: usize,
}

impl Started {
    /// The file of the library.
    pub fn file(&self) -> &Path {
        &self.library.file
    }

    /// Sends bytes to each rank, by its number. Returns what each of them has sent to this one. All
    /// ranks call it at the same time.
    ///
    /// # Errors
    /// Those of MPI, or there is no memory for what is sent.
    pub fn exchange(&mut self, mut to: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>> {
        to.resize(self.ranks, Vec::new());
        let own = mem::take(&mut to[self.rank]);
        let to_bytes: Vec<u64> = to.iter().map(|bytes| bytes.len() as u64).collect();
        let mut from_bytes = vec![0_u64; self.ranks];
        let library = &self.library;
        // SAFETY: both have an element for each rank.
        library.check(unsafe { (library.sizes)(to_bytes.as_ptr(), from_bytes.as_mut_ptr()) })?;
        let rooms = from_bytes.iter().map(|bytes| room(*bytes));
        let mut from = rooms.collect::<Result<Vec<Vec<u8>>>>()?;
        let starts: Vec<*const u8> = to.iter().map(|bytes| bytes.as_ptr()).collect();
        let places: Vec<*mut u8> = from.iter_mut().map(|bytes| bytes.as_mut_ptr()).collect();
        let (starts, places) = (starts.as_ptr(), places.as_ptr());
        let (to_bytes, from_bytes) = (to_bytes.as_ptr(), from_bytes.as_ptr());
        // SAFETY: all four have an element for each rank, and each address has as many bytes as
        // the number at the same place says. Nothing else uses them until this returns.
        library.check(unsafe { (library.bytes)(starts, to_bytes, places, from_bytes) })?;
        from[self.rank] = own;
        Ok(from)
    }

    /// The smallest of the values of all ranks. All of them call it at the same time.
    ///
    /// # Errors
    /// Those of MPI.
    pub fn least(&mut self, mut value: u64) -> Result<u64> {
        // SAFETY: the value lives until the function returns.
        self.library.check(unsafe { (self.library.least)(&mut value) })?;
        Ok(value)
    }

    /// Ends MPI. All ranks call it at the same time, and nothing else later.
    ///
    /// # Errors
    /// Those of MPI.
    pub fn end(&mut self) -> Result<()> {
        // SAFETY: the function takes nothing.
        self.library.check(unsafe { (self.library.end)() })
    }

    /// Ends the processes of all ranks, this one included.
    pub fn abort(&self) -> ! {
        // SAFETY: the function takes a number.
        unsafe { (self.library.abort)(2) };
        end_now()
    }
}

/// Ends this process, and runs nothing that libraries have left for its end: another thread may be
/// in the middle of MPI.
pub fn end_now() -> ! {
    // SAFETY: the function takes a number.
    unsafe { libc::_exit(2) }
}

/// Room for a message.
fn room(size_bytes: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let size = usize::try_from(size_bytes)?;
    let no_memory = || format!("there is no memory for a message of {size_bytes} bytes");
    bytes.try_reserve_exact(size).with_context(no_memory)?;
    bytes.resize(size, 0);
    Ok(bytes)
}

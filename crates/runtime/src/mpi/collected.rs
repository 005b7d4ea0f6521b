//! `run --summary-only`: what all ranks have measured comes together on one rank before MPI ends.
//! The experiment on the host where `run` waits gets a folder for each. The wrapper of MPI_Finalize
//! sends the bytes, packed by [`pompeii_live::pack`].

use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::ptr::null_mut;
use std::sync::{Mutex, OnceLock, PoisonError};

use pompeii_live::{PROCESSES_FOLDER, SUMMARY_FILE, pack, quoted, unpack};

use super::job::pomp_mpi_finalized;
use crate::ends;
use crate::folder::{self, Name};
use crate::process::Process;
use crate::start;

/// What this rank sends, or has got of another one so far.
static BYTES: Mutex<Vec<u8>> = Mutex::new(Vec::new());
/// This process, when its measurement has ended.
static ENDED: OnceLock<&Process> = OnceLock::new();

fn with_bytes<T>(work: impl FnOnce(&mut Vec<u8>) -> T) -> T {
    work(&mut BYTES.lock().unwrap_or_else(PoisonError::into_inner))
}

fn warn(what: &str) {
    if let Some(started) = start::started() {
        started.say(&format!("warning: {what}"));
    }
}

fn waiting_root() -> Option<PathBuf> {
    folder::waiting_root(start::started()?)
}

/// Whether the user wants one summary of all ranks.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_is_collected() -> c_int {
    folder::is_summary_only().into()
}

/// Ends the measurement: the summary has what was measured until here.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_end() {
    if let Some(process) = start::process() {
        let _ = ENDED.set(process);
        pomp_mpi_finalized();
        ends::finalize();
    }
}

/// Where `run` waits on this host.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_collecting_folder(to: *mut c_char, bytes: usize) -> c_int {
    let root = waiting_root();
    let text = root.as_ref().map_or(&[][..], |root| root.as_os_str().as_encoded_bytes());
    if text.is_empty() || text.len() >= bytes {
        return 0;
    }
    // SAFETY: by the contract of `pomp_mpi.h`, `to` has room for `bytes` bytes, and the text with
    // its end is not longer.
    unsafe {
        to.cast::<u8>().copy_from_nonoverlapping(text.as_ptr(), text.len());
        to.add(text.len()).write(0);
    }
    1
}

/// What this process has measured.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_packed(folder: *const c_char, bytes: *mut u64) -> *const c_void {
    // SAFETY: by the contract of `pomp_mpi.h`, `folder` is a text with its end.
    let folder = Path::new(OsStr::from_bytes(unsafe { CStr::from_ptr(folder) }.to_bytes()));
    let packed = match ENDED.get() {
        Some(process) if !is_in(process, folder) => packed(process),
        _ => Vec::new(),
    };
    with_bytes(|kept| {
        *kept = packed;
        // SAFETY: by the same contract, `bytes` is a variable of the caller.
        unsafe { bytes.write(kept.len() as u64) };
        kept.as_ptr().cast()
    })
}

/// Whether live state is on the host of this folder, and in it.
fn is_in(process: &Process, folder: &Path) -> bool {
    process.options.folder.starts_with(folder) && folder.join(SUMMARY_FILE).exists()
}

/// The live state of this process as bytes. Its files are removed from this host.
fn packed(process: &Process) -> Vec<u8> {
    let options = &process.options;
    let name = Name { host: &options.host, program: &options.program, pid: std::process::id() };
    let packed = pack(&options.folder, &name.of_folder()).unwrap_or_else(|error| {
        let folder = quoted(&options.folder);
        warn(&format!("this rank is not in the summary: {folder} cannot be read: {error}"));
        Vec::new()
    });
    give_up(process);
    packed
}

fn give_up(process: &Process) {
    if let Some(started) = start::started() {
        folder::give_up(started, &process.options.folder);
    }
}

/// Room for what another rank has packed.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_room(bytes: u64) -> *mut c_void {
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    with_bytes(|kept| {
        *kept = Vec::new();
        if kept.try_reserve_exact(bytes).is_err() {
            return null_mut();
        }
        kept.resize(bytes, 0);
        kept.as_mut_ptr().cast()
    })
}

/// Makes files of what another rank has packed, which is in the room for it now.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_unpack() {
    let packed = with_bytes(std::mem::take);
    let root = waiting_root().ok_or_else(|| io::Error::from(io::ErrorKind::NotFound));
    let unpacked = match packed.is_empty() {
        true => Err(io::Error::from(io::ErrorKind::OutOfMemory)),
        false => root.and_then(|root| unpack(&packed, &root.join(PROCESSES_FOLDER))),
    };
    if let Err(error) = unpacked {
        warn(&format!("a rank is not in the summary, because its data cannot be kept: {error}"));
    }
}

/// There is no place for a summary.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_not_collected(is_first: c_int) {
    if is_first != 0 {
        warn(
            "there is no summary, because no rank is on the host where `pompeii run \
             --summary-only` waits; let the launcher start it on each rank, for example `srun \
             pompeii run --summary-only -- PROGRAM`",
        );
    }
    if let Some(process) = ENDED.get() {
        give_up(process);
    }
}

//! MPI: what wrappers of its functions say (`pomp_mpi.h`), as regions, records and definitions.
//!
//! All of MPI's own types stay with the wrappers, which are compiled for the MPI library that a
//! program uses; here handles are numbers. Nothing here calls MPI and no message is sent: what
//! several processes have to call alike is known by what all of them know ([`comms`]).
//!
//! A record before a call has the time of the region's enter, and the exit has that of the last
//! record behind the call: they cost no clock readings of their own.

mod collected;
mod comms;
mod files;
mod job;
mod messages;
mod requests;
mod table;
mod waits;
mod windows;

use std::ffi::{CStr, c_char};
use std::sync::atomic::AtomicU32;

use pompeii_live::encode::Room;
use pompeii_live::{Key, RegionKind};

use crate::clock::{self, Tsc};
use crate::definitions::RegionText;
use crate::entry::on_thread;
use crate::fast::guarded;
use crate::fast::kit::gate::Guarded;
use crate::guard;
use crate::location::Location;
use crate::process::Process;
use crate::serial;
use crate::sites::{self, Called};
use crate::transfers::{Begun, Moved};

pub use collected::*;
pub use comms::*;
pub use files::*;
pub use job::*;
pub use messages::*;
pub use requests::*;
pub use waits::*;
pub use windows::*;

/// `struct pomp_mpi_routine`.
#[repr(C)]
pub struct Routine {
    name: *const c_char,
    /// One of [`KINDS`], perhaps with [`QUIET`].
    kind: u32,
    /// Region + 1.
    region: AtomicU32,
}

/// In the order of `enum pomp_mpi_kind`.
const KINDS: [RegionKind; 15] = [
    RegionKind::MpiPointToPoint,
    RegionKind::MpiBarrier,
    RegionKind::MpiOneToAll,
    RegionKind::MpiAllToOne,
    RegionKind::MpiAllToAll,
    RegionKind::MpiCollective,
    RegionKind::MpiInitExit,
    RegionKind::MpiCommunicator,
    RegionKind::MpiOneSided,
    RegionKind::MpiSynchronisation,
    RegionKind::MpiWindow,
    RegionKind::MpiFile,
    RegionKind::MpiFileCollective,
    RegionKind::MpiFileManagement,
    RegionKind::MpiOther,
];

/// `POMP_MPI_QUIET`.
const QUIET: u32 = 256;

#[cfg(test)]
impl Routine {
    /// A function of messages, as a wrapper has it.
    pub fn point_to_point(name: &'static CStr, is_quiet: bool) -> Self {
        let (kind, region) = (if is_quiet { QUIET } else { 0 }, AtomicU32::new(0));
        Self { name: name.as_ptr(), kind, region }
    }
}

impl Called for Routine {
    fn known(&self) -> &AtomicU32 {
        &self.region
    }

    fn text(&self) -> RegionText {
        let kind = KINDS.get((self.kind & !QUIET) as usize).copied();
        let kind = kind.unwrap_or(RegionKind::MpiOther);
        // SAFETY: the contract of `pomp_mpi.h`: a text that lives as long as the process.
        let name = unsafe { text(self.name) };
        RegionText::without_source(kind, &name)
    }

    /// What the kind of one of its regions does not say.
    fn note(&self, process: &Process, region: u32) {
        if self.kind & QUIET != 0 {
            process.note_quiet(region);
        }
    }
}

/// A text of C.
///
/// # Safety
/// Null, or NUL-terminated.
unsafe fn text(of: *const c_char) -> String {
    if of.is_null() {
        return String::new();
    }
    // SAFETY: the caller's promise.
    unsafe { CStr::from_ptr(of) }.to_string_lossy().into_owned()
}

/// Enters an MPI function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_enter(routine: *const Routine) {
    // SAFETY: the contract of `pomp_mpi.h`: it lives as long as the process.
    let routine = unsafe { &*routine };
    on_thread!(|thread| {
        let region = routine.region(thread.process);
        enter(thread, routine, region);
    });
}

/// Enters an MPI function that will return to this address.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_enter_from(routine: *const Routine, address: usize) {
    // SAFETY: as above.
    let routine = unsafe { &*routine };
    on_thread!(|thread| {
        let region = sites::region(thread, routine, address);
        enter(thread, routine, region);
    });
}

#[inline(always)]
fn enter(thread: &mut Location, routine: &Routine, region: u32) {
    thread.sites.entered = (std::ptr::from_ref(routine).cast(), region);
    // It is set where the last function was left by an exception.
    thread.mpi_exit_ticks = 0;
    thread.mpi_begun.is_noted = false;
    match thread.gate {
        0 => {
            let now = thread.enter_open(region, clock::now());
            serial::end(thread, thread.header.current, now);
        }
        _ => enter_gated(thread, region),
    }
}

/// Enters it where something comes first, or where the guard has a fast way for calls that find
/// nothing again and again.
#[inline(never)]
fn enter_gated(thread: &mut Location, region: u32) {
    let guarded = Guarded::of(thread);
    let is_fast = guarded.is_some_and(|thread| guarded::enter(thread, key_of(region), Tsc));
    if !is_fast {
        enter_general(thread, region);
    }
}

// A function of its own: what it needs of registers is not the fast way's to save.
#[cold]
#[inline(never)]
fn enter_general(thread: &mut Location, region: u32) {
    let now = thread.enter(region, clock::now());
    if !thread.is_passing() {
        serial::end(thread, thread.header.current, now);
    }
}

fn key_of(region: u32) -> u64 {
    Key::Region(region).encode()
}

/// The call that the thread is in has found something: it is in the trace, however short it was.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_found() {
    on_thread!(|thread| guard::flush(thread));
}

/// Whether there will be a trace.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_is_traced() -> i32 {
    let mut traced = false;
    on_thread!(|thread| traced = thread.tracing);
    i32::from(traced)
}

/// Leaves it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn pomp_mpi_exit(routine: *const Routine) {
    // SAFETY: as above.
    let routine = unsafe { &*routine };
    on_thread!(|thread| {
        let own: *const () = std::ptr::from_ref(routine).cast();
        let region = match thread.sites.entered {
            (entered, region) if std::ptr::eq(entered, own) => region,
            _ => routine.region(thread.process),
        };
        match thread.gate {
            0 => {
                let (now, node) = (exit_time(thread), thread.header.current);
                thread.exit_open(region, now);
                serial::begin(thread, node, now);
            }
            _ => exit_gated(thread, region),
        }
    });
}

/// When the function is left: with its last record, if it has any.
#[inline(always)]
fn exit_time(thread: &mut Location) -> u64 {
    match std::mem::take(&mut thread.mpi_exit_ticks) {
        0 => clock::now(),
        recorded => recorded,
    }
}

/// Leaves it where something comes first, or on the fast way on which it was entered.
#[inline(never)]
fn exit_gated(thread: &mut Location, region: u32) {
    let guarded = Guarded::of(thread);
    let is_fast = guarded.is_some_and(|thread| guarded::exit(thread, key_of(region), Tsc));
    if !is_fast {
        exit_general(thread, region);
    }
}

#[cold]
#[inline(never)]
fn exit_general(thread: &mut Location, region: u32) {
    let (now, node) = (exit_time(thread), thread.header.current);
    thread.exit(region, now);
    if !thread.is_passing() {
        serial::begin(thread, node, now);
    }
}

/// `MPI_Pcontrol`.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_control(level: i32) {
    match level {
        0 => on_thread!(|thread| thread.switch_recording(false, clock::now())),
        1 => on_thread!(|thread| thread.switch_recording(true, clock::now())),
        _ => {}
    }
}

/// When a record was made.
#[derive(Clone, Copy)]
enum When {
    /// When the function was entered.
    Entered,
    /// Behind what it does: all of these, and its exit, have one time.
    Now,
}

/// Writes a record inside of an MPI function, where there is a trace and recording is on.
#[inline(always)]
fn record(
    thread: &mut Location,
    when: When,
    write: impl FnOnce(&mut Room, &mut u64, u64) -> usize,
) {
    if let Some(now) = record_time(thread, when) {
        thread.event(now, |room, last| write(room, last, now));
    }
}

/// When that is; none without a trace.
#[inline(always)]
fn record_time(thread: &mut Location, when: When) -> Option<u64> {
    if !thread.tracing || thread.is_passing() {
        return None;
    }
    let now = match when {
        When::Entered => thread.header.last_ticks,
        When::Now if thread.mpi_exit_ticks != 0 => thread.mpi_exit_ticks,
        When::Now => {
            thread.mpi_exit_ticks = clock::now().max(thread.header.last_ticks);
            thread.mpi_exit_ticks
        }
    };
    if thread.gate != 0 {
        thread.flush_gate(now);
    }
    Some(now)
}

/// Writes a record before a call, with what this moves. A call that starts several requests has
/// several.
#[inline(always)]
fn begin(
    thread: &mut Location,
    moved: Moved,
    write: impl FnOnce(&mut Room, &mut u64, u64) -> usize,
) {
    let mut begun = match thread.mpi_begun.is_noted {
        true => thread.mpi_begun,
        false => Begun { is_noted: true, ..Begun::default() },
    };
    if !thread.is_passing() {
        let mpi = thread.current().mpi_mut();
        *mpi.messages_sent += moved.messages_sent;
        *mpi.bytes_sent += moved.bytes_sent;
        *mpi.bytes_received += moved.bytes_received;
        begun.moved.messages_sent += moved.messages_sent;
        begun.moved.bytes_sent += moved.bytes_sent;
        begun.moved.bytes_received += moved.bytes_received;
    }
    if let Some(now) = record_time(thread, When::Entered) {
        let record = thread.revocable(now, |room, last| write(room, last, now));
        begun.records = begun.records.and(record);
    }
    thread.mpi_begun = begun;
}

/// The call has failed: what this thread has said of it before is taken back.
#[unsafe(no_mangle)]
pub extern "C" fn pomp_mpi_failed() {
    on_thread!(|thread| {
        let begun = std::mem::take(&mut thread.mpi_begun);
        if begun.is_noted {
            let mpi = thread.current().mpi_mut();
            let Moved { messages_sent, bytes_sent, bytes_received } = begun.moved;
            *mpi.messages_sent = mpi.messages_sent.saturating_sub(messages_sent);
            *mpi.bytes_sent = mpi.bytes_sent.saturating_sub(bytes_sent);
            *mpi.bytes_received = mpi.bytes_received.saturating_sub(bytes_received);
            windows::forget_way(begun.way);
            thread.revoke(begun.records);
        }
    });
}

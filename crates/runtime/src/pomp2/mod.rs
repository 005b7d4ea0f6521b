//! The POMP2 API, so that code which OPARI2 has instrumented links with this library: thin
//! translations into the core. Its files have the names of POMP's. [`ctc`] reads the text of a
//! construct, and [`instances`] knows which task ends.
//!
//! A POMP2 handle is one word of the program. It leads to a descriptor, made at the construct's
//! first event from the text (`ctc` string) that every opening call carries. So nothing has to be
//! registered: the functions that OPARI2's link step generates (`POMP2_Init_regions` and its
//! company) may exist and be called, they may as well be missing, and no symbol of them is asked
//! for.
//!
//! POMP2 passes no team, and no instance to the end of a task. What it does have is `old_task`, a
//! word that an opening call fills and the closing one gets back: it carries the team from fork to
//! join, the instance from the begin of its creation to the end, and an untied task over a
//! scheduling point. A thread that begins its part of a parallel region belongs to the team that
//! the construct forked last, as in foreign POMP code.
//!
//! # Safety
//! One contract for all functions: a handle points to a word that was zero before its first call
//! and belongs to this library; a ctc string is as OPARI2 writes it; task words are writable.

#![allow(non_snake_case, reason = "the names are POMP2's")]

mod constructs;
mod ctc;
mod fortran;
mod instances;
mod locks;
mod parallel;
mod tasks;

use std::ffi::{c_char, c_int};
use std::sync::atomic::{AtomicI64, AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::descriptor::{Descriptor, Given};
use crate::openmp;
use crate::ways::program;

pub use constructs::*;
pub use parallel::*;
pub use tasks::*;

/// A handle's word.
type Word = AtomicPtr<Descriptor>;

/// The construct whose text is `ctc`.
#[inline(always)]
unsafe fn open(word: *const Word, ctc: *const c_char) -> Given {
    // SAFETY: the contract of this module; what `make` makes lives as long as the process.
    unsafe {
        match known(word) {
            None => Given::new(make(&*word, ctc)),
            Some(construct) => construct,
        }
    }
}

/// A construct that was opened before.
#[inline(always)]
unsafe fn known(word: *const Word) -> Option<Given> {
    // SAFETY: the contract of this module; only `make` stores into a word.
    unsafe {
        let descriptor = (*word).load(Ordering::Acquire);
        (!descriptor.is_null()).then(|| Given::new(descriptor))
    }
}

/// Two threads that come first together get the same.
#[cold]
#[inline(never)]
unsafe fn make(word: &Word, ctc: *const c_char) -> *mut Descriptor {
    static MAKING: Mutex<()> = Mutex::new(());
    let _guard = MAKING.lock().unwrap_or_else(PoisonError::into_inner);
    let made = word.load(Ordering::Acquire);
    if !made.is_null() {
        return made;
    }
    // SAFETY: the contract of this module.
    let text = unsafe { ctc::text(ctc) };
    let descriptor = ctc::descriptor(&String::from_utf8_lossy(text));
    word.store(descriptor, Ordering::Release);
    descriptor
}

/// Fills a task word, where the program has one.
#[inline(always)]
unsafe fn fill(word: *mut i64, value: i64) {
    if !word.is_null() {
        // SAFETY: the contract of `pomp2`.
        unsafe { word.write(value) };
    }
}

/// Makes the descriptor before the first event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_Assign_handle(handle: *const Word, ctc: *const c_char) {
    // SAFETY: the contract of `pomp2`.
    unsafe { open(handle, ctc) };
}

/// Makes the descriptor of a user region before the first event.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn POMP2_USER_Assign_handle(handle: *const Word, ctc: *const c_char) {
    // SAFETY: the contract of `pomp2`.
    unsafe { open(handle, ctc) };
}

/// A number that no other call has given.
#[unsafe(no_mangle)]
pub extern "C" fn POMP2_Get_new_task_handle() -> i64 {
    static NEXT: AtomicI64 = AtomicI64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// `omp_get_max_threads`, for Fortran units that do not use `omp_lib`.
#[unsafe(no_mangle)]
pub extern "C" fn POMP2_Lib_get_max_threads() -> c_int {
    openmp::max_threads() as c_int
}

/// Starts the measurement before the first construct.
#[unsafe(no_mangle)]
pub extern "C" fn POMP2_Init() {
    program::init();
}

/// Ends the measurement.
#[unsafe(no_mangle)]
pub extern "C" fn POMP2_Finalize() {
    program::finalize();
}

/// Goes on with recording.
#[unsafe(no_mangle)]
pub extern "C" fn POMP2_On() {
    program::record(true);
}

/// Stops recording on this thread until `POMP2_On`.
#[unsafe(no_mangle)]
pub extern "C" fn POMP2_Off() {
    program::record(false);
}

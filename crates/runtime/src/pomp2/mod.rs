//! The POMP2 API, so that code which OPARI2 has instrumented links with this library: thin
//! translations into the POMP functions and the core.
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

mod ctc;
pub(crate) mod fortran;
mod functions;
mod task;

use std::ffi::c_char;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::descriptor::Descriptor;

/// A handle's word.
type Word = AtomicPtr<Descriptor>;

/// The descriptor of a construct whose text is `ctc`.
#[inline(always)]
unsafe fn open(word: *const Word, ctc: *const c_char) -> *mut Descriptor {
    // SAFETY: the contract of this module.
    match unsafe { known(word) } {
        // SAFETY: as above.
        None => unsafe { make(&*word, ctc) },
        Some(descriptor) => descriptor,
    }
}

/// The descriptor of a construct that was opened before.
#[inline(always)]
unsafe fn known(word: *const Word) -> Option<*mut Descriptor> {
    // SAFETY: the contract of this module.
    let descriptor = unsafe { (*word).load(Ordering::Acquire) };
    (!descriptor.is_null()).then_some(descriptor)
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

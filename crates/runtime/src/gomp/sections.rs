//! Sections constructs. Libgomp is asked for the number of the next section; all sections of a
//! construct are one region, because their code has no address of its own.

use super::call::Call;
use super::clauses;
use super::single;
use super::thread::{self, Open};
use crate::descriptor::Descriptor;
use crate::pomp;
use crate::unmodified::Directive;

/// The thread executes a section from here on, if libgomp's answer is not 0.
unsafe fn begin_section(construct: *mut Descriptor, number: usize) {
    let has_section = number as u32 != 0;
    if has_section {
        // SAFETY: the descriptor is one of ours.
        unsafe { pomp::POMP_Section_begin(construct) };
    }
    let open = if has_section { Open::Section } else { Open::Sections };
    thread::with_part(|part| part.open(open, construct));
}

/// The section ends that the thread is in, if it is in one. Returns the construct, which is open no
/// longer.
unsafe fn end_section() -> Option<*mut Descriptor> {
    let section = thread::with_part(|part| part.close(Open::Section));
    if let Some(construct) = section {
        // SAFETY: the descriptor is one of ours.
        unsafe { pomp::POMP_Section_end(construct) };
    }
    section.or_else(|| thread::with_part(|part| part.close(Open::Sections)))
}

/// Meets the construct: (sections, table of reductions, memory) -> first section.
pub unsafe extern "C" fn start<const ENTRY: usize>(
    count: usize,
    reductions: usize,
    memory: usize,
) -> usize {
    let call = Call::<ENTRY>::here();
    // SAFETY: the contract of this adapter.
    unsafe {
        let original: unsafe extern "C" fn(usize, usize, usize) -> usize = call.original();
        let Some(construct) = call.construct(Directive::Sections, clauses::none) else {
            return original(count, reductions, memory);
        };
        single::end_body();
        pomp::POMP_Sections_enter(construct);
        let number = original(count, reductions, memory);
        begin_section(construct, number);
        number
    }
}

/// Asks for the next section: () -> section.
pub unsafe extern "C" fn next<const ENTRY: usize>() -> usize {
    let call = Call::<ENTRY>::here();
    // SAFETY: the contract of this adapter.
    unsafe {
        let original: unsafe extern "C" fn() -> usize = call.original();
        let Some(construct) = end_section() else {
            call.settle();
            return original();
        };
        let number = original();
        begin_section(construct, number);
        number
    }
}

/// The end of the construct, with its barrier: () -> whether it was cancelled.
pub unsafe extern "C" fn end<const ENTRY: usize>() -> usize {
    let call = Call::<ENTRY>::here();
    // SAFETY: the contract of this adapter.
    unsafe {
        let original: unsafe extern "C" fn() -> usize = call.original();
        let Some(construct) = end_section() else {
            call.settle();
            return original();
        };
        pomp::POMP_Barrier_enter(construct);
        let answer = original();
        pomp::POMP_Barrier_exit(construct);
        pomp::POMP_Sections_exit(construct);
        answer
    }
}

/// The end of the construct with `nowait`, or of one that is combined with a region.
pub unsafe extern "C" fn end_nowait<const ENTRY: usize>() -> usize {
    let call = Call::<ENTRY>::here();
    // SAFETY: the contract of this adapter.
    unsafe {
        let original: unsafe extern "C" fn() -> usize = call.original();
        let Some(construct) = end_section() else {
            call.settle();
            return original();
        };
        let answer = original();
        pomp::POMP_Sections_exit(construct);
        answer
    }
}

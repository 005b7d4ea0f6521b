//! Sections constructs. Libgomp is asked for the number of the next section; all sections of a
//! construct are one region, because their code has no address of its own.

use super::call::{self, Call};
use super::clauses;
use super::single;
use super::site::Site;
use super::thread::{self, Open};
use crate::unmodified::Directive;
use crate::ways::constructs;

/// A function of libgomp that asks for a section, or ends the construct.
type Next = unsafe extern "C" fn() -> usize;

/// The thread executes a section from here on, if libgomp's answer is not 0.
fn begin_section(site: &'static Site, number: usize) {
    let has_section = number as u32 != 0;
    if has_section {
        constructs::section_begin(site.construct);
    }
    let open = if has_section { Open::Section } else { Open::Sections };
    thread::open(open, site);
}

/// The section ends that the thread is in, if it is in one. Returns the call that has met the
/// construct, which is open no longer.
fn end_section() -> Option<&'static Site> {
    let section = thread::close(Open::Section);
    if let Some(site) = section {
        constructs::section_end(site.construct);
    }
    section.or_else(|| thread::close(Open::Sections))
}

/// Meets the construct: (sections, table of reductions, memory) -> first section.
pub unsafe extern "C" fn start<const ENTRY: usize>(
    count: usize,
    reductions: usize,
    memory: usize,
    from: usize,
) -> usize {
    type Original = unsafe extern "C" fn(usize, usize, usize) -> usize;
    let call = Call::<ENTRY>::from(from);
    // SAFETY: the contract of this adapter.
    unsafe {
        let Some(site) = call.site(Directive::Sections, clauses::none) else {
            return call.original::<Original>()(count, reductions, memory);
        };
        single::end_body();
        constructs::sections_enter(site.construct);
        let number = site.original::<Original>()(count, reductions, memory);
        begin_section(site, number);
        number
    }
}

/// Asks for the next section: () -> section.
pub unsafe extern "C" fn next<const ENTRY: usize>(from: usize) -> usize {
    // SAFETY: the contract of this adapter.
    unsafe {
        let Some(site) = end_section() else {
            return Call::<ENTRY>::from(from).pass_unobserved(0);
        };
        let number = site.ending::<ENTRY, Next>()();
        begin_section(site, number);
        number
    }
}

/// The end of the construct, with its barrier: () -> whether it was cancelled.
pub unsafe extern "C" fn end<const ENTRY: usize>(from: usize) -> usize {
    // SAFETY: the contract of this adapter.
    unsafe {
        let Some(site) = end_section() else {
            return Call::<ENTRY>::from(from).pass_unobserved(0);
        };
        constructs::barrier_enter(site.construct);
        let answer = call::answer::<ENTRY>(site.ending::<ENTRY, Next>()());
        constructs::sections_exit_with_barrier(site.construct);
        answer
    }
}

/// The end of the construct with `nowait`, or of one that is combined with a region.
pub unsafe extern "C" fn end_nowait<const ENTRY: usize>(from: usize) -> usize {
    // SAFETY: the contract of this adapter.
    unsafe {
        let Some(site) = end_section() else {
            return Call::<ENTRY>::from(from).pass_unobserved(0);
        };
        let answer = call::answer::<ENTRY>(site.ending::<ENTRY, Next>()());
        constructs::sections_exit(site.construct);
        answer
    }
}

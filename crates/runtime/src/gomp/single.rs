//! Single constructs. Libgomp is asked who executes the body, and not told when that ends: it ends
//! with the next call that cannot be inside it, a barrier or another worksharing construct. For the
//! other threads the construct is over at once, because without `nowait` the next call is its
//! barrier, and with it the thread does something else.
//!
//! A call that may end a body does not ask first whether one is open. Its event tries the fast way,
//! which finds the construct only where the thread has met it before. In the body of a single
//! construct the thread has never met it, because here the body has always been ended first.

use super::call::Call;
use super::clauses;
use super::site::Site;
use super::thread::{self, Open};
use crate::descriptor::Handle;
use crate::unmodified::Directive;
use crate::ways::constructs;

/// A function of libgomp that begins a construct.
type Start = unsafe extern "C" fn() -> usize;

/// The body of the single construct ends that this thread executes, if it does.
#[inline(always)]
pub fn end_body() {
    if let Some(site) = thread::close(Open::Single) {
        constructs::single_exit_with_body(site.construct);
    }
}

/// Meets a single construct. The body of another one may end.
#[inline(always)]
fn enter(construct: &'static Handle) {
    if !constructs::try_single_enter(construct) {
        enter_after_body(construct);
    }
}

#[inline(never)]
fn enter_after_body(construct: &'static Handle) {
    end_body();
    constructs::single_enter(construct);
}

/// The thread executes the body from here on, or nothing of the construct.
#[inline(always)]
fn begin_body(site: &'static Site, is_chosen: bool) {
    if is_chosen {
        thread::open(Open::Single, site);
        constructs::single_begin(site.construct);
    } else {
        constructs::single_exit(site.construct);
    }
}

/// Asks whether this thread executes the body: () -> bool.
pub unsafe extern "C" fn start<const ENTRY: usize>(from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: the contract of this adapter.
    unsafe {
        let Some(site) = call.site(Directive::Single, clauses::none) else {
            return call.original::<Start>()();
        };
        enter(site.construct);
        let answer = site.original::<Start>()();
        // In two branches, so that no register keeps the answer.
        if answer as u8 == 0 {
            begin_body(site, false);
            return 0;
        }
        begin_body(site, true);
        1
    }
}

/// The same of a construct with `copyprivate`: () -> data. The thread that executes the body gets
/// null, and the others wait for what it will hand over.
pub unsafe extern "C" fn copy_start<const ENTRY: usize>(from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: the contract of this adapter.
    unsafe {
        let words = || clauses::of("copyprivate barrier_included");
        let Some(site) = call.site(Directive::Single, words) else {
            return call.original::<Start>()();
        };
        enter(site.construct);
        let data = site.original::<Start>()();
        begin_body(site, data == 0);
        data
    }
}

/// Hands the data over at the end of the body, and waits until all have them: (data).
pub unsafe extern "C" fn copy_end<const ENTRY: usize>(data: usize, from: usize) -> usize {
    // SAFETY: the contract of this adapter.
    unsafe {
        let Some(site) = thread::close(Open::Single) else {
            return Call::<ENTRY>::from(from).pass_unobserved(data);
        };
        constructs::single_end(site.construct);
        let nothing = site.ending::<ENTRY, unsafe extern "C" fn(usize) -> usize>()(data);
        constructs::single_exit(site.construct);
        nothing
    }
}

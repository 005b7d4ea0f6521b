//! Single constructs. Libgomp is asked who executes the body, and not told when that ends: it ends
//! with the next call that cannot be inside it, a barrier or another worksharing construct. For the
//! other threads the construct is over at once, because without `nowait` the next call is its
//! barrier, and with it the thread does something else.

use super::call::Call;
use super::clauses;
use super::thread::{self, Open};
use crate::descriptor::Given;
use crate::unmodified::Directive;
use crate::ways::constructs;

/// The body of the single construct ends that this thread executes, if it does.
#[inline(always)]
pub fn end_body() {
    if let Some(construct) = thread::with_part(|part| part.close(Open::Single)) {
        constructs::single_end(construct);
        constructs::single_exit(construct);
    }
}

/// The thread executes the body from here on, or nothing of the construct.
fn begin_body(construct: Given, is_chosen: bool) {
    if is_chosen {
        constructs::single_begin(construct);
        thread::with_part(|part| part.open(Open::Single, construct));
    } else {
        constructs::single_exit(construct);
    }
}

/// Asks whether this thread executes the body: () -> bool.
pub unsafe extern "C" fn start<const ENTRY: usize>() -> usize {
    let call = Call::<ENTRY>::here();
    // SAFETY: the contract of this adapter.
    unsafe {
        let original: unsafe extern "C" fn() -> usize = call.original();
        let Some(construct) = call.construct(Directive::Single, clauses::none) else {
            return original();
        };
        end_body();
        constructs::single_enter(construct);
        let answer = original();
        begin_body(construct, answer as u8 != 0);
        answer
    }
}

/// The same of a construct with `copyprivate`: () -> data. The thread that executes the body gets
/// null, and the others wait for what it will hand over.
pub unsafe extern "C" fn copy_start<const ENTRY: usize>() -> usize {
    let call = Call::<ENTRY>::here();
    // SAFETY: the contract of this adapter.
    unsafe {
        let original: unsafe extern "C" fn() -> usize = call.original();
        let words = || clauses::of("copyprivate barrier_included");
        let Some(construct) = call.construct(Directive::Single, words) else {
            return original();
        };
        end_body();
        constructs::single_enter(construct);
        let data = original();
        begin_body(construct, data == 0);
        data
    }
}

/// Hands the data over at the end of the body, and waits until all have them: (data).
pub unsafe extern "C" fn copy_end<const ENTRY: usize>(data: usize) -> usize {
    let call = Call::<ENTRY>::here();
    // SAFETY: the contract of this adapter.
    unsafe {
        let original: unsafe extern "C" fn(usize) -> usize = call.original();
        let Some(construct) = thread::with_part(|part| part.close(Open::Single)) else {
            call.settle();
            return original(data);
        };
        constructs::single_end(construct);
        let nothing = original(data);
        constructs::single_exit(construct);
        nothing
    }
}

//! Parallel regions of programs that a gcc before 4.9 has compiled. The region begins with one call
//! and ends with another one, and between the two the master executes the body by itself: only the
//! other threads get our function. What it needs lies on the heap, because the first call returns
//! before the threads begin.

use super::call::{Arguments, Call};
use super::clauses;
use super::parallel::{Body, With};
use super::thread::{self, Part};
use crate::unmodified::Directive;

/// A region between its two calls.
struct Split {
    body: Body,
    /// What the master executes outside of the region, once it is inside.
    outer: Option<Part>,
}

#[inline(always)]
unsafe fn start<const ENTRY: usize>(arguments: Arguments, with: With) -> usize {
    let call = Call::<ENTRY>::executing(arguments[0]);
    // SAFETY: the contract of this adapter; what is on the heap stays there until `end`.
    unsafe {
        let Some(site) = call.site(Directive::Parallel, clauses::of_region) else {
            return call.pass_on(&arguments);
        };
        let body = Body::of(call, site, || arguments, with);
        let split = Box::into_raw(Box::new(Split { body, outer: None }));
        (*split).body.fork();
        let mut ours = arguments;
        ours[0] = with.run();
        ours[1] = &raw const (*split).body as usize;
        let nothing = call.pass_on(&ours);
        (*split).outer = Some(match with {
            With::Nothing => (*split).body.begin::<false>(),
            With::Loop | With::Sections => (*split).body.begin::<true>(),
        });
        thread::with_part(|part| part.split = split.cast());
        nothing
    }
}

/// `parallel` alone begins: (function, data, threads).
pub unsafe extern "C" fn region<const ENTRY: usize>(
    function: usize,
    data: usize,
    threads: usize,
) -> usize {
    let arguments = [function, data, threads, 0, 0, 0, 0, 0, 0, 0];
    // SAFETY: the contract of this adapter.
    unsafe { start::<ENTRY>(arguments, With::Nothing) }
}

/// With a loop: (function, data, threads, start, end, step, chunk), without a chunk where the
/// schedule is `runtime`.
pub unsafe extern "C" fn with_loop<const ENTRY: usize>(
    function: usize,
    data: usize,
    threads: usize,
    begin: usize,
    end: usize,
    step: usize,
    chunk: usize,
) -> usize {
    let arguments = [function, data, threads, begin, end, step, chunk, 0, 0, 0];
    // SAFETY: the contract of this adapter.
    unsafe { start::<ENTRY>(arguments, With::Loop) }
}

/// With sections: (function, data, threads, sections).
pub unsafe extern "C" fn with_sections<const ENTRY: usize>(
    function: usize,
    data: usize,
    threads: usize,
    count: usize,
) -> usize {
    let arguments = [function, data, threads, count, 0, 0, 0, 0, 0, 0];
    // SAFETY: the contract of this adapter.
    unsafe { start::<ENTRY>(arguments, With::Sections) }
}

/// The master is after the body, and waits for the others.
pub unsafe extern "C" fn end<const ENTRY: usize>(from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: the contract of this adapter; a part that has a split region is its master's, and the
    // region ends here alone.
    unsafe {
        let split = thread::with_part(|part| part.split).cast::<Split>();
        if split.is_null() {
            return call.pass_unobserved(0);
        }
        let split = Box::from_raw(split);
        if let Some(outer) = &split.outer {
            split.body.end(outer);
        }
        let nothing = call.original::<unsafe extern "C" fn() -> usize>()();
        split.body.join();
        nothing
    }
}

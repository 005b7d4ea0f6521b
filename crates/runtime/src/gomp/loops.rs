//! Loops whose iterations libgomp hands out, and what is ordered in them. Static loops make no
//! call: their code computes the iterations of each thread itself.

use pompeii_live::UNKNOWN_ITERATIONS;

use super::call::{Arguments, Call, let_go};
use super::clauses;
use super::single;
use super::table::Entry;
use super::thread::{self, Open};
use crate::descriptor::Words;
use crate::unmodified::Directive;
use crate::ways::constructs;

/// Whether the entry point's loop counts with unsigned numbers: it says first whether they grow.
const fn is_unsigned(entry: usize) -> bool {
    let (first, last) =
        (Entry::GOMP_loop_ull_static_start as usize, Entry::GOMP_loop_ull_ordered_start as usize);
    first <= entry && entry <= last
}

#[inline(always)]
unsafe fn meet<const ENTRY: usize>(
    call: &Call<ENTRY>,
    arguments: &Arguments,
    words: impl FnOnce() -> Words,
    iterations: i64,
) -> usize {
    // SAFETY: the contract of this adapter; the descriptor is one of ours.
    unsafe {
        let Some(site) = call.site(Directive::For, words) else {
            return call.pass_on(arguments);
        };
        single::end_body();
        constructs::for_enter(site.construct, iterations);
        thread::open(Open::Loop, site.construct);
        site.pass_on(arguments)
    }
}

/// Meets a loop: (start, end, step, [schedule,] chunk, first, last, ...) -> whether the thread has
/// iterations. Unsigned loops have a further argument in front of these. Without iterations the
/// end is called, too.
pub unsafe extern "C" fn start<const ENTRY: usize>(
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    g: usize,
    h: usize,
    i: usize,
    j: usize,
) -> usize {
    let call = Call::<ENTRY>::noted();
    let arguments = [a, b, c, d, e, f, g, h, i, j];
    let is_unsigned = const { is_unsigned(ENTRY) };
    let iterations = if is_unsigned { UNKNOWN_ITERATIONS } else { clauses::iterations(a, b, c) };
    let at = if is_unsigned { 4 } else { 3 };
    let words = || clauses::of_loop(call.name(), &arguments, at);
    // SAFETY: the contract of this adapter.
    unsafe { meet(&call, &arguments, words, iterations) }
}

/// As many numbers as a `wait` may have that is observed.
const NUMBERS_MAX: usize = 10;

/// Meets a loop with `ordered(n)`: (n, counts, [schedule,] chunk, first, last, ...).
pub unsafe extern "C" fn doacross_start<const ENTRY: usize>(
    count: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    g: usize,
    h: usize,
) -> usize {
    let call = Call::<ENTRY>::noted();
    let arguments = [count, b, c, d, e, f, g, h, 0, 0];
    if count as u32 as usize > NUMBERS_MAX {
        let waits = [Entry::GOMP_doacross_wait as usize, Entry::GOMP_doacross_ull_wait as usize];
        let_go(call.library(), &waits);
    }
    let words = || clauses::of_loop(call.name(), &arguments, 2);
    // SAFETY: the contract of this adapter.
    unsafe { meet(&call, &arguments, words, UNKNOWN_ITERATIONS) }
}

/// The end of a loop, with its barrier: () -> whether the loop was cancelled.
pub unsafe extern "C" fn end<const ENTRY: usize>(from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: the contract of this adapter; descriptors are ours.
    unsafe {
        let original: unsafe extern "C" fn() -> usize = call.original();
        let Some(construct) = thread::close(Open::Loop) else {
            call.settle();
            return original();
        };
        constructs::barrier_enter(construct);
        let answer = original();
        constructs::barrier_exit(construct);
        constructs::for_exit(construct);
        answer
    }
}

/// The end of a loop with `nowait`, or of one that is combined with a region.
pub unsafe extern "C" fn end_nowait<const ENTRY: usize>(from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: as above.
    unsafe {
        let original: unsafe extern "C" fn() -> usize = call.original();
        let Some(construct) = thread::close(Open::Loop) else {
            call.settle();
            return original();
        };
        let answer = original();
        constructs::for_exit(construct);
        answer
    }
}

/// An ordered region begins when the iteration has its turn.
pub unsafe extern "C" fn ordered_start<const ENTRY: usize>(from: usize) -> usize {
    type Original = unsafe extern "C" fn() -> usize;
    let call = Call::<ENTRY>::from(from);
    // SAFETY: as above.
    unsafe {
        let Some(site) = call.site(Directive::Ordered, clauses::none) else {
            return call.original::<Original>()();
        };
        constructs::ordered_enter(site.construct);
        let nothing = site.original::<Original>()();
        constructs::ordered_begin(site.construct);
        thread::with_part(|part| part.ordered = Some(site.construct));
        nothing
    }
}

/// An ordered region ends.
pub unsafe extern "C" fn ordered_end<const ENTRY: usize>(from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: as above.
    unsafe {
        let original: unsafe extern "C" fn() -> usize = call.original();
        let Some(construct) = thread::with_part(|part| part.ordered.take()) else {
            call.settle();
            return original();
        };
        constructs::ordered_end(construct);
        let nothing = original();
        constructs::ordered_exit(construct);
        nothing
    }
}

/// Tells later iterations of a doacross loop that this one has come here: (numbers).
pub unsafe extern "C" fn post<const ENTRY: usize>(numbers: usize, from: usize) -> usize {
    type Original = unsafe extern "C" fn(usize) -> usize;
    let call = Call::<ENTRY>::from(from);
    // SAFETY: as above.
    unsafe {
        let words = || clauses::of("doacross(source:omp_cur_iteration)");
        let Some(site) = call.site(Directive::Ordered, words) else {
            return call.original::<Original>()(numbers);
        };
        constructs::ordered_enter(site.construct);
        let nothing = site.original::<Original>()(numbers);
        constructs::ordered_exit(site.construct);
        nothing
    }
}

/// Waits for another iteration of a doacross loop, which as many numbers name as the loop has
/// dimensions.
pub unsafe extern "C" fn wait<const ENTRY: usize>(
    a: usize,
    b: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    g: usize,
    h: usize,
    i: usize,
    j: usize,
) -> usize {
    let call = Call::<ENTRY>::noted();
    let arguments: [usize; NUMBERS_MAX] = [a, b, c, d, e, f, g, h, i, j];
    // SAFETY: as above; loops of more dimensions let these calls go.
    unsafe {
        let words = || clauses::of("doacross(sink)");
        let Some(site) = call.site(Directive::Ordered, words) else {
            return call.pass_on(&arguments);
        };
        constructs::ordered_enter(site.construct);
        let nothing = site.pass_on(&arguments);
        constructs::ordered_exit(site.construct);
        nothing
    }
}

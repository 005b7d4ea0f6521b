//! Loops whose iterations libgomp hands out, and what is ordered in them. Static loops make no
//! call: their code computes the iterations of each thread itself.

use pompeii_live::UNKNOWN_ITERATIONS;

use super::call::{self, Call, Frame, let_go};
use super::clauses;
use super::single;
use super::site::Found;
use super::table::Entry;
use super::thread::{self, Open};
use crate::descriptor::Words;
use crate::unmodified::Directive;
use crate::ways::constructs;

/// A function of libgomp without arguments.
type Ending = unsafe extern "C" fn() -> usize;

/// Whether the entry point's loop counts with unsigned numbers: it says first whether they grow.
const fn is_unsigned(entry: usize) -> bool {
    let (first, last) =
        (Entry::GOMP_loop_ull_static_start as usize, Entry::GOMP_loop_ull_ordered_start as usize);
    first <= entry && entry <= last
}

/// How many iterations the loop of a call has.
#[inline(always)]
fn iterations<const ENTRY: usize>(frame: &Frame) -> i64 {
    if const { is_unsigned(ENTRY) } {
        return UNKNOWN_ITERATIONS;
    }
    let [start, end, step] = frame.first_three();
    clauses::iterations(start, end, step)
}

/// A function of libgomp with at most six arguments.
type OfSix = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> usize;

/// Meets a loop: (start, end, step, [chunk,] first, last) -> whether the thread has iterations.
/// Without iterations the end is called, too.
///
/// The call of libgomp is the last thing that happens here, and has the same arguments. So those
/// stay in their registers, unless the event needs these.
pub unsafe extern "C" fn start_of_six<const ENTRY: usize>(
    start: usize,
    end: usize,
    step: usize,
    d: usize,
    e: usize,
    f: usize,
    from: f64,
) -> usize {
    let call = Call::<ENTRY>::from(from.to_bits() as usize);
    let count = clauses::iterations(start, end, step);
    // SAFETY: the contract of this adapter.
    unsafe {
        match call.known_site(Directive::For) {
            Some(found) if constructs::try_for_enter::<false>(found.site().construct, count) => {
                thread::open(Open::Loop, found.site());
                found.site().original::<OfSix>()(start, end, step, d, e, f)
            }
            _ => start_of_six_otherwise::<ENTRY>(start, end, step, d, e, f, from),
        }
    }
}

/// The same of a thread with a trace, or where the number of iterations is another one than last
/// time. (It has the same arguments, so that they stay where they are.)
#[inline(never)]
unsafe extern "C" fn start_of_six_otherwise<const ENTRY: usize>(
    start: usize,
    end: usize,
    step: usize,
    d: usize,
    e: usize,
    f: usize,
    from: f64,
) -> usize {
    let call = Call::<ENTRY>::from(from.to_bits() as usize);
    let count = clauses::iterations(start, end, step);
    // SAFETY: the contract of this adapter.
    unsafe {
        match call.known_site(Directive::For) {
            Some(found) if thread::open_unless_single(Open::Loop, found.site()) => {
                constructs::for_enter(found.site().construct, count);
                found.site().original::<OfSix>()(start, end, step, d, e, f)
            }
            _ => start_of_six_at_first(call, [start, end, step, d, e, f]),
        }
    }
}

/// The same at the first call, or after the body of a single construct.
#[cold]
#[inline(never)]
unsafe fn start_of_six_at_first<const ENTRY: usize>(
    call: Call<ENTRY>,
    [start, end, step, d, e, f]: [usize; 6],
) -> usize {
    let arguments = [start, end, step, d, e, f, 0, 0, 0, 0];
    let words = || clauses::of_loop(call.name(), &arguments, 3);
    let original = meet(call, words, clauses::iterations(start, end, step));
    // SAFETY: the contract of this adapter.
    unsafe { call::function::<OfSix>(original)(start, end, step, d, e, f) }
}

/// The same of a call with more arguments: (start, end, step, schedule, chunk, first, last, ...).
/// Unsigned loops have a further argument in front of these, and no schedule in most cases.
///
/// The event is the last thing that happens here, so the function needs no frame of its own.
pub unsafe extern "C" fn start<const ENTRY: usize>(frame: *mut Frame) -> usize {
    // SAFETY: the contract of this adapter.
    let frame = unsafe { &mut *frame };
    let known = frame.call::<ENTRY>().known_site(Directive::For).map(Found::site);
    match known {
        Some(site)
            if constructs::try_for_enter::<true>(site.construct, iterations::<ENTRY>(frame)) =>
        {
            frame.original = site.original;
            thread::open(Open::Loop, site);
        }
        _ => start_otherwise::<ENTRY>(frame),
    }
    0
}

/// The same at the first call, or after the body of a single construct.
#[cold]
#[inline(never)]
fn start_otherwise<const ENTRY: usize>(frame: &mut Frame) {
    let at = if const { is_unsigned(ENTRY) } { 4 } else { 3 };
    let call = frame.call::<ENTRY>();
    let words = || clauses::of_loop(call.name(), &frame.arguments(), at);
    frame.original = meet(call, words, iterations::<ENTRY>(frame));
}

/// Meets the loop of a call on any way. Returns where the call goes on to.
fn meet<const ENTRY: usize>(
    call: Call<ENTRY>,
    words: impl FnOnce() -> Words,
    iterations: i64,
) -> usize {
    let Some(site) = call.site(Directive::For, words) else {
        return call.original_address();
    };
    single::end_body();
    constructs::for_enter(site.construct, iterations);
    thread::open(Open::Loop, site);
    site.original
}

/// As many numbers as a `wait` may have that is observed.
const NUMBERS_MAX: usize = 10;

/// Meets a loop with `ordered(n)`: (n, counts, [schedule,] chunk, first, last, ...).
pub unsafe extern "C" fn doacross_start<const ENTRY: usize>(frame: *mut Frame) -> usize {
    // SAFETY: the contract of this adapter.
    let frame = unsafe { &mut *frame };
    let [count, ..] = frame.first_three();
    if count as u32 as usize > NUMBERS_MAX {
        let waits = [Entry::GOMP_doacross_wait as usize, Entry::GOMP_doacross_ull_wait as usize];
        let_go(frame.call::<ENTRY>().library(), &waits);
    }
    let call = frame.call::<ENTRY>();
    let words = || clauses::of_loop(call.name(), &frame.arguments(), 2);
    frame.original = meet(call, words, UNKNOWN_ITERATIONS);
    0
}

/// The end of a loop, with its barrier: () -> whether the loop was cancelled.
pub unsafe extern "C" fn end<const ENTRY: usize>(from: usize) -> usize {
    // SAFETY: the contract of this adapter; descriptors are ours.
    unsafe {
        let Some(site) = thread::close(Open::Loop) else {
            return Call::<ENTRY>::from(from).pass_unobserved(0);
        };
        constructs::barrier_enter(site.construct);
        let answer = call::answer::<ENTRY>(site.ending::<ENTRY, Ending>()());
        constructs::for_exit_with_barrier(site.construct);
        answer
    }
}

/// The end of a loop with `nowait`, or of one that is combined with a region.
pub unsafe extern "C" fn end_nowait<const ENTRY: usize>(from: usize) -> usize {
    // SAFETY: as above.
    unsafe {
        let Some(site) = thread::close(Open::Loop) else {
            return Call::<ENTRY>::from(from).pass_unobserved(0);
        };
        let answer = call::answer::<ENTRY>(site.ending::<ENTRY, Ending>()());
        constructs::for_exit(site.construct);
        answer
    }
}

/// An ordered region begins when the iteration has its turn.
pub unsafe extern "C" fn ordered_start<const ENTRY: usize>(from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: as above.
    unsafe {
        let Some(site) = call.site(Directive::Ordered, clauses::none) else {
            return call.original::<Ending>()();
        };
        constructs::ordered_enter(site.construct);
        site.original::<Ending>()();
        thread::with_part(|part| part.ordered = Some(site));
        constructs::ordered_begin(site.construct);
        0
    }
}

/// An ordered region ends.
pub unsafe extern "C" fn ordered_end<const ENTRY: usize>(from: usize) -> usize {
    // SAFETY: as above.
    unsafe {
        let Some(site) = thread::with_part(|part| part.ordered.take()) else {
            return Call::<ENTRY>::from(from).pass_unobserved(0);
        };
        constructs::ordered_end(site.construct);
        site.ending::<ENTRY, Ending>()();
        constructs::ordered_exit(site.construct);
        0
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
pub unsafe extern "C" fn wait<const ENTRY: usize>(frame: *mut Frame) -> usize {
    // SAFETY: as above; loops of more dimensions let these calls go.
    unsafe {
        let (call, arguments) = ((*frame).call::<ENTRY>(), (*frame).arguments());
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

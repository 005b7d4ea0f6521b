//! Loops whose iterations libgomp hands out, and what is ordered in them. Static loops make no
//! call: their code computes the iterations of each thread itself.

use pompeii_live::UNKNOWN_ITERATIONS;

use super::call::{self, Arguments, Call, Frame, let_go};
use super::clauses;
use super::single;
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

/// Meets a loop: (start, end, step, [schedule,] chunk, first, last, ...) -> whether the thread has
/// iterations. Unsigned loops have a further argument in front of these. Without iterations the
/// end is called, too.
///
/// The event is the last thing that happens here, so the function needs no frame of its own.
pub unsafe extern "C" fn start<const ENTRY: usize>(frame: *mut Frame) -> usize {
    // SAFETY: the contract of this adapter.
    let frame = unsafe { &mut *frame };
    match frame.call::<ENTRY>().known_site(Directive::For) {
        Some(site) if thread::open_unless_single(Open::Loop, site) => {
            frame.original = site.original;
            constructs::for_enter(site.construct, iterations::<ENTRY>(frame));
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
    let words = |name: &str, arguments: &Arguments| clauses::of_loop(name, arguments, at);
    meet::<ENTRY>(frame, words, iterations::<ENTRY>(frame));
}

/// Meets the loop of a call on any way.
fn meet<const ENTRY: usize>(
    frame: &mut Frame,
    words: impl FnOnce(&str, &Arguments) -> Words,
    iterations: i64,
) {
    let call = frame.call::<ENTRY>();
    let words = || words(call.name(), &frame.arguments());
    let Some(site) = call.site(Directive::For, words) else {
        frame.original = call.original_address();
        return;
    };
    frame.original = site.original;
    single::end_body();
    constructs::for_enter(site.construct, iterations);
    thread::open(Open::Loop, site);
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
    let words = |name: &str, arguments: &Arguments| clauses::of_loop(name, arguments, 2);
    meet::<ENTRY>(frame, words, UNKNOWN_ITERATIONS);
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
        constructs::barrier_exit(site.construct);
        constructs::for_exit(site.construct);
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

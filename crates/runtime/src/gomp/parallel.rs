//! Parallel regions. Libgomp gets a function of ours in place of that of the region's body, so that
//! each thread's part has a begin and an end. What this function needs lies on the master's stack:
//! all threads have left it before the call returns.
//!
//! The end of the function is where a thread arrives at the region's barrier; the return of the
//! master's call is when all have left it.

use std::ffi::c_void;

use super::call::{Arguments, Call};
use super::clauses;
use super::single;
use super::site::Site;
use super::table::Entry;
use super::thread::{self, Open, Part};
use crate::parts;
use crate::unmodified::Directive;
use crate::ways::{constructs, teams};

/// The construct that the region is combined with.
#[derive(Clone, Copy)]
pub enum Inner {
    /// None.
    Nothing,
    /// A loop of this number of iterations.
    Loop(&'static Site, i64),
    /// A sections construct.
    Sections(&'static Site),
}

/// What the threads of a region need. Libgomp reads the table of task reductions from the first
/// word of the data of a region, so there is a copy of that word.
#[repr(C)]
pub struct Body {
    #[allow(dead_code, reason = "libgomp reads it")]
    reductions: usize,
    function: usize,
    data: *mut c_void,
    site: &'static Site,
    inner: Inner,
    team: i64,
}

impl Body {
    /// The region that a call is about to start; `None` where it goes unobserved.
    #[inline(always)]
    pub unsafe fn of<const ENTRY: usize>(
        call: &Call<ENTRY>,
        arguments: &Arguments,
        with: With,
    ) -> Option<Self> {
        let &[function, data, _threads, ..] = arguments;
        let site = call.site(Directive::Parallel, clauses::of_region)?;
        let inner = match with {
            With::Nothing => Inner::Nothing,
            With::Loop => {
                let words = || clauses::of_loop(call.name(), arguments, 6);
                let &[_, _, _, start, end, step, ..] = arguments;
                let count = clauses::iterations(start, end, step);
                let inner = call.site(Directive::For, words);
                inner.map_or(Inner::Nothing, |inner| Inner::Loop(inner, count))
            }
            With::Sections => {
                let inner = call.site(Directive::Sections, clauses::none);
                inner.map_or(Inner::Nothing, Inner::Sections)
            }
        };
        let data = data as *mut c_void;
        let reductions = match ENTRY == Entry::GOMP_parallel_reductions as usize {
            // SAFETY: libgomp reads the same word.
            true => unsafe { data.cast::<usize>().read() },
            false => 0,
        };
        Some(Self { reductions, function, data, site, inner, team: -1 })
    }

    /// The master meets the region.
    #[inline(always)]
    pub unsafe fn fork(&mut self) {
        // SAFETY: the contract of this adapter; the descriptor is one of ours.
        unsafe { teams::fork(self.site.construct, &raw mut self.team) };
    }

    /// The master is after the region.
    #[inline(always)]
    pub fn join(&self) {
        teams::join(self.site.construct, self.team);
    }

    /// The thread begins its part. Returns what [`Body::end`] gets.
    #[inline(always)]
    pub fn begin(&self) -> Part {
        let Site { construct, library, .. } = *self.site;
        let outer = thread::enter(self.function, library.name_in_parts());
        match library.is_asked {
            true => teams::begin(construct, self.team),
            // Another copy of libgomp than the one that POMP's functions ask.
            false => parts::begin_as(
                construct,
                |_| u32::try_from(self.team).ok(),
                || library.thread_of_team(),
            ),
        }
        match self.inner {
            Inner::Nothing => {}
            Inner::Loop(site, iterations) => {
                constructs::for_enter(site.construct, iterations);
                thread::open(Open::Loop, site);
            }
            Inner::Sections(site) => {
                constructs::sections_enter(site.construct);
                thread::open(Open::Sections, site);
            }
        }
        outer
    }

    /// The thread ends its part. What a cancelled region has left open ends with it.
    #[inline(always)]
    pub fn end(&self, outer: &Part) {
        single::end_body();
        teams::end(self.site.construct, self.team);
        thread::leave(outer);
    }
}

/// What a region is combined with, as the entry point says.
#[derive(Clone, Copy)]
pub enum With {
    /// Nothing.
    Nothing,
    /// A loop.
    Loop,
    /// Sections.
    Sections,
}

/// What each thread of a region executes.
pub unsafe extern "C" fn run(body: *const Body) {
    // SAFETY: libgomp hands over what `start` has handed to it, which is there until all threads
    // are back.
    unsafe {
        let body = &*body;
        let outer = body.begin();
        std::mem::transmute::<usize, extern "C" fn(*mut c_void)>(body.function)(body.data);
        body.end(&outer);
    }
}

/// Starts a region. `pass_on` calls a function of libgomp with this function and data in place of
/// those of the region, and all other arguments.
#[inline(always)]
unsafe fn start<const ENTRY: usize, F: Copy>(
    arguments: &Arguments,
    with: With,
    pass_on: impl FnOnce(F, usize, usize) -> usize,
) -> usize {
    let call = Call::<ENTRY>::executing(arguments[0]);
    // SAFETY: the contract of this adapter.
    unsafe {
        let Some(mut body) = Body::of(&call, arguments, with) else {
            return unobserved(&call, arguments);
        };
        body.fork();
        let run = run as *const () as usize;
        let result = pass_on(body.site.original(), run, &raw const body as usize);
        body.join();
        result
    }
}

/// Passes the call of a region on that is not observed. What is open around it is none of its own.
#[cold]
#[inline(never)]
unsafe fn unobserved<const ENTRY: usize>(call: &Call<ENTRY>, arguments: &Arguments) -> usize {
    let outer = thread::enter(0, call.library().name_in_parts());
    // SAFETY: the contract of this adapter.
    let result = unsafe { call.pass_on(arguments) };
    thread::leave(&outer);
    result
}

/// `parallel` alone, also with task reductions: (function, data, threads, flags).
pub unsafe extern "C" fn region<const ENTRY: usize>(
    function: usize,
    data: usize,
    threads: usize,
    flags: usize,
) -> usize {
    type Original = unsafe extern "C" fn(usize, usize, usize, usize) -> usize;
    let arguments = [function, data, threads, flags, 0, 0, 0, 0, 0, 0];
    // SAFETY: the contract of this adapter.
    unsafe {
        let pass_on = |original: Original, run, body| original(run, body, threads, flags);
        start::<ENTRY, _>(&arguments, With::Nothing, pass_on)
    }
}

/// The function of libgomp.
type OfLoop = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize, usize, usize) -> usize;

/// With a loop: (function, data, threads, start, end, step, chunk, flags), without a chunk where
/// the schedule is `runtime`.
pub unsafe extern "C" fn with_loop<const ENTRY: usize>(
    function: usize,
    data: usize,
    threads: usize,
    begin: usize,
    end: usize,
    step: usize,
    chunk: usize,
    flags: usize,
) -> usize {
    let arguments = [function, data, threads, begin, end, step, chunk, flags, 0, 0];
    // SAFETY: the contract of this adapter.
    unsafe {
        let pass_on = |original: OfLoop, run, body| {
            original(run, body, threads, begin, end, step, chunk, flags)
        };
        start::<ENTRY, _>(&arguments, With::Loop, pass_on)
    }
}

/// With sections: (function, data, threads, sections, flags).
pub unsafe extern "C" fn with_sections<const ENTRY: usize>(
    function: usize,
    data: usize,
    threads: usize,
    count: usize,
    flags: usize,
) -> usize {
    type Original = unsafe extern "C" fn(usize, usize, usize, usize, usize) -> usize;
    let arguments = [function, data, threads, count, flags, 0, 0, 0, 0, 0];
    // SAFETY: the contract of this adapter.
    unsafe {
        let pass_on = |original: Original, run, body| original(run, body, threads, count, flags);
        start::<ENTRY, _>(&arguments, With::Sections, pass_on)
    }
}

//! Parallel regions. Libgomp gets a function of ours in place of that of the region's body, so that
//! each thread's part has a begin and an end. What this function needs lies on the master's stack:
//! all threads have left it before the call returns.
//!
//! The end of the function is where a thread arrives at the region's barrier; the return of the
//! master's call is when all have left it.

use std::ffi::c_void;
use std::mem::MaybeUninit;

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
enum Inner {
    /// One that is not observed.
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
    reductions: MaybeUninit<usize>,
    function: usize,
    data: *mut c_void,
    site: &'static Site,
    /// Only of a region that is combined with something.
    inner: MaybeUninit<Inner>,
    /// Written by [`Body::fork`].
    team: MaybeUninit<i64>,
}

impl Body {
    /// The region that a call at this place is about to start.
    #[inline(always)]
    pub unsafe fn of<const ENTRY: usize>(
        call: Call<ENTRY>,
        site: &'static Site,
        arguments: impl Fn() -> Arguments,
        with: With,
    ) -> Self {
        let mut body = MaybeUninit::uninit();
        // SAFETY: the caller's promise; both together write all of it.
        unsafe {
            Self::write_function(&mut body, &arguments);
            Self::write_rest(&mut body, call, site, arguments, with);
            body.assume_init()
        }
    }

    /// Writes the function and its data. (Before anything else, the arguments need not be kept.)
    #[inline(always)]
    fn write_function(body: &mut MaybeUninit<Self>, arguments: &impl Fn() -> Arguments) {
        let [function, data, ..] = arguments();
        let body = body.as_mut_ptr();
        // SAFETY: fields of the body.
        unsafe {
            (&raw mut (*body).function).write(function);
            (&raw mut (*body).data).write(data as *mut c_void);
        }
    }

    /// Writes what else there is but for the team.
    #[inline(always)]
    unsafe fn write_rest<const ENTRY: usize>(
        body: &mut MaybeUninit<Self>,
        call: Call<ENTRY>,
        site: &'static Site,
        arguments: impl Fn() -> Arguments,
        with: With,
    ) {
        let inner = match with {
            With::Nothing => MaybeUninit::uninit(),
            With::Loop => {
                let words = || clauses::of_loop(call.name(), &arguments(), 6);
                let [_, _, _, start, end, step, ..] = arguments();
                let count = clauses::iterations(start, end, step);
                let inner = call.site(Directive::For, words);
                MaybeUninit::new(inner.map_or(Inner::Nothing, |inner| Inner::Loop(inner, count)))
            }
            With::Sections => {
                let inner = call.site(Directive::Sections, clauses::none);
                MaybeUninit::new(inner.map_or(Inner::Nothing, Inner::Sections))
            }
        };
        let body = body.as_mut_ptr();
        // SAFETY: fields of the body; libgomp reads the same word.
        unsafe {
            if ENTRY == Entry::GOMP_parallel_reductions as usize {
                let reductions = (arguments()[1] as *const usize).read();
                (&raw mut (*body).reductions).write(MaybeUninit::new(reductions));
            }
            (&raw mut (*body).site).write(site);
            (&raw mut (*body).inner).write(inner);
        }
    }

    /// The master meets the region.
    #[inline(always)]
    pub unsafe fn fork(&mut self) {
        // SAFETY: the contract of this adapter; the descriptor is one of ours.
        unsafe { teams::fork(self.site.construct, self.team.as_mut_ptr()) };
    }

    /// The team that was forked.
    #[inline(always)]
    fn team(&self) -> i64 {
        // SAFETY: the fork comes first, and calls on constructs of this adapter carry a team.
        unsafe { self.team.assume_init() }
    }

    /// The master is after the region.
    #[inline(always)]
    pub fn join(&self) {
        teams::join(self.site.construct, self.team());
    }

    /// The thread begins its part. Returns what [`Body::end`] gets.
    ///
    /// # Safety
    /// `IS_COMBINED` must be what the region is.
    pub unsafe fn begin<const IS_COMBINED: bool>(&self) -> Part {
        let Site { construct, library, .. } = *self.site;
        let outer = thread::enter(self.function, library.name_in_parts());
        match library.is_asked {
            true => teams::begin(construct, self.team()),
            // Another copy of libgomp than the one that POMP's functions ask.
            false => parts::begin_as(
                construct,
                |_| u32::try_from(self.team()).ok(),
                || library.thread_of_team(),
            ),
        }
        if IS_COMBINED {
            // SAFETY: the caller's promise.
            unsafe { self.begin_inner() };
        }
        outer
    }

    /// The thread meets what the region is combined with, which must be something.
    #[inline(always)]
    unsafe fn begin_inner(&self) {
        // SAFETY: the caller's promise.
        match unsafe { self.inner.assume_init() } {
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
    }

    /// Executes the region's body.
    #[inline(always)]
    unsafe fn execute(&self) {
        // SAFETY: the contract of this adapter.
        unsafe {
            std::mem::transmute::<usize, extern "C" fn(*mut c_void)>(self.function)(self.data);
        }
    }

    /// The thread ends its part. What a cancelled region has left open ends with it.
    pub fn end(&self, outer: &Part) {
        single::end_body();
        teams::end(self.site.construct, self.team());
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

impl With {
    /// The function that each thread executes.
    #[inline(always)]
    pub fn run(self) -> usize {
        match self {
            With::Nothing => run::<false> as *const () as usize,
            With::Loop | With::Sections => run::<true> as *const () as usize,
        }
    }
}

/// What each thread of a region executes, which is combined with something or not. Mostly nothing
/// is open around it, so that there is little to save.
pub unsafe extern "C" fn run<const IS_COMBINED: bool>(body: *const Body) {
    // SAFETY: libgomp hands over what `start` has handed to it, which is there until all threads
    // are back.
    unsafe {
        let Body { function, site, .. } = &*body;
        let library = site.library.name_if_asked();
        let Some(outer) = thread::enter_simply(*function, library) else {
            return run_otherwise::<IS_COMBINED>(&*body);
        };
        teams::begin_in_frame(|| (*body).site.construct, || (*body).team());
        if IS_COMBINED {
            (*body).begin_inner();
        }
        (*body).execute();
        if !thread::leave_simply(outer) {
            end_what_is_open();
        }
        teams::end((*body).site.construct, (*body).team());
    }
}

/// The same where something is open around the region, or for the first region of the thread.
#[cold]
#[inline(never)]
unsafe fn run_otherwise<const IS_COMBINED: bool>(body: &Body) {
    let Site { library, .. } = *body.site;
    // SAFETY: as above.
    unsafe {
        // Another copy of libgomp than the one that POMP's functions ask is never expected.
        if library.is_asked && thread::expect_library(library.name_if_asked()) {
            return run::<IS_COMBINED>(body);
        }
        let outer = body.begin::<IS_COMBINED>();
        body.execute();
        body.end(&outer);
    }
}

/// A part ends in which something is still open: the body of a single construct, or what a
/// cancelled region has left.
#[cold]
#[inline(never)]
fn end_what_is_open() {
    single::end_body();
    thread::close_all();
}

/// Starts a region. `pass_on` calls a function of libgomp with this function and data in place of
/// those of the region, and all other arguments.
#[inline(always)]
unsafe fn start<const ENTRY: usize, F: Copy>(
    arguments: impl Fn() -> Arguments,
    with: With,
    pass_on: impl FnOnce(F, usize, usize) -> usize,
) -> usize {
    let call = Call::<ENTRY>::executing(arguments()[0]);
    let mut body = MaybeUninit::uninit();
    Body::write_function(&mut body, &arguments);
    // SAFETY: the contract of this adapter.
    unsafe {
        match call.known_site(Directive::Parallel) {
            Some(found) => start_at::<ENTRY, F>(body, found.site(), arguments, with, pass_on),
            None => start_otherwise::<ENTRY, F>(arguments, with, pass_on),
        }
    }
}

/// The same at the first call.
#[cold]
#[inline(never)]
unsafe fn start_otherwise<const ENTRY: usize, F: Copy>(
    arguments: impl Fn() -> Arguments,
    with: With,
    pass_on: impl FnOnce(F, usize, usize) -> usize,
) -> usize {
    let call = Call::<ENTRY>::executing(arguments()[0]);
    // SAFETY: the contract of this adapter.
    unsafe {
        match call.site(Directive::Parallel, clauses::of_region) {
            Some(site) => {
                let mut body = MaybeUninit::uninit();
                Body::write_function(&mut body, &arguments);
                start_at::<ENTRY, F>(body, site, arguments, with, pass_on)
            }
            None => unobserved(call, &arguments()),
        }
    }
}

/// The same of a call at this place. The body has its function.
#[inline(always)]
unsafe fn start_at<const ENTRY: usize, F: Copy>(
    mut body: MaybeUninit<Body>,
    site: &'static Site,
    arguments: impl Fn() -> Arguments,
    with: With,
    pass_on: impl FnOnce(F, usize, usize) -> usize,
) -> usize {
    // SAFETY: the contract of this adapter.
    unsafe {
        let call = Call::<ENTRY>::executing(arguments()[0]);
        Body::write_rest(&mut body, call, site, arguments, with);
        let body = body.assume_init_mut();
        body.fork();
        let result = pass_on(body.site.original(), with.run(), &raw const *body as usize);
        body.join();
        // The other ones answer nothing.
        if ENTRY == Entry::GOMP_parallel_reductions as usize { result } else { 0 }
    }
}

/// Passes the call of a region on that is not observed. What is open around it is none of its own.
#[cold]
#[inline(never)]
unsafe fn unobserved<const ENTRY: usize>(call: Call<ENTRY>, arguments: &Arguments) -> usize {
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
    let arguments = || [function, data, threads, flags, 0, 0, 0, 0, 0, 0];
    // SAFETY: the contract of this adapter.
    unsafe {
        let pass_on = |original: Original, run, body| original(run, body, threads, flags);
        start::<ENTRY, _>(arguments, With::Nothing, pass_on)
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
    let arguments = || [function, data, threads, begin, end, step, chunk, flags, 0, 0];
    // SAFETY: the contract of this adapter.
    unsafe {
        let pass_on = |original: OfLoop, run, body| {
            original(run, body, threads, begin, end, step, chunk, flags)
        };
        start::<ENTRY, _>(arguments, With::Loop, pass_on)
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
    let arguments = || [function, data, threads, count, flags, 0, 0, 0, 0, 0];
    // SAFETY: the contract of this adapter.
    unsafe {
        let pass_on = |original: Original, run, body| original(run, body, threads, count, flags);
        start::<ENTRY, _>(arguments, With::Sections, pass_on)
    }
}

//! What a thread keeps between two calls of libgomp: what it executes, and what it has open there.
//! A call that ends a construct does not say which one.
//!
//! It lies in a variable of the thread as the word of [`crate::tls`] does, and is all zeros at
//! first. What belongs to a part of a parallel region is saved on the stack when another part
//! begins inside, so that each call finds it without a pointer.

use std::mem::{offset_of, replace};
use std::ptr::{null, null_mut};

use super::site::Site;
use crate::descriptor::Handle;

/// Nested taskgroups of a thread that are observed.
const GROUPS_MAX: usize = 16;
/// Critical sections that a thread may be in at the same time, so that they are observed.
const CRITICALS_MAX: usize = 8;

core::arch::global_asm!(
    ".section .tbss,\"awT\",@nobits",
    ".balign 16",
    ".hidden pompeii_gomp_thread",
    ".globl pompeii_gomp_thread",
    ".type pompeii_gomp_thread, @object",
    ".size pompeii_gomp_thread, {size}",
    "pompeii_gomp_thread: .zero {size}",
    ".text",
    size = const size_of::<Thread>()
);

/// A thread's variable.
#[repr(C)]
struct Thread {
    part: Part,
    critical_count: usize,
    /// The critical sections that the thread is in, by their locks; 0 is the one of all without a
    /// name.
    criticals: [(usize, Option<&'static Site>); CRITICALS_MAX],
    groups: [Option<&'static Handle>; GROUPS_MAX],
}

/// A construct that ends with a later call.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u64)]
pub enum Open {
    /// None is open.
    Nothing = 0,
    /// A loop.
    Loop,
    /// A sections construct.
    Sections,
    /// A section of it.
    Section,
    /// The body of a single construct, which ends with the next call that cannot be inside.
    Single,
}

/// A thread's part of a parallel region, or what it executes outside of regions. All zeros are a
/// value: nothing is open.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Part {
    /// The function that is executed, 0 outside of regions.
    pub function: usize,
    /// The copy of libgomp that has the region, or, outside of regions, may have had the last one
    /// ([`super::library`]).
    pub library: *const (),
    /// The ordered region that the thread is in.
    pub ordered: Option<&'static Site>,
    /// The region of a program of a gcc before 4.9, whose begin and end are two calls
    /// ([`super::split`]).
    pub split: *mut (),
    open: Open,
    open_site: Option<&'static Site>,
    /// Taskgroups that the thread is in, those around the part included.
    group_count: usize,
}

impl Part {
    /// Whether nothing is open in it, nor a taskgroup around it. (One comparison for all words.)
    #[inline(always)]
    fn has_nothing_open(&self) -> bool {
        let ordered = self.ordered.map_or(0, |site| std::ptr::from_ref(site) as usize);
        ordered | self.split as usize | self.open as usize | self.group_count == 0
    }

    /// A part in which nothing is open.
    const NEW: Part = Part {
        function: 0,
        library: null(),
        ordered: None,
        split: null_mut(),
        open: Open::Nothing,
        open_site: None,
        group_count: 0,
    };
}

#[inline(always)]
fn here() -> *mut Thread {
    let place: usize;
    // SAFETY: adds the place of the variable defined above to that of the thread's variables, whose
    // first word is its own address.
    unsafe {
        core::arch::asm!(
            "mov {0}, qword ptr fs:[0]",
            "add {0}, qword ptr [rip + pompeii_gomp_thread@GOTTPOFF]",
            out(reg) place,
            options(nostack, readonly)
        );
    }
    place as *mut Thread
}

/// Does something with the part that this thread is in. It must not call the program or libgomp.
#[inline(always)]
pub fn with_part<T>(change: impl FnOnce(&mut Part) -> T) -> T {
    // SAFETY: only this thread uses its variable, and `change` comes back here before there is
    // another use.
    change(unsafe { &mut (*here()).part })
}

/// The construct of this call is open now, as this.
#[inline(always)]
pub fn open(as_what: Open, site: &'static Site) {
    with_part(|part| (part.open, part.open_site) = (as_what, Some(site)));
}

/// The same where no body of a single construct is open; false, with nothing done, where one is.
#[inline(always)]
pub fn open_unless_single(as_what: Open, site: &'static Site) -> bool {
    with_part(|part| {
        if part.open == Open::Single {
            return false;
        }
        (part.open, part.open_site) = (as_what, Some(site));
        true
    })
}

/// The call that has opened what is open as this; it no longer is.
#[inline(always)]
pub fn close(as_what: Open) -> Option<&'static Site> {
    with_part(|part| {
        if part.open != as_what {
            return None;
        }
        part.open = Open::Nothing;
        // SAFETY: `open` writes both, and no other function opens anything.
        unsafe { std::hint::assert_unchecked(part.open_site.is_some()) };
        part.open_site
    })
}

/// This thread begins a part, in which it executes this function and nothing is open. Returns what
/// [`leave`] gets.
#[inline(always)]
pub fn enter(function: usize, library: *const ()) -> Part {
    with_part(|part| {
        let group_count = part.group_count;
        replace(part, Part { function, library, group_count, ..Part::NEW })
    })
}

/// This thread is again in the part around, which [`enter`] has returned.
#[inline(always)]
pub fn leave(outer: &Part) {
    with_part(|part| *part = *outer);
}

/// The same for a part inside one of the same copy of libgomp in which nothing is open, so that
/// only the function has to be saved, which is returned; `None`, with nothing done, for others.
#[inline(always)]
pub fn enter_simply(function: usize, library: *const ()) -> Option<usize> {
    with_part(|part| {
        let is_simple = part.library == library && part.has_nothing_open();
        is_simple.then(|| replace(&mut part.function, function))
    })
}

/// The part is over that [`enter_simply`] has begun. False if something is still open in it, which
/// stays so. (What else a part may have left is found at the begin of the next one.)
#[inline(always)]
pub fn leave_simply(outer: usize) -> bool {
    with_part(|part| {
        part.function = outer;
        part.open == Open::Nothing
    })
}

/// Nothing is open any more, neither in this part nor around it.
pub fn close_all() {
    with_part(|part| *part = Part { function: part.function, library: part.library, ..Part::NEW });
}

/// Outside of regions, this copy of libgomp is the one of the thread's next region. False, with
/// nothing done, inside of one, or if it was this copy already.
pub fn expect_library(library: *const ()) -> bool {
    with_part(|part| {
        let is_new = part.function == 0 && part.library != library;
        if is_new {
            part.library = library;
        }
        is_new
    })
}

/// This thread executes `function`; returns what it executed before. (The first word of the
/// thread's variable: its place need not be added to that of the other variables.)
#[inline(always)]
pub fn execute(function: usize) -> usize {
    let before: usize;
    // SAFETY: reads and writes the first word of the variable defined above, which is the function.
    unsafe {
        core::arch::asm!(
            "mov {place}, qword ptr [rip + pompeii_gomp_thread@GOTTPOFF]",
            "mov {before}, qword ptr fs:[{place}]",
            "mov qword ptr fs:[{place}], {function}",
            place = out(reg) _,
            before = out(reg) before,
            function = in(reg) function,
            options(nostack, preserves_flags)
        );
    }
    before
}

/// This thread goes on with what it executed before, as [`execute`] has returned it.
#[inline(always)]
pub fn go_back(function: usize) {
    // SAFETY: as above.
    unsafe {
        core::arch::asm!(
            "mov {place}, qword ptr [rip + pompeii_gomp_thread@GOTTPOFF]",
            "mov qword ptr fs:[{place}], {function}",
            place = out(reg) _,
            function = in(reg) function,
            options(nostack, preserves_flags)
        );
    }
}

const _: () = assert!(offset_of!(Thread, part) == 0 && offset_of!(Part, function) == 0);

/// A taskgroup begins; `None` for one that is not observed.
pub fn push_group(construct: Option<&'static Handle>) {
    // SAFETY: only this thread uses its variable.
    let thread = unsafe { &mut *here() };
    if let Some(place) = thread.groups.get_mut(thread.part.group_count) {
        *place = construct;
    }
    thread.part.group_count += 1;
}

/// The innermost taskgroup ends, which this is; `None` for one that is not observed.
pub fn pop_group() -> Option<&'static Handle> {
    // SAFETY: as above.
    let thread = unsafe { &mut *here() };
    thread.part.group_count = thread.part.group_count.saturating_sub(1);
    thread.groups.get_mut(thread.part.group_count)?.take()
}

/// The thread asks for the lock of a critical section by this call; false, with nothing done, where
/// it is in too many others.
#[inline(always)]
pub fn hold(lock: usize, site: &'static Site) -> bool {
    // SAFETY: as above.
    let thread = unsafe { &mut *here() };
    match thread.criticals.get_mut(thread.critical_count) {
        Some(place) => {
            *place = (lock, Some(site));
            thread.critical_count += 1;
            true
        }
        None => false,
    }
}

/// The call that has asked for this lock, which the thread gives back; `None` where it was not
/// observed.
#[inline(always)]
pub fn give_back(lock: usize) -> Option<&'static Site> {
    // SAFETY: as above.
    let thread = unsafe { &mut *here() };
    let last = thread.critical_count.wrapping_sub(1);
    match thread.criticals.get(last) {
        Some(&(held, site)) if held == lock => {
            thread.critical_count = last;
            // SAFETY: below the count each place has been written by `hold`.
            unsafe { std::hint::assert_unchecked(site.is_some()) };
            site
        }
        _ => give_back_before_others(thread, lock),
    }
}

/// Critical sections are nested, so those inside were left in another way, as by an exception.
#[cold]
#[inline(never)]
fn give_back_before_others(thread: &mut Thread, lock: usize) -> Option<&'static Site> {
    let held = &thread.criticals[..thread.critical_count];
    let place = held.iter().rposition(|&(held, _)| held == lock)?;
    thread.critical_count = place;
    thread.criticals[place].1
}

#[cfg(test)]
mod tests {
    use super::super::site::alone as site;
    use super::*;

    fn place(construct: &'static Handle) -> usize {
        std::ptr::from_ref(construct) as usize
    }

    fn is(found: Option<&Site>, number: usize) -> bool {
        found.is_some_and(|found| found.original == number)
    }

    #[test]
    fn what_is_open_is_closed_once_and_as_what_it_is() {
        open(Open::Loop, site(1));
        assert!(close(Open::Single).is_none());
        assert!(is(close(Open::Loop), 1));
        assert!(close(Open::Loop).is_none());
        assert!(open_unless_single(Open::Loop, site(2)));
        assert!(is(close(Open::Loop), 2));
        open(Open::Single, site(3));
        assert!(!open_unless_single(Open::Loop, site(4)));
        assert!(is(close(Open::Single), 3));
    }

    #[test]
    fn a_part_inside_one_with_nothing_open_saves_its_function_only() {
        let libraries = [[0_u8; 2]; 1];
        let [one, other] = [0, 1].map(|at| (&raw const libraries[0][at]).cast::<()>());
        assert_eq!(enter_simply(1, one), None);
        assert!(expect_library(one) && !expect_library(one));
        assert_eq!(enter_simply(1, one), Some(0));
        assert!(!expect_library(other));
        assert_eq!(enter_simply(2, other), None);
        open(Open::Loop, site(1));
        assert_eq!(enter_simply(2, one), None);
        assert!(is(close(Open::Loop), 1));
        assert_eq!(enter_simply(2, one), Some(1));
        push_group(None);
        assert_eq!(enter_simply(3, one), None);
        with_part(|part| part.ordered = Some(site(2)));
        assert!(leave_simply(1));
        open(Open::Single, site(3));
        assert!(!leave_simply(0));
        close_all();
        assert!(with_part(|part| part.ordered).is_none());
        assert!(leave_simply(0));
    }

    /// What is open in a part that ends is closed with it.
    #[test]
    fn each_part_has_its_own_that_is_open() {
        open(Open::Single, site(1));
        push_group(Some(site(1).construct));
        let outermost = enter(2, null());
        assert!(close(Open::Single).is_none());
        open(Open::Loop, site(2));
        let around = enter(3, null());
        assert!(close(Open::Loop).is_none());
        open(Open::Section, site(3));
        push_group(Some(site(2).construct));
        leave(&around);
        assert!(is(close(Open::Loop), 2));
        open(Open::Sections, site(4));
        leave(&outermost);
        assert!(close(Open::Sections).is_none());
        assert!(is(close(Open::Single), 1));
        // That of the innermost part was not ended.
        assert_eq!(pop_group().map(place), Some(place(site(1).construct)));
        assert!(pop_group().is_none());
    }

    #[test]
    fn taskgroups_are_nested_to_any_depth() {
        (1..=20).for_each(|number| push_group(Some(site(number).construct)));
        let ended: Vec<_> = (0..22).map(|_| pop_group().map(place)).collect();
        assert!(ended[..4].iter().all(Option::is_none));
        let observed: Vec<_> =
            (1..=16).rev().map(|number| Some(place(site(number).construct))).collect();
        assert_eq!(ended[4..20], observed);
        assert!(ended[20..].iter().all(Option::is_none));
    }

    #[test]
    fn critical_sections_end_by_their_locks() {
        let lock = |number| number * 64;
        assert!((0..CRITICALS_MAX).all(|number| hold(lock(number), site(number))));
        assert!(!hold(lock(9), site(9)));
        assert!(give_back(lock(9)).is_none());
        assert!(is(give_back(lock(7)), 7));
        // Numbers 5 and 6 were left by an exception.
        assert!(is(give_back(lock(4)), 4));
        assert!(give_back(lock(6)).is_none());
        assert!(hold(lock(6), site(16)));
        assert!(is(give_back(lock(6)), 16));
        assert!((0..4).rev().all(|number| is(give_back(lock(number)), number)));
        assert!(give_back(lock(0)).is_none());
    }

    #[test]
    fn each_thread_has_a_variable_of_zeros() {
        let in_thread = std::thread::spawn(|| (execute(3), execute(4))).join();
        assert_eq!(in_thread.unwrap(), (0, 3));
        let outer = enter(7, null());
        assert_eq!((outer.function, execute(9)), (0, 7));
        leave(&outer);
        assert_eq!(execute(0), 0);
    }
}

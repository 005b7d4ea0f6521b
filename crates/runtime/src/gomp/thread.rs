//! What a thread keeps between two calls of libgomp: from where it has called, and, for each part
//! of a parallel region that it is in, what it has open there. A call that ends a construct does
//! not say which one.
//!
//! It lies in a variable of the thread as the word of [`crate::tls`] does, and is all zeros at
//! first.

use std::mem::replace;
use std::ptr::null_mut;

use crate::descriptor::Given;

/// Nested taskgroups of a thread that are observed.
const GROUPS_MAX: usize = 8;

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

/// A thread's variable. The entry points write its first word ([`super::exports`]).
#[repr(C)]
struct Thread {
    called_from: usize,
    /// Null outside of parts.
    part: *mut Part,
    /// What is open in the part.
    open: (Open, Option<Given>),
    outermost: Part,
}

/// A construct that ends with a later call.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
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
#[repr(C)]
pub struct Part {
    /// The function that is executed, 0 outside of regions.
    pub function: usize,
    /// The copy of libgomp that has the region ([`super::library`]).
    pub library: *const (),
    /// The ordered region that the thread is in.
    pub ordered: Option<Given>,
    /// The region of a program of a gcc before 4.9, whose begin and end are two calls
    /// ([`super::split`]).
    pub split: *mut (),
    /// What is open in the part around this one.
    open_around: (Open, Option<Given>),
    group_count: u32,
    groups: [Option<Given>; GROUPS_MAX],
}

impl Part {
    /// A part in which nothing is open.
    pub fn new(function: usize, library: *const ()) -> Self {
        Self {
            function,
            library,
            ordered: None,
            split: null_mut(),
            open_around: (Open::Nothing, None),
            group_count: 0,
            groups: [None; GROUPS_MAX],
        }
    }

    /// A taskgroup begins; `None` for one that is not observed.
    pub fn push_group(&mut self, construct: Option<Given>) {
        if let Some(place) = self.groups.get_mut(self.group_count as usize) {
            *place = construct;
        }
        self.group_count += 1;
    }

    /// The innermost taskgroup ends, which this is; `None` for one that is not observed.
    pub fn pop_group(&mut self) -> Option<Given> {
        self.group_count = self.group_count.saturating_sub(1);
        self.groups.get_mut(self.group_count as usize)?.take()
    }
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

/// The address that the call returns to which is under way. Another call on this thread changes it.
#[inline(always)]
pub fn called_from() -> usize {
    // SAFETY: only this thread uses its variable.
    unsafe { (*here()).called_from }
}

/// Does something with the part that this thread is in. It must not call the program or libgomp.
#[inline(always)]
pub fn with_part<T>(change: impl FnOnce(&mut Part) -> T) -> T {
    let thread = here();
    // SAFETY: only this thread uses its variable, and a part is there until `leave`. `change` comes
    // back here before there is another use.
    unsafe {
        let part = (*thread).part;
        let part = if part.is_null() { &raw mut (*thread).outermost } else { part };
        change(&mut *part)
    }
}

/// The construct is open now, as this.
#[inline(always)]
pub fn open(as_what: Open, construct: Given) {
    // SAFETY: only this thread uses its variable.
    unsafe { (*here()).open = (as_what, Some(construct)) };
}

/// The construct that is open as this; it no longer is.
#[inline(always)]
pub fn close(as_what: Open) -> Option<Given> {
    // SAFETY: as above.
    let open = unsafe { &mut (*here()).open };
    if open.0 != as_what {
        return None;
    }
    open.0 = Open::Nothing;
    open.1
}

/// This thread is in `part` until [`leave`] gets what this returns.
///
/// # Safety
/// The part must be there until then.
#[inline(always)]
pub unsafe fn enter(part: *mut Part) -> *mut Part {
    // SAFETY: only this thread uses its variable, and the caller's promise.
    unsafe {
        let thread = here();
        (*part).open_around = replace(&mut (*thread).open, (Open::Nothing, None));
        replace(&mut (*thread).part, part)
    }
}

/// This thread is again in the part that [`enter`] has returned.
///
/// # Safety
/// It must be that, and the part that is left must still be there.
#[inline(always)]
pub unsafe fn leave(outer: *mut Part) {
    // SAFETY: only this thread uses its variable, and the caller's promise.
    unsafe {
        let thread = here();
        if let Some(left) = (*thread).part.as_ref() {
            (*thread).open = left.open_around;
        }
        (*thread).part = outer;
    }
}

/// This thread executes `function`; returns what it executed before.
#[inline(always)]
pub fn execute(function: usize) -> usize {
    with_part(|part| replace(&mut part.function, function))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(number: usize) -> Given {
        // SAFETY: nothing looks at the descriptor.
        unsafe { Given::new(std::ptr::without_provenance_mut(number * 64)) }
    }

    fn address(construct: Option<Given>) -> Option<usize> {
        construct.map(|construct| construct.address().addr())
    }

    #[test]
    fn what_is_open_is_closed_once_and_as_what_it_is() {
        open(Open::Loop, name(1));
        assert!(close(Open::Single).is_none());
        assert_eq!(address(close(Open::Loop)), address(Some(name(1))));
        assert!(close(Open::Loop).is_none());
    }

    /// What is open in a part that ends is closed with it.
    #[test]
    fn each_part_has_its_own_that_is_open() {
        let mut parts = [2, 3].map(|function| Part::new(function, std::ptr::null()));
        let [outer, inner] = &mut parts;
        open(Open::Single, name(1));
        // SAFETY: both are left below.
        let outermost = unsafe { enter(outer) };
        assert!(close(Open::Single).is_none());
        open(Open::Loop, name(2));
        // SAFETY: as above.
        let around = unsafe { enter(inner) };
        assert!(close(Open::Loop).is_none());
        open(Open::Section, name(3));
        // SAFETY: the parts that `enter` has returned.
        unsafe { leave(around) };
        assert_eq!(address(close(Open::Loop)), address(Some(name(2))));
        open(Open::Sections, name(4));
        // SAFETY: as above.
        unsafe { leave(outermost) };
        assert!(close(Open::Sections).is_none());
        assert_eq!(address(close(Open::Single)), address(Some(name(1))));
    }

    #[test]
    fn taskgroups_are_nested_to_any_depth() {
        let mut part = Part::new(1, std::ptr::null());
        (1..=20).for_each(|number| part.push_group(Some(name(number))));
        let ended: Vec<_> = (0..22).map(|_| address(part.pop_group())).collect();
        assert!(ended[..12].iter().all(Option::is_none));
        let observed: Vec<_> = (1..=8).rev().map(|number| address(Some(name(number)))).collect();
        assert_eq!(ended[12..20], observed);
        assert!(ended[20..].iter().all(Option::is_none));
    }

    #[test]
    fn each_thread_has_a_variable_of_zeros() {
        let in_thread = std::thread::spawn(|| (called_from(), execute(3), execute(4))).join();
        assert_eq!(in_thread.unwrap(), (0, 0, 3));
        let mut part = Part::new(7, std::ptr::null());
        // SAFETY: it is left before the end of this function.
        let outer = unsafe { enter(&raw mut part) };
        assert!(outer.is_null());
        assert_eq!(execute(9), 7);
        // SAFETY: as above.
        unsafe { leave(outer) };
        assert_eq!((execute(0), part.function), (0, 9));
    }
}

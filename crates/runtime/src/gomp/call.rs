//! A call of an entry point: which copy of libgomp it goes on to, and which construct it is.

use std::mem::transmute_copy;
use std::ptr::with_exposed_provenance_mut;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{AcqRel, Relaxed};

use super::exports::TARGETS;
use super::library::{self, Library};
use super::site::{self, Found, Kind, Site};
use super::table::{NAMES, asks_for_cancellation};
use super::thread;
use crate::descriptor::Words;
use crate::next;
use crate::unmodified::{self, Code, Directive};

/// As many arguments as any entry point has that is passed on as a whole.
pub type Arguments = [usize; 10];

/// A function of libgomp with at most this number of arguments.
type Whole = unsafe extern "C" fn(
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
) -> usize;

/// A call of this entry point.
#[derive(Clone, Copy)]
pub struct Call<const ENTRY: usize> {
    /// The address that it returns to, or of the function that it is to execute.
    address: usize,
    is_function: bool,
}

impl<const ENTRY: usize> Call<ENTRY> {
    /// A call that returns to this address.
    #[inline(always)]
    pub fn from(address: usize) -> Self {
        Self { address, is_function: false }
    }

    /// A call that is to execute this function, whose file decides on the copy of libgomp, and
    /// which is the body of the construct.
    #[inline(always)]
    pub fn executing(function: usize) -> Self {
        Self { address: function, is_function: true }
    }

    /// The name of the entry point.
    pub fn name(&self) -> &'static str {
        NAMES[ENTRY].to_str().unwrap_or_default()
    }

    /// The copy of libgomp that it goes on to.
    #[inline(always)]
    pub fn library(&self) -> &'static Library {
        library::of(self.address)
    }

    /// Where libgomp's function is.
    #[inline(always)]
    pub fn original_address(&self) -> usize {
        self.library().originals[ENTRY]
    }

    /// Libgomp's function.
    ///
    /// # Safety
    /// `F` must be the type of a function that can be called instead of the entry point.
    #[inline(always)]
    pub unsafe fn original<F: Copy>(&self) -> F {
        // SAFETY: the caller's promise.
        unsafe { function(self.original_address()) }
    }

    /// Passes the call on as it is.
    ///
    /// # Safety
    /// The arguments must be the caller's.
    #[inline(always)]
    pub unsafe fn pass_on(&self, arguments: &Arguments) -> usize {
        // SAFETY: the caller's promise.
        unsafe { pass_on(self.original_address(), arguments) }
    }

    /// Where the call is, if it has been here before, and the table has it at once.
    #[inline(always)]
    pub fn known_site(&self, directive: Directive) -> Option<Found> {
        site::first(self.address, Kind::new(ENTRY, directive, self.is_function))
    }

    /// Where the call is, and with that the construct that it is or belongs to: `None` if it is not
    /// observed. Then later calls of the entry point go straight to libgomp. `words` are asked for
    /// at the first call only.
    #[inline(always)]
    pub fn site(
        &self,
        directive: Directive,
        words: impl FnOnce() -> Words,
    ) -> Option<&'static Site> {
        match self.known_site(directive) {
            Some(found) => Some(found.site()),
            None => self.find(directive, words),
        }
    }

    #[cold]
    #[inline(never)]
    fn find(self, directive: Directive, words: impl FnOnce() -> Words) -> Option<&'static Site> {
        let code = self.place();
        let (address, is_function) = match code {
            Code::Function(address) => (address, true),
            Code::Call(address) => (address, false),
        };
        let kind = Kind::new(ENTRY, directive, is_function);
        if let Some(site) = site::search(address, kind) {
            return Some(site);
        }
        let library = self.library();
        if !library.is_observed {
            self.go_straight();
            return None;
        }
        let construct =
            unmodified::construct(directive, code, words).and_then(unmodified::handle)?;
        Some(site::make((address, kind), construct, (library, self.original_address())))
    }

    /// The call ends no construct that is observed, and goes on. If none can be, later calls go
    /// straight.
    ///
    /// # Safety
    /// The entry point has at most one argument, which must be the caller's.
    #[cold]
    #[inline(never)]
    pub unsafe fn pass_unobserved(self, argument: usize) -> usize {
        if !self.library().is_observed {
            self.go_straight();
        }
        // SAFETY: the caller's promise; a register that the function does not read is free.
        unsafe { self.original::<unsafe extern "C" fn(usize) -> usize>()(argument) }
    }

    #[cold]
    fn go_straight(&self) {
        let_go(self.library(), &[ENTRY]);
    }

    /// Where the construct is. A call at the end of a function is a jump: it returns to where the
    /// function was called from, which is this library if the function is the body of a construct.
    fn place(&self) -> Code {
        let function = thread::with_part(|part| part.function);
        match self.is_function {
            true => Code::Function(self.address),
            false if function != 0 && is_own(self.address) => Code::Function(function),
            false => Code::Call(self.address),
        }
    }
}

impl Site {
    /// Libgomp's function.
    ///
    /// # Safety
    /// `F` must be the type of a function that can be called instead of the entry point.
    #[inline(always)]
    pub unsafe fn original<F: Copy>(&self) -> F {
        // SAFETY: the caller's promise.
        unsafe { function(self.original) }
    }

    /// Another function of the same copy of libgomp: that which ends the construct.
    ///
    /// # Safety
    /// `F` must be the type of a function that can be called instead of the entry point.
    #[inline(always)]
    pub unsafe fn ending<const ENTRY: usize, F: Copy>(&self) -> F {
        // SAFETY: the caller's promise.
        unsafe { function(self.library.originals[ENTRY]) }
    }

    /// Passes the call on as it is.
    ///
    /// # Safety
    /// The arguments must be the caller's.
    #[inline(always)]
    pub unsafe fn pass_on(&self, arguments: &Arguments) -> usize {
        // SAFETY: the caller's promise.
        unsafe { pass_on(self.original, arguments) }
    }
}

/// The answer of a function that is called in place of the entry point, if that has one. Otherwise
/// no register has to keep it.
#[inline(always)]
pub const fn answer<const ENTRY: usize>(answer: usize) -> usize {
    if const { asks_for_cancellation(ENTRY) } { answer } else { 0 }
}

/// The registers with arguments and the stack of a call. It is for entry points whose arguments
/// leave no register free for the address that the call returns to ([`super::exports`]).
#[repr(C)]
pub struct Frame {
    /// Where the call goes on to after the function of this adapter, unless that passes it on.
    pub original: usize,
    registers: [usize; 6],
    from: usize,
    stack: [usize; 4],
}

impl Frame {
    /// The call.
    #[inline(always)]
    pub fn call<const ENTRY: usize>(&self) -> Call<ENTRY> {
        Call::from(self.from)
    }

    /// Its arguments, and whatever else is there.
    #[inline(always)]
    pub fn arguments(&self) -> Arguments {
        let ([a, b, c, d, e, f], [g, h, i, j]) = (self.registers, self.stack);
        [a, b, c, d, e, f, g, h, i, j]
    }

    /// The first three of them.
    #[inline(always)]
    pub fn first_three(&self) -> [usize; 3] {
        let [a, b, c, ..] = self.registers;
        [a, b, c]
    }
}

/// The function at this address.
///
/// # Safety
/// `F` must be its type.
#[inline(always)]
pub unsafe fn function<F: Copy>(address: usize) -> F {
    const { assert!(size_of::<F>() == size_of::<usize>()) };
    // SAFETY: as wide as an address, and the caller's promise.
    unsafe { transmute_copy(&address) }
}

/// Calls a function of libgomp with the arguments of the caller.
///
/// # Safety
/// They must be that.
#[inline(always)]
unsafe fn pass_on(original: usize, arguments: &Arguments) -> usize {
    let &[a, b, c, d, e, f, g, h, i, j] = arguments;
    // SAFETY: entry points have fewer arguments of the size of a word, or as many; the rest is
    // not looked at.
    unsafe { function::<Whole>(original)(a, b, c, d, e, f, g, h, i, j) }
}

/// From now on calls of these entry points go straight to libgomp.
pub fn let_go(library: &Library, entries: &[usize]) {
    if library.is_global() {
        for &entry in entries {
            TARGETS[entry].store(with_exposed_provenance_mut(library.originals[entry]), Relaxed);
        }
    }
}

/// Whether an address is in the code of this library. Asked for at each call, so the borders are
/// kept: where the code begins, and how long it is, as multiples of 4096 in the two halves.
#[inline(always)]
fn is_own(address: usize) -> bool {
    static OWN: AtomicU64 = AtomicU64::new(0);
    let known = OWN.load(Relaxed);
    let (start, pages) = (known >> PAGES_BITS, known & ((1 << PAGES_BITS) - 1));
    match known {
        0 => find_own(&OWN, address),
        _ => (address as u64 >> PAGE_BITS).wrapping_sub(start) < pages,
    }
}

const PAGE_BITS: u32 = 12;
/// Addresses have 48 bits, so 28 are left for how many pages there are.
const PAGES_BITS: u32 = 28;

#[cold]
fn find_own(own: &AtomicU64, address: usize) -> bool {
    if let Some((start, end)) = next::own_code() {
        let (start, end) = (start as u64 >> PAGE_BITS, (end as u64 - 1) >> PAGE_BITS);
        let known = start << PAGES_BITS | (end + 1 - start);
        let _ = own.compare_exchange(0, known, AcqRel, Relaxed);
    }
    next::is_ours(address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_code_is_known_by_its_pages() {
        let here = find_own as *const () as usize;
        // The first one looks for the borders.
        for _ in 0..2 {
            assert!(is_own(here));
            assert!(!is_own(libc::getpid as *const () as usize));
            assert!(!is_own(0x10));
        }
    }
}

//! Places in the code that call an entry point. A call returns to a place of its own, so that
//! address tells which construct it is, and which copy of libgomp it goes on to; for a construct
//! with a body the function of the body does. Both are found out at the first call, and kept in a
//! table that takes no lock: each address has a chain of sites, mostly of one.

use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::atomic::{AtomicPtr, AtomicU64};

use super::library::Library;
use super::table::COUNT;
use crate::descriptor::Handle;
use crate::unmodified::Directive;

/// A place that is observed. It is never freed.
pub struct Site {
    key: u64,
    /// The construct.
    pub construct: &'static Handle,
    /// The function of libgomp that the call goes on to.
    pub original: usize,
    /// Its copy of libgomp.
    pub library: &'static Library,
    next: AtomicPtr<Site>,
}

/// What a call is besides its address: the entry point, and what construct it is looked up as. One
/// address may be of several kinds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kind {
    entry: usize,
    /// The number of the construct; 0 for the one that calls of the entry point mostly are, so that
    /// a site of that one is known by its address alone.
    construct: u16,
}

impl Kind {
    /// A call of the entry point with this number. `is_function` says that the address is that of a
    /// function, and not one that a call returns to.
    #[inline(always)]
    pub const fn new(entry: usize, directive: Directive, is_function: bool) -> Self {
        let is_common = match directive {
            Directive::Parallel | Directive::Task => is_function,
            _ => !is_function,
        };
        Self { entry, construct: if is_common { 0 } else { 1 + directive as u16 } }
    }

    /// What a site is known by in the table of the entry point: addresses of programs have 48 bits
    /// at most, and are not 0.
    #[inline(always)]
    fn key(self, address: usize) -> u64 {
        (self.construct as u64) << 48 ^ address as u64
    }
}

/// The sites whose addresses have one place in the table.
struct Chain {
    /// The key of the first one; 0 until it is known.
    key: AtomicU64,
    first: AtomicPtr<Site>,
}

impl Chain {
    const fn new() -> Self {
        Self { key: AtomicU64::new(0), first: AtomicPtr::new(null_mut()) }
    }
}

/// Chains of an entry point; calls less than 4 KiB apart are in different ones.
const CHAINS: usize = 1024;
/// The return addresses of two calls differ by at least this number of bytes.
const CALL_BYTES: usize = 4;

/// The chains of each entry point. Memory that is never touched costs nothing.
static SITES: [[Chain; CHAINS]; COUNT] = [const { [const { Chain::new() }; CHAINS] }; COUNT];

/// The constructs of one function have chains of their own.
#[inline(always)]
fn chain(address: usize, kind: Kind) -> &'static Chain {
    &SITES[kind.entry][(address / CALL_BYTES + usize::from(kind.construct)) % CHAINS]
}

/// A site that was found. (It is no reference, because a compiler would make null of what was not
/// found, and ask for that once more.)
#[derive(Clone, Copy)]
pub struct Found(*const Site);

impl Found {
    /// The site.
    #[inline(always)]
    pub fn site(self) -> &'static Site {
        // SAFETY: made by `first` alone, which has compared the key of a site; and sites are never
        // freed.
        unsafe {
            std::hint::assert_unchecked(!self.0.is_null());
            &*self.0
        }
    }
}

/// The first site of the address's chain, if that is the one.
#[inline(always)]
pub fn first(address: usize, kind: Kind) -> Option<Found> {
    let chain = chain(address, kind);
    // Both are loaded at once, so that the place of the chain is computed once. The first site is
    // there before its key.
    let (key, first) = (chain.key.load(Acquire), chain.first.load(Acquire));
    if key == kind.key(address) { Some(Found(first)) } else { None }
}

/// The site, wherever it is in the chain.
pub fn search(address: usize, kind: Kind) -> Option<&'static Site> {
    let (key, mut place) = (kind.key(address), &chain(address, kind).first);
    // SAFETY: sites are never freed.
    while let Some(site) = unsafe { place.load(Acquire).as_ref() } {
        if site.key == key {
            return Some(site);
        }
        place = &site.next;
    }
    None
}

/// The site of this address, which [`search`] has not found. Two threads that come first together
/// get the same.
pub fn make(
    (address, kind): (usize, Kind),
    construct: &'static Handle,
    (library, original): (&'static Library, usize),
) -> &'static Site {
    let (key, chain) = (kind.key(address), chain(address, kind));
    let next = AtomicPtr::new(null_mut());
    let made = Box::into_raw(Box::new(Site { key, construct, original, library, next }));
    let mut place = &chain.first;
    loop {
        let other = match place.compare_exchange(null_mut(), made, AcqRel, Acquire) {
            Ok(_) => break,
            // SAFETY: sites are never freed.
            Err(other) => unsafe { &*other },
        };
        if other.key == key {
            // SAFETY: made above, and known to no other thread.
            drop(unsafe { Box::from_raw(made) });
            return other;
        }
        place = &other.next;
    }
    if std::ptr::eq(place, &raw const chain.first) {
        chain.key.store(key, Release);
    }
    // SAFETY: as above.
    unsafe { &*made }
}

/// A site that is not in the table; `original` has its number.
#[cfg(test)]
pub fn alone(number: usize) -> &'static Site {
    let (library, construct) = tests::of_barrier(number);
    let next = AtomicPtr::new(null_mut());
    Box::leak(Box::new(Site { key: 1, construct, original: number, library, next }))
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;
    use crate::descriptor::Words;
    use crate::unmodified::{self, Code};

    /// A copy of libgomp that has one function, and a barrier at this address.
    pub fn of_barrier(address: usize) -> (&'static Library, &'static Handle) {
        let barrier = chain as *const () as usize;
        let symbol = |name: &CStr| if name == c"GOMP_barrier" { barrier } else { 0 };
        let library = Box::leak(Box::new(Library::new(&symbol, false).unwrap()));
        let code = Code::Call(address);
        let construct = unmodified::construct(Directive::Barrier, code, Words::default).unwrap();
        (library, unmodified::handle(construct).unwrap())
    }

    fn made(address: usize, kind: Kind) -> &'static Site {
        let (library, construct) = of_barrier(address);
        make((address, kind), construct, (library, address + 1))
    }

    /// The three addresses have one chain.
    #[test]
    fn sites_of_one_chain_are_told_apart() {
        let here = made as *const () as usize;
        let apart = CHAINS * CALL_BYTES;
        let barrier = Kind::new(3, Directive::Barrier, false);
        let known = [
            (here, barrier),
            (here + apart, barrier),
            (here, Kind::new(3, Directive::Barrier, true)),
            (here + 2 * apart, Kind::new(4, Directive::Barrier, false)),
        ];
        assert!(search(here, barrier).is_none());
        let sites = known.map(|(address, kind)| made(address, kind));
        for ((address, kind), site) in known.into_iter().zip(sites) {
            let found = search(address, kind).unwrap();
            assert!(std::ptr::eq(found, site));
            assert_eq!(found.original, address + 1);
            // Another thread makes it, too.
            assert!(std::ptr::eq(made(address, kind), site));
        }
        assert!(std::ptr::eq(first(here, barrier).unwrap().site(), sites[0]));
        assert!(first(here + apart, barrier).is_none());
        assert!(search(here, Kind::new(3, Directive::Taskwait, true)).is_none());
        // Within one call's bytes there is no other call, but another site all the same.
        assert!(search(here + 1, barrier).is_none());
    }

    fn search_until_known(address: usize, kind: Kind) -> &'static Site {
        std::iter::repeat_with(|| search(address, kind)).flatten().next().unwrap()
    }

    #[test]
    fn threads_that_make_a_site_together_get_the_same() {
        let here = made as *const () as usize + 64;
        let kind = Kind::new(5, Directive::Barrier, false);
        let place = |site| std::ptr::from_ref::<Site>(site) as usize;
        let makes = || std::thread::spawn(move || place(made(here, kind)));
        let threads: Vec<_> = (0..4).map(|_| makes()).collect();
        let known = place(search_until_known(here, kind));
        assert!(threads.into_iter().all(|thread| thread.join().unwrap() == known));
    }
}

//! Places in the code that call an entry point. A call returns to a place of its own, so that
//! address tells which construct it is, and which copy of libgomp it goes on to; for a construct
//! with a body the function of the body does. Both are found out at the first call, and kept in a
//! table that takes no lock: each address has a chain of sites, mostly of one.

use std::ptr::null_mut;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Release};
use std::sync::atomic::{AtomicPtr, AtomicU64};

use super::library::Library;
use crate::descriptor::Given;
use crate::unmodified::Directive;

/// A place that is observed. It is never freed.
pub struct Site {
    key: u64,
    /// The construct.
    pub construct: Given,
    /// The function of libgomp that the call goes on to.
    pub original: usize,
    /// Its copy of libgomp.
    pub library: &'static Library,
    next: AtomicPtr<Site>,
}

/// What a call is besides its address: the entry point, the construct that it is looked up as, and
/// whether the address is that of a function. One address may be of several kinds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Kind(u16);

impl Kind {
    /// A call of the entry point with this number.
    #[inline(always)]
    pub const fn new(entry: usize, directive: Directive, is_function: bool) -> Self {
        Self((entry as u16) << 8 | (directive as u16) << 1 | is_function as u16)
    }

    #[inline(always)]
    fn is_function(self) -> bool {
        self.0 & 1 != 0
    }

    #[inline(always)]
    fn directive(self) -> usize {
        usize::from(self.0 as u8 >> 1)
    }

    /// What a site is known by: addresses of programs have 48 bits at most, and are not 0.
    #[inline(always)]
    fn key(self, address: usize) -> u64 {
        u64::from(self.0) << 48 ^ address as u64
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

/// Chains; calls less than 16 KiB apart are in different ones.
const CHAINS: usize = 4096;
/// The return addresses of two calls differ by at least this number of bytes.
const CALL_BYTES: usize = 4;

static SITES: [Chain; CHAINS] = [const { Chain::new() }; CHAINS];

/// The constructs of one function have chains of their own.
#[inline(always)]
fn chain(address: usize, kind: Kind) -> &'static Chain {
    let construct = if kind.is_function() { kind.directive() } else { 0 };
    &SITES[(address / CALL_BYTES + construct) % CHAINS]
}

/// The first site of the address's chain, if that is the one.
#[inline(always)]
pub fn first(address: usize, kind: Kind) -> Option<&'static Site> {
    let chain = chain(address, kind);
    if chain.key.load(Acquire) != kind.key(address) {
        return None;
    }
    // SAFETY: the first site is there before its key, and sites are never freed.
    unsafe {
        let first = chain.first.load(Acquire);
        std::hint::assert_unchecked(!first.is_null());
        Some(&*first)
    }
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
    construct: Given,
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
    pub fn of_barrier(address: usize) -> (&'static Library, Given) {
        let barrier = chain as *const () as usize;
        let symbol = |name: &CStr| if name == c"GOMP_barrier" { barrier } else { 0 };
        let library = Box::leak(Box::new(Library::new(&symbol, false).unwrap()));
        let code = Code::Call(address);
        let construct = unmodified::construct(Directive::Barrier, code, Words::default).unwrap();
        (library, construct)
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
        assert!(std::ptr::eq(first(here, barrier).unwrap(), sites[0]));
        assert!(first(here + apart, barrier).is_none());
        assert!(search(here, Kind::new(3, Directive::Taskwait, false)).is_none());
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

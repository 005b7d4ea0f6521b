//! Places in the code that call an entry point. A call returns to a place of its own, so that
//! address tells which construct it is, and which copy of libgomp it goes on to; for a construct
//! with a body the function of the body does. Both are found out at the first call, and kept in a
//! table that takes no lock: each address has a chain of sites, mostly of one.

use std::ptr::null_mut;
use std::sync::atomic::AtomicPtr;
use std::sync::atomic::Ordering::{AcqRel, Acquire};

use super::library::Library;
use crate::descriptor::Given;
use crate::unmodified::Directive;

/// A place that is observed. It is never freed.
pub struct Site {
    address: usize,
    kind: Kind,
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
pub struct Kind(u32);

impl Kind {
    /// A call of the entry point with this number.
    #[inline(always)]
    pub const fn new(entry: usize, directive: Directive, is_function: bool) -> Self {
        Self((entry as u32) << 16 | (directive as u32) << 1 | is_function as u32)
    }

    #[inline(always)]
    fn is_function(self) -> bool {
        self.0 & 1 != 0
    }

    #[inline(always)]
    fn directive(self) -> usize {
        usize::from(self.0 as u16 >> 1)
    }
}

/// Chains; calls less than 16 KiB apart are in different ones.
const CHAINS: usize = 4096;
/// The return addresses of two calls differ by at least this number of bytes.
const CALL_BYTES: usize = 4;

static SITES: [AtomicPtr<Site>; CHAINS] = [const { AtomicPtr::new(null_mut()) }; CHAINS];

/// The constructs of one function have chains of their own.
#[inline(always)]
fn chain(address: usize, kind: Kind) -> &'static AtomicPtr<Site> {
    let construct = if kind.is_function() { kind.directive() } else { 0 };
    &SITES[(address / CALL_BYTES + construct) % CHAINS]
}

/// The first site of the address's chain, if that is the one.
#[inline(always)]
pub fn first(address: usize, kind: Kind) -> Option<&'static Site> {
    // SAFETY: sites are never freed.
    let site = unsafe { chain(address, kind).load(Acquire).as_ref() }?;
    if site.address == address && site.kind == kind { Some(site) } else { None }
}

/// The site, wherever it is in the chain.
pub fn search(address: usize, kind: Kind) -> Option<&'static Site> {
    let mut place = chain(address, kind);
    // SAFETY: sites are never freed.
    while let Some(site) = unsafe { place.load(Acquire).as_ref() } {
        if site.address == address && site.kind == kind {
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
    let next = AtomicPtr::new(null_mut());
    let made = Box::new(Site { address, kind, construct, original, library, next });
    let made = Box::into_raw(made);
    let mut place = chain(address, kind);
    loop {
        let other = match place.compare_exchange(null_mut(), made, AcqRel, Acquire) {
            // SAFETY: it stays for good.
            Ok(_) => return unsafe { &*made },
            // SAFETY: as above.
            Err(other) => unsafe { &*other },
        };
        if other.address == address && other.kind == kind {
            // SAFETY: made above, and known to no other thread.
            drop(unsafe { Box::from_raw(made) });
            return other;
        }
        place = &other.next;
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;

    use super::*;
    use crate::descriptor::Words;
    use crate::unmodified::{self, Code};

    /// With a copy of libgomp that has one function.
    fn made(address: usize, kind: Kind) -> &'static Site {
        let barrier = chain as *const () as usize;
        let symbol = |name: &CStr| if name == c"GOMP_barrier" { barrier } else { 0 };
        let library = Box::leak(Box::new(Library::new(&symbol, false).unwrap()));
        let code = Code::Call(address);
        let construct = unmodified::construct(Directive::Barrier, code, Words::default).unwrap();
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

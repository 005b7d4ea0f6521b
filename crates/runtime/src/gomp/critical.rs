//! Critical sections. The call that ends one does not say which place in the code has begun it, so
//! the thread keeps that with the lock.

use super::call::Call;
use super::clauses;
use super::thread;
use crate::descriptor::Words;
use crate::unmodified::{self, Directive};
use crate::ways::constructs;

/// The lock of all critical sections without a name.
const UNNAMED: usize = 0;

/// The function of libgomp.
type Original = unsafe extern "C" fn(usize) -> usize;

/// A critical section begins when the thread has its lock.
#[inline(always)]
unsafe fn acquire<const ENTRY: usize>(
    (lock, from): (usize, usize),
    words: impl FnOnce() -> Words,
) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: the contract of this adapter; the descriptor is one of ours.
    unsafe {
        let site = call.site(Directive::Critical, words).filter(|site| thread::hold(lock, site));
        let Some(site) = site else { return call.original::<Original>()(lock) };
        constructs::critical_enter(site.construct);
        site.original::<Original>()(lock);
        constructs::critical_begin(site.construct);
        0
    }
}

/// A critical section ends, and its lock is given back.
#[inline(always)]
unsafe fn release<const ENTRY: usize>((lock, from): (usize, usize)) -> usize {
    // SAFETY: as above.
    unsafe {
        let Some(site) = thread::give_back(lock) else {
            return Call::<ENTRY>::from(from).pass_unobserved(lock);
        };
        constructs::critical_end(site.construct);
        site.ending::<ENTRY, Original>()(lock);
        constructs::critical_exit(site.construct);
        0
    }
}

/// One without a name begins.
pub unsafe extern "C" fn start<const ENTRY: usize>(from: usize) -> usize {
    // SAFETY: the contract of this adapter.
    unsafe { acquire::<ENTRY>((UNNAMED, from), clauses::none) }
}

/// One without a name ends.
pub unsafe extern "C" fn end<const ENTRY: usize>(from: usize) -> usize {
    // SAFETY: the contract of this adapter.
    unsafe { release::<ENTRY>((UNNAMED, from)) }
}

/// One with a name begins: (lock).
pub unsafe extern "C" fn start_named<const ENTRY: usize>(lock: usize, from: usize) -> usize {
    let words = || clauses::of(unmodified::lock_clause(lock));
    // SAFETY: the contract of this adapter.
    unsafe { acquire::<ENTRY>((lock, from), words) }
}

/// One with a name ends: (lock).
pub unsafe extern "C" fn end_named<const ENTRY: usize>(lock: usize, from: usize) -> usize {
    // SAFETY: the contract of this adapter.
    unsafe { release::<ENTRY>((lock, from)) }
}

#[cfg(test)]
mod tests {
    use crate::unmodified;

    #[test]
    fn each_lock_has_a_name() {
        static LOCKS: [usize; 2] = [0; 2];
        let name = unmodified::lock_clause;
        let [one, other] = [0, 1].map(|at| name(&raw const LOCKS[at] as usize));
        assert_ne!(one, other);
        assert!(one.contains("+0x"), "{one}");
    }
}

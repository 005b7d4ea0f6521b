//! Critical sections. The call that ends one does not say which place in the code has begun it, so
//! that is kept for the lock: only its holder writes and reads it.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::call::Call;
use super::clauses;
use crate::addresses::Addresses;
use crate::descriptor::{Given, Words};
use crate::unmodified::{self, Directive};
use crate::ways::constructs;

/// The construct that holds the lock of all critical sections without a name; 0 for none.
static UNNAMED: AtomicUsize = AtomicUsize::new(0);
/// The same for those with a name, by the address of their lock.
static NAMED: Addresses<AtomicUsize> = Addresses::new();

/// Where the construct is kept that holds this lock; `None` where there is no memory for it.
fn holder(lock: usize) -> Option<&'static AtomicUsize> {
    NAMED.known(lock).or_else(|| NAMED.take(lock).map(|(holder, _)| holder))
}

/// The function of libgomp.
type Original = unsafe extern "C" fn(usize) -> usize;

/// A critical section begins when the thread has its lock.
#[inline(always)]
unsafe fn acquire<const ENTRY: usize>(
    call: &Call<ENTRY>,
    holder: Option<&AtomicUsize>,
    words: impl FnOnce() -> Words,
    lock: usize,
) -> usize {
    // SAFETY: the contract of this adapter; the descriptor is one of ours.
    unsafe {
        let site = call.site(Directive::Critical, words);
        let (Some(site), Some(holder)) = (site, holder) else {
            return call.original::<Original>()(lock);
        };
        constructs::critical_enter(site.construct);
        let nothing = site.original::<Original>()(lock);
        holder.store(site.construct.address() as usize, Relaxed);
        constructs::critical_begin(site.construct);
        nothing
    }
}

/// A critical section ends, and its lock is given back.
#[inline(always)]
unsafe fn release<const ENTRY: usize>(
    call: &Call<ENTRY>,
    holder: Option<&AtomicUsize>,
    lock: usize,
) -> usize {
    // SAFETY: as above.
    unsafe {
        let original: Original = call.original();
        let Some(construct) = holder.and_then(|holder| given(take(holder))) else {
            call.settle();
            return original(lock);
        };
        constructs::critical_end(construct);
        let nothing = original(lock);
        constructs::critical_exit(construct);
        nothing
    }
}

/// The construct that a place has, if it has one.
#[inline(always)]
fn given(holder: usize) -> Option<Given> {
    // SAFETY: what is not 0 is the address of a descriptor of ours.
    (holder != 0).then(|| unsafe { Given::new(holder as *mut _) })
}

/// The construct that holds the lock, which has no holder from here on. No other thread writes
/// there before this one has given the lock back, so this is no atomic exchange.
#[inline(always)]
fn take(holder: &AtomicUsize) -> usize {
    let construct = holder.load(Relaxed);
    holder.store(0, Relaxed);
    construct
}

/// One without a name begins.
pub unsafe extern "C" fn start<const ENTRY: usize>(from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: the contract of this adapter.
    unsafe { acquire(&call, Some(&UNNAMED), clauses::none, 0) }
}

/// One without a name ends.
pub unsafe extern "C" fn end<const ENTRY: usize>(from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: the contract of this adapter.
    unsafe { release(&call, Some(&UNNAMED), 0) }
}

/// One with a name begins: (lock).
pub unsafe extern "C" fn start_named<const ENTRY: usize>(lock: usize, from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    let words = || clauses::of(unmodified::lock_clause(lock));
    // SAFETY: the contract of this adapter.
    unsafe { acquire(&call, holder(lock), words, lock) }
}

/// One with a name ends: (lock).
pub unsafe extern "C" fn end_named<const ENTRY: usize>(lock: usize, from: usize) -> usize {
    let call = Call::<ENTRY>::from(from);
    // SAFETY: the contract of this adapter.
    unsafe { release(&call, NAMED.known(lock), lock) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_lock_has_a_name_and_a_place_for_its_holder() {
        static LOCKS: [usize; 2] = [0; 2];
        let [one, other] = [0, 1].map(|at| &raw const LOCKS[at] as usize);
        let name = unmodified::lock_clause;
        assert_ne!(name(one), name(other));
        assert!(name(one).contains("+0x"), "{}", name(one));
        holder(one).unwrap().store(64, Relaxed);
        assert_eq!([0, 1].map(|_| take(holder(one).unwrap())), [64, 0]);
        assert_eq!(holder(other).unwrap().load(Relaxed), 0);
    }
}

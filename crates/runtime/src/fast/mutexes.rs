//! The fast ways of mutexes of POSIX threads that are free, in a profile: a mutex that is acquired
//! or given back from a place where the thread has done that before at this call path. The table of
//! call sites ([`crate::sites`]) has the node of the call, so neither its region nor the node is
//! looked for.
//!
//! The time of such a call is that of the code around it, so the call path stays the current one.
//! What changes of the location is one number of a node. Therefore the gate stays open, as for
//! [`super::regions::count`]: a signal handler finds the number before the change or after it.

use pompeii_live::NodeOffset;

use super::kit::gate::Here;
use super::kit::node;
use crate::clock::Clock;
use crate::location::Location;
use crate::sites::{self, CallSite};
use crate::sync::{self, Lock};

/// A call from a site that this thread knows, and the node of calls there.
pub struct Call {
    thread: *mut Location,
    at: NodeOffset,
}

impl Call {
    /// The call at this site; `None` where something is special.
    #[inline(always)]
    pub fn known(thread: Here, site: CallSite) -> Option<Call> {
        let (is_open, thread) = (thread.is(0), thread.address());
        // SAFETY: what has this gate is this thread's location, and only this thread changes it and
        // its table.
        unsafe {
            if !is_open || (*thread).tracing || (*thread).contexts.top().has_ended() {
                return None;
            }
            match sites::line(thread, site)?.node {
                0 => None,
                at => Some(Call { thread, at }),
            }
        }
    }

    /// It has acquired the mutex, which was free; false, with nothing done, if it was not.
    #[inline(always)]
    pub fn takes(&self, mutex: &Lock, clock: impl Clock) -> bool {
        if sync::level(mutex) != 0 {
            return false;
        }
        // SAFETY: the location of this thread, see `known`.
        unsafe {
            (*node(self.thread, self.at)).visits += 1;
            sync::set_level(mutex, 1);
            sync::found_free(&*self.thread, mutex, self.at, clock.now());
        }
        true
    }

    /// It is about to give the mutex back; false, with nothing done, if the thread has it several
    /// times, or if it is not known from where the thread has it.
    #[inline(always)]
    pub fn gives_back(&self, mutex: &Lock, clock: impl Clock) -> bool {
        let (holder, thread) = (sync::holder(mutex), self.thread);
        // SAFETY: as above; a place of this thread that has a node has one of its own.
        unsafe {
            let is_held = holder.is_beside((*thread).own) && holder.node() != 0;
            if !is_held || sync::level(mutex) != 1 {
                return false;
            }
            (*node(thread, self.at)).visits += 1;
            let now = clock.now();
            (*node(thread, holder.node())).delay_ticks += sync::held(mutex, now);
            sync::set_level(mutex, 0);
            sync::give_back(mutex, now);
        }
        true
    }
}

//! Where a matcher plugs in. A matcher finds compounds of one kind in the sync records of all
//! locations.
//!
//! To add a matcher: write a file with a type that implements [`Matcher`], a kind of compound for
//! what it finds (`compound.rs`), its line in `matchers!`, and tests as texts (`text/`). The
//! records that it needs come from `location/`.
//!
//! Records come in the order (time, location), those of one location in the order of its events.
//! The order does not depend on windows or threads, and neither may the compounds. A matcher keeps
//! the instances that are open; what it keeps must not grow with the length of the trace.

use std::sync::Arc;

use crate::compound::Compound;
use crate::definitions::Definitions;
use crate::engine::mail::{Letters, Mail};
use crate::engine::open::Open;
use crate::engine::record::{Moment, Rec};
use crate::matchers::barrier::Barriers;
use crate::matchers::collective::Collectives;
use crate::matchers::fork::Forks;
use crate::matchers::lock::Locks;
use crate::matchers::message::Messages;
use crate::matchers::turn::Turns;
use crate::matchers::windows::epochs::Epochs;
use crate::matchers::windows::fences::Fences;
use crate::matchers::windows::locks::WindowLocks;
use crate::task::Tasks;
use crate::transport::dealt::Dealt;

/// Takes the compounds that are found.
pub type Found<'a> = &'a mut dyn FnMut(Compound);

/// The same with the record at which a single rank would have found them.
pub(crate) type FoundAt<'a> = &'a mut dyn FnMut(Moment, Compound);

/// Finds compounds of one kind in the records of all locations.
pub(crate) trait Matcher {
    /// Takes the next record.
    fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>);

    /// The trace ends: returns the number of instances that are not complete.
    fn end(&mut self, definitions: &Definitions, found: Found<'_>) -> u64;

    /// Names the calls of MPI that the open instances may concern.
    fn open(&self, _: &mut Open) {}

    /// Several ranks match the records of their own locations: this one has these processes.
    fn share(&mut self, _: &Arc<Dealt>) {}

    /// Moves what other ranks must know to the mail.
    fn send(&mut self, _: &mut Mail) {}

    /// Takes what other ranks have sent.
    fn receive(&mut self, _: &Definitions, _: &Letters, _: FoundAt<'_>) {}
}

/// Defines all matchers of a trace.
macro_rules! matchers {
    ($($field:ident: $type:ty),* $(,)?) => {
        /// All matchers of a trace.
        #[derive(Debug, Default)]
        pub struct Matchers {
            $($field: $type,)*
        }

        impl Matchers {
            /// Takes the next record.
            pub fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>) {
                $(self.$field.record(definitions, record, found);)*
            }

            /// The trace ends: returns the number of instances that are not complete.
            pub fn end(&mut self, definitions: &Definitions, found: Found<'_>) -> u64 {
                let mut incomplete = 0;
                $(incomplete += self.$field.end(definitions, found);)*
                incomplete
            }

            /// Several ranks match the records of their own locations.
            pub(crate) fn share(&mut self, dealt: &Arc<Dealt>) {
                $(self.$field.share(dealt);)*
            }

            /// What other ranks must know.
            pub(crate) fn send(&mut self, mail: &mut Mail) {
                $(self.$field.send(mail);)*
            }

            /// Takes what another rank has sent.
            pub(crate) fn receive(
                &mut self,
                definitions: &Definitions,
                letters: &Letters,
                found: FoundAt<'_>,
            ) {
                $(self.$field.receive(definitions, letters, found);)*
            }

            /// The calls of MPI that the open instances of all matchers may concern.
            pub fn open(&self, open: &mut Open) {
                $(self.$field.open(open);)*
            }
        }
    };
}

matchers! {
    forks: Forks,
    barriers: Barriers,
    locks: Locks,
    turns: Turns,
    tasks: Tasks,
    messages: Messages,
    collectives: Collectives,
    fences: Fences,
    epochs: Epochs,
    window_locks: WindowLocks,
}

impl Matchers {
    /// Before the first record.
    pub(crate) fn with_steps(tells_steps: bool) -> Matchers {
        let mut matchers = Matchers::default();
        if tells_steps {
            matchers.tasks.tell_steps();
        }
        matchers
    }
}

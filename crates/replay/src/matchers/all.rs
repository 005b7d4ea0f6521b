//! All matchers of a trace. Each record is given to those that take its topic, in turn. If only
//! some tables are wanted, matchers that have no rows of these get no record.
//!
//! To add a matcher: its line in `matchers!`; `engine/matcher.rs` says what else it needs.

use std::sync::Arc;

use crate::definitions::Definitions;
use crate::engine::mail::{Letters, Mail};
use crate::engine::matcher::{Found, FoundAt, Matcher};
use crate::engine::open::Open;
use crate::engine::record::Rec;
use crate::engine::topics::Topics;
use crate::matchers::barrier::Barriers;
use crate::matchers::collective::Collectives;
use crate::matchers::fork::Forks;
use crate::matchers::lock::Locks;
use crate::matchers::message::Messages;
use crate::matchers::turn::Turns;
use crate::matchers::windows::epochs::Epochs;
use crate::matchers::windows::fences::Fences;
use crate::matchers::windows::locks::WindowLocks;
use crate::table::{Kind, Wanted};
use crate::task::Tasks;
use crate::transport::dealt::Dealt;

/// Defines all matchers of a trace.
macro_rules! matchers {
    ($($field:ident: $type:ty),* $(,)?) => {
        /// All matchers of a trace.
        #[derive(Debug)]
        pub struct Matchers {
            $($field: $type,)*
            is_wanted: IsWanted,
        }

        /// Which matchers get records.
        #[derive(Debug)]
        struct IsWanted {
            $($field: bool,)*
        }

        impl Matchers {
            /// Before the first record. Only the rows of these tables are wanted, or all compounds.
            pub(crate) fn new(tables: Option<Wanted>) -> Matchers {
                let has_some = |of: &[Kind]| {
                    tables.is_none_or(|tables| of.iter().any(|table| tables.has(*table)))
                };
                Matchers {
                    $($field: Default::default(),)*
                    is_wanted: IsWanted { $($field: has_some(<$type>::TABLES),)* },
                }
            }

            /// The topics of the records that a matcher gets.
            pub(crate) fn topics(&self) -> Topics {
                let mut topics = Topics::NONE;
                $(if self.is_wanted.$field {
                    topics = topics.with(<$type>::TOPICS);
                })*
                topics
            }

            /// Takes the next record.
            pub fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>) {
                let topic = record.what.topic();
                $(if <$type>::TOPICS.meet(topic) && self.is_wanted.$field {
                    self.$field.record(definitions, record, found);
                })*
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
    /// From now on, the steps of tasks are wanted.
    pub(crate) fn tell_steps(&mut self) {
        self.tasks.tell_steps();
    }
}

//! Where a matcher plugs in. A matcher finds compounds of one kind in the sync records of all
//! locations.
//!
//! To add a matcher: write a file with a type that implements [`Matcher`], a kind of compound for
//! what it finds (`compound.rs`), its line in `matchers/all.rs`, and tests as texts (`text/`). The
//! records that it needs come from `location/`, and have a topic (`topics.rs`).
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
use crate::engine::topics::Topics;
use crate::table::Kind;
use crate::transport::dealt::Dealt;

/// Takes the compounds that are found.
pub type Found<'a> = &'a mut dyn FnMut(Compound);

/// The same with the record at which a single rank would have found them.
pub(crate) type FoundAt<'a> = &'a mut dyn FnMut(Moment, Compound);

/// Finds compounds of one kind in the records of all locations.
pub(crate) trait Matcher {
    /// It gets the records of these topics.
    const TOPICS: Topics;
    /// The tables that have rows of its compounds.
    const TABLES: &'static [Kind];

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

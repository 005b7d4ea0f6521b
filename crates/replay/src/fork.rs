//! Parts of parallel regions: from the fork of the master to the join.
//!
//! A part is complete when the team joins. Since workers mostly leave the region before the master
//! joins, their parts are kept until then.

use std::collections::HashMap;

use crate::compound::{Compound, PartVisit, Place};
use crate::definitions::Definitions;
use crate::matcher::{Found, Matcher};
use crate::record::{ForkId, Rec, What};

/// Parts whose team has not joined.
#[derive(Debug, Default)]
pub struct Forks {
    open: HashMap<ForkId, Vec<Part>>,
}

#[derive(Debug)]
struct Part {
    at: Place,
    forked: u64,
    enter: u64,
    /// When the location left the region, and when its part ended.
    end: Option<(u64, u64)>,
}

impl Forks {
    /// All parts of the team are complete. A worker whose leave comes later by the clock leaves
    /// with the join.
    fn join(&mut self, fork: ForkId, joined: u64, found: Found<'_>) {
        for Part { at, forked, enter, end } in self.open.remove(&fork).unwrap_or_default() {
            let (leave, ended) = end.unwrap_or((joined, joined));
            let ended = if at.location == fork.master { joined } else { ended };
            found(Compound::Part(PartVisit { at, forked, enter, leave, ended, joined }));
        }
    }
}

impl Matcher for Forks {
    fn record(&mut self, _: &Definitions, record: &Rec, found: Found<'_>) {
        let &Rec { time, location, node, what } = record;
        match what {
            What::PartBegin { fork: Some(fork), forked, .. } => {
                let at = Place { location, node };
                let part = Part { at, forked, enter: time, end: None };
                self.open.entry(fork).or_default().push(part);
            }
            What::PartEnd { fork: Some(fork), left, .. } => {
                let parts = self.open.get_mut(&fork);
                let own = |part: &&mut Part| part.at.location == location;
                if let Some(part) = parts.and_then(|parts| parts.iter_mut().find(own)) {
                    part.end = Some((left, time));
                }
            }
            What::Join(fork) => self.join(fork, time, found),
            _ => {}
        }
    }

    fn end(&mut self, _: &Definitions, _: Found<'_>) -> u64 {
        self.open.values().map(|parts| parts.len() as u64).sum()
    }
}

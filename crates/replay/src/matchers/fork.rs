//! Parts of parallel regions: from the fork of the master to the join.
//!
//! A team is complete when all of its threads have ended their parts and its master has joined.
//! In the order of records the join may come before the begin of a worker: at the same time, or
//! because of a clock error.

use std::collections::BTreeMap;

use crate::compound::{Compound, PartVisit};
use crate::definitions::Definitions;
use crate::engine::matcher::{Found, Matcher};
use crate::engine::record::{ForkId, Rec, What};
use crate::engine::topics::Topics;
use crate::place::Place;
use crate::table::Kind;

/// Teams that are not complete.
#[derive(Debug, Default)]
pub struct Forks {
    open: BTreeMap<ForkId, Team>,
}

#[derive(Debug, Default)]
struct Team {
    /// Threads, as soon as one of them has begun.
    size: Option<usize>,
    parts: Vec<Part>,
    /// Parts that have ended.
    ended: usize,
    joined: Option<u64>,
}

#[derive(Debug)]
struct Part {
    at: Place,
    forked: u64,
    enter: u64,
    /// When the location left the region, and when its part ended.
    end: Option<(u64, u64)>,
}

impl Team {
    fn end(&mut self, record: &Rec, left: u64) {
        let own = |part: &&mut Part| part.at.location == record.location && part.end.is_none();
        if let Some(part) = self.parts.iter_mut().find(own) {
            part.end = Some((left, record.time));
            self.ended += 1;
        }
    }

    fn is_complete(&self) -> bool {
        self.joined.is_some() && self.size == Some(self.ended)
    }

    /// The parts, if the team has joined. A worker that has not left the region by then leaves it
    /// with the join.
    fn compounds(&self, fork: ForkId) -> impl Iterator<Item = Compound> + '_ {
        let joined = self.joined.into_iter();
        joined.flat_map(move |joined| {
            self.parts.iter().map(move |part| {
                let &Part { at, forked, enter, end } = part;
                let (leave, ended) = end.unwrap_or((joined, joined));
                let ended = if at.location == fork.master { joined } else { ended };
                Compound::Part(PartVisit { at, fork, forked, enter, leave, ended, joined })
            })
        })
    }
}

impl Matcher for Forks {
    const TOPICS: Topics = Topics::TEAMS;
    const TABLES: &'static [Kind] = &[Kind::Forks];

    fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>) {
        let &Rec { time, what, .. } = record;
        let fork = match what {
            What::Fork(fork) => {
                self.open.entry(fork).or_default();
                return;
            }
            What::PartBegin { team, fork: Some(fork), forked } => {
                let open = self.open.entry(fork).or_default();
                open.size.get_or_insert_with(|| definitions.team_size(team.team.into()));
                let at = record.place();
                open.parts.push(Part { at, forked, enter: time, end: None });
                return;
            }
            What::PartEnd { fork: Some(fork), left, .. } => {
                self.open.entry(fork).or_default().end(record, left);
                fork
            }
            What::Join(fork) => {
                self.open.entry(fork).or_default().joined = Some(time);
                fork
            }
            _ => return,
        };
        if self.open.get(&fork).is_some_and(Team::is_complete)
            && let Some(team) = self.open.remove(&fork)
        {
            team.compounds(fork).for_each(found);
        }
    }

    fn end(&mut self, _: &Definitions, found: Found<'_>) -> u64 {
        for (fork, team) in &self.open {
            team.compounds(*fork).for_each(&mut *found);
        }
        self.open.len() as u64
    }
}

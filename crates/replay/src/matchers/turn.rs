//! Turns in ordered constructs: how long each thread waited, and who had the turn before.
//!
//! In a doacross loop a thread waits for iterations that it names. Which ones is not in the trace.
//! But the wait ends when the last of them is posted, so it was for the thread of the team that has
//! posted last. If another thread posts before the waiting one goes on, that one is taken instead.

use crate::compound::{Compound, TurnVisit};
use crate::definitions::Definitions;
use crate::engine::matcher::{Found, Matcher};
use crate::engine::record::{Rec, TeamInstance, What};
use crate::engine::topics::Topics;
use crate::hash::Table;
use crate::place::Place;
use crate::table::Kind;

/// The last turn of each team, and the last iteration that it has posted.
#[derive(Debug, Default)]
pub struct Turns {
    last: Table<TeamInstance, (u64, Place)>,
    posted: Table<TeamInstance, (u64, Place)>,
}

impl Matcher for Turns {
    const TOPICS: Topics = Topics::TURNS.with(Topics::TEAMS);
    const TABLES: &'static [Kind] = &[Kind::Waits];

    fn record(&mut self, _: &Definitions, record: &Rec, found: Found<'_>) {
        let &Rec { time, what, .. } = record;
        let at = record.place();
        match what {
            What::Turn { team, since } => {
                let before = team.and_then(|team| self.last.get(&team).copied());
                found(Compound::Turn(TurnVisit { at, since, begun: time, before }));
            }
            What::TurnEnd { team: Some(team) } => {
                self.last.insert(team, (time, at));
            }
            What::Sink { team, since } => {
                let posted = team.and_then(|team| self.posted.get(&team).copied());
                // What was posted before has not ended the wait.
                let before = posted.filter(|(posted, _)| *posted > since);
                found(Compound::Turn(TurnVisit { at, since, begun: time, before }));
            }
            What::Post { team: Some(team) } => {
                self.posted.insert(team, (time, at));
            }
            // A part of a thread ends after all turns of its team, because barriers lie between.
            What::PartEnd { team, .. } => {
                self.last.remove(&team);
                self.posted.remove(&team);
            }
            _ => {}
        }
    }

    fn end(&mut self, _: &Definitions, _: Found<'_>) -> u64 {
        0
    }
}

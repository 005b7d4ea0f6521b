//! Turns in ordered constructs: how long each thread waited, and who had the turn before.

use crate::compound::{Compound, Place, TurnVisit};
use crate::definitions::Definitions;
use crate::engine::matcher::{Found, Matcher};
use crate::engine::record::{Rec, TeamInstance, What};
use crate::hash::Table;

/// The last turn of each team.
#[derive(Debug, Default)]
pub struct Turns {
    last: Table<TeamInstance, (u64, Place)>,
}

impl Matcher for Turns {
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
            // A part of a thread ends after all turns of its team, because barriers lie between.
            What::PartEnd { team, .. } => {
                self.last.remove(&team);
            }
            _ => {}
        }
    }

    fn end(&mut self, _: &Definitions, _: Found<'_>) -> u64 {
        0
    }
}

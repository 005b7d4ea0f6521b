//! Teams of which records are missing: those of a thread were dropped, or they end before the team
//! does. It may have created, executed or ended tasks since, so it is not known what the other
//! threads of the team have waited for. For these teams nothing is found.

use std::collections::HashSet;

use pompeii_model::{Id, LocationId};

use super::Tasks;
use crate::definitions::Definitions;
use crate::engine::record::TeamInstance;
use crate::hash::Table;

/// Threads whose records are missing.
#[derive(Debug, Default)]
pub(super) struct Lost {
    locations: HashSet<LocationId>,
    /// The last part that each location has ended in each team.
    ended: Table<(LocationId, u32), u32>,
}

impl Tasks {
    /// A location has ended its part in a team: what it does later does not concern that.
    pub(super) fn note_end(&mut self, location: LocationId, team: TeamInstance) {
        self.lost.ended.insert((location, team.team), team.number);
    }

    /// From here on, records of a location are missing, or it has no more.
    pub(super) fn lose(&mut self, definitions: &Definitions, location: LocationId) {
        self.lost.locations.insert(location);
        if let Some(parts) = self.parts.get_mut(location.index()) {
            parts.clear();
        }
        for (team, of_team) in self.teams.iter_mut() {
            let ended = self.lost.ended.get(&(location, team.team));
            let has_ended = ended.is_some_and(|ended| *ended >= team.number);
            of_team.is_lost |= !has_ended && is_member(definitions, *team, location);
        }
    }

    /// Whether a team that begins has a thread whose records are missing. Then some of its threads
    /// may never end their parts, so the execution before is over when the next one begins.
    pub(super) fn misses_some(&mut self, definitions: &Definitions, team: TeamInstance) -> bool {
        let mut lost = self.lost.locations.iter();
        if !lost.any(|location| is_member(definitions, team, *location)) {
            return false;
        }
        let is_over = |other: TeamInstance| other.team == team.team;
        let before = self.live.len();
        self.live.forget(is_over);
        self.incomplete += (before - self.live.len()) as u64;
        self.teams.retain(|other, of_team| !of_team.is_lost || !is_over(*other));
        true
    }
}

fn is_member(definitions: &Definitions, team: TeamInstance, location: LocationId) -> bool {
    let comm = definitions.comms.get(&team.team);
    comm.is_some_and(|comm| comm.members.contains(&location))
}

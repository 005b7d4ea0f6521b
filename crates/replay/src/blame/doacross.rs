//! Doacross loops: what a thread did before it posted an iteration for which others wait.
//!
//! Counted is what the thread did since it had itself waited for an iteration, since it had posted
//! the one before, or since its team was together. If it had waited, then the thread that waits for
//! it now has waited for the same time through it: this part goes back to the earlier wait, as with
//! a lock that is handed on. A sink at which the thread did not wait is an activity like others.

use pompeii_model::LocationId;

use crate::blame::WaitId;
use crate::blame::holder::Holder;
use crate::engine::record::{Rec, TeamInstance, What};
use crate::engine::tree::NodeId;
use crate::hash::Table;
use crate::times::Times;

/// What a location did since it waited or posted last.
#[derive(Debug, Default)]
struct Since {
    time: u64,
    /// How it waited then.
    wait: Option<WaitId>,
    times: Times,
}

/// The thread of a team that has posted last, and what it did before.
type Posted = (Holder, Times);

/// All doacross loops that threads are in.
#[derive(Debug, Default)]
pub(super) struct Doacross {
    /// Locations that have waited or posted since their teams were together.
    since: Table<LocationId, Since>,
    posted: Table<TeamInstance, Posted>,
}

impl Doacross {
    /// A location comes to a record; `profile` has its time since the last one, and `all` what it
    /// did since its team was together.
    pub(super) fn advance(&mut self, record: &Rec, profile: &[(NodeId, i64)], all: &Times) {
        let location = record.location;
        if let Some(since) = self.since.get_mut(&location) {
            profile.iter().for_each(|&(node, ticks)| since.times.add(node, ticks));
        }
        match record.what {
            What::Post { team: Some(team) } => {
                let new = Since { time: record.time, ..Since::default() };
                let before = self.since.insert(location, new);
                let first = || Since { times: all.clone(), ..Since::default() };
                let Since { time: since, wait, times } = before.unwrap_or_else(first);
                let holder = Holder { location, order: 0, since, wait };
                self.posted.insert(team, (holder, times));
            }
            What::BarrierEnter { .. } => {
                self.since.remove(&location);
            }
            What::PartEnd { team, .. } => {
                self.since.remove(&location);
                self.posted.remove(&team);
            }
            _ => {}
        }
    }

    /// A location has waited for an iteration.
    pub(super) fn waited(&mut self, (location, time): (LocationId, u64), wait: WaitId) {
        let since = Since { time, wait: Some(wait), times: Times::default() };
        self.since.insert(location, since);
    }

    /// Who of a team has posted last: is given back afterwards.
    pub(super) fn take(&mut self, team: TeamInstance) -> Option<Posted> {
        self.posted.remove(&team)
    }

    /// Gives back what was taken.
    pub(super) fn give_back(&mut self, team: TeamInstance, posted: Option<Posted>) {
        self.posted.extend(posted.map(|posted| (team, posted)));
    }
}

//! Who is to blame for waiting in MPI, in traces of processes without threads: the waits from the
//! last to the first, each divided among what the other process did longer and its waits, in the
//! time since both were together. Shares are real numbers.

use std::collections::BTreeMap;

use super::Trace;
use super::causers::CallWait;

/// Ticks that others waited because of a call path on a location.
pub type Blame = BTreeMap<(String, u64), f64>;

impl Trace {
    /// All blame, and the number of waits.
    pub fn blame(&self) -> (Blame, usize) {
        let mut waits = self.call_waits();
        waits.sort_by_key(|wait| (self.visits[wait.visit].leave, self.visits[wait.visit].location));
        let mut received = vec![0.0; waits.len()];
        let mut blame = Blame::new();
        for (number, wait) in waits.iter().enumerate().rev() {
            if self.name(wait.visit).starts_with("MPI_Init") {
                continue;
            }
            let cost = (wait.until - wait.begin) as f64 + received[number];
            let other = self.events[wait.causer].location;
            let begin = self.together(&waits, wait);
            let own =
                self.activities(&waits, (self.visits[wait.visit].location, begin, wait.begin));
            let mut excess = self.activities(&waits, (other, begin, wait.until));
            for (path, ticks) in &mut excess {
                *ticks = (*ticks - own.get(path).copied().unwrap_or(0)).max(0);
            }
            let others: Vec<usize> = (0..number)
                .filter(|&earlier| {
                    let it = &waits[earlier];
                    self.visits[it.visit].location == other
                        && (begin < it.until && it.until < wait.until)
                        && !self.name(it.visit).starts_with("MPI_Init")
                })
                .collect();
            let ticks = |earlier: usize| (waits[earlier].until - waits[earlier].begin) as i64;
            let weight: i64 =
                excess.values().sum::<i64>() + others.iter().map(|&it| ticks(it)).sum::<i64>();
            if weight == 0 {
                let at = self.events[wait.causer].visit.map(|visit| self.path(visit));
                *blame.entry((at.unwrap_or_default(), other)).or_default() += cost;
                continue;
            }
            for (path, ticks) in excess.into_iter().filter(|(_, ticks)| *ticks > 0) {
                *blame.entry((path, other)).or_default() += cost * ticks as f64 / weight as f64;
            }
            for earlier in others {
                received[earlier] += cost * ticks(earlier) as f64 / weight as f64;
            }
        }
        (blame, waits.len())
    }

    /// When the two locations of a wait were together before.
    fn together(&self, waits: &[CallWait], wait: &CallWait) -> u64 {
        let both = |one: &CallWait| {
            let at = self.visits[one.visit].location;
            let by = self.events[one.causer].location;
            (at.min(by), at.max(by))
        };
        let pairs = waits.iter().filter(|one| both(one) == both(wait));
        let pairs = pairs.map(|one| one.until);
        let (at, by) = both(wait);
        let all = self.operations_of_all().into_iter();
        let all = all.filter(|(members, _)| members.contains(&at) && members.contains(&by));
        let times = pairs.chain(all.map(|(_, time)| time));
        times.filter(|time| *time < wait.until).max().unwrap_or(0)
    }

    /// Exclusive times of a location without its waiting.
    fn activities(
        &self,
        waits: &[CallWait],
        (location, begin, end): (u64, u64, u64),
    ) -> BTreeMap<String, i64> {
        let overlap =
            |from: u64, to: u64| to.min(end).saturating_sub(from.max(begin)).cast_signed();
        let mut times: BTreeMap<String, i64> = BTreeMap::new();
        let events: Vec<(usize, u64)> = self.on(location).map(|(at, it)| (at, it.time)).collect();
        for pair in events.windows(2) {
            let visit = self.visit_between(pair[0].0, pair[1].0);
            let at = visit.map(|visit| self.path(visit)).unwrap_or_default();
            *times.entry(at).or_default() += overlap(pair[0].1, pair[1].1);
        }
        for wait in waits.iter().filter(|wait| self.visits[wait.visit].location == location) {
            *times.entry(self.path(wait.visit)).or_default() -= overlap(wait.begin, wait.until);
        }
        times
    }
}

//! Who is to blame for waiting: the waits from the last to the first, each divided among what the
//! other location did longer and its waits. Processes are compared since both were together
//! (here), threads since the last barrier or fork, and a lock is waited for because of what its
//! holder did with it (`team_blame.rs`). A task is waited for because of its creator or because of
//! what it did (`task_blame.rs`). Shares are real numbers.

use std::collections::BTreeMap;

use super::Trace;
use super::causers::CallWait;

/// Ticks that others waited because of a call path on a location.
pub type Blame = BTreeMap<(String, u64), f64>;

/// Time by call path.
pub(super) type Activities = BTreeMap<String, i64>;

/// A wait.
#[derive(Clone, Debug)]
pub(super) struct Wait {
    pub visit: usize,
    /// From when it waited, and how long.
    pub begin: u64,
    pub ticks: i64,
    /// Until when the location was in the call or the barrier, or when it got the lock.
    pub end: u64,
    pub by: By,
}

/// What was waited for.
#[derive(Clone, Debug)]
pub(super) enum By {
    /// A call of another process.
    Call(CallWait),
    /// The visit of the barrier by the last thread.
    Last(usize),
    /// The acquisition and the release by the last holder.
    Holder(usize, usize),
    /// The creation or suspension of a task, and the event that the thread waited until.
    Creator(usize, usize),
    /// The end of a task.
    Task(usize),
}

/// The location that was waited for, where it is, what it did in excess, and its waits.
pub(super) type Causes = (u64, String, Activities, Vec<(usize, i64)>);

/// What was done longer: of each region the difference of its times, divided among its call paths
/// in proportion to their own differences.
pub(super) fn excess(late: &Activities, other: &Activities) -> Activities {
    let region = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let sum = |times: &Activities, of: &str| -> i64 {
        times.iter().filter(|(path, _)| region(path) == of).map(|(_, ticks)| *ticks).sum()
    };
    let longer = |(path, ticks): (&String, &i64)| {
        (path.clone(), (ticks - other.get(path).copied().unwrap_or(0)).max(0))
    };
    let paths: Activities = late.iter().map(longer).collect();
    let of_region = |(path, ticks): (&String, &i64)| {
        let (of, all) = (region(path), sum(&paths, &region(path)));
        let difference = (sum(late, &of) - sum(other, &of)).clamp(0, all);
        let share = *ticks as f64 * difference as f64 / all.max(1) as f64;
        (path.clone(), share.round() as i64)
    };
    paths.iter().map(of_region).collect()
}

impl Trace {
    /// All blame, and the number of waits.
    pub fn blame(&self) -> (Blame, usize) {
        let barriers = self.barriers();
        let calls = self.call_waits().into_iter().map(|call| Wait {
            visit: call.visit,
            begin: call.begin,
            ticks: (call.until - call.begin).cast_signed(),
            end: self.visits[call.visit].leave,
            by: By::Call(call),
        });
        let mut waits: Vec<Wait> = calls.collect();
        waits.extend(self.barrier_waits(&barriers));
        waits.extend(self.lock_waits());
        waits.extend(self.waits_for_tasks());
        waits.sort_by_key(|wait| (wait.end, self.visits[wait.visit].location));
        let mut received = vec![0.0; waits.len()];
        let mut blame = Blame::new();
        for (number, wait) in waits.iter().enumerate().rev().filter(|(_, it)| !self.is_init(it)) {
            let cost = wait.ticks as f64 + received[number];
            let (location, otherwise, activities, others) = match &wait.by {
                By::Call(call) => self.causes_of_call(&waits, number, call),
                By::Last(last) => self.causes_at_barrier(&waits, &barriers, wait.visit, *last),
                By::Holder(taken, released) => self.causes_at_lock(&waits, wait, *taken, *released),
                By::Creator(made, place) => self.causes_of_creation(&waits, *made, *place),
                By::Task(ended) => self.causes_of_end(*ended),
            };
            let weight =
                activities.values().sum::<i64>() + others.iter().map(|it| it.1).sum::<i64>();
            if weight == 0 {
                *blame.entry((otherwise, location)).or_default() += cost;
                continue;
            }
            let share = |ticks: i64| cost * ticks as f64 / weight as f64;
            for (path, ticks) in activities.into_iter().filter(|(_, ticks)| *ticks > 0) {
                *blame.entry((path, location)).or_default() += share(ticks);
            }
            for (earlier, ticks) in others {
                received[earlier] += share(ticks);
            }
        }
        (blame, waits.len())
    }

    /// Processes begin at different times, which has no cause in the program.
    fn is_init(&self, wait: &Wait) -> bool {
        self.name(wait.visit).starts_with("MPI_Init")
    }

    /// What the other process of a call did longer, and how it waited, since both were together.
    fn causes_of_call(&self, waits: &[Wait], number: usize, call: &CallWait) -> Causes {
        let (here, other) = (self.visits[call.visit].location, self.events[call.causer].location);
        let begin = self.together(waits, call);
        let own = self.activities(waits, (here, begin, call.begin));
        let excess = excess(&self.activities(waits, (other, begin, call.until)), &own);
        let is_between = |it: &Wait| match &it.by {
            By::Call(earlier) => begin < earlier.until && earlier.until < call.until,
            _ => begin < it.end && it.end <= call.until,
        };
        let is_cause = |it: &Wait| {
            self.visits[it.visit].location == other && is_between(it) && !self.is_init(it)
        };
        let others = (0..number).filter(|&it| is_cause(&waits[it]));
        let at = self.events[call.causer].visit.map(|visit| self.path(visit));
        (other, at.unwrap_or_default(), excess, others.map(|it| (it, waits[it].ticks)).collect())
    }

    /// When the two locations of a wait were together before.
    fn together(&self, waits: &[Wait], call: &CallWait) -> u64 {
        let both = |one: &CallWait| {
            let at = self.visits[one.visit].location;
            let by = self.events[one.causer].location;
            (at.min(by), at.max(by))
        };
        // Before an operation of all counts only that this location has waited for the other one.
        let place = |one: &CallWait| self.visits[one.visit].location;
        let pairs = waits.iter().filter_map(|wait| match &wait.by {
            By::Call(one) if both(one) != both(call) => None,
            By::Call(one) => (!call.is_of_all || place(one) == place(call)).then_some(one.until),
            _ => None,
        });
        let (at, by) = both(call);
        let all = self.operations_of_all().into_iter();
        let all = all.filter(|(members, _)| members.contains(&at) && members.contains(&by));
        let times = pairs.chain(all.map(|(_, time)| time));
        times.filter(|time| *time < call.until).max().unwrap_or(0)
    }

    /// Exclusive times of a location without its waiting.
    fn activities(&self, waits: &[Wait], (location, begin, end): (u64, u64, u64)) -> Activities {
        let overlap =
            |from: u64, to: u64| to.min(end).saturating_sub(from.max(begin)).cast_signed();
        let mut times = Activities::new();
        let events: Vec<(usize, u64)> = self.on(location).map(|(at, it)| (at, it.time)).collect();
        for pair in events.windows(2) {
            let visit = self.visit_between(pair[0].0, pair[1].0);
            let at = visit.map(|visit| self.path(visit)).unwrap_or_default();
            *times.entry(at).or_default() += overlap(pair[0].1, pair[1].1);
        }
        for wait in waits.iter().filter(|wait| self.visits[wait.visit].location == location) {
            let is_between = begin < wait.end && wait.end <= end;
            let ticks = match &wait.by {
                By::Call(call) => overlap(call.begin, call.until),
                _ if is_between => wait.ticks,
                _ => continue,
            };
            *times.entry(self.path(wait.visit)).or_default() -= ticks;
        }
        times
    }
}

//! Epochs of some processes of a window. A process opens an exposure epoch with MPI_Win_post for a
//! group of origins and ends it with MPI_Win_wait; an origin opens an access epoch with
//! MPI_Win_start to a group of targets and ends it with MPI_Win_complete.
//!
//! The n-th access epoch of an origin to a target belongs to the n-th exposure epoch of the target
//! for that origin. Each such pair has a [`Link`], because either end may become known first.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;

use pompeii_model::ProcessId;

use super::Call;
use crate::compound::{Compound, PairSyncs, WindowPattern};
use crate::definitions::Definitions;
use crate::engine::matcher::{Found, Matcher};
use crate::engine::record::{Access, Rec, What, WindowCall};
use crate::engine::topics::Topics;
use crate::hash::Table;
use crate::place::Place;
use crate::table::Kind;
use crate::transport::dealt::Dealt;

/// Epochs that are remembered: those of a trace in which a process is missing never end.
const OPEN_MAX: usize = 100_000;

/// Operations of an epoch that may turn out to have waited for a post. The post began before such
/// an operation ended, and so it is known soon after.
const CALLS_MAX: usize = 64;

/// An origin and a target of a window.
type Pair = (u32, ProcessId, ProcessId);

/// An access epoch and the exposure epoch of one of its targets, as far as they are known.
#[derive(Debug, Default)]
struct Link {
    access: Option<u64>,
    exposure: Option<u64>,
    /// When the target began to open the exposure epoch.
    post: Option<(u64, Place)>,
    completed: Option<Completed>,
}

/// The end of an access epoch, as one of its targets sees it.
#[derive(Clone, Copy, Debug)]
struct Completed {
    /// When the origin began to end it.
    enter: u64,
    at: Place,
    /// When the last operation on the memory of the target ended.
    last: Option<u64>,
}

#[derive(Debug)]
struct AccessEpoch {
    links: Vec<(Pair, u64)>,
    start: Call,
    /// The last operations, with their targets.
    calls: VecDeque<(ProcessId, Call)>,
    /// When the last operation on the memory of each target ended.
    last: BTreeMap<ProcessId, u64>,
    complete: Option<Call>,
}

#[derive(Debug)]
struct ExposureEpoch {
    links: Vec<(Pair, u64)>,
    /// The call that has ended it, and whether that call waits.
    end: Option<(Call, bool)>,
}

/// Epochs that have not ended on both sides.
#[derive(Debug, Default)]
pub struct Epochs {
    dealt: Option<Arc<Dealt>>,
    accesses: BTreeMap<u64, AccessEpoch>,
    exposures: BTreeMap<u64, ExposureEpoch>,
    next: u64,
    open_access: Table<(u32, ProcessId), u64>,
    open_exposure: Table<(u32, ProcessId), u64>,
    /// Numbers of access and exposure epochs.
    counts: Table<Pair, [u64; 2]>,
    links: Table<(Pair, u64), Link>,
    /// Processes with dropped records: it is not known which epoch is which.
    lost: HashSet<ProcessId>,
    given_up: u64,
}

impl Matcher for Epochs {
    const TOPICS: Topics = Topics::WINDOWS.with(Topics::GAPS);
    const TABLES: &'static [Kind] = &[Kind::Waits];

    fn record(&mut self, definitions: &Definitions, record: &Rec, found: Found<'_>) {
        let process = || definitions.system.locations[record.location].process;
        match record.what {
            What::WindowCall(WindowCall { window, since, access }) if self.has(window) => {
                let (of, call) = ((window, process()), Call::of(record, since));
                match access {
                    Access::Post(group) => self.post((definitions, group), of, call, found),
                    Access::Start(group) => self.start((definitions, group), of, call),
                    Access::Complete => self.complete(of, call, found),
                    Access::Wait => self.wait(of, (call, true), found),
                    Access::Tested => self.wait(of, (call, false), found),
                    Access::Transfer(target) => {
                        let target = definitions.peer(record.location, window, target);
                        let call = Call { is_transfer: true, ..call };
                        self.transfer(of, target, call);
                    }
                    Access::Lock { .. } | Access::Unlock(_) | Access::Flush(_) => {}
                }
            }
            What::Dropped => drop(self.lost.insert(process())),
            _ => {}
        }
    }

    fn end(&mut self, _: &Definitions, _: Found<'_>) -> u64 {
        self.given_up + (self.accesses.len() + self.exposures.len()) as u64
    }

    fn share(&mut self, dealt: &Arc<Dealt>) {
        self.dealt = Some(dealt.clone());
    }
}

impl Epochs {
    /// Whether the epochs of a window are matched here.
    fn has(&self, window: u32) -> bool {
        self.dealt.as_ref().is_none_or(|dealt| dealt.of_number(window) == dealt.rank)
    }

    fn number(&mut self) -> u64 {
        self.next += 1;
        self.next
    }

    /// The links of a new epoch: `side` 0 is access, 1 is exposure.
    fn links_of(&mut self, pairs: impl Iterator<Item = Pair>, side: usize) -> Vec<(Pair, u64)> {
        let next = |pair: Pair| {
            let number = &mut self.counts.entry(pair).or_default()[side];
            *number += 1;
            (pair, *number)
        };
        pairs.map(next).collect()
    }

    fn post(
        &mut self,
        (definitions, group): (&Definitions, u32),
        (window, target): (u32, ProcessId),
        call: Call,
        found: Found<'_>,
    ) {
        if self.is_lost(target, definitions.group(group)) {
            return;
        }
        let pairs = definitions.group(group).map(|origin| (window, origin, target));
        let links = self.links_of(pairs, 1);
        let id = self.number();
        let mut accesses = Vec::new();
        for key in &links {
            let link = self.links.entry(*key).or_default();
            (link.exposure, link.post) = (Some(id), Some((call.enter, call.at)));
            accesses.extend(link.access);
        }
        self.exposures.insert(id, ExposureEpoch { links, end: None });
        self.open_exposure.insert((window, target), id);
        accesses.into_iter().for_each(|access| self.finish_access(access, found));
        self.limit();
    }

    fn start(
        &mut self,
        (definitions, group): (&Definitions, u32),
        (window, origin): (u32, ProcessId),
        start: Call,
    ) {
        if self.is_lost(origin, definitions.group(group)) {
            return;
        }
        let pairs = definitions.group(group).map(|target| (window, origin, target));
        let links = self.links_of(pairs, 0);
        let id = self.number();
        for key in &links {
            self.links.entry(*key).or_default().access = Some(id);
        }
        let (calls, last, complete) = (VecDeque::new(), BTreeMap::new(), None);
        self.accesses.insert(id, AccessEpoch { links, start, calls, last, complete });
        self.open_access.insert((window, origin), id);
        self.limit();
    }

    /// Epochs of processes with dropped records are not matched.
    fn is_lost(&mut self, own: ProcessId, mut others: impl Iterator<Item = ProcessId>) -> bool {
        let is_lost = !self.lost.is_empty()
            && (self.lost.contains(&own) || others.any(|other| self.lost.contains(&other)));
        self.given_up += u64::from(is_lost);
        is_lost
    }

    fn transfer(&mut self, of: (u32, ProcessId), target: Option<ProcessId>, call: Call) {
        let open = self.open_access.get(&of).and_then(|id| self.accesses.get_mut(id));
        let (Some(epoch), Some(target)) = (open, target) else { return };
        epoch.last.insert(target, call.leave);
        epoch.calls.push_back((target, call));
        if epoch.calls.len() > CALLS_MAX {
            // It has not waited for a post that is not known yet, but maybe for one that is.
            let is_known = |(of, call): &(ProcessId, Call)| {
                let link = epoch.links.iter().find(|((.., target), _)| target == of);
                let post = link.and_then(|link| self.links.get(link)?.post);
                post.is_some_and(|(time, _)| call.spans(time))
            };
            let place = epoch.calls.iter().position(|it| !is_known(it)).unwrap_or(0);
            epoch.calls.remove(place);
        }
    }

    fn complete(&mut self, of: (u32, ProcessId), call: Call, found: Found<'_>) {
        let Some(id) = self.open_access.remove(&of) else { return };
        let Some(epoch) = self.accesses.get_mut(&id) else { return };
        epoch.complete = Some(call);
        let partners = epoch.links.len() as u64;
        let unneeded = partners.saturating_sub(epoch.last.len() as u64);
        let (at, time) = (call.at, call.leave);
        found(Compound::PairSyncs(PairSyncs { at, time, partners, unneeded }));
        let mut exposures = Vec::new();
        for key in &epoch.links {
            let last = epoch.last.get(&key.0.2).copied();
            let link = self.links.entry(*key).or_default();
            link.completed = Some(Completed { enter: call.enter, at, last });
            exposures.extend(link.exposure);
        }
        self.finish_access(id, found);
        exposures.into_iter().for_each(|exposure| self.finish_exposure(exposure, found));
    }

    fn wait(&mut self, of: (u32, ProcessId), end: (Call, bool), found: Found<'_>) {
        let Some(id) = self.open_exposure.remove(&of) else { return };
        if let Some(epoch) = self.exposures.get_mut(&id) {
            epoch.end = Some(end);
            self.finish_exposure(id, found);
        }
    }

    /// An access epoch may be known with all posts.
    fn finish_access(&mut self, id: u64, found: Found<'_>) {
        let Some(epoch) = self.accesses.get(&id) else { return };
        let post = |key: &(Pair, u64)| Some((key.0.2, self.links.get(key)?.post?));
        let posts: Option<BTreeMap<ProcessId, (u64, Place)>> =
            epoch.links.iter().map(post).collect();
        let (Some(complete), Some(posts)) = (epoch.complete, posts) else { return };
        let latest = posts.values().max_by_key(|(time, at)| (*time, Reverse(at.location)));
        let synchronise = [epoch.start, complete].into_iter().map(|call| (call, latest));
        let transfers = epoch.calls.iter().map(|(target, call)| (*call, posts.get(target)));
        for (call, post) in synchronise.chain(transfers) {
            if let Some(post) = post.filter(|(time, _)| call.spans(*time)) {
                found(call.waits(WindowPattern::LatePost, *post));
            }
        }
        self.remove_access(id);
    }

    /// An exposure epoch may be known with the ends of all access epochs.
    fn finish_exposure(&mut self, id: u64, found: Found<'_>) {
        let Some(epoch) = self.exposures.get(&id) else { return };
        let completed = |key| self.links.get(key)?.completed;
        let all: Option<Vec<Completed>> = epoch.links.iter().map(completed).collect();
        let (Some((call, waits)), Some(all)) = (epoch.end, all) else { return };
        let latest = all.iter().max_by_key(|it| (it.enter, Reverse(it.at.location)));
        if let Some(Completed { enter, at, .. }) =
            latest.filter(|it| waits && it.enter > call.enter)
        {
            found(call.waits(WindowPattern::EarlyWait, (*enter, *at)));
            let last = all.iter().filter_map(|it| it.last).max().unwrap_or(0);
            let after = Call { enter: call.enter.max(last), ..call };
            found(after.waits(WindowPattern::LateComplete, (*enter, *at)));
        }
        let unneeded = all.iter().filter(|it| it.last.is_none()).count() as u64;
        let (at, time, partners) = (call.at, call.leave, all.len() as u64);
        found(Compound::PairSyncs(PairSyncs { at, time, partners, unneeded }));
        self.remove_exposure(id);
    }

    fn remove_access(&mut self, id: u64) {
        for key in self.accesses.remove(&id).into_iter().flat_map(|epoch| epoch.links) {
            self.unlink(key, |link| link.access = None);
        }
    }

    fn remove_exposure(&mut self, id: u64) {
        for key in self.exposures.remove(&id).into_iter().flat_map(|epoch| epoch.links) {
            self.unlink(key, |link| link.exposure = None);
        }
    }

    /// One side of a link is done: it goes if the other one is, too.
    fn unlink(&mut self, key: (Pair, u64), done: fn(&mut Link)) {
        let Some(link) = self.links.get_mut(&key) else { return };
        done(link);
        if link.access.is_none() && link.exposure.is_none() {
            self.links.remove(&key);
        }
    }

    /// Gives up the oldest epochs, if there are too many.
    fn limit(&mut self) {
        while self.accesses.len() > OPEN_MAX {
            let oldest = self.accesses.first_key_value().map(|(id, _)| *id);
            oldest.into_iter().for_each(|id| self.remove_access(id));
            self.given_up += 1;
        }
        while self.exposures.len() > OPEN_MAX {
            let oldest = self.exposures.first_key_value().map(|(id, _)| *id);
            oldest.into_iter().for_each(|id| self.remove_exposure(id));
            self.given_up += 1;
        }
    }
}

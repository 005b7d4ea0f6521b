//! Teams with another number of threads.
//!
//! The recorded threads stay, and play the team. Between two meetings of a team (fork, barriers,
//! join) a thread has two kinds of work:
//! * **Divided** work: iterations of loops, and all other code of the parallel region that each
//!   thread executes. It takes no time on the recorded threads. When the team meets, the sum of
//!   this work is shared by the threads that the team would have.
//! * **Fixed** work, which one thread does as it is: `single`, `master`, sections, bodies of
//!   critical and ordered constructs, MPI. It takes its recorded time, in the recorded order of
//!   locks.
//!
//! The team goes on at the later one of two moments: when the last recorded thread comes with its
//! fixed work alone, and after the mean begin of the threads plus all work / threads. No team of
//! this size can be earlier if the work is the same, so this is a bound, unless the times of the
//! loops are known ([`TeamSize::loops`]). An execution of a parallel region with tasks takes a
//! share of its recorded time instead ([`TeamSize::tasks`]).

use pompeii_model::{Code, Paradigm, Region, RegionId, Role};

use super::clocks::{Clocks, units};
use super::threads::Part;
use super::{Location, Scenario, UNIT};
use crate::definitions::Definitions;
use crate::engine::record::{ForkId, TeamInstance};
use crate::engine::tree::{NodeId, SharedTree};
use crate::hash::Table;

/// All teams have this number of threads.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamSize {
    /// Threads of each team.
    pub threads: usize,
    /// Loops whose time on this number of threads is known: threads x time instead of their work.
    pub loops: Vec<(RegionId, Ratio)>,
    /// Parallel regions with tasks: their time instead of the recorded one.
    pub tasks: Vec<(RegionId, Ratio)>,
}

/// Something takes another time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ratio {
    /// Its recorded time.
    pub recorded: i64,
    /// Its time in the scenario, in the same unit.
    pub played: i64,
}

impl Ratio {
    /// The time of a part of it.
    fn of(self, time: i64) -> i64 {
        let recorded = i128::from(self.recorded.max(1));
        in_range(i128::from(time) * i128::from(self.played) / recorded)
    }
}

fn in_range(number: i128) -> i64 {
    i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX })
}

/// How the work at a call path belongs to a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// It is outside of parallel regions, or in a task.
    Outside,
    Fixed,
    /// It may be in a loop.
    Divided(Option<RegionId>),
}

/// The work of a thread since its team has met last.
#[derive(Clone, Debug)]
pub(super) struct Share {
    fork: Option<ForkId>,
    /// The parallel region.
    region: RegionId,
    /// When the thread went on.
    since: Clocks,
    /// Fixed work, in ticks.
    fixed: i64,
    /// Divided work as recorded, in ticks.
    recorded: i64,
    /// The same in each scenario, in parts of ticks.
    divided: Vec<i64>,
    /// Divided work in no loop of [`TeamSize::loops`], since the begin of the region; in ticks.
    evenly: i64,
}

impl Share {
    /// The team has met, and the thread goes on.
    pub fn begin(&mut self, clocks: &Clocks) {
        self.since = clocks.clone();
        (self.fixed, self.recorded) = (0, 0);
        self.divided.iter_mut().for_each(|units| *units = 0);
    }
}

#[derive(Debug)]
struct Size {
    scenario: usize,
    threads: i128,
    loops: Table<RegionId, Ratio>,
    tasks: Table<RegionId, Ratio>,
}

/// The scenarios with other sizes of teams.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    all: Vec<Size>,
    /// By node, as far as they were needed.
    kinds: Vec<Option<Kind>>,
    /// Threads that have ended their parts without a meeting.
    unmet: Table<ForkId, Vec<Share>>,
    /// The parallel regions of forks whose teams have created tasks. A worker may end its part
    /// after the join, so an entry stays until its master has forked twice again.
    with_tasks: Table<ForkId, RegionId>,
    /// Sum of [`Share::evenly`] without executions that have tasks.
    pub evenly: i64,
    /// A parallel region that several threads execute inside of another one.
    pub nested: Option<RegionId>,
}

/// The place of the outermost parallel region among the parts of a location.
const OUTERMOST: usize = 1;

/// Of the parts of a location, its work in the outermost parallel region.
pub(super) fn share(parts: &mut [Part]) -> Option<&mut Share> {
    parts.get_mut(OUTERMOST)?.share.as_mut()
}

impl Sizes {
    /// Those of these scenarios.
    pub fn new(scenarios: &[Scenario]) -> Sizes {
        let size = |(scenario, of): (usize, &Scenario)| {
            let team = of.team_size.as_ref()?;
            let threads = team.threads.max(1) as i128;
            let table = |all: &[(RegionId, Ratio)]| all.iter().copied().collect();
            Some(Size { scenario, threads, loops: table(&team.loops), tasks: table(&team.tasks) })
        };
        let all = scenarios.iter().enumerate().filter_map(size).collect();
        Sizes { all, ..Sizes::default() }
    }

    /// A location works for some time at call paths; less than none takes it back.
    pub fn work(
        &mut self,
        (definitions, tree): (&Definitions, &SharedTree),
        location: &mut Location,
        times: &[(NodeId, i64)],
    ) {
        if self.all.is_empty() {
            return;
        }
        let Some(share) = share(&mut location.parts) else { return };
        for &(node, ticks) in times {
            match self.kind(definitions, tree, node) {
                Kind::Outside => {}
                Kind::Fixed => share.fixed = share.fixed.saturating_add(ticks),
                Kind::Divided(region) => {
                    let units = ticks.saturating_mul(UNIT);
                    let mut is_known = false;
                    for (size, divided) in self.all.iter().zip(&mut share.divided) {
                        let known = region.and_then(|region| size.loops.get(&region));
                        is_known |= known.is_some();
                        let played = known.map_or(units, |ratio| ratio.of(units));
                        *divided = divided.saturating_add(played);
                        let late = &mut location.clocks.late[size.scenario];
                        *late = late.saturating_sub(units);
                    }
                    share.recorded = share.recorded.saturating_add(ticks);
                    share.evenly += if is_known { 0 } else { ticks };
                }
            }
        }
    }

    fn kind(&mut self, definitions: &Definitions, tree: &SharedTree, node: NodeId) -> Kind {
        let place = node.0 as usize;
        if self.kinds.len() <= place {
            self.kinds.resize(place + 1, None);
        }
        *self.kinds[place].get_or_insert_with(|| kind(definitions, tree, node))
    }

    /// A location begins its part of a parallel region. Returns its work there, if that is another
    /// one in teams of other sizes.
    pub fn begin(
        &mut self,
        definitions: &Definitions,
        location: &Location,
        (team, fork, region): (TeamInstance, Option<ForkId>, RegionId),
    ) -> Option<Share> {
        if self.all.is_empty() {
            return None;
        }
        let threads = definitions.team_size(team.team.into());
        if location.parts.len() > OUTERMOST {
            self.nested = self.nested.or((threads > 1).then_some(region));
            return None;
        }
        let is_alone = threads == 1 && has_condition(&definitions.regions[region]);
        (!is_alone).then(|| Share {
            fork,
            region,
            since: location.clocks.clone(),
            fixed: 0,
            recorded: 0,
            divided: vec![0; self.all.len()],
            evenly: 0,
        })
    }

    /// A worker begins after a moment, whatever its thread did before.
    pub fn follow(&self, clocks: &mut Clocks, moment: &Clocks) {
        let since = units(clocks.time.saturating_sub(moment.time));
        for size in &self.all {
            clocks.late[size.scenario] = moment.late[size.scenario].saturating_sub(since);
        }
    }

    /// All threads of a team have come to a meeting, with this work.
    pub fn meet<'a>(&self, all: &mut Clocks, shares: impl Iterator<Item = &'a Share> + Clone) {
        for (place, size) in self.all.iter().enumerate() {
            let (mut begins, mut work, mut threads) = (0i128, 0i128, 0i128);
            for share in shares.clone() {
                let since = units(all.time.saturating_sub(share.since.time));
                begins += i128::from(share.since.late[size.scenario]) - i128::from(since);
                work += i128::from(share.fixed) * i128::from(UNIT);
                work += i128::from(share.divided[place]);
                threads += 1;
            }
            if threads > 0 {
                let late = &mut all.late[size.scenario];
                *late = (*late).max(in_range(begins / threads + work / size.threads));
            }
        }
    }

    /// A location ends its part. What it did after its last meeting is as recorded if that was the
    /// meeting at the end of the region; otherwise the join is a meeting.
    pub fn end(&mut self, clocks: &mut Clocks, share: Share, has_met: bool) {
        let has_tasks = share.fork.is_some_and(|fork| self.with_tasks.contains_key(&fork));
        self.evenly += if has_tasks { 0 } else { share.evenly };
        if let Some(fork) = share.fork.filter(|_| !has_met) {
            self.unmet.entry(fork).or_default().push(share);
            return;
        }
        for size in &self.all {
            let late = &mut clocks.late[size.scenario];
            *late = late.saturating_add(share.recorded.saturating_mul(UNIT));
        }
    }

    /// A location forks a team.
    pub fn fork(&mut self, fork: ForkId) {
        let number = fork.number.wrapping_sub(2);
        self.with_tasks.remove(&ForkId { number, ..fork });
    }

    /// A location creates a task.
    pub fn create(&mut self, location: &mut Location) {
        if let Some(Share { fork: Some(fork), region, .. }) = share(&mut location.parts) {
            self.with_tasks.insert(*fork, *region);
        }
    }

    /// The master of a team is back from its fork at a moment.
    pub fn join(&mut self, fork: ForkId, forked: Option<&Clocks>, clocks: &mut Clocks) {
        if let Some(shares) = self.unmet.remove(&fork) {
            self.meet(clocks, shares.iter());
        }
        let region = self.with_tasks.get(&fork).copied();
        let Some((region, forked)) = region.zip(forked) else { return };
        let recorded = units(clocks.time.saturating_sub(forked.time));
        for size in &self.all {
            if let Some(ratio) = size.tasks.get(&region) {
                let change = ratio.of(recorded).saturating_sub(recorded);
                clocks.late[size.scenario] = forked.late[size.scenario].saturating_add(change);
            }
        }
    }
}

/// Whether a parallel region may have one thread because its condition is false.
fn has_condition(region: &Region) -> bool {
    let clauses = region.written_clauses().to_ascii_lowercase();
    clauses.split(' ').any(|word| word.starts_with("if("))
}

/// The kind of a call path: that of the constructs from its outermost parallel region on.
fn kind(definitions: &Definitions, tree: &SharedTree, node: NodeId) -> Kind {
    let (mut kind, mut below, mut node) = (Kind::Outside, Kind::Divided(None), node);
    loop {
        let region = tree.region(node);
        let of = &definitions.regions[region];
        match of.role {
            Role::Parallel | Role::Teams => kind = below,
            _ if is_fixed(of) => below = Kind::Fixed,
            Role::Loop | Role::LoopConstruct | Role::Distribute if below != Kind::Fixed => {
                below = Kind::Divided(Some(region));
            }
            _ => {}
        }
        let parent = tree.parent(node);
        if parent == node {
            return kind;
        }
        node = parent;
    }
}

/// Whether a construct is for one thread at a time.
fn is_fixed(region: &Region) -> bool {
    let is_alone = !matches!(region.role.code(), Code::Each | Code::Nothing);
    is_alone || region.paradigm == Paradigm::Mpi
}

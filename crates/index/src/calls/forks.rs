//! Where and when masters fork: a worker's part lies below the call path of its fork, and its time
//! is that from the fork to the join. A quick first pass over the events of the masters finds the
//! forks before the workers are indexed; the index has them for windows.
//!
//! Forks of a team have numbers in their order, and a location has begun as many parts in the team
//! before. Inner teams are found if their master comes after that of the outer team, as in all
//! traces that number threads in the order of their creation; in others, the parts of inner teams
//! lie at the root.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::ops::{ControlFlow, Range};

use pompeii_model::{Id, LocationId, ProcessId};
use pompeii_otf2::read::{ChunkSource, EventReader};
use pompeii_replay::definitions::{Definitions, Resource};

use super::follow::Follower;
use super::tree::CallNodes;
use crate::context::Context;
use crate::format::{Index, Key, Piece, Section, Words};
use crate::pack::{BLOCK_ENTRIES, Blocks, BlocksOf, Input, difference, put, put_signed};
use crate::picture::first_where;

/// A fork whose team has workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fork {
    pub time: u64,
    /// When the team joined; `None` if that is not in the trace.
    pub joined: Option<u64>,
    /// The call path that forks, in the tree of the master.
    pub node: u32,
}

/// What knows the forks of other locations.
pub(crate) trait ForkSource {
    /// A fork by its team and number.
    fn fork(&self, team: u32, number: u32) -> Option<Fork>;
    /// A call path of the master of a team (`CallNodes::path`).
    fn path(&self, team: u32, node: u32) -> Vec<u32>;
}

/// Collects the forks of a master.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundForks {
    pub teams: BTreeMap<u32, Vec<Fork>>,
    /// Forks that have not joined, from the outside in: their team and number.
    open: Vec<Option<(u32, usize)>>,
}

impl FoundForks {
    pub fn fork(&mut self) {
        self.open.push(None);
    }

    /// The team of the last fork begins, for the time `number`.
    pub fn begin(&mut self, (team, number): (u32, u32), fork: Fork) {
        let forks = self.teams.entry(team).or_default();
        // After a gap in the records, no fork has a number.
        if forks.len() != number as usize {
            return;
        }
        if let Some(open) = self.open.last_mut() {
            *open = Some((team, forks.len()));
        }
        forks.push(fork);
    }

    pub fn join(&mut self, time: u64) {
        let Some(Some((team, number))) = self.open.pop() else { return };
        let fork = self.teams.get_mut(&team).and_then(|forks| forks.get_mut(number));
        if let Some(fork) = fork {
            fork.joined = Some(time);
        }
    }

    /// Records were dropped: no join is that of an open fork.
    pub fn lose(&mut self) {
        self.open.clear();
    }

    /// The sections: teams in the order of their numbers, and the forks of each.
    pub fn pieces(&self) -> Vec<Piece> {
        let piece = |section, row, words| Piece { section, row, level: 0, words, is_coarse: false };
        let teams: Vec<u64> = self.teams.keys().map(|team| u64::from(*team)).collect();
        let forks = self.teams.values().enumerate();
        let mut pieces: Vec<Piece> =
            forks.map(|(row, forks)| piece(Section::Forks, row, pack(forks))).collect();
        pieces.push(piece(Section::ForkTeams, 0, teams));
        pieces
    }
}

fn pack(forks: &[Fork]) -> Vec<u64> {
    let (mut blocks, mut last): (Blocks<1>, (u64, u32)) = (Blocks::new(), (0, 0));
    for Fork { time, joined, node } in forks {
        let (before, node_before) = if blocks.begins_block() { (0, 0) } else { last };
        blocks.push(
            [*time],
            |_| {},
            |out| {
                put_signed(out, difference(*time, before));
                put(out, joined.map_or(0, |joined| joined.saturating_sub(*time).saturating_add(1)));
                put_signed(out, i64::from(*node) - i64::from(node_before));
            },
        );
        last = (joined.unwrap_or(*time).max(*time), *node);
    }
    blocks.words()
}

fn unpack(input: &mut Input<'_>, (before, node_before): (u64, u32)) -> Option<Fork> {
    let time = input.after(before)?;
    let joined = input.number()?.checked_sub(1).map(|ticks| time.saturating_add(ticks));
    let node = u32::try_from(i64::from(node_before).checked_add(input.signed()?)?).ok()?;
    Some(Fork { time, joined, node })
}

/// The forks of a block.
fn block_of(blocks: BlocksOf<'_, 1>, block: usize) -> Vec<Fork> {
    let (mut input, mut last) = (blocks.input(block), (0, 0));
    let next = || {
        let fork = unpack(&mut input, last)?;
        last = (fork.joined.unwrap_or(fork.time), fork.node);
        Some(fork)
    };
    std::iter::from_fn(next).take(blocks.entries(block)).collect()
}

/// The forks of a trace, in memory.
#[derive(Clone, Debug, Default)]
pub struct Forks {
    /// By team: the place of its master's tree, and its forks.
    teams: HashMap<u32, (usize, Vec<Fork>)>,
    trees: Vec<CallNodes>,
}

impl Forks {
    /// Finds the forks of a process. `open` opens the events of a location; it is called for the
    /// masters of teams only. `goes_on` is asked now and then whether to go on.
    ///
    /// # Errors
    /// Those of `open`. Events that cannot be read are left out.
    pub fn find<S: ChunkSource, E>(
        context: &Context<'_>,
        process: ProcessId,
        mut open: impl FnMut(usize) -> Result<EventReader<S>, E>,
        goes_on: impl Fn() -> bool,
    ) -> Result<Forks, E> {
        let mut forks = Forks::default();
        for location in masters(context.definitions, process) {
            let mut reader = open(location)?;
            let is_master = is_master(context.definitions, location);
            let mut follower = Follower::new(context.definitions, is_master);
            let mut events = 0_u64;
            let _ = reader.visit(|event| {
                if let Ok(event) = event {
                    follower.event(context.definitions, &forks, event.time, event.event);
                }
                // What was counted is of no use here.
                events += 1;
                if events.is_multiple_of(1 << 16) {
                    follower.sums.take();
                    if !goes_on() {
                        return ControlFlow::Break(());
                    }
                }
                ControlFlow::Continue(())
            });
            forks.add(follower);
        }
        Ok(forks)
    }

    fn add(&mut self, master: Follower) {
        let tree = self.trees.len();
        self.trees.push(master.tree);
        self.teams.extend(master.found.teams.into_iter().map(|(team, of)| (team, (tree, of))));
    }

    /// Adds the forks of another process.
    pub fn join(&mut self, other: Forks) {
        let first = self.trees.len();
        self.trees.extend(other.trees);
        let teams = other.teams.into_iter();
        self.teams.extend(teams.map(|(team, (tree, of))| (team, (first + tree, of))));
    }
}

impl ForkSource for Forks {
    fn fork(&self, team: u32, number: u32) -> Option<Fork> {
        self.teams.get(&team)?.1.get(number as usize).copied()
    }

    fn path(&self, team: u32, node: u32) -> Vec<u32> {
        let tree = self.teams.get(&team).and_then(|(tree, _)| self.trees.get(*tree));
        tree.map_or(Vec::new(), |tree| tree.path(node))
    }
}

/// Locations of a process that are the masters of teams with workers, in their order.
fn masters(definitions: &Definitions, process: ProcessId) -> Vec<usize> {
    let locations = &definitions.system.locations;
    let is_here = |member: &LocationId| {
        member.index() < locations.len() && locations[*member].process == process
    };
    let teams = definitions.comms.values().filter(|comm| comm.resource == Resource::Communicator);
    let mut masters: Vec<usize> = teams
        .filter_map(|comm| match comm.members[..] {
            [master, worker, ..] if is_here(&master) && is_here(&worker) => Some(master.index()),
            _ => None,
        })
        .collect();
    masters.sort_unstable();
    masters.dedup();
    masters
}

/// Whether a location is the master of its process.
pub(crate) fn is_master(definitions: &Definitions, location: usize) -> bool {
    let id = LocationId::from_index(location);
    location < definitions.system.locations.len() && definitions.system.master(id) == id
}

/// The block of forks that was decoded last, by team and number of the block.
type LastBlock = ((u32, usize), Vec<Fork>);

/// The forks of a trace, in its index. A worker asks for them one after the other.
#[derive(Debug)]
pub struct IndexForks<'a, B> {
    index: &'a Index<B>,
    definitions: &'a Definitions,
    last: RefCell<Option<LastBlock>>,
    /// Trees of masters.
    trees: RefCell<HashMap<usize, CallNodes>>,
}

impl<'a, B: AsRef<[u8]>> IndexForks<'a, B> {
    pub(crate) fn new(index: &'a Index<B>, definitions: &'a Definitions) -> IndexForks<'a, B> {
        IndexForks { index, definitions, last: RefCell::default(), trees: RefCell::default() }
    }

    pub(crate) fn definitions(&self) -> &'a Definitions {
        self.definitions
    }

    fn master(&self, team: u32) -> Option<usize> {
        self.definitions.comms.get(&team)?.members.first().map(|master| master.index())
    }

    /// The forks of a team.
    fn blocks(&self, team: u32) -> Option<BlocksOf<'a, 1>> {
        let (index, master) = (self.index, self.master(team)?);
        let section = |section, row| index.section(Key::new(section, master, row, 0));
        let teams: Words<'a> = section(Section::ForkTeams, 0);
        let row = (0..teams.len()).find(|row| teams.get(*row) == u64::from(team))?;
        Some(BlocksOf::new(section(Section::Forks, row)))
    }
}

impl<B: AsRef<[u8]>> ForkSource for IndexForks<'_, B> {
    fn fork(&self, team: u32, number: u32) -> Option<Fork> {
        let (block, place) = (number as usize / BLOCK_ENTRIES, number as usize % BLOCK_ENTRIES);
        let mut last = self.last.borrow_mut();
        if last.as_ref().is_none_or(|(known, _)| *known != (team, block)) {
            let blocks = self.blocks(team)?;
            let forks = if block < blocks.len() { block_of(blocks, block) } else { Vec::new() };
            *last = Some(((team, block), forks));
        }
        last.as_ref()?.1.get(place).copied()
    }

    fn path(&self, team: u32, node: u32) -> Vec<u32> {
        let Some(master) = self.master(team) else { return Vec::new() };
        let mut trees = self.trees.borrow_mut();
        let tree = trees.entry(master).or_insert_with(|| {
            let section = self.index.section(Key::new(Section::CallTree, master, 0, 0));
            CallNodes::unpack(self.definitions, section)
        });
        tree.path(node)
    }
}

/// The parallel regions of a team in a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TeamForks {
    /// The locations of the team, the master first.
    pub members: Vec<usize>,
    /// From fork to join, in ticks, in the order of time.
    pub forks: Vec<Range<u64>>,
}

impl<B: AsRef<[u8]>> Index<B> {
    /// The parallel regions of teams with workers that have a part in a window, by team. Those that
    /// are shorter than `least` ticks, and those whose join is not in the trace, are left out.
    pub fn team_forks(
        &self,
        definitions: &Definitions,
        window: &Range<u64>,
        least: u64,
    ) -> Vec<TeamForks> {
        let mut found = Vec::new();
        for master in 0..definitions.system.locations.len() {
            let teams = self.section(Key::new(Section::ForkTeams, master, 0, 0));
            for row in 0..teams.len() {
                let team = u32::try_from(teams.get(row)).ok();
                let Some(comm) = team.and_then(|team| definitions.comms.get(&team)) else {
                    continue;
                };
                let blocks = BlocksOf::new(self.section(Key::new(Section::Forks, master, row, 0)));
                let forks = forks_in(blocks, window, least);
                if !forks.is_empty() {
                    let members = comm.members.iter().map(|member| member.index()).collect();
                    found.push(TeamForks { members, forks });
                }
            }
        }
        found
    }
}

/// The forks of a team do not overlap, so a block ends before the first fork of the next one.
fn forks_in(blocks: BlocksOf<'_, 1>, window: &Range<u64>, least: u64) -> Vec<Range<u64>> {
    let begin = |block: usize| blocks.block(block)[0];
    let after = first_where(blocks.len(), |block| begin(block) > window.start);
    let wanted = (after.saturating_sub(1)..blocks.len()).take_while(|it| begin(*it) < window.end);
    let forks = wanted.flat_map(|block| block_of(blocks, block));
    let parts = forks.filter_map(|fork| Some(fork.time..fork.joined?));
    parts
        .filter(|it| it.start < window.end && it.end > window.start && it.end - it.start >= least)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forks_come_back() {
        let fork = |number: u64| Fork {
            time: number * 1000 + 7,
            joined: (number != 200).then_some(number * 1000 + 7 + number),
            node: (number % 5) as u32,
        };
        let forks: Vec<Fork> = (0..300).map(fork).collect();
        let bytes: Vec<u8> = pack(&forks).iter().flat_map(|word| word.to_le_bytes()).collect();
        let blocks = BlocksOf::new(Words::of(&bytes));
        assert_eq!(blocks.len(), 3);
        let again: Vec<Fork> = (0..3).flat_map(|block| block_of(blocks, block)).collect();
        assert_eq!(again, forks);
        let all = forks.iter().filter_map(|fork| Some(fork.time..fork.joined?));
        for (window, least) in [(0..u64::MAX, 0), (127_050..255_020, 0), (127_200..128_008, 3)] {
            let is_seen = |it: &Range<u64>| {
                it.start < window.end && it.end > window.start && it.end - it.start >= least
            };
            let expected: Vec<Range<u64>> = all.clone().filter(is_seen).collect();
            assert_eq!(forks_in(blocks, &window, least), expected, "{window:?}");
        }
    }

    #[test]
    fn joins_belong_to_the_innermost_fork() {
        let mut found = FoundForks::default();
        let fork = |time| Fork { time, joined: None, node: 2 };
        found.fork();
        found.begin((1, 0), fork(10));
        // The inner team has no workers.
        found.fork();
        found.join(15);
        found.join(20);
        found.join(30);
        // A number is missing.
        found.fork();
        found.begin((1, 2), fork(40));
        assert_eq!(found.teams[&1], [Fork { joined: Some(20), ..fork(10) }]);
    }
}

//! Jumps of paths between ranks of the analysis: a process has waited for a process of another
//! rank. All ranks know all jumps, and which of them continues which one. Each rank has only the
//! times of its own locations. Therefore no times travel before the trace ends, and jumps that only
//! one later jump continues are merged by each rank alone.
//!
//! A path of a rank begins with a jump, or with the program (`Arena::base`). The rank of the
//! process that was waited for tells all others with which jump the path begins that is continued.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use pompeii_model::{Id, LocationId};

use crate::compound::MpiWait;
use crate::definitions::Definitions;
use crate::engine::given::Known;
use crate::engine::record::Rec;
use crate::hash::Table;
use crate::path::arena::{Arena, Path};
use crate::path::{Part, Paths, Snapshot};
use crate::totals::Totals;
use crate::transport::dealt::Dealt;

/// The number of a jump, in the order (time, location) of their records: the same on all ranks.
pub(crate) type Number = u64;

/// With which jump a path begins; `None` stands for the begin of the program.
pub(crate) type Base = Option<Number>;

/// What a rank tells the others of a jump; `None` if there is no path that it could continue.
pub(crate) type Told = (Number, Option<Base>);

/// When a path ends. The latest one is the critical path; of equal ones, that with the larger
/// second time, then that of the first location, which has the larger number here.
pub(crate) type EndTime = (u64, (u64, u32));

/// The end of a path, and the jump with which it begins.
pub(crate) type End = (EndTime, Base);

/// What a location leaves when it jumps: its path so far, and the time of the jump.
type Leaving = (Option<Path>, (Part, i64));

#[derive(Debug, Default)]
struct Jump {
    /// The base of the path that it continues, if it is known.
    before: Option<Base>,
    /// That path, on the rank that has it.
    path: Option<Path>,
    /// Further times of this rank.
    ticks: Totals<Part>,
    /// On the rank that jumps, until `before` is known.
    leaving: Option<Leaving>,
}

/// All jumps that a path may lead through.
#[derive(Debug, Default)]
struct Jumps {
    all: BTreeMap<Number, Jump>,
    made: Number,
    /// What the other ranks must know.
    told: Vec<Told>,
}

impl Jumps {
    fn add(&mut self, jump: Jump) -> Number {
        let number = self.made;
        self.made += 1;
        self.all.insert(number, jump);
        number
    }

    /// Takes what a rank has told all others.
    fn hear(&mut self, arena: &mut Arena, (number, base): Told) {
        let Some(jump) = self.all.get_mut(&number) else { return };
        match (base, jump.leaving.take()) {
            (Some(before), leaving) => {
                jump.before = Some(before);
                if let Some((Some(path), _)) = leaving {
                    arena.release(path);
                }
            }
            // There is no jump: the location goes on with the path that it has left.
            (None, Some((path, (part, ticks)))) => {
                jump.ticks.add(part, -ticks);
                let before = path.as_ref().and_then(|path| arena.base(path));
                (jump.path, jump.before) = (path, Some(before));
                self.told.push((number, Some(before)));
            }
            (None, None) => {}
        }
    }

    /// Forgets jumps that no path leads through, and merges those that only one jump continues.
    /// `held` are those with which paths of any rank begin.
    fn collect(&mut self, arena: &mut Arena, held: &BTreeSet<Number>) {
        let mut continued: BTreeMap<Number, usize> = BTreeMap::new();
        let mut unused: Vec<Number> = Vec::new();
        for (number, jump) in self.all.iter().rev() {
            let is_used = held.contains(number) || continued.contains_key(number);
            match jump.before {
                Some(_) if !is_used => unused.push(*number),
                Some(Some(before)) => *continued.entry(before).or_default() += 1,
                Some(None) | None => {}
            }
        }
        let unused = unused.iter().filter_map(|number| self.all.remove(number));
        unused.filter_map(|jump| jump.path).for_each(|path| arena.release(path));
        let numbers: Vec<Number> = self.all.keys().copied().collect();
        for number in numbers {
            while let Some(before) = self.all.get(&number).and_then(|jump| jump.before?)
                && continued.get(&before) == Some(&1)
                && !held.contains(&before)
                && self.all.get(&before).is_some_and(|jump| jump.before.is_some())
            {
                self.merge(arena, before, number);
            }
        }
    }

    /// Adds a jump to the only one that continues it.
    fn merge(&mut self, arena: &mut Arena, from: Number, to: Number) {
        let Some(Jump { before, path, ticks, .. }) = self.all.remove(&from) else { return };
        let Some(jump) = self.all.get_mut(&to) else { return };
        ticks.iter().for_each(|(part, ticks)| jump.ticks.add(part, ticks));
        if let Some(path) = path {
            arena.sum(&path).into_iter().for_each(|(part, ticks)| jump.ticks.add(part, ticks));
            arena.release(path);
        }
        jump.before = before;
    }

    /// The times of this rank on a path that begins with a jump, up to the jump.
    fn sum(&self, arena: &Arena, mut base: Base) -> Table<Part, i64> {
        let mut sum: Table<Part, i64> = Table::default();
        while let Some(jump) = base.and_then(|number| self.all.get(&number)) {
            let path = jump.path.as_ref().map(|path| arena.sum(path)).unwrap_or_default();
            for (part, ticks) in jump.ticks.iter().chain(path) {
                *sum.entry(part).or_default() += ticks;
            }
            base = jump.before.flatten();
        }
        sum
    }
}

/// Several ranks find the path together.
#[derive(Debug)]
pub(crate) struct Far {
    dealt: Arc<Dealt>,
    jumps: Jumps,
}

impl Paths {
    /// Several ranks have the locations of the trace.
    pub(crate) fn share(&mut self, dealt: &Arc<Dealt>) {
        self.far = Some(Far { dealt: dealt.clone(), jumps: Jumps::default() });
    }

    /// A call of MPI of another rank begins or ends.
    pub(crate) fn other_record(&mut self, record: &Rec, known: &[(usize, Known)]) {
        for (_, known) in known {
            if let Known::InCall(wait) = known
                && wait.ticks() > 0
            {
                self.wait_in_call(record, wait);
            }
        }
        self.marks.note(&mut self.arena, record, None);
    }

    /// A call of MPI that has waited ends with this record.
    pub(super) fn wait_in_call(&mut self, record: &Rec, wait: &MpiWait) {
        let own = self.far.as_ref().map_or(0, |far| far.dealt.rank);
        let rank = |location: LocationId| {
            self.far.as_ref().map_or(own, |far| far.dealt.of_location(location))
        };
        let (waiting, causing) = (rank(wait.at.location), rank(wait.causer.location));
        let (causer, until) = (wait.causer.location, wait.until);
        let to = Some(causing).filter(|rank| *rank == own);
        let to = to.map(|_| self.marks.get(causer, until).map(|path| self.arena.share(path)));
        match (waiting == own, to) {
            (true, Some(Some(path))) => {
                self.jump(record, Snapshot { path, time: until }, record.node);
            }
            _ if waiting == causing => {}
            // A path never leads forward in time.
            (_, Some(Some(path))) if record.time < until => self.arena.release(path),
            _ if record.time < until => {}
            (is_own, to) => self.jump_to_another_rank(record, until, is_own, to),
        }
    }

    /// The path of a location continues one of another rank. `to` is the path that is continued, if
    /// this rank should have it.
    fn jump_to_another_rank(
        &mut self,
        record: &Rec,
        until: u64,
        is_own: bool,
        to: Option<Option<Path>>,
    ) {
        let Paths { arena, tips, far: Some(Far { jumps, .. }), .. } = self else { return };
        let mut jump = Jump::default();
        if let Some(path) = to {
            let base = path.as_ref().map(|path| arena.base(path));
            jumps.told.push((jumps.made, base));
            (jump.before, jump.path) = (base, path);
        }
        if is_own {
            let (part, ticks) = ((record.node, record.location), record.time - until);
            let path = arena.root_at(jumps.made);
            arena.add(&path, part, ticks.cast_signed());
            let left = tips[record.location.index()].path.replace(path);
            jump.leaving = Some((left, (part, ticks.cast_signed())));
        }
        jumps.add(jump);
    }

    /// What this rank must tell all others of its paths, and what is new since it told them last.
    pub(crate) fn tell(&mut self) -> Vec<Told> {
        self.far.as_mut().map(|far| std::mem::take(&mut far.jumps.told)).unwrap_or_default()
    }

    /// Takes what another rank has told.
    pub(crate) fn hear(&mut self, told: Vec<Told>) {
        let Paths { arena, far: Some(far), .. } = self else { return };
        told.into_iter().for_each(|told| far.jumps.hear(arena, told));
    }

    /// The jumps with which paths of this rank begin.
    pub(crate) fn held(&self) -> Vec<Number> {
        let tips = self.tips.iter().filter_map(|tip| tip.path.as_ref());
        let releases = self.releases.values().map(|(_, it)| it);
        let left = self.barriers.values().filter_map(|left| left.causer.as_ref());
        let turns = self.turns.values().chain(self.posts.values());
        let snapshots = self.forks.values().chain(releases).chain(turns);
        let snapshots = snapshots.chain(left.map(|(_, it)| it)).chain(self.tasks.all());
        let all = tips.chain(snapshots.map(|it| &it.path)).chain(self.marks.all());
        let held: BTreeSet<Number> = all.filter_map(|path| self.arena.base(path)).collect();
        held.into_iter().collect()
    }

    /// A window is over on all ranks: `held` are the jumps with which their paths begin.
    pub(crate) fn collect(&mut self, held: &BTreeSet<Number>) {
        if let Paths { arena, far: Some(far), .. } = self {
            far.jumps.collect(arena, held);
        }
    }

    /// The latest end of a path of this rank.
    pub(crate) fn last_end(&self, definitions: &Definitions) -> Option<End> {
        let (end, path) = self.last(definitions)?;
        Some((end, self.arena.base(path)))
    }

    /// The times of this rank on the critical path, which ends like this.
    pub(crate) fn part(&self, definitions: &Definitions, end: End) -> Table<Part, i64> {
        let mut sum = match &self.far {
            Some(far) => far.jumps.sum(&self.arena, end.1),
            None => Table::default(),
        };
        let own = self.last(definitions).filter(|(own, _)| *own == end.0);
        for (part, ticks) in own.into_iter().flat_map(|(_, path)| self.arena.sum(path)) {
            *sum.entry(part).or_default() += ticks;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::tree::NodeId;

    const HERE: Part = (NodeId(1), LocationId(0));

    fn jump(before: Base, arena: &mut Arena, ticks: i64) -> Jump {
        let path = arena.root();
        arena.add(&path, HERE, ticks);
        Jump { before: Some(before), path: Some(path), ..Jump::default() }
    }

    #[test]
    fn jumps_that_one_path_leads_through_are_merged_and_others_are_forgotten() {
        let (mut arena, mut jumps) = (Arena::default(), Jumps::default());
        for (before, ticks) in [(None, 1), (Some(0), 2), (Some(1), 4), (Some(0), 8), (Some(3), 16)]
        {
            let jump = jump(before, &mut arena, ticks);
            jumps.add(jump);
        }
        // Both jump 2 and jump 4 are held: jump 0 is the common begin.
        jumps.collect(&mut arena, &[2, 4].into_iter().collect());
        assert_eq!(jumps.all.keys().copied().collect::<Vec<Number>>(), [0, 2, 4]);
        assert_eq!(jumps.sum(&arena, Some(2))[&HERE], 1 + 2 + 4);
        jumps.collect(&mut arena, &[4].into_iter().collect());
        assert_eq!(jumps.all.keys().copied().collect::<Vec<Number>>(), [4]);
        assert_eq!((jumps.sum(&arena, Some(4))[&HERE], arena.len()), (1 + 8 + 16, 1));
    }

    #[test]
    fn without_a_path_to_continue_the_location_goes_on_with_its_own() {
        let (mut arena, mut jumps) = (Arena::default(), Jumps::default());
        let left = arena.root();
        arena.add(&left, HERE, 10);
        let tip = arena.root_at(0);
        arena.add(&tip, HERE, 3);
        let leaving = Some((Some(left), (HERE, 3)));
        jumps.add(Jump { leaving, ..Jump::default() });
        jumps.hear(&mut arena, (0, None));
        assert_eq!(jumps.told, [(0, Some(None))]);
        assert_eq!(jumps.sum(&arena, Some(0))[&HERE] + arena.sum(&tip)[&HERE], 10);
    }
}

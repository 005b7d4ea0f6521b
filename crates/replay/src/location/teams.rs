//! Parallel regions on a location: forks, the parts of its teams, their barriers.

use pompeii_model::{RegionId, Role};
use pompeii_otf2::reference::CommRef;

use super::{Context, Location};
use crate::engine::process::{Fork, Missing};
use crate::engine::record::{ForkId, TaskId, TeamInstance, VisitId, What};
use crate::engine::strand::{Frame, Strand};
use crate::engine::tree::{Local, LocalTree};

/// The part of a location in a parallel region.
#[derive(Debug)]
pub struct Part {
    /// The team; `None` outside of all parallel regions.
    pub team: Option<TeamInstance>,
    fork: Option<ForkId>,
    /// Whether the location is not the master of the team.
    pub is_worker: bool,
    /// The visit that forked the team of a worker.
    pub forked: VisitId,
    /// Open regions in front of the part.
    depth: usize,
    /// When its region was left.
    left: Option<u64>,
    /// Barriers that the location has entered.
    barriers: u32,
    /// Their number is right: recording was not off in the part.
    pub knows_barriers: bool,
    /// The last of them is that at the end of the region.
    is_final: bool,
    /// The explicit task that runs; `None` for the implicit one.
    pub task: Option<TaskId>,
    /// Explicit tasks that the thread has suspended for others, the last one last. When a task is
    /// done, the thread is back in the last of them.
    pub below: Vec<TaskId>,
    /// The implicit task while another one runs.
    pub implicit: Option<Strand>,
    /// The call path of the running task below the scheduling point, and when its fragment began.
    pub fragment: Option<(Local, u64)>,
}

impl Part {
    /// Stands for the time outside of all parallel regions.
    pub fn outside() -> Part {
        Part::new(None, None, false, 0)
    }

    fn new(
        team: Option<TeamInstance>,
        fork: Option<ForkId>,
        is_worker: bool,
        depth: usize,
    ) -> Part {
        let (task, implicit, fragment) = (None, None, None);
        let (left, barriers, is_final, below) = (None, 0, false, Vec::new());
        Part {
            team,
            fork,
            is_worker,
            forked: VisitId::NONE,
            depth,
            left,
            barriers,
            knows_barriers: true,
            is_final,
            task,
            below,
            implicit,
            fragment,
        }
    }
}

/// A part that has begun, until its region is entered.
#[derive(Clone, Copy, Debug)]
pub struct PartBegin {
    team: TeamInstance,
    fork: Option<Fork>,
    /// Time of the begin.
    time: u64,
}

impl PartBegin {
    fn what(&self, time: u64) -> What {
        let (team, fork) = (self.team, self.fork.map(|fork| fork.id));
        let forked = self.fork.map_or(time, |fork| fork.time);
        What::PartBegin { team, fork, forked }
    }
}

impl Location {
    /// The innermost part.
    pub(super) fn part(&mut self) -> &mut Part {
        if self.parts.is_empty() {
            self.parts.push(Part::outside());
        }
        let last = self.parts.len() - 1;
        &mut self.parts[last]
    }

    /// Open regions in front of the innermost part, in the current task. An explicit task has a
    /// call stack of its own, which begins in the part.
    pub(super) fn part_depth(&self) -> usize {
        self.parts.last().filter(|part| part.task.is_none()).map_or(0, |part| part.depth)
    }

    pub(super) fn team_fork(&mut self, time: u64) {
        self.account(time);
        let id = ForkId { master: self.id, number: self.forks };
        self.forks += 1;
        self.open_forks.push(id);
        let node = self.tree.shared(self.strand.node.unwrap_or(LocalTree::PROGRAM));
        self.fork = Some(Fork { id, time, node, visit: self.visit() });
        self.record_here(What::Fork(id));
    }

    /// The time since the fork belongs to the parallel region, which is entered next.
    pub(super) fn team_begin(
        &mut self,
        context: &Context<'_>,
        mut time: u64,
        team: CommRef,
    ) -> Result<(), Missing> {
        if self.is_between {
            self.settle(context, None)?;
            time = time.max(self.now);
        }
        let number = self.begins.get(&team.0).copied().unwrap_or(0);
        let instance = self.instance(team, number);
        let (fork, is_worker) = match self.fork.take() {
            Some(fork) if self.has_lost => (Some(fork), false),
            Some(fork) => {
                let workers = context.definitions.team_size(team).saturating_sub(1);
                context.shared.publish(instance, fork, workers);
                (Some(fork), false)
            }
            None => (self.fork_of(context, instance)?, true),
        };
        self.begins.insert(team.0, number + 1);
        if is_worker {
            let since = fork.map_or(time, |fork| fork.time);
            self.now = self.now.max(since.min(time));
            let base = fork.map(|fork| self.tree.import(context.tree, fork.node));
            self.strand.node = Some(base.unwrap_or(LocalTree::PROGRAM));
        }
        let depth = self.strand.frames.len();
        let mut part = Part::new(Some(instance), fork.map(|fork| fork.id), is_worker, depth);
        part.forked = fork.map_or(VisitId::NONE, |fork| fork.visit);
        self.parts.push(part);
        self.part_begin = Some(PartBegin { team: instance, fork, time });
        self.is_between = true;
        Ok(())
    }

    /// The execution of a parallel region that a part belongs to. After a gap in the records it is
    /// one by itself, because nothing tells which one it is.
    fn instance(&self, team: CommRef, number: u32) -> TeamInstance {
        let own = 1 << 31 | self.id.0 << 16 | number & 0xffff;
        TeamInstance { team: team.0, number: if self.has_lost { own } else { number } }
    }

    /// The fork that a worker's part comes from.
    fn fork_of(
        &mut self,
        context: &Context<'_>,
        team: TeamInstance,
    ) -> Result<Option<Fork>, Missing> {
        let fork = context.shared.take(team);
        let never_comes = self.has_lost || context.has_lost(team.team);
        if fork.is_none() && !never_comes && !std::mem::take(&mut self.goes_on_without) {
            return Err(Missing::Fork);
        }
        self.gaps.unknown_forks += u64::from(fork.is_none());
        Ok(fork)
    }

    /// The region of a part is entered: the time since the fork is its time.
    pub(super) fn enter_part(
        &mut self,
        context: &Context<'_>,
        time: u64,
        (region, begin): (RegionId, PartBegin),
    ) {
        self.push_at(context, region, time);
        self.account(time);
        self.record_here(begin.what(time));
    }

    /// Opens a region that is entered at `time` and has the time since the last event already.
    fn push_at(&mut self, context: &Context<'_>, region: RegionId, time: u64) {
        self.push(context, region);
        if let Some(frame) = self.strand.frames.last_mut() {
            frame.since = time;
        }
    }

    /// Another event follows the begin of a part: its region is not in the trace.
    pub(super) fn begin_part_without_region(&mut self) {
        if let Some(begin) = self.part_begin.take() {
            self.account(begin.time.max(self.now));
            self.record_here(begin.what(begin.time));
        }
    }

    /// Whether the region that was just left is that of the innermost part.
    pub(super) fn is_end_of_part(&self) -> bool {
        let part = self.parts.last();
        part.is_some_and(|part| {
            part.team.is_some() && part.task.is_none() && part.depth == self.strand.frames.len()
        })
    }

    /// The region of a part is left. Up to the join, time is still the region's.
    pub(super) fn leave_part(&mut self, frame: Frame) {
        let now = self.now;
        let part = self.part();
        part.left = Some(now);
        if !part.is_worker {
            self.after_join = Some(frame.outer);
        }
    }

    pub(super) fn team_end(&mut self, time: u64) {
        self.account(time);
        self.end_fragment(time);
        let Some(part) = self.parts.pop_if(|part| part.team.is_some()) else { return };
        let (fork, left) = (part.fork, part.left.unwrap_or(time));
        if let Some(team) = part.team {
            self.record_here(What::PartEnd { team, fork, left });
        }
        if let Some(implicit) = part.implicit {
            self.strand = implicit;
        }
        self.gaps.open_regions += self.strand.frames.len().saturating_sub(part.depth) as u64;
        self.close_to(part.depth);
        if part.is_worker {
            let outer = self.parts.len() == 1 && self.strand.frames.is_empty();
            self.strand.node =
                if outer { None } else { self.strand.frames.last().map(|frame| frame.node) };
        }
    }

    pub(super) fn team_join(&mut self, time: u64) {
        self.account(time);
        if let Some(node) = self.after_join.take() {
            self.strand.node = Some(node);
        }
        if let Some(fork) = self.open_forks.pop() {
            self.record_here(What::Join(fork));
        }
    }

    /// Barriers count per part; those in explicit tasks or outside of teams concern no team.
    pub(super) fn enter_barrier(&mut self, context: &Context<'_>) {
        let is_directly_inside = self.strand.frames.len() == self.part_depth() + 2;
        let role = self.strand.node.map(|node| self.tree.region(node));
        let role = role.map(|region| context.definitions.regions[region].role);
        let part = self.part();
        if !part.knows_barriers && part.team.is_some() && part.task.is_none() {
            self.gaps.unknown_barriers += 1;
        } else if let (Some(team), None) = (part.team, part.task) {
            let barrier = part.barriers;
            part.barriers += 1;
            part.is_final = is_directly_inside && role == Some(Role::ImplicitBarrier);
            self.record_here(What::BarrierEnter { team, barrier });
        }
    }

    pub(super) fn leave_barrier(&mut self, closed: (Local, VisitId)) {
        let part = self.part();
        let is_final = part.is_final;
        if !part.knows_barriers {
            return;
        }
        if let (Some(team), None, Some(barrier)) =
            (part.team, part.task, part.barriers.checked_sub(1))
        {
            self.record(closed, What::BarrierLeave { team, barrier, is_final });
        }
    }

    /// An ordered construct is entered: up to its body the location waits for its turn.
    pub(super) fn enter_ordered(&mut self) {
        self.waits_for_turn = true;
    }

    /// The body of an ordered construct is entered.
    pub(super) fn enter_ordered_body(&mut self) {
        let [.., construct, _] = self.strand.frames[..] else { return };
        self.waits_for_turn = false;
        let (team, at) = (self.part().team, (construct.node, construct.visit));
        self.record(at, What::Turn { team, since: construct.since });
    }

    /// An ordered construct is left. One without a body was nothing but waiting for iterations.
    pub(super) fn leave_ordered(&mut self, construct: Frame) {
        if std::mem::take(&mut self.waits_for_turn) {
            let (team, at) = (self.part().team, (construct.node, construct.visit));
            self.record(at, What::Sink { team, since: construct.since });
        }
    }

    /// An ordered construct is entered that posts an iteration: it does not wait itself.
    pub(super) fn post_iteration(&mut self) {
        let team = self.part().team;
        self.record_here(What::Post { team });
    }

    /// The next thread has its turn.
    pub(super) fn leave_ordered_body(&mut self) {
        let team = self.part().team;
        self.record_here(What::TurnEnd { team });
    }
}

//! What is open on a location, and how it is packed at a mark. Numbers of nodes are those of the
//! call paths of the location.
//!
//! ```text
//! now, flags
//! strand         number of frames, node and outer call path of each; node + 1, or 0
//! parts          their number; team + 1 or 0, its number, flags, depth, task, fragment, tasks
//!                below, strand
//! begins         their number; team, number of parts
//! fork           time + 1 or 0, node
//! part begun     its time + 1 or 0, time of its fork + 1 or 0
//! after the join node + 1 or 0;         tail: node + 1 or 0, time
//! suspended      their number; task, strand
//! ```

use std::collections::BTreeMap;

use crate::pack::{Input, put, put_all};
use crate::walk::TaskId;

/// An open region.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallFrame {
    /// Its call path.
    pub node: u32,
    /// The call path outside of it.
    pub outer: u32,
}

/// The open regions of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Strand {
    pub frames: Vec<CallFrame>,
    /// The current call path; `None` outside of all teams on a worker.
    pub node: Option<u32>,
}

impl Strand {
    /// Without open regions.
    pub fn at(node: Option<u32>) -> Strand {
        Strand { frames: Vec::new(), node }
    }
}

/// The part of the location in a parallel region, or the time outside of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    /// The team, and how often the location had begun a part in it; `None` outside.
    pub team: Option<(u32, u32)>,
    pub is_worker: bool,
    /// Open regions in front of the part.
    pub depth: usize,
    /// The explicit task that runs.
    pub task: Option<TaskId>,
    /// Where the time of the task that runs is counted besides, and from when on.
    pub fragment: Option<(u32, u64)>,
    /// Its parallel region has been left.
    pub is_left: bool,
    /// Explicit tasks that were suspended for others, the last one last.
    pub below: Vec<TaskId>,
    /// The implicit task while another one runs.
    pub implicit: Option<Strand>,
}

/// What is open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct State {
    /// Time up to which all is counted.
    pub now: u64,
    /// The first event has come.
    pub has_begun: bool,
    /// Recording is off, and the region that stands for that has no records.
    pub is_off: bool,
    /// Records were dropped.
    pub has_lost: bool,
    /// The task that runs is not known here: the next event tells whether it begins.
    pub is_new_task: bool,
    pub strand: Strand,
    /// From the outside in; never empty.
    pub parts: Vec<Part>,
    /// How often it has begun a part in each team.
    pub begins: BTreeMap<u32, u32>,
    /// Time and call path of a fork whose team has not begun.
    pub fork: Option<(u64, u32)>,
    /// When a part has begun whose parallel region has not been entered.
    pub part_begin: Option<u64>,
    /// When this part was forked, if that is known.
    pub forked: Option<u64>,
    /// Where a master goes on when its team joins.
    pub after_join: Option<u32>,
    /// Until when a worker that has left its part is waited for in the region: the join.
    pub tail: Option<(u32, u64)>,
    /// Explicit tasks that do not run.
    pub suspended: BTreeMap<TaskId, Strand>,
}

impl State {
    /// Adds the state to `out`.
    pub fn save(&self, out: &mut Vec<u8>) {
        let flags = [self.has_begun, self.is_off, self.has_lost, self.is_new_task];
        let flags = flags.iter().rev().fold(0, |word, flag| word << 1 | u64::from(*flag));
        put_all(out, [self.now, flags]);
        save_strand(&self.strand, out);
        put(out, self.parts.len() as u64);
        self.parts.iter().for_each(|part| save_part(part, out));
        put(out, self.begins.len() as u64);
        for (team, number) in &self.begins {
            put_all(out, [*team, *number].map(u64::from));
        }
        let (fork, node) = self.fork.unzip();
        put_all(out, [some(fork), u64::from(node.unwrap_or_default())]);
        put_all(out, [self.part_begin, self.forked].map(some));
        let (tail, until) = self.tail.unzip();
        put_all(out, [some(self.after_join), some(tail), until.unwrap_or_default()]);
        put(out, self.suspended.len() as u64);
        for (task, strand) in &self.suspended {
            save_task(*task, out);
            save_strand(strand, out);
        }
    }

    /// The next state of `input`, in a tree of this number of call paths; `None` if it is damaged.
    pub fn load(input: &mut Input<'_>, nodes: usize) -> Option<State> {
        let mut load = Load { input, nodes };
        let (now, flags) = (load.number()?, load.number()?);
        let strand = load.strand()?;
        let parts = load.list(Load::part)?;
        let begins = load.list(|load| Some((load.small()?, load.small()?)))?;
        let (fork, node) = (load.maybe()?, load.node()?);
        let (part_begin, forked) = (load.maybe()?, load.maybe()?);
        let after_join = load.maybe_node()?;
        let (tail, until) = (load.maybe_node()?, load.number()?);
        let suspended = load.list(|load| Some((load.task()?, load.strand()?)))?;
        (!parts.is_empty()).then_some(State {
            now,
            has_begun: flags & 1 != 0,
            is_off: flags & 2 != 0,
            has_lost: flags & 4 != 0,
            is_new_task: flags & 8 != 0,
            strand,
            parts,
            begins: begins.into_iter().collect(),
            fork: fork.map(|fork| (fork, node)),
            part_begin,
            forked,
            after_join,
            tail: tail.map(|tail| (tail, until)),
            suspended: suspended.into_iter().collect(),
        })
    }
}

/// A number that may be missing; no time and no node is the largest number.
fn some(number: Option<impl Into<u64>>) -> u64 {
    number.map_or(0, |number| number.into().saturating_add(1))
}

fn save_strand(strand: &Strand, out: &mut Vec<u8>) {
    put(out, strand.frames.len() as u64);
    for frame in &strand.frames {
        put_all(out, [frame.node, frame.outer].map(u64::from));
    }
    put(out, some(strand.node));
}

fn save_task(TaskId { team, thread, number }: TaskId, out: &mut Vec<u8>) {
    put_all(out, [team, thread, number].map(u64::from));
}

fn save_part(part: &Part, out: &mut Vec<u8>) {
    let (team, number) = part.team.unzip();
    let has = [part.task.is_some(), part.implicit.is_some(), part.fragment.is_some()];
    let flags = [part.is_worker, has[0], has[1], has[2], part.is_left];
    let flags = flags.iter().rev().fold(0, |word, flag| word << 1 | u64::from(*flag));
    put_all(out, [some(team), number.unwrap_or_default().into(), flags, part.depth as u64]);
    if let Some(task) = part.task {
        save_task(task, out);
    }
    if let Some((node, since)) = part.fragment {
        put_all(out, [u64::from(node), since]);
    }
    put(out, part.below.len() as u64);
    part.below.iter().for_each(|task| save_task(*task, out));
    if let Some(strand) = &part.implicit {
        save_strand(strand, out);
    }
}

/// Reads a state.
struct Load<'a, 'b> {
    input: &'a mut Input<'b>,
    nodes: usize,
}

impl Load<'_, '_> {
    fn number(&mut self) -> Option<u64> {
        self.input.number()
    }

    fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    fn node(&mut self) -> Option<u32> {
        self.small().filter(|node| (*node as usize) < self.nodes)
    }

    fn maybe(&mut self) -> Option<Option<u64>> {
        Some(self.number()?.checked_sub(1))
    }

    fn maybe_node(&mut self) -> Option<Option<u32>> {
        let Some(node) = self.maybe()? else { return Some(None) };
        let node = u32::try_from(node).ok().filter(|node| (*node as usize) < self.nodes)?;
        Some(Some(node))
    }

    /// A list. An entry has a byte at least, so a number that is too large allocates nothing.
    fn list<T>(&mut self, mut entry: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = usize::try_from(self.number()?).ok()?;
        if count > self.input.len() {
            return None;
        }
        (0..count).map(|_| entry(self)).collect()
    }

    fn strand(&mut self) -> Option<Strand> {
        let frames =
            self.list(|load| Some(CallFrame { node: load.node()?, outer: load.node()? }))?;
        Some(Strand { frames, node: self.maybe_node()? })
    }

    fn task(&mut self) -> Option<TaskId> {
        Some(TaskId { team: self.small()?, thread: self.small()?, number: self.small()? })
    }

    fn part(&mut self) -> Option<Part> {
        let (team, number) = (self.maybe()?, self.small()?);
        let team = team.and_then(|team| u32::try_from(team).ok()).map(|team| (team, number));
        let (flags, depth) = (self.number()?, usize::try_from(self.number()?).ok()?);
        let task = if flags & 2 != 0 { Some(self.task()?) } else { None };
        let fragment = if flags & 8 != 0 { Some((self.node()?, self.number()?)) } else { None };
        let below = self.list(Load::task)?;
        let implicit = if flags & 4 != 0 { Some(self.strand()?) } else { None };
        let (is_worker, is_left) = (flags & 1 != 0, flags & 16 != 0);
        Some(Part { team, is_worker, depth, task, fragment, is_left, below, implicit })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODES: usize = 1000;

    fn state() -> State {
        let frame = |node, outer| CallFrame { node, outer };
        let strand = |node| Strand { frames: vec![frame(7, 3), frame(999, 7)], node };
        let task = |number| TaskId { team: u32::MAX, thread: 2, number };
        let outside = Part::default();
        let inside = Part {
            team: Some((4, 77)),
            is_worker: true,
            depth: 1,
            task: Some(task(3)),
            fragment: Some((999, u64::MAX)),
            is_left: true,
            below: vec![task(9), task(8)],
            implicit: Some(strand(None)),
        };
        State {
            now: u64::MAX,
            has_begun: true,
            is_off: false,
            has_lost: true,
            is_new_task: true,
            strand: strand(Some(0)),
            parts: vec![outside, inside],
            begins: BTreeMap::from([(4, 78), (5, 1)]),
            fork: Some((1 << 60, 5)),
            part_begin: Some(0),
            forked: Some(u64::MAX - 1),
            after_join: None,
            tail: Some((6, 1 << 61)),
            suspended: BTreeMap::from([(task(9), strand(Some(8))), (task(8), Strand::default())]),
        }
    }

    fn bytes(state: &State) -> Vec<u8> {
        let mut bytes = Vec::new();
        state.save(&mut bytes);
        bytes
    }

    #[test]
    fn round_trip() {
        let new = State { parts: vec![Part::default()], ..State::default() };
        for state in [new, state()] {
            assert_eq!(State::load(&mut Input::new(&bytes(&state)), NODES), Some(state));
        }
    }

    #[test]
    fn damaged_states_are_none_or_another_state() {
        let good = bytes(&state());
        for end in 0..good.len() {
            assert_eq!(State::load(&mut Input::new(&good[..end]), NODES), None, "{end}");
        }
        assert_eq!(State::load(&mut Input::new(&good), NODES - 1), None);
        for place in 0..good.len() {
            let mut bytes = good.clone();
            bytes[place] ^= 0xff;
            let _ = State::load(&mut Input::new(&bytes), NODES);
        }
    }
}

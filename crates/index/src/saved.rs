//! The state of a walk, packed, so that a walk can begin at a mark.
//!
//! ```text
//! time of the last event, begin of the innermost interval; 1 and the end of the gap, or 0
//! frames     their number; visit, cut, begin
//! parts      their number; 1, the task that runs, frames below it, begin and cut of its fragment,
//!            or 0; tasks below it
//! aside      their number; task, visits
//! ```
//! A list is its length and its entries; a task is team, thread and number; a visit is region,
//! level as recorded, begin and ticks. Times are distances from the last event, because most of
//! them are near to it.

use crate::pack::{Input, difference, put, put_all, put_signed};
use crate::walk::{Frame, Part, Running, TaskId, Visit, Walker};
use pompeii_replay::hash::Table;

/// Levels as recorded are below this; more are not drawn.
const SLOTS_MAX: usize = 1 << 20;

impl Walker {
    /// The number of numbers that [`save`](Walker::save) writes, at most.
    pub fn saved_numbers(&self) -> usize {
        let aside: usize = self.aside.values().map(|regions| 4 * regions.len() + 4).sum();
        let parts: usize = self.parts.iter().map(|part| 3 * part.below.len() + 8).sum();
        6 * self.frames.len() + aside + parts + 7
    }

    /// Adds the state to `bytes`.
    pub fn save(&self, bytes: &mut Vec<u8>) {
        let mut out = Output { bytes, now: self.now };
        out.number(self.now);
        out.time(self.since);
        out.number(self.gap_end.is_some().into());
        self.gap_end.iter().for_each(|end| out.time(*end));
        out.number(self.frames.len() as u64);
        for frame in &self.frames {
            out.visit(frame.region, frame.visit);
            out.number(frame.cut.into());
            out.time(frame.since);
        }
        out.number(self.parts.len() as u64);
        for part in &self.parts {
            out.number(part.running.is_some().into());
            if let Some(Running { task, floor, since, cut }) = part.running {
                out.task(task);
                out.number(floor as u64);
                out.time(since);
                out.number(cut.into());
            }
            out.number(part.below.len() as u64);
            part.below.iter().for_each(|task| out.task(*task));
        }
        out.number(self.aside.len() as u64);
        let mut aside: Vec<_> = self.aside.iter().collect();
        // The same trace gives the same bytes.
        aside.sort_unstable();
        for (task, regions) in aside {
            out.task(*task);
            out.number(regions.len() as u64);
            regions.iter().for_each(|(region, visit)| out.visit(*region, *visit));
        }
    }

    /// The state in `bytes`, of a trace with this number of regions; `None` if it is damaged.
    pub fn load(bytes: &[u8], regions: usize) -> Option<Walker> {
        let mut input = Saved { input: Input::new(bytes), now: 0, regions, slots: Vec::new() };
        input.now = input.number()?;
        let (now, since) = (input.now, input.time()?);
        let gap_end = if input.flag()? { Some(input.time()?) } else { None };
        let frames = input.list(|input| {
            let (region, visit) = input.visit()?;
            Some(Frame { region, visit, cut: input.small()?, since: input.time()? })
        })?;
        let parts = input.list(|input| {
            let running = if input.flag()? { Some(input.running()?) } else { None };
            Some(Part { running, below: input.list(Saved::task)? })
        })?;
        let aside: Vec<(TaskId, Vec<(u32, Visit)>)> =
            input.list(|input| Some((input.task()?, input.list(Saved::visit)?)))?;
        let aside: Table<TaskId, Vec<(u32, Visit)>> = aside.into_iter().collect();
        let slots = input.slots;
        (!parts.is_empty()).then_some(Walker { now, since, frames, parts, aside, slots, gap_end })
    }
}

/// Packs a state.
struct Output<'a> {
    bytes: &'a mut Vec<u8>,
    now: u64,
}

impl Output<'_> {
    fn number(&mut self, number: u64) {
        put(self.bytes, number);
    }

    fn time(&mut self, time: u64) {
        put_signed(self.bytes, difference(self.now, time));
    }

    fn task(&mut self, TaskId { team, thread, number }: TaskId) {
        put_all(self.bytes, [team, thread, number].map(u64::from));
    }

    fn visit(&mut self, region: u32, visit: Visit) {
        put_all(self.bytes, [u64::from(region), visit.slot.min(SLOTS_MAX - 1) as u64]);
        self.time(visit.began);
        self.number(visit.ticks);
    }
}

/// Reads a packed state.
struct Saved<'a> {
    input: Input<'a>,
    now: u64,
    regions: usize,
    /// Levels that are taken.
    slots: Vec<bool>,
}

impl Saved<'_> {
    fn number(&mut self) -> Option<u64> {
        self.input.number()
    }

    fn small<T: TryFrom<u64>>(&mut self) -> Option<T> {
        T::try_from(self.number()?).ok()
    }

    fn flag(&mut self) -> Option<bool> {
        match self.number()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    fn time(&mut self) -> Option<u64> {
        Some(self.now.wrapping_sub(self.input.signed()?.cast_unsigned()))
    }

    fn task(&mut self) -> Option<TaskId> {
        Some(TaskId { team: self.small()?, thread: self.small()?, number: self.small()? })
    }

    fn running(&mut self) -> Option<Running> {
        let (task, floor) = (self.task()?, self.small()?);
        Some(Running { task, floor, since: self.time()?, cut: self.small()? })
    }

    fn visit(&mut self) -> Option<(u32, Visit)> {
        let (region, slot): (u32, usize) = (self.small()?, self.small()?);
        if region as usize >= self.regions || slot >= SLOTS_MAX {
            return None;
        }
        self.slots.resize(self.slots.len().max(slot + 1), false);
        self.slots[slot] = true;
        Some((region, Visit { began: self.time()?, ticks: self.number()?, slot }))
    }

    /// A list. An entry has a byte at least, so a number that is too large allocates nothing.
    fn list<T>(&mut self, mut entry: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count: usize = self.small()?;
        if count > self.input.len() {
            return None;
        }
        (0..count).map(|_| entry(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const REGIONS: usize = 1000;

    fn walker() -> Walker {
        let visit = |slot| Visit { began: 3, ticks: 1 << 50, slot };
        let frame = |region, since, slot| Frame { region, since, cut: 1, visit: visit(slot) };
        let part = |running, below: &[TaskId]| Part { running, below: below.to_vec() };
        let task = |number| TaskId { team: 1, thread: 2, number };
        let running = Running { task: task(3), floor: 1, since: 30, cut: 1 };
        Walker {
            now: 50,
            since: 40,
            frames: vec![frame(3, 10, 0), frame(REGIONS as u32 - 1, 1 << 60, 300)],
            parts: vec![part(None, &[]), part(Some(running), &[task(9), task(8)])],
            aside: [(task(9), vec![]), (task(8), vec![(4, visit(1)), (5, visit(2))])]
                .into_iter()
                .collect(),
            slots: (0..301).map(|slot| [0, 1, 2, 300].contains(&slot)).collect(),
            gap_end: Some(77),
        }
    }

    fn bytes(walker: &Walker) -> Vec<u8> {
        let mut bytes = Vec::new();
        walker.save(&mut bytes);
        // A number ends with a byte whose highest bit is not set.
        let numbers = bytes.iter().filter(|byte| **byte < 0x80).count();
        assert!(numbers <= walker.saved_numbers());
        bytes
    }

    #[test]
    fn round_trip() {
        for walker in [Walker::new(), walker()] {
            assert_eq!(Walker::load(&bytes(&walker), REGIONS), Some(walker));
        }
    }

    #[test]
    fn damaged_states_are_none_or_another_state() {
        let good = bytes(&walker());
        for end in 0..good.len() {
            assert_eq!(Walker::load(&good[..end], REGIONS), None, "{end}");
        }
        assert_eq!(Walker::load(&good, REGIONS - 1), None);
        for place in 0..good.len() {
            let mut bytes = good.clone();
            bytes[place] ^= 1;
            assert_ne!(Walker::load(&bytes, REGIONS), Some(walker()), "{place}");
        }
    }
}

//! The state of a walk as words, so that a walk can begin at a mark.
//!
//! ```text
//! time of the last event, begin of the innermost interval, end of the gap or 2^64 - 1
//! frames     their number; region, cut and level as recorded, begin, begin and ticks of the visit
//! parts      their number; whether a task runs, the task, frames below it, begin and cut of its
//!            fragment, tasks below it
//! aside      their number; task, number of regions; region and level, begin of the visit, ticks
//! ```
//! A list is its length and its entries; a task is two words.

use std::collections::HashMap;

use crate::format::Words;
use crate::walk::{Frame, Part, Running, TaskId, Visit, Walker};

const NO_GAP: u64 = u64::MAX;
/// Levels as recorded are below this; more are not drawn.
const SLOTS_MAX: usize = 1 << 20;

impl Walker {
    /// About the number of words that [`save`](Walker::save) writes.
    pub fn saved_words(&self) -> usize {
        let aside: usize = self.aside.values().map(|regions| 3 * regions.len() + 3).sum();
        let parts: usize = self.parts.iter().map(|part| 2 * part.below.len() + 7).sum();
        4 * self.frames.len() + aside + parts + 6
    }

    /// Adds the state to `words`.
    pub fn save(&self, words: &mut Vec<u64>) {
        words.extend([self.now, self.since, self.gap_end.unwrap_or(NO_GAP)]);
        words.push(self.frames.len() as u64);
        for frame in &self.frames {
            let [first, began, ticks] = visit_words(frame.region, frame.visit);
            words.extend([u64::from(frame.cut) << 32 | first, frame.since, began, ticks]);
        }
        words.push(self.parts.len() as u64);
        for part in &self.parts {
            let Running { task, floor, since, cut } = part.running.unwrap_or_default();
            words.push(u64::from(part.running.is_some()));
            words.extend(task_words(task));
            words.extend([floor as u64, since, u64::from(cut), part.below.len() as u64]);
            words.extend(part.below.iter().flat_map(|task| task_words(*task)));
        }
        words.push(self.aside.len() as u64);
        let mut aside: Vec<_> = self.aside.iter().collect();
        // The same trace gives the same bytes.
        aside.sort_unstable();
        for (task, regions) in aside {
            words.extend(task_words(*task));
            words.push(regions.len() as u64);
            words.extend(regions.iter().flat_map(|(region, visit)| visit_words(*region, *visit)));
        }
    }

    /// The state in `words`, of a trace with this number of regions; `None` if it is damaged.
    pub fn load(words: Words<'_>, regions: usize) -> Option<Walker> {
        let known = |region: u64| {
            let region = u32::try_from(region).ok()?;
            ((region as usize) < regions).then_some(region)
        };
        let mut input = Input { words, at: 0 };
        let (now, since, gap) = (input.next()?, input.next()?, input.next()?);
        let mut slots = Vec::new();
        let mut visit = |word: u64, began, ticks| {
            let region = known(word & u64::from(u32::MAX))?;
            let slot = (word >> SLOT_SHIFT) as usize;
            if slot >= SLOTS_MAX {
                return None;
            }
            slots.resize(slots.len().max(slot + 1), false);
            slots[slot] = true;
            Some((region, Visit { began, ticks, slot }))
        };
        let frames = input.list(4, |input| {
            let (word, since) = (input.next()?, input.next()?);
            let (region, visit) = visit(word, input.next()?, input.next()?)?;
            Some(Frame { region, since, cut: (word >> 32) as u8, visit })
        })?;
        let parts = input.list(7, |input| {
            let (runs, task) = (input.next()?, input.task()?);
            let floor = usize::try_from(input.next()?).ok()?;
            let (since, cut) = (input.next()?, input.next()? as u8);
            let running = (runs != 0).then_some(Running { task, floor, since, cut });
            Some(Part { running, below: input.list(2, Input::task)? })
        })?;
        let aside: Vec<(TaskId, Vec<(u32, Visit)>)> = input.list(3, |input| {
            let task = input.task()?;
            let of_task = input.list(3, |input| visit(input.next()?, input.next()?, input.next()?));
            Some((task, of_task?))
        })?;
        let aside: HashMap<TaskId, Vec<(u32, Visit)>> = aside.into_iter().collect();
        let gap_end = (gap != NO_GAP).then_some(gap);
        (!parts.is_empty()).then_some(Walker { now, since, frames, parts, aside, slots, gap_end })
    }
}

/// Above the region and the cut.
const SLOT_SHIFT: u32 = 40;

fn visit_words(region: u32, visit: Visit) -> [u64; 3] {
    let slot = visit.slot.min(SLOTS_MAX - 1) as u64;
    [slot << SLOT_SHIFT | u64::from(region), visit.began, visit.ticks]
}

fn task_words(TaskId { team, thread, number }: TaskId) -> [u64; 2] {
    [u64::from(team) << 32 | u64::from(thread), u64::from(number)]
}

/// Words that are read one after the other.
struct Input<'a> {
    words: Words<'a>,
    at: usize,
}

impl Input<'_> {
    fn next(&mut self) -> Option<u64> {
        let word = (self.at < self.words.len()).then(|| self.words.get(self.at))?;
        self.at += 1;
        Some(word)
    }

    fn task(&mut self) -> Option<TaskId> {
        let (first, second) = (self.next()?, self.next()?);
        Some(TaskId { team: (first >> 32) as u32, thread: first as u32, number: second as u32 })
    }

    /// A list whose entries have at least this number of words each.
    fn list<T>(
        &mut self,
        words_each: usize,
        mut entry: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<Vec<T>> {
        let count = usize::try_from(self.next()?).ok()?;
        let rest = self.words.len() - self.at;
        if count > rest / words_each {
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
        let mut words = Vec::new();
        walker.save(&mut words);
        assert!(words.len() <= walker.saved_words());
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn round_trip() {
        for walker in [Walker::new(), walker()] {
            assert_eq!(Walker::load(Words::of(&bytes(&walker)), REGIONS), Some(walker));
        }
    }

    #[test]
    fn damaged_states_are_none_or_another_state() {
        let good = bytes(&walker());
        for end in (0..good.len()).step_by(8) {
            assert_eq!(Walker::load(Words::of(&good[..end]), REGIONS), None);
        }
        assert_eq!(Walker::load(Words::of(&good), REGIONS - 1), None);
        // The lowest byte of each word counts, except in the task of a part without one.
        let changed = (0..good.len()).step_by(8).filter(|place| {
            let mut bytes = good.clone();
            bytes[*place] ^= 0xff;
            Walker::load(Words::of(&bytes), REGIONS) != Some(walker())
        });
        assert_eq!(changed.count(), good.len() / 8 - 6);
    }
}

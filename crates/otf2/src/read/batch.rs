//! Events of a location that are decoded ahead, because a merge compares the times of the next ones
//! and a loop that only decodes is fast.

use std::mem::{self, ManuallyDrop};

use super::direct::direct;
use super::simple::{Simple, Take, walk};
use crate::chunk::Endian;
use crate::event::{Event, MpiCollectiveBegin};
use crate::mapping::Mappings;
use crate::reference::RegionRef;

/// Events that are decoded ahead: the more, the less the loop around them costs; those of many
/// locations together should stay in the nearest cache.
const BATCH: usize = 32;

/// Stands where no event of another kind is.
const NO_EVENT: ManuallyDrop<Event> =
    ManuallyDrop::new(Event::MpiCollectiveBegin(MpiCollectiveBegin {}));

/// An event of a batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct InBatch {
    pub time: u64,
    /// An Enter or Leave as in [`Simple`], or from [`FIRST_OTHER`] on the place of another event.
    code: u64,
}

/// Code of the first event of another kind.
const FIRST_OTHER: u64 = 2 << 32;

/// Events that are decoded and not yet delivered.
#[derive(Debug)]
pub(super) struct Batch {
    /// They stand at the end, from `next` on: so one comparison tells whether there is one.
    events: [InBatch; BATCH],
    next: usize,
    /// Those of them that are neither Enter nor Leave. They own nothing.
    others: [ManuallyDrop<Event>; BATCH],
}

impl Batch {
    /// No events.
    pub fn new() -> Batch {
        let events = [InBatch { time: 0, code: 0 }; BATCH];
        Batch { events, next: BATCH, others: [NO_EVENT; BATCH] }
    }

    /// The next event.
    #[inline(always)]
    pub fn first(&self) -> Option<InBatch> {
        self.events.get(self.next).copied()
    }

    /// The time of the event that is so many behind the next one.
    #[inline(always)]
    pub fn time_behind(&self, distance: usize) -> Option<u64> {
        Some(self.events.get(self.next + distance)?.time)
    }

    /// Goes on behind the first event.
    #[inline(always)]
    pub fn advance(&mut self) {
        self.next += 1;
    }

    /// Calls `see` with an event of this batch.
    #[inline(always)]
    pub fn with<R>(&self, event: InBatch, see: impl FnOnce(&Event) -> R) -> R {
        match event.code.checked_sub(FIRST_OTHER) {
            None => see(&Simple { time: event.time, code: event.code }.event()),
            Some(place) => see(self.others.get(place as usize).unwrap_or(&NO_EVENT)),
        }
    }

    /// An event of this batch, which is moved out.
    #[inline(always)]
    pub fn take(&mut self, event: InBatch) -> Event {
        let moved = match event.code.checked_sub(FIRST_OTHER) {
            None => Simple { time: event.time, code: event.code }.event(),
            Some(place) => match self.others.get_mut(place as usize) {
                Some(other) => mem::replace(other, NO_EVENT),
                None => NO_EVENT,
            },
        };
        ManuallyDrop::into_inner(moved)
    }

    /// Decodes events from `at` on, as [`walk`] does, and replaces those that were there. Returns
    /// the place behind the last one. `region` and `correct` lead to global ids and times.
    pub fn fill(
        &mut self,
        (bytes, at, endian): (&[u8], usize, Endian),
        time: &mut u64,
        mappings: &Mappings,
        region: impl Fn(RegionRef) -> RegionRef,
        correct: impl Fn(u64) -> u64,
    ) -> usize {
        let Batch { events, others, .. } = self;
        let (count, other_count) = (0, 0);
        let mut filling = Filling { events, count, others, other_count, mappings, region, correct };
        let at = match endian {
            Endian::Little => walk::<false>(bytes, at, time, &mut filling),
            Endian::Big => walk::<true>(bytes, at, time, &mut filling),
        };
        let count = filling.count;
        self.next = BATCH - count;
        // Mostly they fill the batch. To copy what was just stored would wait for the stores.
        if self.next > 0 {
            self.events.copy_within(..count, self.next);
        }
        at
    }
}

/// A batch that is being filled.
struct Filling<'a, R, C> {
    events: &'a mut [InBatch; BATCH],
    count: usize,
    others: &'a mut [ManuallyDrop<Event>; BATCH],
    other_count: usize,
    mappings: &'a Mappings,
    region: R,
    correct: C,
}

impl<R, C: Fn(u64) -> u64> Filling<'_, R, C> {
    #[inline(always)]
    fn push(&mut self, time: u64, code: u64) -> bool {
        if let Some(place) = self.events.get_mut(self.count) {
            *place = InBatch { time: (self.correct)(time), code };
            self.count += 1;
        }
        self.count < BATCH
    }
}

impl<R: Fn(RegionRef) -> RegionRef, C: Fn(u64) -> u64> Take for Filling<'_, R, C> {
    #[inline(always)]
    fn simple(&mut self, simple: Simple) -> bool {
        self.push(simple.time, simple.with(simple.time, (self.region)(simple.region())).code)
    }

    #[inline(always)]
    fn other(&mut self, bytes: &[u8], at: usize, time: u64) -> Option<(usize, bool)> {
        let place = self.others.get_mut(self.other_count)?;
        let end;
        (*place, end) = direct(bytes, at, self.mappings)?;
        let code = FIRST_OTHER + self.other_count as u64;
        self.other_count += 1;
        Some((end, self.push(time, code)))
    }
}

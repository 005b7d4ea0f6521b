//! Waiting for messages, and what follows from it. A rank that has waited for a message comes late
//! to the next collective operation, where others wait for it. Their waiting goes back to the late
//! message, so both are one loss.
//!
//! At a collective operation let m be the rank with the least waiting. It is later than the ranks
//! on average by the mean waiting minus its own. It has computed longer than the average, it has
//! waited longer for messages, or both. The part of its delay that its waiting for messages makes
//! goes back to messages.
//!
//! If all messages were in time, rank p would wait neither for messages nor for ranks that are late
//! because of messages. The run gets shorter by no more than the rank with the least waiting of any
//! kind, because the others would still wait for that one, and by no more than m has waited for
//! messages. If the work is balanced instead, each rank is faster by the mean, as in
//! `imbalance.rs`.

use pompeii_model::Ticks;

use super::Gain;
use super::fractions::{divide, most_of};
use super::imbalance::Parts;
use super::late_ranks::Work;
use super::mpi_calls::Calls;
use super::mpi_functions::BEGIN_AND_END;

/// Waiting at collective operations that is less than this share of the waiting for messages does
/// not tell who is late.
const SMALL_SHARE: f64 = 0.1;

/// The waits for messages of a run.
pub(super) struct LateMessages {
    /// By place: the part of the waiting there that goes back to messages, by process.
    back: Vec<Vec<Ticks>>,
    /// Waiting for messages by process.
    waits: Vec<Ticks>,
    /// CPU time lost at collective operations because of messages.
    lost: Ticks,
    /// Who is late at collective operations because of messages.
    last: Option<usize>,
    /// What messages in time bring.
    gain: Gain,
    is_known: bool,
}

impl LateMessages {
    /// Looks at all places at which processes wait.
    pub(super) fn new(places: &[Calls], work: &Work) -> Self {
        let processes = places.first().map_or(0, |calls| calls.time.len());
        let waits = sum(processes, places.iter().filter(|calls| is_late_message(calls)));
        let back: Vec<Vec<Ticks>> =
            places.iter().map(|calls| goes_back(calls, &waits, work)).collect();
        let pairs = || places.iter().zip(&back);
        let lost = pairs().map(|(calls, back)| calls.lost - calls.without(back).lost).sum();
        let caused = |back: &[Ticks]| back.iter().sum::<Ticks>();
        let most = pairs().max_by_key(|(_, back)| caused(back));
        let whole = SMALL_SHARE * waits.iter().sum::<Ticks>() as f64;
        let last = most.filter(|(_, back)| caused(back) as f64 > whole);
        let last = last.and_then(|(calls, _)| latest(calls)).map(|parts| parts.late);
        let is_known = places.iter().all(|calls| {
            !calls.is_message() || calls.is_poll() || calls.is_small || calls.waits.is_some()
        });
        let gain = gain(places, (&waits, &back), last);
        Self { back, waits, lost, last, gain, is_known }
    }

    /// What is left of the place at this position for other causes.
    pub(super) fn rest<'a>(&self, position: usize, calls: &Calls<'a>) -> Calls<'a> {
        calls.without(&self.back[position])
    }

    /// Which share of all that messages cause has its cause in these calls. What makes the last one
    /// late counts, if others wait for it.
    fn share(&self, calls: &Calls) -> f64 {
        let waits = calls.probable_waits().unwrap_or_default();
        let of = |all: &[Ticks]| match self.last {
            Some(last) => all.get(last).copied().unwrap_or(0),
            None => all.iter().sum(),
        };
        of(waits) as f64 / of(&self.waits).max(1) as f64
    }

    /// How much of what messages in time bring these calls bring. If two ranks wait for each other
    /// in turn, at different calls, each of the two repairs lets both work at the same time. No
    /// repair brings more than the longest wait in these calls.
    fn share_of_gain(&self, calls: &Calls) -> f64 {
        let waits = calls.probable_waits().unwrap_or_default();
        if self.last.is_some() {
            return self.share(calls);
        }
        let longest = waits.iter().copied().max().unwrap_or(0);
        let pairs = waits.iter().zip(&self.waits).filter(|(wait, _)| 2 * **wait >= longest);
        let share = pairs.map(|(wait, all)| *wait as f64 / (*all).max(1) as f64);
        share.fold(0.0, f64::max).min(longest as f64 / self.gain.ticks.max(1) as f64)
    }

    /// What such calls lose elsewhere: CPU time.
    pub(super) fn lost_elsewhere(&self, calls: &Calls) -> Ticks {
        (self.lost as f64 * self.share(calls)) as Ticks
    }

    /// What it brings if all messages are in time.
    pub(super) fn most(&self) -> Option<Gain> {
        self.is_known.then_some(self.gain)
    }

    /// What it brings if the messages of these calls are in time.
    pub(super) fn gain(&self, calls: &Calls) -> Option<Gain> {
        self.is_known.then(|| self.gain.part(self.share_of_gain(calls)))
    }
}

/// Whether the calls are for messages, and wait most of the time.
pub(super) fn is_late_message(calls: &Calls) -> bool {
    calls.is_message() && !calls.is_poll() && !calls.is_small && calls.is_waiting()
}

/// Waiting at the places by process.
fn sum<'a, 'b: 'a>(processes: usize, places: impl Iterator<Item = &'a Calls<'b>>) -> Vec<Ticks> {
    let mut sums = vec![0; processes];
    for calls in places {
        let waits = calls.probable_waits().unwrap_or_default();
        sums.iter_mut().zip(waits).for_each(|(sum, wait)| *sum += wait);
    }
    sums
}

/// The waiting at a collective operation, if its processes wait for each other there.
fn latest(calls: &Calls) -> Option<Parts> {
    let is_end = calls.metric == BEGIN_AND_END && calls.name != "MPI_Finalize";
    let waits = calls.probable_waits()?;
    (!calls.is_message() && !is_end && waits.len() > 1).then(|| Parts::new(waits))?
}

/// The part of the waiting at a place that goes back to messages, by process.
fn goes_back(calls: &Calls, messages: &[Ticks], work: &Work) -> Vec<Ticks> {
    let Some(parts) = latest(calls) else { return vec![0; calls.time.len()] };
    let excess = |times: &[Ticks]| {
        let mean = divide(times.iter().sum(), times.len() as i64);
        (times[parts.late] - mean).max(0) as f64
    };
    let (by_messages, by_work) = (excess(messages), excess(work.by_process()));
    let delay = (parts.mean() - parts.least).max(1) as f64;
    let share = (by_messages / (by_messages + by_work).max(1.0)).min(by_messages / delay);
    let waits = calls.probable_waits().unwrap_or_default();
    waits.iter().map(|wait| ((wait - parts.least) as f64 * share) as Ticks).collect()
}

/// What messages in time bring; see the head of this file.
fn gain(
    places: &[Calls],
    (messages, back): (&[Ticks], &[Vec<Ticks>]),
    last: Option<usize>,
) -> Gain {
    let add = |sums: &mut Vec<Ticks>, more: &[Ticks]| {
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
    };
    let (mut all, mut caused) = (messages.to_vec(), messages.to_vec());
    for (calls, back) in places.iter().zip(back) {
        add(&mut caused, back);
        let Some(parts) = latest(calls) else { continue };
        // What takes each process as long at the end is no waiting.
        let least = if calls.metric == BEGIN_AND_END { parts.least } else { 0 };
        let waits = calls.probable_waits().unwrap_or_default();
        add(&mut all, &waits.iter().map(|wait| wait - least).collect::<Vec<_>>());
    }
    let least = all.iter().copied().min().unwrap_or(0);
    let in_time = last.map_or(least, |last| least.min(messages[last]));
    let Some(caused) = Parts::new(&caused) else { return Gain::about(0) };
    let balanced = caused.mean() - caused.least;
    let ticks = in_time.max(balanced);
    Gain::between(balanced.max(most_of(in_time)), ticks, ticks.max(caused.mean()))
}

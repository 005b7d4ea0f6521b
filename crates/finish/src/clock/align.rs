//! From the clock of each process to one for all: that of the first, which has rank 0 where that is
//! not missing. Offsets were measured by messages ([`MpiDefinition::ClockOffset`]); between two of
//! them time is interpolated linearly, as readers of the trace do it, with whose code it is done
//! here.
//!
//! Processes of one host whose offsets agree within the error of the measurement have the very same
//! clock: it is better than any measurement.

use std::collections::HashMap;

use pompeii_live::{Calibration, LiveProcess, MpiDefinition};
use pompeii_model::Frequency;
use pompeii_otf2::Timestamp;
use pompeii_otf2::clock::ClockCorrection;
use pompeii_otf2::definition::ClockOffset;
use serde::{Deserialize, Serialize};

use crate::mpi;

/// How a process's times become those of the run.
#[derive(Clone, Debug, Default)]
pub struct Alignment {
    /// For the process's trace; empty where its clock is the run's.
    pub offsets: Vec<ClockOffset>,
    /// The true time is at most so many nanoseconds away; `None` where it was not measured, and the
    /// hosts' time of day had to do.
    pub error_ns: Option<u64>,
    correction: ClockCorrection,
}

impl Alignment {
    /// The run's time of the process's time `ticks`.
    pub fn time(&self, ticks: u64) -> u64 {
        self.correction.correct(ticks)
    }
}

/// A moment by two clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClockPoint {
    /// By the clock of the experiment, in its ticks.
    pub ticks: u64,
    /// By the clock of rank 0, in nanoseconds.
    pub rank_0_ns: u64,
    /// Largest error of that.
    pub error_ns: u64,
}

/// A process as its clock is concerned.
#[derive(Clone, Copy)]
pub struct Clock<'a> {
    /// What it left.
    pub live: &'a LiveProcess,
    /// Of its ticks.
    pub frequency: Frequency,
    /// Its last time.
    pub end_ticks: u64,
}

/// A measured offset: when, in own ticks; how many nanoseconds rank 0 is ahead; and the error.
type Measured = (u64, i64, u64);

impl Clock<'_> {
    fn measured(self) -> Vec<Measured> {
        let offset = |definition: &MpiDefinition| match *definition {
            MpiDefinition::ClockOffset { ticks, offset_ns, error_ns } => {
                Some((ticks, offset_ns, error_ns))
            }
            _ => None,
        };
        let mut found: Vec<Measured> = mpi::definitions(self.live).filter_map(offset).collect();
        found.sort_by_key(|&(ticks, ..)| ticks);
        found.dedup_by_key(|(ticks, ..)| *ticks);
        found
    }

    /// `CLOCK_MONOTONIC_RAW` at `ticks`, in nanoseconds.
    fn monotonic_ns(self, ticks: u64) -> f64 {
        let Calibration { ticks: start, monotonic_ns, .. } = self.live.start;
        let since = ticks.wrapping_sub(start).cast_signed();
        monotonic_ns as f64 + self.frequency.seconds(since) * 1e9
    }

    /// The largest error of its offsets; without any, none is worse.
    fn error_ns(self) -> u64 {
        self.measured().into_iter().map(|(.., error_ns)| error_ns).max().unwrap_or(u64::MAX)
    }

    fn is(self, other: Self) -> bool {
        std::ptr::eq(self.live, other.live)
    }

    /// Whether nothing that was measured says that the two processes of a host have clocks of their
    /// own (they may: in containers).
    fn agrees_with(self, other: Self) -> bool {
        let theirs = other.measured();
        self.measured().iter().all(|&(ticks, offset_ns, error_ns)| {
            nearest(&theirs, ticks).is_none_or(|(_, known_ns, known_error_ns)| {
                let error_ns = error_ns.saturating_add(known_error_ns);
                offset_ns.wrapping_sub(known_ns).unsigned_abs() <= error_ns
            })
        })
    }
}

/// The clock of a process of an MPI job and that of rank 0 at the same moments. None if they were
/// never compared, because the process is another one and ended too early.
pub fn points_with_rank_0(own: Clock, rank: u32) -> Vec<ClockPoint> {
    let point = |(ticks, offset_ns, error_ns): Measured| {
        let rank_0_ns = (own.monotonic_ns(ticks) + offset_ns as f64).max(0.0) as u64;
        ClockPoint { ticks, rank_0_ns, error_ns }
    };
    let measured = own.measured();
    if measured.is_empty() && rank == 0 {
        return [own.live.start.ticks, own.end_ticks].map(|ticks| point((ticks, 0, 0))).to_vec();
    }
    measured.into_iter().map(point).collect()
}

/// How the times of each become those of the first. Processes that have the same clock have the
/// same offsets, too: those of the one among them that measured best.
pub fn align_together(all: &[Clock]) -> Vec<Alignment> {
    let Some(&first) = all.first() else { return Vec::new() };
    let mut best: HashMap<(&str, bool), Clock> = HashMap::new();
    for &clock in all {
        let known = best.entry((&clock.live.host, clock.live.tsc)).or_insert(clock);
        // The first is right by definition.
        if !known.is(first) && clock.error_ns() < known.error_ns() {
            *known = clock;
        }
    }
    let aligned: HashMap<(&str, bool), Alignment> =
        best.iter().map(|(&host, &clock)| (host, align(clock, first))).collect();
    let of = |&own: &Clock| {
        let host = (own.live.host.as_str(), own.live.tsc);
        match (best.get(&host), aligned.get(&host)) {
            (Some(&best), Some(aligned)) if own.agrees_with(best) => aligned.clone(),
            _ => align(own, first),
        }
    };
    all.iter().map(of).collect()
}

/// How the times of `own` become those of `first`.
fn align(own: Clock, first: Clock) -> Alignment {
    if own.is(first) {
        return Alignment { error_ns: Some(0), ..Alignment::default() };
    }
    let measured = own.measured();
    let base = first.measured().first().map_or(0, |&(_, offset_ns, _)| offset_ns);
    let error_ns = measured.iter().map(|&(.., error_ns)| error_ns).max();
    let offset_at = |ticks: u64| match nearest(&measured, ticks) {
        Some((_, offset_ns, _)) => (i128::from(offset_ns) - i128::from(base)) as f64,
        None => real_offset_ns(own.live.start, first.live.start),
    };
    let mut times: Vec<u64> = measured.iter().map(|&(ticks, ..)| ticks).collect();
    if times.len() < 2 {
        times.extend([
            own.live.start.ticks,
            own.end_ticks.max(own.live.start.ticks.saturating_add(1)),
        ]);
        times.sort_unstable();
        times.dedup();
    }
    let frequency = first.frequency.ticks_per_second();
    let deviation = error_ns.unwrap_or(0) as f64 * frequency / 1e9;
    let offset = |time: u64| {
        let since_ns =
            own.monotonic_ns(time) + offset_at(time) - first.live.start.monotonic_ns as f64;
        let common =
            first.live.start.ticks.wrapping_add_signed((since_ns * frequency / 1e9) as i64);
        let offset = common.wrapping_sub(time).cast_signed();
        ClockOffset { time: Timestamp(time), offset, standard_deviation: deviation }
    };
    let offsets: Vec<ClockOffset> = times.into_iter().map(offset).collect();
    let mut correction = ClockCorrection::default();
    for offset in &offsets {
        correction.add(offset);
    }
    Alignment { offsets, error_ns, correction }
}

fn nearest(measured: &[Measured], ticks: u64) -> Option<Measured> {
    measured.iter().copied().min_by_key(|&(time, ..)| time.abs_diff(ticks))
}

/// How far the monotonic clock of `first` is ahead, where all that is known is the time of day.
fn real_offset_ns(own: Calibration, first: Calibration) -> f64 {
    let between = |first: u64, own: u64| first.wrapping_sub(own).cast_signed();
    let monotonic = between(first.monotonic_ns, own.monotonic_ns);
    monotonic.wrapping_sub(between(first.realtime_ns, own.realtime_ns)) as f64
}

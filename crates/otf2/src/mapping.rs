//! From the ids of one location to those of the archive, and from its clock to the common one.
//!
//! A process numbers its regions, strings and teams on its own while it is measured; tables in the
//! local definitions say afterwards which global ids they are. An id without an entry is global
//! already. Clock offsets do the same for times, by linear interpolation.

use crate::definition::{ClockOffset, MappingTable};
use crate::enums::MappingType;
use crate::field::FieldValue;
use crate::reference::RegionRef;
use crate::wire::{Flaw, Input, Sink, Wire};

/// Global ids by local id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdMap {
    /// The index is the local id.
    Dense(Vec<u64>),
    /// Pairs (local, global), by local id.
    Sparse(Vec<(u64, u64)>),
}

impl Default for IdMap {
    fn default() -> IdMap {
        IdMap::Dense(Vec::new())
    }
}

impl IdMap {
    /// The smaller form of the map whose index is the local id; `None` if no id changes.
    pub fn from_dense(global: Vec<u64>) -> Option<IdMap> {
        let differs = |&(local, &global): &(usize, &u64)| local as u64 != global;
        let changed = global.iter().enumerate().filter(differs).count();
        if changed == 0 {
            None
        } else if changed * 2 < global.len() {
            let pairs = global.iter().enumerate().filter(differs);
            Some(IdMap::Sparse(pairs.map(|(local, &global)| (local as u64, global)).collect()))
        } else {
            Some(IdMap::Dense(global))
        }
    }

    /// The global id of `local`; `local` itself without an entry.
    #[inline]
    pub fn global(&self, local: u64) -> u64 {
        let found = match self {
            IdMap::Dense(ids) => usize::try_from(local).ok().and_then(|local| ids.get(local)),
            IdMap::Sparse(pairs) => pairs
                .binary_search_by_key(&local, |&(local, _)| local)
                .ok()
                .and_then(|index| pairs.get(index))
                .map(|(_, global)| global),
        };
        found.copied().unwrap_or(local)
    }

    /// All pairs (local, global).
    pub fn pairs(&self) -> Vec<(u64, u64)> {
        match self {
            IdMap::Dense(ids) => (0..).zip(ids.iter().copied()).collect(),
            IdMap::Sparse(pairs) => pairs.clone(),
        }
    }
}

impl Wire for IdMap {
    fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
        let count = input.compressed(8)?;
        match input.u8()? {
            0 => Ok(IdMap::Dense(input.list(count, 1, u64::read)?)),
            1 => Ok(IdMap::Sparse(
                input.list(count, 2, |input| Ok((u64::read(input)?, u64::read(input)?)))?,
            )),
            mode => Err(Flaw { found: Some(u64::from(mode)), ..input.flaw("map mode 0 or 1") }),
        }
    }
    fn write(&self, sink: &mut Sink) {
        match self {
            IdMap::Dense(ids) => {
                (ids.len() as u64).write(sink);
                sink.u8(0);
                ids.iter().for_each(|id| id.write(sink));
            }
            IdMap::Sparse(pairs) => {
                (pairs.len() as u64).write(sink);
                sink.u8(1);
                for (local, global) in pairs {
                    local.write(sink);
                    global.write(sink);
                }
            }
        }
    }
    fn max_bytes(&self) -> usize {
        10 + 9 * match self {
            IdMap::Dense(ids) => ids.len(),
            IdMap::Sparse(pairs) => 2 * pairs.len(),
        }
    }
    fn show(&self) -> FieldValue<'_> {
        FieldValue::Map(self.pairs())
    }
}

/// All mapping tables of a location.
#[derive(Clone, Debug, Default)]
pub struct Mappings {
    tables: [Option<IdMap>; 15],
    any: bool,
}

impl Mappings {
    /// Adds a table. `false`: the location has one of this type already, or the type is unknown;
    /// it is ignored then.
    pub fn add(&mut self, table: &MappingTable) -> bool {
        let Some(slot) = self.tables.get_mut(usize::from(table.mapping_type.0)) else {
            return false;
        };
        if slot.is_some() {
            return false;
        }
        let mut map = table.id_map.clone();
        if let IdMap::Sparse(pairs) = &mut map {
            pairs.sort_by_key(|&(local, _)| local);
        }
        *slot = Some(map);
        self.any = true;
        true
    }

    /// No table: all ids are global.
    #[inline]
    pub fn is_empty(&self) -> bool {
        !self.any
    }

    /// Whether the ids of regions are not global.
    #[inline]
    pub(crate) fn maps_regions(&self) -> bool {
        let [_, _, _, map, ..] = &self.tables;
        map.is_some()
    }

    /// The global id of a region.
    #[inline(always)]
    pub(crate) fn region(&self, local: RegionRef) -> RegionRef {
        let [_, _, _, map, ..] = &self.tables;
        match map {
            Some(map) => RegionRef(map.global(u64::from(local.0)) as u32),
            None => local,
        }
    }

    /// The global id of `local`.
    #[inline]
    pub fn global(&self, kind: MappingType, local: u64) -> u64 {
        match self.tables.get(usize::from(kind.0)) {
            Some(Some(map)) => map.global(local),
            _ => local,
        }
    }
}

/// The clock of a location against the common one, at several times.
///
/// Between two offsets the correction is linear; outside, the nearest two continue. A single offset
/// holds at all times (the reference library silently ignores it).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClockCorrection {
    intervals: Vec<Interval>,
    last_offset: Option<ClockOffset>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Interval {
    begin: u64,
    end: u64,
    offset: i64,
    slope: f64,
}

impl ClockCorrection {
    /// Adds an offset. `false`: its time is not later than that of the one before; it is ignored.
    pub fn add(&mut self, next: &ClockOffset) -> bool {
        if let Some(last) = &self.last_offset {
            let (begin, end) = (last.time.0, next.time.0);
            if end <= begin {
                return false;
            }
            let growth = next.offset.wrapping_sub(last.offset) as f64;
            let slope = growth / (end - begin) as f64;
            self.intervals.push(Interval { begin, end, offset: last.offset, slope });
        }
        self.last_offset = Some(next.clone());
        true
    }

    /// Changes no time.
    #[inline]
    pub fn is_identity(&self) -> bool {
        let offset = self.last_offset.as_ref().map_or(0, |last| last.offset);
        (!self.intervals.is_empty() || offset == 0)
            && self.intervals.iter().all(|interval| interval.offset == 0 && interval.slope == 0.0)
    }

    /// The common time of the location's time `time`, in ticks.
    pub fn correct(&self, time: u64) -> u64 {
        let index = self.intervals.partition_point(|interval| interval.end < time);
        let Some(interval) = self.intervals.get(index).or(self.intervals.last()) else {
            let offset = self.last_offset.as_ref().map_or(0, |last| last.offset);
            return time.wrapping_add_signed(offset);
        };
        let since = if time >= interval.begin {
            (time - interval.begin) as f64
        } else {
            -((interval.begin - time) as f64)
        };
        let drift = (interval.slope * since).round_ties_even() as i64;
        time.wrapping_add_signed(interval.offset.wrapping_add(drift))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::Timestamp;

    fn correction(offsets: &[(u64, i64)]) -> ClockCorrection {
        let mut correction = ClockCorrection::default();
        for &(time, offset) in offsets {
            let time = Timestamp(time);
            assert!(correction.add(&ClockOffset { time, offset, standard_deviation: 0.0 }));
        }
        correction
    }

    #[test]
    fn interpolates_and_continues() {
        let correction = correction(&[(100, 10), (200, 20), (300, 0)]);
        let corrected = [0, 100, 150, 200, 250, 300, 400].map(|time| correction.correct(time));
        assert_eq!(corrected, [0, 110, 165, 220, 260, 300, 380]);
    }

    #[test]
    fn one_offset_holds_at_all_times() {
        let one = correction(&[(100, 10)]);
        assert_eq!([50, 150].map(|time| one.correct(time)), [60, 160]);
        assert!(!one.is_identity() && correction(&[(100, 0)]).is_identity());
        assert!(correction(&[(100, 0), (200, 0)]).is_identity());
    }

    #[test]
    fn times_must_increase() {
        let mut correction = correction(&[(100, 10)]);
        let again = ClockOffset { time: Timestamp(100), ..ClockOffset::default() };
        assert!(!correction.add(&again));
    }

    #[test]
    fn smaller_form() {
        assert_eq!(IdMap::from_dense(vec![0, 1, 2]), None);
        assert_eq!(IdMap::from_dense(vec![0, 1, 7]), Some(IdMap::Sparse(vec![(2, 7)])));
        assert_eq!(IdMap::from_dense(vec![1, 0, 2]), Some(IdMap::Dense(vec![1, 0, 2])));
    }

    #[test]
    fn without_entry_the_id_stays() {
        let mut mappings = Mappings::default();
        let table = MappingTable {
            mapping_type: MappingType::REGION,
            id_map: IdMap::Sparse(vec![(9, 1), (3, 4)]),
        };
        assert!(mappings.add(&table) && !mappings.add(&table));
        let global = [3, 9, 5].map(|local| mappings.global(MappingType::REGION, local));
        assert_eq!(global, [4, 1, 5]);
        assert_eq!(mappings.global(MappingType::COMM, 3), 3);
    }
}

//! From the ids of one location to those of the archive.
//!
//! A process numbers its regions, strings and teams on its own while it is measured; tables in the
//! local definitions say afterwards which global ids they are. An id without an entry is global
//! already.
//!
//! Every field that holds an id is mapped, so this file is below all that knows of fields: kinds of
//! ids are the numbers that [`MappingType`](crate::enums::MappingType) has in the file.

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

/// All mapping tables of a location.
#[derive(Clone, Debug, Default)]
pub struct Mappings {
    tables: [Option<IdMap>; 15],
    any: bool,
}

impl Mappings {
    /// Adds the table of a kind of ids. `false`: the location has one of this kind already, or the
    /// kind is unknown; the table is ignored then.
    pub fn add(&mut self, kind: u8, map: &IdMap) -> bool {
        let Some(slot) = self.tables.get_mut(usize::from(kind)) else {
            return false;
        };
        if slot.is_some() {
            return false;
        }
        let mut map = map.clone();
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
    pub(crate) fn region(&self, local: u32) -> u32 {
        let [_, _, _, map, ..] = &self.tables;
        match map {
            Some(map) => map.global(u64::from(local)) as u32,
            None => local,
        }
    }

    /// The global id of `local`, which is an id of this kind.
    #[inline]
    pub fn global(&self, kind: u8, local: u64) -> u64 {
        match self.tables.get(usize::from(kind)) {
            Some(Some(map)) => map.global(local),
            _ => local,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::enums::MappingType;

    #[test]
    fn smaller_form() {
        assert_eq!(IdMap::from_dense(vec![0, 1, 2]), None);
        assert_eq!(IdMap::from_dense(vec![0, 1, 7]), Some(IdMap::Sparse(vec![(2, 7)])));
        assert_eq!(IdMap::from_dense(vec![1, 0, 2]), Some(IdMap::Dense(vec![1, 0, 2])));
    }

    #[test]
    fn without_entry_the_id_stays() {
        let mut mappings = Mappings::default();
        let map = IdMap::Sparse(vec![(9, 1), (3, 4)]);
        let (region, comm) = (MappingType::REGION.0, MappingType::COMM.0);
        assert!(mappings.add(region, &map) && !mappings.add(region, &map));
        let global = [3, 9, 5].map(|local| mappings.global(region, local));
        assert_eq!(global, [4, 1, 5]);
        assert!(mappings.maps_regions());
        assert_eq!([3, 9, 5].map(|local| mappings.region(local)), [4, 1, 5]);
        assert_eq!(mappings.global(comm, 3), 3);
    }
}

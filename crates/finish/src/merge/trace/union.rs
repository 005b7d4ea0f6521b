//! Ids of the definitions of all experiments. A definition that says the same as one of another
//! experiment is the same one.

use std::collections::{BTreeMap, HashMap, HashSet};

use pompeii_otf2::definition::{Definition, MappingTable};
use pompeii_otf2::enums::MappingType;
use pompeii_otf2::mapping::{IdMap, Mappings};
use pompeii_otf2::read::Local;
use pompeii_otf2::reference::StringRef;
use pompeii_otf2::write::ArchiveWriter;

use crate::Error;

/// A kind of definitions that share their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names are those of OTF2")]
pub enum Kind {
    String,
    Attribute,
    Region,
    Group,
    MetricMember,
    Metric,
    Comm,
    Parameter,
    RmaWin,
    IoFile,
    IoHandle,
    CartDimension,
    CartTopology,
}

/// The kinds whose ids events have.
const IN_EVENTS: [(Kind, MappingType); 10] = [
    (Kind::String, MappingType::STRING),
    (Kind::Attribute, MappingType::ATTRIBUTE),
    (Kind::Parameter, MappingType::PARAMETER),
    (Kind::Region, MappingType::REGION),
    (Kind::Comm, MappingType::COMM),
    (Kind::Metric, MappingType::METRIC),
    (Kind::Group, MappingType::GROUP),
    (Kind::RmaWin, MappingType::RMA_WIN),
    (Kind::IoFile, MappingType::IO_FILE),
    (Kind::IoHandle, MappingType::IO_HANDLE),
];

/// Ids in the merged trace by those of one experiment.
#[derive(Debug, Default)]
pub struct Ids {
    tables: BTreeMap<Kind, BTreeMap<u64, u64>>,
}

impl Ids {
    /// Notes the new id of a definition.
    pub fn set(&mut self, kind: Kind, own: u32, new: u32) {
        self.tables.entry(kind).or_default().insert(u64::from(own), u64::from(new));
    }

    /// The new id; undefined if the experiment has no such definition.
    pub fn get(&self, kind: Kind, own: u32) -> u32 {
        let new = self.tables.get(&kind).and_then(|table| table.get(&u64::from(own)));
        new.map_or(u32::MAX, |&new| new as u32)
    }

    /// The new id of a text.
    pub fn string(&self, own: StringRef) -> StringRef {
        StringRef(self.get(Kind::String, own.0))
    }

    /// The tables of a location, whose events may have ids that only a table of their own makes
    /// those of the experiment.
    pub fn tables(&self, local: &Local) -> Vec<Definition> {
        let own = |kind: MappingType| {
            local.definitions.iter().find_map(|definition| match definition {
                Definition::MappingTable(table) if table.mapping_type == kind => {
                    Some(&table.id_map)
                }
                _ => None,
            })
        };
        let none = BTreeMap::new();
        let table = |(kind, mapping_type): (Kind, MappingType)| {
            let new = self.tables.get(&kind).unwrap_or(&none);
            let id_map = table(own(mapping_type), (&local.mappings, mapping_type), new)?;
            Some(Definition::from(MappingTable { mapping_type, id_map }))
        };
        IN_EVENTS.into_iter().filter_map(table).collect()
    }
}

/// From the ids in events to those of the merged trace; `None` if no id changes.
fn table(
    own: Option<&IdMap>,
    (mappings, kind): (&Mappings, MappingType),
    new: &BTreeMap<u64, u64>,
) -> Option<IdMap> {
    // An id that is not in the table is one of the experiment already.
    let of_table = own.map_or_else(Vec::new, IdMap::pairs).into_iter().map(|(local, _)| local);
    let unchanged = new.keys().copied().filter(|_| !matches!(own, Some(IdMap::Dense(_))));
    let new_id = |local: u64| {
        let own = mappings.global(kind.0, local);
        (local, new.get(&own).copied().unwrap_or(own))
    };
    let pairs: BTreeMap<u64, u64> = of_table.chain(unchanged).map(new_id).collect();
    let dense = (0..).zip(&pairs).all(|(place, (&local, _))| place == local);
    if dense {
        return IdMap::from_dense(pairs.into_values().collect());
    }
    let changed: Vec<(u64, u64)> = pairs.into_iter().filter(|(local, new)| local != new).collect();
    (!changed.is_empty()).then_some(IdMap::Sparse(changed))
}

/// All definitions so far.
pub struct Union<'a> {
    /// Where they are written.
    pub archive: &'a mut ArchiveWriter,
    known: HashMap<(Kind, String), u32>,
    next: HashMap<Kind, u32>,
    without_id: HashSet<String>,
}

impl<'a> Union<'a> {
    /// None yet.
    pub fn new(archive: &'a mut ArchiveWriter) -> Union<'a> {
        let (known, next, without_id) = (HashMap::new(), HashMap::new(), HashSet::new());
        Union { archive, known, next, without_id }
    }

    /// The id of a definition that no other experiment has.
    pub fn own<D: Into<Definition>>(
        &mut self,
        kind: Kind,
        make: impl Fn(u32) -> D,
    ) -> Result<u32, Error> {
        let next = self.next.entry(kind).or_default();
        let id = *next;
        *next += 1;
        self.archive.define(make(id))?;
        Ok(id)
    }

    /// The id of a definition that experiments share if it says the same in them.
    pub fn shared<D: Into<Definition>>(
        &mut self,
        kind: Kind,
        make: impl Fn(u32) -> D,
    ) -> Result<u32, Error> {
        let definition: Definition = make(u32::MAX).into();
        Ok(self.shared_by(kind, definition.to_string(), make)?.0)
    }

    /// The id of a definition that experiments share if it has the same key in them, and whether
    /// it is new.
    pub fn shared_by<D: Into<Definition>>(
        &mut self,
        kind: Kind,
        key: String,
        make: impl Fn(u32) -> D,
    ) -> Result<(u32, bool), Error> {
        if let Some(&id) = self.known.get(&(kind, key.clone())) {
            return Ok((id, false));
        }
        let id = self.own(kind, make)?;
        self.known.insert((kind, key), id);
        Ok((id, true))
    }

    /// The id of a definition that is known by this key.
    pub fn find(&self, kind: Kind, key: &str) -> Option<u32> {
        self.known.get(&(kind, key.to_owned())).copied()
    }

    /// A definition without an id, which is written once for each key.
    pub fn once(&mut self, key: String, definition: impl Into<Definition>) -> Result<(), Error> {
        if self.without_id.insert(key) {
            self.archive.define(definition)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ids in events that become other ones in the merged trace.
    fn check(own: Option<IdMap>, new: &[(u64, u64)], expected: Option<IdMap>) {
        let (kind, mut mappings) = (MappingType::REGION, Mappings::default());
        own.iter().for_each(|own| assert!(mappings.add(kind.0, own)));
        let new = new.iter().copied().collect();
        assert_eq!(table(own.as_ref(), (&mappings, kind), &new), expected);
    }

    #[test]
    fn tables_one_after_the_other_are_one() {
        use IdMap::{Dense, Sparse};
        check(None, &[(0, 0), (1, 1)], None);
        check(None, &[(0, 5), (1, 0)], Some(Dense(vec![5, 0])));
        check(Some(Dense(vec![1, 0])), &[(0, 5), (1, 0), (2, 7)], Some(Dense(vec![0, 5])));
        // Together they change nothing.
        check(Some(Dense(vec![1, 0])), &[(0, 1), (1, 0)], None);
        // Id 0 is not in the table; ids 1 and 9 are.
        let of_two = Some(Sparse(vec![(1, 0), (9, 1)]));
        check(of_two, &[(0, 3), (1, 4)], Some(Sparse(vec![(0, 3), (1, 3), (9, 4)])));
    }
}

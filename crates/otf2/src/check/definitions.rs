//! What the definitions say, as far as rules need it, and the rules for groups and communicators.

use std::collections::{HashMap, HashSet};

use super::{Rule, Violation};
use crate::definition::{Definition, Group, Region};
use crate::enums::{CommFlag, GroupFlag, GroupType, Paradigm};
use crate::read::Archive;
use crate::reference::{CommRef, GroupRef, LocationRef, RegionRef, StringRef};

/// A region.
#[derive(Clone, Debug, Default)]
pub(super) struct KnownRegion {
    pub name: String,
    pub is_mpi: bool,
}

/// A communicator: the members of its sides, two for an inter-communicator.
#[derive(Clone, Debug)]
pub(super) struct KnownComm {
    paradigm: Paradigm,
    /// Sorted; none for a process by itself.
    sides: Vec<Vec<u64>>,
    /// Its records say when it comes into being and ends.
    pub has_events: bool,
}

impl KnownComm {
    /// Number of the members whose ranks stand in records.
    pub fn size(&self) -> u64 {
        self.sides.iter().map(Vec::len).max().unwrap_or(1) as u64
    }

    fn has(&self, member: u64) -> bool {
        self.sides.is_empty() || self.sides.iter().any(|side| side.binary_search(&member).is_ok())
    }
}

/// The definitions.
#[derive(Debug, Default)]
pub(super) struct Known {
    regions: HashMap<RegionRef, KnownRegion>,
    comms: HashMap<CommRef, KnownComm>,
    /// Per paradigm the place of each location, and of the process of each.
    places: HashMap<Paradigm, HashMap<u64, u64>>,
}

impl Known {
    pub fn new(archive: &Archive, found: &mut Vec<Violation>) -> Known {
        let mut reading = Reading::new(archive, found);
        let mut known = Known::default();
        for definition in archive.definitions() {
            match definition {
                Definition::Region(region) => {
                    known.regions.insert(region.id, reading.region(region));
                }
                Definition::Group(group) => reading.group(group),
                _ => {}
            }
        }
        // In a damaged archive groups may follow the communicators that use them.
        for definition in archive.definitions() {
            let (id, groups, flags) = match definition {
                Definition::Comm(comm) => (comm.id, vec![comm.group], comm.flags),
                Definition::InterComm(comm) => {
                    (comm.id, vec![comm.group_a, comm.group_b], comm.flags)
                }
                _ => continue,
            };
            if let Some(comm) = reading.comm(id, &groups, flags) {
                known.comms.insert(id, comm);
            }
        }
        known.places = reading.places;
        known
    }

    pub fn region(&self, id: RegionRef) -> Option<&KnownRegion> {
        self.regions.get(&id)
    }

    pub fn comm(&self, id: CommRef) -> Option<&KnownComm> {
        self.comms.get(&id)
    }

    /// Whether a location, or its process, is a member of a communicator; also if that cannot be
    /// known.
    pub fn is_member(&self, comm: &KnownComm, location: LocationRef) -> bool {
        let places = self.places.get(&comm.paradigm);
        places.and_then(|places| places.get(&location.0)).is_none_or(|&place| comm.has(place))
    }
}

/// The definitions while they are read.
struct Reading<'a> {
    archive: &'a Archive,
    strings: HashMap<StringRef, &'a str>,
    locations: HashSet<u64>,
    groups: HashMap<GroupRef, &'a Group>,
    /// Number of locations per paradigm.
    counts: HashMap<Paradigm, u64>,
    places: HashMap<Paradigm, HashMap<u64, u64>>,
    found: &'a mut Vec<Violation>,
}

impl<'a> Reading<'a> {
    fn new(archive: &'a Archive, found: &'a mut Vec<Violation>) -> Reading<'a> {
        let string = |definition: &'a Definition| match definition {
            Definition::String(string) => Some((string.id, &*string.string)),
            _ => None,
        };
        Reading {
            archive,
            strings: archive.definitions().iter().filter_map(string).collect(),
            locations: archive.locations().map(|location| location.id.0).collect(),
            groups: HashMap::new(),
            counts: HashMap::new(),
            places: HashMap::new(),
            found,
        }
    }

    fn add(&mut self, rule: Rule, text: String) {
        self.found.push(Violation { rule, at: None, text });
    }

    fn region(&mut self, region: &Region) -> KnownRegion {
        let text = |id| self.strings.get(&id).copied().unwrap_or_default();
        let (name, file) = (text(region.name).to_owned(), text(region.source_file));
        let expected = match region.paradigm {
            Paradigm::MPI => Some("MPI"),
            Paradigm::PTHREAD => Some("PTHREAD"),
            _ => None,
        };
        if let Some(expected) = expected.filter(|&expected| expected != file) {
            let text = format!("region {name} has the file {file:?}; readers expect {expected:?}");
            self.add(Rule::Mpi, text);
        }
        KnownRegion { name, is_mpi: region.paradigm == Paradigm::MPI }
    }

    fn group(&mut self, group: &'a Group) {
        let (id, paradigm) = (group.id, group.paradigm);
        let mut seen = HashSet::new();
        if let Some(twice) = group.members.iter().find(|member| !seen.insert(**member)) {
            self.add(Rule::Members, format!("group {id} has the member {twice} twice"));
        }
        if group.group_type == GroupType::COMM_LOCATIONS {
            self.counts.insert(paradigm, group.members.len() as u64);
            let places = places_of(self.archive, &group.members);
            self.places.insert(paradigm, places);
        }
        let are_locations = group.group_type == GroupType::COMM_LOCATIONS
            || group.group_flags.contains(GroupFlag::GLOBAL_MEMBERS);
        let unknown = group.members.iter().find(|&member| match are_locations {
            true => !self.locations.contains(member),
            false => group.group_type == GroupType::COMM_GROUP && !self.is_place(paradigm, *member),
        });
        if let Some(unknown) = unknown {
            let what = if are_locations { "a location" } else { "a place among the locations" };
            let text = format!("group {id} has the member {unknown}, which is not {what}");
            self.add(Rule::Members, text);
        }
        self.groups.insert(id, group);
    }

    fn is_place(&self, paradigm: Paradigm, member: u64) -> bool {
        self.counts.get(&paradigm).is_some_and(|&count| member < count)
    }

    fn comm(&mut self, id: CommRef, groups: &[GroupRef], flags: CommFlag) -> Option<KnownComm> {
        let mut comm = KnownComm {
            paradigm: Paradigm::UNKNOWN,
            sides: Vec::new(),
            has_events: flags.contains(CommFlag::CREATE_DESTROY_EVENTS),
        };
        for group in groups {
            let Some(&group) = self.groups.get(group) else {
                let text = format!("communicator {id} refers to group {group}, which is missing");
                self.add(Rule::Members, text);
                return None;
            };
            comm.paradigm = group.paradigm;
            match group.group_type {
                GroupType::COMM_SELF => {}
                GroupType::COMM_GROUP | GroupType::COMM_LOCATIONS => {
                    let mut members = group.members.clone();
                    members.sort_unstable();
                    comm.sides.push(members);
                }
                other => {
                    let text = format!("communicator {id} has a group of type {other}");
                    self.add(Rule::Members, text);
                    return None;
                }
            }
        }
        Some(comm)
    }
}

/// The place of each location in this list, and of the other locations of its process.
fn places_of(archive: &Archive, members: &[u64]) -> HashMap<u64, u64> {
    let listed: HashMap<u64, u64> = members.iter().copied().zip(0..).collect();
    let mut of_process = HashMap::new();
    for location in archive.locations() {
        if let Some(&place) = listed.get(&location.id.0) {
            of_process.entry(location.location_group).or_insert(place);
        }
    }
    let place = |id: u64, group| listed.get(&id).or_else(|| of_process.get(&group)).copied();
    let locations = archive.locations();
    locations.filter_map(|of| Some((of.id.0, place(of.id.0, of.location_group)?))).collect()
}

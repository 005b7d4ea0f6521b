//! Regions with their kinds, and call sites. A region of the trace that stands for the calls of a
//! routine from one place becomes a CALL_SITE, which refers to the region of the routine.

use std::collections::HashMap;

use pompeii_epilog::NO_ID;
use pompeii_epilog::record::{self, CallSite, Record, region_kind as kind};
use pompeii_model::{self as model, Role};
use pompeii_otf2::definition::{Callsite, Definition, Region};
use pompeii_otf2::enums::{Paradigm, RegionRole};
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::RegionRef;
use pompeii_replay::definitions::Definitions;

use super::strings::Strings;

/// Roles of OpenMP, and the kinds of regions that they are.
pub const OPENMP_KINDS: [(RegionRole, u8); 16] = [
    (RegionRole::PARALLEL, kind::OMP_PARALLEL),
    (RegionRole::LOOP, kind::OMP_LOOP),
    (RegionRole::SECTIONS, kind::OMP_SECTIONS),
    (RegionRole::SECTION, kind::OMP_SECTION),
    (RegionRole::WORKSHARE, kind::OMP_WORKSHARE),
    (RegionRole::SINGLE, kind::OMP_SINGLE),
    (RegionRole::MASTER, kind::OMP_MASTER),
    (RegionRole::CRITICAL, kind::OMP_CRITICAL),
    (RegionRole::ATOMIC, kind::OMP_ATOMIC),
    (RegionRole::BARRIER, kind::OMP_BARRIER),
    (RegionRole::IMPLICIT_BARRIER, kind::OMP_IMPLICIT_BARRIER),
    (RegionRole::FLUSH, kind::OMP_FLUSH),
    (RegionRole::CRITICAL_SBLOCK, kind::OMP_CRITICAL_BODY),
    (RegionRole::SINGLE_SBLOCK, kind::OMP_SINGLE_BODY),
    (RegionRole::ORDERED, kind::OMP_ORDERED),
    (RegionRole::ORDERED_SBLOCK, kind::OMP_ORDERED_BODY),
];

/// Roles of collective operations of MPI.
pub const MPI_KINDS: [(RegionRole, u8); 5] = [
    (RegionRole::BARRIER, kind::BARRIER),
    (RegionRole::COLL_ONE2ALL, kind::ONE_TO_ALL),
    (RegionRole::COLL_ALL2ONE, kind::ALL_TO_ONE),
    (RegionRole::COLL_ALL2ALL, kind::ALL_TO_ALL),
    (RegionRole::COLL_OTHER, kind::COLLECTIVE),
];

/// Kinds of regions that a team executes together, so that their end is an OMP_COLLEXIT.
const OF_TEAM: [u8; 7] = [
    kind::OMP_PARALLEL,
    kind::OMP_LOOP,
    kind::OMP_SECTIONS,
    kind::OMP_WORKSHARE,
    kind::OMP_SINGLE,
    kind::OMP_BARRIER,
    kind::OMP_IMPLICIT_BARRIER,
];

/// What a region of the trace is in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The region, or that of the routine which is called.
    pub region: u32,
    /// The call site, if the region stands for one.
    pub call_site: Option<u32>,
    /// A team executes it together.
    pub is_of_team: bool,
}

/// Regions and call sites.
#[derive(Debug, Default)]
pub struct Regions {
    /// The definitions of regions, then those of call sites.
    pub records: Vec<Record>,
    places: HashMap<RegionRef, Place>,
    /// The region of the program as a whole.
    pub program: u32,
    /// The archive has no such region.
    pub has_own_program: bool,
    /// An id that no region has: for tasks without a construct.
    pub free: u32,
}

impl Regions {
    /// Of an archive.
    pub fn new(archive: &Archive, definitions: &Definitions, strings: &mut Strings) -> Regions {
        let all: Vec<&Region> = archive.definitions().iter().filter_map(region).collect();
        let first_free = all.iter().map(|region| region.id.0.saturating_add(1)).max().unwrap_or(0);
        let mut regions = Regions { free: first_free, program: NO_ID, ..Regions::default() };
        let mut sites = Sites::new(archive, &all);
        let mut calls = Vec::new();
        for region in all {
            let known = &definitions.regions[definitions.region(region.id)];
            match sites.of(region, known) {
                Some(site) => calls.push((region, known, site)),
                None => regions.add(region, known, definitions, strings),
            }
        }
        if regions.program == NO_ID {
            regions.program = regions.free;
            regions.free = regions.free.saturating_add(1);
            regions.has_own_program = true;
        }
        for (region, known, site) in calls {
            regions.add_call((region, known), site, strings);
        }
        regions
    }

    /// What a region of an event is; none if it is not defined.
    pub fn place(&self, id: RegionRef) -> Option<Place> {
        self.places.get(&id).copied()
    }

    fn add(
        &mut self,
        region: &Region,
        known: &model::Region,
        definitions: &Definitions,
        strings: &mut Strings,
    ) {
        let line = |line: u32| if line == 0 { NO_ID } else { line };
        let (id, kind) = (region.id.0, kind_of(region));
        let record = record::Region {
            id,
            name: strings.name(region.name),
            file: strings.file(region.source_file),
            begin_line: line(region.begin_line_number),
            end_line: line(region.end_line_number),
            description: strings.optional(region.description),
            kind,
        };
        self.records.push(record.into());
        let is_of_team = OF_TEAM.contains(&kind);
        self.places.entry(region.id).or_insert(Place { region: id, call_site: None, is_of_team });
        if known.role == Role::Artificial && known.name == definitions.program {
            self.program = id;
        }
    }

    /// Adds a region that the archive does not have, without lines.
    fn add_own(&mut self, region: &model::Region, strings: &mut Strings) -> u32 {
        let id = self.free;
        self.free = id.saturating_add(1);
        let kind = match region.role {
            Role::Barrier => kind::BARRIER,
            Role::OneToAll => kind::ONE_TO_ALL,
            Role::AllToOne => kind::ALL_TO_ONE,
            Role::AllToAll => kind::ALL_TO_ALL,
            Role::Collective => kind::COLLECTIVE,
            _ => kind::FUNCTION,
        };
        let name = strings.text(&region.name);
        let (file, begin_line, end_line, description) = (NO_ID, NO_ID, NO_ID, NO_ID);
        let own = record::Region { id, name, file, begin_line, end_line, description, kind };
        self.records.push(own.into());
        id
    }

    /// Adds a call site. A routine that has no region of its own gets one.
    fn add_call(
        &mut self,
        (region, known): (&Region, &model::Region),
        site: Site,
        strings: &mut Strings,
    ) {
        let name = strings.name(region.name);
        let of_routine = self.records.iter().find_map(|record| match record {
            Record::Region(it) if it.name == name => Some(it.id),
            _ => None,
        });
        let entered = site.entered.or(of_routine);
        let entered = entered.unwrap_or_else(|| self.add_own(known, strings));
        let (id, left) = (site.id, site.left.unwrap_or(NO_ID));
        let (file, line) = (strings.file(region.source_file), region.begin_line_number);
        self.records.push(CallSite { id, file, line, entered, left }.into());
        let place = Place { region: entered, call_site: Some(id), is_of_team: false };
        self.places.entry(region.id).or_insert(place);
    }
}

fn region(definition: &Definition) -> Option<&Region> {
    match definition {
        Definition::Region(region) => Some(region),
        _ => None,
    }
}

fn kind_of(region: &Region) -> u8 {
    let of = |kinds: &[(RegionRole, u8)]| {
        kinds.iter().find(|(role, _)| *role == region.region_role).map(|(_, kind)| *kind)
    };
    match (region.paradigm, region.region_role) {
        (Paradigm::OPENMP, RegionRole::FUNCTION | RegionRole::WRAPPER) => kind::FUNCTION,
        (Paradigm::OPENMP, _) => of(&OPENMP_KINDS).unwrap_or(kind::UNKNOWN),
        (Paradigm::MPI, _) => of(&MPI_KINDS).unwrap_or(kind::FUNCTION),
        (_, RegionRole::FUNCTION | RegionRole::WRAPPER) => kind::FUNCTION,
        (_, RegionRole::LOOP) => kind::LOOP,
        (_, RegionRole::CODE) => kind::USER,
        _ => kind::UNKNOWN,
    }
}

/// A call site.
#[derive(Clone, Copy, Debug)]
struct Site {
    id: u32,
    entered: Option<u32>,
    left: Option<u32>,
}

/// The call sites of an archive.
struct Sites<'a> {
    /// By name of the region, file and line.
    defined: HashMap<(&'a str, &'a str, u32), &'a Callsite>,
    archive: &'a Archive,
    /// Functions by their names, as a description has them.
    functions: HashMap<String, u32>,
    next: u32,
}

impl<'a> Sites<'a> {
    fn new(archive: &'a Archive, regions: &[&'a Region]) -> Sites<'a> {
        let text = |id| archive.string(id).unwrap_or_default();
        let (mut defined, mut next) = (HashMap::new(), 0);
        for definition in archive.definitions() {
            let Definition::Callsite(site) = definition else { continue };
            next = next.max(site.id.0.saturating_add(1));
            if let Some(entered) = archive.region(site.entered_region) {
                let key = (text(entered.name), text(site.source_file), site.line_number);
                defined.entry(key).or_insert(site);
            }
        }
        let mut functions = HashMap::new();
        for region in regions {
            let mut caller = model::Region::artificial("");
            caller.place_in(text(region.name));
            if let Some(name) = caller.function() {
                functions.entry(name.to_owned()).or_insert(region.id.0);
            }
        }
        Sites { defined, archive, functions, next }
    }

    /// The call site that a region stands for.
    fn of(&mut self, region: &Region, known: &model::Region) -> Option<Site> {
        let text = |id| self.archive.string(id).unwrap_or_default();
        let key = (text(region.name), text(region.source_file), region.begin_line_number);
        let defined = self.defined.get(&key).filter(|site| site.entered_region != region.id);
        if let Some(site) = defined {
            let left = Some(site.left_region.0).filter(|id| *id != NO_ID);
            return Some(Site { id: site.id.0, entered: Some(site.entered_region.0), left });
        }
        if !known.is_call_site() {
            return None;
        }
        let id = self.next;
        self.next += 1;
        let left = known.function().and_then(|name| self.functions.get(name).copied());
        Some(Site { id, entered: None, left })
    }
}

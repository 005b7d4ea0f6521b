//! What a process defines: its regions and communicators, each once, in a log that is complete up
//! to the length in the process's header.

mod region;

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;

use pompeii_live::{Definition, Mapped, RegionKind};

use crate::loaded::CodePlace;
use crate::process::{Process, lock};

pub use region::RegionText;

/// What was defined, and the log of it.
pub struct Definitions {
    log: Mapped,
    used_bytes: usize,
    regions: HashMap<(u8, String, String, (u32, u32)), u32>,
    /// Regions of routines by where they are called, and of constructs by where they are in the
    /// code: an object and an address in it.
    call_sites: HashMap<(String, u32, u64), u32>,
    /// Regions whose callers are known.
    called: HashSet<u32>,
    /// Loaded files by path and build id.
    objects: HashMap<(String, String), u32>,
    /// By region id.
    kinds: Vec<RegionKind>,
    /// Regions with a metric class of their own, in the order of the classes.
    guarded: Vec<u32>,
    /// See [`Process::is_quiet`].
    quiet: Vec<u32>,
    communicators: HashMap<(u32, u32, u32), u32>,
    /// How many communicators there are, OpenMP's and MPI's.
    communicator_count: u32,
}

impl Definitions {
    /// None yet.
    pub fn new(log: Mapped) -> Self {
        Self {
            log,
            used_bytes: 0,
            regions: HashMap::new(),
            call_sites: HashMap::new(),
            called: HashSet::new(),
            objects: HashMap::new(),
            kinds: Vec::new(),
            guarded: Vec::new(),
            quiet: Vec::new(),
            communicators: HashMap::new(),
            communicator_count: 0,
        }
    }
}

impl Process {
    /// Regions keep the ids that they have in the process that this one was forked from.
    pub fn inherit_regions(&self, parent: &Process) {
        let theirs = lock(&parent.definitions);
        // SAFETY: as many bytes are written, and the lock keeps them from growing.
        let log = unsafe { std::slice::from_raw_parts(theirs.log.base(), theirs.used_bytes) };
        let mut definitions = lock(&self.definitions);
        for definition in Definition::decode_all(log) {
            match definition {
                Definition::Region { id, kind, .. } => self.note_border(id, kind),
                Definition::Object { .. }
                | Definition::CallSite { .. }
                | Definition::Caller { .. }
                | Definition::Construct { .. } => {}
                _ => continue,
            }
            self.append(&mut definitions, &definition);
        }
        definitions.regions = theirs.regions.clone();
        definitions.call_sites = theirs.call_sites.clone();
        definitions.called = theirs.called.clone();
        definitions.objects = theirs.objects.clone();
        definitions.kinds = theirs.kinds.clone();
        definitions.quiet = theirs.quiet.clone();
        let off_region = parent.off_region.load(Ordering::Relaxed);
        self.off_region.store(off_region, Ordering::Relaxed);
    }

    /// The id of a region; one of the same content is defined once.
    pub fn region(&self, region: &RegionText) -> u32 {
        let mut definitions = lock(&self.definitions);
        let key = (region.kind as u8, region.name.clone(), region.file.clone(), region.lines);
        if let Some(&id) = definitions.regions.get(&key) {
            return id;
        }
        let id = self.add_region(&mut definitions, region);
        definitions.regions.insert(key, id);
        id
    }

    fn add_region(&self, definitions: &mut Definitions, region: &RegionText) -> u32 {
        let id = definitions.kinds.len() as u32;
        definitions.kinds.push(region.kind);
        self.note_border(id, region.kind);
        self.append(
            definitions,
            &Definition::Region {
                id,
                kind: region.kind,
                begin_line: region.lines.0,
                end_line: region.lines.1,
                name: region.name.clone(),
                file: region.file.clone(),
                clauses: region.clauses.clone(),
            },
        );
        id
    }

    /// The id of the region that stands for calls of a routine from this place, and whether it is
    /// new.
    pub fn call_site(&self, routine: &RegionText, from: &CodePlace) -> (u32, bool) {
        let mut definitions = lock(&self.definitions);
        let (object, address) = (self.object(&mut definitions, from), from.address);
        let key = (routine.name.clone(), object, address);
        if let Some(&region) = definitions.call_sites.get(&key) {
            return (region, false);
        }
        let region = self.add_region(&mut definitions, routine);
        definitions.call_sites.insert(key, region);
        self.append(&mut definitions, &Definition::CallSite { region, object, address });
        (region, true)
    }

    /// The id of the region of a construct that is known by its place in the code: of the function
    /// that the compiler has made of its body, or of the call that it has become.
    pub fn construct(&self, region: &RegionText, place: &CodePlace, is_function: bool) -> u32 {
        let mut definitions = lock(&self.definitions);
        let (object, address) = (self.object(&mut definitions, place), place.address);
        let key = (region.name.clone(), object, address);
        if let Some(&known) = definitions.call_sites.get(&key) {
            return known;
        }
        let id = self.add_region(&mut definitions, region);
        definitions.call_sites.insert(key, id);
        self.append(
            &mut definitions,
            &Definition::Construct { region: id, object, address, is_function },
        );
        id
    }

    /// Notes from where a region is entered for the first time: `stack` gives the calls that are
    /// under way, the innermost one first.
    pub fn note_callers(&self, region: u32, stack: impl FnOnce() -> Vec<CodePlace>) {
        if !lock(&self.definitions).called.insert(region) {
            return;
        }
        // The unwinder may take locks of its own, so ours is free meanwhile.
        let stack = stack();
        let mut definitions = lock(&self.definitions);
        for place in stack {
            let (object, address) = (self.object(&mut definitions, &place), place.address);
            self.append(&mut definitions, &Definition::Caller { region, object, address });
        }
    }

    /// The id of a loaded file.
    pub fn loaded_file(&self, path: &str, build_id: &str) -> u32 {
        let (path, build_id) = (path.to_owned(), build_id.to_owned());
        self.object(&mut lock(&self.definitions), &CodePlace { path, build_id, address: 0 })
    }

    /// The id of the loaded file that has this place.
    fn object(&self, definitions: &mut Definitions, place: &CodePlace) -> u32 {
        let CodePlace { path, build_id, .. } = place;
        let next = definitions.objects.len() as u32;
        let key = (path.clone(), build_id.clone());
        let id = *definitions.objects.entry(key).or_insert(next);
        if id == next {
            let (path, build_id) = (path.clone(), build_id.clone());
            self.append(definitions, &Definition::Object { id, path, build_id });
        }
        id
    }

    /// Kinds of regions by their ids.
    pub fn region_kinds(&self) -> Vec<RegionKind> {
        lock(&self.definitions).kinds.clone()
    }

    /// The kind of a region.
    pub fn region_kind(&self, region: u32) -> Option<RegionKind> {
        lock(&self.definitions).kinds.get(region as usize).copied()
    }

    /// Visits of this region may have nothing in them, though its kind does not say so.
    pub fn note_quiet(&self, region: u32) {
        lock(&self.definitions).quiet.push(region);
    }

    /// Whether they may.
    pub fn is_quiet(&self, region: u32) -> bool {
        lock(&self.definitions).quiet.contains(&region)
    }

    /// The metric class of a region's sums (see [`crate::guard`]).
    pub fn guard_class(&self, region: u32) -> u32 {
        let first = self.metrics.classes().count() as u32;
        let guarded = &mut lock(&self.definitions).guarded;
        let known = guarded.iter().position(|&known| known == region);
        let position = known.unwrap_or_else(|| {
            guarded.push(region);
            guarded.len() - 1
        });
        first + position as u32
    }

    /// The region that stands for the time without recording.
    pub fn off_region(&self) -> u32 {
        if let Some(id) = self.off_region.load(Ordering::Relaxed).checked_sub(1) {
            return id;
        }
        let id = self.region(&RegionText::without_source(RegionKind::Off, "MEASUREMENT OFF"));
        self.off_region.store(id + 1, Ordering::Relaxed);
        id
    }

    /// The communicator of the teams of this nesting level that `master` forks with `size`
    /// threads; level 0 is an initial thread on its own.
    pub fn communicator(&self, master: u32, level: u32, size: u32) -> u32 {
        let own_level = self.location_header(master).map_or(0, |location| {
            // SAFETY: locations are never freed, and their level never changes.
            unsafe { (&raw const (*location).level).read() }
        });
        let mut definitions = lock(&self.definitions);
        let next = definitions.communicator_count;
        let id = *definitions.communicators.entry((master, level, size)).or_insert(next);
        if id == next {
            definitions.communicator_count += 1;
            let definition = match level <= own_level + 1 {
                true => Definition::Communicator { id, master, size },
                false => Definition::NestedCommunicator { id, master, level, size },
            };
            self.append(&mut definitions, &definition);
        }
        id
    }

    /// The id of a communicator that somebody else defines.
    pub fn new_communicator(&self) -> u32 {
        let mut definitions = lock(&self.definitions);
        definitions.communicator_count += 1;
        definitions.communicator_count - 1
    }

    /// The communicator of all threads that the program creates.
    pub fn created_threads(&self) -> u32 {
        if let Some(id) = self.created_threads.load(Ordering::Relaxed).checked_sub(1) {
            return id;
        }
        let mut definitions = lock(&self.definitions);
        // Another thread may have been faster.
        if let Some(id) = self.created_threads.load(Ordering::Relaxed).checked_sub(1) {
            return id;
        }
        let id = definitions.communicator_count;
        definitions.communicator_count += 1;
        self.append(&mut definitions, &Definition::CreatedThreads { id });
        self.created_threads.store(id + 1, Ordering::Relaxed);
        id
    }

    /// Appends a record to the definitions log.
    pub fn define(&self, definition: &Definition) {
        self.append(&mut lock(&self.definitions), definition);
    }

    fn append(&self, definitions: &mut Definitions, definition: &Definition) {
        let mut record = Vec::new();
        definition.encode(&mut record);
        let end = definitions.used_bytes + record.len();
        if let Err(error) = definitions.log.ensure(end) {
            return self.lost(1, error.errno);
        }
        // SAFETY: `ensure` has allocated these bytes, and the lock makes this their only writer.
        unsafe {
            let to = definitions.log.base().add(definitions.used_bytes);
            to.copy_from_nonoverlapping(record.as_ptr(), record.len());
        }
        definitions.used_bytes = end;
        self.header().definitions_bytes.store(end as u64, Ordering::Release);
    }
}

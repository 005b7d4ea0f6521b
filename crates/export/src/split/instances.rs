//! Regions of task instances: `task_X_Y` is the instance number Y that thread X of a team created.
//! It has the lines and the description of its construct. All tools keep definitions in memory, so
//! a construct has a limited number of such regions. Its further instances keep the region of the
//! construct.

use std::collections::{HashMap, HashSet};

use pompeii_index::TaskId;
use pompeii_otf2::reference::RegionRef;

use crate::tasks;

/// Ids that are free, and how many of them may be used.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// The first id of a region that no definition has.
    pub first: u32,
    /// Number of free ids from there on.
    pub all: u32,
    /// Most regions for the instances of one construct.
    pub of_construct: u32,
}

/// A new region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// The region of its construct, unless the trace has none.
    pub construct: Option<RegionRef>,
    /// Its name.
    pub name: String,
}

/// The regions of all instances.
#[derive(Debug)]
pub struct Instances {
    /// Regions of task constructs.
    constructs: HashSet<RegionRef>,
    room: Room,
    /// By construct, creating thread and number: teams and processes use the same numbers again.
    regions: HashMap<(RegionRef, u32, u32), RegionRef>,
    of_construct: HashMap<RegionRef, u32>,
    /// In the order of their ids.
    named: Vec<Named>,
    /// For instances without a construct above the limit.
    rest: Option<RegionRef>,
    unnamed: u64,
}

impl Instances {
    /// For a trace in which these regions are task constructs.
    pub fn new(constructs: HashSet<RegionRef>, room: Room) -> Instances {
        Instances {
            constructs,
            room,
            regions: HashMap::new(),
            of_construct: HashMap::new(),
            named: Vec::new(),
            rest: None,
            unnamed: 0,
        }
    }

    /// Whether a region is that of a task construct.
    pub fn is_construct(&self, region: RegionRef) -> bool {
        self.constructs.contains(&region)
    }

    /// The region of an instance that begins.
    pub fn region(&mut self, construct: Option<RegionRef>, task: TaskId) -> RegionRef {
        let of = construct.unwrap_or(RegionRef::UNDEFINED);
        let key = (of, task.thread, task.number);
        if let Some(&known) = self.regions.get(&key) {
            return known;
        }
        let number = self.of_construct.get(&of).copied().unwrap_or(0);
        let has_room = number < self.room.of_construct;
        let own = if has_room { self.add(construct, tasks::name(task)) } else { None };
        let Some(region) = own else {
            self.unnamed += 1;
            return construct.unwrap_or_else(|| self.rest());
        };
        self.of_construct.insert(of, number + 1);
        self.regions.insert(key, region);
        region
    }

    /// New regions; the ids are [`Room::first`] and the following ones.
    pub fn named(&self) -> &[Named] {
        &self.named
    }

    /// How many instances have no region of their own.
    pub fn unnamed(&self) -> u64 {
        self.unnamed
    }

    fn add(&mut self, construct: Option<RegionRef>, name: String) -> Option<RegionRef> {
        let number = u32::try_from(self.named.len()).ok().filter(|it| *it < self.room.all)?;
        self.named.push(Named { construct, name });
        Some(RegionRef(self.room.first + number))
    }

    /// One region for all instances whose construct is not known and that have none of their own.
    fn rest(&mut self) -> RegionRef {
        let known = self.rest.or_else(|| self.add(None, "task".to_owned()));
        self.rest = known;
        known.unwrap_or(RegionRef::UNDEFINED)
    }
}

//! What ids are called in print: `"name" <id>`. Built definition by definition, in the order of the
//! file, so that the print shows what is used before it is defined.

use std::collections::HashMap;

use crate::definition::{self, Definition};
use crate::enums::{GroupFlag, GroupType, Paradigm};
use crate::print::printable;
use crate::reference::*;

/// A defined thing.
#[derive(Debug, Default)]
struct Entry {
    /// Its name; `None`: it has none, or one that is not defined.
    name: Option<Box<str>>,
    /// As it is shown.
    shown: Box<str>,
}

/// The names of one kind of definitions.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// By id, where ids are as dense as they should be.
    dense: Vec<Option<Entry>>,
    sparse: HashMap<u64, Entry>,
}

impl Table {
    fn add(&mut self, id: Option<u64>, name: Option<&str>) {
        let Some(id) = id else { return };
        let shown = match name {
            Some(name) => format!("\"{name}\" <{id}>"),
            None => id.to_string(),
        };
        let entry = Entry { name: name.map(Box::from), shown: shown.into() };
        // The second condition bounds the memory that a damaged id can ask for.
        let index = usize::try_from(id).unwrap_or(usize::MAX);
        if index < 64 || index <= 2 * self.dense.len() {
            if self.dense.len() <= index {
                self.dense.resize_with(index + 1, || None);
            }
            self.dense[index] = Some(entry);
        } else {
            self.sparse.insert(id, entry);
        }
    }

    #[inline]
    fn entry(&self, id: u64) -> Option<&Entry> {
        match self.dense.get(id as usize) {
            Some(Some(entry)) => Some(entry),
            _ => self.sparse.get(&id),
        }
    }

    /// As it is shown; `None` if it is not defined.
    #[inline]
    pub fn shown(&self, id: u64) -> Option<&str> {
        self.entry(id).map(|entry| &*entry.shown)
    }

    /// Its name, if it is defined and has one.
    pub fn name(&self, id: u64) -> Option<&str> {
        self.entry(id)?.name.as_deref()
    }
}

/// What a group is needed for: to say which location a rank is.
#[derive(Debug)]
struct Group {
    kind: GroupType,
    paradigm: Paradigm,
    flags: GroupFlag,
    members: Vec<u64>,
}

/// Names of everything that was defined so far.
#[derive(Debug, Default)]
pub(super) struct Names {
    pub strings: Table,
    pub attributes: Table,
    pub system_tree_nodes: Table,
    pub location_groups: Table,
    pub locations: Table,
    pub regions: Table,
    pub callsites: Table,
    pub callpaths: Table,
    pub groups: Table,
    pub metric_members: Table,
    pub metrics: Table,
    pub comms: Table,
    pub parameters: Table,
    pub rma_wins: Table,
    pub cart_dimensions: Table,
    pub cart_topologies: Table,
    pub source_code_locations: Table,
    pub calling_contexts: Table,
    pub interrupt_generators: Table,
    pub io_paradigms: Table,
    pub io_files: Table,
    pub io_handles: Table,
    pub paradigms: Table,
    metric_classes: HashMap<MetricRef, Vec<MetricMemberRef>>,
    group_members: HashMap<GroupRef, Group>,
    /// All locations of a paradigm: what ranks count in.
    comm_locations: HashMap<Paradigm, Vec<u64>>,
    comm_groups: HashMap<CommRef, (GroupRef, GroupRef)>,
    window_comms: HashMap<RmaWinRef, CommRef>,
    topology_comms: HashMap<CartTopologyRef, CommRef>,
    /// Parents of calling contexts.
    callers: HashMap<CallingContextRef, CallingContextRef>,
    /// Whether control characters in names stay as they are.
    raw: bool,
}

/// A reference whose kind has names.
pub(super) trait Named: Copy {
    /// The names of this kind.
    fn table(names: &Names) -> &Table;
    /// The id; `None` if undefined.
    fn id(self) -> Option<u64>;
}

macro_rules! named {
    ($($reference:ident $table:ident;)*) => { $(
        impl Named for $reference {
            #[inline]
            fn table(names: &Names) -> &Table {
                &names.$table
            }
            #[inline]
            fn id(self) -> Option<u64> {
                (!self.is_undefined()).then_some(u64::from(self.0))
            }
        }
    )* };
}

named! {
    StringRef strings;
    AttributeRef attributes;
    SystemTreeNodeRef system_tree_nodes;
    LocationGroupRef location_groups;
    LocationRef locations;
    RegionRef regions;
    CallsiteRef callsites;
    CallpathRef callpaths;
    GroupRef groups;
    MetricMemberRef metric_members;
    MetricRef metrics;
    CommRef comms;
    ParameterRef parameters;
    RmaWinRef rma_wins;
    CartDimensionRef cart_dimensions;
    CartTopologyRef cart_topologies;
    SourceCodeLocationRef source_code_locations;
    CallingContextRef calling_contexts;
    InterruptGeneratorRef interrupt_generators;
    IoParadigmRef io_paradigms;
    IoFileRef io_files;
    IoHandleRef io_handles;
}

impl Names {
    /// No names yet; `raw` keeps control characters in them.
    pub fn new(raw: bool) -> Names {
        Names { raw, ..Names::default() }
    }

    /// As it is shown: `"name" <id>`, `INVALID <id>` or `UNDEFINED`.
    pub fn of<T: Named>(&self, reference: T) -> String {
        match reference.id() {
            None => "UNDEFINED".to_owned(),
            Some(id) => T::table(self).shown(id).map_or(format!("INVALID <{id}>"), str::to_owned),
        }
    }

    /// A string without its id, as it is shown.
    pub fn string(&self, id: StringRef) -> Option<&str> {
        self.strings.name(id.id()?)
    }

    /// A member of a metric class.
    pub fn metric_member(&self, metric: MetricRef, index: usize) -> Option<MetricMemberRef> {
        self.metric_classes.get(&metric)?.get(index).copied()
    }

    /// The calling context that called this one; `None` if it is not defined.
    pub fn caller(&self, context: CallingContextRef) -> Option<CallingContextRef> {
        self.callers.get(&context).copied()
    }

    /// The communicator of a window.
    pub fn window_comm(&self, window: RmaWinRef) -> Option<CommRef> {
        self.window_comms.get(&window).copied()
    }

    /// The communicator of a topology.
    pub fn topology_comm(&self, topology: CartTopologyRef) -> Option<CommRef> {
        self.topology_comms.get(&topology).copied()
    }

    /// The location that a rank of a communicator is, seen from `location`.
    pub fn rank_location(
        &self,
        location: LocationRef,
        comm: CommRef,
        rank: u64,
    ) -> Option<LocationRef> {
        let &(own, other) = self.comm_groups.get(&comm)?;
        let mut group = self.rank_group(own)?;
        if !other.is_undefined() {
            // Between two groups, a rank is one of the group that the location is not in.
            let locations = self.comm_locations.get(&group.paradigm);
            let is_member = |&member: &u64| {
                let found = locations.and_then(|all| all.get(usize::try_from(member).ok()?));
                found == Some(&location.0)
            };
            if group.members.iter().any(is_member) {
                group = self.rank_group(other)?;
            }
        }
        let index = usize::try_from(rank).ok()?;
        if group.kind == GroupType::COMM_SELF {
            return (rank == 0).then_some(location);
        }
        let all = self.comm_locations.get(&group.paradigm)?;
        let place = if group.flags.contains(GroupFlag::GLOBAL_MEMBERS) {
            index
        } else {
            usize::try_from(*group.members.get(index)?).ok()?
        };
        all.get(place).copied().map(LocationRef)
    }

    /// A group whose members are ranks.
    fn rank_group(&self, id: GroupRef) -> Option<&Group> {
        let has_ranks =
            |group: &&Group| matches!(group.kind, GroupType::COMM_GROUP | GroupType::COMM_SELF);
        self.group_members.get(&id).filter(has_ranks)
    }

    /// The location that a member of a group of ranks is, as it is shown.
    pub fn member(&self, paradigm: Paradigm, member: u64) -> String {
        let all = self.comm_locations.get(&paradigm);
        let location = all.and_then(|all| all.get(usize::try_from(member).ok()?));
        location.map_or("INVALID".to_owned(), |&location| self.of(LocationRef(location)))
    }

    /// Takes the name of what is defined.
    pub fn add(&mut self, definition: &Definition) {
        match definition {
            // All names are made of strings: none of them has control characters.
            Definition::String(it) if self.raw => self.strings.add(it.id.id(), Some(&it.string)),
            Definition::String(it) => self.strings.add(it.id.id(), Some(&printable(&it.string))),
            Definition::Paradigm(it) => {
                let name = self.string(it.name).map(str::to_owned);
                self.paradigms.add(Some(u64::from(it.paradigm.0)), name.as_deref());
            }
            Definition::Callsite(it) => self.callsites.add(it.id.id(), None),
            Definition::Callpath(it) => self.callpaths.add(it.id.id(), None),
            Definition::MetricClass(it) => {
                self.metrics.add(it.id.id(), None);
                self.metric_classes.insert(it.id, it.metric_members.clone());
            }
            Definition::MetricInstance(it) => {
                self.metrics.add(it.id.id(), None);
                let members = self.metric_classes.get(&it.metric_class).cloned();
                self.metric_classes.insert(it.id, members.unwrap_or_default());
            }
            _ => self.add_composed(definition),
        }
    }

    /// Names that are made of several.
    fn add_composed(&mut self, definition: &Definition) {
        let text = |id| self.string(id).unwrap_or_default();
        match definition {
            Definition::SystemTreeNode(it) => {
                let name = format!("{}::{}", text(it.class_name), text(it.name));
                self.system_tree_nodes.add(it.id.id(), Some(&name));
            }
            Definition::SourceCodeLocation(it) => {
                let name = format!("{}:{}", text(it.file), it.line_number);
                self.source_code_locations.add(it.id.id(), Some(&name));
            }
            Definition::IoRegularFile(it) => {
                let name = format!("file://{}", text(it.name));
                self.io_files.add(it.id.id(), Some(&name));
            }
            Definition::IoDirectory(it) => {
                let name = format!("directory://{}", text(it.name));
                self.io_files.add(it.id.id(), Some(&name));
            }
            Definition::IoHandle(it) => {
                let name = self.io_handle_name(it);
                self.io_handles.add(it.id.id(), name.as_deref());
            }
            Definition::CallingContext(it) => {
                let name = self.calling_context_name(it);
                self.calling_contexts.add(it.id.id(), Some(&name));
                self.callers.insert(it.id, it.parent);
            }
            _ => self.add_plain(definition),
        }
    }

    fn io_handle_name(&self, it: &definition::IoHandle) -> Option<String> {
        match self.string(it.name) {
            Some(name) if !name.is_empty() => Some(name.to_owned()),
            Some(_) | None if it.name.is_undefined() || self.string(it.name).is_some() => {
                let paradigm = it.io_paradigm.id().and_then(|id| self.io_paradigms.name(id));
                let file = it.file.id().and_then(|id| self.io_files.name(id));
                Some(format!("[{}]{}", paradigm.unwrap_or_default(), file.unwrap_or_default()))
            }
            _ => None,
        }
    }

    /// The region, and the line without its folder.
    fn calling_context_name(&self, it: &definition::CallingContext) -> String {
        let region = it.region.id().and_then(|id| self.regions.entry(id));
        let region = match region {
            Some(entry) => entry.name.as_deref().unwrap_or_default(),
            None => "UNDEFINED",
        };
        let line = it.source_code_location.id();
        match line.and_then(|id| self.source_code_locations.name(id)) {
            Some(line) => format!("{region}@{}", line.rsplit('/').next().unwrap_or(line)),
            None => region.to_owned(),
        }
    }

    /// Names that are a string.
    fn add_plain(&mut self, definition: &Definition) {
        macro_rules! plain {
            ($($record:ident $table:ident,)*) => {
                match definition {
                    $( Definition::$record(it) => {
                        let name = it.name.id().and_then(|id| self.strings.name(id));
                        self.$table.add(it.id.id(), name);
                    } )*
                    _ => {}
                }
            };
        }
        plain! {
            Attribute attributes,
            LocationGroup location_groups,
            Location locations,
            Region regions,
            Group groups,
            MetricMember metric_members,
            Comm comms,
            InterComm comms,
            Parameter parameters,
            RmaWin rma_wins,
            CartDimension cart_dimensions,
            CartTopology cart_topologies,
            InterruptGenerator interrupt_generators,
            IoParadigm io_paradigms,
        }
        self.add_members(definition);
    }

    /// What ranks need.
    fn add_members(&mut self, definition: &Definition) {
        match definition {
            Definition::Group(it) => {
                let (kind, paradigm, flags) = (it.group_type, it.paradigm, it.group_flags);
                if kind == GroupType::COMM_LOCATIONS {
                    self.comm_locations.insert(paradigm, it.members.clone());
                }
                let members = it.members.clone();
                self.group_members.insert(it.id, Group { kind, paradigm, flags, members });
            }
            Definition::Comm(it) => {
                self.comm_groups.insert(it.id, (it.group, GroupRef::UNDEFINED));
            }
            Definition::InterComm(it) => {
                self.comm_groups.insert(it.id, (it.group_a, it.group_b));
            }
            Definition::RmaWin(it) => drop(self.window_comms.insert(it.id, it.comm)),
            Definition::CartTopology(it) => {
                self.topology_comms.insert(it.id, it.communicator);
            }
            _ => {}
        }
    }
}

//! Machines, nodes, processes and threads. Processes and locations are numbered as in the analysis,
//! from 0 on: the id of a process is its rank.

use std::collections::HashMap;

use pompeii_epilog::record::{LocationDefinition, Machine, Node, Process, Record, Thread};
use pompeii_model::{Id, LocationId, ProcessId};
use pompeii_otf2::definition::{Definition, Location, SystemTreeNode};
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::{StringRef, SystemTreeNodeRef};
use pompeii_otf2::value::Value;
use pompeii_replay::definitions::Definitions;

use super::strings::Strings;

/// Name of the property of a node with its number of CPUs.
pub const CPUS: &str = "cpus";
/// Name of the property of a node with the ticks of its clock per second.
pub const CLOCK_RATE: &str = "clock rate";

/// Most steps from a node to its machine: parents of a damaged archive may form a circle.
const DEPTH_MAX: usize = 64;

/// The definitions of the system.
pub fn records(archive: &Archive, definitions: &Definitions, strings: &mut Strings) -> Vec<Record> {
    let locations: HashMap<u64, &Location> =
        archive.locations().map(|location| (location.id.0, location)).collect();
    let of = |id: LocationId| locations.get(&definitions.location_ids[id]).copied();
    let mut system = System { archive, machines: Vec::new(), nodes: Vec::new() };
    let (mut processes, mut threads) = (Vec::new(), Vec::new());
    let mut places = Vec::new();
    let mut last: Option<(ProcessId, u32)> = None;
    for (id, known) in definitions.system.locations.enumerated() {
        let Some(location) = of(id) else { continue };
        let group = archive.location_group(location.location_group);
        let node = system.node(group.map(|group| group.system_tree_parent).unwrap_or_default());
        let process = known.process.index() as u32;
        let number = match last {
            Some((process, number)) if process == known.process => number + 1,
            _ => {
                let name = group.map_or(StringRef::UNDEFINED, |group| group.name);
                processes.push(Process { id: process, name: strings.name(name) }.into());
                0
            }
        };
        last = Some((known.process, number));
        let name = strings.name(location.name);
        threads.push(Thread { id: number, process, name }.into());
        let machine = system.nodes.get(node as usize).map_or(0, |(_, machine)| *machine);
        let id = id.index() as u32;
        places.push(LocationDefinition { id, machine, node, process, thread: number }.into());
    }
    let mut records = system.records(strings);
    records.extend(processes.into_iter().chain(threads).chain(places));
    records
}

/// Machines and nodes, in the order of their ids.
struct System<'a> {
    archive: &'a Archive,
    machines: Vec<SystemTreeNodeRef>,
    /// Each with its machine.
    nodes: Vec<(SystemTreeNodeRef, u32)>,
}

impl System<'_> {
    /// The id of the node that is above a process.
    fn node(&mut self, id: SystemTreeNodeRef) -> u32 {
        if let Some(known) = self.nodes.iter().position(|(node, _)| *node == id) {
            return known as u32;
        }
        let root = self.root(id);
        let known = self.machines.iter().position(|machine| *machine == root);
        let machine = known.unwrap_or_else(|| {
            self.machines.push(root);
            self.machines.len() - 1
        });
        self.nodes.push((id, machine as u32));
        self.nodes.len() as u32 - 1
    }

    fn root(&self, id: SystemTreeNodeRef) -> SystemTreeNodeRef {
        let parent = |node: &&SystemTreeNode| self.archive.system_tree_node(node.parent);
        let above = std::iter::successors(self.archive.system_tree_node(id), parent);
        above.take(DEPTH_MAX).last().map_or(id, |node| node.id)
    }

    fn name(&self, id: SystemTreeNodeRef, strings: &mut Strings) -> u32 {
        let node = self.archive.system_tree_node(id);
        strings.name(node.map_or(StringRef::UNDEFINED, |node| node.name))
    }

    /// The value of a property of a node.
    fn property(&self, id: SystemTreeNodeRef, name: &str) -> Option<Value> {
        let mut all = self.archive.definitions().iter();
        all.find_map(|definition| match definition {
            Definition::SystemTreeNodeProperty(it)
                if it.system_tree_node == id && self.archive.string(it.name) == Some(name) =>
            {
                Some(it.value)
            }
            _ => None,
        })
    }

    fn records(&self, strings: &mut Strings) -> Vec<Record> {
        let mut records: Vec<Record> = Vec::new();
        for (id, machine) in (0..).zip(&self.machines) {
            let nodes = self.nodes.iter().filter(|(_, of)| *of == id).count() as u32;
            records.push(Machine { id, nodes, name: self.name(*machine, strings) }.into());
        }
        for (id, (node, machine)) in (0..).zip(&self.nodes) {
            let cpus = match self.property(*node, CPUS) {
                Some(Value::U32(cpus)) => cpus,
                _ => 0,
            };
            let clock_rate = match self.property(*node, CLOCK_RATE) {
                Some(Value::F64(rate)) => rate,
                _ => 0.0,
            };
            let (name, clock_rate) = (self.name(*node, strings), Some(clock_rate));
            records.push(Node { id, machine: *machine, cpus, name, clock_rate }.into());
        }
        records
    }
}

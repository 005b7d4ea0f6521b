//! The lines of definitions.

use super::Options;
use super::line::{Line, plural, shown, value_bits};
use super::names::{Named, Names};
use super::number::{date, general};
use crate::definition::{self, Definition, IoProperty};
use crate::enums::*;
use crate::mapping::IdMap;
use crate::reference::*;
use crate::value::Value;

/// Appends the line of a global definition.
pub(super) fn global(out: &mut Vec<u8>, names: &Names, options: &Options, it: &Definition) {
    match it {
        Definition::ClockProperties(it) => clock_properties(out, names, options, it),
        Definition::Paradigm(it) => {
            let mut line = Line::definition(out, names, "PARADIGM", Some(u64::from(it.paradigm.0)));
            line.value("", it.paradigm).name("Name", it.name).value("Class", it.paradigm_class);
            line.end();
        }
        Definition::ParadigmProperty(it) => paradigm_property(out, names, it),
        Definition::IoParadigm(it) => io_paradigm(out, names, it),
        Definition::Group(it) => group(out, names, it),
        Definition::Unknown(_) => out.extend_from_slice(b"UNKNOWN                    \n"),
        _ => {
            let mut printer = Printer { out, names };
            if !(printer.system(it) || printer.program(it) || printer.communication(it)) {
                printer.other(it);
            }
        }
    }
}

fn clock_properties(
    out: &mut Vec<u8>,
    names: &Names,
    options: &Options,
    it: &definition::ClockProperties,
) {
    let date = match it.realtime_timestamp {
        u64::MAX => "UNDEFINED".to_owned(),
        realtime_ns => date(realtime_ns, options.utc_offset),
    };
    let mut line = Line::definition(out, names, "CLOCK_PROPERTIES", None);
    line.number("Ticks per Seconds", it.timer_resolution);
    line.number("Global Offset", it.global_offset).number("Length", it.trace_length);
    line.field("Date", &date).end();
}

fn paradigm_property(out: &mut Vec<u8>, names: &Names, it: &definition::ParadigmProperty) {
    let mut kind = shown(it.value.kind());
    let text = match (it.property, &it.value) {
        (
            ParadigmProperty::COMM_NAME_TEMPLATE | ParadigmProperty::RMA_WIN_NAME_TEMPLATE,
            Value::String(string),
        ) => names.of(*string),
        (ParadigmProperty::RMA_ONLY, Value::U8(value)) => {
            kind = "BOOLEAN".to_owned();
            shown(CartPeriodicity(*value))
        }
        (
            ParadigmProperty::COMM_NAME_TEMPLATE
            | ParadigmProperty::RMA_WIN_NAME_TEMPLATE
            | ParadigmProperty::RMA_ONLY,
            value,
        ) => format!("TYPE MISMATCH <{}>", value_bits(value)),
        (_, value) => format!("UNKNOWN PROPERTY <{}>", value_bits(value)),
    };
    let mut line = Line::definition(out, names, "PARADIGM_PROPERTY", None);
    line.paradigm("Paradigm", it.paradigm).value("Property", it.property);
    line.field("Type", &kind).field("Value", &text).end();
}

fn io_paradigm(out: &mut Vec<u8>, names: &Names, it: &definition::IoParadigm) {
    let mut line = Line::definition(out, names, "IO_PARADIGM", Some(u64::from(it.id.0)));
    line.name("Identification", it.identification).name("Name", it.name);
    line.value("Class", it.io_paradigm_class).value("Flags", it.io_paradigm_flags);
    let count = it.properties.len();
    line.field("", &format!("{count} Propert{}", plural(count, "y", "ies")));
    line.list(&it.properties, |line, IoProperty { property, value }| {
        let text = match (*property, value) {
            (IoParadigmProperty::VERSION, Value::String(string)) => names.of(*string),
            (IoParadigmProperty::VERSION, value) => {
                format!("TYPE MISMATCH <{}>", value_bits(value))
            }
            (_, value) => format!("UNKNOWN I/O PROPERTY <{}>", value_bits(value)),
        };
        line.text(&format!("({}; {}; {text})", shown(*property), shown(value.kind())));
    });
    line.end();
}

fn group(out: &mut Vec<u8>, names: &Names, it: &definition::Group) {
    let mut line = Line::definition(out, names, "GROUP", Some(u64::from(it.id.0)));
    line.name("Name", it.name).value("Type", it.group_type).paradigm("Paradigm", it.paradigm);
    line.value("Flags", it.group_flags);
    let count = it.members.len();
    line.field("", &format!("{count} Member{}", plural(count, "", "s")));
    line.list(&it.members, |line, &member| {
        match it.group_type {
            GroupType::LOCATIONS | GroupType::COMM_LOCATIONS => line.name("", LocationRef(member)),
            GroupType::REGIONS => wide(line, member, RegionRef),
            GroupType::METRIC => wide(line, member, MetricMemberRef),
            GroupType::COMM_GROUP if member != u64::MAX => {
                let location = names.member(it.paradigm, member);
                line.text(&format!("{member} ({location})"))
            }
            GroupType::COMM_LOCATION_GROUPS => wide(line, member, LocationGroupRef),
            _ if member == u64::MAX => line.text("UNDEFINED"),
            _ => line.number("", member),
        };
    });
    line.end();
}

/// A member of a group that has 64 bits in the file, but names something with 32.
fn wide<'l, 'a, T: Named>(
    line: &'l mut Line<'a>,
    member: u64,
    reference: fn(u32) -> T,
) -> &'l mut Line<'a> {
    match u32::try_from(member) {
        Ok(id) if id != u32::MAX => line.name("", reference(id)),
        _ if member == u64::MAX => line.text("UNDEFINED"),
        _ => line.text(&format!("INVALID <{member}>")),
    }
}

/// Appends the lines of most definitions; each function says whether it knows the definition.
struct Printer<'a> {
    out: &'a mut Vec<u8>,
    names: &'a Names,
}

impl Printer<'_> {
    /// A line of a definition with an id.
    fn line(&mut self, name: &str, id: impl Into<u64>) -> Line<'_> {
        Line::definition(self.out, self.names, name, Some(id.into()))
    }

    /// A line of a definition that adds something to another one.
    fn addition(&mut self, name: &str) -> Line<'_> {
        Line::definition(self.out, self.names, name, None)
    }

    /// Machines, processes and threads.
    fn system(&mut self, it: &Definition) -> bool {
        match it {
            Definition::SystemTreeNode(it) => {
                let mut line = self.line("SYSTEM_TREE_NODE", it.id.0);
                line.name("Name", it.name).name("Class", it.class_name).name("Parent", it.parent);
                line.end();
            }
            Definition::LocationGroup(it) => {
                let mut line = self.line("LOCATION_GROUP", it.id.0);
                line.name("Name", it.name).value("Type", it.location_group_type);
                line.name("Parent", it.system_tree_parent);
                line.name("Creator", it.creating_location_group).end();
            }
            Definition::Location(it) => {
                let mut line = self.line("LOCATION", it.id.0);
                line.name("Name", it.name).value("Type", it.location_type);
                line.number("# Events", it.number_of_events).name("Group", it.location_group);
                line.end();
            }
            Definition::SystemTreeNodeProperty(it) => {
                let mut line = self.addition("SYSTEM_TREE_NODE_PROPERTY");
                line.name("System Tree Node", it.system_tree_node).name("Name", it.name);
                line.typed(&it.value).end();
            }
            Definition::SystemTreeNodeDomain(it) => {
                let mut line = self.addition("SYSTEM_TREE_NODE_DOMAIN");
                line.name("System Tree Node", it.system_tree_node);
                line.value("Domain", it.system_tree_domain).end();
            }
            Definition::LocationGroupProperty(it) => {
                let mut line = self.addition("LOCATION_GROUP_PROPERTY");
                line.name("Location Group", it.location_group).name("Name", it.name);
                line.typed(&it.value).end();
            }
            Definition::LocationProperty(it) => {
                let mut line = self.addition("LOCATION_PROPERTY");
                line.name("Location", it.location).name("Name", it.name).typed(&it.value).end();
            }
            _ => return false,
        }
        true
    }

    /// What a program consists of.
    fn program(&mut self, it: &Definition) -> bool {
        match it {
            Definition::String(it) => {
                let shown = self.names.string(it.id).unwrap_or_default();
                self.line("STRING", it.id.0).text("\"").text(shown).text("\"").end();
            }
            Definition::Attribute(it) => {
                let mut line = self.line("ATTRIBUTE", it.id.0);
                line.name("Name", it.name).name("Description", it.description);
                line.value("Type", it.kind).end();
            }
            Definition::Region(it) => {
                let aka = self.names.of(it.canonical_name);
                let mut line = self.line("REGION", it.id.0);
                line.name("Name", it.name).text(&format!(" (Aka. {aka})"));
                line.name("Descr.", it.description).value("Role", it.region_role);
                line.paradigm("Paradigm", it.paradigm).value("Flags", it.region_flags);
                line.name("File", it.source_file).number("Begin", it.begin_line_number);
                line.number("End", it.end_line_number).end();
            }
            Definition::Callsite(it) => {
                let mut line = self.line("CALLSITE", it.id.0);
                line.name("File", it.source_file).number("Line Number", it.line_number);
                line.name("Entered Region", it.entered_region);
                line.name("Left Region", it.left_region).end();
            }
            Definition::Callpath(it) => {
                let mut line = self.line("CALLPATH", it.id.0);
                line.name("Parent", it.parent).name("Region", it.region).end();
            }
            Definition::CallpathParameter(it) => {
                let mut line = self.addition("CALLPATH_PARAMETER");
                line.name("Callpath", it.callpath).name("Parameter", it.parameter);
                line.typed(&it.value).end();
            }
            Definition::Parameter(it) => {
                let mut line = self.line("PARAMETER", it.id.0);
                line.name("Name", it.name).value("Type", it.parameter_type).end();
            }
            Definition::SourceCodeLocation(it) => {
                let mut line = self.line("SOURCE_CODE_LOCATION", it.id.0);
                line.name("File", it.file).number("Line Number", it.line_number).end();
            }
            _ => return self.sampling(it),
        }
        true
    }

    /// Samples and metrics.
    fn sampling(&mut self, it: &Definition) -> bool {
        match it {
            Definition::CallingContext(it) => {
                let mut line = self.line("CALLING_CONTEXT", it.id.0);
                line.name("Region", it.region);
                line.name("Source code location", it.source_code_location);
                line.name("Parent", it.parent).end();
            }
            Definition::CallingContextProperty(it) => {
                let mut line = self.addition("CALLING_CONTEXT_PROPERTY");
                line.name("Calling Context", it.calling_context).name("Name", it.name);
                line.typed(&it.value).end();
            }
            Definition::InterruptGenerator(it) => {
                let mut line = self.line("INTERRUPT_GENERATOR", it.id.0);
                line.name("Name", it.name).value("Mode", it.interrupt_generator_mode);
                line.value("Base", it.base).signed("Exponent", it.exponent);
                line.number("Period", it.period).end();
            }
            Definition::MetricMember(it) => {
                let known = [ValueType::UINT64, ValueType::INT64, ValueType::DOUBLE];
                let kind = match known.contains(&it.value_type) {
                    true => shown(it.value_type),
                    false => format!("INVALID <{}>", it.value_type.0),
                };
                let mut line = self.line("METRIC_MEMBER", it.id.0);
                line.name("Name", it.name).name("Descr.", it.description);
                line.value("Type", it.metric_type).value("Mode", it.metric_mode);
                line.field("Value Type", &kind).value("Base", it.base);
                line.signed("Exponent", it.exponent).name("Unit", it.unit).end();
            }
            Definition::MetricClass(it) => {
                let count = it.metric_members.len();
                let mut line = self.line("METRIC_CLASS", it.id.0);
                line.value("Occurrence", it.metric_occurrence).value("Kind", it.recorder_kind);
                line.field("", &format!("{count} Member{}", plural(count, "", "s")));
                line.list(&it.metric_members, |line, &member| {
                    line.name("", member);
                });
                line.end();
            }
            Definition::MetricInstance(it) => {
                let scope = scope(self.names, it.metric_scope, it.scope);
                let mut line = self.line("METRIC_INSTANCE", it.id.0);
                line.name("Class", it.metric_class).name("Recorder", it.recorder);
                line.value("Scope", it.metric_scope).text(" ").text(&scope).end();
            }
            Definition::MetricClassRecorder(it) => {
                let mut line = self.addition("METRIC_CLASS_RECORDER");
                line.name("Class", it.metric).name("Recorder", it.recorder).end();
            }
            _ => return false,
        }
        true
    }

    /// Communicators, windows and topologies.
    fn communication(&mut self, it: &Definition) -> bool {
        match it {
            Definition::Comm(it) => {
                let mut line = self.line("COMM", it.id.0);
                line.name("Name", it.name).name("Group", it.group).name("Parent", it.parent);
                line.value("Flags", it.flags).end();
            }
            Definition::InterComm(it) => {
                let mut line = self.line("INTER_COMM", it.id.0);
                // The one label with a small letter.
                line.name("name", it.name).name("Group A", it.group_a).name("Group B", it.group_b);
                line.name("Common Communicator", it.common_communicator);
                line.value("Flags", it.flags).end();
            }
            Definition::RmaWin(it) => {
                let mut line = self.line("RMA_WIN", it.id.0);
                line.name("Name", it.name).name("Communicator", it.comm).value("Flags", it.flags);
                line.end();
            }
            Definition::CartDimension(it) => {
                let mut line = self.line("CART_DIMENSION", it.id.0);
                line.name("Name", it.name).number("Size", it.size);
                line.value("Periodicity", it.cart_periodicity).end();
            }
            Definition::CartTopology(it) => {
                let count = it.cart_dimensions.len();
                let mut line = self.line("CART_TOPOLOGY", it.id.0);
                line.name("Name", it.name).name("Communicator", it.communicator);
                line.field("", &format!("{count} Dimension{}: (", plural(count, "", "s")));
                for (number, &dimension) in it.cart_dimensions.iter().enumerate() {
                    let name = line.names.of(dimension);
                    line.text(if number == 0 { "" } else { ", " }).text(&name);
                }
                line.text(")").end();
            }
            Definition::CartCoordinate(it) => {
                let comm = self.names.topology_comm(it.cart_topology);
                let numbers: Vec<String> = it.coordinates.iter().map(u32::to_string).collect();
                let mut line = self.addition("CART_COORDINATE");
                line.name("Cartesian Topology", it.cart_topology).rank("Rank", comm, it.rank);
                let label = plural(numbers.len(), "Coordinate", "Coordinates");
                line.field(label, &format!("({})", numbers.join(", "))).end();
            }
            _ => return false,
        }
        true
    }

    /// Files and their handles.
    fn other(&mut self, it: &Definition) {
        match it {
            Definition::IoFileProperty(it) => {
                let mut line = self.addition("IO_FILE_PROPERTY");
                line.name("File", it.io_file).name("Name", it.name).typed(&it.value).end();
            }
            Definition::IoRegularFile(it) => {
                let mut line = self.line("IO_REGULAR_FILE", it.id.0);
                line.name("Name", it.name).name("Scope", it.scope).end();
            }
            Definition::IoDirectory(it) => {
                let mut line = self.line("IO_DIRECTORY", it.id.0);
                line.name("Name", it.name).name("Scope", it.scope).end();
            }
            Definition::IoHandle(it) => {
                let mut line = self.line("IO_HANDLE", it.id.0);
                line.name("Name", it.name).name("File", it.file);
                line.name("I/O Paradigm", it.io_paradigm).value("Flags", it.io_handle_flags);
                line.name("Communicator", it.comm).name("Parent", it.parent).end();
            }
            Definition::IoPreCreatedHandleState(it) => {
                let mut line = self.addition("IO_PRE_CREATED_HANDLE_STATE");
                line.name("Handle", it.io_handle).value("Access Mode", it.mode);
                line.value("Status Flags", it.status_flags).end();
            }
            _ => {}
        }
    }
}

fn scope(names: &Names, kind: MetricScope, id: u64) -> String {
    let table = match kind {
        MetricScope::LOCATION => &names.locations,
        MetricScope::LOCATION_GROUP => &names.location_groups,
        MetricScope::SYSTEM_TREE_NODE => &names.system_tree_nodes,
        MetricScope::GROUP => &names.groups,
        _ => return if id == u64::MAX { "UNDEFINED".to_owned() } else { id.to_string() },
    };
    match id {
        u64::MAX => "UNDEFINED".to_owned(),
        _ => table.shown(id).map_or(format!("INVALID <{id}>"), str::to_owned),
    }
}

/// Appends the line of a mapping table or clock offset of a location.
pub(super) fn local(out: &mut Vec<u8>, names: &Names, location: LocationRef, it: &Definition) {
    let undefined = |id: u64| if id == u64::MAX { "UNDEFINED".to_owned() } else { id.to_string() };
    match it {
        Definition::MappingTable(it) => {
            let mut line = Line::definition(out, names, "MAPPING_TABLE", Some(location.0));
            line.value("Type", it.mapping_type);
            let text = match &it.id_map {
                IdMap::Dense(ids) => {
                    let ids: Vec<String> = ids.iter().map(|&id| undefined(id)).collect();
                    format!("[{}]", ids.join(","))
                }
                IdMap::Sparse(pairs) => {
                    let pair = |&(local, global): &_| format!("{local}=>{}", undefined(global));
                    let pairs: Vec<String> = pairs.iter().map(pair).collect();
                    format!("{{{}}}", pairs.join(","))
                }
            };
            line.field("", &text).end();
        }
        Definition::ClockOffset(it) => {
            let mut line = Line::definition(out, names, "CLOCK_OFFSET", Some(location.0));
            line.number("Time", it.time.0).field("Offset", &format!("{:+}", it.offset));
            line.field("StdDev", &general(it.standard_deviation)).end();
        }
        _ => {}
    }
}

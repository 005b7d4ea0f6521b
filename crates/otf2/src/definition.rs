//! The table of definition records, global and local.
//!
//! Numbers 5 to 8 mean something else in local files; these records have `LOCAL` added. Fields that
//! only readers of old versions look at (`region_type`, `group_type_pre12`, `string_value`) are set
//! by [`Definition::fill_old_fields`] from the newer ones, so their default will do.

use std::string::String as Text;

use crate::enums::{self, *};
use crate::field::FieldValue;
use crate::legacy;
use crate::mapping::IdMap;
use crate::record::records;
use crate::reference::*;
use crate::value::Value;
use crate::wire::{Element, Flaw, Input, Sink, Timestamp, Wire};

records! {
    /// What the ids in events and in other definitions mean.
    Definition;

    /// The common clock: ticks per second, the smallest time, the span of all times in ticks, and
    /// the wall clock at `global_offset` in nanoseconds since 1970 (all ones: not known).
    5 ClockProperties {
        timer_resolution: u64,
        global_offset: u64,
        trace_length: u64,
        @since "3.0" {
            realtime_timestamp: u64 = u64::MAX,
        }
    }
    /// Global ids of one kind by the local ids of a location.
    0x105 MappingTable {
        mapping_type: MappingType,
        id_map: IdMap,
    }
    /// Offset of a location to the common clock at a time, in ticks.
    0x106 ClockOffset {
        time: Timestamp,
        offset: i64,
        standard_deviation: f64,
    }
    /// A parallel paradigm that the program uses.
    6 Paradigm {
        paradigm: enums::Paradigm,
        name: StringRef,
        paradigm_class: ParadigmClass,
    }
    /// A property of a paradigm, for example how its unnamed communicators are called.
    7 ParadigmProperty {
        paradigm: enums::Paradigm,
        property: enums::ParadigmProperty,
        value: Value,
    }
    /// An interface for input and output.
    8 IoParadigm {
        id: IoParadigmRef,
        identification: StringRef,
        name: StringRef,
        io_paradigm_class: IoParadigmClass,
        io_paradigm_flags: IoParadigmFlag,
        properties: Vec<IoProperty>,
    }
    /// A text. Number 0 is empty by convention.
    10 String {
        id: StringRef,
        string: Text,
    }
    /// A kind of additional information for events.
    11 Attribute {
        id: AttributeRef,
        name: StringRef,
        kind: ValueType,
        @since "1.4" {
            description: StringRef = StringRef::UNDEFINED,
        }
    }
    /// A machine, a node, a socket, ...
    12 SystemTreeNode {
        id: SystemTreeNodeRef,
        name: StringRef,
        class_name: StringRef,
        parent: SystemTreeNodeRef,
    }
    /// A process, or an accelerator context.
    13 LocationGroup {
        id: LocationGroupRef,
        name: StringRef,
        location_group_type: LocationGroupType,
        system_tree_parent: SystemTreeNodeRef,
        @since "3.0" {
            creating_location_group: LocationGroupRef = LocationGroupRef::UNDEFINED,
        }
    }
    /// A thread, a stream of an accelerator, or a recorder of metrics.
    14 Location {
        id: LocationRef,
        name: StringRef,
        location_type: LocationType,
        number_of_events: u64,
        location_group: LocationGroupRef,
    }
    /// A function, a construct, a loop: a piece of code with a name and lines.
    15 Region {
        id: RegionRef,
        name: StringRef,
        description: StringRef,
        region_type: RegionType,
        source_file: StringRef,
        begin_line_number: u32,
        end_line_number: u32,
        @since "1.1" {
            canonical_name: StringRef = *name,
            region_role: RegionRole = legacy::role(*region_type),
            paradigm: enums::Paradigm = legacy::paradigm(*region_type),
            region_flags: RegionFlag = legacy::flags(*region_type),
        }
    }
    /// A place where a region is left for another one.
    16 Callsite {
        id: CallsiteRef,
        source_file: StringRef,
        line_number: u32,
        entered_region: RegionRef,
        left_region: RegionRef,
    }
    /// A region in a path of calls.
    17 Callpath {
        id: CallpathRef,
        parent: CallpathRef,
        region: RegionRef,
    }
    /// A list of locations, of ranks (indices into the group of all locations of the paradigm), or
    /// of regions.
    18 Group {
        id: GroupRef,
        name: StringRef,
        group_type_pre12: GroupTypePre12,
        members: Vec<u64>,
        @since "1.2" {
            group_type: GroupType = legacy::group_type(*group_type_pre12),
            paradigm: enums::Paradigm = legacy::group_paradigm(*group_type_pre12),
            group_flags: GroupFlag = GroupFlag::NONE,
        }
    }
    /// A metric: its value is the recorded number * `base` ^ `exponent` in `unit`.
    19 MetricMember {
        id: MetricMemberRef,
        name: StringRef,
        description: StringRef,
        metric_type: MetricType,
        metric_mode: MetricMode,
        value_type: ValueType,
        base: Base,
        exponent: i64,
        unit: StringRef,
    }
    /// Metrics that are recorded together.
    20 MetricClass {
        id: MetricRef,
        metric_members: Vec<MetricMemberRef>,
        metric_occurrence: MetricOccurrence,
        @since "1.2" {
            recorder_kind: RecorderKind = RecorderKind::UNKNOWN,
        }
    }
    /// A metric class as recorded by one location for a scope.
    21 MetricInstance {
        id: MetricRef,
        metric_class: MetricRef,
        recorder: LocationRef,
        metric_scope: MetricScope,
        scope: u64,
    }
    /// A communicator, a window's group, or a team of threads.
    22 Comm {
        id: CommRef,
        name: StringRef,
        group: GroupRef,
        parent: CommRef,
        @since "3.0" {
            flags: CommFlag = CommFlag::NONE,
        }
    }
    /// A parameter of user regions.
    23 Parameter {
        id: ParameterRef,
        name: StringRef,
        parameter_type: ParameterType,
    }
    /// A window of remote memory access.
    24 RmaWin {
        id: RmaWinRef,
        name: StringRef,
        comm: CommRef,
        @since "3.0" {
            flags: RmaWinFlag = RmaWinFlag::CREATE_DESTROY_EVENTS,
        }
    }
    /// A location that records a metric class.
    25 MetricClassRecorder {
        metric: MetricRef,
        recorder: LocationRef,
    }
    /// A property of a node of the system tree.
    26 SystemTreeNodeProperty {
        system_tree_node: SystemTreeNodeRef,
        name: StringRef,
        string_value: StringRef,
        @since "2.0" {
            value: Value = Value::String(*string_value),
        }
    }
    /// What kind of hardware a node of the system tree is.
    27 SystemTreeNodeDomain {
        system_tree_node: SystemTreeNodeRef,
        system_tree_domain: SystemTreeDomain,
    }
    /// A property of a location group.
    28 LocationGroupProperty {
        location_group: LocationGroupRef,
        name: StringRef,
        string_value: StringRef,
        @since "2.0" {
            value: Value = Value::String(*string_value),
        }
    }
    /// A property of a location.
    29 LocationProperty {
        location: LocationRef,
        name: StringRef,
        string_value: StringRef,
        @since "2.0" {
            value: Value = Value::String(*string_value),
        }
    }
    /// A dimension of a topology.
    30 CartDimension {
        id: CartDimensionRef,
        name: StringRef,
        size: u32,
        cart_periodicity: CartPeriodicity,
    }
    /// A Cartesian topology over a communicator.
    31 CartTopology {
        id: CartTopologyRef,
        name: StringRef,
        communicator: CommRef,
        cart_dimensions: Vec<CartDimensionRef>,
    }
    /// Where a rank stands in a topology.
    32 CartCoordinate {
        cart_topology: CartTopologyRef,
        rank: u32,
        coordinates: Vec<u32>,
    }
    /// A line of source code.
    33 SourceCodeLocation {
        id: SourceCodeLocationRef,
        file: StringRef,
        line_number: u32,
    }
    /// A region in a path of calls, with the line of the call.
    34 CallingContext {
        id: CallingContextRef,
        region: RegionRef,
        source_code_location: SourceCodeLocationRef,
        parent: CallingContextRef,
    }
    /// A property of a calling context.
    35 CallingContextProperty {
        calling_context: CallingContextRef,
        name: StringRef,
        value: Value,
    }
    /// What triggers samples, and how often.
    36 InterruptGenerator {
        id: InterruptGeneratorRef,
        name: StringRef,
        interrupt_generator_mode: InterruptGeneratorMode,
        base: Base,
        exponent: i64,
        period: u64,
    }
    /// A property of a file.
    37 IoFileProperty {
        io_file: IoFileRef,
        name: StringRef,
        value: Value,
    }
    /// A file.
    38 IoRegularFile {
        id: IoFileRef,
        name: StringRef,
        scope: SystemTreeNodeRef,
    }
    /// A directory.
    39 IoDirectory {
        id: IoFileRef,
        name: StringRef,
        scope: SystemTreeNodeRef,
    }
    /// A handle of an open file.
    40 IoHandle {
        id: IoHandleRef,
        name: StringRef,
        file: IoFileRef,
        io_paradigm: IoParadigmRef,
        io_handle_flags: IoHandleFlag,
        comm: CommRef,
        parent: IoHandleRef,
    }
    /// State of a handle that was open before the program began, such as standard output.
    41 IoPreCreatedHandleState {
        io_handle: IoHandleRef,
        mode: IoAccessMode,
        status_flags: IoStatusFlag,
    }
    /// The value of a parameter in a call path.
    42 CallpathParameter {
        callpath: CallpathRef,
        parameter: ParameterRef,
        value: Value,
    }
    /// A communicator between two groups.
    43 InterComm {
        id: CommRef,
        name: StringRef,
        group_a: GroupRef,
        group_b: GroupRef,
        common_communicator: CommRef,
        flags: CommFlag,
    }
}

impl Definition {
    /// Sets the fields that only readers of old versions look at from the ones of today.
    pub(crate) fn fill_old_fields(&mut self) {
        let text = |value: &Value| match value {
            Value::String(string) => *string,
            _ => StringRef::UNDEFINED,
        };
        match self {
            Definition::Region(it) => {
                it.region_type = legacy::region_type(it.paradigm, it.region_role, it.region_flags);
            }
            Definition::Group(it) => {
                it.group_type_pre12 =
                    legacy::group_type_pre12(it.group_type, it.paradigm, it.group_flags);
            }
            Definition::SystemTreeNodeProperty(it) => it.string_value = text(&it.value),
            Definition::LocationGroupProperty(it) => it.string_value = text(&it.value),
            Definition::LocationProperty(it) => it.string_value = text(&it.value),
            _ => {}
        }
    }

    /// The values in the record that have a type of their own.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Value> {
        let one = match self {
            Definition::ParadigmProperty(it) => Some(&it.value),
            Definition::SystemTreeNodeProperty(it) => Some(&it.value),
            Definition::LocationGroupProperty(it) => Some(&it.value),
            Definition::LocationProperty(it) => Some(&it.value),
            Definition::CallingContextProperty(it) => Some(&it.value),
            Definition::IoFileProperty(it) => Some(&it.value),
            Definition::CallpathParameter(it) => Some(&it.value),
            _ => None,
        };
        let several = match self {
            Definition::IoParadigm(it) => it.properties.as_slice(),
            _ => &[],
        };
        one.into_iter().chain(several.iter().map(|property| &property.value))
    }
}

/// A property of an I/O paradigm.
#[derive(Clone, Debug, PartialEq)]
pub struct IoProperty {
    /// Which property.
    pub property: IoParadigmProperty,
    /// Its value.
    pub value: Value,
}

impl Wire for IoProperty {
    fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
        Ok(IoProperty { property: Wire::read(input)?, value: Wire::read(input)? })
    }
    fn write(&self, sink: &mut Sink) {
        self.property.write(sink);
        self.value.write(sink);
    }
    fn max_bytes(&self) -> usize {
        self.property.max_bytes() + self.value.max_bytes()
    }
    fn show(&self) -> FieldValue<'_> {
        FieldValue::Group(vec![self.property.show(), self.value.show()])
    }
}

impl Element for IoProperty {
    const LONG: bool = false;
    const LEAST_BYTES: usize = 3;
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

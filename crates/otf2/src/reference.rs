//! Ids of definitions, one type per kind, so that a region cannot stand where a string belongs.
//!
//! Metric classes and instances share their ids, as do communicators and inter-communicators, and
//! regular files and directories.

use std::fmt;

use crate::enums::MappingType;
use crate::field::FieldValue;
use crate::mapping::Mappings;
use crate::wire::{Element, Flaw, Input, Sink, Wire};

macro_rules! references {
    ($( $(#[$doc:meta])* $name:ident ( $int:ident ) $to:literal $($mapping:ident)? ; )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub $int);

        impl $name {
            /// The reference to nothing.
            pub const UNDEFINED: $name = $name($int::MAX);

            /// Refers to nothing.
            pub const fn is_undefined(self) -> bool {
                self.0 == $int::MAX
            }
        }

        impl Default for $name {
            fn default() -> $name {
                $name::UNDEFINED
            }
        }

        impl From<$int> for $name {
            fn from(id: $int) -> $name {
                $name(id)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                if self.is_undefined() { f.write_str("-") } else { self.0.fmt(f) }
            }
        }

        impl Wire for $name {
            #[inline]
            fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
                $int::read(input).map($name)
            }
            fn write(&self, sink: &mut Sink) {
                self.0.write(sink);
            }
            fn max_bytes(&self) -> usize {
                self.0.max_bytes()
            }
            fn show(&self) -> FieldValue<'_> {
                let id = (!self.is_undefined()).then_some(u64::from(self.0));
                FieldValue::Reference { to: $to, id }
            }
            $(
                #[inline]
                fn map(&mut self, mappings: &Mappings) {
                    // An undefined 64-bit id becomes an undefined id of any width.
                    self.0 = mappings.global(MappingType::$mapping.0, u64::from(self.0)) as $int;
                }
            )?
        }
    )* };
}

references! {
    /// A string.
    StringRef(u32) "String" STRING;
    /// An attribute.
    AttributeRef(u32) "Attribute" ATTRIBUTE;
    /// A node of the system tree.
    SystemTreeNodeRef(u32) "SystemTreeNode";
    /// A group of locations, mostly a process.
    LocationGroupRef(u32) "LocationGroup" LOCATION_GROUP;
    /// A location, mostly a thread: any number, not only small ones.
    LocationRef(u64) "Location" LOCATION;
    /// A region.
    RegionRef(u32) "Region" REGION;
    /// A call site.
    CallsiteRef(u32) "Callsite";
    /// A call path.
    CallpathRef(u32) "Callpath";
    /// A group of locations, regions or ranks.
    GroupRef(u32) "Group" GROUP;
    /// A member of metric classes.
    MetricMemberRef(u32) "MetricMember";
    /// A metric class or instance.
    MetricRef(u32) "Metric" METRIC;
    /// A communicator, a thread team, or an inter-communicator.
    CommRef(u32) "Comm" COMM;
    /// A parameter.
    ParameterRef(u32) "Parameter" PARAMETER;
    /// A window of remote memory access.
    RmaWinRef(u32) "RmaWin" RMA_WIN;
    /// A dimension of a Cartesian topology.
    CartDimensionRef(u32) "CartDimension";
    /// A Cartesian topology.
    CartTopologyRef(u32) "CartTopology";
    /// A line of source code.
    SourceCodeLocationRef(u32) "SourceCodeLocation" SOURCE_CODE_LOCATION;
    /// A calling context.
    CallingContextRef(u32) "CallingContext" CALLING_CONTEXT;
    /// A source of sampling interrupts.
    InterruptGeneratorRef(u32) "InterruptGenerator" INTERRUPT_GENERATOR;
    /// An I/O paradigm.
    IoParadigmRef(u8) "IoParadigm";
    /// A regular file or directory.
    IoFileRef(u32) "IoFile" IO_FILE;
    /// A handle of an open file.
    IoHandleRef(u32) "IoHandle" IO_HANDLE;
    /// A kind of markers.
    MarkerRef(u32) "DefMarker";
}

impl Element for StringRef {
    const LONG: bool = true;
    const LEAST_BYTES: usize = 1;
}

impl Element for MetricMemberRef {
    const LONG: bool = false;
    const LEAST_BYTES: usize = 1;
}

impl Element for CartDimensionRef {
    const LONG: bool = false;
    const LEAST_BYTES: usize = 1;
}

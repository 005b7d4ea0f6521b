//! Values with a type of their own: in attribute lists, in properties, in metric events.

use crate::encode::MetricValue;
use crate::enums::ValueType;
use crate::field::FieldValue;
use crate::mapping::Mappings;
use crate::reference::*;
use crate::wire::{Element, Flaw, Input, Sink, Wire};

macro_rules! values {
    ($( $(#[$doc:meta])* $kind:ident $variant:ident ( $ty:ty ) ; )*) => {
        /// A number or an id of a definition, together with its type.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Value {
            $( $(#[$doc])* $variant($ty), )*
            /// A type that this crate does not know: by the rules of the format, an id.
            Other {
                /// The type.
                kind: ValueType,
                /// The number in the file.
                bits: u64,
            },
        }

        impl Value {
            /// The type of the value.
            pub fn kind(&self) -> ValueType {
                match self {
                    $( Value::$variant(_) => ValueType::$kind, )*
                    Value::Other { kind, .. } => *kind,
                }
            }

            /// Reads a value whose type stands before it.
            fn read_as(kind: ValueType, input: &mut Input<'_>) -> Result<Value, Flaw> {
                Ok(match kind {
                    $( ValueType::$kind => Value::$variant(Wire::read(input)?), )*
                    _ => Value::Other { kind, bits: Wire::read(input)? },
                })
            }

            fn write_untyped(&self, sink: &mut Sink) {
                match self {
                    $( Value::$variant(value) => value.write(sink), )*
                    Value::Other { bits, .. } => bits.write(sink),
                }
            }

            /// Bytes of type and value in a file.
            pub(crate) fn written_bytes(&self) -> usize {
                let mut sink = Sink::new(crate::chunk::Endian::Little);
                self.write(&mut sink);
                sink.bytes.len()
            }

            /// The value without its type, for people and for other formats.
            pub fn to_field(&self) -> FieldValue<'_> {
                match self {
                    $( Value::$variant(value) => value.show(), )*
                    Value::Other { bits, .. } => bits.show(),
                }
            }

            fn map_untyped(&mut self, mappings: &Mappings) {
                match self {
                    $( Value::$variant(value) => value.map(mappings), )*
                    Value::Other { .. } => {}
                }
            }
        }

        $(
            impl From<$ty> for Value {
                fn from(value: $ty) -> Value {
                    Value::$variant(value)
                }
            }
        )*
    };
}

values! {
    /// One byte, no sign.
    UINT8 U8(u8);
    /// Two bytes, no sign.
    UINT16 U16(u16);
    /// Four bytes, no sign.
    UINT32 U32(u32);
    /// Eight bytes, no sign.
    UINT64 U64(u64);
    /// One byte.
    INT8 I8(i8);
    /// Two bytes.
    INT16 I16(i16);
    /// Four bytes.
    INT32 I32(i32);
    /// Eight bytes.
    INT64 I64(i64);
    /// Single precision.
    FLOAT F32(f32);
    /// Double precision.
    DOUBLE F64(f64);
    /// A string.
    STRING String(StringRef);
    /// An attribute.
    ATTRIBUTE Attribute(AttributeRef);
    /// A location.
    LOCATION Location(LocationRef);
    /// A region.
    REGION Region(RegionRef);
    /// A group.
    GROUP Group(GroupRef);
    /// A metric class or instance.
    METRIC Metric(MetricRef);
    /// A communicator.
    COMM Comm(CommRef);
    /// A parameter.
    PARAMETER Parameter(ParameterRef);
    /// A window of remote memory access.
    RMA_WIN RmaWin(RmaWinRef);
    /// A line of source code.
    SOURCE_CODE_LOCATION SourceCodeLocation(SourceCodeLocationRef);
    /// A calling context.
    CALLING_CONTEXT CallingContext(CallingContextRef);
    /// A source of interrupts.
    INTERRUPT_GENERATOR InterruptGenerator(InterruptGeneratorRef);
    /// A file or directory.
    IO_FILE IoFile(IoFileRef);
    /// An I/O handle.
    IO_HANDLE IoHandle(IoHandleRef);
    /// A group of locations.
    LOCATION_GROUP LocationGroup(LocationGroupRef);
}

impl Default for Value {
    fn default() -> Value {
        Value::U64(0)
    }
}

/// In a record, the byte of the type stands directly before the value.
impl Wire for Value {
    fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
        let kind = ValueType::read(input)?;
        Value::read_as(kind, input)
    }
    fn write(&self, sink: &mut Sink) {
        self.kind().write(sink);
        self.write_untyped(sink);
    }
    fn max_bytes(&self) -> usize {
        1 + 9
    }
    fn show(&self) -> FieldValue<'_> {
        let kind = self.kind();
        FieldValue::Typed { kind: kind.0, name: kind.to_string(), value: Box::new(self.to_field()) }
    }
    fn map(&mut self, mappings: &Mappings) {
        self.map_untyped(mappings);
    }
}

/// One entry of the attribute list in front of an event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AttributeValue {
    /// The attribute; its definition says what the value means.
    pub attribute: AttributeRef,
    /// The value, whose type may differ from the one in the definition.
    pub value: Value,
}

impl AttributeValue {
    /// Attribute, and value with its type, for people and for other formats.
    pub fn to_field(&self) -> FieldValue<'_> {
        self.show()
    }
}

/// Upper bound of an entry, as the reference library reckons.
pub(crate) const ATTRIBUTE_VALUE_BYTES: usize = 15;

impl Wire for AttributeValue {
    fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
        Ok(AttributeValue { attribute: Wire::read(input)?, value: Wire::read(input)? })
    }
    fn write(&self, sink: &mut Sink) {
        self.attribute.write(sink);
        self.value.write(sink);
    }
    fn max_bytes(&self) -> usize {
        ATTRIBUTE_VALUE_BYTES
    }
    fn show(&self) -> FieldValue<'_> {
        FieldValue::Group(vec![self.attribute.show(), self.value.show()])
    }
    fn map(&mut self, mappings: &Mappings) {
        self.attribute.map(mappings);
        self.value.map(mappings);
    }
}

impl Element for AttributeValue {
    const LONG: bool = true;
    const LEAST_BYTES: usize = 3;
}

/// Metric values are 64 bits of whatever type, compressed as a number without sign.
impl Wire for MetricValue {
    fn read(input: &mut Input<'_>) -> Result<Self, Flaw> {
        let kind = input.u8()?;
        Ok(MetricValue::from_bits(kind, input.compressed(8)?))
    }
    fn write(&self, sink: &mut Sink) {
        let (kind, bits) = self.to_bits();
        sink.u8(kind);
        bits.write(sink);
    }
    fn max_bytes(&self) -> usize {
        1 + 9
    }
    fn show(&self) -> FieldValue<'_> {
        let (kind, _) = self.to_bits();
        let value = match *self {
            MetricValue::U64(value) | MetricValue::Other { bits: value, .. } => {
                FieldValue::Unsigned(value)
            }
            MetricValue::I64(value) => FieldValue::Signed(value),
            MetricValue::F64(value) => FieldValue::Float(value),
        };
        FieldValue::Typed { kind, name: ValueType(kind).to_string(), value: Box::new(value) }
    }
}

impl Element for MetricValue {
    const LONG: bool = false;
    const LEAST_BYTES: usize = 2;
}

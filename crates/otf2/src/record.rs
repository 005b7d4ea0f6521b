//! The macro behind the record tables: from one list of ids, names and fields come the types, the
//! reader, the writer, the mapping of ids and the list of fields for people.
//!
//! To add a record: one entry in `event.rs`, `definition.rs`, `snapshot.rs`, `marker.rs` or
//! `thumbnail.rs`. Fields stand in file order; those behind `@since` came in a later version of
//! the format and have the given value in older files; it may refer to the fields before.

use crate::field::FieldValue;
use crate::wire::{Flaw, Input, Sink};

/// Ids of local definitions that mean something else in global ones; the file has the low byte.
pub(crate) const LOCAL: u16 = 0x100;

/// A record that this crate has no name for, kept as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnknownRecord {
    /// Its number in the file.
    pub id: u8,
    /// Its fields, in the byte order of its file.
    pub payload: Vec<u8>,
}

/// A table of records, for readers that do not care which.
pub(crate) trait Family: Sized {
    /// The record with this key, with default fields.
    fn blank(key: u16) -> Self;
    /// Reads fields in the place of those that are there, whose memory is used again.
    fn read_fields(&mut self, input: &mut Input<'_>) -> Result<(), Flaw>;
    /// Reads the fields of the record with this key.
    fn read(key: u16, input: &mut Input<'_>) -> Result<Self, Flaw> {
        let mut record = Self::blank(key);
        record.read_fields(input)?;
        Ok(record)
    }
    /// Name of the record with this key.
    fn name_of(key: u16) -> &'static str;
    /// Number of the record in the file, plus [`LOCAL`] for some local definitions.
    fn key(&self) -> u16;
    /// Writes the fields, without id and length.
    fn write_fields(&self, sink: &mut Sink);
}

/// Called with the name and the value of each field of a record, in file order.
pub type FieldVisitor<'v> = dyn FnMut(&'static str, FieldValue<'_>) + 'v;

/// Defines an enum of records and one struct per record.
macro_rules! records {
    (
        $(#[$family_doc:meta])* $family:ident;
        $(
            $(#[$doc:meta])*
            $id:literal $name:ident {
                $( $field:ident : $ty:ty, )*
                $( @since $since:literal { $( $later:ident : $later_ty:ty = $default:expr, )* } )?
            }
        )*
    ) => {
        $(
            $(#[$doc])*
            #[allow(missing_docs, reason = "name and type of a field say what it is")]
            #[derive(Clone, Debug, Default, PartialEq)]
            pub struct $name {
                $( pub $field: $ty, )*
                $($( pub $later: $later_ty, )*)?
            }

            impl From<$name> for $family {
                fn from(record: $name) -> $family {
                    $family::$name(record)
                }
            }
        )*

        $(#[$family_doc])*
        #[non_exhaustive]
        #[derive(Clone, Debug, PartialEq)]
        pub enum $family {
            $( $(#[$doc])* $name($name), )*
            /// A record of a later version of the format.
            Unknown($crate::record::UnknownRecord),
        }

        impl $family {
            /// Name of the record in OTF2; `Unknown` for records of later versions.
            pub fn name(&self) -> &'static str {
                match self {
                    $( $family::$name(_) => stringify!($name), )*
                    $family::Unknown(_) => "Unknown",
                }
            }

            /// Upper bound of the bytes of the fields.
            #[allow(dead_code, reason = "only some families need it")]
            pub(crate) fn max_bytes(&self) -> usize {
                use $crate::wire::Wire as _;
                match self {
                    $(
                        $family::$name(_record) => {
                            0 $( + _record.$field.max_bytes() )*
                              $($( + _record.$later.max_bytes() )*)?
                        }
                    )*
                    $family::Unknown(record) => record.payload.len(),
                }
            }

            /// Replaces the ids of a location by global ones.
            #[allow(dead_code, reason = "definitions are not mapped")]
            pub(crate) fn map(&mut self, _mappings: &$crate::mapping::Mappings) {
                use $crate::wire::Wire as _;
                match self {
                    $(
                        $family::$name(_record) => {
                            $( _record.$field.map(_mappings); )*
                            $($( _record.$later.map(_mappings); )*)?
                        }
                    )*
                    $family::Unknown(_) => {}
                }
            }

            /// Calls `visit` with each field in file order.
            pub fn fields(&self, visit: &mut $crate::record::FieldVisitor<'_>) {
                use $crate::wire::Wire as _;
                match self {
                    $(
                        $family::$name(_record) => {
                            $( visit(stringify!($field), _record.$field.show()); )*
                            $($( visit(stringify!($later), _record.$later.show()); )*)?
                        }
                    )*
                    $family::Unknown(record) => {
                        use $crate::field::FieldValue::Unsigned;
                        visit("id", Unsigned(u64::from(record.id)));
                        visit("bytes", Unsigned(record.payload.len() as u64));
                    }
                }
            }

            /// One record of each type with default fields, for tests over all of them.
            #[cfg(test)]
            pub(crate) fn one_of_each() -> Vec<$family> {
                vec![$( $name::default().into(), )*]
            }
        }

        impl $crate::record::Family for $family {
            #[inline]
            fn blank(key: u16) -> $family {
                match key {
                    $( $id => $family::$name($name::default()), )*
                    _ => $family::Unknown($crate::record::UnknownRecord {
                        id: key as u8,
                        payload: Vec::new(),
                    }),
                }
            }

            // What the record holds beyond the fields comes from a later version.
            #[inline]
            fn read_fields(
                &mut self,
                _input: &mut $crate::wire::Input<'_>,
            ) -> Result<(), $crate::wire::Flaw> {
                use $crate::wire::Wire as _;
                match self {
                    $(
                        $family::$name(_record) => {
                            $(
                                _record.$field.read_over(_input)
                                    .map_err(|flaw| flaw.in_field(stringify!($field)))?;
                            )*
                            $(
                                #[allow(unused_variables, reason = "for the defaults of later ones")]
                                let $field = &_record.$field;
                            )*
                            $(
                                let older = _input.rest.is_empty();
                                $(
                                    _record.$later = if older { $default } else {
                                        <$later_ty>::read(_input)
                                            .map_err(|flaw| flaw.in_field(stringify!($later)))?
                                    };
                                )*
                            )?
                        }
                    )*
                    $family::Unknown(record) => {
                        record.payload = std::mem::take(&mut _input.rest).to_vec();
                    }
                }
                Ok(())
            }

            fn key(&self) -> u16 {
                match self {
                    $( $family::$name(_) => $id, )*
                    $family::Unknown(record) => u16::from(record.id),
                }
            }

            fn write_fields(&self, sink: &mut $crate::wire::Sink) {
                use $crate::wire::Wire as _;
                match self {
                    $(
                        $family::$name(_record) => {
                            $( _record.$field.write(sink); )*
                            $($( _record.$later.write(sink); )*)?
                        }
                    )*
                    $family::Unknown(record) => sink.bytes.extend(&record.payload),
                }
            }

            fn name_of(key: u16) -> &'static str {
                match key {
                    $( $id => stringify!($name), )*
                    _ => "Unknown",
                }
            }
        }

        /// `Name field=value field=value`
        impl std::fmt::Display for $family {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())?;
                let mut result = Ok(());
                self.fields(&mut |name, value| {
                    if result.is_ok() {
                        result = write!(f, " {name}={value}");
                    }
                });
                result
            }
        }
    };
}

pub(crate) use records;

//! What the table of records (`record.rs`) becomes: a type for each kind, and the enumeration of
//! all of them with its reader, its writer and its text.

macro_rules! records {
    ($(
        $(#[$doc:meta])*
        $number:literal $name:ident $shown:literal { $( $field:ident : $type:ty, )* }
    )*) => {
        $(
            $(#[$doc])*
            #[allow(missing_docs, reason = "name and type of a field say what it is")]
            #[derive(Clone, Debug, PartialEq)]
            pub struct $name {
                $( pub $field: $type, )*
            }

            impl From<$name> for Record {
                fn from(record: $name) -> Record {
                    Record::$name(record)
                }
            }
        )*

        /// A record: a definition, an attribute of the event after it, or an event.
        #[derive(Clone, Debug, PartialEq)]
        pub enum Record {
            $( $(#[$doc])* $name($name), )*
            /// A record of a later version, with the bytes of its body.
            #[allow(missing_docs, reason = "number and bytes of the record")]
            Unknown { number: u8, bytes: Vec<u8> },
        }

        impl Record {
            /// The number of its kind in the file.
            pub fn number(&self) -> u8 {
                match self {
                    $( Record::$name(_) => $number, )*
                    Record::Unknown { number, .. } => *number,
                }
            }

            /// The name of its kind.
            pub fn name(&self) -> &'static str {
                name_of(self.number())
            }

            /// The location and the time in seconds of an event; `None` for other records.
            pub fn at(&self) -> Option<(Location, f64)> {
                match self {
                    $( Record::$name(_record) => {
                        let _at: Option<(Location, f64)> = None;
                        $( records!(@at $field _record _at); )*
                        _at
                    } )*
                    Record::Unknown { .. } => None,
                }
            }

            /// The same places, to change them.
            pub fn at_mut(&mut self) -> Option<(&mut Location, &mut f64)> {
                match self {
                    $( Record::$name(_record) => {
                        let _at: Option<(&mut Location, &mut f64)> = None;
                        $( records!(@at_mut $field _record _at); )*
                        _at
                    } )*
                    Record::Unknown { .. } => None,
                }
            }

            pub(crate) fn read(number: u8, input: &mut Input<'_>) -> Result<Record, Flaw> {
                match number {
                    $( $number => {
                        let least: usize =
                            0 $( + <$type as Field>::least_bytes(input.metrics) )*;
                        let is_without = number >= FIRST_EVENT && input.rest.len() + 4 == least;
                        input.has_location = !is_without;
                        Ok(Record::$name($name {
                            $(
                                $field: Field::read(input)
                                    .map_err(|flaw| flaw.in_field(stringify!($field)))?,
                            )*
                        }))
                    } )*
                    _ => Ok(Record::Unknown { number, bytes: input.all().to_vec() }),
                }
            }

            pub(crate) fn write(&self, _output: &mut Output) {
                match self {
                    $( Record::$name(_record) => { $( _record.$field.write(_output); )* } )*
                    Record::Unknown { bytes, .. } => _output.bytes.extend(bytes),
                }
            }
        }

        /// The name of a kind of records.
        pub(crate) fn name_of(number: u8) -> &'static str {
            match number {
                $( $number => $shown, )*
                _ => "UNKNOWN",
            }
        }

        /// `NAME field=value field=value`
        impl fmt::Display for Record {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())?;
                match self {
                    $( Record::$name(_record) => {
                        $( if let Some(value) = _record.$field.show() {
                            write!(f, " {}={value}", stringify!($field))?;
                        } )*
                        Ok(())
                    } )*
                    Record::Unknown { number, bytes } => {
                        write!(f, " number={number} bytes={}", bytes.len())
                    }
                }
            }
        }
    };
    // Whatever has a time has a location, too.
    (@at time_s $record:ident $at:ident) => {
        let $at = Some(($record.location, $record.time_s));
    };
    (@at $field:ident $record:ident $at:ident) => {};
    (@at_mut time_s $record:ident $at:ident) => {
        let $at = Some((&mut $record.location, &mut $record.time_s));
    };
    (@at_mut $field:ident $record:ident $at:ident) => {};
}

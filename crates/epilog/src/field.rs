//! Types of fields: how each is read, written and shown.

use std::fmt::Display;

use crate::wire::{Flaw, Input, Output};

/// A type of fields.
pub(crate) trait Field: Sized {
    /// Least bytes of the field, in events of a file with this number of metrics.
    fn least_bytes(metrics: usize) -> usize;
    /// Reads the field.
    fn read(input: &mut Input<'_>) -> Result<Self, Flaw>;
    /// Writes the field.
    fn write(&self, output: &mut Output);
    /// The field as text; `None` if the record does not have it.
    fn show(&self) -> Option<String>;
}

macro_rules! numbers {
    ($($type:ident $bytes:literal)*) => { $(
        impl Field for $type {
            fn least_bytes(_: usize) -> usize {
                $bytes
            }
            fn read(input: &mut Input<'_>) -> Result<$type, Flaw> {
                input.$type()
            }
            fn write(&self, output: &mut Output) {
                output.$type(*self);
            }
            fn show(&self) -> Option<String> {
                Some(self.to_string())
            }
        }
    )* };
}

numbers! { u8 1 u32 4 u64 8 }

impl Field for f64 {
    fn least_bytes(_: usize) -> usize {
        8
    }
    fn read(input: &mut Input<'_>) -> Result<f64, Flaw> {
        input.u64().map(f64::from_bits)
    }
    fn write(&self, output: &mut Output) {
        output.u64(self.to_bits());
    }
    fn show(&self) -> Option<String> {
        Some(format!("{self:?}"))
    }
}

/// A field that later versions have, or that some writers leave out.
impl<T: Field> Field for Option<T> {
    fn least_bytes(_: usize) -> usize {
        0
    }
    fn read(input: &mut Input<'_>) -> Result<Option<T>, Flaw> {
        let before = input.rest.len();
        if before == 0 {
            return Ok(None);
        }
        let value = T::read(input)?;
        // A list of nothing is as good as none: both have no bytes.
        Ok((input.rest.len() < before).then_some(value))
    }
    fn write(&self, output: &mut Output) {
        if let Some(value) = self {
            value.write(output);
        }
    }
    fn show(&self) -> Option<String> {
        self.as_ref().and_then(T::show)
    }
}

/// The location of an event. Events in a file of one process may have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Location(pub Option<u32>);

impl From<u32> for Location {
    fn from(id: u32) -> Location {
        Location(Some(id))
    }
}

impl Field for Location {
    fn least_bytes(_: usize) -> usize {
        4
    }
    fn read(input: &mut Input<'_>) -> Result<Location, Flaw> {
        Ok(Location(if input.has_location { Some(input.u32()?) } else { None }))
    }
    fn write(&self, output: &mut Output) {
        self.0.write(output);
    }
    fn show(&self) -> Option<String> {
        self.0.show()
    }
}

/// An unused byte that files have since version 1.3; 0 in older ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mode(pub u8);

impl Mode {
    /// Whether files of this minor version have the byte.
    pub(crate) fn exists(minor: u8) -> bool {
        minor >= 3
    }
}

impl Field for Mode {
    fn least_bytes(_: usize) -> usize {
        0
    }
    fn read(input: &mut Input<'_>) -> Result<Mode, Flaw> {
        Ok(Mode(if Mode::exists(input.minor) { input.u8()? } else { 0 }))
    }
    fn write(&self, output: &mut Output) {
        output.u8(self.0);
    }
    fn show(&self) -> Option<String> {
        Some(self.0.to_string())
    }
}

/// A text to the end of the record, with a zero after it. Before it stands the number of further
/// records that the text goes on in, which `long.rs` has put together with the first one.
///
/// Bytes that are no UTF-8 become the replacement character.
impl Field for String {
    fn least_bytes(_: usize) -> usize {
        2
    }
    fn read(input: &mut Input<'_>) -> Result<String, Flaw> {
        input.u8()?;
        let flaw = input.flaw("a text with a zero after it");
        let bytes = input.all();
        let end = bytes.iter().position(|byte| *byte == 0).ok_or(flaw)?;
        Ok(String::from_utf8_lossy(&bytes[..end]).into_owned())
    }
    fn write(&self, output: &mut Output) {
        output.u8(0);
        // A zero would end the text.
        output.bytes.extend(self.bytes().map(|byte| if byte == 0 { b' ' } else { byte }));
        output.u8(0);
    }
    fn show(&self) -> Option<String> {
        Some(format!("{self:?}"))
    }
}

/// A value for each metric, in the order of their definitions.
impl Field for Vec<u64> {
    fn least_bytes(metrics: usize) -> usize {
        8 * metrics
    }
    fn read(input: &mut Input<'_>) -> Result<Vec<u64>, Flaw> {
        (0..input.metrics).map(|_| input.u64()).collect()
    }
    fn write(&self, output: &mut Output) {
        self.iter().for_each(|value| output.u64(*value));
    }
    fn show(&self) -> Option<String> {
        Some(list(self))
    }
}

macro_rules! counts {
    ($( $(#[$doc:meta])* $name:ident $type:ident $bytes:literal )*) => { $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name(pub $type);

        impl Field for $name {
            fn least_bytes(_: usize) -> usize {
                $bytes
            }
            fn read(input: &mut Input<'_>) -> Result<$name, Flaw> {
                let number = input.$type()?;
                input.elements = number as usize;
                Ok($name(number))
            }
            fn write(&self, output: &mut Output) {
                output.$type(self.0);
            }
            fn show(&self) -> Option<String> {
                Some(self.0.to_string())
            }
        }
    )* };
}

counts! {
    /// The number of dimensions of a topology, which the lists after it have as elements.
    Dimensions u8 1
    /// The number of elements of the list after it.
    Count u32 4
}

/// As many elements as [`Dimensions`] or [`Count`] before it says; none if the record ends there,
/// because some lists are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Each<T>(pub Vec<T>);

impl<T: Field + Display> Field for Each<T> {
    fn least_bytes(_: usize) -> usize {
        0
    }
    fn read(input: &mut Input<'_>) -> Result<Each<T>, Flaw> {
        let number = if input.rest.is_empty() { 0 } else { input.elements };
        (0..number).map(|_| T::read(input)).collect::<Result<_, _>>().map(Each)
    }
    fn write(&self, output: &mut Output) {
        self.0.iter().for_each(|each| each.write(output));
    }
    fn show(&self) -> Option<String> {
        Some(list(&self.0))
    }
}

fn list<T: Display>(all: &[T]) -> String {
    let all: Vec<String> = all.iter().map(T::to_string).collect();
    format!("[{}]", all.join(","))
}

//! Field values without their Rust type: for dumps, for other formats, for comparison in tests.

use std::fmt;

/// The value of one field of a record.
#[derive(Clone, Debug, PartialEq)]
pub enum FieldValue<'a> {
    /// A count, an index, a time in ticks.
    Unsigned(u64),
    /// A number that may be negative.
    Signed(i64),
    /// A floating-point number.
    Float(f64),
    /// A text in the record itself.
    Text(&'a str),
    /// A number with a meaning from a list, or a set of flags.
    Named {
        /// The number in the file.
        value: u64,
        /// Its name in OTF2; the number for values that are not known, `A|B` for sets.
        name: String,
    },
    /// The id of a definition.
    Reference {
        /// Name of the definition record.
        to: &'static str,
        /// The id; `None` if undefined.
        id: Option<u64>,
    },
    /// A value together with its type.
    Typed {
        /// Number of the type in the file.
        kind: u8,
        /// Name of the type.
        name: String,
        /// The value.
        value: Box<FieldValue<'a>>,
    },
    /// Several values of the same kind.
    List(Vec<FieldValue<'a>>),
    /// Values that belong together.
    Group(Vec<FieldValue<'a>>),
    /// Pairs of local and global id.
    Map(Vec<(u64, u64)>),
}

/// ```
/// # use pompeii_otf2::field::FieldValue::*;
/// assert_eq!(List(vec![Unsigned(1), Reference { to: "String", id: None }]).to_string(), "[1, -]");
/// ```
impl fmt::Display for FieldValue<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FieldValue::Unsigned(value) => value.fmt(f),
            FieldValue::Signed(value) => value.fmt(f),
            FieldValue::Float(value) => write!(f, "{value:?}"),
            FieldValue::Text(text) => write!(f, "{text:?}"),
            FieldValue::Named { name, .. } => f.write_str(name),
            FieldValue::Reference { id: Some(id), .. } => id.fmt(f),
            FieldValue::Reference { id: None, .. } => f.write_str("-"),
            FieldValue::Typed { name, value, .. } => write!(f, "{name}:{value}"),
            FieldValue::List(values) => {
                f.write_str("[")?;
                joined(f, values, ", ")?;
                f.write_str("]")
            }
            FieldValue::Group(values) => joined(f, values, "="),
            FieldValue::Map(pairs) => {
                f.write_str("{")?;
                for (number, (local, global)) in pairs.iter().enumerate() {
                    let comma = if number == 0 { "" } else { ", " };
                    write!(f, "{comma}{local}->{global}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn joined(f: &mut fmt::Formatter<'_>, values: &[FieldValue<'_>], between: &str) -> fmt::Result {
    for (number, value) in values.iter().enumerate() {
        if number > 0 {
            f.write_str(between)?;
        }
        write!(f, "{value}")?;
    }
    Ok(())
}

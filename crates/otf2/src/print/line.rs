//! One line of print: columns, then fields with labels.

use super::Times;
use super::names::{Named, Names};
use super::number::{digits, general};
use crate::enums::{Enumeration, Paradigm};
use crate::reference::*;
use crate::value::Value;

/// Width of the names of definitions.
const DEFINITION_COLUMNS: usize = 27;
/// Width of the names of events.
pub(super) const EVENT_COLUMNS: usize = 32;
const ID_COLUMNS: usize = 12;
const LOCATION_COLUMNS: usize = 15;
const TIME_COLUMNS: usize = 20;

/// A line that is being written to `out`.
pub(super) struct Line<'a> {
    pub out: &'a mut Vec<u8>,
    pub names: &'a Names,
    /// Where it happens; undefined for definitions.
    location: LocationRef,
    /// Stands in front of the next field.
    between: &'static str,
}

/// Appends text, padded to so many columns on its right.
fn put_left(out: &mut Vec<u8>, text: &str, columns: usize) {
    out.extend_from_slice(text.as_bytes());
    out.extend(std::iter::repeat_n(b' ', columns.saturating_sub(text.len())));
}

/// Appends text, padded to so many columns on its left.
pub(super) fn put_right(out: &mut Vec<u8>, text: &[u8], columns: usize) {
    out.extend(std::iter::repeat_n(b' ', columns.saturating_sub(text.len())));
    out.extend_from_slice(text);
}

/// Appends a number, padded to so many columns on its left.
pub(super) fn put_number(out: &mut Vec<u8>, number: u64, columns: usize) {
    let (text, at) = digits(number);
    put_right(out, &text[at..], columns);
}

impl<'a> Line<'a> {
    /// A line about a definition; `id` is the number in its column, if it has one.
    pub fn definition(
        out: &'a mut Vec<u8>,
        names: &'a Names,
        name: &str,
        id: Option<u64>,
    ) -> Line<'a> {
        put_left(out, name, DEFINITION_COLUMNS);
        out.push(b' ');
        match id {
            Some(id) => put_number(out, id, ID_COLUMNS),
            None => put_right(out, b"", ID_COLUMNS),
        }
        out.extend_from_slice(b"  ");
        Line { out, names, location: LocationRef::UNDEFINED, between: "" }
    }

    /// A line about an event.
    pub fn event(
        out: &'a mut Vec<u8>,
        names: &'a Names,
        name: &str,
        location: LocationRef,
        time: (Times, u64),
    ) -> Line<'a> {
        put_left(out, name, EVENT_COLUMNS);
        out.push(b' ');
        put_number(out, location.0, LOCATION_COLUMNS);
        out.push(b' ');
        match time {
            (Times::Plain, time) if time != u64::MAX => put_number(out, time, TIME_COLUMNS),
            (times, time) => put_right(out, times.text(time).as_bytes(), TIME_COLUMNS),
        }
        out.extend_from_slice(b"  ");
        Line { out, names, location, between: "" }
    }

    /// A line below an event, in the column of its fields.
    pub fn below(out: &'a mut Vec<u8>, names: &'a Names) -> Line<'a> {
        let columns = EVENT_COLUMNS + 1 + LOCATION_COLUMNS + 1 + TIME_COLUMNS + 2;
        put_right(out, b"", columns);
        Line { out, names, location: LocationRef::UNDEFINED, between: "" }
    }

    /// Appends text as it is.
    pub fn text(&mut self, text: &str) -> &mut Self {
        self.out.extend_from_slice(text.as_bytes());
        self
    }

    /// A field with this text; the label is followed by `: ` unless it is empty.
    pub fn field(&mut self, label: &str, text: &str) -> &mut Self {
        self.label(label).text(text)
    }

    fn label(&mut self, label: &str) -> &mut Self {
        self.text(self.between);
        self.between = ", ";
        if !label.is_empty() {
            self.text(label).text(": ");
        }
        self
    }

    /// A field with a number.
    pub fn number(&mut self, label: &str, number: impl Into<u64>) -> &mut Self {
        self.label(label).digits(number.into())
    }

    /// A field with a number that may be negative.
    pub fn signed(&mut self, label: &str, number: i64) -> &mut Self {
        self.field(label, &number.to_string())
    }

    /// A field with a number whose greatest value means undefined.
    pub fn optional(&mut self, label: &str, number: u32) -> &mut Self {
        if number == u32::MAX { self.field(label, "UNDEFINED") } else { self.number(label, number) }
    }

    /// A number without a label.
    pub fn digits(&mut self, number: u64) -> &mut Self {
        put_number(self.out, number, 0);
        self
    }

    /// A field that says how many follow: `2 Values`.
    pub fn count(&mut self, count: usize, what: &str) -> &mut Self {
        self.label("").digits(count as u64).text(" ").text(what).text(plural(count, "", "s"))
    }

    /// A field that refers to something.
    pub fn name<T: Named>(&mut self, label: &str, reference: T) -> &mut Self {
        self.label(label).shown(reference)
    }

    /// What is referred to, without a label.
    pub fn shown<T: Named>(&mut self, reference: T) -> &mut Self {
        match reference.id() {
            None => self.text("UNDEFINED"),
            Some(id) => match T::table(self.names).shown(id) {
                Some(shown) => {
                    self.out.extend_from_slice(shown.as_bytes());
                    self
                }
                None => {
                    self.out.extend_from_slice(b"INVALID <");
                    put_number(self.out, id, 0);
                    self.text(">")
                }
            },
        }
    }

    /// A field with a value of a list, or a set of flags.
    pub fn value(&mut self, label: &str, value: impl Enumeration) -> &mut Self {
        self.field(label, &shown(value))
    }

    /// A field with a paradigm, by the name that is defined for it.
    pub fn paradigm(&mut self, label: &str, paradigm: Paradigm) -> &mut Self {
        let names = self.names;
        match names.paradigms.shown(u64::from(paradigm.0)) {
            Some(name) => self.field(label, name),
            None => self.value(label, paradigm),
        }
    }

    /// A field with a rank of a communicator.
    pub fn rank(&mut self, label: &str, comm: Option<CommRef>, rank: u32) -> &mut Self {
        if rank == u32::MAX {
            return self.field(label, "UNDEFINED");
        }
        self.label(label).digits(rank.into()).text(" (");
        match comm.and_then(|comm| self.names.rank_location(self.location, comm, rank.into())) {
            Some(location) => self.shown(location),
            None => self.text("INVALID"),
        };
        self.text(")")
    }

    /// A field with a rank of a window's communicator.
    pub fn window_rank(&mut self, label: &str, window: RmaWinRef, rank: u32) -> &mut Self {
        self.rank(label, self.names.window_comm(window), rank)
    }

    /// A field with the root of a collective operation.
    pub fn root(&mut self, label: &str, comm: Option<CommRef>, root: u32) -> &mut Self {
        match root {
            crate::event::ROOT_NONE => self.field(label, "NONE"),
            crate::event::ROOT_SELF => self.field(label, "SELF"),
            crate::event::ROOT_THIS_GROUP => self.field(label, "THIS_GROUP"),
            rank => self.rank(label, comm, rank),
        }
    }

    /// Two fields with the type and the value of a value.
    pub fn typed(&mut self, value: &Value) -> &mut Self {
        let text = value_text(self.names, value);
        self.value("Type", value.kind()).field("Value", &text)
    }

    /// `: one, two`, or `: (one, two)` between brackets.
    pub fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut put: impl FnMut(&mut Self, T),
    ) -> &mut Self {
        for (number, item) in items.into_iter().enumerate() {
            self.text(if number == 0 { ": " } else { ", " });
            self.between = "";
            put(self, item);
        }
        self
    }

    pub fn end(&mut self) {
        self.out.push(b'\n');
    }
}

/// `one` for a single thing, `many` for any other number of them.
pub(super) fn plural<'t>(count: usize, one: &'t str, many: &'t str) -> &'t str {
    if count == 1 { one } else { many }
}

/// The name of a value; of flags `{A, B}`; `INVALID <n>` for what has no name.
pub(super) fn shown<T: Enumeration>(value: T) -> String {
    let number = value.number();
    if let Some(name) = T::names().find(|(named, _)| *named == number).map(|(_, name)| name)
        && (!T::FLAGS || number == 0)
    {
        return name.to_owned();
    }
    if !T::FLAGS {
        return format!("INVALID <{number}>");
    }
    let mut rest = number;
    let mut parts = Vec::new();
    for (bit, name) in T::names().filter(|(bit, _)| *bit != 0 && number & bit == *bit) {
        rest &= !bit;
        parts.push(name.to_owned());
    }
    if rest != 0 {
        parts.push(format!("INVALID <0x{rest:x}>"));
    }
    format!("{{{}}}", parts.join(", "))
}

/// A value as it is shown.
pub(super) fn value_text(names: &Names, value: &Value) -> String {
    match *value {
        Value::U8(value) => value.to_string(),
        Value::U16(value) => value.to_string(),
        Value::U32(value) => value.to_string(),
        Value::U64(value) | Value::Other { bits: value, .. } => value.to_string(),
        Value::I8(value) => value.to_string(),
        Value::I16(value) => value.to_string(),
        Value::I32(value) => value.to_string(),
        Value::I64(value) => value.to_string(),
        Value::F32(value) => general(f64::from(value)),
        Value::F64(value) => general(value),
        Value::String(it) => names.of(it),
        Value::Attribute(it) => names.of(it),
        Value::Location(it) => names.of(it),
        Value::Region(it) => names.of(it),
        Value::Group(it) => names.of(it),
        Value::Metric(it) => names.of(it),
        Value::Comm(it) => names.of(it),
        Value::Parameter(it) => names.of(it),
        Value::RmaWin(it) => names.of(it),
        Value::SourceCodeLocation(it) => names.of(it),
        Value::CallingContext(it) => names.of(it),
        Value::InterruptGenerator(it) => names.of(it),
        Value::IoFile(it) => names.of(it),
        Value::IoHandle(it) => names.of(it),
        Value::LocationGroup(it) => names.of(it),
    }
}

/// The 64 bits that a value has in memory of the reference library.
pub(super) fn value_bits(value: &Value) -> u64 {
    match *value {
        Value::U8(value) => value.into(),
        Value::U16(value) => value.into(),
        Value::U32(value) => value.into(),
        Value::U64(value) | Value::Other { bits: value, .. } => value,
        Value::I8(value) => (value as u8).into(),
        Value::I16(value) => (value as u16).into(),
        Value::I32(value) => (value as u32).into(),
        Value::I64(value) => value as u64,
        Value::F32(value) => value.to_bits().into(),
        Value::F64(value) => value.to_bits(),
        Value::Location(it) => it.0,
        Value::String(StringRef(id)) => id.into(),
        Value::Attribute(AttributeRef(id)) => id.into(),
        Value::Region(RegionRef(id)) => id.into(),
        Value::Group(GroupRef(id)) => id.into(),
        Value::Metric(MetricRef(id)) => id.into(),
        Value::Comm(CommRef(id)) => id.into(),
        Value::Parameter(ParameterRef(id)) => id.into(),
        Value::RmaWin(RmaWinRef(id)) => id.into(),
        Value::SourceCodeLocation(SourceCodeLocationRef(id)) => id.into(),
        Value::CallingContext(CallingContextRef(id)) => id.into(),
        Value::InterruptGenerator(InterruptGeneratorRef(id)) => id.into(),
        Value::IoFile(IoFileRef(id)) => id.into(),
        Value::IoHandle(IoHandleRef(id)) => id.into(),
        Value::LocationGroup(LocationGroupRef(id)) => id.into(),
    }
}

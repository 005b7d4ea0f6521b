//! The parameters that a location has met, with their values. It finds them without a lock, and
//! tells a limited number of values of one parameter apart, because a value for each iteration of
//! a long loop must not make a call path each.

use std::collections::HashMap;

use pompeii_live::{Key, NodeOffset, ParameterKind, RegionKind};

use crate::definitions::RegionText;
use crate::process::{Process, lock};

/// Values of one parameter that one location tells apart; all further ones are [`OTHERS`].
const VALUES_MAX: usize = 1000;
/// What stands for values that are not told apart.
const OTHERS: &str = "others";

/// A parameter's value.
#[derive(Clone, Copy, Debug)]
pub enum Value<'a> {
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    Unsigned(u64),
    /// A string.
    Text(&'a [u8]),
}

impl Value<'_> {
    pub(super) fn kind(self) -> ParameterKind {
        match self {
            Value::Int(_) => ParameterKind::Int,
            Value::Unsigned(_) => ParameterKind::Unsigned,
            Value::Text(_) => ParameterKind::Text,
        }
    }

    fn to_text(self) -> String {
        match self {
            Value::Int(value) => value.to_string(),
            Value::Unsigned(value) => value.to_string(),
            Value::Text(text) => String::from_utf8_lossy(text).into_owned(),
        }
    }
}

/// A value that a location has met.
#[derive(Clone, Copy)]
pub(super) struct Known {
    /// The key of its nodes.
    pub(super) key: u64,
    /// Of a string.
    pub(super) text: u32,
    /// Its node that was taken last: a region may have a child for each of many values.
    pub(super) node: NodeOffset,
}

/// A parameter that a location has met.
pub(super) struct Parameter {
    kind: ParameterKind,
    name: Box<[u8]>,
    pub(super) id: u32,
    numbers: HashMap<u64, Known>,
    texts: HashMap<Box<[u8]>, Known>,
    others: Option<Known>,
}

/// The parameters that a location has met.
#[derive(Default)]
pub struct Parameters(pub(super) Vec<Parameter>);

impl Parameters {
    /// The place of the parameter in the list.
    pub(super) fn find(&mut self, process: &Process, name: &[u8], kind: ParameterKind) -> usize {
        let known = self.0.iter().position(|known| known.kind == kind && *known.name == *name);
        known.unwrap_or_else(|| {
            let id = parameter(process, kind, &String::from_utf8_lossy(name));
            self.0.push(Parameter {
                kind,
                name: name.into(),
                id,
                numbers: HashMap::new(),
                texts: HashMap::new(),
                others: None,
            });
            self.0.len() - 1
        })
    }
}

impl Parameter {
    pub(super) fn value(&mut self, process: &Process, value: Value) -> Known {
        match self.known(value) {
            Some(known) => *known,
            None => self.meet(process, value),
        }
    }

    pub(super) fn known(&mut self, value: Value) -> Option<&mut Known> {
        match value {
            Value::Int(value) => self.numbers.get_mut(&(value as u64)),
            Value::Unsigned(value) => self.numbers.get_mut(&value),
            Value::Text(text) => self.texts.get_mut(text),
        }
    }

    /// A value for the first time.
    #[cold]
    fn meet(&mut self, process: &Process, value: Value) -> Known {
        if self.numbers.len() + self.texts.len() >= VALUES_MAX {
            return *self
                .others
                .get_or_insert_with(|| define(process, self.kind, (self.id, &self.name), OTHERS));
        }
        let known = define(process, self.kind, (self.id, &self.name), &value.to_text());
        match value {
            Value::Int(value) => self.numbers.insert(value as u64, known),
            Value::Unsigned(value) => self.numbers.insert(value, known),
            Value::Text(text) => self.texts.insert(text.into(), known),
        };
        known
    }
}

/// The region of a parameter with this value.
fn define(process: &Process, kind: ParameterKind, of: (u32, &[u8]), value: &str) -> Known {
    let (parameter, name) = of;
    let name = format!("{}={value}", String::from_utf8_lossy(name));
    let region = process.region(&RegionText::without_source(RegionKind::Parameter, &name));
    let text = match kind {
        ParameterKind::Text => text(process, value),
        ParameterKind::Int | ParameterKind::Unsigned => 0,
    };
    Known { key: Key::Parameter { parameter, region }.encode(), text, node: 0 }
}

/// The id that a parameter has in records of the process. Its definition is written under the lock,
/// so it precedes every use.
fn parameter(process: &Process, kind: ParameterKind, name: &str) -> u32 {
    let mut interned = lock(&process.parameters);
    let (id, new) = interned.parameter(kind, name);
    new.iter().for_each(|definition| process.define(definition));
    id
}

/// The id that a text has in records of the process, as above.
pub fn text(process: &Process, text: &str) -> u32 {
    let mut interned = lock(&process.parameters);
    let (id, new) = interned.text(text);
    new.iter().for_each(|definition| process.define(definition));
    id
}

//! Parameters: call paths split by a value of the program's, as Score-P does it.
//!
//! A parameter that gets a value is a node below the region that is open, named `name=value`, and
//! what follows is below that node until the region ends; a value that it gets again in the same
//! visit takes the place of the last one. The value is a region of its own, defined once per
//! process. A location finds it in a table without a lock, and tells apart only so many values of
//! one parameter: a value per iteration of a long loop must not make a call path each.

use std::collections::HashMap;
use std::sync::PoisonError;

use pompeii_live::{Definition, Key, NodeOffset, ParameterKind, RegionKind, encode};

use crate::definitions::RegionText;
use crate::location::Location;
use crate::process::Process;
use crate::team;

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
    fn kind(self) -> ParameterKind {
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

/// All parameters of a process, and the strings among their values.
#[derive(Default)]
pub struct Interned {
    parameters: HashMap<(u8, String), u32>,
    texts: HashMap<String, u32>,
}

impl Interned {
    fn parameter(&mut self, process: &Process, kind: ParameterKind, name: &str) -> u32 {
        let next = self.parameters.len() as u32;
        let id = *self.parameters.entry((kind as u8, name.to_owned())).or_insert(next);
        if id == next {
            process.define(&Definition::Parameter { id, kind, name: name.to_owned() });
        }
        id
    }

    fn text(&mut self, process: &Process, text: &str) -> u32 {
        if text.is_empty() {
            return 0;
        }
        let next = self.texts.len() as u32 + 1;
        let id = *self.texts.entry(text.to_owned()).or_insert(next);
        if id == next {
            process.define(&Definition::ParameterText { id, text: text.to_owned() });
        }
        id
    }
}

/// A value that a location has met.
#[derive(Clone, Copy)]
struct Known {
    /// The key of its nodes.
    key: u64,
    /// Of a string.
    text: u32,
    /// Its node that was taken last: a region may have a child for each of many values.
    node: NodeOffset,
}

/// A parameter that a location has met.
struct Parameter {
    kind: ParameterKind,
    name: Box<[u8]>,
    id: u32,
    numbers: HashMap<u64, Known>,
    texts: HashMap<Box<[u8]>, Known>,
    others: Option<Known>,
}

/// The parameters that a location has met.
#[derive(Default)]
pub struct Parameters(Vec<Parameter>);

impl Parameters {
    /// The place of the parameter in the list.
    fn find(&mut self, process: &Process, name: &[u8], kind: ParameterKind) -> usize {
        let known = self.0.iter().position(|known| known.kind == kind && *known.name == *name);
        known.unwrap_or_else(|| {
            let mut interned = process.parameters.lock().unwrap_or_else(PoisonError::into_inner);
            let id = interned.parameter(process, kind, &String::from_utf8_lossy(name));
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
    fn value(&mut self, process: &Process, value: Value) -> Known {
        match self.known(value) {
            Some(known) => *known,
            None => self.meet(process, value),
        }
    }

    fn known(&mut self, value: Value) -> Option<&mut Known> {
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

/// The id that a text has in records of the process.
pub fn text(process: &Process, text: &str) -> u32 {
    process.parameters.lock().unwrap_or_else(PoisonError::into_inner).text(process, text)
}

/// The parameter has this value at `now`, until the region that is open ends or it gets another.
pub fn set(thread: &mut Location, name: &[u8], value: Value, now: u64) {
    if thread.is_passing() {
        return;
    }
    if thread.gate != 0 {
        thread.flush_gate(now);
    }
    team::leave_joined(thread);
    let now = thread.account(now);
    let process = thread.process;
    let place = thread.parameters.find(process, name, value.kind());
    let parameter = &mut thread.parameters.0[place];
    let (id, known) = (parameter.id, parameter.value(process, value));
    end_last_value(thread, id, now);
    let node = find_node(thread, known);
    if node == 0 {
        return;
    }
    if let Some(known) = thread.parameters.0[place].known(value) {
        known.node = node;
    }
    thread.node(node).visits += 1;
    thread.header.current = node;
    if thread.tracing {
        thread.event(now, |room, last| match value {
            Value::Int(value) => encode::parameter_int(room, last, now, id, value),
            Value::Unsigned(value) => encode::parameter_unsigned_int(room, last, now, id, value),
            Value::Text(_) => encode::parameter_string(room, last, now, id, known.text),
        });
    }
}

fn find_node(thread: &mut Location, known: Known) -> NodeOffset {
    let at = thread.header.current;
    if known.node != 0 && thread.node(known.node).parent == at {
        return known.node;
    }
    thread.child(at, known.key)
}

/// Leaves the value that the parameter has had in this visit of the region around, and what was set
/// after it.
fn end_last_value(thread: &mut Location, parameter: u32, now: u64) {
    let mut at = thread.header.current;
    while let Key::Parameter { parameter: of, .. } = Key::decode(thread.node(at).key) {
        let around = thread.node(at).parent;
        if of == parameter {
            return thread.unwind_to_node(around, now);
        }
        at = around;
    }
}

//! Parameters of the program: a value that it names is a part of the call path, as in the profile.
//!
//! The regions of the values, named `name=value`, are defined in our traces, because profile and
//! trace have the same regions. Traces of other writers have only the records; their call paths are
//! not split.

use std::collections::HashMap;

use pompeii_model::RegionId;
use pompeii_otf2::event::Event;

/// What stands for values that the measurement did not tell apart.
const OTHERS: &str = "others";

/// How a parameter's values are written in the names of regions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Signed numbers.
    Signed,
    /// Unsigned numbers.
    Unsigned,
    /// Texts.
    Text,
}

/// A value in a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// The parameter's id in the archive.
    pub parameter: u32,
    /// The bits of a number, or the id of a text.
    pub bits: u64,
}

impl Value {
    /// The value of a parameter in this event.
    pub fn of(event: &Event) -> Option<Value> {
        let (parameter, bits) = match event {
            Event::ParameterInt(it) => (it.parameter, it.value.cast_unsigned()),
            Event::ParameterUnsignedInt(it) => (it.parameter, it.value),
            Event::ParameterString(it) => (it.parameter, u64::from(it.string.0)),
            _ => return None,
        };
        Some(Value { parameter: parameter.0, bits })
    }
}

/// The regions of the values.
#[derive(Clone, Debug, Default)]
pub struct Parameters {
    numbers: HashMap<(u32, u64), RegionId>,
    others: HashMap<u32, RegionId>,
    parameters: HashMap<RegionId, u32>,
}

impl Parameters {
    /// A region has the value that is written like this. `texts` gives the ids of a text.
    pub fn add(
        &mut self,
        (parameter, kind): (u32, Kind),
        value: &str,
        region: RegionId,
        texts: &dyn Fn(&str) -> Vec<u32>,
    ) {
        self.parameters.entry(region).or_insert(parameter);
        let bits = match kind {
            Kind::Signed => value.parse().map(i64::cast_unsigned).into_iter().collect(),
            Kind::Unsigned => value.parse().into_iter().collect(),
            Kind::Text => texts(value).into_iter().map(u64::from).collect::<Vec<u64>>(),
        };
        for bits in bits {
            self.numbers.entry((parameter, bits)).or_insert(region);
        }
        if value == OTHERS {
            self.others.entry(parameter).or_insert(region);
        }
    }

    /// The parameter of which a region has a value.
    pub fn parameter(&self, region: RegionId) -> Option<u32> {
        self.parameters.get(&region).copied()
    }

    /// The region of a value.
    pub fn region(&self, value: Value) -> Option<RegionId> {
        let Value { parameter, bits } = value;
        self.numbers.get(&(parameter, bits)).or_else(|| self.others.get(&parameter)).copied()
    }
}

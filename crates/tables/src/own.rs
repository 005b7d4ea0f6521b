//! Properties of the user's own: their values come from a program that has read the tables. They
//! are stored with the analysis of the trace, so that reports show them without that program.

use std::collections::HashMap;

use pompeii_analysis::properties;
use pompeii_finish::write_cube;
use pompeii_model::{CallId, Cube, LocationId, Metric, RegionId, Unit};

use crate::error::Error;
use crate::open::{Run, TRACE_CUBE_FILE};
use crate::trace::Trace;

/// A property of the user's own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnProperty {
    /// The unique name, which no property of Pompeii has.
    pub name: String,
    /// The name for people.
    pub title: String,
    /// What it is, in one paragraph.
    pub description: String,
    /// What its values are; ticks are those of the clock of the trace.
    pub unit: Unit,
    /// The metric that it is a part of.
    pub part_of: Option<String>,
    /// Its values, each with the number of a call path in the table `calls`, and of a location.
    pub values: Vec<(u32, u32, i64)>,
}

impl Run {
    /// Analyzes the trace of an experiment as `pompeii analyze` does, and stores the result with
    /// these properties. It takes the place of the analysis before, with all properties of the
    /// user's own that were stored there. Those that are larger than the property of Pompeii that
    /// they are a part of are not stored; they are returned.
    ///
    /// # Errors
    /// A name that is taken, a run that is no experiment, or what cannot be read or written.
    pub fn store(&self, own: &[OwnProperty]) -> Result<Vec<Larger>, Error> {
        let taken = own.iter().map(|it| &it.name).find(|name| properties::find(name).is_some());
        if let Some(name) = taken {
            return Err(Error::Taken(name.clone()));
        }
        let trace = self.trace()?;
        if !self.path().is_dir() {
            return Err(Error::NoExperiment(self.path().to_owned()));
        }
        let mut cube = trace.measured()?;
        let calls = calls(trace, &cube);
        let derived = pompeii_analysis::derive(&cube);
        let mut larger = Vec::new();
        for property in own {
            match find_larger(&derived, property, &calls) {
                Some(place) => larger.push(place),
                None => add(&mut cube, property, &calls),
            }
        }
        write_cube(&cube, self.path(), TRACE_CUBE_FILE)?;
        Ok(larger)
    }
}

/// Where a property is larger than the whole that it is a part of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Larger {
    /// The name of the property.
    pub name: String,
    /// The number of the call path in the table `calls`.
    pub call: u32,
    /// The location.
    pub location: u32,
    /// The value of the property there.
    pub value: i64,
    /// The value of the whole there.
    pub whole: i64,
}

/// The first place where a property is larger than a property of Pompeii, its whole.
fn find_larger(cube: &Cube, own: &OwnProperty, calls: &[Option<CallId>]) -> Option<Larger> {
    let whole = cube.metric(own.part_of.as_deref()?)?;
    let locations = cube.system.locations.len();
    own.values.iter().find_map(|&(call, location, value)| {
        let of = calls.get(call as usize).copied().flatten()?;
        let is_known = (location as usize) < locations;
        let whole = is_known.then(|| cube.get(whole, of, LocationId(location)))?;
        let name = || own.name.clone();
        (value > whole).then(|| Larger { name: name(), call, location, value, whole })
    })
}

/// The call paths of a cube by their numbers in the tables of its trace.
fn calls(trace: &Trace, cube: &Cube) -> Vec<Option<CallId>> {
    let key = |call: CallId| (cube.calls.parent(call), cube.calls.region(call));
    let by_region: HashMap<(Option<CallId>, RegionId), CallId> =
        cube.calls.ids().map(|call| (key(call), call)).collect();
    let mut calls: Vec<Option<CallId>> = Vec::new();
    // Parents have smaller numbers.
    for (parent, region) in trace.numbered_calls() {
        let above = parent.map(|parent| calls.get(parent as usize).copied().flatten());
        let key = match above {
            Some(None) => None,
            Some(above) => Some((above, RegionId(region))),
            None => Some((None, RegionId(region))),
        };
        calls.push(key.and_then(|key| by_region.get(&key).copied()));
    }
    calls
}

fn add(cube: &mut Cube, property: &OwnProperty, calls: &[Option<CallId>]) {
    let OwnProperty { name, title, description, unit, part_of, values } = property;
    let metric = cube.add_metric(Metric {
        name: name.clone(),
        title: title.clone(),
        description: description.clone(),
        unit: *unit,
        parent: None,
    });
    cube.parts.extend(part_of.iter().map(|whole| (name.clone(), whole.clone())));
    let locations = cube.system.locations.len();
    for &(call, location, value) in values {
        let call = calls.get(call as usize).copied().flatten();
        if let (Some(call), true) = (call, (location as usize) < locations) {
            cube.add(metric, call, LocationId(location), value);
        }
    }
}

//! Properties of the user's own: their values come from a program that has read the tables. They
//! are stored with the analysis of the trace, so that reports show them without that program.

use std::collections::HashMap;

use pompeii_analysis::properties;
use pompeii_finish::write_cube;
use pompeii_model::{CallId, Cube, Display, LocationId, Metric, RegionId, Unit};

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
    /// How its values are combined, and what its percentages refer to.
    pub display: Display,
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
    /// A name that is taken, a display that cannot be, a run that is no experiment, or what cannot
    /// be read or written.
    pub fn store(&self, own: &[OwnProperty]) -> Result<Vec<Larger>, Error> {
        own.iter().try_for_each(check_declaration)?;
        let trace = self.trace()?;
        if !self.path().is_dir() {
            return Err(Error::NoExperiment(self.path().to_owned()));
        }
        let mut cube = trace.measured()?;
        let calls = calls(trace, &cube);
        let derived = pompeii_analysis::derive(&cube);
        own.iter().try_for_each(|property| check_whole(property, own, &derived))?;
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

/// What is wrong with a property, whatever the run is.
fn check_declaration(own: &OwnProperty) -> Result<(), Error> {
    match &own.part_of {
        _ if properties::find(&own.name).is_some() => Err(Error::Taken(own.name.clone())),
        Some(whole) if !own.display.is_sum() => {
            let (name, whole) = (own.name.clone(), whole.clone());
            Err(Error::NoPart { name, whole, words: own.display.words() })
        }
        _ => Ok(()),
    }
}

/// What the percentages of a property refer to must be a metric of its unit, and a whole must be a
/// sum.
fn check_whole(property: &OwnProperty, all: &[OwnProperty], cube: &Cube) -> Result<(), Error> {
    let own = |name: &String| all.iter().find(|other| other.name == *name);
    let part_of = property.part_of.as_ref().and_then(own);
    if let Some(whole) = part_of.filter(|whole| !whole.display.is_sum()) {
        let (name, words) = (property.name.clone(), whole.display.words());
        return Err(Error::NoWhole { name, whole: whole.name.clone(), words });
    }
    let Some(of) = &property.display.percent_of else { return Ok(()) };
    let known = cube.metric(of).map(|metric| cube.metrics()[metric].unit);
    let unit = own(of).map(|whole| whole.unit).or(known);
    let (name, whole) = (property.name.clone(), of.clone());
    match unit {
        None => Err(Error::NoMetric { name, whole }),
        Some(unit) if unit != property.unit => Err(Error::OtherUnit {
            name,
            whole,
            units: (property.unit.cube_name(), unit.cube_name()),
        }),
        Some(_) => Ok(()),
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
    let OwnProperty { name, title, description, unit, part_of, display, values } = property;
    let metric = cube.add_metric(Metric {
        name: name.clone(),
        title: title.clone(),
        description: description.clone(),
        unit: *unit,
        parent: None,
        display: display.clone(),
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

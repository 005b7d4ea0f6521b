//! Metrics that were asked for beside time: rows of the cube, definitions of the trace, and what
//! the manifest says of how they were read.

use pompeii_live::metrics::MetricUnit;
use pompeii_live::{Definition as Live, LiveProcess, metric_classes};
use pompeii_model::{CallId, Cube, Display, IndexVec, Metric, MetricId, Role, Unit};
use pompeii_otf2::Error;
use pompeii_otf2::definition::MetricMember;
use pompeii_otf2::enums;
use pompeii_otf2::reference::MetricMemberRef;
use pompeii_otf2::write::ArchiveWriter;
use serde::{Deserialize, Serialize};

use crate::severities::Place;

/// How metrics were counted.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counted {
    /// Those that were.
    pub metrics: Vec<String>,
    /// Those that were not, each with the reason.
    pub missing: Vec<String>,
    /// At every event; otherwise at the borders of parallel regions, user regions, functions and
    /// tasks.
    pub at_every_event: bool,
    /// What one reading of all takes, in nanoseconds.
    pub reading_ns: u64,
    /// Least share of the time in which all of a thread were counted, in permille: below 1000 the
    /// machine has fewer counters than were asked for, and values are scaled.
    pub running_permille: u32,
}

impl Counted {
    /// The same of several processes: what is missing in any, and the worst of how they were read.
    pub(crate) fn with(mut self, next: Self) -> Self {
        for (of, more) in [(&mut self.metrics, next.metrics), (&mut self.missing, next.missing)] {
            let new: Vec<String> = more.into_iter().filter(|name| !of.contains(name)).collect();
            of.extend(new);
        }
        self.at_every_event &= next.at_every_event;
        self.reading_ns = self.reading_ns.max(next.reading_ns);
        self.running_permille = self.running_permille.min(next.running_permille);
        self
    }
}

/// The metrics that are counted: name, unit, and whether it is a mark.
fn counted(live: &LiveProcess) -> Vec<(&str, MetricUnit, bool)> {
    let of = |definition| match definition {
        &Live::Metric { ref name, unit, mark, ref missing } if missing.is_empty() => {
            Some((name.as_str(), unit, mark))
        }
        _ => None,
    };
    live.definitions.iter().filter_map(of).collect()
}

/// What the manifest says; `None` where nothing was asked for.
pub fn describe(live: &LiveProcess) -> Option<Counted> {
    let names = counted(live).into_iter().map(|(name, ..)| name.to_owned());
    let mut described = Counted {
        metrics: names.collect(),
        running_permille: live.metrics_running_permille.min(1000),
        ..Counted::default()
    };
    let mut asked = false;
    for definition in &live.definitions {
        match definition {
            Live::Metric { name, missing, .. } if !missing.is_empty() => {
                described.missing.push(format!("{name}: {missing}"));
            }
            Live::MetricReading { everywhere, cost_ns } => {
                (described.at_every_event, described.reading_ns) = (*everywhere, *cost_ns);
                asked = true;
            }
            _ => {}
        }
    }
    asked.then_some(described)
}

/// What it says of several processes.
pub fn together<'a>(all: impl Iterator<Item = &'a LiveProcess>) -> Option<Counted> {
    all.filter_map(describe).reduce(Counted::with)
}

/// The metrics, in the order in which they are counted.
pub fn metrics(live: &LiveProcess) -> impl Iterator<Item = Metric> {
    let everywhere = describe(live).is_some_and(|described| described.at_every_event);
    counted(live).into_iter().map(move |(name, unit, mark)| Metric {
        name: name.to_owned(),
        title: name.to_owned(),
        description: description(everywhere, mark).to_owned(),
        unit: match unit {
            MetricUnit::Count => Unit::Count,
            MetricUnit::Nanoseconds => Unit::Nanoseconds,
            MetricUnit::Bytes => Unit::Bytes,
        },
        parent: None,
        display: Display::default(),
    })
}

/// Adds what was counted to the cube; `ids` are the metrics.
pub fn add(cube: &mut Cube, place: &Place, ids: &[MetricId]) {
    let everywhere = describe(place.live).is_some_and(|described| described.at_every_event);
    let borders = borders(cube);
    for (position, location) in place.live.locations.iter().enumerate() {
        for (node, values) in location.metrics.iter().enumerate() {
            let Some(&call) = place.calls_of[position].get(node) else { continue };
            let call = if everywhere { call } else { borders[call] };
            for (&metric, &value) in ids.iter().zip(values).filter(|(_, value)| **value != 0) {
                let value = i64::try_from(value).unwrap_or(i64::MAX);
                cube.add(metric, call, place.location(position), value);
            }
        }
    }
}

fn description(everywhere: bool, mark: bool) -> &'static str {
    match (mark, everywhere) {
        (true, _) => {
            "Where the process's mark has grown, and by how much: the sum is the mark. A call path's \
             own share contains constructs in it that are no user region, function, task or \
             parallel region"
        }
        (false, true) => "Counted in the call path itself, without what suspended it",
        (false, false) => {
            "Counted in the call path with the constructs in it that are no user region, function, \
             task or parallel region"
        }
    }
}

/// What was counted between two borders belongs to the innermost region that has borders. For each
/// call path, in one pass: paths may be very long.
fn borders(cube: &Cube) -> IndexVec<CallId, CallId> {
    let mut borders: IndexVec<CallId, CallId> = IndexVec::default();
    for call in cube.calls.ids() {
        let role = cube.regions[cube.calls.region(call)].role;
        let has_borders = matches!(role, Role::Parallel | Role::User | Role::Function | Role::Task);
        borders.push(match cube.calls.parent(call) {
            Some(parent) if !has_borders => borders[parent],
            _ => call,
        });
    }
    borders
}

/// The metrics' classes in the trace, whose values come right before the Enter or Leave of the same
/// time.
pub fn classes(live: &LiveProcess) -> Vec<Vec<CountedMember>> {
    let own = |&(name, unit, mark): &(&str, MetricUnit, bool)| (name.to_owned(), unit, mark);
    let all = counted(live);
    let classes = metric_classes(all.len(), all.last().is_some_and(|&(_, _, mark)| mark));
    classes.map(|class| all[class].iter().map(own).collect()).collect()
}

/// A member of such a class: name, unit, and whether it is a mark.
pub type CountedMember = (String, MetricUnit, bool);

/// Defines a member of a class.
pub fn define_member(
    archive: &mut ArchiveWriter,
    id: MetricMemberRef,
    (name, unit, mark): &CountedMember,
) -> Result<(), Error> {
    let (unit, mark) = (*unit, *mark);
    let description = match mark {
        true => "The process's mark",
        false => "What the thread has counted so far",
    };
    let unit = match unit {
        MetricUnit::Count => "#",
        MetricUnit::Nanoseconds => "ns",
        MetricUnit::Bytes => "bytes",
    };
    let is_usage = mark || name.starts_with("ru_");
    let member = MetricMember {
        id,
        name: archive.string(name)?,
        description: archive.string(description)?,
        metric_type: if is_usage { enums::MetricType::RUSAGE } else { enums::MetricType::OTHER },
        metric_mode: match mark {
            true => enums::MetricMode::ABSOLUTE_POINT,
            false => enums::MetricMode::ACCUMULATED_START,
        },
        value_type: enums::ValueType::UINT64,
        base: enums::Base::DECIMAL,
        exponent: 0,
        unit: archive.string(unit)?,
    };
    archive.define(member)
}

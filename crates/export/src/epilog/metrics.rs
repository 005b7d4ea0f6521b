//! Metrics. In EPILOG each ENTER and EXIT has a value of each metric, so only those become metrics
//! that OTF2 records together with such events.

use std::collections::HashMap;

use pompeii_epilog::record::{Metric, Record};
use pompeii_otf2::definition::{Definition, MetricMember};
use pompeii_otf2::enums::{MetricMode, MetricOccurrence, ValueType};
use pompeii_otf2::event;
use pompeii_otf2::read::Archive;
use pompeii_replay::definitions::Definitions;

use super::left_out::LeftOut;
use super::strings::Strings;

/// Data type of whole values.
pub const WHOLE: u8 = 0;
/// Data type of real values.
pub const REAL: u8 = 1;

/// Mode and interval by the mode in OTF2, which has the span of time as well. A value that stands
/// for a moment has the interval 0, and so has the number since the start.
pub const MODES: [(MetricMode, u8, u8); 9] = [
    (MetricMode::ACCUMULATED_START, 0, 0),
    (MetricMode::ACCUMULATED_LAST, 0, 1),
    (MetricMode::ACCUMULATED_NEXT, 0, 2),
    (MetricMode::RELATIVE_POINT, 1, 0),
    (MetricMode::RELATIVE_LAST, 1, 1),
    (MetricMode::RELATIVE_NEXT, 1, 2),
    (MetricMode::ABSOLUTE_POINT, 2, 0),
    (MetricMode::ABSOLUTE_LAST, 2, 1),
    (MetricMode::ABSOLUTE_NEXT, 2, 2),
];

/// The metrics of a file.
#[derive(Debug, Default)]
pub struct Metrics {
    /// The definitions.
    pub records: Vec<Record>,
    number: usize,
    /// By class: the place of each of its members among the values of an event.
    places: HashMap<u32, Vec<Option<usize>>>,
}

impl Metrics {
    /// Of an archive.
    pub fn new(
        archive: &Archive,
        definitions: &Definitions,
        (strings, left_out): (&mut Strings, &mut LeftOut),
    ) -> Metrics {
        let mut metrics = Metrics::default();
        let mut of_member: HashMap<u32, Option<usize>> = HashMap::new();
        for definition in archive.definitions() {
            let Definition::MetricClass(class) = definition else { continue };
            let is_sum = definitions.sums.contains_key(&class.id.0);
            if is_sum || class.metric_occurrence == MetricOccurrence::ASYNCHRONOUS {
                continue;
            }
            let mut places = Vec::with_capacity(class.metric_members.len());
            for id in &class.metric_members {
                let place = match of_member.get(&id.0) {
                    Some(place) => *place,
                    None => metrics.add(archive.metric_member(*id), strings, left_out),
                };
                of_member.insert(id.0, place);
                places.push(place);
            }
            metrics.places.insert(class.id.0, places);
        }
        metrics
    }

    /// Adds a metric, and returns its place among the values; none if EPILOG has no such metrics.
    fn add(
        &mut self,
        member: Option<&MetricMember>,
        strings: &mut Strings,
        left_out: &mut LeftOut,
    ) -> Option<usize> {
        let metric = member.and_then(|member| metric(member, strings));
        if metric.is_none() {
            left_out.add("metrics of another kind");
        }
        self.records.push(metric?.into());
        self.number += 1;
        Some(self.number - 1)
    }

    /// Number of metrics.
    pub fn len(&self) -> usize {
        self.number
    }

    /// Takes the values of an event; returns whether the file has their metrics.
    pub fn read(&self, event: &event::Metric, values: &mut [u64]) -> bool {
        let Some(places) = self.places.get(&event.metric.0) else { return false };
        for (place, value) in places.iter().zip(&event.values) {
            if let Some(known) = place.and_then(|place| values.get_mut(place)) {
                (_, *known) = value.to_bits();
            }
        }
        true
    }
}

fn metric(member: &MetricMember, strings: &mut Strings) -> Option<Metric> {
    let mode = MODES.iter().find(|(mode, _, _)| *mode == member.metric_mode);
    let (_, mode, interval) = *mode?;
    let data_type = match member.value_type {
        ValueType::UINT64 | ValueType::INT64 => WHOLE,
        ValueType::DOUBLE => REAL,
        _ => return None,
    };
    let (name, description) = (strings.name(member.name), strings.optional(member.description));
    Some(Metric { id: member.id.0, name, description, data_type, mode, interval })
}

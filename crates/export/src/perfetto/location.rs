//! The packets of a location: slices of its regions and tasks, and values of its counters.

use std::collections::BTreeSet;

use pompeii_index::{CUT_BEGIN, CUT_END, TaskId, Visitor, Walk};
use pompeii_model::{LocationId, Region};
use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::event::{Event, Metric};
use pompeii_replay::counter::{Amount, Counter, CounterId};
use pompeii_replay::definitions::Sums;

use super::fields::{annotation, counter, defaults, event, packet, trace, track};
use super::tracks::{Tracks, descriptor, intern_categories, name_id};
use crate::by_location;
use crate::protobuf::Fields;
use crate::tasks;

/// A location while its events are read.
#[derive(Debug)]
pub struct Location<'a> {
    walk: Walk<'a>,
    found: Found<'a>,
}

/// What the walk finds, as packets.
#[derive(Debug)]
struct Found<'a> {
    tracks: &'a Tracks<'a>,
    id: LocationId,
    /// By region whether its name is defined.
    names: Vec<bool>,
    /// Counters whose tracks are defined.
    counters: BTreeSet<CounterId>,
    packets: Fields,
}

impl<'a> Location<'a> {
    /// Before the first event.
    pub fn new(tracks: &'a Tracks<'a>, id: LocationId) -> Location<'a> {
        let mut packets = Fields::default();
        packets.message(trace::PACKET, |to| {
            to.number(packet::SEQUENCE, tracks.sequence(id));
            to.number(packet::SEQUENCE_FLAGS, packet::STATE_CLEARED);
            to.message(packet::DEFAULTS, |to| {
                to.message(defaults::TRACK_EVENT, |to| {
                    to.number(defaults::TRACK, tracks.location(id));
                });
            });
            to.message(packet::INTERNED_DATA, intern_categories);
        });
        let names = vec![false; tracks.regions()];
        let found = Found { tracks, id, names, counters: BTreeSet::new(), packets };
        Location { walk: Walk::new(tracks.definitions), found }
    }
}

impl by_location::Location for Location<'_> {
    #[inline]
    fn event(&mut self, time: u64, event: &Event) {
        self.walk.event(time, event, &mut self.found);
        if let Event::Metric(metric) = event {
            self.found.metric(self.walk.now(), metric);
        }
    }

    fn bytes(&mut self) -> &mut Vec<u8> {
        self.found.packets.bytes()
    }

    fn end(self) -> Vec<u8> {
        let Location { walk, mut found } = self;
        walk.end(&mut found);
        std::mem::take(found.packets.bytes())
    }
}

impl Visitor for Found<'_> {
    fn enter(&mut self, _: u32) {}

    fn innermost(&mut self, _: u64, _: u64, _: u32) {}

    #[inline]
    fn begin(&mut self, _: usize, time: u64, region: u32, cuts: u8) {
        let Some(name) = self.tracks.name(region) else { return };
        let is_known = std::mem::replace(&mut self.names[region as usize], true);
        let tracks = self.tracks;
        self.packet(time, |to| {
            if !is_known {
                to.message(packet::INTERNED_DATA, |to| tracks.intern(region, to));
            }
            to.message(packet::TRACK_EVENT, |to| {
                to.number(event::TYPE, event::SLICE_BEGIN);
                to.number(event::CATEGORY, name.category);
                to.number(event::NAME_ID, name_id(region));
                if name.has_source {
                    to.number(event::SOURCE_ID, name_id(region));
                }
                if cuts & CUT_BEGIN != 0 {
                    annotate(to, "goes on", |to| to.number(annotation::BOOL, 1));
                }
            });
        });
    }

    #[inline]
    fn level(&mut self, _: usize, _: u64, end: u64, region: u32, _: u8) {
        if self.tracks.name(region).is_some() {
            self.event(end, |to| to.number(event::TYPE, event::SLICE_END));
        }
    }

    fn create(&mut self, time: u64, task: TaskId) {
        self.event(time, |to| {
            to.number(event::TYPE, event::INSTANT);
            to.text(event::NAME, &format!("create {}", tasks::name(task)));
            to.fixed(event::FLOW, tasks::flow(task));
        });
    }

    fn start(&mut self, time: u64, task: TaskId) {
        self.event(time, |to| {
            to.number(event::TYPE, event::SLICE_BEGIN);
            to.text(event::NAME, &tasks::name(task));
            to.fixed(event::FLOW, tasks::flow(task));
        });
    }

    fn fragment(&mut self, _: u64, end: u64, task: TaskId, cuts: u8) {
        // The end of the flow is an event of its own, because only the task that ends here may use
        // the number of the flow again.
        if cuts & CUT_END == 0 {
            self.event(end, |to| {
                to.number(event::TYPE, event::INSTANT);
                to.text(event::NAME, &format!("end {}", tasks::name(task)));
                to.fixed(event::LAST_OF_FLOW, tasks::flow(task));
            });
        }
        self.event(end, |to| to.number(event::TYPE, event::SLICE_END));
    }
}

impl Found<'_> {
    /// A packet of the sequence.
    #[inline]
    fn packet(&mut self, time: u64, fill: impl FnOnce(&mut Fields)) {
        let (time_ns, sequence) = (self.tracks.time_ns(time), self.tracks.sequence(self.id));
        self.packets.message(trace::PACKET, |to| {
            to.number(packet::TIMESTAMP, time_ns);
            to.number(packet::SEQUENCE, sequence);
            to.number(packet::SEQUENCE_FLAGS, packet::NEEDS_STATE);
            fill(to);
        });
    }

    /// A packet with an event.
    #[inline]
    fn event(&mut self, time: u64, fill: impl FnOnce(&mut Fields)) {
        self.packet(time, |to| to.message(packet::TRACK_EVENT, fill));
    }

    fn metric(&mut self, time: u64, metric: &Metric) {
        let tracks = self.tracks;
        if let Some(sums) = tracks.definitions.sums.get(&metric.metric.0) {
            self.sums(time, sums, &metric.values);
        }
        let Some(class) = tracks.definitions.counter_classes.get(&metric.metric.0) else { return };
        for (&id, value) in class.members.iter().zip(&metric.values) {
            if let Some(counter) = tracks.definitions.counters.get(id) {
                self.describe(id, counter);
                self.value(time, id, counter.amount(value));
            }
        }
    }

    /// The track of a counter, before its first value.
    fn describe(&mut self, id: CounterId, it: &Counter) {
        if !self.counters.insert(id) {
            return;
        }
        let (tracks, location) = (self.tracks, self.id);
        descriptor(&mut self.packets, tracks.sequence(location), |to| {
            to.number(track::UUID, tracks.counter(location, id));
            to.number(track::PARENT, tracks.location(location));
            to.text(track::NAME, &it.name);
            to.message(track::COUNTER, |to| to.text(counter::UNIT_NAME, &it.unit));
        });
    }

    fn value(&mut self, time: u64, id: CounterId, value: Amount) {
        let track = self.tracks.counter(self.id, id);
        self.event(time, |to| {
            to.number(event::TYPE, event::COUNTER);
            to.number(event::TRACK, track);
            match value {
                Amount::Whole(value) => to.signed(event::COUNTER_VALUE, value),
                Amount::Real(value) => to.double(event::DOUBLE_COUNTER_VALUE, value),
            }
        });
    }

    /// Visits without records.
    fn sums(&mut self, time: u64, sums: &Sums, values: &[MetricValue]) {
        let [MetricValue::U64(visits), MetricValue::U64(ticks), ..] = *values else { return };
        let region = self.tracks.definitions.regions.get(sums.region);
        let label = region.map(Region::label).unwrap_or_default();
        let ns = self.tracks.ns(ticks);
        self.event(time, |to| {
            to.number(event::TYPE, event::INSTANT);
            to.text(event::NAME, "visits without records");
            annotate(to, "region", |to| to.text(annotation::TEXT, &label));
            annotate(to, "visits", |to| to.number(annotation::UNSIGNED, visits));
            annotate(to, "duration in ns", |to| to.number(annotation::UNSIGNED, ns));
        });
    }
}

/// Adds a fact to an event.
pub fn annotate(to: &mut Fields, name: &str, value: impl FnOnce(&mut Fields)) {
    to.message(event::ANNOTATION, |to| {
        to.text(annotation::NAME, name);
        value(to);
    });
}

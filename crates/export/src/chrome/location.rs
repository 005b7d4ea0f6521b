//! The events of a location: its regions and tasks, and the values of its counters.

use std::fmt::Arguments;
use std::io::Write;
use std::ops::Range;

use pompeii_index::{CUT_BEGIN, CUT_END, TaskId, Visitor, Walk};
use pompeii_model::{LocationId, Region};
use pompeii_otf2::encode::MetricValue;
use pompeii_otf2::event::{Event, Metric};
use pompeii_replay::counter::{Amount, Counter};
use pompeii_replay::definitions::Sums;

use super::events::Events;
use crate::by_location::Location;
use crate::json::quoted;
use crate::tasks;

/// A location while its events are read.
pub struct Thread<'a> {
    walk: Walk<'a>,
    found: Found<'a>,
}

/// What the walk finds.
struct Found<'a> {
    events: &'a Events<'a>,
    id: LocationId,
    /// Process and thread, as fields.
    place: String,
    bytes: Vec<u8>,
    /// Where in the bytes the begins of regions are that only visits without length follow.
    begins: Vec<Range<usize>>,
}

impl<'a> Thread<'a> {
    /// Before the first event.
    pub fn new(events: &'a Events<'a>, id: LocationId) -> Thread<'a> {
        let found =
            Found { events, id, place: events.place(id), bytes: Vec::new(), begins: Vec::new() };
        Thread { walk: Walk::new(events.definitions), found }
    }
}

impl Location for Thread<'_> {
    #[inline]
    fn event(&mut self, time: u64, event: &Event) {
        if self.found.bytes.is_empty() {
            // They have been written, so nothing can be removed.
            self.found.begins.clear();
        }
        self.walk.event(time, event, &mut self.found);
        if let Event::Metric(metric) = event {
            self.found.metric(self.walk.now(), metric);
        }
    }

    fn bytes(&mut self) -> &mut Vec<u8> {
        &mut self.found.bytes
    }

    fn end(self) -> Vec<u8> {
        let Thread { walk, mut found } = self;
        walk.end(&mut found);
        found.bytes
    }
}

impl Visitor for Found<'_> {
    fn enter(&mut self, _: u32) {}

    fn innermost(&mut self, _: u64, _: u64, _: u32) {}

    fn begin(&mut self, _: usize, time: u64, region: u32, cuts: u8) {
        let events = self.events;
        let Some((fields, source)) = events.regions.get(region as usize) else { return };
        let start = self.bytes.len();
        self.write('B', time, format_args!(",{fields},\"args\":{{{}}}", arguments(source, cuts)));
        self.begins.push(start..self.bytes.len());
    }

    fn level(&mut self, _: usize, start: u64, end: u64, region: u32, cuts: u8) {
        let events = self.events;
        let Some((fields, source)) = events.regions.get(region as usize) else { return };
        let time_ns = |time| events.clock.time_ns(time);
        if time_ns(start) < time_ns(end) || !self.take_back() {
            // Some readers only end what has the same name.
            self.add('E', end, format_args!(",{fields}"));
        } else if cuts & CUT_BEGIN == 0 {
            let arguments = arguments(source, cuts);
            self.write('i', end, format_args!(",\"s\":\"t\",{fields},\"args\":{{{arguments}}}"));
        }
    }

    /// An event of its own, because some readers draw arrows only between events with the category
    /// of the flow.
    fn create(&mut self, time: u64, task: TaskId) {
        let name = tasks::name(task);
        self.add(
            'i',
            time,
            format_args!(",\"s\":\"t\",\"name\":\"create {name}\",\"cat\":\"task\""),
        );
        self.flow('s', time, task);
    }

    fn start(&mut self, time: u64, task: TaskId) {
        let name = tasks::name(task);
        self.add('B', time, format_args!(",\"name\":\"{name}\",\"cat\":\"task\""));
        self.flow('t', time, task);
    }

    fn fragment(&mut self, _: u64, end: u64, task: TaskId, cuts: u8) {
        if cuts & CUT_END == 0 {
            self.flow('f', end, task);
        }
        self.add('E', end, format_args!(",\"name\":\"{}\",\"cat\":\"task\"", tasks::name(task)));
    }
}

/// The arguments of a region.
fn arguments(source: &str, cuts: u8) -> String {
    let goes_on = if cuts & CUT_BEGIN != 0 { "\"goes on\":true" } else { "" };
    let comma = if source.is_empty() || goes_on.is_empty() { "" } else { "," };
    format!("{source}{comma}{goes_on}")
}

impl Found<'_> {
    fn add(&mut self, kind: char, time: u64, more: Arguments<'_>) {
        self.begins.clear();
        self.write(kind, time, more);
    }

    /// Removes the last begin of a region if only visits without length follow it. Readers take
    /// ends before begins of the same time, so the end of a visit without length would meet no
    /// begin. Such a visit becomes an instant, and such a part of a visit, in which a task goes on
    /// and is suspended at once, no event.
    fn take_back(&mut self) -> bool {
        let begin = self.begins.pop();
        begin.is_some_and(|begin| self.bytes.drain(begin).next().is_some())
    }

    fn write(&mut self, kind: char, time: u64, more: Arguments<'_>) {
        let (time, place) = (self.events.time(time), &self.place);
        // Writing to memory does not fail.
        let _ = write!(self.bytes, ",\n{{\"ph\":\"{kind}\",{place},\"ts\":{time}{more}}}");
    }

    /// A part of the arrow from the creation of a task to its end. It belongs to the region or the
    /// task around.
    fn flow(&mut self, kind: char, time: u64, task: TaskId) {
        let flow = tasks::flow(task);
        let around = if kind == 'f' { ",\"bp\":\"e\"" } else { "" };
        let fields =
            format_args!(",\"name\":\"task\",\"cat\":\"task\",\"id\":\"{flow:#x}\"{around}");
        self.add(kind, time, fields);
    }

    fn metric(&mut self, time: u64, metric: &Metric) {
        let definitions = self.events.definitions;
        if let Some(sums) = definitions.sums.get(&metric.metric.0) {
            self.sums(time, sums, &metric.values);
        }
        let Some(class) = definitions.counter_classes.get(&metric.metric.0) else { return };
        for (&id, value) in class.members.iter().zip(&metric.values) {
            if let Some(counter) = definitions.counters.get(id) {
                self.counter(time, counter, counter.amount(value));
            }
        }
    }

    /// Counters are those of a process in this format. The id tells those of threads apart.
    fn counter(&mut self, time: u64, counter: &Counter, value: Amount) {
        let value = match value {
            Amount::Whole(value) => value.to_string(),
            Amount::Real(value) if value.is_finite() => value.to_string(),
            // JSON has no word for it.
            Amount::Real(_) => return,
        };
        let (name, unit) = (quoted(&counter.name), quoted(&counter.unit));
        let thread = u64::from(self.id.0) + 1;
        let fields = format_args!(",\"name\":{name},\"id\":{thread},\"args\":{{{unit}:{value}}}");
        self.add('C', time, fields);
    }

    /// Visits without records.
    fn sums(&mut self, time: u64, sums: &Sums, values: &[MetricValue]) {
        let [MetricValue::U64(visits), MetricValue::U64(ticks), ..] = *values else { return };
        let region = self.events.definitions.regions.get(sums.region);
        let region = quoted(&region.map(Region::label).unwrap_or_default());
        let ns = self.events.clock.ns(ticks);
        let facts = format_args!("\"region\":{region},\"visits\":{visits},\"duration in ns\":{ns}");
        let name = "\"name\":\"visits without records\",\"s\":\"t\"";
        self.add('i', time, format_args!(",{name},\"args\":{{{facts}}}"));
    }
}

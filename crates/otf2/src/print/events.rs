//! The lines of events, and of what snapshots tell of them; those of one subject in a file each.

mod io;
mod mpi;
mod regions;
mod rma;
mod threads;

use super::line::{Line, shown, value_text};
use super::number::general;
use super::{Options, Times};
use crate::encode::MetricValue;
use crate::enums::ValueType;
use crate::event::Event;
use crate::read::EventView;
use crate::reference::*;
use crate::snapshot::Snapshot;
use crate::value::AttributeValue;

use super::names::Names;
pub(super) use regions::RegionLines;

/// Appends the lines of an event.
#[inline]
pub(super) fn event(
    out: &mut Vec<u8>,
    names: &Names,
    options: &Options,
    lines: &mut RegionLines,
    it: EventView<'_>,
) {
    let is_plain = options.times == Times::Plain && it.attributes.is_empty();
    if !(is_plain && lines.put(out, names, it)) {
        any_event(out, names, options, it);
    }
}

fn any_event(out: &mut Vec<u8>, names: &Names, options: &Options, it: EventView<'_>) {
    let mut printer = Printer { out, names, options, location: it.location, time: it.time };
    printer.event(it.event);
    printer.attributes(it.attributes);
}

/// Appends the lines of a record of a snapshot, as if what it tells happened now.
pub(super) fn snapshot(
    out: &mut Vec<u8>,
    names: &Names,
    options: &Options,
    (location, time): (LocationRef, u64),
    it: &Snapshot,
    attributes: &[AttributeValue],
) {
    let time = it.orig_event_time().unwrap_or(time);
    let mut printer = Printer { out, names, options, location, time };
    match it {
        Snapshot::SnapshotStart(it) => {
            printer.line("SNAPSHOT_START").number("# Events", it.number_of_records).end();
        }
        Snapshot::SnapshotEnd(it) => {
            printer.line("SNAPSHOT_END").number("Cont. Read Position", it.cont_read_pos).end();
        }
        it => match it.event() {
            Some(event) => printer.event(&event),
            None => printer.unknown(),
        },
    }
    printer.attributes(attributes);
}

struct Printer<'a> {
    out: &'a mut Vec<u8>,
    names: &'a Names,
    options: &'a Options,
    location: LocationRef,
    time: u64,
}

impl Printer<'_> {
    fn line(&mut self, name: &str) -> Line<'_> {
        let time = (self.options.times, self.time);
        Line::event(self.out, self.names, name, self.location, time)
    }

    fn unknown(&mut self) {
        let mut line = self.line("UNKNOWN");
        // No fields follow, and no blanks in front of them.
        line.out.truncate(line.out.len() - 2);
        line.end();
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Unknown(_) => self.unknown(),
            event => {
                let known = self.general(event)
                    || self.mpi(event)
                    || self.collective(event)
                    || self.threads(event)
                    || self.omp(event)
                    || self.rma(event)
                    || self.rma_operation(event)
                    || self.io(event);
                if !known {
                    self.io_operation(event);
                }
            }
        }
    }

    /// The line below an event with its attributes.
    fn attributes(&mut self, attributes: &[AttributeValue]) {
        if attributes.is_empty() {
            return;
        }
        let mut line = Line::below(self.out, self.names);
        line.text("ADDITIONAL ATTRIBUTES: ");
        for (number, AttributeValue { attribute, value }) in attributes.iter().enumerate() {
            let name = line.names.of(*attribute);
            let text = value_text(line.names, value);
            line.text(if number == 0 { "" } else { ", " });
            line.text(&format!("({name}; {}; {text})", shown(value.kind())));
        }
        line.end();
    }

    /// Events of the measurement and of any program.
    fn general(&mut self, event: &Event) -> bool {
        match event {
            Event::BufferFlush(it) => {
                let time = self.options.times.text(it.stop_time.0);
                self.line("BUFFER_FLUSH").field("Stop Time", &time).end();
            }
            Event::MeasurementOnOff(it) => {
                self.line("MEASUREMENT_ON_OFF").value("Mode", it.measurement_mode).end();
            }
            Event::Enter(it) => self.line("ENTER").name("Region", it.region).end(),
            Event::Leave(it) => self.line("LEAVE").name("Region", it.region).end(),
            Event::Metric(it) => self.metric(it.metric, &it.values),
            Event::ParameterString(it) => {
                let mut line = self.line("PARAMETER_STRING");
                line.name("Parameter", it.parameter).name("Value", it.string).end();
            }
            Event::ParameterInt(it) => {
                let mut line = self.line("PARAMETER_INT64");
                line.name("Parameter", it.parameter).signed("Value", it.value).end();
            }
            Event::ParameterUnsignedInt(it) => {
                let mut line = self.line("PARAMETER_UINT64");
                line.name("Parameter", it.parameter).number("Value", it.value).end();
            }
            Event::CallingContextEnter(it) => {
                let mut line = self.line("CALLING_CONTEXT_ENTER");
                line.name("Calling Context", it.calling_context);
                line.optional("Unwind Distance", it.unwind_distance).end();
                self.unwind(it.calling_context, it.unwind_distance);
            }
            Event::CallingContextLeave(it) => {
                let mut line = self.line("CALLING_CONTEXT_LEAVE");
                line.name("Calling Context", it.calling_context).end();
                // The context that is left has come to its end.
                self.unwind(it.calling_context, 1);
            }
            Event::CallingContextSample(it) => {
                let mut line = self.line("CALLING_CONTEXT_SAMPLE");
                line.name("Calling Context", it.calling_context);
                line.optional("Unwind Distance", it.unwind_distance);
                line.name("Interrupt Generator", it.interrupt_generator).end();
                self.unwind(it.calling_context, it.unwind_distance);
            }
            Event::ProgramBegin(it) => {
                let mut line = self.line("PROGRAM_BEGIN");
                line.name("Name", it.program_name).count(it.program_arguments.len(), "Argument");
                line.list(&it.program_arguments, |line, &argument| {
                    line.name("", argument);
                });
                line.end();
            }
            Event::ProgramEnd(it) => {
                // The smallest number stands for a status that is not known.
                let status = match it.exit_status {
                    i64::MIN => "UNDEFINED".to_owned(),
                    status => status.to_string(),
                };
                self.line("PROGRAM_END").field("Exit status", &status).end();
            }
            _ => return false,
        }
        true
    }

    fn metric(&mut self, metric: MetricRef, values: &[MetricValue]) {
        let mut line = self.line("METRIC");
        line.name("Metric", metric).count(values.len(), "Value");
        line.list(values.iter().enumerate(), |line, (index, value)| {
            line.text("(");
            match line.names.metric_member(metric, index) {
                Some(member) => line.shown(member),
                None => line.text("INVALID"),
            };
            match *value {
                MetricValue::U64(value) => line.text("; UINT64; ").digits(value),
                MetricValue::I64(value) => line.text(&format!("; INT64; {value}")),
                MetricValue::F64(value) => line.text("; DOUBLE; ").text(&general(value)),
                MetricValue::Other { kind, bits } => {
                    line.text(&format!("; INVALID <{}>; {bits:08x}", ValueType(kind).0))
                }
            };
            line.text(")");
        });
        line.end();
    }

    /// The callers of a calling context, each on a line: `+` was entered since the last event, `*`
    /// was not left, `?` is not known.
    fn unwind(&mut self, context: CallingContextRef, mut distance: u32) {
        let mut next = context;
        // Damaged definitions may form a circle.
        let mut lines_left = if self.options.unwind { 10_000 } else { 0 };
        while !next.is_undefined() && lines_left > 0 {
            lines_left -= 1;
            let name = self.names.of(next);
            let mut line = Line::below(self.out, self.names);
            let Some(caller) = self.names.caller(next) else {
                line.text(&name).end();
                return;
            };
            line.text(match distance {
                u32::MAX => "?",
                2.. => "+",
                1 => "*",
                0 => " ",
            });
            line.text(&name).end();
            next = caller;
            distance = if distance == u32::MAX { distance } else { distance.saturating_sub(1) };
        }
    }
}

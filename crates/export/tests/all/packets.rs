//! Perfetto's packets as text, a line for each. A reader that others wrote checks the format
//! (`cli/tests/all/oracle_convert.rs`); this one only makes tests readable.

use std::collections::HashMap;
use std::fmt::Write;

/// A field of a message: its number and its value.
#[derive(Clone, Copy)]
enum Field<'a> {
    Number(u64, u64),
    Fixed(u64, u64),
    Bytes(u64, &'a [u8]),
}

/// All fields of a message.
struct Message<'a>(Vec<Field<'a>>);

impl<'a> Message<'a> {
    fn new(mut bytes: &'a [u8]) -> Message<'a> {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let key = varint(&mut bytes);
            fields.push(match key & 7 {
                0 => Field::Number(key >> 3, varint(&mut bytes)),
                1 => Field::Fixed(key >> 3, fixed(&mut bytes)),
                2 => {
                    let length = varint(&mut bytes) as usize;
                    let (value, rest) = bytes.split_at(length);
                    bytes = rest;
                    Field::Bytes(key >> 3, value)
                }
                kind => panic!("no field has the kind {kind}"),
            });
        }
        Message(fields)
    }

    fn number(&self, wanted: u64) -> Option<u64> {
        self.0.iter().find_map(|field| match *field {
            Field::Number(number, value) | Field::Fixed(number, value) if number == wanted => {
                Some(value)
            }
            _ => None,
        })
    }

    fn all(&self, wanted: u64) -> impl Iterator<Item = &'a [u8]> {
        self.0.iter().filter_map(move |field| match *field {
            Field::Bytes(number, value) if number == wanted => Some(value),
            _ => None,
        })
    }

    fn message(&self, wanted: u64) -> Option<Message<'a>> {
        self.all(wanted).next().map(Message::new)
    }

    fn text(&self, wanted: u64) -> Option<&'a str> {
        self.all(wanted).next().map(|bytes| std::str::from_utf8(bytes).unwrap())
    }
}

fn varint(bytes: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let (first, rest) = bytes.split_first().unwrap();
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            break;
        }
    }
    value
}

fn fixed(bytes: &mut &[u8]) -> u64 {
    let (value, rest) = bytes.split_first_chunk::<8>().unwrap();
    *bytes = rest;
    u64::from_le_bytes(*value)
}

/// What sequences have defined, and flows in the order in which they occur.
#[derive(Default)]
struct State {
    names: HashMap<(u64, u64), String>,
    categories: HashMap<(u64, u64), String>,
    sources: HashMap<(u64, u64), String>,
    tracks: HashMap<u64, u64>,
    flows: Vec<u64>,
}

/// Shows a file.
pub fn show(file: &[u8]) -> String {
    let (mut state, mut text) = (State::default(), String::new());
    for packet in Message::new(file).all(1) {
        let packet = Message::new(packet);
        let sequence = packet.number(10).unwrap();
        state.define(sequence, &packet);
        if let Some(track) = packet.message(60) {
            writeln!(text, "{}", descriptor(&track)).unwrap();
        }
        if let Some(event) = packet.message(11) {
            let time = packet.number(8).unwrap();
            writeln!(text, "{time} {}", state.event(sequence, &event)).unwrap();
        }
    }
    text
}

fn descriptor(track: &Message<'_>) -> String {
    let uuid = track.number(1).unwrap();
    let parent = track.number(5).map_or(String::new(), |parent| format!(" in {parent}"));
    let what = if let Some(process) = track.message(3) {
        format!("process {} {}", process.number(1).unwrap(), process.text(6).unwrap())
    } else if let Some(thread) = track.message(4) {
        let (pid, tid) = (thread.number(1).unwrap(), thread.number(2).unwrap());
        format!("thread {tid} of {pid} {}", thread.text(5).unwrap())
    } else {
        let counter = track.message(8).unwrap();
        format!("counter {} in {}", track.text(2).unwrap(), counter.text(6).unwrap())
    };
    format!("track {uuid}{parent}: {what}")
}

impl State {
    fn define(&mut self, sequence: u64, packet: &Message<'_>) {
        if let Some(track) = packet.message(59).and_then(|defaults| defaults.message(11)) {
            self.tracks.insert(sequence, track.number(11).unwrap());
        }
        let Some(data) = packet.message(12) else { return };
        let key = |entry: &Message<'_>| (sequence, entry.number(1).unwrap());
        for entry in data.all(1).map(Message::new) {
            self.categories.insert(key(&entry), entry.text(2).unwrap().to_owned());
        }
        for entry in data.all(2).map(Message::new) {
            let before = self.names.insert(key(&entry), entry.text(2).unwrap().to_owned());
            assert_eq!(before, None, "a name is defined once");
        }
        for entry in data.all(4).map(Message::new) {
            let source = format!("{}:{}", entry.text(2).unwrap(), entry.number(4).unwrap());
            self.sources.insert(key(&entry), source);
        }
    }

    fn event(&mut self, sequence: u64, event: &Message<'_>) -> String {
        let track = event.number(11).unwrap_or_else(|| self.tracks[&sequence]);
        let name = match (event.text(23), event.number(10)) {
            (Some(name), _) => format!(" {name}"),
            (None, Some(id)) => format!(" {}", self.names[&(sequence, id)]),
            (None, None) => String::new(),
        };
        let kind = ["begin", "end", "instant", "counter"][event.number(9).unwrap() as usize - 1];
        let mut text = format!("on {track}: {kind}{name}");
        if let Some(id) = event.number(3) {
            write!(text, " ({})", self.categories[&(sequence, id)]).unwrap();
        }
        if let Some(id) = event.number(34) {
            write!(text, " {}", self.sources[&(sequence, id)]).unwrap();
        }
        if let Some(value) = event.number(30) {
            write!(text, " {}", value.cast_signed()).unwrap();
        }
        if let Some(value) = event.number(44) {
            write!(text, " {}", f64::from_bits(value)).unwrap();
        }
        for (field, words) in [(47, "flow"), (48, "last of flow")] {
            if let Some(flow) = event.number(field) {
                write!(text, ", {words} {}", self.flow(flow)).unwrap();
            }
        }
        for annotation in event.all(4).map(Message::new) {
            let value = annotation.number(2).or(annotation.number(3));
            let value = value.map(|number| number.to_string());
            let value = value.or(annotation.text(6).map(str::to_owned)).unwrap();
            write!(text, ", {} {value}", annotation.text(10).unwrap()).unwrap();
        }
        text
    }

    /// The number of a flow among those that occur, from 1.
    fn flow(&mut self, flow: u64) -> usize {
        let known = self.flows.iter().position(|known| *known == flow);
        let place = known.unwrap_or_else(|| {
            self.flows.push(flow);
            self.flows.len() - 1
        });
        place + 1
    }
}

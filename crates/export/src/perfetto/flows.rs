//! The messages of MPI: an instant at each end, and a flow from the send to the receive. Which ends
//! belong together is known from the analysis of the trace, which keeps messages on their way only.

use std::io::{self, Write};

use pompeii_model::LocationId;
use pompeii_replay::compound::Delivery;
use pompeii_replay::{Compound, Options, Trace, replay};

use super::fields::{annotation, event, packet, trace};
use super::location::annotate;
use super::tracks::Tracks;
use crate::by_location::LOT_BYTES;
use crate::protobuf::Fields;
use crate::source::Error;

/// Writes all messages of a trace.
pub fn write<W: Write + Send>(trace: Trace, tracks: &Tracks<'_>, out: &mut W) -> Result<(), Error> {
    let mut messages = Messages { tracks, out, packets: Fields::default(), number: 0 };
    messages.begin();
    let mut result: io::Result<()> = Ok(());
    replay(trace, Options::default(), &mut |found| {
        if let (Compound::Delivery(it), true) = (&found, result.is_ok()) {
            result = messages.add(it);
        }
    });
    result?;
    messages.write()?;
    Ok(())
}

/// The messages so far.
struct Messages<'a, W> {
    tracks: &'a Tracks<'a>,
    out: &'a mut W,
    packets: Fields,
    /// Number of the last message.
    number: u64,
}

/// An end of a message.
struct End<'a> {
    name: &'static str,
    at: LocationId,
    time: u64,
    /// Where the other end is.
    partner: LocationId,
    message: &'a Delivery,
}

impl<W: Write> Messages<'_, W> {
    /// The first packet of the sequence.
    fn begin(&mut self) {
        let sequence = self.tracks.message_sequence();
        self.packets.message(trace::PACKET, |to| {
            to.number(packet::SEQUENCE, sequence);
            to.number(packet::SEQUENCE_FLAGS, packet::STATE_CLEARED);
        });
    }

    fn add(&mut self, message: &Delivery) -> io::Result<()> {
        self.number += 1;
        let (sender, receiver) = (message.send.at.location, message.at.location);
        let (sent, received) = (message.sent, message.received);
        self.end(&End { name: "send", at: sender, time: sent, partner: receiver, message });
        self.end(&End { name: "receive", at: receiver, time: received, partner: sender, message });
        if self.packets.as_bytes().len() < LOT_BYTES {
            return Ok(());
        }
        self.write()
    }

    fn end(&mut self, end: &End<'_>) {
        let (tracks, flow) = (self.tracks, self.number);
        let process = tracks.definitions.system.locations[end.partner].process;
        let partner = &tracks.definitions.system.processes[process].name;
        self.packets.message(trace::PACKET, |to| {
            to.number(packet::TIMESTAMP, tracks.time_ns(end.time));
            to.number(packet::SEQUENCE, tracks.message_sequence());
            to.number(packet::SEQUENCE_FLAGS, packet::NEEDS_STATE);
            to.message(packet::TRACK_EVENT, |to| {
                to.number(event::TYPE, event::INSTANT);
                to.number(event::TRACK, tracks.location(end.at));
                to.text(event::NAME, end.name);
                // No other flow has this number. Therefore none is the last event of its flow, and
                // a receive that a clock error puts before its send is connected, too.
                to.fixed(event::FLOW, flow);
                annotate(to, "partner", |to| to.text(annotation::TEXT, partner));
                let numbers = [
                    ("bytes", end.message.send.bytes),
                    ("tag", u64::from(end.message.tag)),
                    ("communicator", u64::from(end.message.comm)),
                ];
                for (name, number) in numbers {
                    annotate(to, name, |to| to.number(annotation::UNSIGNED, number));
                }
            });
        });
    }

    fn write(&mut self) -> io::Result<()> {
        self.out.write_all(self.packets.as_bytes())?;
        self.packets.bytes().clear();
        Ok(())
    }
}

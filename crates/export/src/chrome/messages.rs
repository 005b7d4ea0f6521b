//! The messages of MPI: an instant at each end, and a flow from the send to the receive.

use std::io::{self, Write};

use pompeii_model::LocationId;
use pompeii_replay::compound::Delivery;
use pompeii_replay::{Compound, Options, Trace, replay};

use super::events::Events;
use crate::json::quoted;
use crate::source::Error;

/// Writes all messages of a trace.
pub fn write<W: Write + Send>(trace: Trace, events: &Events<'_>, out: &mut W) -> Result<(), Error> {
    let mut number = 0;
    let mut result: io::Result<()> = Ok(());
    replay(trace, Options::default(), &mut |found| {
        if let (Compound::Delivery(it), true) = (&found, result.is_ok()) {
            number += 1;
            result = out.write_all(message(events, it, number).as_bytes());
        }
    });
    Ok(result?)
}

fn message(events: &Events<'_>, it: &Delivery, number: u64) -> String {
    let (sender, receiver) = (it.send.at.location, it.at.location);
    let sent = end(events, it, number, ("send", "\"s\"", sender, receiver, it.sent));
    // The arrow ends at the region around, not at the next one.
    let received =
        end(events, it, number, ("receive", "\"f\",\"bp\":\"e\"", receiver, sender, it.received));
    sent + &received
}

/// An end: the location, the one of the other end, and the time.
fn end(
    events: &Events<'_>,
    message: &Delivery,
    number: u64,
    (name, flow, at, other, time): (&str, &str, LocationId, LocationId, u64),
) -> String {
    let system = &events.definitions.system;
    let partner = quoted(&system.processes[system.locations[other].process].name);
    let place = format!("{},\"ts\":{}", events.place(at), events.time(time));
    let Delivery { comm, tag, .. } = message;
    let facts = format!(
        "\"partner\":{partner},\"bytes\":{},\"tag\":{tag},\"communicator\":{comm}",
        message.send.bytes
    );
    format!(
        ",\n{{\"ph\":\"i\",\"s\":\"t\",{place},\"name\":\"{name}\",\"cat\":\"mpi\",\"args\":{{{facts}}}}}\
         ,\n{{\"ph\":{flow},{place},\"name\":\"message\",\"cat\":\"mpi\",\"id\":\"{number:#x}\"}}"
    )
}

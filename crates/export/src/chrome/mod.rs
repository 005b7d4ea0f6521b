//! The trace events of Chrome: JSON for chrome://tracing and for tools that do not read Perfetto's
//! own format.
//!
//! | in the trace | event (`ph`) |
//! |---|---|
//! | name of a process, of a thread | metadata (`M`) |
//! | visit of a region | begin and end (`B`, `E`), with file and line |
//! | fragment of a task instance | the same, around its regions |
//! | task instance, message | flow (`s`, `t`, `f`) |
//! | value of a counter | counter (`C`) |
//! | creation of a task instance, ends of messages, visits without records | instant (`i`) |
//!
//! Times are microseconds since the begin of the measurement, with three decimals. Events of a
//! location stand in the order of time, messages after all locations.
//!
//! Source: "Trace Event Format" of the project Catapult.

mod events;
mod location;
mod messages;

use std::io::Write;

use pompeii_replay::Trace;
use pompeii_replay::definitions::Definitions;

use crate::by_location;
use crate::source::{Error, Open, Read};
use events::Events;
use location::Thread;

/// How often the events of a trace are read: once more if there may be messages.
pub fn passes(definitions: &Definitions) -> u64 {
    if definitions.connected_processes() > 1 { 2 } else { 1 }
}

/// Writes a trace.
///
/// # Errors
/// The trace cannot be opened, or the file cannot be written.
pub fn write<W: Write + Send>(open: Open<'_>, out: &mut W) -> Result<Read, Error> {
    let Trace { definitions, streams } = open()?;
    let events = Events::new(&definitions);
    out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    out.write_all(events.names().as_bytes())?;
    let mut read = Read::default();
    for (id, mut stream) in definitions.system.locations.ids().zip(streams) {
        by_location::write(Thread::new(&events, id), (&mut stream, &mut read), out)?;
    }
    if passes(&definitions) > 1 {
        messages::write(open()?, &events, out)?;
    }
    out.write_all(b"\n]}\n")?;
    Ok(read)
}

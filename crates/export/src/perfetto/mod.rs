//! The format of Perfetto: a file for the timeline at ui.perfetto.dev, and for SQL in its
//! `trace_processor`. It is a row of packets, and each packet belongs to a sequence:
//!
//! | sequence | packets |
//! |---|---|
//! | 1 | the tracks: a process for each process, a thread for each location (`tracks.rs`) |
//! | 2, 3, ... | one for each location: slices, tasks and counters by time (`location.rs`) |
//! | the last one | both ends of all messages (`flows.rs`) |
//!
//! * Each visit of a region is a slice. A name is stored once for each sequence.
//! * A task is cut where it is suspended: then its regions end, and further slices follow when it
//!   goes on. These have the annotation `goes on`. Around the regions of a task is a slice with the
//!   name of the instance, `task_THREAD_NUMBER`. A flow leads from its creation over these slices
//!   to its end.
//! * A flow leads from the send of a message to its receive.
//! * A counter is a track below its location, with the values that the trace has.
//! * What the guard of the measurement has summed is an instant with the number of visits and their
//!   time, at the end of the region around.
//!
//! Times are nanoseconds since the begin of the measurement.

mod fields;
mod flows;
mod location;
mod tracks;

use std::io::Write;

use pompeii_replay::Trace;
use pompeii_replay::definitions::Definitions;

use crate::by_location;
use crate::protobuf::Fields;
use crate::source::{Error, Open, Read};
use location::Location;
use tracks::Tracks;

/// How often the events of a trace are read: once more if there may be messages.
pub fn passes(definitions: &Definitions) -> u64 {
    if definitions.connected_processes() > 1 { 2 } else { 1 }
}

/// Writes a trace.
///
/// # Errors
/// The trace cannot be opened, or the file cannot be written. Damaged records are left out, and
/// counted in what is returned.
pub fn write<W: Write + Send>(open: Open<'_>, out: &mut W) -> Result<Read, Error> {
    let Trace { definitions, streams } = open()?;
    let tracks = Tracks::new(&definitions);
    let mut packets = Fields::default();
    tracks.describe(&mut packets);
    out.write_all(packets.as_bytes())?;
    let mut read = Read::default();
    for (id, mut stream) in definitions.system.locations.ids().zip(streams) {
        by_location::write(Location::new(&tracks, id), (&mut stream, &mut read), out)?;
    }
    if passes(&definitions) > 1 {
        flows::write(open()?, &tracks, out)?;
    }
    Ok(read)
}

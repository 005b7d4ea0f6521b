//! The format of Firefox Profiler: JSON with the call stacks of each thread over time and the
//! tables of their frames.
//!
//! | in the trace | in the profile |
//! |---|---|
//! | time between two events of a location | a sample with the call stack, whose weight is the time |
//! | region | a frame and a function, with file and line; its category is the programming model |
//! | fragment of a task instance | a marker |
//!
//! A task is cut where it is suspended: its regions end, and begin again when it goes on. Messages
//! and counters are left out. The version of the format is 55, the last one whose tables are those
//! of each thread; the profiler brings profiles of older versions up to date when it opens them.
//!
//! Source: the documents "Processed profile format" and "Profile format changelog" of Firefox
//! Profiler.

mod column;
mod thread;

use std::io::Write;
use std::ops::ControlFlow;

use pompeii_index::Walk;
use pompeii_model::Paradigm;
use pompeii_replay::Trace;

use crate::json::quoted;
use crate::source::{Error, Open, Read};
use thread::Thread;

/// The version of the format.
const VERSION: u32 = 55;
/// The version of Firefox's own format from that time, which readers expect next to it.
const GECKO_VERSION: u32 = 31;

/// Categories with their names and colours. One must be grey.
const CATEGORIES: [(Paradigm, &str, &str); 6] = [
    (Paradigm::Measurement, "Other", "grey"),
    (Paradigm::User, "User", "green"),
    (Paradigm::OpenMp, "OpenMP", "blue"),
    (Paradigm::Mpi, "MPI", "orange"),
    (Paradigm::Io, "I/O", "yellow"),
    (Paradigm::Pthread, "POSIX threads", "purple"),
];

/// What markers have.
const MARKERS: &str = "{\"name\":\"task\",\"tooltipLabel\":\"{marker.data.instance}\",\
    \"tableLabel\":\"{marker.data.instance}\",\"chartLabel\":\"{marker.data.instance}\",\
    \"display\":[\"marker-chart\",\"marker-table\",\"timeline-overview\"],\
    \"fields\":[{\"key\":\"instance\",\"label\":\"Instance\",\"format\":\"string\"}]}";

/// Writes a trace.
///
/// # Errors
/// The trace cannot be opened, or the file cannot be written.
pub fn write(open: Open<'_>, out: &mut impl Write) -> Result<Read, Error> {
    let Trace { definitions, streams } = open()?;
    writeln!(out, "{{\"meta\":{},\"libs\":[],\"threads\":[", meta(&definitions.program))?;
    let mut read = Read::default();
    for (id, mut stream) in definitions.system.locations.ids().zip(streams) {
        if id.0 > 0 {
            out.write_all(b",")?;
        }
        let mut walk = Walk::new(&definitions);
        let mut thread = Thread::new(&definitions);
        read.some(&mut stream, |time, event| {
            walk.event(time, event, &mut thread);
            ControlFlow::Continue(())
        });
        walk.end(&mut thread);
        thread.write(id, out)?;
    }
    out.write_all(b"\n]}\n")?;
    Ok(read)
}

fn meta(program: &str) -> String {
    let category = |(_, name, colour): &(Paradigm, &str, &str)| {
        format!("{{\"name\":\"{name}\",\"color\":\"{colour}\",\"subcategories\":[\"Other\"]}}")
    };
    let categories = CATEGORIES.each_ref().map(category).join(",");
    format!(
        "{{\"preprocessedProfileVersion\":{VERSION},\"version\":{GECKO_VERSION},\"interval\":1,\
         \"startTime\":0,\"processType\":0,\"stackwalk\":1,\"symbolicated\":true,\
         \"usesOnlyOneStackType\":true,\"product\":{},\"importedFrom\":\"Pompeii\",\
         \"categories\":[{categories}],\"markerSchema\":[{MARKERS}]}}",
        quoted(program)
    )
}

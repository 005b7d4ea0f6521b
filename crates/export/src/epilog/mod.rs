//! EPILOG, the traces of KOJAK and of Scalasca up to version 1.4: to it and from it.
//!
//! | OTF2 | EPILOG |
//! |---|---|
//! | system tree, location groups, locations | MACHINE, NODE, PROCESS, THREAD, LOCATION |
//! | regions, and those that stand for a call site | REGION, CALL_SITE with ENTER_CS |
//! | communicators of MPI | MPI_COMM; if their ranks have another order, MPI_GROUP |
//! | metrics that are read at each Enter and Leave | METRIC, and a value in each ENTER and EXIT |
//! | Leave of a construct that a team executes together | OMP_COLLEXIT |
//! | MpiCollectiveBegin, MpiCollectiveEnd, Leave | MPI_COLLEXIT |
//! | request of a message, size of a received one | ATTR_UI4 before the event |
//! | ProgramBegin, ProgramEnd | ENTER and EXIT of a region of kind 0 without a file |
//! | BufferFlush, MeasurementOnOff | ENTER_TRACING and EXIT_TRACING, LOG_ON and LOG_OFF |
//!
//! In OTF2 the events of the last row have no values of metrics: EPILOG gets those of the event
//! before.
//!
//! EPILOG has no tasks, and its EXIT has no region. Therefore a suspended task is left and entered
//! again, as in `split`. Whatever has no place is counted (`left_out.rs`).

mod communicators;
mod definitions;
mod events;
pub mod import;
mod left_out;
mod metrics;
mod regions;
mod strings;
mod system;

use std::io::Write;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use pompeii_epilog::record::Record;
use pompeii_epilog::{Endian, Writer};
use pompeii_otf2::read::Archive;
use pompeii_replay::archive;

use crate::source::{Error, Read};
use definitions::Plan;
use events::Events;
pub use left_out::LeftOut;

/// How often the events of a trace are read: the number of events stands before them in the file.
pub const PASSES: u64 = 2;

/// Progress is reported after each lot of this number of events.
const LOT: u64 = 1 << 16;

/// What writing a trace came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// What reading came to.
    pub read: Read,
    /// What the format has no place for.
    pub left_out: LeftOut,
}

impl From<pompeii_epilog::Error> for Error {
    fn from(error: pompeii_epilog::Error) -> Error {
        match error {
            pompeii_epilog::Error::Io(error) => Error::Output(error),
            pompeii_epilog::Error::Malformed(error) => Error::Input(error.to_string()),
            other => Error::Unfit(other.to_string()),
        }
    }
}

/// Writes a trace. Adds the number of events that have been read to `done`, in each of the passes.
///
/// # Errors
/// The trace cannot be opened, has more events or longer names than the format can hold, or the
/// file cannot be written.
pub fn write(archive: &Archive, out: &mut impl Write, done: &AtomicU64) -> Result<Written, Error> {
    let definitions = archive::definitions(archive);
    let plan = Plan::new(archive, &definitions);
    let mut number: u64 = 0;
    let (first, _) = copy(archive, Events::new(&plan, &definitions), done, &mut |record| {
        number += u64::from(record.at().is_some());
        Ok(())
    })?;
    let Ok(number) = u32::try_from(number) else {
        let text = format!("{number} events; EPILOG counts up to 4,294,967,295. Convert a part");
        return Err(Error::Unfit(text));
    };
    let mut writer = Writer::new(std::io::BufWriter::new(out), Endian::Little)?;
    for record in plan.records(number, (first.has_program(), first.unknown_task())) {
        writer.record(&record)?;
    }
    let events = Events::new(&plan, &definitions);
    let (events, read) = copy(archive, events, done, &mut |record| Ok(writer.record(record)?))?;
    writer.finish()?;
    let mut left_out = events.left_out;
    left_out.add_all(&plan.left_out);
    Ok(Written { read, left_out })
}

/// Gives all records of events to `put`.
fn copy<'a>(
    archive: &Archive,
    mut events: Events<'a>,
    done: &AtomicU64,
    put: &mut dyn FnMut(&Record) -> Result<(), Error>,
) -> Result<(Events<'a>, Read), Error> {
    let (mut read, mut number) = (Read::default(), 0);
    let flow = archive.merged()?.visit(|event| {
        number += 1;
        if number % LOT == 0 {
            done.fetch_add(LOT, Ordering::Relaxed);
        }
        let made = match event {
            Ok(event) => events.event(event),
            Err(error) => {
                read.note(&error);
                return ControlFlow::Continue(());
            }
        };
        match made.iter().try_for_each(&mut *put) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => ControlFlow::Break(error),
        }
    });
    if let ControlFlow::Break(error) = flow {
        return Err(error);
    }
    events.end().iter().try_for_each(put)?;
    Ok((events, read))
}

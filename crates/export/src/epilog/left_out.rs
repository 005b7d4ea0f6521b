//! What a format has no place for: kinds of things with their number.

use std::collections::BTreeMap;
use std::fmt;

use pompeii_otf2::event::Event;

/// Numbers of things that were left out, by what they are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut(BTreeMap<&'static str, u64>);

impl LeftOut {
    /// Counts one of these things; the name is a plural.
    pub fn add(&mut self, what: &'static str) {
        *self.0.entry(what).or_default() += 1;
    }

    /// Adds other numbers.
    pub fn add_all(&mut self, other: &LeftOut) {
        for (what, number) in &other.0 {
            *self.0.entry(what).or_default() += number;
        }
    }

    /// Nothing was left out.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Counts an event of OTF2 that EPILOG does not have.
    pub(super) fn add_event(&mut self, event: &Event) {
        let name = event.name();
        self.add(match event {
            Event::ThreadTaskCreate(_)
            | Event::ThreadTaskSwitch(_)
            | Event::ThreadTaskComplete(_)
            | Event::OmpTaskCreate(_)
            | Event::OmpTaskSwitch(_)
            | Event::OmpTaskComplete(_) => "records of tasks",
            Event::CommCreate(_) | Event::CommDestroy(_) => "creations and ends of communicators",
            Event::NonBlockingCollectiveRequest(_) | Event::NonBlockingCollectiveComplete(_) => {
                "records of non-blocking collective operations"
            }
            Event::MpiProbe(_)
            | Event::MpiMrecv(_)
            | Event::MpiImrecv(_)
            | Event::MpiImrecvRequest(_) => "records of matched probes",
            _ if name.starts_with("Rma") => "records of remote memory access",
            _ if name.starts_with("Io") => "records of files",
            _ if name.starts_with("Parameter") => "values of parameters",
            _ if name.starts_with("CallingContext") => "samples and calling contexts",
            _ => "other records",
        });
    }
}

/// `12 records of tasks, 3 values of parameters`
impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<String> =
            self.0.iter().map(|(what, number)| format!("{number} {what}")).collect();
        f.write_str(&parts.join(", "))
    }
}

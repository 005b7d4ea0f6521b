//! What all events have: the time, the process and the thread; and what events of a region have.

use pompeii_model::{LocationId, Region};
use pompeii_replay::definitions::Definitions;

use crate::clock::Clock;
use crate::json::quoted;

/// What events need of the definitions.
#[derive(Debug)]
pub struct Events<'a> {
    /// Definitions of the trace.
    pub definitions: &'a Definitions,
    /// Its clock.
    pub clock: Clock,
    /// By region the fields of its begin, without arguments; and its arguments.
    pub regions: Vec<(String, String)>,
}

impl<'a> Events<'a> {
    /// Of these definitions.
    pub fn new(definitions: &'a Definitions) -> Events<'a> {
        let regions = definitions.regions.iter().map(of_region).collect();
        Events { definitions, clock: Clock::new(definitions), regions }
    }

    /// The names of all processes and threads. These are the first events of the file: each event
    /// after them begins with the comma that separates it from the one before.
    pub fn names(&self) -> String {
        let system = &self.definitions.system;
        let mut events = Vec::new();
        for process in system.processes.iter() {
            let (pid, name) = (self.number(process.master), quoted(&process.name));
            events.push(format!(
                "\n{{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":{pid},\"args\":{{\"name\":{name}}}}}"
            ));
        }
        for (id, location) in system.locations.enumerated() {
            let (place, name) = (self.place(id), quoted(&location.name));
            events.push(format!(
                "\n{{\"ph\":\"M\",\"name\":\"thread_name\",{place},\"args\":{{\"name\":{name}}}}}"
            ));
        }
        events.join(",")
    }

    /// Process and thread of a location. Their numbers are not those of the system, which the trace
    /// does not have: a thread has that of its location from 1, and a process that of its master.
    pub fn place(&self, location: LocationId) -> String {
        let process = self.number(self.definitions.system.master(location));
        format!("\"pid\":{process},\"tid\":{}", self.number(location))
    }

    fn number(&self, location: LocationId) -> u64 {
        u64::from(location.0).saturating_add(1)
    }

    /// A time in microseconds.
    pub fn time(&self, time: u64) -> String {
        let ns = self.clock.time_ns(time);
        format!("{}.{:03}", ns / 1000, ns % 1000)
    }
}

fn of_region(region: &Region) -> (String, String) {
    let (name, category) = (quoted(&region.label()), region.paradigm.as_str());
    let mut arguments = String::new();
    if !region.file.is_empty() && region.begin_line > 0 {
        let (file, line) = (quoted(&region.file), region.begin_line);
        arguments = format!("\"file\":{file},\"line\":{line}");
    }
    (format!("\"name\":{name},\"cat\":\"{category}\""), arguments)
}

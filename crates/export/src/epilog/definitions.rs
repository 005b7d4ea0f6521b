//! All definitions of a file, in the order in which they refer to each other.

use pompeii_epilog::NO_ID;
use pompeii_epilog::record::{LastDefinition, NumberOfEvents, Record, Region, Text, region_kind};
use pompeii_otf2::read::Archive;
use pompeii_replay::definitions::Definitions;

use super::communicators;
use super::left_out::LeftOut;
use super::metrics::Metrics;
use super::regions::Regions;
use super::strings::Strings;
use super::system;

/// What the events need of the definitions, and the definitions themselves.
#[derive(Debug)]
pub struct Plan {
    records: Vec<Record>,
    /// Regions and call sites.
    pub regions: Regions,
    /// Metrics.
    pub metrics: Metrics,
    /// What has no place.
    pub left_out: LeftOut,
    /// The first id that no text has.
    free_text: u32,
    /// The name of the program.
    program: String,
}

impl Plan {
    /// Of an archive.
    pub fn new(archive: &Archive, definitions: &Definitions) -> Plan {
        let mut strings = Strings::new(archive);
        let mut left_out = LeftOut::default();
        let system = system::records(archive, definitions, &mut strings);
        let mut regions = Regions::new(archive, definitions, &mut strings);
        let mut metrics = Metrics::new(archive, definitions, (&mut strings, &mut left_out));
        let free_text = strings.free();
        let mut records = strings.records();
        records.extend(system);
        records.append(&mut regions.records);
        records.append(&mut metrics.records);
        records.extend(communicators::records(archive, definitions));
        let program = definitions.program.clone();
        Plan { records, regions, metrics, left_out, free_text, program }
    }

    /// The definitions of a file with this number of events. A region of the program and one for
    /// tasks whose construct is not known are defined only if events have them.
    pub fn records(
        &self,
        number: u32,
        (has_program, has_unknown_task): (bool, bool),
    ) -> impl Iterator<Item = Record> {
        let has_program = has_program && self.regions.has_own_program;
        let program = has_program.then(|| own(self.regions.program, self.free_text, &self.program));
        let task_name = self.free_text.saturating_add(1);
        let task = has_unknown_task.then(|| own(self.regions.free, task_name, "task"));
        let own = program.into_iter().chain(task).flatten();
        let end = [NumberOfEvents { number }.into(), LastDefinition {}.into()];
        self.records.iter().cloned().chain(own).chain(end)
    }
}

/// A region that the archive does not have, with its name.
fn own(id: u32, name: u32, text: &str) -> [Record; 2] {
    let (file, begin_line, end_line, description) = (NO_ID, NO_ID, NO_ID, NO_ID);
    let kind = region_kind::UNKNOWN;
    let region = Region { id, name, file, begin_line, end_line, description, kind };
    [Text { id: name, text: text.to_owned() }.into(), region.into()]
}

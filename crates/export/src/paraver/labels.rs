//! The labels: what states, types and values of events mean, and the names of threads.

use std::fmt::Write;

use pompeii_model::Region;
use pompeii_replay::definitions::Definitions;

use super::places::Places;
use super::rows::STATES;
use super::{COUNTER, REGION, TASK};

/// How the records are shown if the user chooses nothing else. Readers expect all of these lines.
const OPTIONS: &str = "DEFAULT_OPTIONS\n\nLEVEL THREAD\nUNITS NANOSEC\nLOOK_BACK 100\nSPEED 1\n\
                       FLAG_ICONS ENABLED\nNUM_OF_STATE_COLORS 1000\nYMAX_SCALE 37\n\n\
                       DEFAULT_SEMANTIC\n\nTHREAD_FUNC State As Is\n";

/// The file of labels.
pub fn pcf(definitions: &Definitions) -> String {
    let mut text = OPTIONS.to_owned();
    text += "\nSTATES\n";
    for (state, name, _) in STATES {
        let _ = writeln!(text, "{state} {name}");
    }
    text += "\nSTATES_COLOR\n";
    for (state, _, [red, green, blue]) in STATES {
        let _ = writeln!(text, "{state} {{{red},{green},{blue}}}");
    }
    let _ = write!(text, "\nEVENT_TYPE\n0 {REGION} Region\nVALUES\n0 End\n");
    for (region, value) in definitions.regions.iter().zip(1..) {
        let _ = writeln!(text, "{value} {}", one_line(&Region::label(region)));
    }
    let _ = write!(text, "\nEVENT_TYPE\n0 {TASK} Task instance\n");
    for (id, counter) in definitions.counters.enumerated() {
        let (kind, name) = (COUNTER + u64::from(id.0), one_line(&counter.name));
        let _ = write!(text, "\nEVENT_TYPE\n0 {kind} {name}\n");
    }
    text
}

/// The file of names.
pub fn row(definitions: &Definitions, places: &Places) -> String {
    let nodes = places.nodes.iter();
    let processors = nodes.clone().flat_map(|(name, size)| {
        (1..=*size).map(move |number| format!("{}.{}", number, one_line(name)))
    });
    let names = nodes.map(|(name, _)| one_line(name));
    let system = &definitions.system;
    let threads = system.locations.ids().zip(&places.threads);
    let threads =
        threads.map(|(id, place)| format!("THREAD {place} {}", one_line(&system.thread_name(id))));
    let mut text = String::new();
    level(&mut text, "CPU", processors.collect());
    level(&mut text, "NODE", names.collect());
    level(&mut text, "THREAD", threads.collect());
    text
}

fn level(text: &mut String, level: &str, names: Vec<String>) {
    let _ = writeln!(text, "LEVEL {level} SIZE {}", names.len());
    names.iter().for_each(|name| *text += &format!("{name}\n"));
    *text += "\n";
}

fn one_line(text: &str) -> String {
    text.replace(|letter: char| letter.is_control(), " ")
}

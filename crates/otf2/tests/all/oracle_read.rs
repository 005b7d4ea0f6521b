//! What we read, against `otf2-print`: the merged order and the corrected times of all events.
//!
//! Run with `POMPEII_ORACLES=1`; without it the test says so and returns.

use std::path::Path;
use std::process::Command;

use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;
use pompeii_testing::oracles;

/// Location, time and name of each event, in the order of the print. Names are compared without
/// underscores; the tool shortens some of them.
fn printed(anchor: &Path) -> Vec<(u64, u64, String)> {
    let output = Command::new("otf2-print").arg(anchor).output().expect("otf2-print");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let event = |line: &str| {
        let mut words = line.split_whitespace();
        let name = words.next()?.replace('_', "").to_lowercase();
        let location = words.next()?.parse().ok()?;
        Some((location, words.next()?.parse().ok()?, name))
    };
    text.lines().filter(|line| !line.starts_with([' ', '='])).filter_map(event).collect()
}

fn read(anchor: &Path) -> Vec<(u64, u64, String)> {
    let archive = Archive::open(anchor).expect("a good archive");
    let events = archive.merged().expect("all locations");
    let events = events.map(|event| event.expect("a good event"));
    events.map(|event| (event.location.0, event.time, print_name(&event.event))).collect()
}

/// The tool's name of an event, in lower case without underscores.
fn print_name(event: &Event) -> String {
    match event {
        Event::ParameterInt(_) => "parameterint64".to_owned(),
        Event::ParameterUnsignedInt(_) => "parameteruint64".to_owned(),
        event => event.name().to_lowercase(),
    }
}

#[test]
fn merges_and_corrects_as_otf2_print_does() {
    if !oracles() {
        return;
    }
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    for name in ["minimal/traces", "hybrid/traces", "hybrid_be/traces", "multichunk/mc"] {
        let anchor = samples.join(name).with_extension("otf2");
        let (ours, theirs) = (read(&anchor), printed(&anchor));
        for (number, (ours, theirs)) in ours.iter().zip(&theirs).enumerate() {
            assert_eq!(ours, theirs, "event {number} of {name}");
        }
        assert_eq!(ours.len(), theirs.len(), "events of {name}");
    }
}

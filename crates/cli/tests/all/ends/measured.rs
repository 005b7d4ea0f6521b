//! What an experiment says, for tests: the manifest, and the visits of regions in profile and
//! trace, which must be the same.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use pompeii_otf2::event::Event;
use pompeii_otf2::read::Archive;
use serde_json::Value;

use crate::common::{Ended, Sandbox};

/// A run and its experiment.
pub struct Measured {
    pub ended: Ended,
    pub manifest: Value,
    /// By the region's name.
    pub visits: BTreeMap<String, u64>,
    /// The same in the trace.
    entered: BTreeMap<String, u64>,
}

/// `pompeii run --trace -o NAME OPTIONS -- COMMAND`, and what it has measured.
pub fn measure(sandbox: &Sandbox, name: &str, options: &str, command: &str) -> Measured {
    profile(sandbox, name, &format!("--trace {options}"), command)
}

/// The same without a trace.
pub fn profile(sandbox: &Sandbox, name: &str, options: &str, command: &str) -> Measured {
    let ended = sandbox.pompeii(&format!("run -o {name} {options} -- {command}"));
    let (code, signal, messages) = (ended.code, ended.signal, &ended.messages);
    let finished = sandbox.exists(&format!("{name}/manifest.json"));
    assert!(finished, "{command}: exit {code:?}, signal {signal:?}\n{messages}");
    read(sandbox, name, ended)
}

/// Whether this program's process may have so many threads here.
pub fn may_have(sandbox: &Sandbox, threads: u32) -> bool {
    let mut alone = Command::new(sandbox.path("threads"));
    alone.args(["many", &threads.to_string()]).current_dir(sandbox.path("."));
    let may = alone.env("POMPEII_ENABLE", "0").output().unwrap().status.success();
    if !may {
        println!("not run: no process may have {threads} threads here");
    }
    may
}

/// What the experiment says.
pub fn read(sandbox: &Sandbox, name: &str, ended: Ended) -> Measured {
    let manifest = std::fs::read_to_string(sandbox.path(name).join("manifest.json")).unwrap();
    let report = sandbox.succeeds(&format!("report {name} --json"));
    let report: Value = serde_json::from_str(&report.output).unwrap();
    assert_eq!(report["sum_error"], Value::Null, "{name}: severities do not sum to the whole");
    let mut visits = BTreeMap::new();
    for region in report["regions"].as_array().unwrap() {
        let region_name = region["name"].as_str().unwrap().to_owned();
        *visits.entry(region_name).or_default() += region["visits"].as_u64().unwrap();
    }
    assert!(!sandbox.exists(&format!("{name}/live")), "{name} was not finished");
    let anchor = sandbox.path(name).join("traces.otf2");
    let entered = if anchor.exists() { entered(&anchor) } else { BTreeMap::new() };
    Measured { ended, manifest: serde_json::from_str(&manifest).unwrap(), visits, entered }
}

/// Enter records of the trace by the region's name.
fn entered(anchor: &Path) -> BTreeMap<String, u64> {
    let archive = Archive::open(anchor).unwrap();
    let mut entered = BTreeMap::new();
    for event in archive.merged().unwrap() {
        if let Event::Enter(enter) = event.unwrap().event {
            let name = archive.name("Region", u64::from(enter.region.0)).unwrap_or_default();
            *entered.entry(name.to_owned()).or_default() += 1;
        }
    }
    entered
}

impl Measured {
    /// Each region that the trace records has as many visits there as in the profile. Where the
    /// program ends inside of a region, each of its `others` may be in the middle of an event.
    pub fn traced_but(&self, others: u64) {
        assert!(!self.entered.is_empty(), "the trace is empty");
        for (name, &entered) in self.entered.iter().filter(|(name, _)| name.contains("!$omp")) {
            let visits = self.visits.get(name).copied().unwrap_or(0);
            let whole = (entered..=entered + others).contains(&visits);
            assert!(whole, "{name}: {visits} visits in the profile, {entered} in the trace");
        }
    }

    /// Visits of the regions whose names begin like this.
    pub fn visits(&self, start: &str) -> u64 {
        self.visits.iter().filter(|(name, _)| name.starts_with(start)).map(|(_, n)| n).sum()
    }

    /// How the process ended, as `how` or `how code`.
    pub fn end(&self) -> String {
        end_text(&self.manifest["end"])
    }

    /// Further processes of the run.
    #[allow(dead_code, reason = "each test file uses its part")]
    pub fn processes(&self) -> &[Value] {
        self.manifest["processes"].as_array().unwrap()
    }
}

/// An end of a manifest as text.
pub fn end_text(end: &Value) -> String {
    let how = end["how"].as_str().unwrap();
    let detail = end.get("code").or_else(|| end.get("name")).map(Value::to_string);
    format!("{how} {}", detail.unwrap_or_default()).replace('"', "").trim_end().to_owned()
}

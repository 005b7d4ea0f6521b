//! What scenarios cost: `pompeii analyze` computes the run with changes while it analyses the
//! trace, and `--no-whatif` leaves that out. Both analyse the same trace with one thread. The
//! folder of the trace has a profile, which an analysis before has made. Therefore the trace is
//! read once, as in an experiment of `pompeii run`.

use std::fs::{self, File};
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

use super::{Bench, MILLION, WITH_CAUSES, cpu_s, events_or, peak_bytes, turns};

/// What an analysis with [`SCENARIOS`] may take at most, compared with one without.
const RATIO_MAX: f64 = 1.5;
/// The largest number of scenarios that `analyze` plays in a program without locks.
const SCENARIOS: f64 = 64.0;
/// Copies of the regions: as many as make 16 regions and 14 findings.
const COPIES: u64 = 16;

/// Shape, processes, threads of each.
const ROWS: [(&str, u32, u32); 4] =
    [("functions", 1, 8), ("tasks", 1, 8), ("barriers", 1, 8), ("halo", 8, 1)];

impl Bench {
    /// Prints the table.
    pub(super) fn scenarios(&self) -> Result<()> {
        println!(
            "{:10} {:>8} {:>9} {:>8} {:>8} {:>5} {:>5} {:>11}",
            "trace", "M events", "scenarios", "CPU s, 0", "with", "ratio", "of 64", "MB, 0, with"
        );
        for (shape, processes, threads) in ROWS {
            let size = (events_or(30 * MILLION)?, COPIES);
            let (anchor, events) = self.writer.write_copies(shape, (processes, threads), size)?;
            self.add_profile(&anchor)?;
            let (mut without, mut with) = (Vec::new(), Vec::new());
            for _ in 0..turns()? {
                without.push(self.analyze(&anchor, 1, &WITH_CAUSES, None)?);
                with.push(self.analyze(&anchor, 1, &[], None)?);
            }
            let scenarios = played(&self.results())?;
            let (without_s, with_s) = (cpu_s(&without), cpu_s(&with));
            let ratio = with_s / without_s;
            let of_64 = ratio_of_64(ratio, scenarios);
            let missed = if of_64 > RATIO_MAX { "  MISSED" } else { "" };
            let [less, more] = [&without, &with].map(|costs| peak_bytes(costs) >> 20);
            println!(
                "{shape:10} {:8.1} {scenarios:9} {without_s:8.2} {with_s:8.2} {ratio:5.2} \
                 {of_64:5.2} {less:5} {more:5}{missed}",
                events as f64 / MILLION as f64
            );
        }
        println!("of 64: the ratio if 64 scenarios are played, at most {RATIO_MAX}");
        Ok(())
    }

    /// Makes an experiment of a trace: an analysis has the metrics of a profile, and an empty file
    /// of Score-P's marks the folder as an experiment without a manifest of ours.
    fn add_profile(&self, anchor: &Path) -> Result<()> {
        self.analyze(anchor, 1, &WITH_CAUSES, None)?;
        let folder = anchor.parent().context("the trace has a folder")?;
        let profile = self.results().join("trace.cubex");
        fs::copy(&profile, folder.join("profile.cubex"))
            .with_context(|| profile.display().to_string())?;
        File::create(folder.join("scorep.cfg")).context("scorep.cfg")?;
        Ok(())
    }
}

/// How many scenarios an analysis has played.
fn played(results: &Path) -> Result<usize> {
    let text = fs::read_to_string(results.join("analysis.json"))?;
    count(&serde_json::from_str(&text)?)
}

/// The scenarios of an `analysis.json`: each region with several shares, each change, and once more
/// each change that was played with the recorded waiting for locks.
fn count(analysis: &Value) -> Result<usize> {
    let list = |of: &Value, key: &str| {
        of[key].as_array().cloned().with_context(|| format!("analysis.json has no {key}"))
    };
    let what_if = &analysis["what_if"];
    let mut count = 0;
    for region in list(what_if, "regions")? {
        count += list(&region, "runs")?.len();
    }
    for change in list(what_if, "changes")? {
        count += 1 + usize::from(change["removed"]["wall_with_lock_waits_s"].is_number());
    }
    Ok(count)
}

/// The ratio that 64 scenarios have, if the cost is in proportion to their number. `analyze` plays
/// fewer if a program has few findings that it can remove, and more if it has locks.
fn ratio_of_64(ratio: f64, scenarios: usize) -> f64 {
    1.0 + (ratio - 1.0) * SCENARIOS / scenarios.max(1) as f64
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn scenarios_are_counted() {
        let regions = json!([{ "runs": [1, 2, 3] }, { "runs": [4, 5, 6] }]);
        let changes = json!([
            { "wall_s": 1.0 },
            { "wall_s": 1.0, "removed": { "wall_with_lock_waits_s": null } },
            { "wall_s": 1.0, "removed": { "wall_with_lock_waits_s": 0.5 } },
        ]);
        let analysis = json!({ "what_if": { "regions": regions, "changes": changes } });
        assert_eq!(count(&analysis).unwrap(), 10);
        let without = count(&json!({ "what_if": null })).unwrap_err();
        assert_eq!(without.to_string(), "analysis.json has no regions");
    }

    #[test]
    fn the_price_is_in_proportion_to_the_number() {
        assert_eq!(ratio_of_64(1.25, 32), 1.5);
        assert_eq!(ratio_of_64(1.5, 128), 1.25);
    }
}

//! How long a recorded run would take if some of it were different, as text and as JSON.
//! `analyze` keeps these numbers next to the trace, so that reports need no further pass.

use pompeii_analysis::format::{counted, percent, seconds};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Options;

/// By how many parts of its time, of 100, a region of the table is faster.
pub const FASTER: [i64; 3] = [10, 25, 50];

/// Width of a column with numbers.
const COLUMN: usize = 10;
/// Least width of the names.
const NAME: usize = 24;

/// How long a recorded run would take with changes, computed from its trace.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WhatIf {
    /// Wall time as recorded, from the begin of the measurement to the last event.
    pub wall_s: f64,
    /// POP's transfer efficiency: the share of the run that is left if messages take no time.
    /// It is absent if that was not computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transfer_efficiency: Option<f64>,
    /// The program has locks, critical or ordered regions. Threads get them in the recorded order.
    pub has_locks: bool,
    /// What the run would take if a region took less of its own time, the costliest region first.
    pub regions: Vec<FasterRegion>,
    /// Other changes.
    pub changes: Vec<Change>,
}

/// A region that is faster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FasterRegion {
    /// Its name for people.
    pub label: String,
    /// Its source file; empty if it is unknown.
    pub file: String,
    /// Its first line; 0 if it is unknown.
    pub line: u32,
    /// Its own time on all threads, without the regions in it.
    pub own_s: f64,
    /// The run, if the region takes a share of its own time.
    pub runs: Vec<FasterRun>,
}

/// The run with a faster region.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FasterRun {
    /// The share of its own time that the region takes.
    pub share: f64,
    /// Wall time of the run.
    pub wall_s: f64,
}

/// The run with a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// The option of `pompeii whatif` that makes the change, or what is changed.
    pub change: String,
    /// Wall time of the run.
    pub wall_s: f64,
    /// The gain is an upper bound: nothing takes the place of what is removed.
    pub is_upper_bound: bool,
    /// The finding whose loss is removed; absent for other changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub removed: Option<RemovedFinding>,
}

/// The finding of a profile that a change removes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RemovedFinding {
    /// Its property.
    pub property: String,
    /// The name of its region.
    pub region: String,
    /// Its cause, a word of the list of causes.
    pub cause: String,
    /// CPU time lost, summed over all threads.
    pub lost_s: f64,
    /// Wall time of the run if waiting for other locks keeps its recorded length; absent if the
    /// program has no locks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wall_with_lock_waits_s: Option<f64>,
}

impl WhatIf {
    /// Calls `change` for each text, so that foreign text can be escaped before people read it.
    pub fn change_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        for region in &mut self.regions {
            [&mut region.label, &mut region.file].into_iter().for_each(&mut *change);
        }
        for of in &mut self.changes {
            change(&mut of.change);
            of.removed.iter_mut().for_each(|removed| change(&mut removed.region));
        }
    }

    /// The share of the recorded time by which the run is shorter.
    fn gain(&self, wall_s: f64) -> f64 {
        (self.wall_s - wall_s) / self.wall_s.max(f64::MIN_POSITIVE)
    }

    /// What each change brings, a line for each.
    pub fn changes_text(&self) -> String {
        let mut text = String::new();
        for Change { change, wall_s, is_upper_bound, .. } in &self.changes {
            let gain = self.gain(*wall_s);
            let share = percent(gain.abs());
            let than = match gain {
                0.0 => "as recorded".to_owned(),
                _ if gain > 0.0 && *is_upper_bound => format!("at most {share} shorter"),
                _ if gain > 0.0 => format!("{share} shorter"),
                _ => format!("{share} longer"),
            };
            text += &format!("   {change}: {}, {than}\n", seconds(*wall_s));
        }
        if let Some(share) = self.transfer_efficiency {
            text += &format!("   Transfer efficiency: {}\n", percent(share));
        }
        text
    }

    /// The table of the regions, with at most a number of `rows`; `all_in` has all of them.
    pub fn table(&self, (rows, all_in): (usize, &str), options: &Options) -> String {
        if self.regions.is_empty() {
            return " No region of the trace has work of its own.\n".to_owned();
        }
        let columns = COLUMN * (FASTER.len() + 1) + 1;
        let name = options.width.saturating_sub(columns).max(NAME);
        let mut text = " If a region takes less time, the run is shorter by\n".to_owned();
        let titles = FASTER.map(|percent| format!("{:>COLUMN$}", format!("-{percent} %")));
        text += &format!(" {:name$}{:>COLUMN$}{}\n", "", "own time", titles.concat());
        for of in self.regions.iter().take(rows) {
            let gain = |run: &FasterRun| format!("{:>COLUMN$}", percent(self.gain(run.wall_s)));
            let gains: String = of.runs.iter().map(gain).collect();
            let label = fitted(&of.label, name);
            text += &format!(" {label}{:>COLUMN$}{gains}\n", seconds(of.own_s));
        }
        let hidden = self.regions.len().saturating_sub(rows);
        if hidden > 0 {
            text += &format!("   ({} more: {all_in} has all)\n", counted(hidden as i64, "region"));
        }
        text += "   Own time is that of all threads, without regions inside. Each thread executes\n   \
                 its recorded tasks and iterations.\n";
        if self.has_locks {
            text += "   Threads get locks in the recorded order.\n";
        }
        text
    }
}

/// A name in this number of columns, with a line of its own if it is longer.
fn fitted(label: &str, columns: usize) -> String {
    let used = label.chars().count();
    match used < columns {
        true => format!("{label}{}", " ".repeat(columns - used)),
        false => format!("{label}\n {}", " ".repeat(columns)),
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn what_if() -> WhatIf {
        let faster = |label: &str, own_s: f64, walls: [f64; 3]| FasterRegion {
            label: label.to_owned(),
            file: "a.c".to_owned(),
            line: 12,
            own_s,
            runs: [0.9, 0.75, 0.5]
                .into_iter()
                .zip(walls)
                .map(|(share, wall_s)| FasterRun { share, wall_s })
                .collect(),
        };
        let changed = |change: &str, wall_s, is_upper_bound| Change {
            change: change.to_owned(),
            wall_s,
            is_upper_bound,
            removed: None,
        };
        let long = "for a_function_with_a_name_that_needs_more_room a.c:40";
        WhatIf {
            wall_s: 2.0,
            transfer_efficiency: Some(0.9),
            has_locks: true,
            regions: vec![faster("solve", 5.0, [1.9, 1.76, 1.5]), faster(long, 1.0, [2.0; 3])],
            changes: vec![
                changed("--region solve=0.5", 1.5, false),
                changed("--region solve=2", 3.0, false),
                changed("--remove barrier", 2.0, true),
                changed("--network ideal", 1.8, true),
            ],
        }
    }

    #[test]
    fn people_see_shares_of_the_run() {
        let options = Options { width: 80, ..Options::default() };
        let shown = |of: &WhatIf| {
            format!("page\n{}{}", of.changes_text(), of.table((10, "--json"), &options))
        };
        expect![[r#"
            page
               --region solve=0.5: 1.5 s, 25 % shorter
               --region solve=2: 3.0 s, 50 % longer
               --remove barrier: 2.0 s, as recorded
               --network ideal: 1.8 s, at most 10 % shorter
               Transfer efficiency: 90 %
             If a region takes less time, the run is shorter by
                                                      own time     -10 %     -25 %     -50 %
             solve                                       5.0 s       5 %      12 %      25 %
             for a_function_with_a_name_that_needs_more_room a.c:40
                                                         1.0 s       0 %       0 %       0 %
               Own time is that of all threads, without regions inside. Each thread executes
               its recorded tasks and iterations.
               Threads get locks in the recorded order.
        "#]]
        .assert_eq(&shown(&what_if()));
        let one = what_if().table((1, "--json"), &options);
        assert!(one.contains("   (1 region more: --json has all)\n"), "{one}");
        let none = WhatIf {
            regions: Vec::new(),
            changes: Vec::new(),
            transfer_efficiency: None,
            ..what_if()
        };
        assert_eq!(shown(&none), "page\n No region of the trace has work of its own.\n");
    }

    #[test]
    fn what_is_kept_is_read_back() {
        let mut all = what_if();
        all.changes[2].removed = Some(RemovedFinding {
            property: "omp_lock_contention_critical".to_owned(),
            region: "!$omp critical @a.c:7".to_owned(),
            cause: "critical".to_owned(),
            lost_s: 0.5,
            wall_with_lock_waits_s: Some(1.9),
        });
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(serde_json::from_str::<WhatIf>(&text).unwrap(), all);
    }
}

//! What `pompeii whatif` prints.

use anyhow::Result;
use pompeii_analysis::format::{counted, percent, seconds};
use pompeii_model::{Frequency, RegionId};
use pompeii_report::Options;
use serde::Serialize;

use super::changes::{Costs, FASTER};

/// Rows of the table.
const ROWS: usize = 10;
/// Width of a column with numbers.
const COLUMN: usize = 10;
/// Least width of the names.
const NAME: usize = 24;

/// How long a run would take. Times are ticks.
#[derive(Debug)]
pub struct WhatIf {
    pub program: String,
    pub threads: usize,
    pub clock: Frequency,
    /// As recorded, from the begin of the measurement to the last event.
    pub recorded: i64,
    pub faster: Vec<Faster>,
    pub changed: Vec<Changed>,
    /// The duration if messages take no time, if that was played.
    pub on_ideal_network: Option<i64>,
    /// Locks keep their recorded order.
    pub has_locks: bool,
}

/// A region that is faster.
#[derive(Debug)]
pub struct Faster {
    pub label: String,
    pub file: String,
    pub line: u32,
    /// Its own time on all threads.
    pub own: i64,
    /// The duration of the run, if the region is faster by each number of [`FASTER`].
    pub ticks: [i64; FASTER.len()],
}

impl Faster {
    /// A region with durations of the run.
    pub fn new(costs: &Costs<'_>, region: RegionId, times: &[i64]) -> Faster {
        let of = costs.region(region);
        Faster {
            label: costs.label(region),
            file: of.file.clone(),
            line: of.begin_line,
            own: costs.own_ticks(region),
            ticks: std::array::from_fn(|place| times[place]),
        }
    }
}

/// A change with the duration of the run.
#[derive(Debug)]
pub struct Changed {
    pub name: String,
    pub ticks: i64,
    /// The gain is an upper bound.
    pub is_bound: bool,
}

#[derive(Debug, Serialize)]
struct JsonWhatIf<'a> {
    schema: &'static str,
    program: &'a str,
    threads: usize,
    wall_s: f64,
    /// The share of the run that is left if messages take no time.
    #[serde(skip_serializing_if = "Option::is_none")]
    transfer_efficiency: Option<f64>,
    regions: Vec<JsonRegion<'a>>,
    changes: Vec<JsonChange<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonRegion<'a> {
    label: &'a str,
    file: &'a str,
    line: u32,
    own_s: f64,
    /// The run, if the region takes a share of its own time.
    runs: Vec<JsonRun>,
}

#[derive(Debug, Serialize)]
struct JsonRun {
    share: f64,
    wall_s: f64,
}

#[derive(Debug, Serialize)]
struct JsonChange<'a> {
    change: &'a str,
    wall_s: f64,
    is_upper_bound: bool,
}

impl WhatIf {
    /// Calls `change` for each text, so that foreign text can be escaped before people read it.
    pub fn change_texts(&mut self, change: &mut dyn FnMut(&mut String)) {
        change(&mut self.program);
        for region in &mut self.faster {
            [&mut region.label, &mut region.file].into_iter().for_each(&mut *change);
        }
        self.changed.iter_mut().for_each(|changed| change(&mut changed.name));
    }

    /// For programs.
    pub fn json(&self) -> Result<String> {
        let seconds = |ticks: i64| self.clock.seconds(ticks);
        let run = |(faster, ticks): (i64, i64)| JsonRun {
            share: (100 - faster) as f64 / 100.0,
            wall_s: seconds(ticks),
        };
        let regions = self.faster.iter().map(|of| JsonRegion {
            label: &of.label,
            file: &of.file,
            line: of.line,
            own_s: seconds(of.own),
            runs: FASTER.into_iter().zip(of.ticks).map(run).collect(),
        });
        let json = JsonWhatIf {
            schema: "pompeii-whatif-1",
            program: &self.program,
            threads: self.threads,
            wall_s: seconds(self.recorded),
            transfer_efficiency: self.transfer_efficiency(),
            regions: regions.collect(),
            changes: self
                .changed
                .iter()
                .map(|of| JsonChange {
                    change: &of.name,
                    wall_s: seconds(of.ticks),
                    is_upper_bound: of.is_bound,
                })
                .collect(),
        };
        Ok(serde_json::to_string_pretty(&json)? + "\n")
    }

    /// POP's transfer efficiency: the time on an ideal network, as a share of the recorded one.
    fn transfer_efficiency(&self) -> Option<f64> {
        let ideal = self.on_ideal_network.filter(|_| self.recorded > 0)?;
        Some(ideal as f64 / self.recorded as f64)
    }

    fn seconds(&self, ticks: i64) -> String {
        seconds(self.clock.seconds(ticks))
    }

    /// The share of the recorded time by which the run is shorter.
    fn gain(&self, ticks: i64) -> f64 {
        (self.recorded - ticks) as f64 / self.recorded.max(1) as f64
    }

    /// For people.
    pub fn text(&self, options: &Options) -> String {
        let WhatIf { program, recorded, .. } = self;
        let threads = counted(self.threads as i64, "thread");
        let mut text = format!(" {program}: {}, {threads}\n", self.seconds(*recorded));
        text += &self.changes();
        text + &self.table(options)
    }

    fn changes(&self) -> String {
        let mut text = String::new();
        for Changed { name, ticks, is_bound } in &self.changed {
            let gain = self.gain(*ticks);
            let share = percent(gain.abs());
            let than = match gain {
                0.0 => "as recorded".to_owned(),
                _ if gain > 0.0 && *is_bound => format!("at most {share} shorter"),
                _ if gain > 0.0 => format!("{share} shorter"),
                _ => format!("{share} longer"),
            };
            text += &format!("   {name}: {}, {than}\n", self.seconds(*ticks));
        }
        if let Some(share) = self.transfer_efficiency() {
            text += &format!("   Transfer efficiency: {}\n", percent(share));
        }
        text
    }

    fn table(&self, options: &Options) -> String {
        if self.faster.is_empty() {
            return "\n No region of the trace has work of its own.\n".to_owned();
        }
        let columns = COLUMN * (FASTER.len() + 1) + 1;
        let name = options.width.saturating_sub(columns).max(NAME);
        let mut text = "\n If a region takes less time, the run is shorter by\n".to_owned();
        let titles = FASTER.map(|percent| format!("{:>COLUMN$}", format!("-{percent} %")));
        text += &format!(" {:name$}{:>COLUMN$}{}\n", "", "own time", titles.concat());
        for of in self.faster.iter().take(ROWS) {
            let gains = of.ticks.map(|ticks| format!("{:>COLUMN$}", percent(self.gain(ticks))));
            let label = fitted(&of.label, name);
            text += &format!(" {label}{:>COLUMN$}{}\n", self.seconds(of.own), gains.concat());
        }
        let hidden = self.faster.len().saturating_sub(ROWS);
        if hidden > 0 {
            text += &format!("   ({} more: --json has all)\n", counted(hidden as i64, "region"));
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
    use serde_json::Value;

    use super::*;

    fn what_if() -> WhatIf {
        let faster = |label: &str, own: i64, ticks| Faster {
            label: label.to_owned(),
            file: "a.c".to_owned(),
            line: 12,
            own,
            ticks,
        };
        let changed =
            |name: &str, ticks, is_bound| Changed { name: name.to_owned(), ticks, is_bound };
        let long = "for a_function_with_a_name_that_needs_more_room a.c:40";
        WhatIf {
            program: "app".to_owned(),
            threads: 4,
            clock: Frequency::NANOSECONDS,
            recorded: 2_000_000_000,
            faster: vec![
                faster("solve", 5_000_000_000, [1_900_000_000, 1_760_000_000, 1_500_000_000]),
                faster(long, 1_000_000_000, [2_000_000_000; 3]),
            ],
            changed: vec![
                changed("--region solve=0.5", 1_500_000_000, false),
                changed("--region solve=2", 3_000_000_000, false),
                changed("--remove barrier", 2_000_000_000, true),
                changed("--network ideal", 1_800_000_000, true),
            ],
            on_ideal_network: Some(1_800_000_000),
            has_locks: true,
        }
    }

    #[test]
    fn people_see_shares_of_the_run() {
        let options = Options { width: 80, ..Options::default() };
        expect![[r#"
            page
             app: 2.0 s, 4 threads
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
        .assert_eq(&format!("page\n{}", what_if().text(&options)));
        let none =
            WhatIf { faster: Vec::new(), changed: Vec::new(), on_ideal_network: None, ..what_if() };
        let text = none.text(&options);
        assert_eq!(
            text,
            " app: 2.0 s, 4 threads\n\n No region of the trace has work of its own.\n"
        );
    }

    #[test]
    fn programs_get_all_times() {
        let json: Value = serde_json::from_str(&what_if().json().unwrap()).unwrap();
        assert_eq!(json["schema"], "pompeii-whatif-1");
        assert_eq!(json["wall_s"], 2.0);
        let region = &json["regions"][0];
        assert_eq!((&region["own_s"], &region["line"]), (&Value::from(5.0), &Value::from(12)));
        assert_eq!(region["runs"][1]["share"], 0.75);
        assert_eq!(region["runs"][2]["wall_s"], 1.5);
        assert_eq!(json["changes"][1]["change"], "--region solve=2");
        assert_eq!(json["changes"][1]["is_upper_bound"], false);
        assert_eq!(json["transfer_efficiency"], 0.9);
    }
}

//! What a trace of the run would be, as text and for programs: sizes and cost in sum, per group of
//! regions and per region, with and without a filter, in the columns of `scorep-score`.

use pompeii_analysis::format;
use pompeii_analysis::score::{Cost, Group, Row, Score, is_filterable};
use pompeii_model::{Cube, RegionId};
use serde::Serialize;

use crate::layout::{left, right};

/// What the estimate is about.
pub struct ScoreOptions<'a> {
    /// Time that one event costs.
    pub event_ns: f64,
    /// Regions that a filter leaves out; `None` without one.
    pub filtered: Option<&'a dyn Fn(RegionId) -> bool>,
    /// Whether to show every region.
    pub regions: bool,
}

impl ScoreOptions<'_> {
    fn is_filtered(&self, region: RegionId) -> bool {
        self.filtered.is_some_and(|filtered| filtered(region))
    }
}

/// A row as it is shown, and written for programs.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "field names are the documentation of the format")]
pub struct ScoreLine {
    /// `+` is left out by the filter, `-` is not, `*` is a sum with some of both.
    pub filter: char,
    /// USR, COM, OMP, MPI, own, ALL, and FLT for what the filter leaves out.
    pub group: String,
    /// Bytes on the thread where they are most.
    pub max_bytes: u64,
    pub bytes: u64,
    pub visits: u64,
    pub records: u64,
    pub time_s: f64,
    /// Of the time of all.
    pub time_share: f64,
    pub time_per_visit_s: f64,
    /// What measuring it costs.
    pub cost_s: f64,
    pub region: String,
    pub file: String,
    pub line: u32,
}

/// The estimate for programs.
#[derive(Debug, Serialize)]
#[allow(missing_docs, reason = "field names are the documentation of the format")]
pub struct JsonScore {
    pub schema: &'static str,
    /// A trace of everything that is not filtered.
    pub trace_bytes: u64,
    pub max_bytes: u64,
    pub memory_bytes: u64,
    pub records: u64,
    pub event_ns: f64,
    pub cost_s: f64,
    /// Of wall time x threads.
    pub cost_share: f64,
    pub groups: Vec<ScoreLine>,
    pub regions: Vec<ScoreLine>,
}

/// A node of the call tree in memory, and the chunk that each thread fills.
const CALL_PATH_BYTES: u64 = 128;
const CHUNK_BYTES: u64 = 1 << 20;

/// The estimate as JSON.
pub fn score_json(cube: &Cube, score: &Score, options: &ScoreOptions) -> String {
    let table = Table::new(cube, score, options);
    let (kept, max_bytes) = score.total(|row| !options.is_filtered(row.region));
    let cost_s = table.cost_s(&kept);
    let report = JsonScore {
        schema: "pompeii-score-1",
        trace_bytes: kept.bytes,
        max_bytes,
        memory_bytes: table.memory_bytes(),
        records: kept.records,
        event_ns: options.event_ns,
        cost_s,
        cost_share: cost_s / table.allocation_s(),
        groups: table.groups(),
        regions: score.rows.iter().map(|row| table.region(row)).collect(),
    };
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

/// The estimate as text.
pub fn score(cube: &Cube, score: &Score, options: &ScoreOptions) -> String {
    let table = Table::new(cube, score, options);
    let (kept, max_bytes) = score.total(|row| !options.is_filtered(row.region));
    let cost_s = table.cost_s(&kept);
    let memory = format::bytes(table.memory_bytes());
    let mut text = format!(
        "Estimated aggregate size of event trace:                   {}\n\
         Estimated requirements for largest trace buffer (max_buf): {}\n\
         Estimated memory requirements per thread:                  {memory}\n\
         Estimated cost of measuring: {} of {} ({}), at {:.0} ns per event of this machine\n\n",
        format::bytes(kept.bytes),
        format::bytes(max_bytes),
        format::seconds(cost_s),
        format::seconds(table.allocation_s()),
        format::percent(cost_s / table.allocation_s()),
        options.event_ns,
    );
    text += &heading();
    for line in table.groups() {
        text += &line.text();
    }
    if options.regions {
        text.push('\n');
        for row in &score.rows {
            text += &table.region(row).text();
        }
    }
    text + "\n" + &table.hint()
}

struct Table<'a> {
    cube: &'a Cube,
    score: &'a Score,
    options: &'a ScoreOptions<'a>,
    /// Time of all rows.
    ticks: i64,
}

impl<'a> Table<'a> {
    fn new(cube: &'a Cube, score: &'a Score, options: &'a ScoreOptions<'a>) -> Self {
        let ticks = score.rows.iter().map(|row| row.cost.ticks).sum();
        Self { cube, score, options, ticks }
    }

    fn allocation_s(&self) -> f64 {
        self.cube.clock.seconds(self.cube.allocation_ticks()).max(f64::MIN_POSITIVE)
    }

    fn cost_s(&self, cost: &Cost) -> f64 {
        cost.events as f64 * self.options.event_ns * 1e-9
    }

    fn memory_bytes(&self) -> u64 {
        self.score.most_call_paths * CALL_PATH_BYTES + CHUNK_BYTES
    }

    /// All, each group, and with a filter what it leaves of all and what it takes.
    fn groups(&self) -> Vec<ScoreLine> {
        let mut lines = vec![self.sum("ALL", |_| true)];
        for group in Group::ALL {
            if self.score.rows.iter().any(|row| row.group == group) {
                lines.push(self.sum(group.name(), |row| row.group == group));
            }
        }
        if self.options.filtered.is_some() {
            let filtered = |row: &Row| self.options.is_filtered(row.region);
            lines.push(self.sum("ALL-FLT", |row| !filtered(row)));
            lines.push(self.sum("FLT", filtered));
        }
        lines
    }

    fn sum(&self, name: &str, keep: impl Fn(&Row) -> bool) -> ScoreLine {
        let (cost, max_bytes) = self.score.total(&keep);
        let of = || self.score.rows.iter().filter(|row| keep(row));
        let filtered = of().filter(|row| self.options.is_filtered(row.region)).count();
        let filter = match filtered {
            0 => '-',
            all if all == of().count() => '+',
            _ => '*',
        };
        self.line(filter, name, (cost, max_bytes), name.to_owned())
    }

    fn region(&self, row: &Row) -> ScoreLine {
        let region = &self.cube.regions[row.region];
        let filter = if self.options.is_filtered(row.region) { '+' } else { '-' };
        let name = region.name.clone();
        let line = self.line(filter, row.group.name(), (row.cost, row.most_bytes), name);
        ScoreLine { file: region.file.clone(), line: region.begin_line, ..line }
    }

    fn line(
        &self,
        filter: char,
        group: &str,
        (cost, max_bytes): (Cost, u64),
        region: String,
    ) -> ScoreLine {
        let time_s = self.cube.clock.seconds(cost.ticks);
        ScoreLine {
            filter: if self.options.filtered.is_some() { filter } else { ' ' },
            group: group.to_owned(),
            max_bytes,
            bytes: cost.bytes,
            visits: cost.visits,
            records: cost.records,
            time_s,
            time_share: cost.ticks as f64 / self.ticks.max(1) as f64,
            time_per_visit_s: if cost.visits == 0 { 0.0 } else { time_s / cost.visits as f64 },
            cost_s: self.cost_s(&cost),
            region,
            file: String::new(),
            line: 0,
        }
    }

    /// What to do about a trace that is large because of tiny regions.
    fn hint(&self) -> String {
        let tiny = tiny(self.cube, self.score, &Tiny::default());
        let left = tiny.iter().filter(|row| !self.options.is_filtered(row.region));
        let bytes: u64 = left.map(|row| row.cost.bytes).sum();
        let (all, _) = self.score.total(|row| !self.options.is_filtered(row.region));
        if bytes * 10 < all.bytes {
            return "No short region fills the trace, so a filter would not make it much smaller.\n"
                .to_owned();
        }
        format!(
            "Short functions and user regions make up {} of it. `pompeii filter init EXP -o FILE` writes\n\
             a filter without them, for `run --filter` or `compile --functions --filter`.\n",
            format::percent(bytes as f64 / all.bytes.max(1) as f64)
        )
    }
}

const NUMBERS: [usize; 6] = [11, 14, 11, 8, 12, 11];

fn heading() -> String {
    let titles = ["max_buf[B]", "visits", "time[s]", "time[%]", "us/visit", "cost[s]"];
    let columns: String = titles.iter().zip(NUMBERS).map(|(title, n)| right(title, n)).collect();
    format!("flt {}{columns}  region\n", left("type", 7))
}

impl ScoreLine {
    fn text(&self) -> String {
        let numbers = [
            self.max_bytes.to_string(),
            self.visits.to_string(),
            format!("{:.3}", self.time_s),
            format!("{:.1}", self.time_share * 100.0),
            format!("{:.2}", self.time_per_visit_s * 1e6),
            format!("{:.3}", self.cost_s),
        ];
        let columns: String =
            numbers.iter().zip(NUMBERS).map(|(number, n)| right(number, n)).collect();
        format!(" {}  {}{columns}  {}\n", self.filter, left(&self.group, 7), self.region)
    }
}

/// What makes a region one for a filter.
#[derive(Clone, Copy, Debug)]
pub struct Tiny {
    /// Own time of a visit, at most.
    pub ns_per_visit: f64,
    /// Visits, at least.
    pub visits: u64,
    /// Part of the trace, at least.
    pub share: f64,
    /// Whether also regions on call paths to OpenMP and MPI are meant.
    pub com: bool,
}

impl Default for Tiny {
    fn default() -> Self {
        Self { ns_per_visit: 1000.0, visits: 1000, share: 0.01, com: false }
    }
}

/// The regions that are tiny, the largest part of the trace first.
pub fn tiny<'a>(cube: &Cube, score: &'a Score, bounds: &Tiny) -> Vec<&'a Row> {
    let (all, _) = score.total(|_| true);
    let is_tiny = |row: &&Row| {
        let ns = cube.clock.seconds(row.cost.ticks) * 1e9 / row.cost.visits.max(1) as f64;
        is_filterable(&cube.regions[row.region])
            && (row.group == Group::Usr || bounds.com && row.group == Group::Com)
            && row.cost.visits >= bounds.visits
            && ns < bounds.ns_per_visit
            && row.cost.bytes as f64 >= bounds.share * all.bytes as f64
    };
    score.rows.iter().filter(is_tiny).collect()
}

/// A filter file that leaves these regions out, with the reasons behind them.
pub fn filter_file(cube: &Cube, rows: &[&Row]) -> String {
    let mut text = String::from(
        "# Regions with short visits that make up a large part of the trace.\n\
         # For `pompeii run --filter` and `pompeii compile --functions --filter`.\n\
         SCOREP_REGION_NAMES_BEGIN\n",
    );
    if !rows.is_empty() {
        text += "  EXCLUDE\n";
    }
    for row in rows {
        let ns = cube.clock.seconds(row.cost.ticks) * 1e9 / row.cost.visits.max(1) as f64;
        text += &format!(
            "    {}  # {} visits of {ns:.0} ns, {} of trace\n",
            pattern(&cube.regions[row.region].name),
            row.cost.visits,
            format::bytes(row.cost.bytes)
        );
    }
    text + "SCOREP_REGION_NAMES_END\n"
}

/// A pattern for exactly this name, but that a blank is any character: Score-P has no other way.
pub fn pattern(name: &str) -> String {
    let mut pattern = String::new();
    for character in name.chars() {
        match character {
            '*' | '?' | '[' | ']' | '\\' | '#' => {
                pattern.push('\\');
                pattern.push(character);
            }
            _ if character.is_whitespace() => pattern.push('?'),
            _ => pattern.push(character),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;
    use pompeii_analysis::notation;

    const RUN: &str = "wall=1000000000 locations=2 clock=1000000000
        a                                              0  time=700000000
        a/main@a.c:1                                   0  time=6000      visits=1
        a/main@a.c:1/tiny@a.c:2                        0  time=9000000   visits=700000
        a/main@a.c:1/work@a.c:3                        0  time=6000000   visits=20
        a/main@a.c:1/work@a.c:3/parallel@a.c:4         *  time=60000000  visits=20
        a/main@a.c:1/work@a.c:3/parallel@a.c:4/implicit barrier@a.c:4  *  time=9000  visits=20";

    #[test]
    fn what_a_filter_saves() {
        let cube = notation::cube(RUN).unwrap();
        let estimate = Score::new(&cube);
        let tiny = |region: RegionId| cube.regions[region].name == "tiny";
        let options = ScoreOptions { event_ns: 25.0, filtered: Some(&tiny), regions: true };
        expect![[r#"
            Estimated aggregate size of event trace:                   2.7 kB
            Estimated requirements for largest trace buffer (max_buf): 1.8 kB
            Estimated memory requirements per thread:                  1.0 MB
            Estimated cost of measuring: 4.6 µs of 2.0 s (<0.1 %), at 25 ns per event of this machine

            flt type    max_buf[B]        visits    time[s] time[%]    us/visit    cost[s]  region
             *  ALL       16801784        700101      0.135   100.0        0.19      0.035  ALL
             +  USR       16800000        700000      0.009     6.7        0.01      0.035  USR
             -  COM            504            21      0.006     4.4      286.00      0.000  COM
             -  OMP           1280            80      0.120    88.9     1500.22      0.000  OMP
             -  ALL-FLT       1784           101      0.126    93.3     1247.76      0.000  ALL-FLT
             +  FLT       16800000        700000      0.009     6.7        0.01      0.035  FLT

             +  USR       16800000        700000      0.009     6.7        0.01      0.035  tiny
             -  OMP            800            40      0.120    88.9     3000.00      0.000  !$omp parallel @a.c:4
             -  OMP            480            40      0.000     0.0        0.45      0.000  !$omp implicit barrier @a.c:4
             -  COM            480            20      0.006     4.4      300.00      0.000  work
             -  COM             24             1      0.000     0.0        6.00      0.000  main

            No short region fills the trace, so a filter would not make it much smaller.
        "#]].assert_eq(&score(&cube, &estimate, &options));
        let options = ScoreOptions { event_ns: 25.0, filtered: None, regions: false };
        expect![[r#"
            Estimated aggregate size of event trace:                   17 MB
            Estimated requirements for largest trace buffer (max_buf): 17 MB
            Estimated memory requirements per thread:                  1.0 MB
            Estimated cost of measuring: 35 ms of 2.0 s (2 %), at 25 ns per event of this machine

            flt type    max_buf[B]        visits    time[s] time[%]    us/visit    cost[s]  region
                ALL       16801784        700101      0.135   100.0        0.19      0.035  ALL
                USR       16800000        700000      0.009     6.7        0.01      0.035  USR
                COM            504            21      0.006     4.4      286.00      0.000  COM
                OMP           1280            80      0.120    88.9     1500.22      0.000  OMP

            Short functions and user regions make up 100 % of it. `pompeii filter init EXP -o FILE` writes
            a filter without them, for `run --filter` or `compile --functions --filter`.
        "#]].assert_eq(&score(&cube, &estimate, &options));
    }

    #[test]
    fn a_filter_names_what_is_tiny() {
        let cube = notation::cube(RUN).unwrap();
        let estimate = Score::new(&cube);
        expect![[r#"
            # Regions with short visits that make up a large part of the trace.
            # For `pompeii run --filter` and `pompeii compile --functions --filter`.
            SCOREP_REGION_NAMES_BEGIN
              EXCLUDE
                tiny  # 700000 visits of 13 ns, 17 MB of trace
            SCOREP_REGION_NAMES_END
        "#]]
        .assert_eq(&filter_file(&cube, &tiny(&cube, &estimate, &Tiny::default())));
        let none = Tiny { ns_per_visit: 10.0, ..Tiny::default() };
        expect![[r#"
            # Regions with short visits that make up a large part of the trace.
            # For `pompeii run --filter` and `pompeii compile --functions --filter`.
            SCOREP_REGION_NAMES_BEGIN
            SCOREP_REGION_NAMES_END
        "#]]
        .assert_eq(&filter_file(&cube, &tiny(&cube, &estimate, &none)));
    }

    #[test]
    fn patterns_mean_the_name() {
        assert_eq!(pattern("operator*(a b)#[1]"), "operator\\*(a?b)\\#\\[1\\]");
    }
}

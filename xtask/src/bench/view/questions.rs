//! Questions of a page for random windows: at places and of lengths that are all equally likely,
//! the lengths by their order of magnitude.

use std::ops::Range;
use std::time::Instant;

use anyhow::{Context, Result};
use serde_json::Value;

use super::server::Server;

/// Rows of locations in a picture.
const ROWS: u64 = 64;
/// Locations whose call stacks are in a picture.
const STACKS: u64 = 16;
/// The shortest windows.
const SHORTEST_TICKS: f64 = 10_000.0;
/// Visits that are looked for take at least this time.
const LONG_TICKS: u64 = 29_900;
/// Windows for which trees are made: each reads the whole trace.
const TREES: u64 = 3;

/// A kind of question: its words, how long an answer may take, and how many are asked.
struct Kind {
    name: &'static str,
    /// Without the window.
    words: String,
    bound_ms: Option<f64>,
    number: u64,
}

/// What the questions need to know of the trace.
pub struct Questions {
    length: u64,
    kinds: Vec<Kind>,
}

impl Questions {
    /// Those for a trace, `number` of each kind.
    pub fn new(opening: &Value, number: u64) -> Result<Questions> {
        let length = opening["length"].as_u64().context("length")?;
        let locations = opening["locations"].as_array().context("locations")?;
        let last = (locations.len() as u64).min(ROWS) - 1;
        let processes = opening["processes"].as_array().context("processes")?.len();
        let level = |(location, of): (usize, &Value)| {
            let levels = of["stack_levels"].as_u64().unwrap_or(1).max(1);
            format!("s{location}.0-{}", levels - 1)
        };
        let stacks: Vec<String> =
            locations.iter().take(STACKS as usize).enumerate().map(level).collect();
        let regions = opening["regions"].as_array().context("regions")?;
        let norm = regions.iter().position(|region| region["name"] == "norm").unwrap_or(0);
        let kind = |name, words: &str, bound_ms: f64| Kind {
            name,
            words: words.to_owned(),
            bound_ms: Some(bound_ms),
            number,
        };
        let words = "trees?waits=0".to_owned();
        let times = Kind { name: "times", words, bound_ms: None, number };
        let trees = Kind {
            name: "trees",
            words: "trees?".to_owned(),
            bound_ms: None,
            number: TREES.min(number),
        };
        Ok(Questions {
            length,
            kinds: vec![
                kind("innermost", &format!("picture?rows=f0-{last}&px=2000"), 50.0),
                kind("stacks", &format!("picture?rows={}&px=2000", stacks.join(",")), 50.0),
                kind("processes", &format!("picture?rows=p0-{}&px=2000", processes - 1), 50.0),
                kind("sums", &format!("sums?locs=0-{last}&by=region"), 50.0),
                kind("links", "links?kinds=message,collective,lock,task&max=2000", 50.0),
                kind("tasks", &format!("tasks?locs=0-{last}&max=2000"), 50.0),
                kind("curves", "curves?which=ready&process=0&px=2000", 50.0),
                kind("gaps", &format!("gaps?locs=0-{last}&px=2000"), 50.0),
                kind("moment", "at?loc=0", 50.0),
                kind("matrix", "matrix?", 200.0),
                kind("histogram", &format!("histogram?locs=0-{last}&region={norm}"), 200.0),
                kind("find", &format!("find?name=critical&longer={LONG_TICKS}"), 200.0),
                times,
                trees,
            ],
        })
    }

    /// Asks all of them, and prints a line for each kind.
    pub fn ask(&self, server: &Server) -> Result<()> {
        for kind in &self.kinds {
            self.kind(server, kind)?;
        }
        Ok(())
    }

    #[allow(clippy::disallowed_methods, reason = "a benchmark measures wall time")]
    fn kind(&self, server: &Server, kind: &Kind) -> Result<()> {
        let (mut times, mut bytes) = (Vec::new(), 0);
        for turn in 0..kind.number {
            let window = self.window(turn);
            let question = question(kind, &window);
            let begin = Instant::now();
            let answer = server.get(&format!("api/{question}"))?;
            times.push(begin.elapsed().as_secs_f64() * 1000.0);
            bytes += answer.len();
        }
        times.sort_by(f64::total_cmp);
        let at = |share: f64| {
            let place = (times.len() as f64 * share) as usize;
            times.get(place.min(times.len() - 1)).copied().unwrap_or_default()
        };
        let bound = kind.bound_ms.map_or(String::new(), |bound| {
            let missed = if at(0.95) > bound { "  MISSED" } else { "" };
            format!(", bound {bound} ms{missed}")
        });
        println!(
            "  {:9} {:7.1} ms median, {:7.1} ms 95th percentile{bound}; {:.1} ms longest; {} kB",
            kind.name,
            at(0.5),
            at(0.95),
            at(1.0),
            bytes as u64 / kind.number.max(1) / 1000
        );
        Ok(())
    }

    /// The same windows each time, spread evenly.
    fn window(&self, turn: u64) -> Range<u64> {
        let part = |factor: f64| (turn as f64 * factor + 0.5).fract();
        let longest = self.length as f64;
        let length = longest * (SHORTEST_TICKS / longest).min(1.0).powf(part(0.618_033_988_7));
        let begin = ((longest - length) * part(0.414_213_562_3)) as u64;
        begin..begin + (length as u64).max(1)
    }
}

fn question(kind: &Kind, window: &Range<u64>) -> String {
    let Range { start, end } = window;
    match kind.name {
        "moment" => format!("{}&t={start}", kind.words),
        "find" => format!("{}&from={start}", kind.words),
        _ => format!("{}&t0={start}&t1={end}", kind.words),
    }
}

//! What counters of the trace say, in `analysis.json` and in the summary.

use pompeii_analysis::format::{count, region_with_place, seconds};
use pompeii_analysis::processor::{Rated, rated};
use pompeii_analysis::properties;
use pompeii_model::{Cube, Unit};
use serde::Serialize;

/// Regions in the summary.
const REGIONS_SHOWN: usize = 8;

/// A counter with its total.
#[derive(Serialize)]
pub struct Counter {
    name: String,
    /// The unit that `trace.cubex` has for it.
    unit: &'static str,
    total: f64,
}

/// What counters of the processor say of a region, with all its visits on all locations.
#[derive(Serialize)]
pub struct Region {
    region: String,
    seconds: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    instructions_per_cycle: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_misses_per_1000_instructions: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ghz: Option<f64>,
    memory_bound: bool,
}

/// The counters of the trace: metrics that are no properties.
pub fn counters(cube: &Cube) -> Vec<Counter> {
    let of_trace = cube.metrics().enumerated().filter(|(_, metric)| {
        properties::find(&metric.name).is_none() && metric.unit != Unit::Ticks
    });
    let counter = |(id, metric): (_, &pompeii_model::Metric)| Counter {
        name: metric.name.clone(),
        unit: metric.unit.cube_name(),
        total: cube.total(id) as f64 / metric.unit.parts(),
    };
    of_trace.map(counter).collect()
}

/// The regions with rates, the longest first.
pub fn regions(cube: &Cube) -> Vec<Region> {
    let region = |of: Rated| Region {
        region: region_with_place(cube, of.region),
        seconds: cube.clock.seconds(of.ticks),
        instructions_per_cycle: of.rates.per_cycle,
        cache_misses_per_1000_instructions: of.rates.misses_per_1000,
        ghz: of.rates.ghz,
        memory_bound: of.rates.is_memory_bound(),
    };
    rated(cube).into_iter().map(region).collect()
}

/// The lines of the summary; empty without counters.
pub fn lines(counters: &[Counter], regions: &[Region]) -> String {
    let mut text = String::new();
    if !counters.is_empty() {
        text += "\n Counters\n";
    }
    for counter in counters {
        let total = match counter.unit {
            "ns" => seconds(counter.total * 1e-9),
            _ if counter.total.fract() == 0.0 => count(counter.total as i64),
            _ => format!("{}", counter.total),
        };
        text += &format!("   {:38} {total:>9}\n", counter.name);
    }
    if !regions.is_empty() {
        text += "\n Processor          IPC  misses/1000    GHz\n";
    }
    for region in regions.iter().take(REGIONS_SHOWN) {
        let rate = |rate: Option<f64>| rate.map_or("-".to_owned(), |rate| format!("{rate:.2}"));
        let (per_cycle, ghz) = (rate(region.instructions_per_cycle), rate(region.ghz));
        let misses = rate(region.cache_misses_per_1000_instructions);
        let bound = if region.memory_bound { ", memory-bound" } else { "" };
        let time = seconds(region.seconds);
        text += &format!(
            "   {time:>9} {per_cycle:>8} {misses:>12} {ghz:>6}  {}{bound}\n",
            region.region
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use pompeii_analysis::trace::Severities;
    use pompeii_replay::{Options, replay, text};

    use super::*;

    #[test]
    fn the_summary_has_counters_and_rates() {
        let trace = text::parse(
            "end 4000
             counter instructions = ACCUMULATED_START
             counter cycles = ACCUMULATED_START
             counter cache-misses = ACCUMULATED_START
             counter energy = RELATIVE_LAST real
             0 0.0 program; + copy
             1000 0.0 count instructions 2000; count cycles 4000; count cache-misses 40; -; + add
             3000 0.0 count instructions 5000; count cycles 6000; count cache-misses 41
             3000 0.0 count energy 0.125; -
             4000 0.0 exit",
        );
        let severities = Severities::default();
        let outcome = replay(trace.unwrap().trace(), Options::default(), &mut |_| ());
        let cube = severities.cube(&outcome);
        let (counters, regions) = (counters(&cube), regions(&cube));
        expect![[r#"

            | Counters
            |   instructions                               5,000
            |   cycles                                     6,000
            |   cache-misses                                  41
            |   energy                                     0.125
            |
            | Processor          IPC  misses/1000    GHz
            |     2,000 s     1.50         0.33   0.00  add
            |     1,000 s     0.50        20.00   0.00  copy, memory-bound
            |"#]]
        .assert_eq(&lines(&counters, &regions).replace('\n', "\n|"));
        let json = serde_json::to_string_pretty(&regions[..2]).unwrap();
        expect![[r#"
            [
              {
                "region": "add",
                "seconds": 2000.0,
                "instructions_per_cycle": 1.5,
                "cache_misses_per_1000_instructions": 0.3333333333333333,
                "ghz": 1e-9,
                "memory_bound": false
              },
              {
                "region": "copy",
                "seconds": 1000.0,
                "instructions_per_cycle": 0.5,
                "cache_misses_per_1000_instructions": 20.0,
                "ghz": 4e-9,
                "memory_bound": true
              }
            ]"#]]
        .assert_eq(&json);
    }

    /// Reports have real numbers for counters of real numbers.
    #[test]
    fn fractions_are_the_same_after_writing_and_reading() {
        let trace = text::parse(
            "end 30
             counter energy = ACCUMULATED_START real
             0 0.0 program
             10 0.0 count energy 0.1; + f
             30 0.0 count energy 1234567.000000001; -; exit",
        );
        let outcome = replay(trace.unwrap().trace(), Options::default(), &mut |_| ());
        let cube = Severities::default().cube(&outcome);
        let folder = tempfile::tempdir().unwrap();
        pompeii_finish::write_cube(&cube, folder.path(), "trace.cubex").unwrap();
        let file = folder.path().join("trace.cubex");
        let read = pompeii_analysis::measured(&pompeii_cubex::Reader::open(file).unwrap()).unwrap();
        let energy = |cube: &Cube| {
            let id = cube.metric("energy").unwrap();
            let values: Vec<i64> = cube.calls.ids().map(|call| cube.own(id, call)).collect();
            (cube.metrics()[id].unit, values)
        };
        assert_eq!(energy(&read), energy(&cube));
        let written = (Unit::Decimals(9), vec![100_000_000, 1_234_566_900_000_001]);
        assert_eq!(energy(&cube), written);
    }
}

//! What counters of the processor say together: instructions per cycle, misses of the last cache
//! per 1,000 instructions, and cycles per nanosecond (GHz), by region. Each rate is known if its
//! parts were counted.

use std::collections::BTreeMap;

use pompeii_model::{CallId, Cube, MetricId, RegionId};

/// From this number of misses of the last cache per 1,000 instructions on, and with less than one
/// instruction per cycle, code is bound by memory: each miss takes some hundreds of cycles, so ten
/// of them take longer than 1,000 instructions.
const MANY_MISSES: f64 = 10.0;

const MISSES: [&str; 4] = ["PAPI_L3_TCM", "cache-misses", "LLC-load-misses", "LLC-misses"];
const INSTRUCTIONS: [&str; 2] = ["PAPI_TOT_INS", "instructions"];
const CYCLES: [&str; 3] = ["PAPI_TOT_CYC", "cycles", "cpu-cycles"];

/// The counters of a cube that rates are made of.
#[derive(Clone, Copy, Debug)]
pub struct Processor {
    /// Misses of the last cache.
    pub misses: Option<MetricId>,
    /// Completed instructions.
    pub instructions: Option<MetricId>,
    /// Cycles.
    pub cycles: Option<MetricId>,
}

/// Rates of some code; `None` if a part was not counted.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rates {
    /// Instructions per cycle.
    pub per_cycle: Option<f64>,
    /// Misses of the last cache per 1,000 instructions.
    pub misses_per_1000: Option<f64>,
    /// Cycles per nanosecond of the time of the code, with its waiting.
    pub ghz: Option<f64>,
}

impl Rates {
    /// Whether the code waits for memory.
    pub fn is_memory_bound(&self) -> bool {
        self.misses_per_1000.is_some_and(|misses| misses >= MANY_MISSES)
            && self.per_cycle.is_none_or(|per_cycle| per_cycle < 1.0)
    }
}

/// A region in which counters were read.
#[derive(Clone, Debug, PartialEq)]
pub struct Rated {
    /// The region.
    pub region: RegionId,
    /// Time of its code in ticks, on all locations.
    pub ticks: i64,
    /// What was counted, on all locations; 0 if it was not.
    pub instructions: i64,
    /// Its rates.
    pub rates: Rates,
}

impl Processor {
    /// The counters that a cube has.
    pub fn of(cube: &Cube) -> Processor {
        let first = |names: &[&str]| names.iter().find_map(|name| cube.metric(name));
        let (misses, instructions) = (first(&MISSES), first(&INSTRUCTIONS));
        Processor { misses, instructions, cycles: first(&CYCLES) }
    }

    /// The rates of what was counted at some call paths, in which their code had a time.
    pub fn rates(&self, cube: &Cube, counted: &[CallId], ticks: i64) -> Rates {
        let sum = |metric: Option<MetricId>| {
            let metric = metric?;
            let sum: i64 = counted.iter().map(|&call| cube.own(metric, call)).sum();
            Some(sum as f64)
        };
        let ratio = |part: Option<f64>, whole: Option<f64>| {
            let whole = whole.filter(|whole| *whole > 0.0)?;
            Some(part? / whole)
        };
        let (instructions, cycles) = (sum(self.instructions), sum(self.cycles));
        let ns = cube.clock.seconds(ticks) * 1e9;
        Rates {
            per_cycle: ratio(instructions, cycles),
            misses_per_1000: ratio(sum(self.misses).map(|misses| 1000.0 * misses), instructions),
            ghz: ratio(cycles, Some(ns)),
        }
    }
}

/// The regions of a cube in which counters of the processor were read, the longest first. Counters
/// may be read at the borders of functions and parallel regions only: then they belong to these
/// regions with all constructs in them.
pub fn rated(cube: &Cube) -> Vec<Rated> {
    let processor = Processor::of(cube);
    let Some(basis) = processor.instructions.or(processor.cycles) else { return Vec::new() };
    let Some(time) = cube.metric("execution").or(cube.metric("time")) else { return Vec::new() };
    let counted = cube.calls.innermost(|call| cube.own(basis, call) > 0);
    let mut regions: BTreeMap<RegionId, (i64, Vec<CallId>)> = BTreeMap::new();
    for call in cube.calls.ids() {
        let Some(at) = counted[call] else { continue };
        let (ticks, calls) = regions.entry(cube.calls.region(at)).or_default();
        *ticks += cube.own(time, call);
        if at == call {
            calls.push(call);
        }
    }
    let of = |(region, (ticks, calls)): (RegionId, (i64, Vec<CallId>))| Rated {
        region,
        ticks,
        instructions: processor
            .instructions
            .map_or(0, |metric| calls.iter().map(|&call| cube.own(metric, call)).sum()),
        rates: processor.rates(cube, &calls, ticks),
    };
    let mut all: Vec<Rated> = regions.into_iter().map(of).collect();
    all.sort_by_key(|rated| (-rated.ticks, rated.region));
    all
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(text: &str, expect: Expect) {
        let cube = crate::notation::cube(text).unwrap();
        let shown: Vec<String> = rated(&cube)
            .iter()
            .map(|of| {
                let name = &cube.regions[of.region].name;
                let bound = if of.rates.is_memory_bound() { "  memory-bound" } else { "" };
                format!("{name}  {} ticks  {:?}{bound}\n", of.ticks, of.rates)
            })
            .collect();
        expect.assert_eq(&shown.concat());
    }

    #[test]
    fn regions_with_many_misses_are_memory_bound() {
        check(
            "wall=100 locations=1
             a             0  time=10  instructions=40   cycles=20   cache-misses=0
             a/copy        0  time=50  instructions=1000 cycles=2000 cache-misses=10
             a/add         0  time=30  instructions=1000 cycles=900  cache-misses=10
             a/add/for@a.c:7  0  time=10",
            expect![[r#"
                copy  50 ticks  Rates { per_cycle: Some(0.5), misses_per_1000: Some(10.0), ghz: Some(4e-5) }  memory-bound
                add  40 ticks  Rates { per_cycle: Some(1.1111111111111112), misses_per_1000: Some(10.0), ghz: Some(2.25e-5) }
                a  10 ticks  Rates { per_cycle: Some(2.0), misses_per_1000: Some(0.0), ghz: Some(2e-6) }
            "#]],
        );
    }

    #[test]
    fn a_rate_without_a_part_is_unknown() {
        check(
            "wall=100 locations=1
             a  0  time=10  cycles=20",
            expect![[r#"
                a  10 ticks  Rates { per_cycle: None, misses_per_1000: None, ghz: Some(2e-6) }
            "#]],
        );
        check(
            "wall=100 locations=1
             a  0  time=10  cache-misses=20",
            expect![[r#""#]],
        );
    }
}

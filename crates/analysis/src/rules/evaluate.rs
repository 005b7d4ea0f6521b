//! Whether a rule holds for a run, or for several runs of the same program: then each value is the
//! median of the runs, so that one that was disturbed does not decide.

use pompeii_model::{CallId, Cube, IndexVec, LocationId, Region, RegionId, Ticks, Unit};

use super::{Bound, Measure, Rule, RuleError, Scope, Whole};
use crate::Lens;
use crate::efficiency::efficiencies;
use crate::findings::Finding;
use crate::median::median;
use crate::properties::{self, Property};
use crate::run::Run;
use crate::wildcards::fits;

/// What came of a rule.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// The value in the basic unit of [`Measure::quantity`].
    pub value: f64,
    /// Its share of what the rule is relative to, if it is.
    pub share: Option<f64>,
    /// Whether the rule holds.
    pub holds: bool,
    /// The process or thread with this value, if the rule is for each one and it is the same one in
    /// all runs.
    pub at: Option<String>,
    /// Where most of the value is, the largest part first. Empty for values of the whole run.
    pub places: Vec<Place>,
}

/// A place in the source with its part of a value.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Construct or function, as reports name it.
    pub label: String,
    /// The source file; empty where unknown.
    pub file: String,
    /// The line; 0 where unknown.
    pub line: u32,
    /// The part of the value.
    pub value: f64,
}

/// Places that a verdict names.
const PLACES_MAX: usize = 3;

/// Says whether a rule holds for the median of `runs`, of which there is at least one. `base` are
/// the runs that a rule relative to a base compares with.
///
/// # Errors
/// Why the rule cannot be used for these runs.
pub fn evaluate(rule: &Rule, runs: &[Run], base: &[Run]) -> Result<Verdict, RuleError> {
    let parts = worst_of_each(rule, runs)?;
    let value = median(parts.iter().map(|part| part.value));
    let share = match rule.whole {
        None => None,
        Some(Whole::Base) if base.is_empty() => {
            return Err(RuleError::NoBase(rule.measure.name().to_owned()));
        }
        Some(Whole::Base) => {
            let before = worst_of_each(rule, base)?;
            Some(quotient(value, median(before.iter().map(|part| part.value))))
        }
        Some(_) => Some(median(parts.iter().map(Part::share))),
    };
    let first = runs.first();
    Ok(Verdict {
        value,
        share,
        holds: rule.holds(share.unwrap_or(value)),
        at: common_name(parts),
        places: first.map_or(Ok(Vec::new()), |run| places(rule, run))?,
    })
}

fn common_name(parts: Vec<Part>) -> Option<String> {
    let mut names = parts.into_iter().map(|part| part.at);
    let first = names.next().flatten();
    first.filter(|first| names.all(|name| name.as_deref() == Some(&**first)))
}

/// How many times as much as in the base. Two zeros are equal, and something next to nothing is
/// above every limit.
fn quotient(part: f64, whole: f64) -> f64 {
    match (part == 0.0, whole == 0.0) {
        (true, true) => 1.0,
        (false, true) => f64::INFINITY,
        _ => part / whole,
    }
}

/// The metric that the one of a rule is a part of.
pub(super) fn parent(measure: Measure) -> Option<&'static Property> {
    let Measure::Metric(property) = measure else { return None };
    property.parent.and_then(properties::find)
}

/// The value of a run, of one process or of one thread.
struct Part {
    at: Option<String>,
    value: f64,
    /// What it is a part of, if the rule is relative to something of the same run.
    whole: f64,
}

impl Part {
    fn share(&self) -> f64 {
        if self.whole == 0.0 { 0.0 } else { self.value / self.whole }
    }
}

/// Of each run the part that is nearest to breaking the rule, or breaks it most.
fn worst_of_each(rule: &Rule, runs: &[Run]) -> Result<Vec<Part>, RuleError> {
    runs.iter().map(|run| worst(rule, parts(rule, run)?)).collect()
}

fn worst(rule: &Rule, parts: Vec<Part>) -> Result<Part, RuleError> {
    let is_share = !matches!(rule.whole, None | Some(Whole::Base));
    let compared = |part: &Part| if is_share { part.share() } else { part.value };
    let order = |a: &Part, b: &Part| compared(a).total_cmp(&compared(b));
    let worst = match rule.bound {
        Bound::Max => parts.into_iter().max_by(order),
        Bound::Min => parts.into_iter().min_by(order),
    };
    Ok(worst.unwrap_or(Part { at: None, value: 0.0, whole: 0.0 }))
}

fn parts(rule: &Rule, run: &Run) -> Result<Vec<Part>, RuleError> {
    let cube = run.cube;
    let one = |value: f64| Ok(vec![Part { at: None, value, whole: 0.0 }]);
    match rule.measure {
        Measure::Wall => one(cube.clock.seconds(cube.wall_ticks)),
        Measure::Efficiency(_, of) => one(of(&efficiencies(cube))),
        Measure::Lost(name) => {
            // A pattern that fits nothing is an error here, too.
            chosen(rule, cube)?;
            Ok(vec![lost(rule, run, name)])
        }
        Measure::Metric(property) => sums(rule, cube, property),
    }
}

/// What findings with a cause or a diagnosis have lost.
fn lost(rule: &Rule, run: &Run, name: &str) -> Part {
    let cube = run.cube;
    let ticks: Ticks = found(rule, run, name).map(|finding| finding.lost_ticks).sum();
    let whole = match rule.whole {
        Some(Whole::Allocation) => cube.allocation_ticks(),
        _ => cube.wall_ticks,
    };
    Part { at: None, value: cube.clock.seconds(ticks), whole: cube.clock.seconds(whole) }
}

fn found<'a>(
    rule: &'a Rule,
    run: &Run<'a>,
    name: &'a str,
) -> impl Iterator<Item = &'a Finding> + use<'a> {
    let cube = run.cube;
    run.findings.iter().filter(move |finding| {
        let is_it = finding.property.name == name
            || finding.cause.is_some_and(|cause| cause.code() == name);
        let pattern = rule.call.as_deref();
        is_it && pattern.is_none_or(|pattern| is_named(&cube.regions[finding.region], pattern))
    })
}

/// Whether a pattern fits one of the names that a region has in reports.
fn is_named(region: &Region, pattern: &str) -> bool {
    let position = region.position();
    let label = region.label();
    let names = [Some(&*region.name), Some(&*label), region.function(), position.as_deref()];
    names.into_iter().flatten().any(|name| fits(pattern, name))
}

/// The call paths that a rule is about.
fn chosen(rule: &Rule, cube: &Cube) -> Result<Vec<CallId>, RuleError> {
    let Some(pattern) = &rule.call else { return Ok(cube.calls.ids().collect()) };
    // Some regions have thousands of call paths, and each name is looked at once.
    let fit: IndexVec<RegionId, bool> =
        cube.regions.iter().map(|region| is_named(region, pattern)).collect();
    let is_end = |call: CallId| fit[cube.calls.region(call)];
    let inside = cube.calls.outermost(is_end);
    // Visits of what a function calls are no visits of the function.
    let counts_ends = matches!(rule.measure, Measure::Metric(metric) if metric.name == "visits");
    let has = |&call: &CallId| if counts_ends { is_end(call) } else { inside[call].is_some() };
    let calls: Vec<CallId> = cube.calls.ids().filter(has).collect();
    if calls.is_empty() {
        let (pattern, program) = (pattern.clone(), cube.program.clone());
        return Err(RuleError::NoCall { pattern, program });
    }
    Ok(calls)
}

/// Values of a metric for the scope of a rule.
fn sums(rule: &Rule, cube: &Cube, property: &Property) -> Result<Vec<Part>, RuleError> {
    let lens = Lens::new(cube);
    let calls = chosen(rule, cube)?;
    let values = lens.by_location(property.name, &calls);
    let wholes: IndexVec<LocationId, i64> = match rule.whole {
        Some(Whole::Allocation | Whole::Wall) => values.iter().map(|_| cube.wall_ticks).collect(),
        Some(Whole::Parent) => {
            let parent = parent(rule.measure).map_or("", |parent| parent.name);
            lens.by_location(parent, &calls)
        }
        Some(Whole::Call) => lens.by_location("time", &calls),
        Some(Whole::Base) | None => values.iter().map(|_| 0).collect(),
    };
    let unit = match rule.whole {
        Some(Whole::Parent) => property.unit,
        _ => Unit::Ticks,
    };
    let groups = groups(rule.scope, cube).into_iter();
    Ok(groups
        .map(|(at, locations)| {
            let sum = |of: &IndexVec<LocationId, i64>| {
                locations.iter().fold(0_i64, |sum, &location| sum.saturating_add(of[location]))
            };
            let whole = match rule.whole {
                Some(Whole::Wall) => cube.wall_ticks,
                _ => sum(&wholes),
            };
            let value = basic(cube, property.unit, sum(&values));
            Part { at, value, whole: basic(cube, unit, whole) }
        })
        .collect())
}

/// A value in seconds, bytes or as a number.
fn basic(cube: &Cube, unit: Unit, value: i64) -> f64 {
    match unit {
        Unit::Ticks => cube.clock.seconds(value),
        Unit::Nanoseconds => value as f64 / 1e9,
        Unit::Count | Unit::Bytes | Unit::Decimals(_) => value as f64 / unit.parts(),
    }
}

/// The locations of each member of a scope, with its name.
fn groups(scope: Scope, cube: &Cube) -> Vec<(Option<String>, Vec<LocationId>)> {
    let system = &cube.system;
    match scope {
        Scope::Run => vec![(None, system.locations.ids().collect())],
        Scope::Process => {
            let locations = system.locations_by_process().into_iter();
            let names = system.processes.iter().map(|process| Some(process.name.clone()));
            names.zip(locations).collect()
        }
        Scope::Thread => {
            let of = |at: LocationId| (Some(system.thread_name(at)), vec![at]);
            system.locations.ids().map(of).collect()
        }
    }
}

/// Where most of the value is.
fn places(rule: &Rule, run: &Run) -> Result<Vec<Place>, RuleError> {
    let cube = run.cube;
    let mut sums: Vec<(RegionId, f64)> = match rule.measure {
        Measure::Wall | Measure::Efficiency(..) => Vec::new(),
        Measure::Lost(name) => {
            let seconds = |finding: &Finding| cube.clock.seconds(finding.lost_ticks);
            found(rule, run, name).map(|finding| (finding.region, seconds(finding))).collect()
        }
        Measure::Metric(property) => {
            let lens = Lens::new(cube);
            let mut of: IndexVec<RegionId, i64> = cube.regions.iter().map(|_| 0).collect();
            for call in chosen(rule, cube)? {
                let sum = &mut of[cube.calls.region(call)];
                *sum = sum.saturating_add(lens.own(property.name, call));
            }
            let all = of.enumerated().filter(|(_, value)| **value > 0);
            all.map(|(region, value)| (region, basic(cube, property.unit, *value))).collect()
        }
    };
    sums.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let place = |(region, value): (RegionId, f64)| {
        let region = &cube.regions[region];
        let (label, file) = (region.label(), region.file.clone());
        Place { label, file, line: region.begin_line, value }
    };
    Ok(sums.into_iter().take(PLACES_MAX).map(place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two ranks with two threads; the clock has a tick of a millisecond.
    const TEXT: &str = "wall=1000 locations=4 processes=2
         a                                             0    time=200
         a                                             2    time=200
         a/relax@a.c:3                                 0    time=100
         a/relax@a.c:3                                 2    time=100
         a/relax@a.c:3/parallel@a.c:5                  *    time=400 visits=1
         a/relax@a.c:3/parallel@a.c:5/implicit barrier@a.c:9  1  time=300 omp_ibarrier_wait=240
         a/relax@a.c:3/parallel@a.c:5/implicit barrier@a.c:9  0  time=300 omp_ibarrier_wait=40
         a/relax@a.c:3/parallel@a.c:5/implicit barrier@a.c:9  2-3  time=300 omp_ibarrier_wait=60
         a/relax@a.c:3/parallel@a.c:5/implicit barrier@a.c:9  *  visits=1";

    fn cube(text: &str) -> Cube {
        crate::derive(&crate::notation::cube(text).unwrap())
    }

    fn verdict(rule: &Rule, cubes: &[Cube], base: &[Cube]) -> Result<Verdict, RuleError> {
        fn runs(cubes: &[Cube]) -> Vec<Run<'_>> {
            cubes.iter().map(|cube| Run { cube, findings: &[] }).collect()
        }
        evaluate(rule, &runs(cubes), &runs(base))
    }

    fn check(rule: &Rule, expected: (f64, Option<f64>, bool, Option<&str>)) {
        let of = verdict(rule, &[cube(TEXT)], &[]).unwrap();
        assert_eq!((of.value, of.share, of.holds, of.at.as_deref()), expected);
    }

    fn rule(text: &str) -> Rule {
        Rule::parse(text).unwrap()
    }

    #[test]
    fn a_share_is_one_of_what_the_rule_names() {
        // 400 of 4,000 ms, of 1,000 ms, and of the 1,200 ms in implicit barriers.
        check(&rule("omp_ibarrier_wait<11%"), (0.4, Some(0.1), true, None));
        check(&rule("omp_ibarrier_wait<10%"), (0.4, Some(0.1), false, None));
        check(&rule("omp_ibarrier_wait<=10%"), (0.4, Some(0.1), true, None));
        check(&rule("omp_ibarrier_wait<50% of wall"), (0.4, Some(0.4), true, None));
        let of_parent = rule("omp_ibarrier_wait<50% of parent");
        check(&of_parent, (0.4, Some(0.4 / 1.2), true, None));
        check(&rule("omp_ibarrier_wait@a.c:9<0.3 s"), (0.4, None, false, None));
        check(&rule("visits@parallel*>4"), (4.0, None, false, None));
        check(&rule("wall_time<1.5 s"), (1.0, None, true, None));
    }

    #[test]
    fn the_worst_process_or_thread_decides() {
        let each = |scope| Rule { scope, ..rule("omp_ibarrier_wait<13%") };
        check(&each(Scope::Process), (0.28, Some(0.28 / 2.0), false, Some("MPI Rank 0")));
        check(&each(Scope::Thread), (0.24, Some(0.24), false, Some("rank 0 thread 1")));
        let least = Rule { scope: Scope::Thread, ..rule("omp_ibarrier_wait>0.05 s") };
        check(&least, (0.04, None, false, Some("rank 0 thread 0")));
        // In another run, another thread waits longest.
        let swapped = TEXT.replace("9  1  time", "9  x  time").replace("9  0  time", "9  1  time");
        let cubes = [cube(TEXT), cube(&swapped.replace("9  x  time", "9  0  time"))];
        let of = verdict(&each(Scope::Thread), &cubes, &[]).unwrap();
        assert_eq!((of.value, of.at), (0.24, None));
    }

    #[test]
    fn places_are_those_with_most_of_the_value() {
        let of = verdict(&rule("comp@relax<1%"), &[cube(TEXT)], &[]).unwrap();
        let shown: Vec<_> =
            of.places.iter().map(|of| (&*of.label, &*of.file, of.line, of.value)).collect();
        assert_eq!(shown, [("parallel a.c:5", "a.c", 5, 1.6), ("relax", "a.c", 3, 0.2)]);
    }

    #[test]
    fn several_runs_have_a_median_and_may_have_a_base() {
        let wall = |ticks: i64| cube(&format!("wall={ticks}\n a  0  time={ticks}"));
        let base = [wall(2000), wall(1500), wall(9000)];
        let runs = [wall(2000), wall(2500)];
        for (text, holds) in [("wall_time<110% of base", false), ("wall_time<1.2 of base", true)] {
            let of = verdict(&rule(text), &runs, &base).unwrap();
            assert_eq!((of.value, of.share, of.holds), (2.25, Some(1.125), holds));
        }
        let none = verdict(&rule("wall_time<110% of base"), &base, &[]);
        assert_eq!(none, Err(RuleError::NoBase("wall_time".to_owned())));
    }

    #[test]
    fn a_pattern_that_fits_nothing_is_an_error() {
        let none = verdict(&rule("comp@nosuch*<5%"), &[cube(TEXT)], &[]).unwrap_err();
        let expected = "no call path of a is named `nosuch*`, so the rule would check nothing";
        assert_eq!(none.to_string(), expected);
        let of_cause = verdict(&rule("imbalance_steady@nosuch*<5%"), &[cube(TEXT)], &[]);
        assert_eq!(of_cause.unwrap_err(), none);
    }
}

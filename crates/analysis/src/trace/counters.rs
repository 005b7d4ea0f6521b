//! Counters of a trace as metrics of a cube. Each one is a root metric with its own name.

use pompeii_model::{Cube, Display, Metric, MetricId, Unit};
use pompeii_replay::Outcome;
use pompeii_replay::counter::{Amount, Counter, Kind};

use crate::properties;

/// Real numbers are kept with as many decimals as their sum has room for, and not with more.
const DECIMALS_MAX: u8 = 9;
/// Integers below this are exact as doubles, in which reports have them.
const EXACT: f64 = 9.0e15;

/// Adds the counters of a trace.
pub fn add(cube: &mut Cube, outcome: &Outcome) {
    for (id, counter) in outcome.definitions.counters.enumerated() {
        let of_counter = || outcome.counted.iter().filter(move |(of, ..)| *of == id);
        let unit = unit(counter, of_counter().map(|(.., amount)| *amount));
        let metric = metric(cube, counter, unit);
        for &(_, call, location, amount) in of_counter() {
            cube.add(metric, call, location, whole(amount, unit));
        }
    }
}

/// The metric of a counter; several counters may have its name, and a property, too.
fn metric(cube: &mut Cube, counter: &Counter, unit: Unit) -> MetricId {
    let mut name = counter.name.clone();
    for number in 2.. {
        if cube.metric(&name).is_none() && properties::find(&name).is_none() {
            break;
        }
        name = format!("{} ({number})", counter.name);
    }
    let how = match counter.kind {
        Kind::Accumulated | Kind::Relative => "Counted in the call path itself",
        Kind::Absolute => "By how much the value has grown in the call path",
    };
    let unit_name = match unit {
        Unit::Decimals(_) if !matches!(counter.unit.as_str(), "" | "#") => {
            format!(", in {}", counter.unit)
        }
        _ => String::new(),
    };
    let own = &counter.description;
    let description = if own.is_empty() { String::new() } else { format!("{own}. ") };
    let description = format!("{description}{how}{unit_name}, from the trace");
    let (title, display) = (name.clone(), Display::default());
    cube.add_metric(Metric { name, title, description, unit, parent: None, display })
}

fn unit(counter: &Counter, amounts: impl Iterator<Item = Amount> + Clone) -> Unit {
    let is_negative = amounts.clone().any(|amount| amount.real() < 0.0);
    if !counter.is_real && !is_negative {
        return match counter.unit.as_str() {
            "ns" => Unit::Nanoseconds,
            "bytes" | "B" | "byte" => Unit::Bytes,
            _ => Unit::Count,
        };
    }
    let most: f64 = amounts.map(|amount| amount.real().abs()).sum();
    let fits = |decimals: &u8| most * 10f64.powi(i32::from(*decimals)) < EXACT;
    let decimals = if counter.is_real { DECIMALS_MAX } else { 0 };
    Unit::Decimals((0..=decimals).rev().find(fits).unwrap_or(0))
}

fn whole(amount: Amount, unit: Unit) -> i64 {
    match (amount, unit) {
        (Amount::Whole(amount), _) => amount,
        (Amount::Real(amount), Unit::Decimals(decimals)) => {
            (amount * 10f64.powi(i32::from(decimals))).round() as i64
        }
        (Amount::Real(amount), _) => amount.round() as i64,
    }
}

#[cfg(test)]
mod tests {
    use expect_test::expect;
    use pompeii_replay::{Options, replay, text};

    use crate::trace::Severities;

    #[test]
    fn each_counter_is_a_metric_of_its_own() {
        // `time` is the name of a property, `energy` has fractions, and `change` becomes less.
        let trace = text::parse(
            "end 30
             counter time = ACCUMULATED_START
             counter energy = ACCUMULATED_START real
             counter change = RELATIVE_LAST
             counter never = ACCUMULATED_START
             0 0.0 program
             10 0.0 count time 10; count energy 0.25; count change 5; + f
             20 0.0 count time 40; count energy 1.75; count change -2; -
             30 0.0 exit",
        );
        let severities = Severities::default();
        let outcome = replay(trace.unwrap().trace(), Options::default(), &mut |_| ());
        let cube = severities.cube(&outcome);
        let counters = cube.metrics().enumerated().filter(|(_, metric)| {
            crate::properties::find(&metric.name).is_none() && metric.name != "omp_task_starvation"
        });
        let mut shown = String::new();
        for (id, metric) in counters {
            let values: Vec<i64> = cube.calls.ids().map(|call| cube.own(id, call)).collect();
            shown +=
                &format!("{} {:?} {values:?} {}\n", metric.name, metric.unit, metric.description);
        }
        expect![[r#"
            time (2) Count [10, 30] Counted in the call path itself, from the trace
            energy Decimals(9) [250000000, 1500000000] Counted in the call path itself, from the trace
            change Decimals(0) [5, -2] Counted in the call path itself, from the trace
            never Count [0, 0] Counted in the call path itself, from the trace
        "#]].assert_eq(&shown);
    }
}

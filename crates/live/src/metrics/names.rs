//! Names of metrics: those of `perf`, PAPI's presets where the kernel counts the same, fields of
//! `getrusage`, and the memory high-water mark. To add one: a line in its table.

use std::fmt;

use super::{Metric, MetricUnit, Source, Usage};

const HARDWARE: u32 = 0;
const SOFTWARE: u32 = 1;
const CACHE: u32 = 3;
const RAW: u32 = 4;

/// Names, type and configuration of the kernel's generic events (linux/perf_event.h).
const EVENTS: &[(&[&str], u32, u64)] = &[
    (&["cycles", "cpu-cycles", "PAPI_TOT_CYC"], HARDWARE, 0),
    (&["instructions", "PAPI_TOT_INS"], HARDWARE, 1),
    (&["cache-references", "PAPI_L3_TCA"], HARDWARE, 2),
    (&["cache-misses", "PAPI_L3_TCM"], HARDWARE, 3),
    (&["branches", "branch-instructions", "PAPI_BR_INS"], HARDWARE, 4),
    (&["branch-misses", "PAPI_BR_MSP"], HARDWARE, 5),
    (&["bus-cycles"], HARDWARE, 6),
    (&["stalled-cycles-frontend", "PAPI_STL_ICY"], HARDWARE, 7),
    (&["stalled-cycles-backend", "PAPI_RES_STL"], HARDWARE, 8),
    (&["ref-cycles", "PAPI_REF_CYC"], HARDWARE, 9),
    (&["cpu-clock"], SOFTWARE, 0),
    (&["task-clock"], SOFTWARE, 1),
    (&["page-faults", "faults"], SOFTWARE, 2),
    (&["context-switches", "cs"], SOFTWARE, 3),
    (&["cpu-migrations", "migrations"], SOFTWARE, 4),
    (&["minor-faults"], SOFTWARE, 5),
    (&["major-faults"], SOFTWARE, 6),
    (&["alignment-faults"], SOFTWARE, 7),
    (&["emulation-faults"], SOFTWARE, 8),
    (&["L1-dcache-loads"], CACHE, cache(0, 0, 0)),
    (&["L1-dcache-load-misses", "PAPI_L1_DCM"], CACHE, cache(0, 0, 1)),
    (&["L1-dcache-stores"], CACHE, cache(0, 1, 0)),
    (&["L1-dcache-store-misses"], CACHE, cache(0, 1, 1)),
    (&["L1-icache-load-misses", "PAPI_L1_ICM"], CACHE, cache(1, 0, 1)),
    (&["LLC-loads"], CACHE, cache(2, 0, 0)),
    (&["LLC-load-misses"], CACHE, cache(2, 0, 1)),
    (&["LLC-stores"], CACHE, cache(2, 1, 0)),
    (&["LLC-store-misses"], CACHE, cache(2, 1, 1)),
    (&["dTLB-loads"], CACHE, cache(3, 0, 0)),
    (&["dTLB-load-misses", "PAPI_TLB_DM"], CACHE, cache(3, 0, 1)),
    (&["dTLB-stores"], CACHE, cache(3, 1, 0)),
    (&["dTLB-store-misses"], CACHE, cache(3, 1, 1)),
    (&["iTLB-load-misses", "PAPI_TLB_IM"], CACHE, cache(4, 0, 1)),
    (&["branch-loads"], CACHE, cache(5, 0, 0)),
    (&["branch-load-misses"], CACHE, cache(5, 0, 1)),
    (&["node-loads"], CACHE, cache(6, 0, 0)),
    (&["node-load-misses"], CACHE, cache(6, 0, 1)),
];

/// Cache, operation (0 reads, 1 writes), result (0 accesses, 1 misses).
const fn cache(cache: u64, operation: u64, result: u64) -> u64 {
    cache | operation << 8 | result << 16
}

const USAGES: &[(&str, Usage, MetricUnit)] = &[
    ("ru_utime", Usage::Utime, MetricUnit::Nanoseconds),
    ("ru_stime", Usage::Stime, MetricUnit::Nanoseconds),
    ("ru_minflt", Usage::Minflt, MetricUnit::Count),
    ("ru_majflt", Usage::Majflt, MetricUnit::Count),
    ("ru_inblock", Usage::Inblock, MetricUnit::Count),
    ("ru_oublock", Usage::Oublock, MetricUnit::Count),
    ("ru_nvcsw", Usage::Nvcsw, MetricUnit::Count),
    ("ru_nivcsw", Usage::Nivcsw, MetricUnit::Count),
];

/// The memory high-water mark; the system's own names for it are `VmHWM` and `ru_maxrss`.
const HIGH_WATER: &[&str] = &["memory-high-water", "VmHWM", "ru_maxrss"];

/// Most metrics of one measurement.
const MOST: usize = 30;

/// A list of metrics that cannot be measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UnknownMetric {
    /// No metric has this name.
    Name(String),
    /// It was named twice.
    Twice(String),
    /// There are more than can be measured at once.
    TooMany,
}

impl fmt::Display for UnknownMetric {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => write!(
                out,
                "no metric is called `{name}`; expected a counter as `perf list` names it (cycles, \
                 instructions, cache-misses, page-faults), a raw one (rNNNN, hexadecimal), a PAPI \
                 preset that the kernel counts (PAPI_TOT_INS), a field of getrusage (ru_nvcsw) or \
                 memory-high-water; `pompeii doctor` lists what this machine has"
            ),
            Self::Twice(name) => write!(out, "metric `{name}` is named twice"),
            Self::TooMany => write!(out, "more than {MOST} metrics at once"),
        }
    }
}

impl std::error::Error for UnknownMetric {}

/// The metrics of a list of names. Blanks around names do not count; `ru_` with `all` behind it is
/// every field, as in Score-P.
///
/// # Errors
/// The first name that is not one.
pub fn parse_list(list: &str, separator: &str) -> Result<Vec<Metric>, UnknownMetric> {
    let mut metrics: Vec<Metric> = Vec::new();
    for name in list.split(separator).map(str::trim).filter(|name| !name.is_empty()) {
        let found = match name {
            "ru_all" | "all" => USAGES.iter().filter_map(|(name, ..)| metric(name)).collect(),
            _ => vec![metric(name).ok_or_else(|| UnknownMetric::Name(name.to_owned()))?],
        };
        for metric in found {
            if metrics.iter().any(|known| known.source == metric.source) {
                return Err(UnknownMetric::Twice(metric.name));
            }
            metrics.push(metric);
        }
    }
    if metrics.len() > MOST { Err(UnknownMetric::TooMany) } else { Ok(metrics) }
}

/// What the environment asks for: `POMPEII_METRICS`, else Score-P's `SCOREP_METRIC_PAPI` (with its
/// separator) and `SCOREP_METRIC_RUSAGE`.
///
/// # Errors
/// The first name that is not one.
pub fn requested(
    variable: impl Fn(&'static str) -> Option<String>,
) -> Result<Vec<Metric>, UnknownMetric> {
    if let Some(list) = variable("POMPEII_METRICS") {
        return parse_list(&list, ",");
    }
    let separator = variable("SCOREP_METRIC_PAPI_SEP").filter(|text| !text.is_empty());
    let counters = variable("SCOREP_METRIC_PAPI").unwrap_or_default();
    let mut metrics = parse_list(&counters, separator.as_deref().unwrap_or(","))?;
    metrics.extend(parse_list(&variable("SCOREP_METRIC_RUSAGE").unwrap_or_default(), ",")?);
    if metrics.len() > MOST { Err(UnknownMetric::TooMany) } else { Ok(metrics) }
}

fn metric(name: &str) -> Option<Metric> {
    let (source, unit) = source(name)?;
    Some(Metric { name: name.to_owned(), source, unit })
}

fn source(name: &str) -> Option<(Source, MetricUnit)> {
    if let Some((_, kind, config)) = EVENTS.iter().find(|(names, ..)| names.contains(&name)) {
        let is_clock = *kind == SOFTWARE && *config <= 1;
        let unit = if is_clock { MetricUnit::Nanoseconds } else { MetricUnit::Count };
        return Some((Source::Perf { kind: *kind, config: *config }, unit));
    }
    if let Some((_, field, unit)) = USAGES.iter().find(|(known, ..)| *known == name) {
        return Some((Source::Usage(*field), *unit));
    }
    if HIGH_WATER.contains(&name) {
        return Some((Source::HighWater, MetricUnit::Bytes));
    }
    let raw = name.strip_prefix('r').filter(|digits| !digits.is_empty() && digits.len() <= 16)?;
    let config = u64::from_str_radix(raw, 16).ok()?;
    Some((Source::Perf { kind: RAW, config }, MetricUnit::Count))
}

/// The first name of every metric that has one.
pub fn known_names() -> impl Iterator<Item = &'static str> {
    let events = EVENTS.iter().filter_map(|(names, ..)| names.first().copied());
    events.chain(USAGES.iter().map(|(name, ..)| *name)).chain(HIGH_WATER.first().copied())
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use super::*;

    fn check(list: &str, expected: Expect) {
        let text = match parse_list(list, ",") {
            Ok(metrics) => metrics
                .iter()
                .map(|metric| format!("{} {:?} {:?}", metric.name, metric.source, metric.unit))
                .collect::<Vec<_>>()
                .join("\n"),
            Err(error) => error.to_string(),
        };
        expected.assert_eq(&text);
    }

    #[test]
    fn names_of_perf_papi_and_the_system() {
        check(
            "cycles, PAPI_L1_DCM,task-clock,r01c2,ru_utime,VmHWM,",
            expect![[r#"
            cycles Perf { kind: 0, config: 0 } Count
            PAPI_L1_DCM Perf { kind: 3, config: 65536 } Count
            task-clock Perf { kind: 1, config: 1 } Nanoseconds
            r01c2 Perf { kind: 4, config: 450 } Count
            ru_utime Usage(Utime) Nanoseconds
            VmHWM HighWater Bytes"#]],
        );
        assert_eq!(parse_list("ru_all", ",").unwrap().len(), USAGES.len());
        for name in known_names() {
            assert!(metric(name).is_some(), "{name}");
        }
    }

    #[test]
    fn variables_of_score_p_count_where_ours_is_unset() {
        let names = |variables: &[(&str, &str)]| {
            let of = |name: &str| variables.iter().find(|(known, _)| *known == name);
            let found = requested(|name| of(name).map(|(_, value)| (*value).to_owned())).unwrap();
            found.into_iter().map(|metric| metric.name).collect::<Vec<_>>()
        };
        let scorep = [
            ("SCOREP_METRIC_PAPI", "PAPI_TOT_INS:PAPI_TOT_CYC"),
            ("SCOREP_METRIC_PAPI_SEP", ":"),
            ("SCOREP_METRIC_RUSAGE", "ru_stime,ru_maxrss"),
        ];
        assert_eq!(names(&scorep), ["PAPI_TOT_INS", "PAPI_TOT_CYC", "ru_stime", "ru_maxrss"]);
        let ours = [("POMPEII_METRICS", "cycles"), scorep[0]];
        assert_eq!(names(&ours), ["cycles"]);
        assert!(names(&[]).is_empty());
    }

    #[test]
    fn what_is_no_metric_is_refused() {
        check(
            "cycles,PAPI_FP_OPS",
            expect![
                "no metric is called `PAPI_FP_OPS`; expected a counter as `perf list` names it (cycles, instructions, cache-misses, page-faults), a raw one (rNNNN, hexadecimal), a PAPI preset that the kernel counts (PAPI_TOT_INS), a field of getrusage (ru_nvcsw) or memory-high-water; `pompeii doctor` lists what this machine has"
            ],
        );
        check(
            "rxyz",
            expect![
                "no metric is called `rxyz`; expected a counter as `perf list` names it (cycles, instructions, cache-misses, page-faults), a raw one (rNNNN, hexadecimal), a PAPI preset that the kernel counts (PAPI_TOT_INS), a field of getrusage (ru_nvcsw) or memory-high-water; `pompeii doctor` lists what this machine has"
            ],
        );
        check("cycles,cpu-cycles", expect!["metric `cpu-cycles` is named twice"]);
        let many: Vec<String> = (0..31).map(|raw| format!("r{raw}")).collect();
        check(&many.join(","), expect!["more than 30 metrics at once"]);
    }
}

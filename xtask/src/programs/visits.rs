//! Expected visits against those that `pompeii report --json` lists.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use anyhow::{Context, Result};
use serde_json::Value;

use super::expectation::{Count, Site};

/// Regions of this kind are not in the source, and no expectation counts them.
const UNCOUNTED_KIND: &str = "artificial";

/// The visits of the report's `regions`, all of one site added up.
pub(super) fn observed(report: &Value) -> Result<BTreeMap<Site, u64>> {
    let regions = report.get("regions").and_then(Value::as_array);
    let mut visits = BTreeMap::new();
    for region in regions.context("the report has no array `regions`")? {
        if text(region, "kind") == Some(UNCOUNTED_KIND) {
            continue;
        }
        let (site, count) = counted(region).with_context(|| {
            format!("expected name, kind, file, line and visits, found {region}")
        })?;
        *visits.entry(site).or_insert(0) += count;
    }
    Ok(visits)
}

fn counted(region: &Value) -> Option<(Site, u64)> {
    let (kind, place) = match text(region, "kind")? {
        "lock" => (text(region, "name")?.to_owned(), String::new()),
        "function" => (format!("function:{}", text(region, "name")?), place_of(region)?),
        "user" => (format!("region:{}", text(region, "name")?), place_of(region)?),
        kind => (kind.replace(' ', "_"), place_of(region)?),
    };
    Some((Site { place, kind }, region.get("visits")?.as_u64()?))
}

fn text<'a>(region: &'a Value, key: &str) -> Option<&'a str> {
    region.get(key)?.as_str()
}

/// The base name: the folder depends on where the project lies.
fn place_of(region: &Value) -> Option<String> {
    let file = text(region, "file")?;
    let base = file.rsplit('/').next().unwrap_or(file);
    Some(format!("{base}:{}", region.get("line")?.as_u64()?))
}

/// A table of the sites whose visits differ, empty where none does. A site that is missing has no
/// visits, so a construct that the program never reaches may be listed or not.
pub(super) fn differences(
    expected: &BTreeMap<Site, Count>,
    observed: &BTreeMap<Site, u64>,
) -> String {
    let sites: BTreeSet<&Site> = expected.keys().chain(observed.keys()).collect();
    let mut table = String::new();
    for site in sites {
        let wanted = expected.get(site).copied().unwrap_or(Count::Exactly(0));
        let found = observed.get(site).copied().unwrap_or(0);
        if let Count::Exactly(wanted) = wanted
            && wanted != found
        {
            let Site { kind, place } = site;
            let _ = writeln!(table, "{kind:<20} {place:<24} {wanted:>8} {found:>8}");
        }
    }
    if !table.is_empty() {
        let head = format!("{:<20} {:<24} {:>8} {:>8}\n", "kind", "place", "expected", "actual");
        table.insert_str(0, &head);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::expectation::{Expectation, Runtime};
    use super::*;

    fn check(expectation: &str, report: &str, expected: &str) {
        let wanted = Expectation::parse(expectation, "x.c").unwrap().visits(4, Runtime::Gnu);
        let found = observed(&serde_json::from_str(report).unwrap()).unwrap();
        let lines: Vec<String> = differences(&wanted, &found)
            .lines()
            .skip(1)
            .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        assert_eq!(lines.join("\n"), expected);
    }

    const REPORT: &str = r#"{"regions": [
        {"name": "x", "kind": "artificial", "file": "", "line": 0, "visits": 1},
        {"name": "!$omp parallel @x.c:5", "kind": "parallel",
         "file": "/a/x.c", "line": 5, "visits": 4},
        {"name": "!$omp implicit barrier @x.c:7", "kind": "implicit barrier",
         "file": "x.c", "line": 7, "visits": 4},
        {"name": "!$omp implicit barrier @x.c:7", "kind": "implicit barrier",
         "file": "x.c", "line": 7, "visits": 4},
        {"name": "omp_set_lock", "kind": "lock", "file": "", "line": 0, "visits": 2},
        {"name": "init", "kind": "user", "file": "x.c", "line": 3, "visits": 1}
    ]}"#;

    #[test]
    fn equal_visits_give_no_difference() {
        check(
            "parallel 5 1 4\nimplicit_barrier 7 1 4\nimplicit_barrier 7 1 4\n\
             omp_set_lock 0 2 2\nregion:init 3 1 1\ncritical 9 0 0\natomic 6 * *",
            REPORT,
            "",
        );
    }

    #[test]
    fn missing_additional_and_other_counts_are_listed() {
        check(
            "parallel 5 1 3\nimplicit_barrier 7 1 8\nregion:init 3 1 1\nsingle 6 1 4",
            REPORT,
            "omp_set_lock 0 2\nparallel x.c:5 3 4\nsingle x.c:6 4 0",
        );
    }

    #[test]
    fn a_report_without_regions_is_an_error() {
        let message =
            |text| format!("{:#}", observed(&serde_json::from_str(text).unwrap()).unwrap_err());
        assert_eq!(message("{}"), "the report has no array `regions`");
        assert!(message(r#"{"regions": [{"kind": "for"}]}"#).starts_with("expected name, kind"));
    }
}

//! What users write to choose: names with wildcards, numbers with ranges.

use std::collections::HashSet;
use std::str::FromStr;

use pompeii_cubex::{CallPathId, Error, Id, MetricId, Report, Result, Tree};

/// The name of a region with `*` and `?`, or `#` and the number of a call path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
}

impl Pattern {
    /// The pattern `text`.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True if it fits a name.
    pub fn matches(&self, name: &str) -> bool {
        fits(&self.text, name)
    }

    /// True if it fits a call path of `report`.
    pub fn matches_call_path(&self, report: &Report, call_path: CallPathId) -> bool {
        if let Some(number) = self.text.strip_prefix('#') {
            return number.parse() == Ok(call_path.index());
        }
        let region = &report.regions[report.call_paths[call_path].region];
        self.matches(&region.name)
    }
}

impl FromStr for Pattern {
    type Err = std::convert::Infallible;

    fn from_str(text: &str) -> std::result::Result<Self, Self::Err> {
        Ok(Self::new(text))
    }
}

/// Wildcards in linear time per star: the last star may take one character more.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n, mut star) = (0, 0, None);
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                p = at + 1;
                n = taken + 1;
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

/// Numbers such as `0,3-5,8:9`.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Ranges {
    ranges: Vec<(i64, i64)>,
}

impl Ranges {
    /// True if `number` is in one of the ranges.
    pub fn contains(&self, number: i64) -> bool {
        self.ranges.iter().any(|&(first, last)| (first..=last).contains(&number))
    }
}

impl FromStr for Ranges {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let number = |text: &str| text.trim().parse::<i64>().ok().filter(|&number| number >= 0);
        let range = |part: &str| {
            let (first, last) = part.split_once(['-', ':']).unwrap_or((part, part));
            Some((number(first)?, number(last)?)).filter(|(first, last)| first <= last)
        };
        let ranges = text.split(',').map(|part| {
            range(part)
                .ok_or_else(|| format!("`{part}` is neither a number nor a range; write `0,2-5`"))
        });
        Ok(Self { ranges: ranges.collect::<std::result::Result<_, _>>()? })
    }
}

/// The metrics with these unique names, in this order; all stored ones if no name is given. `*` and
/// `?` are wildcards.
///
/// # Errors
/// A name that no metric has.
pub fn choose_metrics(report: &Report, names: &[String]) -> Result<Vec<MetricId>> {
    if names.is_empty() {
        let stored = |&id: &MetricId| !report.metrics[id].kind.is_derived();
        return Ok(report.metrics.preorder().into_iter().filter(stored).collect());
    }
    let mut chosen = Vec::new();
    for name in names {
        let pattern = Pattern::new(name.as_str());
        let before = chosen.len();
        for id in report.metrics.preorder() {
            if pattern.matches(&report.metrics[id].unique_name) && !chosen.contains(&id) {
                chosen.push(id);
            }
        }
        let known = |(_, metric): (_, &pompeii_cubex::Metric)| pattern.matches(&metric.unique_name);
        if chosen.len() == before && !report.metrics.iter().any(known) {
            let known: Vec<&str> =
                report.metrics.iter().map(|(_, metric)| metric.unique_name.as_str()).collect();
            return Err(Error::Misuse {
                what: format!("metric `{name}`"),
                expected: format!("one of {}", known.join(", ")),
                found: "none of this name".into(),
            });
        }
    }
    Ok(chosen)
}

/// The call paths that fit one of the patterns.
///
/// # Errors
/// A pattern that fits none.
pub(crate) fn choose_call_paths(
    report: &Report,
    patterns: &[Pattern],
    purpose: &str,
) -> Result<HashSet<CallPathId>> {
    let mut chosen = HashSet::new();
    for pattern in patterns {
        let fitting = |&id: &CallPathId| pattern.matches_call_path(report, id);
        let found: Vec<CallPathId> = report.call_paths.ids().filter(fitting).collect();
        if found.is_empty() {
            return Err(Error::Misuse {
                what: format!("call path to {purpose}"),
                expected: "the name of a region of a call path, with * and ?, or #NUMBER".into(),
                found: format!("`{}`, which fits none", pattern.text),
            });
        }
        chosen.extend(found);
    }
    Ok(chosen)
}

/// How many nodes are above each node, by id.
pub(crate) fn depths<I: Id, T>(tree: &Tree<I, T>) -> Vec<usize> {
    let mut depths = vec![0; tree.len()];
    for id in tree.preorder() {
        depths[id.index()] = tree.parent(id).map_or(0, |parent| depths[parent.index()] + 1);
    }
    depths
}

/// So many levels are shown as blanks.
const INDENTED: usize = 64;

/// What stands in front of a name at this depth: two blanks per level; deeper than [`INDENTED`] the
/// number of the level, since blanks alone would be gigabytes in a deep recursion.
pub(crate) fn indent(depth: usize) -> String {
    let blanks = "  ".repeat(depth.min(INDENTED));
    if depth > INDENTED { format!("{blanks}[{depth}] ") } else { blanks }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards() {
        for (pattern, name, expected) in [
            ("main", "main", true),
            ("main", "mainly", false),
            ("*", "", true),
            ("!$omp *@*.c:?", "!$omp parallel @a.c:3", true),
            ("*a*b*", "xxaxxcb", true),
            ("*a*b", "xxaxxbc", false),
            ("?", "", false),
        ] {
            assert_eq!(Pattern::new(pattern).matches(name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn ranges() {
        let ranges: Ranges = "0,3-5,8:9".parse().unwrap();
        let inside: Vec<i64> = (-1..12).filter(|&number| ranges.contains(number)).collect();
        assert_eq!(inside, [0, 3, 4, 5, 8, 9]);
        for wrong in ["", "a", "5-3", "1,", "-1"] {
            assert!(wrong.parse::<Ranges>().is_err(), "{wrong}");
        }
    }
}

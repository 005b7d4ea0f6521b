//! What `pompeii diff` says: what became better or worse from one set of runs to another.

use pompeii_analysis::compare::{
    Change, Comparison, FindingChange, Noise, PathChange, SMALL_SHARE,
};
use pompeii_analysis::format;
use serde::Serialize;

use crate::Options;
use crate::difference::signed;
use crate::layout::{Style, even, left, name_width, named, right, wrap};

/// Widths of the columns of numbers.
const NUMBERS: [usize; 3] = [11, 9, 12];

/// The comparison as text. `names` are those of the two sets.
pub fn diff(names: [&str; 2], of: &Comparison, options: &Options) -> String {
    let style = Style::new(options);
    let mut text = format!(" {}\n", style.bold(&format!("from {} to {}", names[0], names[1])));
    text += &wrap(&noise(of), options.width, "   ", "   ");
    if let Some(note) = threads_note(of) {
        text += &wrap(&note, options.width, "   ", "   ");
    }
    text += "\n";
    text.extend(wholes(of).map(whole));
    text += "\n";
    text += &paths(of, options, style);
    text += &findings(of, options, style);
    text
}

/// What differing numbers of threads mean for CPU times.
pub(crate) fn threads_note(of: &Comparison) -> Option<String> {
    let [before, after] = of.threads;
    (before != after).then(|| {
        format!(
            "The runs have {before} and {after} threads. CPU time is the sum over all threads, so \
             more threads may have more CPU time in less wall time."
        )
    })
}

/// How many runs there are, and what that says about noise.
pub(crate) fn noise(of: &Comparison) -> String {
    let [before, after] = of.runs;
    let runs = format!("{} and {}", format::counted(before as i64, "run"), after);
    match of.noise {
        Noise::Unknown => "One run each: the noise is not known, so any difference may be chance. \
             `pompeii run --repeat 5` makes several runs."
            .to_owned(),
        Noise::Few => format!(
            "{runs}: values are medians, and changes within the noise are not listed. The runs are \
             too few to tell chance from change with certainty; four of each are enough."
        ),
        Noise::Known => format!(
            "{runs}: values are medians, and changes within the noise are not listed (test of \
             Mann and Whitney, 5 %)."
        ),
    }
}

/// A value of the whole run: its title, the change, and how both are shown.
pub(crate) type Whole<'a> = (&'static str, &'a Change, fn(f64) -> String, fn(&Change) -> String);

/// The values of the whole run.
pub(crate) fn wholes(of: &Comparison) -> [Whole<'_>; 3] {
    [
        ("Wall time", &of.wall, format::seconds, relative),
        ("Wall time x threads", &of.allocation, format::seconds, relative),
        ("Parallel efficiency", &of.efficiency, format::percent, points),
    ]
}

/// The title, both values, the change, and whether that is noise.
pub(crate) fn whole_values(whole: Whole) -> (&'static str, [String; 2], &'static str) {
    let (title, of, shown, changed) = whole;
    let word = match (of.is_real, of.noise) {
        (false, Some(_)) => "within the noise",
        (true, None) => "noise not known",
        _ => "",
    };
    (title, [format!("{} -> {}", shown(of.before), shown(of.after)), changed(of)], word)
}

fn whole(of: Whole) -> String {
    let (title, [values, changed], word) = whole_values(of);
    let line = format!("   {}{}{}", left(title, 21), left(&values, 20), right(&changed, 10));
    if word.is_empty() { line + "\n" } else { format!("{line}  {word}\n") }
}

/// The change as a share of the value before.
fn relative(of: &Change) -> String {
    if of.before == 0.0 { String::new() } else { percent(of.difference() / of.before) }
}

/// The change of a share: a share of a share would be mistaken for it.
fn points(of: &Change) -> String {
    format!("{:+.0} points", of.difference() * 100.0)
}

/// A share with its sign.
fn percent(share: f64) -> String {
    signed(format::percent(share), if share > 0.0 { 1 } else { 0 })
}

fn time(seconds: f64) -> String {
    signed(format::seconds(seconds), if seconds > 0.0 { 1 } else { 0 })
}

/// What the columns of a table of changes have.
pub(crate) const COLUMNS: [&str; 3] = ["CPU time", "of A", "noise"];

/// A change in these columns.
pub(crate) fn columns(change: &Change, share: f64) -> [String; 3] {
    let noise = change.noise.map_or_else(|| "?".to_owned(), format::seconds);
    [time(change.difference()), percent(share), noise]
}

/// The heading of a table of changes.
fn heading(title: &str, options: &Options, style: Style) -> String {
    let name = named(title, name_width(options, &NUMBERS), options);
    let columns = COLUMNS.iter().zip(NUMBERS).map(|(column, width)| right(column, width));
    format!(" {}{}\n", style.bold(&name), columns.collect::<String>())
}

fn row(name: &str, change: &Change, share: f64, options: &Options) -> String {
    let values = columns(change, share);
    let columns = values.iter().zip(NUMBERS).map(|(value, width)| right(value, width));
    let name = named(name, name_width(options, &NUMBERS), options);
    format!(" {name}{}\n", columns.collect::<String>())
}

/// Call paths with less CPU time, and those with more.
pub(crate) fn sides(of: &Comparison) -> [(&'static str, Vec<&PathChange>); 2] {
    let (worse, better) = of.paths.iter().partition(|of| of.change.difference() > 0.0);
    [("Less time", better), ("More time", worse)]
}

fn paths(of: &Comparison, options: &Options, style: Style) -> String {
    let mut text = String::new();
    for (title, changes) in sides(of) {
        if changes.is_empty() {
            continue;
        }
        let mut table = heading(title, options, style);
        for change in changes.iter().take(options.top) {
            table += &row(&path_name(change), &change.change, change.share, options);
        }
        text += &even(&table);
        if changes.len() > options.top {
            let more = changes.len() - options.top;
            text += &style.dim(&format!(" ({more} more: --top {} shows them)\n", changes.len()));
        }
        text.push('\n');
    }
    text + &wrap(&unlisted_note(of), options.width, " ", "   ") + "\n"
}

/// How many values of call paths are not listed, and why.
pub(crate) fn unlisted_note(of: &Comparison) -> String {
    let unlisted = format::counted(of.unlisted as i64, "value");
    let small = format::percent(SMALL_SHARE);
    let note = match of.paths.is_empty() {
        true => "No call path has changed",
        false => "All other values have not changed",
    };
    format!("{note}: {unlisted} of call paths, by noise or by less than {small} of A.")
}

fn path_name(change: &PathChange) -> String {
    let last = change.path.last().map_or("", String::as_str);
    format!("{last}  {}", change.metric)
}

fn findings(of: &Comparison, options: &Options, style: Style) -> String {
    if of.findings.is_empty() {
        return String::new();
    }
    let mut table = heading("Findings", options, style);
    for finding in of.findings.iter().take(options.top) {
        table += &row(&finding_name(finding), &finding.change, finding.share, options);
    }
    even(&table) + "\n"
}

pub(crate) fn finding_name(of: &FindingChange) -> String {
    let word = match (of.change.before == 0.0, of.change.after == 0.0) {
        (true, _) => "new: ",
        (_, true) => "gone: ",
        _ => "",
    };
    let cause = if of.cause.is_empty() { of.property } else { of.cause };
    format!("{word}{}  {cause}", of.label)
}

/// The comparison for programs. `A` is the first set; times are CPU seconds.
#[derive(Debug, Serialize)]
struct JsonDiff<'a> {
    schema: &'static str,
    a: &'a str,
    b: &'a str,
    runs: [usize; 2],
    threads: [usize; 2],
    /// `unknown`, `few` or `known`.
    noise: &'static str,
    wall_s: JsonChange,
    allocation_s: JsonChange,
    parallel_efficiency: JsonChange,
    call_paths: Vec<JsonPath<'a>>,
    /// Values of call paths that are not listed.
    unlisted: usize,
    findings: Vec<JsonFinding<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonChange {
    a: f64,
    b: f64,
    difference: f64,
    /// By how much runs of one set differ; `null`: not known.
    noise: Option<f64>,
    /// Of such a difference by chance; `null`: not known.
    probability: Option<f64>,
    /// Whether it is more than noise, or the noise is not known.
    is_real: bool,
}

#[derive(Debug, Serialize)]
struct JsonPath<'a> {
    path: &'a [String],
    metric: &'a str,
    time_s: JsonChange,
    /// Difference / (wall time x threads) of A.
    share: f64,
}

#[derive(Debug, Serialize)]
struct JsonFinding<'a> {
    label: &'a str,
    property: &'a str,
    /// Empty if it is not known.
    cause: &'a str,
    lost_s: JsonChange,
    share: f64,
}

impl JsonChange {
    fn new(of: &Change) -> Self {
        Self {
            a: of.before,
            b: of.after,
            difference: of.difference(),
            noise: of.noise,
            probability: of.probability,
            is_real: of.is_real,
        }
    }
}

/// The comparison as JSON.
pub fn diff_json(names: [&str; 2], of: &Comparison) -> String {
    let call_paths = of.paths.iter().map(|of| JsonPath {
        path: &of.path,
        metric: &of.metric,
        time_s: JsonChange::new(&of.change),
        share: of.share,
    });
    let findings = of.findings.iter().map(|of| JsonFinding {
        label: &of.label,
        property: of.property,
        cause: of.cause,
        lost_s: JsonChange::new(&of.change),
        share: of.share,
    });
    let report = JsonDiff {
        schema: "pompeii-diff-1",
        a: names[0],
        b: names[1],
        runs: of.runs,
        threads: of.threads,
        noise: match of.noise {
            Noise::Unknown => "unknown",
            Noise::Few => "few",
            Noise::Known => "known",
        },
        wall_s: JsonChange::new(&of.wall),
        allocation_s: JsonChange::new(&of.allocation),
        parallel_efficiency: JsonChange::new(&of.efficiency),
        call_paths: call_paths.collect(),
        unlisted: of.unlisted,
        findings: findings.collect(),
    };
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use pompeii_analysis::compare::{Run, compare};
    use pompeii_analysis::{derive, findings, notation};
    use pompeii_model::Cube;

    /// A run in which thread 0 waits for thread 1 in a loop.
    fn run(wait: i64) -> Cube {
        let (wall, more) = (500 + wait, 400 + wait);
        let text = format!(
            "wall={wall} locations=2
             a                                      0  time=100
             a/parallel@a.c:5                       0  time=400 visits=1
             a/parallel@a.c:5                       1  time={more} visits=1
             a/parallel@a.c:5/implicit barrier@a.c:5  0  time={wait} omp_ibarrier_wait={wait}"
        );
        derive(&notation::cube(&text).unwrap())
    }

    fn compared(before: &[i64], after: &[i64]) -> Comparison {
        let cubes = |waits: &[i64]| waits.iter().map(|&wait| run(wait)).collect::<Vec<_>>();
        let (before, after) = (cubes(before), cubes(after));
        let found = |cubes: &[Cube]| cubes.iter().map(findings).collect::<Vec<_>>();
        let (found_before, found_after) = (found(&before), found(&after));
        fn runs<'a>(
            cubes: &'a [Cube],
            found: &'a [Vec<pompeii_analysis::Finding>],
        ) -> Vec<Run<'a>> {
            cubes.iter().zip(found).map(|(cube, findings)| Run { cube, findings }).collect()
        }
        compare(&runs(&before, &found_before), &runs(&after, &found_after))
    }

    #[test]
    fn what_became_better_is_listed_with_its_noise() {
        let of = compared(&[200, 210, 190, 200], &[50, 50, 40, 55]);
        let text = diff(["old", "new"], &of, &Options::default());
        for part in [
            " from old to new\n",
            "4 runs and 4: values are medians",
            &format!("   {:21}{:20}{:>10}\n", "Wall time", "0.70 s -> 0.55 s", "-21 %"),
            // Waiting and, before the loop, idle: 300 of 1,400 ms, then 150 of 1,100 ms.
            "Parallel efficiency  79 % -> 86 %         +8 points\n",
            " Less time",
            "parallel a.c:5  comp",
            "-0.15 s    -11 %       20 ms",
            "Findings",
        ] {
            assert!(text.contains(part), "expected `{part}` in\n{text}");
        }
        assert!(!text.contains("More time"), "{text}");
    }

    #[test]
    fn equal_sets_have_no_changes() {
        let of = compared(&[200, 210, 190, 205], &[195, 208, 192, 206]);
        let text = diff(["old", "new"], &of, &Options::default());
        assert!(text.contains("No call path has changed"), "{text}");
        assert!(text.contains("within the noise"), "{text}");
    }

    #[test]
    fn programs_read_the_same() {
        let json = diff_json(["old", "new"], &compared(&[200], &[50]));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        assert_eq!(
            (&json["schema"], &json["noise"]),
            (&"pompeii-diff-1".into(), &"unknown".into())
        );
        assert_eq!((&json["wall_s"]["a"], &json["wall_s"]["b"]), (&0.7.into(), &0.55.into()));
        assert_eq!(json["wall_s"]["probability"], serde_json::Value::Null);
        assert_eq!(json["call_paths"].as_array().unwrap().len(), 2);
    }
}

//! Results of rules over many runs: one line of JSON for each run, a page with a curve for each
//! rule, and a badge. The page and the badge are drawn from the lines, so they can be made again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::words::{sentence, subject};
use super::{Checked, broken, result};
use crate::plain_page::Page;
use crate::web::escape;

/// What a run has in the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// When it was checked: `2026-11-20 11:32 UTC`.
    pub time: String,
    /// The experiment as the user named it.
    pub experiment: String,
    /// How many rules hold, in words.
    pub result: String,
    /// Whether all do.
    pub holds: bool,
    /// The rules.
    pub rules: Vec<LineRule>,
}

/// What a rule has in the history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LineRule {
    /// The rule in one text, without its limit, so that a curve goes on if the limit is changed.
    pub of: String,
    /// What was compared with the limit; `null` if the base of a share was 0.
    pub value: Option<f64>,
    /// The limit.
    pub limit: f64,
    /// Whether it holds.
    pub holds: bool,
    /// The value and the limit in words.
    pub words: String,
}

/// A line that is none of a history.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("line {line} is not one of a history of `pompeii check`: {why}")]
pub struct HistoryError {
    /// 1-based.
    pub line: usize,
    /// What was expected.
    pub why: String,
}

impl Line {
    /// The line of a run that was checked at `time`.
    pub fn new(time: &str, experiment: &str, checked: &[Checked]) -> Self {
        let rule = |of: &Checked| {
            let (rule, verdict) = (&of.rule, &of.verdict);
            let value = verdict.share.unwrap_or(verdict.value);
            LineRule {
                of: subject(rule),
                value: Some(value).filter(|value| value.is_finite()),
                limit: rule.limit.value,
                holds: verdict.holds,
                words: sentence(of),
            }
        };
        Self {
            time: time.to_owned(),
            experiment: experiment.to_owned(),
            result: result(checked),
            holds: broken(checked) == 0,
            rules: checked.iter().map(rule).collect(),
        }
    }

    /// The line as it stands in the file, with its end.
    pub fn json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default() + "\n"
    }
}

/// The lines of a history, the oldest first.
///
/// # Errors
/// The first line that is none.
pub fn read_history(text: &str) -> Result<Vec<Line>, HistoryError> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(at, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| HistoryError { line: at + 1, why: error.to_string() })
    };
    lines.map(read).collect()
}

/// A picture with the result of the last run, as projects show it.
pub fn badge(lines: &[Line]) -> String {
    let (text, color) = match lines.last() {
        None => ("no run", "#777"),
        Some(line) if line.holds => (line.result.as_str(), "#2e7d32"),
        Some(line) => (line.result.as_str(), "#c62828"),
    };
    // Seven units for a letter are enough for the fonts that browsers choose.
    let (left, right) = (66, 7 * text.chars().count() + 12);
    let (all, middle) = (left + right, left + right / 2);
    let text = escape(text);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{all}\" height=\"20\" role=\"img\" \
         aria-label=\"pompeii: {text}\">\n\
         <rect width=\"{left}\" height=\"20\" fill=\"#444\"/>\n\
         <rect x=\"{left}\" width=\"{right}\" height=\"20\" fill=\"{color}\"/>\n\
         <g fill=\"#fff\" font-family=\"sans-serif\" font-size=\"12\" text-anchor=\"middle\">\n\
         <text x=\"33\" y=\"14\">pompeii</text>\n\
         <text x=\"{middle}\" y=\"14\">{text}</text>\n</g>\n</svg>\n"
    )
}

/// Width and height of a curve.
const SIZE: (f64, f64) = (640.0, 120.0);

/// The history as one page without scripts: a curve for each rule, and a table of the runs.
pub fn history_page(lines: &[Line]) -> String {
    let mut curves: BTreeMap<&str, Vec<(usize, &LineRule)>> = BTreeMap::new();
    for (at, line) in lines.iter().enumerate() {
        for rule in &line.rules {
            curves.entry(&rule.of).or_default().push((at, rule));
        }
    }
    let mut page = Page::new("History of the rules");
    for (of, points) in &curves {
        page.heading(of);
        page.html(&curve(points, lines));
    }
    let mut text = "<table>\n<tr><th>time</th><th>experiment</th><th>result</th></tr>\n".to_owned();
    for line in lines.iter().rev() {
        text += &format!(
            "<tr><td>{}</td><td>{}</td><td class=\"{}\">{}</td></tr>\n",
            escape(&line.time),
            escape(&line.experiment),
            if line.holds { "good" } else { "bad" },
            escape(&line.result)
        );
    }
    page.html(&(text + "</table>\n"));
    page.end()
}

/// The values of a rule from left to right, a step for each run, with the limit as a dashed line.
fn curve(points: &[(usize, &LineRule)], lines: &[Line]) -> String {
    let (width, height) = SIZE;
    let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
    let values = points.iter().flat_map(|(_, rule)| [rule.value.unwrap_or(0.0), rule.limit]);
    // A tenth of the height stays free above the largest value.
    let top = values.map(finite).fold(0.0, f64::max).max(f64::MIN_POSITIVE) * 1.1;
    let x = |at: usize| (at as f64 + 0.5) * width / lines.len().max(1) as f64;
    let y = |value: f64| height - (finite(value) / top).clamp(0.0, 1.0) * height;
    let place = |at: usize, value: f64| format!("{:.1},{:.1}", x(at), y(value));
    let path = |of: &dyn Fn(&LineRule) -> Option<f64>| {
        let known = points.iter().filter_map(|(at, rule)| Some(place(*at, of(rule)?)));
        known.collect::<Vec<_>>().join(" ")
    };
    let mut text = format!(
        "<svg width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n\
         <polyline points=\"{}\" fill=\"none\" stroke=\"#777\" stroke-dasharray=\"4\"/>\n\
         <polyline points=\"{}\" fill=\"none\" stroke=\"#1565c0\"/>\n",
        path(&|rule| Some(rule.limit)),
        path(&|rule| rule.value)
    );
    for (at, rule) in points {
        let Some(value) = rule.value else { continue };
        let title = format!("{}: {}", lines[*at].time, rule.words);
        text += &format!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" class=\"{}\"><title>{}</title></circle>\n",
            x(*at),
            y(value),
            if rule.holds { "good" } else { "bad" },
            escape(&title)
        );
    }
    text + "</svg>\n"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::tests::checked;

    fn line(time: &str, rules: &[&str]) -> Line {
        Line::new(time, "first", &checked(rules))
    }

    #[test]
    fn lines_come_back() {
        let lines = [line("2026-11-20 11:32 UTC", &["wall_time<1.5 s"]), line("later", &[])];
        let text: String = lines.iter().map(Line::json).collect();
        assert_eq!(text.lines().count(), 2);
        assert_eq!(read_history(&(text + "\n")), Ok(lines.to_vec()));
        let error = read_history("\n{}\n").unwrap_err();
        assert_eq!(error.line, 2);
        assert!(error.why.contains("missing field `time`"), "{error}");
    }

    #[test]
    fn a_badge_has_the_last_result() {
        let good = line("1", &["wall_time<1.5 s"]);
        let bad = line("2", &["wall_time<0.5 s", "comp<1%"]);
        let shown = badge(&[bad.clone(), good.clone()]);
        assert!(shown.contains(">the rule holds</text>") && shown.contains("#2e7d32"), "{shown}");
        let shown = badge(&[good, bad]);
        assert!(shown.contains("2 of 2 rules are broken") && shown.contains("#c62828"), "{shown}");
        assert!(badge(&[]).contains("no run"));
    }

    #[test]
    fn a_rule_has_one_curve_also_if_its_limit_changes() {
        let lines = [line("1", &["wall_time<1.5 s"]), line("2", &["wall_time<0.5 s"])];
        let page = history_page(&lines);
        assert_eq!(page.matches("<h2>").count(), 1);
        assert!(page.contains("<h2>wall_time&lt;</h2>"), "{page}");
        // The largest value is the limit of 1.5 s, at a tenth below the top.
        assert!(page.contains("points=\"160.0,10.9 480.0,83.6\""), "{page}");
        assert!(page.contains("points=\"160.0,47.3 480.0,47.3\""), "{page}");
        assert_eq!(
            (page.matches("class=\"bad\"").count(), page.matches("<circle").count()),
            (2, 2)
        );
    }
}

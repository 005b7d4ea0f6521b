//! What came of the rules of `pompeii check`: as text, for programs, for systems that read results
//! of tests (`formats.rs`), and over many runs (`history.rs`).

mod formats;
mod history;
mod words;

use pompeii_analysis::rules::{Place, Rule, Verdict};
use serde::Serialize;

pub use self::formats::{github, junit};
pub use self::history::{HistoryError, Line, badge, history_page, read_history};
use self::words::{name, places, sentence};
use crate::Options;
use crate::layout::{Style, wrap};

/// A rule with what came of it.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The rule.
    pub rule: Rule,
    /// What came of it.
    pub verdict: Verdict,
}

/// The number of rules that are broken.
pub fn broken(checked: &[Checked]) -> usize {
    checked.iter().filter(|of| !of.verdict.holds).count()
}

/// How many rules hold: `all 3 rules hold`, `1 of 3 rules is broken`.
pub(crate) fn result(checked: &[Checked]) -> String {
    match (broken(checked), checked.len()) {
        (0, 1) => "the rule holds".to_owned(),
        (1, 1) => "the rule is broken".to_owned(),
        (0, all) => format!("all {all} rules hold"),
        (1, all) => format!("1 of {all} rules is broken"),
        (some, all) => format!("{some} of {all} rules are broken"),
    }
}

/// The results as text: broken rules first, each with its reason.
pub fn check(experiment: &str, checked: &[Checked], options: &Options) -> String {
    let style = Style::new(options);
    let mut text = format!(" {}\n\n", style.bold(&format!("{experiment}: {}", result(checked))));
    let (holding, broken): (Vec<_>, Vec<_>) = checked.iter().partition(|of| of.verdict.holds);
    let indent = " ".repeat(9);
    for of in broken.into_iter().chain(holding) {
        let word = match of.verdict.holds {
            true => style.good(" holds   "),
            false => style.bad(" broken  "),
        };
        let sentence = wrap(&sentence(of), options.width, &indent, &indent);
        // Colours take no columns, so the line is wrapped without its first word.
        text += &sentence.replacen(&indent, &word, 1);
        let places = places(of);
        if !of.verdict.holds && !places.is_empty() {
            text += &wrap(&places, options.width, &indent, &indent);
        }
    }
    text
}

/// The results for programs.
#[derive(Debug, Serialize)]
struct JsonCheck {
    schema: &'static str,
    experiment: String,
    /// Whether all rules hold.
    holds: bool,
    rules: Vec<JsonRule>,
}

/// The result of one rule. Values are seconds, bytes, numbers, or shares between 0 and 1.
#[derive(Debug, Serialize)]
struct JsonRule {
    rule: String,
    metric: &'static str,
    holds: bool,
    value: f64,
    /// Of what the rule is relative to; `null` if it is not, and if the base has none.
    share: Option<f64>,
    limit: f64,
    /// The process or thread with the value, if the rule is for each one.
    at: Option<String>,
    reason: String,
    places: Vec<JsonPlace>,
}

#[derive(Debug, Serialize)]
struct JsonPlace {
    label: String,
    file: String,
    line: u32,
    value: f64,
}

impl JsonRule {
    fn new(of: &Checked) -> Self {
        let Checked { rule, verdict } = of;
        let place = |place: &Place| JsonPlace {
            label: place.label.clone(),
            file: place.file.clone(),
            line: place.line,
            value: place.value,
        };
        Self {
            rule: name(rule),
            metric: rule.measure.name(),
            holds: verdict.holds,
            value: verdict.value,
            share: verdict.share.filter(|share| share.is_finite()),
            limit: rule.limit.value,
            at: verdict.at.clone(),
            reason: sentence(of),
            places: verdict.places.iter().map(place).collect(),
        }
    }
}

/// The results as JSON.
pub fn check_json(experiment: &str, checked: &[Checked]) -> String {
    let report = JsonCheck {
        schema: "pompeii-check-1",
        experiment: experiment.to_owned(),
        holds: broken(checked) == 0,
        rules: checked.iter().map(JsonRule::new).collect(),
    };
    serde_json::to_string_pretty(&report).unwrap_or_default() + "\n"
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use expect_test::expect;
    use pompeii_analysis::rules::{Run, evaluate};
    use pompeii_analysis::{derive, notation};

    const TEXT: &str = "wall=1000 locations=2
         a                                        0  time=200
         a/parallel@a.c:5                     *  time=500 visits=1
         a/parallel@a.c:5/implicit barrier@a.c:9  0  time=300 omp_ibarrier_wait=40
         a/parallel@a.c:5/implicit barrier@a.c:9  1  time=300 omp_ibarrier_wait=260";

    /// The results of these rules for a run.
    pub(crate) fn checked(rules: &[&str]) -> Vec<Checked> {
        let cube = derive(&notation::cube(TEXT).unwrap());
        let run = Run { cube: &cube, findings: &[] };
        let check = |text: &&str| {
            let rule = Rule::parse(text).unwrap();
            let verdict = evaluate(&rule, &[run], &[run]).unwrap();
            Checked { rule, verdict }
        };
        rules.iter().map(check).collect()
    }

    const RULES: [&str; 4] =
        ["wall_time<1.5 s", "omp_ibarrier_wait<5%", "parallel_efficiency>=0.8", "visits@a.c:5<=2"];

    #[test]
    fn broken_rules_come_first_with_their_reasons() {
        let text = check("first", &checked(&RULES), &Options::default());
        let text: String = text.lines().map(|line| format!("|{line}\n")).collect();
        expect![[r#"
            | first: 2 of 4 rules are broken
            |
            | broken  omp_ibarrier_wait is 15 % of wall time x threads (0.30 s), expected
            |         less than 5%.
            |         Most of it is at implicit barrier a.c:9 (0.30 s).
            | broken  parallel_efficiency is 60 %, expected at least 0.8.
            | holds   wall_time is 1.0 s, expected less than 1.5 s.
            | holds   visits at a.c:5 is 2, expected at most 2.
        "#]]
        .assert_eq(&text);
    }

    #[test]
    fn one_rule_is_one_rule() {
        assert_eq!(result(&checked(&RULES[..1])), "the rule holds");
        assert_eq!(result(&checked(&RULES[1..2])), "the rule is broken");
    }

    #[test]
    fn programs_read_values_in_basic_units() {
        let json = check_json("first", &checked(&RULES[1..2]));
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let rule = &json["rules"][0];
        assert_eq!((&json["holds"], &rule["holds"]), (&false.into(), &false.into()));
        assert_eq!((&rule["value"], &rule["share"]), (&0.3.into(), &0.15.into()));
        assert_eq!((&rule["limit"], &rule["metric"]), (&0.05.into(), &"omp_ibarrier_wait".into()));
        assert_eq!(rule["places"][0]["file"], "a.c");
    }
}

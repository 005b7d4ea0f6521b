//! Rules in a file, so that they lie next to the program and are reviewed with it:
//! ```toml
//! [[rule]]
//! metric = "omp_ibarrier_wait"
//! call = "relax*"              # all call paths, if it is missing
//! scope = "thread"             # or "process"; otherwise "run"
//! max = "5%"                   # or min
//! relative-to = "allocation"   # or "wall", "parent", "call", "base"
//! ```

use std::path::Path;

use anyhow::{Context, Result, anyhow};
use pompeii_analysis::rules::{Draft, Rule};
use serde::Deserialize;
use toml::Value;

use crate::terminal::{cannot, indented, shown};

/// A file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<Entry>,
}

/// A rule of it. Limits may be texts or numbers.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Entry {
    metric: String,
    call: Option<String>,
    scope: Option<String>,
    max: Option<Value>,
    min: Option<Value>,
    relative_to: Option<String>,
}

/// The rules of a file.
///
/// # Errors
/// What is not known, with the number of the rule.
pub fn read(path: &Path) -> Result<Vec<Rule>> {
    let text = std::fs::read_to_string(path).with_context(|| cannot("read", path))?;
    parse(&text).with_context(|| shown(path).into_owned())
}

fn parse(text: &str) -> Result<Vec<Rule>> {
    let file: File =
        toml::from_str(text).map_err(|error| anyhow!("{}", indented(&error.to_string())))?;
    let rules = file.rule.into_iter().zip(1..);
    rules
        .map(|(entry, number)| {
            let rule = entry.draft().and_then(|draft| Ok(Rule::new(&draft)?));
            rule.with_context(|| format!("rule {number}"))
        })
        .collect()
}

impl Entry {
    fn draft(self) -> Result<Draft> {
        let Self { metric, call, scope, relative_to, .. } = self;
        let max = self.max.map(limit).transpose()?;
        let min = self.min.map(limit).transpose()?;
        Ok(Draft { metric, call, scope, max, min, relative_to })
    }
}

/// A limit as a text.
fn limit(value: Value) -> Result<String> {
    match value {
        Value::String(text) => Ok(text),
        Value::Integer(number) => Ok(number.to_string()),
        Value::Float(number) => Ok(number.to_string()),
        other => Err(anyhow!("a limit is a text or a number, found `{other}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::message;
    use pompeii_analysis::rules::{Bound, Scope, Whole};

    #[test]
    fn tables_are_rules() {
        let rules = parse(
            "[[rule]]\nmetric = \"omp_ibarrier_wait\"\ncall = \"relax*\"\nscope = \"thread\"\n\
             max = \"5%\"\nrelative-to = \"wall\"\n\n\
             [[rule]]\nmetric = \"parallel_efficiency\"\nmin = 0.8\n\n\
             [[rule]]\nmetric = \"visits\"\nmax = 1000\n",
        );
        let rules = rules.unwrap();
        let [first, second, third] = rules.as_slice() else { panic!("{rules:?}") };
        assert_eq!(
            (first.scope, first.bound, first.whole),
            (Scope::Thread, Bound::Max, Some(Whole::Wall))
        );
        assert_eq!((first.call.as_deref(), first.limit.value), (Some("relax*"), 0.05));
        assert_eq!((second.bound, second.limit.value), (Bound::Min, 0.8));
        assert!(!third.is_strict && third.limit.value == 1000.0);
        assert!(parse("").unwrap().is_empty());
    }

    #[test]
    fn mistakes_have_the_number_of_the_rule() {
        let said = |text: &str| message(&parse(text).unwrap_err());
        let good = "[[rule]]\nmetric = \"comp\"\nmax = \"5%\"\n";
        let wrong = format!("{good}[[rule]]\nmetric = \"comp\"\nmax = \"five\"\n");
        assert!(said(&wrong).starts_with("rule 2: `five` is no limit"), "{}", said(&wrong));
        let list = "[[rule]]\nmetric = \"comp\"\nmax = [5]\n";
        assert_eq!(said(list), "rule 1: a limit is a text or a number, found `[5]`");
        assert!(said("[[rule]]\nmetric = \"comp\"\nmaximum = 5\n").contains("maximum"));
        assert!(said("[[rule]]\nmax = 5\n").contains("metric"));
    }
}

//! What a finding advises, as data: a kind of the closed list, what it is applied to, and the value
//! to set. The sentence in the report is made from these three alone, so that what a person reads
//! and what a program applies cannot differ.

use super::lists::AdviceKind;

/// What to change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// What is to be set.
    pub kind: AdviceKind,
    /// What it is applied to: `file:line`, or several with commas; empty for `none`.
    pub target: String,
    /// What is set, where the kind has a value. For `none`, a sentence: what to change in the code,
    /// or why there is nothing to set.
    pub value: Option<String>,
}

impl Advice {
    /// Nothing can be set: `sentence` says what to change in the code instead, or why not.
    pub fn none(sentence: impl Into<String>) -> Self {
        Self { kind: AdviceKind::None, target: String::new(), value: Some(sentence.into()) }
    }

    /// The advice in words.
    pub fn sentence(&self) -> String {
        let (target, value) = (&self.target, self.value.as_deref().unwrap_or_default());
        match self.kind {
            AdviceKind::Schedule => format!("Set schedule({value}) for the loop {target}."),
            AdviceKind::Nowait => format!(
                "Leave out the barrier of {target} (delete it, or add nowait to the construct that \
                 it ends), if the code after it does not need the results of other threads."
            ),
            AdviceKind::Merge if target.contains(',') => {
                format!("Put the parallel regions {} into one parallel region.", listed(target))
            }
            AdviceKind::Merge => format!(
                "Put {target} and the loop around it into one parallel region, or add an if clause."
            ),
            AdviceKind::Cutoff => format!(
                "Let one task do what {value} tasks do now (grainsize), or create none below a \
                 size (if, final)."
            ),
            AdviceKind::Binding if value.starts_with('-') => {
                format!("Start the program with {target} {value}.")
            }
            AdviceKind::Binding => format!("Set OMP_PROC_BIND={value}."),
            AdviceKind::Threads if value == "1" => format!("Use 1 thread for {target}."),
            AdviceKind::Threads => format!("Use {value} threads for {target}."),
            AdviceKind::Messages => {
                format!("Send {value} elements in one message instead of one ({target}).")
            }
            AdviceKind::None => value.to_owned(),
        }
    }
}

/// The first of the places, and how many more there are.
fn listed(places: &str) -> String {
    const SHOWN: usize = 3;
    let all: Vec<&str> = places.split(',').collect();
    let first = all[..all.len().min(SHOWN)].join(", ");
    match all.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn each_kind_has_a_sentence() {
        let shown: Vec<String> = AdviceKind::ALL
            .iter()
            .map(|&kind| Advice { kind, target: "a.c:5".into(), value: Some("4".into()) })
            .map(|advice| advice.sentence())
            .collect();
        expect![[r#"
            Set schedule(4) for the loop a.c:5.
            Leave out the barrier of a.c:5 (delete it, or add nowait to the construct that it ends), if the code after it does not need the results of other threads.
            Put a.c:5 and the loop around it into one parallel region, or add an if clause.
            Let one task do what 4 tasks do now (grainsize), or create none below a size (if, final).
            Set OMP_PROC_BIND=4.
            Use 4 threads for a.c:5.
            Send 4 elements in one message instead of one (a.c:5).
            4"#]]
        .assert_eq(&shown.join("\n"));
    }
}

//! How the iterations of a loop are shared among the threads of its team: from the clauses of the
//! loop, or, where they leave it to the run, from what the run had.

use crate::region::RUNS;

/// The schedules that a clause can name, except `runtime`, which names none.
const KINDS: [&str; 4] = ["static", "dynamic", "guided", "auto"];

/// Kind and chunk as it is written, for example `dynamic,1`; empty where they are not known. A
/// loop without a clause is `static`: gcc, clang and their Fortran compilers do it like this,
/// whatever `OMP_SCHEDULE` is.
pub(crate) fn of(clauses: &str) -> String {
    let known = |word: &str| {
        let (kind, chunk) = word.split_once(',').unwrap_or((word, ""));
        let kind = kind.rsplit(':').next().unwrap_or(kind);
        let kind = KINDS.iter().find(|known| known.eq_ignore_ascii_case(kind))?;
        Some(if chunk.is_empty() { (*kind).to_owned() } else { format!("{kind},{chunk}") })
    };
    match (argument(clauses, RUNS), argument(clauses, "schedule(")) {
        (Some(ran), _) => known(ran),
        (None, Some(written)) => known(&written.replace(' ', "")),
        (None, None) => Some(KINDS[0].to_owned()),
    }
    .unwrap_or_default()
}

/// What stands in the parentheses that `opening` ends with.
fn argument<'a>(clauses: &'a str, opening: &str) -> Option<&'a str> {
    let begins = |&(at, _): &(usize, &str)| at == 0 || clauses[..at].ends_with(' ');
    let lower = clauses.to_ascii_lowercase();
    let (at, _) = lower.match_indices(opening).find(begins)?;
    let inside = &clauses[at + opening.len()..];
    let mut open = 1;
    let end = inside.find(|c| {
        open += i32::from(c == '(') - i32::from(c == ')');
        open == 0
    });
    end.map(|end| &inside[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_that_of_the_clause_or_of_the_run() {
        let shown = |clauses: &str| format!("{clauses}: {}\n", of(clauses));
        let all: String = [
            "",
            "in(schedule) nowait",
            "schedule(static)",
            "in(f) schedule(dynamic) nowait",
            "schedule(monotonic: dynamic, 4)",
            "SCHEDULE(GUIDED,size(a,1)/2) nowait",
            "schedule(auto)",
            "schedule(runtime)",
            "schedule(runtime) runs(dynamic,1) from(step)",
            "schedule(runtime) runs(6)",
            "schedule(KIND)",
            "dist_schedule(static,3) schedule(guided,4)",
        ]
        .into_iter()
        .map(shown)
        .collect();
        expect_test::expect![[r#"
            : static
            in(schedule) nowait: static
            schedule(static): static
            in(f) schedule(dynamic) nowait: dynamic
            schedule(monotonic: dynamic, 4): dynamic,4
            SCHEDULE(GUIDED,size(a,1)/2) nowait: guided,size(a,1)/2
            schedule(auto): auto
            schedule(runtime): 
            schedule(runtime) runs(dynamic,1) from(step): dynamic,1
            schedule(runtime) runs(6): 
            schedule(KIND): 
            dist_schedule(static,3) schedule(guided,4): guided,4
        "#]]
        .assert_eq(&all);
    }
}

//! The catalogue as text: the tree of names, or everything about one property.

use pompeii_analysis::properties::{self, Property};
use thiserror::Error;

use crate::layout::{left, width, wrap};

/// A name that is in no catalogue.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("unknown property `{name}`{}; `pompeii explain` lists all", hint(.similar))]
pub struct UnknownProperty {
    /// The name that was asked for.
    pub name: String,
    /// Names that look like it, the most similar first.
    pub similar: Vec<&'static str>,
}

fn hint(similar: &[&str]) -> String {
    match similar {
        [] => String::new(),
        names => format!(" (did you mean {}?)", names.join(" or ")),
    }
}

/// All names as a tree, or the documentation of the property `name`, wrapped to `columns`.
///
/// # Errors
/// A name that is in no catalogue.
pub fn explain(name: Option<&str>, columns: usize) -> Result<String, UnknownProperty> {
    match name {
        None => Ok(overview(columns)),
        Some(name) => match properties::find(name) {
            Some(property) => Ok(details(property, columns)),
            None => Err(UnknownProperty { name: name.to_owned(), similar: similar(name) }),
        },
    }
}

fn overview(columns: usize) -> String {
    let mut text = "Properties: each is a part of the one above it.\n\n".to_owned();
    let (metrics, diagnoses): (Vec<_>, Vec<_>) =
        properties::ALL.iter().copied().partition(|property| property.is_metric());
    for property in metrics {
        text += &overview_line(property, depth(property), columns);
    }
    text += "\nDiagnoses: causes that explain several of them together.\n\n";
    for property in diagnoses {
        text += &overview_line(property, 0, columns);
    }
    text + "\n`pompeii explain NAME` tells what one measures, its formula, and what to try.\n"
}

fn depth(property: &Property) -> usize {
    let parent = |p: &&'static Property| p.parent.and_then(properties::find);
    std::iter::successors(property.parent.and_then(properties::find), parent).count()
}

fn overview_line(property: &Property, depth: usize, columns: usize) -> String {
    let name = format!("  {}{}", "  ".repeat(depth), property.name);
    let name = left(&name, 42);
    wrap(property.title, columns, &format!("{name} "), &" ".repeat(width(&name) + 1))
}

fn details(property: &Property, columns: usize) -> String {
    let mut text = format!("{} ({})\n", property.title, property.name);
    let unit = property.unit.cube_name();
    match (property.is_metric(), property.parent) {
        (false, _) => text += "a diagnosis: it explains several properties by one cause\n",
        (true, Some(parent)) => text += &format!("part of {parent}, in {unit}\n"),
        (true, None) => text += &format!("root of its tree, in {unit}\n"),
    }
    let parts: Vec<&str> = properties::children(property).map(|part| part.name).collect();
    if !parts.is_empty() {
        text += &wrap(&format!("parts: {}", parts.join(", ")), columns, "", "  ");
    }
    for (heading, section) in property.sections() {
        text += &format!("\n{heading}\n{}", wrap(section, columns, "  ", "  "));
    }
    text
}

/// Names that contain the one asked for, or are a few edits away from it.
fn similar(name: &str) -> Vec<&'static str> {
    let mut scored: Vec<(usize, &'static str)> =
        properties::ALL.iter().map(|p| (distance(name, p.name), p.name)).collect();
    scored.sort();
    let near = name.len().div_ceil(3);
    scored
        .into_iter()
        .filter(|(distance, known)| *distance <= near || known.contains(name))
        .take(2)
        .map(|(_, known)| known)
        .collect()
}

/// Insertions, deletions and replacements that turn one word into another (Levenshtein), O(length x
/// length): what tells which known name a wrong one most likely means.
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replace = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replace.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect, expect_file};

    fn check(name: Option<&str>, expect: Expect) {
        let shown =
            explain(name, 80).unwrap_or_else(|error| error.to_string().replace("; ", ";\n"));
        expect.assert_eq(&shown);
    }

    #[test]
    fn the_catalogue_is_a_tree() {
        let shown = explain(None, 80).unwrap_or_else(|error| error.to_string());
        expect_file!["../tests/catalogue.txt"].assert_eq(&shown);
    }

    #[test]
    fn a_property_tells_its_formula_and_gain() {
        check(
            Some("omp_ibarrier_wait"),
            expect![[r#"
            Wait at implicit barrier (omp_ibarrier_wait)
            part of omp_ibarrier, in sec

            What it measures
              Time from a thread's arrival at an implicit barrier until the latest thread of
              the team has arrived.

            Formula
              per barrier and thread: measure of [own arrival, latest arrival of the team]
              minus the tasks that the thread executed in it. Known when the barrier ends,
              also without a trace.

            Possible gain
              waiting of all threads / number of threads that meet at the barrier: if all
              arrived at the same moment, the latest would be earlier by the average
              waiting.

            Why it costs time
              The threads that arrived do nothing: the work before the barrier is not spread
              evenly.

            How to recognise
              omp_barrier_last tells who arrives last, omp_barrier_delay what that cost the
              others. Always the same thread: its share of the work is larger. A different
              one each time: the work varies, or the machine disturbs.

            What to try
              Always the same thread: schedule(dynamic) or guided, or bounds that follow the
              cost. Different threads: larger pieces of work between barriers, nowait where
              the next construct allows it. After single: nowait, or let the others do
              something else meanwhile.

            Example
              A triangular loop with schedule(static) on 4 threads: the last thread has 7/16
              of the work, the others wait for it.
        "#]],
        );
    }

    #[test]
    fn a_diagnosis_has_no_parent() {
        check(
            Some("tasks_too_few"),
            expect![[r#"
                Tasks too few or too large (tasks_too_few)
                a diagnosis: it explains several properties by one cause

                What it measures
                  Too coarsely grained tasks: so few that some threads run one more than others,
                  or wait for one that is longer.

                Formula
                  fewer than 10 executed tasks per thread of the region, where neither their
                  size nor their production explains the loss; the loss around the tasks is at
                  least 2 % of the allocation, and at most twice (threads - 1) x work of all
                  tasks. Lost: waiting, starving and joining in the tasks' barriers + creation +
                  taskwait.

                Possible gain
                  all that the threads lose around these tasks (waiting, starving and joining in
                  their barriers, creating them, taskwait) / number of threads of the region: if
                  nothing of it remained, the same work would end that much earlier.

                Why it costs time
                  With n tasks of equal length on t threads the phase lasts ceil(n/t) tasks,
                  although n/t would do; tasks of unequal length make it worse.

                How to recognise
                  omp_ibarrier_starvation is large, tasks_created is small, task_time differs
                  between threads by a whole task.

                What to try
                  Split the work into at least ten tasks per thread; create the long ones first
                  (priority); let long tasks create tasks themselves.

                Example
                  12 tasks on 8 threads: four threads run two tasks, four run one and wait for
                  as long.
            "#]],
        );
    }

    #[test]
    fn a_near_miss_is_helped() {
        check(
            Some("omp_ibarier_wait"),
            expect![[r#"
                unknown property `omp_ibarier_wait` (did you mean omp_ibarrier_wait or omp_ebarrier_wait?);
                `pompeii explain` lists all"#]],
        );
        check(
            Some("xyzzy"),
            expect![[r#"
            unknown property `xyzzy`;
            `pompeii explain` lists all"#]],
        );
    }
}

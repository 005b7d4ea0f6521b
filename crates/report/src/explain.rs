//! The catalogue as text: the tree of names and the causes of findings, or everything about one of
//! them.

use pompeii_analysis::Cause;
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

/// All names, or the documentation of the property or cause `name`, wrapped to `columns`.
///
/// # Errors
/// A name that is in no catalogue.
pub fn explain(name: Option<&str>, columns: usize) -> Result<String, UnknownProperty> {
    match name {
        None => Ok(overview(columns)),
        Some(name) => {
            let cause = Cause::ALL.iter().find(|cause| cause.code() == name);
            let cause = cause.map(|&cause| cause_details(cause, columns));
            let property = properties::find(name).map(|property| details(property, columns));
            match property.into_iter().chain(cause).collect::<Vec<_>>() {
                found if found.is_empty() => {
                    Err(UnknownProperty { name: name.to_owned(), similar: similar(name) })
                }
                found => Ok(found.join("\n")),
            }
        }
    }
}

fn overview(columns: usize) -> String {
    let mut text = "Properties. An indented property is a part of the one above it.\n\n".to_owned();
    let (metrics, diagnoses): (Vec<_>, Vec<_>) =
        properties::ALL.iter().copied().partition(|property| property.is_metric());
    for property in metrics {
        text += &overview_line((property.name, property.title), depth(property), columns);
    }
    text += "\nDiagnoses. Each is one cause for the losses of several properties.\n\n";
    for property in diagnoses {
        text += &overview_line((property.name, property.title), 0, columns);
    }
    text += "\nCauses of findings.\n\n";
    for cause in Cause::ALL {
        text += &overview_line((cause.code(), cause.meaning()), 0, columns);
    }
    text + "\n`pompeii explain NAME` describes one of them: its meaning, and what to try.\n"
}

fn depth(property: &Property) -> usize {
    let parent = |p: &&'static Property| p.parent.and_then(properties::find);
    std::iter::successors(property.parent.and_then(properties::find), parent).count()
}

fn overview_line((name, meaning): (&str, &str), depth: usize, columns: usize) -> String {
    let name = format!("  {}{name}", "  ".repeat(depth));
    let name = left(&name, 42);
    wrap(meaning, columns, &format!("{name} "), &" ".repeat(width(&name) + 1))
}

fn details(property: &Property, columns: usize) -> String {
    let mut text = format!("{} ({})\n", property.title, property.name);
    let unit = property.unit.cube_name();
    match (property.is_metric(), property.parent) {
        (false, _) => text += "a diagnosis: one cause for the losses of several properties\n",
        (true, Some(parent)) => text += &format!("part of {parent}, in {unit}\n"),
        (true, None) => text += &format!("root of its tree, in {unit}\n"),
    }
    let parts: Vec<&str> = properties::children(property).map(|part| part.name).collect();
    if !parts.is_empty() {
        text += &wrap(&format!("parts: {}", parts.join(", ")), columns, "", "  ");
    }
    for (at, (heading, section)) in property.sections().into_iter().enumerate() {
        text += &format!("\n{heading}\n{}", wrap(section, columns, "  ", "  "));
        if at == 0 {
            text += &picture(property);
        }
    }
    text
}

/// Time lines that show the property.
fn picture(property: &Property) -> String {
    let Some(picture) = property.picture() else { return String::new() };
    let lines = picture.lines().map(|line| format!("  {line}\n"));
    let legend = "  (= work, . what is measured, - other time in the call or construct)\n";
    format!("\nPicture\n{}{legend}", lines.collect::<String>())
}

fn cause_details(cause: Cause, columns: usize) -> String {
    let mut text = format!("{}\na cause of findings\n", cause.code());
    for (heading, section) in [("What it means", cause.meaning()), ("What to try", cause.remedy())]
    {
        text += &format!("\n{heading}\n{}", wrap(section, columns, "  ", "  "));
    }
    text
}

/// Names that contain the one asked for, or are a few edits away from it.
fn similar(name: &str) -> Vec<&'static str> {
    let names = properties::ALL.iter().map(|property| property.name);
    let names = names.chain(Cause::ALL.iter().map(|cause| cause.code()));
    let mut scored: Vec<(usize, &'static str)> =
        names.map(|known| (distance(name, known), known)).collect();
    scored.sort();
    scored.dedup();
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
                  Time between the arrival of a thread at an implicit barrier and the arrival of
                  the last thread of the team.

                Picture
                  thread 0  =========|..............|===
                  thread 1  ==============|.........|===
                  thread 2  ========================|===
                                     ^ arrival      ^ arrival of the last thread
                  (= work, . what is measured, - other time in the call or construct)

                Formula
                  for each barrier and thread: measure of [own arrival, latest arrival of the
                  team] minus the tasks executed by the thread in this time. It is known at the
                  end of the barrier, without a trace. A single with copyprivate keeps its
                  barrier: there the own time of the construct, which is spent waiting for the
                  values, counts.

                Possible gain
                  if the same thread is late in each visit: mean waiting of a thread - smallest
                  waiting of a thread, because only the difference can be redistributed. If the
                  late thread changes: mean waiting of a thread, if each visit is balanced.

                Why it costs time
                  The threads that have arrived do nothing, because the work before the barrier
                  is not spread evenly.

                How to recognise
                  omp_barrier_last shows which thread arrives last, and omp_barrier_delay how
                  much waiting it causes. If it is always the same thread, it has more work. If
                  it changes, the amount of work varies, or other programs disturb the run.

                What to try
                  If the same thread is always last, use schedule(dynamic) or guided, or loop
                  bounds that follow the cost. If the last thread changes, do more work between
                  barriers, or use nowait if the next construct allows it. After single, use
                  nowait, or give the other threads other work meanwhile.

                Example
                  A triangular loop with schedule(static) on 4 threads: the last thread has 7/16
                  of the work, and the others wait for it.
            "#]],
        );
    }

    #[test]
    fn a_diagnosis_has_no_parent() {
        check(
            Some("tasks_too_few"),
            expect![[r#"
                Tasks too few or too large (tasks_too_few)
                a diagnosis: one cause for the losses of several properties

                What it measures
                  There are so few tasks that some threads execute one more than others, or wait
                  for a long one.

                Formula
                  fewer than 10 executed tasks per thread of the region (and visit, if all tasks
                  are those of taskloops), and neither their size nor their creation nor one
                  long task explains the loss. The loss around the tasks is at least 2 % of the
                  CPU allocation, and at most twice (threads - 1) x work of all tasks. Lost:
                  waiting, starvation and joining in the tasks' barriers + creation + taskwait.

                Possible gain
                  the loss around these tasks (waiting, starvation and joining in their
                  barriers, creation, taskwait) / number of threads of the region: without this
                  loss the same work would end earlier by this time.

                Why it costs time
                  With n tasks of equal length on t threads, the phase lasts as long as
                  ceil(n/t) tasks instead of n/t. Tasks of different length make it worse.

                How to recognise
                  omp_ibarrier_starvation is large, tasks_created is small, and task_time
                  differs between threads by a whole task.

                What to try
                  Split the work into at least ten tasks per thread; create the long ones first
                  (priority); let long tasks create tasks themselves.

                Example
                  12 tasks on 8 threads: four threads execute two tasks, the other four execute
                  one and then wait.
            "#]],
        );
    }

    #[test]
    fn a_cause_of_findings_says_what_to_do() {
        check(
            Some("nowait_possible"),
            expect![[r#"
            nowait_possible
            a cause of findings

            What it means
              an implicit barrier makes threads wait that are balanced without it

            What to try
              add nowait if nothing after it needs the results of other threads
        "#]],
        );
    }

    /// The same word, with both meanings.
    #[test]
    fn a_diagnosis_that_is_a_cause() {
        let shown = explain(Some("tasks_too_small"), 80).unwrap();
        assert!(shown.contains("a diagnosis") && shown.contains("a cause of findings"), "{shown}");
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

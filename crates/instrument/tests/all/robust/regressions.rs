//! Inputs that once went wrong, each as small as it can be.

use super::property;

fn check(name: &str, text: &str) {
    property::check(text.as_bytes(), &property::options(name));
}

#[test]
fn a_sequence_of_no_directives() {
    check("t.cpp", "x[[omp::sequence()]];");
}

#[test]
fn a_directive_in_a_sequence_without_parenthesis() {
    check("t.cpp", "x[[omp::sequence(directive)]];");
    check("t.cpp", "x[[omp::sequence(directive, directive(barrier))]];");
}

/// Its END is missing in one branch, and the other branch ends what is around it.
#[test]
fn sections_that_end_in_no_branch() {
    let ends = "#else\n!$omp end parallel\n#endif\n";
    check("t.F90", &format!("!$omp parallel\n#ifdef A\n!$omp sections\nx=1\n{ends}"));
}

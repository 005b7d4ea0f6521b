//! What cannot be instrumented: where, and what was expected.

use super::check_error;
use expect_test::expect;

#[test]
fn unbalanced() {
    check_error(
        r#"void f(int *x) {
#pragma omp parallel
  {
    x[0] = 1;
"#,
        &expect![[r#"
            line 3, column 3: this bracket is never closed
                  {
            expected: a balanced text; where branches of #if disagree, give the preprocessed text"#]],
    );
}

#[test]
fn no_statement() {
    check_error(
        r#"void f(int *x) {
#pragma omp parallel
}
"#,
        &expect![[r#"
            line 2, column 1: no statement follows this directive
                #pragma omp parallel
            expected: the statement that it applies to"#]],
    );
}

#[test]
fn no_semicolon() {
    check_error(
        r#"void f(int *x) {
#pragma omp critical
  x[0] = 1
}
"#,
        &expect![[r#"
            line 4, column 1: the statement that a directive belongs to is not complete here
                }
            expected: `;`"#]],
    );
}

#[test]
fn do_without_while() {
    check_error(
        r#"void f(int *x) {
#pragma omp critical
  do x[0] = 1; until (x);
}
"#,
        &expect![[r#"
            line 3, column 16: the statement that a directive belongs to is not complete here
                  do x[0] = 1; until (x);
            expected: `while`"#]],
    );
}

#[test]
fn a_comment_without_end() {
    check_error(
        r#"#pragma omp barrier
/* oh
"#,
        &expect![[r#"
            line 2, column 1: this comment is never closed
                /* oh
            expected: `*/`"#]],
    );
}

#[test]
fn conditionals() {
    check_error(
        r#"#pragma omp barrier
#ifdef X
"#,
        &expect![[r#"
            line 2, column 1: this conditional is never closed
                #ifdef X
            expected: #endif"#]],
    );
}

#[test]
fn endif_alone() {
    check_error(
        r#"#pragma omp barrier
#endif
"#,
        &expect![[r#"
            line 2, column 1: no #if is open here
                #endif
            expected: an #if, #ifdef or #ifndef before it"#]],
    );
}

#[test]
fn branches_that_disagree() {
    check_error(
        r#"void f(int *x) {
#pragma omp critical
  if (x[0]) x[0] = 1;
#ifdef A
  else x[0] = 2;
#endif
}
"#,
        &expect![[r#"
            line 2, column 1: preprocessor branches disagree about the statement behind this directive
                #pragma omp critical
            expected: one end in each configuration; the preprocessed text has only one"#]],
    );
}

#[test]
fn a_section_alone() {
    check_error(
        r#"void f(int *x) {
#pragma omp section
  x[0] = 1;
}
"#,
        &expect![[r#"
            line 2, column 1: this section stands alone
                #pragma omp section
            expected: a sections construct around it"#]],
    );
}

#[test]
fn user_regions() {
    check_error(
        r#"#pragma pomp inst begin(a)
#pragma pomp inst end(b)
"#,
        &expect![[r#"
            line 2, column 1: no user region `b` is open here
                #pragma pomp inst end(b)
            expected: an `inst begin` with this name before it"#]],
    );
}

#[test]
fn a_user_region_without_end() {
    check_error(
        r#"#pragma pomp inst begin(a)
"#,
        &expect![[r#"
            line 1, column 1: the user region `a` is never closed
                #pragma pomp inst begin(a)
            expected: an `inst end` with this name behind it"#]],
    );
}

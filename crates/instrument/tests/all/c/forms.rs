//! Directives that are not lines: operators and attributes.

use super::{check, check_cxx};
use expect_test::expect;
use pompeii_instrument::{Language, Options, instrument, undo};

#[test]
fn operator() {
    check(
        r#"void f(int *x) {
  if (*x) _Pragma("omp parallel num_threads(2)") { _Pragma("omp atomic") x[0]++; }
  _Pragma("omp barrier") x[1] = 1;
}
"#,
        &expect![[r#"
            void f(int *x) {
              if (*x) { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1); _Pragma("omp parallel num_threads(2) firstprivate(pomp_p1)") { POMP_Parallel_begin(pomp_1(), pomp_p1); { { POMP_Atomic_enter(pomp_2()); _Pragma("omp atomic") x[0]++;; POMP_Atomic_exit(pomp_2()); } } POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
              { POMP_Barrier_enter(pomp_3()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_3()); } x[1] = 1;
            }
            == 1: parallel (2, 2) (2, 2)
            == 2: atomic (2, 2) (2, 2)
            == 3: barrier (3, 3) (3, 3)
        "#]],
    );
}

#[test]
fn operator_of_a_combined_construct() {
    check(
        r#"void f(int *x) {
  _Pragma("omp parallel for num_threads(2) schedule(static)") for (int i = 0; i < 9; i++) x[i]++;
}
"#,
        &expect![[r#"
            void f(int *x) {
              { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1); _Pragma("omp parallel num_threads(2) firstprivate(pomp_p1)") { POMP_Parallel_begin(pomp_1(), pomp_p1); POMP_For_enter(pomp_1(), pomp_until(0, 9, 1)); _Pragma("omp for schedule(static) nowait") for (int i = 0; i < 9; i++) x[i]++;; POMP_Barrier_enter(pomp_1()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_1()); POMP_For_exit(pomp_1()); POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel for (2, 2) (2, 2)
        "#]],
    );
}

#[test]
fn attributes() {
    check_cxx(
        r#"void f(int *x) {
  [[omp::directive(parallel num_threads(2))]] {
    [[omp::directive(critical)]] x[0]++;
    [[omp::directive(barrier)]];
    [[ using omp : directive ( for, schedule(static) ) ]]
    for (int i = 0; i < 9; i++) x[i]++;
  }
}
"#,
        &expect![[r#"
            void f(int *x) {
              { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1); [[omp::directive(parallel num_threads(2) firstprivate(pomp_p1))]] { POMP_Parallel_begin(pomp_1(), pomp_p1); {
                { POMP_Critical_enter(pomp_2()); [[omp::directive(critical)]] { POMP_Critical_begin(pomp_2()); x[0]++;; POMP_Critical_end(pomp_2()); } POMP_Critical_exit(pomp_2()); }
                { POMP_Barrier_enter(pomp_3()); [[omp::directive(barrier)]]; POMP_Barrier_exit(pomp_3()); }
                { POMP_For_enter(pomp_4(), pomp_until(0, 9, 1)); [[ using omp : directive ( for, schedule(static) nowait ) ]]
                for (int i = 0; i < 9; i++) x[i]++;; POMP_Barrier_enter(pomp_4()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_4()); POMP_For_exit(pomp_4()); }
              } POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel (2, 2) (7, 7)
            == 2: critical (3, 3) (3, 3)
            == 3: barrier (4, 4) (4, 4)
            == 4: for (5, 5) (6, 6)
        "#]],
    );
}

#[test]
fn a_sequence_is_cut() {
    check_cxx(
        r#"void f(int *x) {
  [[omp::sequence(directive(parallel), omp::directive(for reduction(+ : s)))]]
  for (int i = 0; i < 9; i++) x[i]++;
  [[omp::sequence(directive(parallel), directive(masked))]]
  x[0] = 1;
}
"#,
        &expect![[r#"
            void f(int *x) {
              { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1); [[omp::sequence(directive(parallel firstprivate(pomp_p1)))]] { POMP_Parallel_begin(pomp_1(), pomp_p1); { POMP_For_enter(pomp_2(), pomp_until(0, 9, 1)); [[omp::sequence( omp::directive(for reduction(+ : s) nowait))]]
              for (int i = 0; i < 9; i++) x[i]++;; POMP_Barrier_enter(pomp_2()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_2()); POMP_For_exit(pomp_2()); } ; POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
              { long pomp_p3; POMP_Parallel_fork(pomp_3(), &pomp_p3); [[omp::sequence(directive(parallel firstprivate(pomp_p3)))]] { POMP_Parallel_begin(pomp_3(), pomp_p3);  [[omp::sequence( directive(masked))]]
              { POMP_Masked_begin(pomp_4()); x[0] = 1;; POMP_Masked_end(pomp_4()); } ; POMP_Parallel_end(pomp_3(), pomp_p3); } POMP_Parallel_join(pomp_3(), pomp_p3); }
            }
            == 1: parallel (2, 2) (3, 3)
            == 2: for (2, 2) (3, 3)
            == 3: parallel (4, 4) (5, 5)
            == 4: masked (4, 4) (5, 5)
        "#]],
    );
}

#[test]
fn digraphs_and_blanks() {
    check(
        r#"void f(int *x) <%
  %:  pragma  omp  parallel
  <% x<:0:> = 1; %>
%>
"#,
        &expect![[r#"
            void f(int *x) <%
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
              %:  pragma  omp  parallel firstprivate(pomp_p1)
              { POMP_Parallel_begin(pomp_1(), pomp_p1); <% x<:0:> = 1; %> POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            %>
            == 1: parallel (2, 2) (3, 3)
        "#]],
    );
}

#[test]
fn carriage_returns() {
    let input =
        "void f(int *x) {\r\n#pragma omp parallel for \\\r\n  if(*x)\r\n  for (;;) {}\r\n}\r\n";
    let outcome = instrument(input.as_bytes(), &Options::new("t.c", Language::C)).unwrap();
    assert_eq!(undo(&outcome.text).unwrap(), input.as_bytes());
    let text = String::from_utf8(outcome.text).unwrap();
    let body = text.split_once("#line 1 \"t.c\"").unwrap().1.split("/* pompeii").next().unwrap();
    assert_eq!(body.matches('\n').count(), body.matches("\r\n").count() + 1, "{body}");
    assert!(body.contains("#pragma omp for \\\r\n    nowait\r\n"), "{body}");
}

#[test]
fn a_pragma_that_may_go_on_behind_a_trigraph() {
    check(
        "void f(int *x) {\n#pragma omp parallel ??/\n  num_threads(2)\n  *x = 1;\n\
         #pragma omp barrier\n#pragma once ??/\n\n}\n",
        &expect![[r#"
            void f(int *x) {
            #pragma omp parallel ??/
              num_threads(2)
              *x = 1;
            { POMP_Barrier_enter(pomp_1());
            #line 5
            #pragma omp barrier
            POMP_Barrier_exit(pomp_1()); }
            #line 6
            #pragma once ??/

            }
            == 1: barrier (5, 5) (5, 5)
            == Hidden 2: this pragma may go on behind a trigraph and is left alone; instrument the preprocessed text to see it
        "#]],
    );
}

#[test]
fn literals_that_no_compiler_puts_together() {
    check(
        "void f(int *x) {\n  _Pragma(\"omp \" \"parallel\") *x = 1;\n}\n",
        &expect![[r#"
            void f(int *x) {
              _Pragma("omp " "parallel") *x = 1;
            }
        "#]],
    );
}

#[test]
fn declarations_in_attributes_pass_through() {
    check_cxx(
        "int counter [[omp::decl(threadprivate)]];\n[[omp::decl(declare_simd uniform(x))]]\n\
         double g(double x);\nvoid f(double *x) {\n  [[omp::directive(parallel)]]\n  \
         { static int own [[using omp: decl(threadprivate)]]; *x = g(*x); }\n}\n",
        &expect![[r#"
            int counter [[omp::decl(threadprivate)]];
            [[omp::decl(declare_simd uniform(x))]]
            double g(double x);
            void f(double *x) {
              { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1); [[omp::directive(parallel firstprivate(pomp_p1))]]
              { POMP_Parallel_begin(pomp_1(), pomp_p1); { static int own [[using omp: decl(threadprivate)]]; *x = g(*x); } POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel (5, 5) (6, 6)
        "#]],
    );
}

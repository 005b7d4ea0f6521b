//! Conditionals and line markers of the user.

use super::check;
use expect_test::expect;

#[test]
fn directives_in_branches() {
    check(
        r#"void f(int *x) {
#ifdef A
#pragma omp parallel for
#elif defined(B)
#pragma omp parallel for schedule(static)
#endif
  for (int i = 0; i < 9; i++) x[i] = i; // loop
}
"#,
        &expect![[r#"
            void f(int *x) {
            #ifdef A

            #define pomp_b1 1
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 3
            #pragma omp parallel firstprivate(pomp_p1)
            { POMP_Parallel_begin(pomp_1(), pomp_p1); POMP_For_enter(pomp_1(), pomp_until(0, 9, 1));
            #line 3
            #pragma omp for nowait
            #elif defined(B)

            #define pomp_b2 1
            { long pomp_p2; POMP_Parallel_fork(pomp_2(), &pomp_p2);
            #line 5
            #pragma omp parallel firstprivate(pomp_p2)
            { POMP_Parallel_begin(pomp_2(), pomp_p2); POMP_For_enter(pomp_2(), pomp_until(0, 9, 1));
            #line 5
            #pragma omp for schedule(static) nowait
            #endif
              for (int i = 0; i < 9; i++) x[i] = i;
            #ifdef pomp_b2
            #undef pomp_b2
            ; POMP_Barrier_enter(pomp_2()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_2()); POMP_For_exit(pomp_2()); POMP_Parallel_end(pomp_2(), pomp_p2); } POMP_Parallel_join(pomp_2(), pomp_p2); }
            #endif
            #line 7

            #ifdef pomp_b1
            #undef pomp_b1
            ; POMP_Barrier_enter(pomp_1()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_1()); POMP_For_exit(pomp_1()); POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            #endif
            #line 7
             // loop
            }
            == 1: parallel for (3, 3) (7, 7)
            == 2: parallel for (5, 5) (7, 7)
        "#]],
    );
}

#[test]
fn loop_headers_in_branches() {
    check(
        r#"void f(int *x) {
#pragma omp parallel
#if A
  for (int i = 0; i < 9; i++) {
#else
  for (int i = 0; i < 8; i++) {
#endif
    x[i] = i;
  }
}
"#,
        &expect![[r#"
            void f(int *x) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel firstprivate(pomp_p1)
            #if A
              { POMP_Parallel_begin(pomp_1(), pomp_p1); for (int i = 0; i < 9; i++) {
            #else
              { POMP_Parallel_begin(pomp_1(), pomp_p1); for (int i = 0; i < 8; i++) {
            #endif
                x[i] = i;
              }; POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel (2, 2) (9, 9)
        "#]],
    );
}

#[test]
fn a_brace_for_openmp_only() {
    check(
        r#"void f(int *x) {
#ifdef _OPENMP
#pragma omp parallel
  {
#endif
    x[0] = 1;
#ifdef _OPENMP
  }
#endif
}
"#,
        &expect![[r#"
            void f(int *x) {
            #ifdef _OPENMP

            #define pomp_b1 1
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 3
            #pragma omp parallel firstprivate(pomp_p1)
              { POMP_Parallel_begin(pomp_1(), pomp_p1); {
            #endif
                x[0] = 1;
            #ifdef _OPENMP
              }
            #ifdef pomp_b1
            #undef pomp_b1
            POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            #endif
            #line 8

            #endif
            }
            == 1: parallel (3, 3) (8, 8)
        "#]],
    );
}

#[test]
fn ends_in_branches() {
    check(
        r#"void f(int *x) {
#pragma omp critical
#ifdef A
  x[0] = 1;
#else
  x[0] = 2;
#endif
}
"#,
        &expect![[r#"
            void f(int *x) {
            { POMP_Critical_enter(pomp_1());
            #line 2
            #pragma omp critical
            #ifdef A
              { POMP_Critical_begin(pomp_1()); x[0] = 1;; POMP_Critical_end(pomp_1()); } POMP_Critical_exit(pomp_1()); }
            #else
              { POMP_Critical_begin(pomp_1()); x[0] = 2;; POMP_Critical_end(pomp_1()); } POMP_Critical_exit(pomp_1()); }
            #endif
            }
            == 1: critical (2, 2) (6, 6)
        "#]],
    );
}

#[test]
fn a_header_guard() {
    check(
        r#"#ifndef H
#define H
static void f(int *x) {
#pragma omp critical
  x[0] = 1;
}
#if 0
#pragma omp critical
  }
#endif
#endif
"#,
        &expect![[r#"
            #ifndef H
            #define H
            static void f(int *x) {
            { POMP_Critical_enter(pomp_1());
            #line 4
            #pragma omp critical
              { POMP_Critical_begin(pomp_1()); x[0] = 1;; POMP_Critical_end(pomp_1()); } POMP_Critical_exit(pomp_1()); }
            }
            #if 0
            #pragma omp critical
              }
            #endif
            #endif
            == 1: critical (4, 4) (5, 5)
        "#]],
    );
}

#[test]
fn line_markers_of_the_text() {
    check(
        r#"# 1 "g.y"
void f(int *x) {
#line 100 "g.y"
#pragma omp critical
  x[0] = 1;
#line 7 "other.h"
#pragma omp barrier
}
"#,
        &expect![[r##"
            # 1 "g.y"
            void f(int *x) {
            #line 100 "g.y"
            { POMP_Critical_enter(pomp_1());
            #line 100
            #pragma omp critical
              { POMP_Critical_begin(pomp_1()); x[0] = 1;; POMP_Critical_end(pomp_1()); } POMP_Critical_exit(pomp_1()); }
            #line 7 "other.h"
            { POMP_Barrier_enter(pomp_2());
            #line 7
            #pragma omp barrier
            POMP_Barrier_exit(pomp_2()); }
            #line 8
            }
            == 1: critical (100, 100) (101, 101)
            == 2: barrier (7, 7) (7, 7)
        "##]],
    );
}

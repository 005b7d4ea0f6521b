//! `parallel` alone.

use super::check;
use expect_test::expect;

#[test]
fn a_block() {
    check(
        r#"void f(int *x) {
#pragma omp parallel num_threads(2) default(none) shared(x) // two { threads
  {
    *x = 1;
  }
}
"#,
        &expect![[r#"
            void f(int *x) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel num_threads(2) default(none) shared(x) firstprivate(pomp_p1) // two { threads
              { POMP_Parallel_begin(pomp_1(), pomp_p1); {
                *x = 1;
              } POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel (2, 2) (5, 5)
        "#]],
    );
}

#[test]
fn a_statement_gets_a_semicolon() {
    check(
        r#"void f(int *x) {
  if (*x)
    #pragma omp parallel
    if (*x == 2) *x = 3; else *x = 4; /* behind */
  else
    *x = 5;
}
"#,
        &expect![[r#"
            void f(int *x) {
              if (*x)
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 3
                #pragma omp parallel firstprivate(pomp_p1)
                { POMP_Parallel_begin(pomp_1(), pomp_p1); if (*x == 2) *x = 3; else *x = 4;; POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); } /* behind */
              else
                *x = 5;
            }
            == 1: parallel (3, 3) (4, 4)
        "#]],
    );
}

#[test]
fn nested() {
    check(
        r#"void f(int *x) {
#pragma omp parallel
#pragma omp parallel if(*x)
  x[0] = 1;
}
"#,
        &expect![[r#"
            void f(int *x) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel firstprivate(pomp_p1)
            { POMP_Parallel_begin(pomp_1(), pomp_p1); { long pomp_p2; POMP_Parallel_fork(pomp_2(), &pomp_p2);
            #line 3
            #pragma omp parallel if(*x) firstprivate(pomp_p2)
              { POMP_Parallel_begin(pomp_2(), pomp_p2); x[0] = 1;; POMP_Parallel_end(pomp_2(), pomp_p2); } POMP_Parallel_join(pomp_2(), pomp_p2); } ; POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel (2, 2) (4, 4)
            == 2: parallel (3, 3) (4, 4)
        "#]],
    );
}

#[test]
fn a_cancelled_one_ends_with_a_cleanup() {
    check(
        r#"void f(int *x) {
#pragma omp parallel
  {
    if (*x) {
      #pragma omp cancel parallel
    }
    #pragma omp cancellation point parallel
    *x = 2;
  }
}
"#,
        &expect![[r#"
            void f(int *x) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel firstprivate(pomp_p1)
              { struct pomp_guard pomp_g1 __attribute__((cleanup(pomp_Parallel_end))); pomp_g1.region = pomp_1(); pomp_g1.id = pomp_p1; POMP_Parallel_begin(pomp_1(), pomp_p1); {
                if (*x) {
            { POMP_Cancel(pomp_2());
            #line 5
                  #pragma omp cancel parallel
             }
            #line 6
                }
            { POMP_Cancellation_point(pomp_3());
            #line 7
                #pragma omp cancellation point parallel
             }
            #line 8
                *x = 2;
              } } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel (2, 2) (9, 9)
            == 2: cancel parallel (5, 5) (5, 5)
            == 3: cancellation point (7, 7) (7, 7)
        "#]],
    );
}

#[test]
fn clauses_over_several_lines() {
    check(
        r#"void f(int *x) {
#pragma omp parallel /* one
    two */ shared(x) \
    private(y) /* three */
  { *x = 1; }
}
"#,
        &expect![[r#"
            void f(int *x) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel /* one
                two */ shared(x) \
                private(y) firstprivate(pomp_p1) /* three */
              { POMP_Parallel_begin(pomp_1(), pomp_p1); { *x = 1; } POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel (2, 4) (5, 5)
        "#]],
    );
}

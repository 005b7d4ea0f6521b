//! `critical`, `master`, `atomic`, `barrier`.

use super::check;
use expect_test::expect;

#[test]
fn critical() {
    check(
        r#"void f(int *x) {
#pragma omp critical
  x[0]++;
#pragma omp critical (name) hint(omp_sync_hint_contended)
  { x[1]++; }
}
"#,
        &expect![[r#"
            void f(int *x) {
            { POMP_Critical_enter(pomp_1());
            #line 2
            #pragma omp critical
              { POMP_Critical_begin(pomp_1()); x[0]++;; POMP_Critical_end(pomp_1()); } POMP_Critical_exit(pomp_1()); }
            { POMP_Critical_enter(pomp_2());
            #line 4
            #pragma omp critical (name) hint(omp_sync_hint_contended)
              { POMP_Critical_begin(pomp_2()); { x[1]++; } POMP_Critical_end(pomp_2()); } POMP_Critical_exit(pomp_2()); }
            }
            == 1: critical (2, 2) (3, 3)
            == 2: critical name (4, 4) (5, 5)
        "#]],
    );
}

#[test]
fn master() {
    check(
        r#"void f(int *x) {
#pragma omp master
  x[0]++;
}
"#,
        &expect![[r#"
            void f(int *x) {
            #pragma omp master
              { POMP_Master_begin(pomp_1()); x[0]++;; POMP_Master_end(pomp_1()); }
            }
            == 1: master (2, 2) (3, 3)
        "#]],
    );
}

#[test]
fn atomic() {
    check(
        r#"void f(int *x, int v) {
  if (v)
    #pragma omp atomic
    x[0]++;
#pragma omp atomic capture
  { v = x[0]; x[0]++; }
#pragma omp atomic compare
  if (x[0] == v) { x[0] = 3; }
}
"#,
        &expect![[r#"
            void f(int *x, int v) {
              if (v)
            { POMP_Atomic_enter(pomp_1());
            #line 3
                #pragma omp atomic
                x[0]++;; POMP_Atomic_exit(pomp_1()); }
            { POMP_Atomic_enter(pomp_2());
            #line 5
            #pragma omp atomic capture
              { v = x[0]; x[0]++; } POMP_Atomic_exit(pomp_2()); }
            { POMP_Atomic_enter(pomp_3());
            #line 7
            #pragma omp atomic compare
              if (x[0] == v) { x[0] = 3; }; POMP_Atomic_exit(pomp_3()); }
            }
            == 1: atomic (3, 3) (4, 4)
            == 2: atomic (5, 5) (6, 6)
            == 3: atomic (7, 7) (8, 8)
        "#]],
    );
}

#[test]
fn barrier() {
    check(
        r#"void f(int *x) {
#pragma omp barrier
  x[0] = 1;
#pragma omp barrier
#pragma omp barrier
}
"#,
        &expect![[r#"
            void f(int *x) {
            { POMP_Barrier_enter(pomp_1());
            #line 2
            #pragma omp barrier
            POMP_Barrier_exit(pomp_1()); }
            #line 3
              x[0] = 1;
            { POMP_Barrier_enter(pomp_2());
            #line 4
            #pragma omp barrier
            POMP_Barrier_exit(pomp_2()); } { POMP_Barrier_enter(pomp_3());
            #line 5
            #pragma omp barrier
            POMP_Barrier_exit(pomp_3()); }
            #line 6
            }
            == 1: barrier (2, 2) (2, 2)
            == 2: barrier (4, 4) (4, 4)
            == 3: barrier (5, 5) (5, 5)
        "#]],
    );
}

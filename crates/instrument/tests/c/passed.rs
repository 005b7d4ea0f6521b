//! Constructs that pass through, and what is closed to calls.

use super::check;
use expect_test::expect;

#[test]
fn structure_is_kept() {
    check(
        r#"void f(int *x) {
#pragma omp taskgroup
  {
    #pragma omp task
    *x = 1;
  }
#pragma omp taskloop
  for (int i = 0; i < 9; i++)
    #pragma omp critical
    x[i] = 1;
#pragma omp teams
  {
    #pragma omp distribute parallel for
    for (int i = 0; i < 9; i++) {}
    #pragma omp parallel
    x[0] = 1;
  }
#pragma omp for ordered
  for (int i = 0; i < 9; i++)
    #pragma omp ordered
    {
      #pragma omp flush
      x[i] = 1;
    }
}
"#,
        &expect![[r#"
            void f(int *x) {
            #pragma omp taskgroup
              {
            { long pomp_t1; POMP_Task_create_begin(pomp_1(), &pomp_t1);
            #line 4
                #pragma omp task firstprivate(pomp_t1)
                { POMP_Task_begin(pomp_1(), pomp_t1); *x = 1;; POMP_Task_end(pomp_1(), pomp_t1); } POMP_Task_create_end(pomp_1(), pomp_t1); }
              }
            #pragma omp taskloop
              for (int i = 0; i < 9; i++)
            { POMP_Critical_enter(pomp_2());
            #line 9
                #pragma omp critical
                { POMP_Critical_begin(pomp_2()); x[i] = 1;; POMP_Critical_end(pomp_2()); } POMP_Critical_exit(pomp_2()); }
            #pragma omp teams
              {
                #pragma omp distribute parallel for
                for (int i = 0; i < 9; i++) {}
            { long pomp_p3; POMP_Parallel_fork(pomp_3(), &pomp_p3);
            #line 15
                #pragma omp parallel firstprivate(pomp_p3)
                { POMP_Parallel_begin(pomp_3(), pomp_p3); x[0] = 1;; POMP_Parallel_end(pomp_3(), pomp_p3); } POMP_Parallel_join(pomp_3(), pomp_p3); }
              }
            { POMP_For_enter(pomp_4());
            #line 18
            #pragma omp for ordered nowait
              for (int i = 0; i < 9; i++)
                #pragma omp ordered
                {
                  #pragma omp flush
                  x[i] = 1;
                }; POMP_Barrier_enter(pomp_4()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_4()); POMP_For_exit(pomp_4()); }
            }
            == 1: task (4, 4) (5, 5)
            == 2: critical (9, 9) (10, 10)
            == 3: parallel (15, 15) (16, 16)
            == 4: for (18, 18) (24, 24)
        "#]],
    );
}

#[test]
fn nothing_inside() {
    check(
        r#"void f(int *x) {
#pragma omp target map(x)
  {
    #pragma omp parallel
    *x = 1;
    #pragma omp barrier
  }
#pragma omp target data map(x)
  {
    #pragma omp parallel
    *x = 1;
  }
#pragma omp simd
  for (int i = 0; i < 9; i++)
    #pragma omp critical
    x[i] = 1;
#pragma omp loop
  for (int i = 0; i < 9; i++)
    #pragma omp parallel
    x[i] = 1;
}
#pragma omp declare target
void g(int *x) {
#pragma omp parallel
  x[0] = 1;
}
#pragma omp end declare target
void h(int *x) {
#pragma omp barrier
}
"#,
        &expect![[r#"
            void f(int *x) {
            #pragma omp target map(x)
              {
                #pragma omp parallel
                *x = 1;
                #pragma omp barrier
              }
            #pragma omp target data map(x)
              {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 10
                #pragma omp parallel firstprivate(pomp_p1)
                { POMP_Parallel_begin(pomp_1(), pomp_p1); *x = 1;; POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
              }
            #pragma omp simd
              for (int i = 0; i < 9; i++)
                #pragma omp critical
                x[i] = 1;
            #pragma omp loop
              for (int i = 0; i < 9; i++)
                #pragma omp parallel
                x[i] = 1;
            }
            #pragma omp declare target
            void g(int *x) {
            #pragma omp parallel
              x[0] = 1;
            }
            #pragma omp end declare target
            void h(int *x) {
            { POMP_Barrier_enter(pomp_2());
            #line 29
            #pragma omp barrier
            POMP_Barrier_exit(pomp_2()); }
            #line 30
            }
            == 1: parallel (10, 10) (11, 11)
            == 2: barrier (29, 29) (29, 29)
            == 2 of 7
            == Note 2: no calls are possible inside `target`: constructs there are left alone
            == Note 13: no calls are possible inside `simd`: constructs there are left alone
            == Note 17: no calls are possible inside `loop`: constructs there are left alone
            == Note 24: no calls are possible inside `declare target`: constructs there are left alone
        "#]],
    );
}

#[test]
fn unknown_directives() {
    check(
        r#"void f(int *x) {
#pragma omp wonder shared(x)
  *x = 1;
#pragma omp metadirective when(device = {kind(host)} : parallel) default(nothing)
  {
    #pragma omp barrier
  }
}
#define PARALLEL _Pragma("omp parallel")
"#,
        &expect![[r#"
            void f(int *x) {
            #pragma omp wonder shared(x)
              *x = 1;
            #pragma omp metadirective when(device = {kind(host)} : parallel) default(nothing)
              {
            { POMP_Barrier_enter(pomp_1());
            #line 6
                #pragma omp barrier
            POMP_Barrier_exit(pomp_1()); }
            #line 7
              }
            }
            #define PARALLEL _Pragma("omp parallel")
            == 1: barrier (6, 6) (6, 6)
            == Note 2: `wonder` is not a directive that is known
            == Hidden 9: directives made by this macro are not seen; instrument the preprocessed text to see them
        "#]],
    );
}

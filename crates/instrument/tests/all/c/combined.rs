//! Combined constructs, split by the table of clauses.

use super::{check, check_cxx};
use expect_test::expect;

#[test]
fn clauses_go_to_both_sides() {
    check(
        r#"void f(int n, int *a) {
  int s = 0, x = 1, i;
#pragma omp parallel for if(parallel: n > 5) default(none), shared(a, n) schedule(static, 4) \
    firstprivate(x), lastprivate(x) reduction(+ : s) num_threads(2)
  for (i = 0; i < n; i++) {
    s += a[i];
  }
}
"#,
        &expect![[r#"
            void f(int n, int *a) {
              int s = 0, x = 1, i;
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 3
            #pragma omp parallel if(parallel: n > 5) default(none) shared(a, n) num_threads(2) shared(x,s) firstprivate(pomp_p1)
            { POMP_Parallel_begin(pomp_1(), pomp_p1); POMP_For_enter(pomp_1(), __builtin_classify_type(n) == 1 ? pomp_until(0, (long)(n), 1) : -1);
            #line 3
            #pragma omp for  schedule(static, 4) \
                firstprivate(x), lastprivate(x) reduction(+ : s)   nowait
              for (i = 0; i < n; i++) {
                s += a[i];
              }; POMP_Barrier_enter(pomp_1()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_1()); POMP_For_exit(pomp_1()); POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel for (3, 4) (7, 7)
        "#]],
    );
}

#[test]
fn an_if_for_both_halves_is_evaluated_once() {
    check(
        r#"void f(int n, int *a) {
#pragma omp parallel for simd if(n > 3) default(none) shared(n, a)
  for (int i = 0; i < n; i++) a[i] = i;
}
"#,
        &expect![[r#"
            void f(int n, int *a) {
            { int pomp_c1 = (n > 3) ? 1 : 0; long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel if(pomp_c1) firstprivate(pomp_c1) default(none) shared(n, a) firstprivate(pomp_p1)
            { POMP_Parallel_begin(pomp_1(), pomp_p1); POMP_For_enter(pomp_1(), __builtin_classify_type(n) == 1 ? pomp_until(0, (long)(n), 1) : -1);
            #line 2
            #pragma omp for simd if(pomp_c1)   nowait
              for (int i = 0; i < n; i++) a[i] = i;; POMP_Barrier_enter(pomp_1()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_1()); POMP_For_exit(pomp_1()); POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel for simd (2, 2) (3, 3)
        "#]],
    );
}

#[test]
fn sections() {
    check(
        r#"void f(int *a) {
#pragma omp parallel sections num_threads(2) private(a)
  {
    #pragma omp section
    a[0] = 1;
    #pragma omp section
    a[1] = 2;
  }
}
"#,
        &expect![[r#"
            void f(int *a) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel num_threads(2) firstprivate(pomp_p1)
            { POMP_Parallel_begin(pomp_1(), pomp_p1); POMP_Sections_enter(pomp_1());
            #line 2
            #pragma omp sections private(a) nowait
              {
                #pragma omp section
                { POMP_Section_begin(pomp_2()); a[0] = 1;; POMP_Section_end(pomp_2()); }
                #pragma omp section
                { POMP_Section_begin(pomp_3()); a[1] = 2;; POMP_Section_end(pomp_3()); }
              } POMP_Barrier_enter(pomp_1()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_1()); POMP_Sections_exit(pomp_1()); POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel sections x2 (2, 2) (8, 8)
            == 2: section (4, 4) (5, 5)
            == 3: section (6, 6) (7, 7)
        "#]],
    );
}

#[test]
fn master_masked_and_loop() {
    check(
        r#"void f(int *a) {
#pragma omp parallel master
  *a = 1;
#pragma omp parallel masked filter(2) private(b)
  { *a = 1; }
#pragma omp parallel loop collapse(1) num_threads(2)
  for (int i = 0; i < 9; i++) a[i] = 1;
}
"#,
        &expect![[r#"
            void f(int *a) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel firstprivate(pomp_p1)
            { POMP_Parallel_begin(pomp_1(), pomp_p1);
            #line 2
            #pragma omp master
              { POMP_Master_begin(pomp_1()); *a = 1;; POMP_Master_end(pomp_1()); } POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            { long pomp_p2; POMP_Parallel_fork(pomp_2(), &pomp_p2);
            #line 4
            #pragma omp parallel firstprivate(pomp_p2)
            { POMP_Parallel_begin(pomp_2(), pomp_p2);
            #line 4
            #pragma omp masked filter(2) private(b)
              { POMP_Masked_begin(pomp_2()); { *a = 1; } POMP_Masked_end(pomp_2()); } POMP_Parallel_end(pomp_2(), pomp_p2); } POMP_Parallel_join(pomp_2(), pomp_p2); }
            { long pomp_p3; POMP_Parallel_fork(pomp_3(), &pomp_p3);
            #line 6
            #pragma omp parallel num_threads(2) firstprivate(pomp_p3)
            { POMP_Parallel_begin(pomp_3(), pomp_p3); POMP_Loop_enter(pomp_3());
            #line 6
            #pragma omp loop collapse(1)  
              for (int i = 0; i < 9; i++) a[i] = 1;; POMP_Loop_exit(pomp_3()); POMP_Parallel_end(pomp_3(), pomp_p3); } POMP_Parallel_join(pomp_3(), pomp_p3); }
            }
            == 1: parallel master (2, 2) (3, 3)
            == 2: parallel masked (4, 4) (5, 5)
            == 3: parallel loop (6, 6) (7, 7)
        "#]],
    );
}

#[test]
fn three_levels() {
    check(
        r#"void f(int *a) {
#pragma omp parallel master taskloop if(*a) grainsize(2) num_threads(2)
  for (int i = 0; i < 9; i++) {
    #pragma omp atomic
    *a += 1;
  }
#pragma omp parallel masked taskloop simd filter(1)
  for (int i = 0; i < 9; i++) a[i] = 1;
}
"#,
        &expect![[r#"
            void f(int *a) {
            { int pomp_c1 = (*a) ? 1 : 0; long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel if(pomp_c1) firstprivate(pomp_c1) num_threads(2) firstprivate(pomp_p1)
            { POMP_Parallel_begin(pomp_1(), pomp_p1); 
            #line 2
            #pragma omp master
            { POMP_Master_begin(pomp_1()); { long pomp_l1, pomp_t1 = 0; POMP_Taskloop_enter(pomp_1(), &pomp_l1);
            #line 2
            #pragma omp taskloop if(pomp_c1) firstprivate(pomp_c1) grainsize(2)   firstprivate(pomp_l1, pomp_t1)
              for (int i = 0; i < 9; i++) { struct pomp_guard pomp_i1 __attribute__((cleanup(pomp_Taskloop_end))); pomp_i1.region = pomp_1(); pomp_i1.id = 0; POMP_Taskloop_begin(pomp_1(), pomp_l1, &pomp_t1); pomp_i1.id = pomp_t1; {
            { POMP_Atomic_enter(pomp_2());
            #line 4
                #pragma omp atomic
                *a += 1;; POMP_Atomic_exit(pomp_2()); }
              } } ; POMP_Taskloop_exit(pomp_1(), pomp_l1); } POMP_Master_end(pomp_1()); } POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            { long pomp_p3; POMP_Parallel_fork(pomp_3(), &pomp_p3);
            #line 7
            #pragma omp parallel firstprivate(pomp_p3)
            { POMP_Parallel_begin(pomp_3(), pomp_p3); 
            #line 7
            #pragma omp masked filter(1)
            { POMP_Masked_begin(pomp_3()); { long pomp_l3; POMP_Taskloop_enter(pomp_3(), &pomp_l3);
            #line 7
            #pragma omp taskloop simd  
              for (int i = 0; i < 9; i++) a[i] = 1;; POMP_Taskloop_exit(pomp_3(), pomp_l3); } POMP_Masked_end(pomp_3()); } POMP_Parallel_end(pomp_3(), pomp_p3); } POMP_Parallel_join(pomp_3(), pomp_p3); }
            }
            == 1: parallel master taskloop (2, 2) (6, 6)
            == 2: atomic (4, 4) (5, 5)
            == 3: parallel masked taskloop simd (7, 7) (8, 8)
        "#]],
    );
}

#[test]
fn what_cannot_be_split() {
    check(
        r#"void f(int *a, int s) {
#pragma omp parallel for reduction(inscan, + : s)
  for (int i = 0; i < 9; i++) {
    s += i;
    #pragma omp scan inclusive(s)
    a[i] = s;
  }
#pragma omp parallel for SCHEDULE
  for (int i = 0; i < 9; i++) {
    #pragma omp critical
    a[i] = s;
  }
}
"#,
        &expect![[r#"
            void f(int *a, int s) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel for reduction(inscan, + : s)
              for (int i = 0; i < 9; i++) {
                s += i;
                #pragma omp scan inclusive(s)
                a[i] = s;
              }; POMP_Parallel_join(pomp_1(), pomp_p1); }
            { long pomp_p2; POMP_Parallel_fork(pomp_2(), &pomp_p2);
            #line 8
            #pragma omp parallel for SCHEDULE
              for (int i = 0; i < 9; i++) {
                #pragma omp critical
                a[i] = s;
              }; POMP_Parallel_join(pomp_2(), pomp_p2); }
            }
            == 1: parallel for (2, 2) (7, 7)
            == 2: parallel for (8, 8) (12, 12)
            == 2 of 3
            == Note 2: only fork and join are measured: a reduction with the inscan modifier cannot be split
            == Note 8: only fork and join are measured: `SCHEDULE` is not a clause that is known
            == Note 8: no calls are possible inside `parallel for`: constructs there are left alone
        "#]],
    );
}

#[test]
fn shared_names_of_sections_and_members() {
    check_cxx(
        r#"void T::f() {
#pragma omp parallel for default(none) reduction(+ : a[0:4], this->b) linear(i : 2) firstprivate(a)
  for (int j = 0; j < 9; j++) {}
}
"#,
        &expect![[r#"
            void T::f() {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel default(none) shared(a,i) firstprivate(pomp_p1)
            { POMP_Parallel_begin(pomp_1(), pomp_p1); POMP_For_enter(pomp_1(), pomp_until(0, 9, 1));
            #line 2
            #pragma omp for reduction(+ : a[0:4], this->b) linear(i : 2) firstprivate(a) nowait
              for (int j = 0; j < 9; j++) {}; POMP_Barrier_enter(pomp_1()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_1()); POMP_For_exit(pomp_1()); POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel for (2, 2) (3, 3)
        "#]],
    );
}

#[test]
fn words_on_several_lines() {
    check(
        r#"void f(int *a) {
#pragma omp parallel \
    for \
    shared(a, \
           b) \
    nowait
  for (int i = 0; i < 9; i++) a[i] = i;
}
"#,
        &expect![[r#"
            void f(int *a) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel shared(a, b) firstprivate(pomp_p1)
            { POMP_Parallel_begin(pomp_1(), pomp_p1); POMP_For_enter(pomp_1(), pomp_until(0, 9, 1));
            #line 2
            #pragma omp \
                for \
                \
            \
                nowait
              for (int i = 0; i < 9; i++) a[i] = i;; POMP_For_exit(pomp_1()); POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel for (2, 6) (7, 7)
        "#]],
    );
}

/// The threads of a region that is kept whole do not know their team: nothing inside has events.
#[test]
fn sections_that_are_kept_whole() {
    check(
        "void f(int x) {\n#pragma omp parallel sections MACRO\n{\n  x = 1;\n\
         #pragma omp section\n  x = 2;\n}\n}\n",
        &expect![[r#"
            void f(int x) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel sections MACRO
            {
              x = 1;
            #pragma omp section
              x = 2;
            } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel sections x2 (2, 2) (7, 7)
            == 1 of 2
            == Note 2: only fork and join are measured: `MACRO` is not a clause that is known
            == Note 2: no calls are possible inside `parallel sections`: constructs there are left alone
        "#]],
    );
}

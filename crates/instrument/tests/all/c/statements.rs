//! Where a structured block ends.

use super::{check, check_cxx};
use expect_test::expect;

#[test]
fn kinds_of_statements() {
    check(
        r#"void f(int x) {
#pragma omp master
  do { x++; } while (x < 3);
#pragma omp master
  for (;;) while (x) switch (x) { case 1: break; default: x = 5; }
#pragma omp master
  if (x) if (x > 1) x = 2; else x = 3; else x = 4;
#pragma omp master
  again: x++;
#pragma omp master
  x = (int[]){ 1, 2 }[0];
#pragma omp master
  ;
#pragma omp master
  y = ({ int z = 1; z; });
#pragma omp master
  case x ? 1 : 2: x = '}' + "{"[0]; /* } */ // }
}
"#,
        &expect![[r#"
            void f(int x) {
            #pragma omp master
              { POMP_Master_begin(pomp_1()); do { x++; } while (x < 3);; POMP_Master_end(pomp_1()); }
            #pragma omp master
              { POMP_Master_begin(pomp_2()); for (;;) while (x) switch (x) { case 1: break; default: x = 5; }; POMP_Master_end(pomp_2()); }
            #pragma omp master
              { POMP_Master_begin(pomp_3()); if (x) if (x > 1) x = 2; else x = 3; else x = 4;; POMP_Master_end(pomp_3()); }
            #pragma omp master
              { POMP_Master_begin(pomp_4()); again: x++;; POMP_Master_end(pomp_4()); }
            #pragma omp master
              { POMP_Master_begin(pomp_5()); x = (int[]){ 1, 2 }[0];; POMP_Master_end(pomp_5()); }
            #pragma omp master
              { POMP_Master_begin(pomp_6()); ;; POMP_Master_end(pomp_6()); }
            #pragma omp master
              { POMP_Master_begin(pomp_7()); y = ({ int z = 1; z; });; POMP_Master_end(pomp_7()); }
            #pragma omp master
              { POMP_Master_begin(pomp_8()); case x ? 1 : 2: x = '}' + "{"[0];; POMP_Master_end(pomp_8()); } /* } */ // }
            }
            == 1: master (2, 2) (3, 3)
            == 2: master (4, 4) (5, 5)
            == 3: master (6, 6) (7, 7)
            == 4: master (8, 8) (9, 9)
            == 5: master (10, 10) (11, 11)
            == 6: master (12, 12) (13, 13)
            == 7: master (14, 14) (15, 15)
            == 8: master (16, 16) (17, 17)
        "#]],
    );
}

#[test]
fn macros_that_hide_statements() {
    check(
        r#"void f(int x) {
#pragma omp master
  FOREACH(x, 1) { g(); }
#pragma omp master
  FOREVER { g(); }
#pragma omp master
  FOREACH(x, 2) if (x) g();
  {
#pragma omp master
    CALL(x)
  }
}
"#,
        &expect![[r#"
            void f(int x) {
            #pragma omp master
              { POMP_Master_begin(pomp_1()); FOREACH(x, 1) { g(); }; POMP_Master_end(pomp_1()); }
            #pragma omp master
              { POMP_Master_begin(pomp_2()); FOREVER { g(); }; POMP_Master_end(pomp_2()); }
            #pragma omp master
              { POMP_Master_begin(pomp_3()); FOREACH(x, 2) if (x) g();; POMP_Master_end(pomp_3()); }
              {
            #pragma omp master
                { POMP_Master_begin(pomp_4()); CALL(x); POMP_Master_end(pomp_4()); }
              }
            }
            == 1: master (2, 2) (3, 3)
            == 2: master (4, 4) (5, 5)
            == 3: master (6, 6) (7, 7)
            == 4: master (9, 9) (10, 10)
        "#]],
    );
}

#[test]
fn statements_of_cxx() {
    check_cxx(
        r#"void f(std::vector<int> &v) {
#pragma omp master
  for (auto &x : v) x++;
#pragma omp master
  try { g(); } catch (int) { h(); } catch (...) {}
#pragma omp master
  std::for_each(v.begin(), v.end(), [&](int x) { if (x) { g(x); } });
#pragma omp master
  v[1] = std::pair<int, int>{1'000, 2};
#pragma omp master
  [[likely]] if constexpr (true) g(R"x(" } )")x");
#pragma omp master
  a::b(1);
}
"#,
        &expect![[r#"
            void f(std::vector<int> &v) {
            #pragma omp master
              { POMP_Master_begin(pomp_1()); for (auto &x : v) x++;; POMP_Master_end(pomp_1()); }
            #pragma omp master
              { POMP_Master_begin(pomp_2()); try { g(); } catch (int) { h(); } catch (...) {}; POMP_Master_end(pomp_2()); }
            #pragma omp master
              { POMP_Master_begin(pomp_3()); std::for_each(v.begin(), v.end(), [&](int x) { if (x) { g(x); } });; POMP_Master_end(pomp_3()); }
            #pragma omp master
              { POMP_Master_begin(pomp_4()); v[1] = std::pair<int, int>{1'000, 2};; POMP_Master_end(pomp_4()); }
            #pragma omp master
              { POMP_Master_begin(pomp_5()); [[likely]] if constexpr (true) g(R"x(" } )")x");; POMP_Master_end(pomp_5()); }
            #pragma omp master
              { POMP_Master_begin(pomp_6()); a::b(1);; POMP_Master_end(pomp_6()); }
            }
            == 1: master (2, 2) (3, 3)
            == 2: master (4, 4) (5, 5)
            == 3: master (6, 6) (7, 7)
            == 4: master (8, 8) (9, 9)
            == 5: master (10, 10) (11, 11)
            == 6: master (12, 12) (13, 13)
        "#]],
    );
}

#[test]
fn nothing_is_a_directive_in_comments_and_strings() {
    check(
        r#"/* #pragma omp parallel */
// \
#pragma omp parallel
const char *s = "\
#pragma omp parallel";
#define P(x) omp x
void f(int x) {
#pragma omp barrier
}
"#,
        &expect![[r#"
            /* #pragma omp parallel */
            // \
            #pragma omp parallel
            const char *s = "\
            #pragma omp parallel";
            #define P(x) omp x
            void f(int x) {
            { POMP_Barrier_enter(pomp_1());
            #line 8
            #pragma omp barrier
            POMP_Barrier_exit(pomp_1()); }
            #line 9
            }
            == 1: barrier (8, 8) (8, 8)
        "#]],
    );
}

#[test]
fn other_pragmas_before_a_loop() {
    check(
        r#"void f(int *x) {
#pragma omp parallel for
#pragma GCC ivdep
  for (int i = 0; i < 9; i++) x[i] = i;
#pragma omp parallel
#pragma GCC unroll 2
  for (int i = 0; i < 9; i++) x[i] = i;
}
"#,
        &expect![[r#"
            void f(int *x) {
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 2
            #pragma omp parallel firstprivate(pomp_p1)
            { POMP_Parallel_begin(pomp_1(), pomp_p1); POMP_For_enter(pomp_1(), pomp_until(0, 9, 1));
            #line 2
            #pragma omp for nowait
            #pragma GCC ivdep
              for (int i = 0; i < 9; i++) x[i] = i;; POMP_Barrier_enter(pomp_1()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_1()); POMP_For_exit(pomp_1()); POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            { long pomp_p2; POMP_Parallel_fork(pomp_2(), &pomp_p2);
            #line 5
            #pragma omp parallel firstprivate(pomp_p2)
            { POMP_Parallel_begin(pomp_2(), pomp_p2);
            #line 6
            #pragma GCC unroll 2
              for (int i = 0; i < 9; i++) x[i] = i;; POMP_Parallel_end(pomp_2(), pomp_p2); } POMP_Parallel_join(pomp_2(), pomp_p2); }
            }
            == 1: parallel for (2, 2) (4, 4)
            == 2: parallel (5, 5) (7, 7)
        "#]],
    );
}

#[test]
fn directives_in_statement_expressions_and_lambdas() {
    check_cxx(
        r#"int f(int x) {
  int y = ({
#pragma omp parallel
    x = 1;
    x; });
#pragma omp parallel num_threads([] { return 2; }())
  call([&] {
#pragma omp critical
    x++;
  });
}
"#,
        &expect![[r#"
            int f(int x) {
              int y = ({
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 3
            #pragma omp parallel firstprivate(pomp_p1)
                { POMP_Parallel_begin(pomp_1(), pomp_p1); x = 1;; POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
                x; });
            { long pomp_p2; POMP_Parallel_fork(pomp_2(), &pomp_p2);
            #line 6
            #pragma omp parallel num_threads([] { return 2; }()) firstprivate(pomp_p2)
              { POMP_Parallel_begin(pomp_2(), pomp_p2); call([&] {
            { POMP_Critical_enter(pomp_3());
            #line 8
            #pragma omp critical
                { POMP_Critical_begin(pomp_3()); x++;; POMP_Critical_end(pomp_3()); } POMP_Critical_exit(pomp_3()); }
              });; POMP_Parallel_end(pomp_2(), pomp_p2); } POMP_Parallel_join(pomp_2(), pomp_p2); }
            }
            == 1: parallel (3, 3) (4, 4)
            == 2: parallel (6, 6) (10, 10)
            == 3: critical (8, 8) (9, 9)
        "#]],
    );
}

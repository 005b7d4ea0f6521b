//! `for`, `sections` and `single` with their barriers.

use super::{check, check_with};
use expect_test::{Expect, expect};
use pompeii_instrument::{ConstructSet, Language, Options, instrument};

fn check_disabled(input: &str, expected: &Expect) {
    let disabled = ConstructSet::disabled("single").unwrap();
    check_with(input, &Options { disabled, ..Options::new("t.c", Language::C) }, expected);
}

#[test]
fn a_loop_gets_a_measured_barrier() {
    check(
        r#"void f(int *x) {
#pragma omp for schedule(static)
  for (int i = 0; i < 9; i++) x[i] = i;
}
"#,
        &expect![[r#"
            void f(int *x) {
            { POMP_For_enter(pomp_1(), pomp_until(0, 9, 1));
            #line 2
            #pragma omp for schedule(static) nowait
              for (int i = 0; i < 9; i++) x[i] = i;; POMP_Barrier_enter(pomp_1()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_1()); POMP_For_exit(pomp_1()); }
            }
            == 1: for (2, 2) (3, 3)
        "#]],
    );
}

#[test]
fn nowait_of_the_user() {
    check(
        r#"void f(int *x) {
#pragma omp for nowait
  for (int i = 0; i < 9; i++) {
    x[i] = i;
  }
}
"#,
        &expect![[r#"
            void f(int *x) {
            { POMP_For_enter(pomp_1(), pomp_until(0, 9, 1));
            #line 2
            #pragma omp for nowait
              for (int i = 0; i < 9; i++) {
                x[i] = i;
              }; POMP_For_exit(pomp_1()); }
            }
            == 1: for (2, 2) (5, 5)
        "#]],
    );
}

#[test]
fn barriers_that_stay() {
    check(
        r#"void f(int *x, int s) {
#pragma omp for reduction(task, +: s)
  for (int i = 0; i < 9; i++) s += x[i];
#pragma omp for CLAUSES
  for (int i = 0; i < 9; i++) s += x[i];
#pragma omp single copyprivate(s)
  s = 1;
#pragma omp for
  for (int i = 0; i < 9; i++) {
    if (x[i]) {
      #pragma omp cancel for
    }
  }
}
"#,
        &expect![[r#"
            void f(int *x, int s) {
            { POMP_For_enter(pomp_1(), pomp_until(0, 9, 1));
            #line 2
            #pragma omp for reduction(task, +: s)
              for (int i = 0; i < 9; i++) s += x[i];; POMP_For_exit(pomp_1()); }
            { POMP_For_enter(pomp_2(), pomp_until(0, 9, 1));
            #line 4
            #pragma omp for CLAUSES
              for (int i = 0; i < 9; i++) s += x[i];; POMP_For_exit(pomp_2()); }
            { POMP_Single_enter(pomp_3());
            #line 6
            #pragma omp single copyprivate(s)
              { POMP_Single_begin(pomp_3()); s = 1;; POMP_Single_end(pomp_3()); } POMP_Single_exit(pomp_3()); }
            { POMP_For_enter(pomp_4(), pomp_until(0, 9, 1));
            #line 8
            #pragma omp for
              for (int i = 0; i < 9; i++) {
                if (x[i]) {
            { POMP_Cancel(pomp_5());
            #line 11
                  #pragma omp cancel for
             }
            #line 12
                }
              }; POMP_For_exit(pomp_4()); }
            }
            == 1: for (2, 2) (3, 3)
            == 2: for (4, 4) (5, 5)
            == 3: single (6, 6) (7, 7)
            == 4: for (8, 8) (13, 13)
            == 5: cancel for (11, 11) (11, 11)
            == Hidden 4: `CLAUSES` is not a clause that is known; the preprocessed text shows what it is
        "#]],
    );
}

#[test]
fn single() {
    check(
        r#"void f(int *x) {
#pragma omp single
  *x = 1;
#pragma omp single nowait
  { *x = 2; }
}
"#,
        &expect![[r#"
            void f(int *x) {
            { POMP_Single_enter(pomp_1());
            #line 2
            #pragma omp single nowait
              { POMP_Single_begin(pomp_1()); *x = 1;; POMP_Single_end(pomp_1()); } POMP_Barrier_enter(pomp_1()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_1()); POMP_Single_exit(pomp_1()); }
            { POMP_Single_enter(pomp_2());
            #line 4
            #pragma omp single nowait
              { POMP_Single_begin(pomp_2()); { *x = 2; } POMP_Single_end(pomp_2()); } POMP_Single_exit(pomp_2()); }
            }
            == 1: single (2, 2) (3, 3)
            == 2: single (4, 4) (5, 5)
        "#]],
    );
}

#[test]
fn sections_with_and_without_directives() {
    check(
        r#"void f(int *x) {
#pragma omp sections
  {
    x[0] = 1;
    #pragma omp section
    { x[1] = 2; }
    #pragma omp section
    x[2] = 3;
    x[3] = 4;
  }
}
"#,
        &expect![[r#"
            void f(int *x) {
            { POMP_Sections_enter(pomp_1());
            #line 2
            #pragma omp sections nowait
              {
                { POMP_Section_begin(pomp_2()); x[0] = 1;; POMP_Section_end(pomp_2()); }
                #pragma omp section
                { POMP_Section_begin(pomp_3()); { x[1] = 2; }; POMP_Section_end(pomp_3()); }
                #pragma omp section
                { POMP_Section_begin(pomp_4()); x[2] = 3;
                x[3] = 4;; POMP_Section_end(pomp_4()); }
              } POMP_Barrier_enter(pomp_1()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_1()); POMP_Sections_exit(pomp_1()); }
            }
            == 1: sections x3 (2, 2) (10, 10)
            == 2: section (2, 2) (4, 4)
            == 3: section (5, 5) (6, 6)
            == 4: section (7, 7) (9, 9)
        "#]],
    );
}

#[test]
fn cancelled_sections() {
    check(
        r#"void f(int *x) {
#pragma omp sections
  {
    #pragma omp section
    {
      #pragma omp cancel sections if(*x)
    }
    #pragma omp section
    x[2] = 3;
  }
}
"#,
        &expect![[r#"
            void f(int *x) {
            { POMP_Sections_enter(pomp_1());
            #line 2
            #pragma omp sections
              {
                #pragma omp section
                { struct pomp_guard pomp_g2 __attribute__((cleanup(pomp_Section_end))); pomp_g2.region = pomp_2(); pomp_g2.id = 0; POMP_Section_begin(pomp_2()); {
            { POMP_Cancel(pomp_3());
            #line 6
                  #pragma omp cancel sections if(*x)
             }
            #line 7
                }; }
                #pragma omp section
                { struct pomp_guard pomp_g4 __attribute__((cleanup(pomp_Section_end))); pomp_g4.region = pomp_4(); pomp_g4.id = 0; POMP_Section_begin(pomp_4()); x[2] = 3;; }
              } POMP_Sections_exit(pomp_1()); }
            }
            == 1: sections x2 (2, 2) (10, 10)
            == 2: section (4, 4) (7, 7)
            == 3: cancel sections (6, 6) (6, 6)
            == 4: section (8, 8) (9, 9)
        "#]],
    );
}

#[test]
fn simd_loops_have_calls_around_only() {
    check(
        r#"void f(int *x) {
#pragma omp for simd
  for (int i = 0; i < 9; i++) {
    #pragma omp ordered simd
    x[i] = i;
  }
#pragma omp for order(concurrent)
  for (int i = 0; i < 9; i++) {
    #pragma omp parallel
    x[i] = i;
  }
}
"#,
        &expect![[r#"
            void f(int *x) {
            { POMP_For_enter(pomp_1(), pomp_until(0, 9, 1));
            #line 2
            #pragma omp for simd nowait
              for (int i = 0; i < 9; i++) {
                #pragma omp ordered simd
                x[i] = i;
              }; POMP_Barrier_enter(pomp_1()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_1()); POMP_For_exit(pomp_1()); }
            { POMP_For_enter(pomp_2(), pomp_until(0, 9, 1));
            #line 7
            #pragma omp for order(concurrent) nowait
              for (int i = 0; i < 9; i++) {
                #pragma omp parallel
                x[i] = i;
              }; POMP_Barrier_enter(pomp_2()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_2()); POMP_For_exit(pomp_2()); }
            }
            == 1: for simd (2, 2) (6, 6)
            == 2: for (7, 7) (11, 11)
            == 2 of 3
            == Note 7: no calls are possible inside `for`: constructs there are left alone
        "#]],
    );
}

#[test]
fn disabled_constructs_pass() {
    check_disabled(
        r#"void f(int *x) {
#pragma omp single
  {
    #pragma omp critical
    *x = 1;
  }
}
"#,
        &expect![[r#"
            void f(int *x) {
            #pragma omp single
              {
            { POMP_Critical_enter(pomp_1());
            #line 4
                #pragma omp critical
                { POMP_Critical_begin(pomp_1()); *x = 1;; POMP_Critical_end(pomp_1()); } POMP_Critical_exit(pomp_1()); }
              }
            }
            == 1: critical (4, 4) (5, 5)
            == 1 of 2
        "#]],
    );
}

/// A clause may change the meaning of a name in the header of a loop.
#[test]
fn equal_headers_have_the_same_number_unless_a_clause_changes_a_name() {
    let plain = "#pragma omp for\nfor (i = 0; i < n; i++) x[i] = n;\n";
    let private = plain.replace("omp for", "omp for private(n)");
    let text = format!("void f(int n, int *x) {{\nint i;\n{plain}{private}{plain}}}\n");
    let outcome = instrument(text.as_bytes(), &Options::new("t.c", Language::C)).unwrap();
    let output = String::from_utf8(outcome.text).unwrap();
    let calls = output.lines().filter_map(|line| line.split_once("POMP_For_enter(pomp_"));
    let numbers: Vec<&str> = calls.map(|(_, call)| &call["1(), ".len()..]).collect();
    let known = "__builtin_classify_type(n) == 1 ? pomp_until(0, (long)(n), 1) : -1);";
    assert_eq!(numbers, [known, "-1);", known]);
}

//! What the options change: chunks of loops, lock routines, time stamps, and `_POMP`.

use super::{check, check_with};
use expect_test::{Expect, expect};
use pompeii_instrument::{ConstructSet, Language, Locks, Options, instrument, undo};

fn options() -> Options {
    Options::new("t.c", Language::C)
}

/// The lines that have one of these words.
fn lines_with(input: &str, options: &Options, words: &[&str], expected: &Expect) {
    let outcome = instrument(input.as_bytes(), options).unwrap();
    assert_eq!(undo(&outcome.text).unwrap(), input.as_bytes());
    let text = String::from_utf8(outcome.text).unwrap();
    let lines = text.lines().filter(|line| words.iter().any(|word| line.contains(word)));
    expected.assert_eq(&lines.map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn chunks_of_loops() {
    check_with(
        r#"void f(int *x, int n) {
#pragma omp for collapse(2) nowait
  for (int i = 0; i < n; i += 2) {
    for (int j = 0; j < n; j++)
      x[i + j] = 1;
  }
#pragma omp for reduction(inscan, + : n) nowait
  for (int i = 0; i < 9; i++) {
    n += i;
    #pragma omp scan inclusive(n)
    x[i] = n;
  }
#pragma omp for nowait
  EACH(i, n) { for (int j = 0; j < n; j++) x[j] = 1; }
}
"#,
        &Options { loop_chunks: true, ..options() },
        &expect![[r#"
            void f(int *x, int n) {
            { POMP_For_enter(pomp_1(), __builtin_classify_type(n) == 1 ? pomp_times(pomp_until(0, (long)(n), 2), pomp_until(0, (long)(n), 1)) : -1);
            #line 2
            #pragma omp for collapse(2) nowait
              for (int i = 0; i < n; i += 2) {
                for (int j = 0; j < n; j++)
                  { struct pomp_guard pomp_i1 __attribute__((cleanup(pomp_Iteration_end))); pomp_i1.region = pomp_1(); pomp_i1.id = 0; POMP_Iteration_begin(pomp_1(), 0, 0); x[i + j] = 1;; }
              }; POMP_For_exit(pomp_1()); }
            { POMP_For_enter(pomp_2(), pomp_until(0, 9, 1));
            #line 7
            #pragma omp for reduction(inscan, + : n) nowait
              for (int i = 0; i < 9; i++) {
                n += i;
                #pragma omp scan inclusive(n)
                x[i] = n;
              }; POMP_For_exit(pomp_2()); }
            { POMP_For_enter(pomp_3(), -1);
            #line 13
            #pragma omp for nowait
              EACH(i, n) { for (int j = 0; j < n; j++) x[j] = 1; }; POMP_For_exit(pomp_3()); }
            }
            == 1: for (2, 2) (6, 6)
            == 2: for (7, 7) (12, 12)
            == 3: for (13, 13) (14, 14)
        "#]],
    );
}

#[test]
fn a_transformation_between_a_loop_and_its_directive() {
    check_with(
        r#"void f(int *x, int n) {
#pragma omp for nowait
#pragma omp tile sizes(4, 4)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) x[i + j] = 1;
#pragma omp taskloop
#pragma omp unroll partial(2)
  for (int i = 0; i < n; i++) x[i] = 1;
}
"#,
        &Options { loop_chunks: true, ..options() },
        &expect![[r#"
            void f(int *x, int n) {
            { POMP_For_enter(pomp_1(), -1);
            #line 2
            #pragma omp for nowait
            #pragma omp tile sizes(4, 4)
              for (int i = 0; i < n; i++)
                for (int j = 0; j < n; j++) { struct pomp_guard pomp_i1 __attribute__((cleanup(pomp_Iteration_end))); pomp_i1.region = pomp_1(); pomp_i1.id = 0; POMP_Iteration_begin(pomp_1(), 0, 0); x[i + j] = 1;; } ; POMP_For_exit(pomp_1()); }
            { long pomp_l2, pomp_t2 = 0; POMP_Taskloop_enter(pomp_2(), &pomp_l2);
            #line 6
            #pragma omp taskloop firstprivate(pomp_l2, pomp_t2)
            #pragma omp unroll partial(2)
              for (int i = 0; i < n; i++) { struct pomp_guard pomp_i2 __attribute__((cleanup(pomp_Taskloop_end))); pomp_i2.region = pomp_2(); pomp_i2.id = 0; POMP_Taskloop_begin(pomp_2(), pomp_l2, &pomp_t2); pomp_i2.id = pomp_t2; x[i] = 1;; } ; POMP_Taskloop_exit(pomp_2(), pomp_l2); }
            }
            == 1: for (2, 2) (5, 5)
            == 2: taskloop (6, 6) (8, 8)
        "#]],
    );
}

#[test]
fn lock_routines() {
    lines_with(
        "#include <omp.h>\nvoid f(omp_lock_t *l) { omp_set_lock(l); }\n",
        &Options { locks: Locks::Rewrite, ..options() },
        &["lock"],
        &expect![[r#"
            #define omp_init_lock POMP_Init_lock
            #define omp_init_lock_with_hint POMP_Init_lock_with_hint
            #define omp_init_nest_lock POMP_Init_nest_lock
            #define omp_init_nest_lock_with_hint POMP_Init_nest_lock_with_hint
            #define omp_destroy_lock POMP_Destroy_lock
            #define omp_destroy_nest_lock POMP_Destroy_nest_lock
            #define omp_set_lock POMP_Set_lock
            #define omp_set_nest_lock POMP_Set_nest_lock
            #define omp_unset_lock POMP_Unset_lock
            #define omp_unset_nest_lock POMP_Unset_nest_lock
            #define omp_test_lock POMP_Test_lock
            #define omp_test_nest_lock POMP_Test_nest_lock
            void f(omp_lock_t *l) { omp_set_lock(l); }
        "#]],
    );
    let preprocessed = Options { preprocessed: true, locks: Locks::Rewrite, ..options() };
    lines_with(
        "void omp_set_lock(void *);\nvoid (*f)(void *) = omp_set_lock; char *s = \"omp_set_lock\";\n",
        &preprocessed,
        &["lock"],
        &expect![[r#"
            void POMP_Set_lock(void *);
            void (*f)(void *) = POMP_Set_lock; char *s = "omp_set_lock";
               5+d-omp_set_lock,1e+d-omp_set_lock,1c+0
        "#]],
    );
    let text = b"void f(omp_lock_t *l) { omp_set_lock(l); }\n";
    assert_eq!(instrument(text, &options()).unwrap().text, text);
}

#[test]
fn what_is_timed_and_what_includes_a_barrier() {
    let enabled = ConstructSet::enabled("flush").unwrap();
    lines_with(
        r#"void f(int *x, int s) {
#pragma omp flush
#pragma omp atomic
  s++;
#pragma omp for schedule(static, 2) reduction(task, + : s)
  for (int i = 0; i < 9; i++) s += i;
#pragma omp single copyprivate(s)
  s = 1;
#pragma omp single nowait
  s = 1;
#pragma omp loop
  for (int i = 0; i < 9; i++) x[i] = i;
#pragma omp loop bind(thread)
  for (int i = 0; i < 9; i++) x[i] = i;
#pragma omp teams distribute parallel for num_teams(2)
  for (int i = 0; i < 9; i++) x[i] = i;
#pragma omp parallel for reduction(inscan, + : s) num_threads(n + 1)
  for (int i = 0; i < 9; i++) {
    s += i;
    #pragma omp scan inclusive(s)
  }
#pragma omp for
  for (int i = 0; i < 9; i++) {
    #pragma omp cancel for if(s)
  }
}
"#,
        &Options { enabled, ..options() },
        &["pompeii 1"],
        &expect![[r#"
            static struct pomp_extension pomp_x1={"pompeii 1","in(f) timed"};
            static struct pomp_extension pomp_x2={"pompeii 1","in(f)"};
            static struct pomp_extension pomp_x3={"pompeii 1","in(f) schedule(static,2) reduction(task,+:s) barrier_included"};
            static struct pomp_extension pomp_x4={"pompeii 1","in(f) barrier_included"};
            static struct pomp_extension pomp_x5={"pompeii 1","in(f) nowait"};
            static struct pomp_extension pomp_x6={"pompeii 1","in(f) barrier_included"};
            static struct pomp_extension pomp_x7={"pompeii 1","in(f)"};
            static struct pomp_extension pomp_x8={"pompeii 1","in(f) num_teams(2) barrier_included"};
            static struct pomp_extension pomp_x9={"pompeii 1","in(f) reduction(inscan,+:s) num_threads(n+1) barrier_included"};
            static struct pomp_extension pomp_x10={"pompeii 1","in(f) barrier_included"};
            static struct pomp_extension pomp_x11={"pompeii 1","in(f) if(s)"};
        "#]],
    );
}

#[test]
fn a_construct_whose_results_other_code_of_the_region_uses() {
    lines_with(
        r#"void f(int *a, int *b, int n) {
#pragma omp parallel
  for (int s = 0; s < n; s++) {
#pragma omp for
    for (int i = 0; i < 9; i++) a[i] = s;
#pragma omp for
    for (int i = 0; i < 9; i++) b[i] = a[9 - i];
#pragma omp for nowait
    for (int i = 0; i < 9; i++) a[i] = a[i] + 1;
  }
}
"#,
        &options(),
        &["pompeii 1"],
        &expect![[r#"
            static struct pomp_extension pomp_x1={"pompeii 1","in(f)"};
            static struct pomp_extension pomp_x2={"pompeii 1","in(f) results_used"};
            static struct pomp_extension pomp_x3={"pompeii 1","in(f)"};
            static struct pomp_extension pomp_x4={"pompeii 1","in(f) nowait"};
        "#]],
    );
}

#[test]
fn the_text_can_ask_whether_it_is_instrumented() {
    lines_with(
        "#ifdef _POMP\nint measured;\n#endif\n",
        &options(),
        &["", "_POMP"],
        &expect![[r##"
            #ifndef _POMP
            #define _POMP 200110
            #endif
            #line 1 "t.c"
            #ifdef _POMP
            int measured;
            #endif
            /* pompeii undo 1: 22 fc30656518af186c
               0+38,22+0
            */
        "##]],
    );
    check(
        "void f(void) {\n#ifndef _POMP\n  }\n#endif\n#pragma omp parallel\n  ;\n}\n",
        &expect![[r#"
            void f(void) {
            #ifndef _POMP
              }
            #endif
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 5
            #pragma omp parallel firstprivate(pomp_p1)
              { POMP_Parallel_begin(pomp_1(), pomp_p1); ;; POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            == 1: parallel (5, 5) (6, 6)
        "#]],
    );
}

/// A post and a wait are told apart by their clause alone.
#[test]
fn a_doacross_says_which_way_it_goes() {
    let loop_of = |line: &str| format!("void f(void) {{\n#pragma omp {line}\n}}\n");
    let c = |line: &str| (loop_of(line), Options::new("t.c", Language::C));
    let fortran = |line: &str| {
        let text = format!("subroutine f\n!$OMP {line}\nend subroutine\n");
        (text, Options::new("t.f90", Language::FortranFree))
    };
    for ((text, options), clauses) in [
        (c("ordered depend(source)"), "depend(source)"),
        (c("ordered depend(sink: i - 1)"), "depend(sink:i-1)"),
        (c("ordered doacross(source: omp_cur_iteration)"), "doacross(source:omp_cur_iteration)"),
        (fortran("ORDERED DEPEND(SOURCE)"), "depend(SOURCE)"),
    ] {
        let outcome = instrument(text.as_bytes(), &options).unwrap();
        let own = outcome.regions[0].clauses.split_once(' ').unwrap();
        assert_eq!(own, ("in(f)", clauses));
    }
}

/// The answers to the paper's open issues: how a construct runs stands in its descriptor.
#[test]
fn descriptors_say_how_constructs_run() {
    let clauses = |text: &str, path: &str| {
        let language = Language::from_path(path).unwrap();
        let outcome = instrument(text.as_bytes(), &Options::new(path, language)).unwrap();
        outcome.regions[0].clauses.clone()
    };
    for (directive, said) in [
        ("parallel for schedule(dynamic, n / 2) collapse(2)", "schedule(dynamic,n/2) collapse(2)"),
        (
            "parallel for num_threads(omp_get_num_procs()) if(parallel: n > 5)",
            "num_threads(omp_get_num_procs()) if(parallel:n>5)",
        ),
        (
            "for nowait reduction(task, +: s, t) schedule(monotonic: static)",
            "nowait reduction(task,+:s,t) schedule(monotonic:static)",
        ),
        ("for ordered(2) private(x) lastprivate(y)", "ordered(2)"),
        ("parallel for proc_bind(close) shared(x) default(none)", "proc_bind(close)"),
        ("taskloop grainsize(strict: 4) nogroup", "grainsize(strict:4) nogroup"),
    ] {
        let loops = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) ;";
        let text = format!("void f(int n) {{\n#pragma omp {directive}\n{loops}\n}}\n");
        assert_eq!(clauses(&text, "t.c"), format!("in(f) {said}"));
        let directive = directive.replace("for ", "do ");
        let text = format!("!$omp {directive}\ndo i = 1, n\ndo j = 1, n\nend do\nend do\nend\n");
        assert_eq!(clauses(&text, "t.f90"), format!("in(MAIN__) {said}"));
    }
}

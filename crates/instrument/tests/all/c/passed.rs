//! Constructs that pass through, and what is closed to calls.

use super::check;
use expect_test::{Expect, expect};
use pompeii_instrument::{Functions, Language, Options, instrument, undo};

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
            { POMP_Taskgroup_enter(pomp_1());
            #line 2
            #pragma omp taskgroup
              { POMP_Taskgroup_begin(pomp_1()); {
            { long pomp_t2; POMP_Task_create_begin(pomp_2(), &pomp_t2);
            #line 4
                #pragma omp task firstprivate(pomp_t2)
                { POMP_Task_begin(pomp_2(), pomp_t2); *x = 1;; POMP_Task_end(pomp_2(), pomp_t2); } POMP_Task_create_end(pomp_2(), pomp_t2); }
              } POMP_Taskgroup_end(pomp_1()); } POMP_Taskgroup_exit(pomp_1()); }
            { long pomp_l3, pomp_t3 = 0; POMP_Taskloop_enter(pomp_3(), &pomp_l3);
            #line 7
            #pragma omp taskloop firstprivate(pomp_l3, pomp_t3)
              for (int i = 0; i < 9; i++)
            { struct pomp_guard pomp_i3 __attribute__((cleanup(pomp_Taskloop_end))); pomp_i3.region = pomp_3(); pomp_i3.id = 0; POMP_Taskloop_begin(pomp_3(), pomp_l3, &pomp_t3); pomp_i3.id = pomp_t3; { POMP_Critical_enter(pomp_4());
            #line 9
                #pragma omp critical
                { POMP_Critical_begin(pomp_4()); x[i] = 1;; POMP_Critical_end(pomp_4()); } POMP_Critical_exit(pomp_4()); } ; } ; POMP_Taskloop_exit(pomp_3(), pomp_l3); }
            { POMP_Teams_enter(pomp_5());
            #line 11
            #pragma omp teams
              {
            { POMP_Distribute_enter(pomp_6());
            #line 13
                #pragma omp distribute parallel for
                for (int i = 0; i < 9; i++) {}; POMP_Distribute_exit(pomp_6()); }
            { long pomp_p7; POMP_Parallel_fork(pomp_7(), &pomp_p7);
            #line 15
                #pragma omp parallel firstprivate(pomp_p7)
                { POMP_Parallel_begin(pomp_7(), pomp_p7); x[0] = 1;; POMP_Parallel_end(pomp_7(), pomp_p7); } POMP_Parallel_join(pomp_7(), pomp_p7); }
              } POMP_Teams_exit(pomp_5()); }
            { POMP_For_enter(pomp_8(), pomp_until(0, 9, 1));
            #line 18
            #pragma omp for ordered nowait
              for (int i = 0; i < 9; i++)
            { POMP_Ordered_enter(pomp_9());
            #line 20
                #pragma omp ordered
                { POMP_Ordered_begin(pomp_9()); {
            { POMP_Flush_enter(pomp_10());
            #line 22
                  #pragma omp flush
            POMP_Flush_exit(pomp_10()); }
            #line 23
                  x[i] = 1;
                } POMP_Ordered_end(pomp_9()); } POMP_Ordered_exit(pomp_9()); } ; POMP_Barrier_enter(pomp_8()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_8()); POMP_For_exit(pomp_8()); }
            }
            == 1: taskgroup (2, 2) (6, 6)
            == 2: task (4, 4) (5, 5)
            == 3: taskloop (7, 7) (10, 10)
            == 4: critical (9, 9) (10, 10)
            == 5: teams (11, 11) (17, 17)
            == 6: distribute parallel for (13, 13) (14, 14)
            == 7: parallel (15, 15) (16, 16)
            == 8: for (18, 18) (24, 24)
            == 9: ordered (20, 20) (24, 24)
            == 10: flush (22, 22) (22, 22)
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
            { POMP_Target_enter(pomp_1());
            #line 2
            #pragma omp target map(x)
              {
                #pragma omp parallel
                *x = 1;
                #pragma omp barrier
              } POMP_Target_exit(pomp_1()); }
            { POMP_Target_enter(pomp_2());
            #line 8
            #pragma omp target data map(x)
              {
            { long pomp_p3; POMP_Parallel_fork(pomp_3(), &pomp_p3);
            #line 10
                #pragma omp parallel firstprivate(pomp_p3)
                { POMP_Parallel_begin(pomp_3(), pomp_p3); *x = 1;; POMP_Parallel_end(pomp_3(), pomp_p3); } POMP_Parallel_join(pomp_3(), pomp_p3); }
              } POMP_Target_exit(pomp_2()); }
            #pragma omp simd
              for (int i = 0; i < 9; i++)
                #pragma omp critical
                x[i] = 1;
            { POMP_Loop_enter(pomp_4());
            #line 17
            #pragma omp loop
              for (int i = 0; i < 9; i++)
                #pragma omp parallel
                x[i] = 1;; POMP_Loop_exit(pomp_4()); }
            }
            #pragma omp declare target
            void g(int *x) {
            #pragma omp parallel
              x[0] = 1;
            }
            #pragma omp end declare target
            void h(int *x) {
            { POMP_Barrier_enter(pomp_5());
            #line 29
            #pragma omp barrier
            POMP_Barrier_exit(pomp_5()); }
            #line 30
            }
            == 1: target (2, 2) (7, 7)
            == 2: target data (8, 8) (12, 12)
            == 3: parallel (10, 10) (11, 11)
            == 4: loop (17, 17) (20, 20)
            == 5: barrier (29, 29) (29, 29)
            == 5 of 10
            == Note 2: no calls are possible inside `target`: constructs there are left alone
            == Note 13: no calls are possible inside `simd`: constructs there are left alone
            == Note 17: no calls are possible inside `loop`: constructs there are left alone
            == Note 24: no calls are possible inside `device code`: constructs there are left alone
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
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 4
            #pragma omp metadirective when(device = {kind(host)} : parallel firstprivate(pomp_p1)) default(nothing)
              { POMP_Parallel_begin(pomp_1(), pomp_p1); {
            { POMP_Barrier_enter(pomp_2());
            #line 6
                #pragma omp barrier
            POMP_Barrier_exit(pomp_2()); }
            #line 7
              } POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }
            }
            #define PARALLEL _Pragma("omp parallel")
            == 1: parallel (4, 4) (7, 7)
            == 2: barrier (6, 6) (6, 6)
            == Warning 2: `wonder` is not a directive that is known; it stays as it is
            == Hidden 9: directives made by this macro are not seen; instrument the preprocessed text to see them
        "#]],
    );
}

#[test]
fn functions_that_are_listed_for_devices() {
    check(
        r#"int before(int x) {
  #pragma omp flush
  return x;
}
#pragma omp declare target to(before) enter(after)
#pragma omp declare target (named)
#pragma omp declare_target to(host) device_type(host)
int after(int x) {
  #pragma omp flush
  return x;
}
int named(x) int x; {
  #pragma omp flush
  return x;
}
int host(int x) {
  #pragma omp barrier
  return x;
}
"#,
        &expect![[r#"
            int before(int x) {
              #pragma omp flush
              return x;
            }
            #pragma omp declare target to(before) enter(after)
            #pragma omp declare target (named)
            #pragma omp declare_target to(host) device_type(host)
            int after(int x) {
              #pragma omp flush
              return x;
            }
            int named(x) int x; {
              #pragma omp flush
              return x;
            }
            int host(int x) {
            { POMP_Barrier_enter(pomp_1());
            #line 17
              #pragma omp barrier
            POMP_Barrier_exit(pomp_1()); }
            #line 18
              return x;
            }
            == 1: barrier (17, 17) (17, 17)
            == 1 of 4
            == Note 2: no calls are possible inside `device code`: constructs there are left alone
        "#]],
    );
}

#[test]
fn what_a_metadirective_becomes() {
    check(
        r#"void f(int *x) {
#pragma omp begin metadirective when(device = {kind(gpu)} : target) otherwise(parallel)
  {
    #pragma omp barrier
  }
#pragma omp end metadirective
#pragma omp begin metadirective when(user = {condition(1)} : parallel)
  {
    #pragma omp barrier
  }
#pragma omp end metadirective
  if (*x) {
#pragma omp metadirective when(user = {condition(1)} : barrier)
  }
}
"#,
        &expect![[r#"
            void f(int *x) {
            #pragma omp begin metadirective when(device = {kind(gpu)} : target) otherwise(parallel)
              {
                #pragma omp barrier
              }
            #pragma omp end metadirective
            #pragma omp begin metadirective when(user = {condition(1)} : parallel)
              {
            { POMP_Barrier_enter(pomp_1());
            #line 9
                #pragma omp barrier
            POMP_Barrier_exit(pomp_1()); }
            #line 10
              }
            #pragma omp end metadirective
              if (*x) {
            { POMP_Barrier_enter(pomp_2());
            #line 13
            #pragma omp metadirective when(user = {condition(1)} : barrier)
            POMP_Barrier_exit(pomp_2()); }
            #line 14
              }
            }
            == 1: barrier (9, 9) (9, 9)
            == 2: barrier (13, 13) (13, 13)
            == 2 of 3
            == Note 4: no calls are possible inside `device code`: constructs there are left alone
        "#]],
    );
}

#[test]
fn metadirectives_that_their_text_decides() {
    check(
        r#"void f(int n, int s) {
#pragma omp metadirective when(user = {condition(n)} : parallel) default(single)
  { s++; }
#pragma omp metadirective when(device = {arch("nvptx")} : teams loop) \
    otherwise(parallel for reduction(+ : s))
  for (int i = 0; i < n; i++) s += i;
#pragma omp metadirective when(user = {condition(0)} : single) default(for schedule(static))
  for (int i = 0; i < n; i++) {
    #pragma omp critical
    s += i;
  }
#pragma omp metadirective when(user = {condition(1)} : nothing)
  s++;
}
"#,
        &expect![[r#"
            void f(int n, int s) {
            #pragma omp metadirective when(user = {condition(n)} : parallel) default(single)
              { s++; }
            { long pomp_p1; POMP_Parallel_fork(pomp_1(), &pomp_p1);
            #line 4
            #pragma omp metadirective when(device = {arch("nvptx")} : teams loop) \
                otherwise(parallel for reduction(+ : s))
              for (int i = 0; i < n; i++) s += i;; POMP_Parallel_join(pomp_1(), pomp_p1); }
            { POMP_For_enter(pomp_2(), __builtin_classify_type(n) == 1 ? pomp_until(0, (long)(n), 1) : -1);
            #line 7
            #pragma omp metadirective when(user = {condition(0)} : single) default(for schedule(static) nowait)
              for (int i = 0; i < n; i++) {
            { POMP_Critical_enter(pomp_3());
            #line 9
                #pragma omp critical
                { POMP_Critical_begin(pomp_3()); s += i;; POMP_Critical_end(pomp_3()); } POMP_Critical_exit(pomp_3()); }
              }; POMP_Barrier_enter(pomp_2()); _Pragma("omp barrier") POMP_Barrier_exit(pomp_2()); POMP_For_exit(pomp_2()); }
            #pragma omp metadirective when(user = {condition(1)} : nothing)
              s++;
            }
            == 1: parallel for (4, 5) (6, 6)
            == 2: for (7, 7) (11, 11)
            == 3: critical (9, 9) (10, 10)
            == Note 2: what this metadirective becomes cannot be told from its text: it has no events of its own
            == Note 4: only fork and join are measured: a metadirective cannot be split
        "#]],
    );
}

#[test]
fn unknown_directives_are_named_once() {
    check(
        "void f(void) {\n#pragma omp ompx wonder\n#pragma omp ompx wonder\n#pragma omp wonder\n}\n",
        &expect![[r#"
            void f(void) {
            #pragma omp ompx wonder
            #pragma omp ompx wonder
            #pragma omp wonder
            }
            == Warning 2: `ompx` is not a directive that is known; it stays as it is
            == Warning 4: `wonder` is not a directive that is known; it stays as it is
        "#]],
    );
}

/// Instruments with functions; shows what gets events.
/// Directives without events, with what they belong to: they and their code stay as they are.
#[test]
fn directives_without_events_pass_through() {
    const LOOP: &str = "for (int i = 0; i < n; i++) {}";
    for (directive, behind) in [
        ("nothing", ""),
        ("error at(execution) severity(warning) message(\"said\")", ""),
        ("assume no_openmp", "{ f(1); }"),
        ("assumes no_parallelism", ""),
        ("interop init(targetsync : o) nowait", ""),
        ("dispatch novariants(n > 1)", "f(1);"),
        ("depobj(d) depend(inout : x)", ""),
        ("depobj(d) destroy", ""),
        ("allocate(x) allocator(a)", ""),
        ("threadprivate(x)", ""),
        ("groupprivate(x)", ""),
        ("requires reverse_offload", ""),
        ("declare variant(f) match(construct = {parallel})", ""),
        ("begin declare variant match(device = {kind(host)})", ""),
        ("declare reduction(add : int : omp_out += omp_in) initializer(omp_priv = 0)", ""),
        ("declare mapper(struct s v) map(v.x)", ""),
        ("declare induction(step : int) inductor(omp_var += omp_step)", ""),
        ("declare simd notinbranch uniform(x)", ""),
        ("simd simdlen(4)", LOOP),
        ("tile sizes(4)", LOOP),
        ("unroll partial(2)", LOOP),
        ("interchange permutation(2, 1)", LOOP),
        ("reverse", LOOP),
        ("stripe sizes(4)", LOOP),
        ("split counts(1, omp_fill)", LOOP),
        ("fuse", "{ for (;;) {} for (;;) {} }"),
        ("ordered simd", "{ x = 1; }"),
        ("taskgraph", "{ x = 1; }"),
        ("workdistribute", "{ x = 1; }"),
        ("task_iteration depend(in : x)", ""),
        ("scan inclusive(x)", ""),
    ] {
        for (open, close) in [("#pragma omp ", ""), ("[[omp::directive(", ")]]")] {
            let input =
                format!("void g(int n) {{ int x;\n{open}{directive}{close}\n{behind};\n}}\n");
            let options = Options::new("t.cpp", Language::Cxx);
            let outcome = instrument(input.as_bytes(), &options).unwrap();
            assert_eq!(String::from_utf8(outcome.text).unwrap(), input);
            assert!(outcome.diagnostics.is_empty(), "{input}{:?}", outcome.diagnostics);
        }
    }
}

fn check_devices(input: &str, expected: &Expect) {
    let mut options = Options::new("t.cpp", Language::Cxx);
    options.functions = Some(Functions::default());
    let outcome = instrument(input.as_bytes(), &options).unwrap();
    assert_eq!(undo(&outcome.text).unwrap(), input.as_bytes());
    let names = outcome.regions.iter().map(|region| format!("{} {}", region.name, region.sub_name));
    expected.assert_eq(&names.collect::<Vec<_>>().join("\n"));
}

#[test]
fn functions_that_only_device_code_calls() {
    check_devices(
        "double deep(double x);\n\
         double deep(double x) {\n#pragma omp critical(deep)\n  return x; }\n\
         double both(double x) { return x; }\n\
         double table(double x) { return x; }\n\
         double (*entry)(double) = table;\n\
         static double kernel(double x) { return deep(x) + both(x); }\n\
         double again(int n) { return n ? again(n - 1) : 1; }\n\
         int main() {\n  double s = both(2);\n\
         #pragma omp target map(s)\n  { s = kernel(s) + table(s) + again(3); }\n  return s < 3;\n}\n",
        &expect![[r#"
            target 
            region both
            region table
            region main"#]],
    );
}

#[test]
fn functions_that_listed_and_enclosed_ones_call() {
    check_devices(
        "static double one(double x) { return x; }\n\
         static double two(double x) { return x; }\n\
         static double both(double x) { return x; }\n\
         double listed(double x) { return one(x) + both(x); }\n\
         #pragma omp declare target to(listed)\n\
         #pragma omp begin declare target\n\
         double enclosed(double x) { return two(x); }\n\
         #pragma omp end declare target\n\
         int main() { return (int)(listed(1) + enclosed(2) + both(3)); }\n",
        &expect![[r#"
            region both
            region main"#]],
    );
}

/// What a branch closes is open where the preprocessor leaves the branch out: its text is to be seen.
#[test]
fn what_only_a_branch_closes_is_hidden() {
    let hides = |text: &str, preprocessed: bool| {
        let options = Options { preprocessed, ..Options::new("test.c", Language::C) };
        instrument(text.as_bytes(), &options).unwrap().hides_directives()
    };
    let on_device = "#pragma omp target\n";
    let closed = |begin: &str, end: &str| {
        let target = format!("{begin}{on_device}{end}");
        [
            format!("void f(void) {{\n{target}#pragma omp parallel\n;\n}}\n"),
            format!(
                "static void g(void) {{\n#pragma omp parallel\n;\n}}\n\
                 void f(void) {{\n{target}g();\n}}\n"
            ),
            format!(
                "{begin}#pragma omp declare target\n{end}\
                 void f(void) {{\n#pragma omp parallel\n;\n}}\n\
                 {begin}#pragma omp end declare target\n{end}"
            ),
        ]
    };
    for text in closed("#ifdef DEVICE\n", "#endif\n") {
        assert!(hides(&text, false), "{text}");
        assert!(!hides(&text, true), "{text}");
    }
    for text in closed("", "") {
        assert!(!hides(&text, false), "{text}");
    }
    let both = "void f(void) {\n#ifdef DEVICE\n#pragma omp target\n{\n\
                #pragma omp parallel\n;\n}\n#endif\n}\n";
    assert!(!hides(both, false), "nothing is closed where the branch is left out");
}

/// Without `--functions`, too.
#[test]
fn directives_in_functions_that_enclosed_ones_call() {
    check(
        "static void inner(void) {\n#pragma omp barrier\n}\n\
         #pragma omp begin declare target\nvoid enclosed(void) { inner(); }\n\
         #pragma omp end declare target\n",
        &expect![[r#"
            static void inner(void) {
            #pragma omp barrier
            }
            #pragma omp begin declare target
            void enclosed(void) { inner(); }
            #pragma omp end declare target
            == 0 of 1
            == Note 2: no calls are possible inside `device code`: constructs there are left alone
        "#]],
    );
}

#[test]
fn functions_behind_a_metadirective_for_devices() {
    check_devices(
        "void f(void) {\n\
         #pragma omp begin metadirective when(device={kind(gpu)}: target)\n\
         {}\n#pragma omp end metadirective\n}\nvoid g(void) {}\n",
        &expect![[r#"
            region f
            region g"#]],
    );
}

#[test]
fn functions_that_an_attribute_makes_device_code() {
    check_devices(
        "[[omp::decl(declare_target)]] double x;\nvoid host() {}\n\
         [[omp::decl( declare target )]]\nvoid device() {}\n",
        &expect!["region host"],
    );
}

/// A `target` construct may run what it is handed.
#[test]
fn lambdas_near_target_constructs() {
    check_devices(
        "template <class F> void each(F f) {\n#pragma omp target\n f(1); }\n\
         int main() { each([](int x) { return x; }); }\n",
        &expect![[r#"
            target 
            region each
            region main"#]],
    );
}

//! Where source instrumenters are known to fail on C and C++: one short text each, with what the
//! output must have and what it must not have. Whether such programs compile and do the same is
//! tested by `oracle_compile_c.rs`.

use pompeii_instrument::{
    ConstructSet, Language, Locks, Options, Severity, TIMED, instrument, undo,
};

/// Instruments; the words of `has` must be in the text behind the prelude, those of `lacks` not.
fn trap(language: Language, input: &str, has: &[&str], lacks: &[&str]) {
    let outcome = instrument(input.as_bytes(), &Options::new("t.c", language)).unwrap();
    assert_eq!(undo(&outcome.text).unwrap(), input.as_bytes());
    let text = String::from_utf8(outcome.text).unwrap();
    let body = text.split_once("\n#line 1 ").map_or("", |(_, body)| body);
    let body = body.split("/* pompeii undo").next().unwrap();
    for word in has {
        assert!(body.contains(word), "{word} is missing in\n{body}");
    }
    for word in lacks {
        assert!(!body.contains(word), "{word} must not be in\n{body}");
    }
}

fn c(input: &str, has: &[&str], lacks: &[&str]) {
    trap(Language::C, input, has, lacks);
}

fn cxx(input: &str, has: &[&str], lacks: &[&str]) {
    trap(Language::Cxx, input, has, lacks);
}

#[test]
fn untied_as_the_first_clause() {
    c("#pragma omp task untied shared(x)\nx;\n", &["task untied shared(x) firstprivate("], &[]);
    c("#pragma omp task shared(x) untied\nx;\n", &["shared(x) untied firstprivate("], &[]);
}

#[test]
fn very_many_regions() {
    let input = "void f(void) {\n".to_owned() + &"#pragma omp barrier\n".repeat(110_000) + "}\n";
    let outcome = instrument(input.as_bytes(), &Options::new("t.c", Language::C)).unwrap();
    assert_eq!(outcome.directives_instrumented, 110_000);
    assert_eq!(outcome.regions.len(), 110_000);
}

#[test]
fn digit_separators() {
    cxx("int x = 1'000, y = '{';\n#pragma omp parallel\n{ x = 2'0; }\n", &["2'0; } POMP_P"], &[]);
}

#[test]
fn macros_in_clauses_stay() {
    c("#pragma omp for schedule(SCHED, CHUNK)\nfor (;;);\n", &["schedule(SCHED, CHUNK) now"], &[]);
}

#[test]
fn constructs_in_which_nothing_may_be_called() {
    c(
        "#pragma omp parallel for simd\nfor (;;) {\n#pragma omp ordered simd\nx;\n}\n",
        &["omp for simd", "#pragma omp ordered simd\nx;"],
        &["Ordered_"],
    );
    c(
        "#pragma omp for order(concurrent)\nfor (;;) {\n#pragma omp atomic\nx++;\n}\n",
        &["For_enter"],
        &["Atomic_"],
    );
    c("#pragma omp parallel loop\nfor (;;) x++;\n", &["Parallel_begin", "Loop_enter"], &["nowait"]);
}

#[test]
fn combined_constructs_of_newer_versions() {
    for (directive, event) in [
        ("parallel loop", "POMP_Loop_enter"),
        ("parallel masked", "POMP_Masked_begin"),
        ("parallel master", "POMP_Master_begin"),
        ("parallel master taskloop", "POMP_Taskloop_begin"),
        ("parallel masked taskloop simd", "POMP_Taskloop_enter"),
    ] {
        let input = format!("#pragma omp {directive}\nfor (int i = 0; i < n; i++);\n");
        c(&input, &["POMP_Parallel_fork", event, "POMP_Parallel_join"], &["num_threads"]);
    }
}

#[test]
fn scans_are_not_touched() {
    c(
        "#pragma omp for reduction(inscan, +: s)\nfor (;;) {\ns++;\n#pragma omp scan inclusive(s)\ny;\n}\n",
        &["{\ns++;\n#pragma omp scan inclusive(s)\ny;\n}"],
        &["nowait"],
    );
}

#[test]
fn doacross() {
    c(
        "{\n#pragma omp ordered depend(sink: i - 1)\n#pragma omp ordered doacross(source:)\n}\n",
        &["#pragma omp ordered depend(sink: i - 1)\nPOMP_Ordered_exit"],
        &["Ordered_begin"],
    );
}

#[test]
fn if_with_a_modifier() {
    c("#pragma omp task if(task: x)\n;\n", &["task if(task: x) firstprivate("], &[]);
    c(
        "#pragma omp parallel for if(parallel: x)\nfor (;;);\n",
        &["omp parallel if(parallel: x) firstprivate("],
        &["for if"],
    );
}

#[test]
fn bodies_without_braces() {
    c("#pragma omp parallel\ndo x; while (y);\nz;\n", &["do x; while (y);; POMP_"], &["z;; "]);
    c(
        "if (c)\n#pragma omp parallel\nif (x) y; else z;\nelse w;\n",
        &[
            "z;; POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_Parallel_join(pomp_1(), pomp_p1); }\nelse",
        ],
        &[],
    );
    cxx("#pragma omp parallel\nfor (auto x : v) y;\n", &["for (auto x : v) y;; POMP_"], &[]);
    cxx("#pragma omp parallel\nx = T{1, {2}} + U{3};\n", &["U{3};; POMP_"], &[]);
}

#[test]
fn raw_strings_with_braces() {
    cxx("#pragma omp parallel\nf(R\"x(}\")x\" \"{\");\n", &["\"{\");; POMP_"], &[]);
}

#[test]
fn lambdas_in_clauses() {
    cxx(
        "#pragma omp parallel for num_threads([](int n) { return n; }(2)) private(x)\nfor (;;);\n",
        &["parallel num_threads([](int n) { return n; }(2)) first", "omp for private(x)"],
        &[],
    );
}

#[test]
fn comments_and_splices_in_directives() {
    c(
        "#pragma omp /* two\nlines */ parallel \\\n for private(a) // end\nfor (;;);\n",
        &["omp /* two\nlines */ \\\n for private(a) nowait // end"],
        &[],
    );
    c("#pragma omp paral\\\nlel\n;\n", &["paral\\\nlel firstprivate(pomp_p1)"], &[]);
}

#[test]
fn branches_around_loop_headers_and_braces() {
    c(
        "#pragma omp parallel\n#ifdef A\nfor (i = 0; i < n; i++) {\n#else\n{\n#endif\nx;\n}\n",
        &["pomp_p1);\n#line 3\nfor (i", "x;\n}; POMP_Parallel_end(pomp_1(), pomp_p1); } POMP_"],
        &["join(pomp_1(), pomp_p1); } POMP_Parallel_end"],
    );
}

#[test]
fn nothing_comes_before_feature_macros() {
    for feature in ["_GNU_SOURCE", "__STDC_LIMIT_MACROS"] {
        let users = format!("#define {feature}\n#include <a.h>\n#include <omp.h>\nint i;\n");
        let input = format!("{users}#pragma omp parallel\n;\n");
        let outcome = instrument(input.as_bytes(), &Options::new("t.c", Language::C)).unwrap();
        let text = String::from_utf8(outcome.text).unwrap();
        // Nor is the header of OpenMP anywhere but where the user has it.
        let (before, behind) = text.split_once(&users).unwrap();
        assert!(!before.contains("#include") && !behind.contains("#include"), "{text}");
    }
}

#[test]
fn locks_with_hints_and_as_arguments() {
    let input = "omp_init_lock_with_hint(&l, 1);\nf(omp_set_lock);\n#pragma omp barrier\n";
    c(input, &["omp_init_lock_with_hint(&l, 1);\nf(omp_set_lock);"], &[]);
    // Where the library cannot stand in, macros without arguments rename both.
    let options = Options { locks: Locks::Rewrite, ..Options::new("t.c", Language::C) };
    let outcome = instrument(input.as_bytes(), &options).unwrap();
    let text = String::from_utf8(outcome.text).unwrap();
    assert!(text.contains("#define omp_set_lock POMP_Set_lock\n"), "{text}");
    assert!(text.contains("\nomp_init_lock_with_hint(&l, 1);\nf(omp_set_lock);"), "{text}");
}

#[test]
fn clauses_are_not_added_that_change_the_team() {
    c(
        "#pragma omp parallel\n;\n",
        &["parallel firstprivate(pomp_p1)\n"],
        &["num_threads", "barrier"],
    );
    // In teams, no routine of OpenMP but those of the league may be called.
    c("#pragma omp teams\n#pragma omp parallel\n;\n", &["pomp_p2"], &["num_threads", "omp_get"]);
}

#[test]
fn cancelled_loops_keep_their_barrier() {
    c(
        "#pragma omp for\nfor (;;) {\n#pragma omp cancel for\n}\n",
        &["#pragma omp for\n"],
        &["nowait", "barrier"],
    );
}

#[test]
fn a_copied_value_keeps_its_barrier() {
    c("#pragma omp single copyprivate(x)\nx;\n", &["copyprivate(x)\n"], &["nowait", "barrier"]);
}

#[test]
fn the_users_names_are_not_ours() {
    c("int pomp_p1;\n#pragma omp parallel\n;\n", &["long pomp1_p1", "firstprivate(pomp1_p1)"], &[]);
}

#[test]
fn both_kinds_of_privacy_of_one_variable() {
    c(
        "#pragma omp parallel for firstprivate(x) lastprivate(x) default(none)\nfor (;;);\n",
        &["default(none) shared(x) first", "omp for firstprivate(x) lastprivate(x)"],
        &[],
    );
}

#[test]
fn no_barrier_where_none_is_allowed() {
    for directive in ["task", "taskloop", "master", "masked", "critical", "ordered"] {
        c(&format!("#pragma omp {directive}\nfor (;;);\n"), &["POMP_"], &["barrier", "nowait"]);
    }
}

#[test]
fn what_others_do_not_see() {
    for directive in [
        "taskloop",
        "taskgroup",
        "masked",
        "scope",
        "loop",
        "teams",
        "distribute",
        "target",
        "target data map(x)",
        "target teams loop",
        "teams distribute",
        "parallel masked taskloop",
    ] {
        c(&format!("#pragma omp {directive}\nfor (;;);\n"), &["POMP_"], &[]);
    }
    for directive in ["taskyield", "cancel for", "cancellation point for", "target update to(x)"] {
        c(&format!("{{\n#pragma omp {directive}\n}}\n"), &["POMP_"], &[]);
    }
    // Loop transformations and vectors pass through with their loop.
    for directive in ["simd", "tile sizes(2)", "unroll partial(2)"] {
        let kept = format!("#pragma omp {directive}\nfor (;;);\n");
        c(&format!("{{\n#pragma omp flush\n{kept}}}\n"), &[&kept], &[]);
    }
    let input = "#pragma omp metadirective when(device = {kind(host)} : parallel)\n;\n";
    c(input, &["POMP_Parallel_begin"], &[]);
    // Its `if` may be false.
    c("#pragma omp task if(0)\n;\n", &["POMP_Task_create_begin", "POMP_Task_begin"], &[]);
    for spelling in [
        "_Pragma(\"omp parallel\") x;",
        "[[omp::directive(parallel)]] x;",
        "[[omp::sequence(directive(parallel), directive(single))]] x;",
        "[[using omp: directive(parallel)]] x;",
    ] {
        cxx(&format!("{spelling}\n"), &["POMP_Parallel_begin"], &[]);
    }
}

#[test]
fn directives_in_macros_are_reported() {
    let input = b"#define LOOP _Pragma(\"omp parallel for\")\nvoid f(void) { LOOP for (;;); }\n";
    let outcome = instrument(input, &Options::new("t.c", Language::C)).unwrap();
    assert_eq!(outcome.diagnostics[0].severity, Severity::Hidden);
    assert!(outcome.hides_directives());
}

#[test]
fn atomics_that_call_functions_say_so() {
    let input = b"{\n#pragma omp atomic\nx += f(y);\n#pragma omp atomic\nx += (y);\n}\n";
    let regions = instrument(input, &Options::new("t.c", Language::C)).unwrap().regions;
    let clauses: Vec<&str> = regions.iter().map(|region| region.clauses.as_str()).collect();
    assert_eq!(clauses, ["calls", ""]);
}

#[test]
fn flushes_and_atomics_are_counted_unless_asked_for() {
    let timed = |enabled: &str| {
        let enabled = ConstructSet::enabled(enabled).unwrap();
        let options = Options { enabled, ..Options::new("t.c", Language::C) };
        let input = b"{\n#pragma omp flush\n#pragma omp atomic\nx++;\n}\n";
        let regions = instrument(input, &options).unwrap().regions;
        regions.iter().map(|region| region.clauses.contains(TIMED)).collect::<Vec<_>>()
    };
    assert_eq!(timed(""), [false, false]);
    assert_eq!(timed("flush,atomic"), [true, true]);
}

#[test]
fn twice_the_same_text_gives_twice_the_same_output() {
    let input = b"#pragma omp parallel\n{\n#pragma omp critical(a)\n;\n}\n";
    let output = || instrument(input, &Options::new("t.c", Language::C)).unwrap().text;
    assert_eq!(output(), output());
}

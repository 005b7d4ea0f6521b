//! Where source instrumenters are known to fail on Fortran: one short text each, with what the
//! output must have and what it must not have. Whether such programs compile and do the same is
//! tested by `oracle_compile_fortran.rs`.

use pompeii_instrument::{Functions, Language, Locks, Options, instrument, undo};

/// Instruments; the words of `has` must be in the text in front of the appended procedures, in this
/// order, those of `lacks` not.
fn trap_with(options: &Options, input: &str, has: &[&str], lacks: &[&str]) {
    let outcome = instrument(input.as_bytes(), options).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(undo(&outcome.text).unwrap(), input.as_bytes());
    let mut text = String::from_utf8(outcome.text).unwrap();
    if let Some(at) = text.find("_at(") {
        let hash = text[at - 8..at].to_owned();
        text = text.replace(&hash, "H");
    }
    let ends = ["\nsubroutine pomp", "\n      subroutine pomp", "! pompeii undo"];
    let end = ends.into_iter().filter_map(|end| text.find(end)).min();
    let body = &text[..end.unwrap_or(text.len())];
    let mut rest = body;
    for word in has {
        let at = rest.find(word);
        let at =
            at.unwrap_or_else(|| panic!("{word} is missing, or not in this order, in\n{body}"));
        rest = &rest[at + word.len()..];
    }
    for word in lacks {
        assert!(!body.contains(word), "{word} must not be in\n{body}");
    }
}

fn options(path: &str) -> Options {
    let mut options = Options::new(path, Language::from_path(path).unwrap());
    options.line_markers = false;
    options
}

fn free(input: &str, has: &[&str], lacks: &[&str]) {
    trap_with(&options("t.f90"), input, has, lacks);
}

fn fixed(input: &str, has: &[&str], lacks: &[&str]) {
    trap_with(&options("t.f"), input, has, lacks);
}

#[test]
fn untied_as_the_first_clause() {
    let has = ["!$omp task firstprivate(pomp_t1)", "untied shared(x)", "task_begin(1,pomp_t1)"];
    free("!$omp task untied shared(x)\nx = 1\n!$omp end task\nend\n", &has, &[]);
    let has = ["!$omp task firstprivate(pomp_t1)", "untied shared(x)", "task_begin(1,pomp_t1)"];
    fixed("c$omp task untied shared(x)\n      x = 1\nc$omp end task\n      end\n", &has[1..], &[]);
}

#[test]
fn very_many_regions() {
    let regions = "!$omp barrier\n".repeat(110_000);
    let outcome = instrument(format!("{regions}end\n").as_bytes(), &options("t.f90")).unwrap();
    assert_eq!(outcome.directives_instrumented, 110_000);
}

#[test]
fn macros_in_clauses_keep_their_case() {
    free(
        "!$OMP PARALLEL DO Schedule(SCHED,Chunk) NUM_THREADS(N_MAX)\nDO I=1,2\nEND DO\nEND\n",
        &["NUM_THREADS(N_MAX)", "Schedule(SCHED,Chunk)", "DO I=1,2"],
        &["sched,", "n_max"],
    );
    free("!$OMP CRITICAL (Name)\n!$OMP END CRITICAL (Name)\nEND\n", &["(Name)", "(Name)"], &[]);
}

#[test]
fn atomic_with_its_end_and_capture() {
    let has =
        ["atomic_enter(1)", "!$omp atomic capture\nv = x\nx = 1\n!$omp end atomic", "exit(1)"];
    free("!$omp atomic capture\nv = x\nx = 1\n!$omp end atomic\nend\n", &has, &[]);
    let has = ["atomic_enter(1)", "!$omp atomic\nx = x + 1\n!$omp end atomic\n", "atomic_exit(1)"];
    free("!$omp atomic\nx = x + 1\n!$omp end atomic\nend\n", &has, &[]);
}

#[test]
fn simd_and_doacross() {
    let has = ["omp parallel", "do_enter(1,", "!$omp do simd", "!$omp end do simd nowait"];
    free(
        "!$omp parallel do simd\ndo i=1,2\nx(i)=1\nend do\nend\n",
        &has,
        &["x(i)=1\ncall", "i=1,2\ncall"],
    );
    free(
        "!$omp do ordered(1)\ndo i=1,2\n!$omp ordered depend(sink: i-1)\nx=1\n!$omp ordered depend(source)\nend do\nend\n",
        &[
            "ordered_enter(2)\n!$omp ordered depend(sink: i-1)\ncall pomp_H_ordered_exit(2)\nx=1",
            "ordered_enter(3)\n!$omp ordered depend(source)\ncall pomp_H_ordered_exit(3)\nend do",
        ],
        &["ordered_begin"],
    );
}

#[test]
fn clauses_alone_on_a_continuation_line() {
    for clause in ["if(n > 5)", "num_threads(4)"] {
        let source = format!("!$omp parallel &\n!$omp {clause}\nx = 1\n!$omp end parallel\nend\n");
        free(&source, &["!$omp parallel", clause, "parallel_begin(1,pomp_p1)"], &[]);
        let source =
            format!("c$omp parallel\nc$omp+{clause}\n      x = 1\nc$omp end parallel\n      end\n");
        fixed(&source, &["c$omp parallel", clause, "parallel_begin(1,pomp_p1)"], &[]);
    }
}

#[test]
fn an_omitted_end_do_in_front_of_another_directive() {
    free(
        "!$omp do\ndo i=1,2\nend do\n!$omp single\nx=1\n!$omp end single\nend\n",
        &["!$omp end do nowait", "barrier_enter(1)", "do_exit(1)", "single_enter(2)\n!$omp single"],
        &[],
    );
}

#[test]
fn strictly_structured_blocks_and_scopes_of_the_language() {
    free(
        "!$omp parallel\nblock\ninteger :: k\nk = 1\nend block\nx = 2\nend\n",
        &[
            "!$omp parallel",
            "begin(1,pomp_p1)\nblock",
            "end block",
            "end parallel",
            "join(1",
            "x = 2",
        ],
        &[],
    );
    for (open, close) in [("associate (y => x)", "end associate"), ("block", "end block")] {
        free(
            &format!("{open}\n!$omp parallel\ny = 1\n!$omp end parallel\n{close}\nend\n"),
            &["integer(8) :: pomp_p1\n", open, "fork(1,pomp_p1)", "join(1,pomp_p1)", close],
            &[],
        );
    }
}

#[test]
fn units_of_every_kind() {
    free(
        "x = 1\n!$omp parallel\n!$omp end parallel\nend\n",
        &["integer(8) :: pomp_p1\nx = 1"],
        &[],
    );
    free(
        "submodule (m) s\ncontains\nmodule procedure p\n!$omp parallel\n!$omp end parallel\nend procedure\nend submodule\n",
        &["module procedure p\n", "integer(8) :: pomp_p1\ncall pomp_H_parallel_fork(1"],
        &[],
    );
    free(
        "program p\nimplicit none (type, external)\n!$omp barrier\nend\n",
        &["external)\nexternal :: pomp_H_barrier_enter\nexternal :: pomp_H_barrier_exit\ncall"],
        &[],
    );
    free(
        "subroutine s\nuse m\n#ifdef A\nuse a\n#endif\nimplicit none\n!$omp parallel\n!$omp end parallel\nend\n",
        &["#endif\nimplicit none\ninteger(8) :: pomp_p1\n"],
        &[],
    );
    free(
        "subroutine s\n#ifdef A\nuse a\n#endif\ninteger :: i\n!$omp parallel\n!$omp end parallel\nend\n",
        &["use a\n#endif\ninteger(8) :: pomp_p1\ninteger :: i\n"],
        &[],
    );
}

#[test]
fn an_implicit_first_section() {
    free(
        "!$omp sections\nx = 1\n!$omp section\ny = 1\n!$omp end sections\nend\n",
        &[
            "!$omp sections\ncall pomp_H_section_begin(2)\nx = 1\ncall pomp_H_section_end(2)",
            "!$omp section\ncall pomp_H_section_begin(3)\ny = 1\ncall pomp_H_section_end(3)",
            "end sections nowait",
        ],
        &[],
    );
}

#[test]
fn words_of_the_language_inside_of_names_and_strings() {
    free(
        "subroutine interface_flux\ninterface_x = 1\nend_do = 2\n!$omp parallel\n!$omp end parallel\nend\n",
        &["interface_flux\ninteger(8) :: pomp_p1\ninterface_x = 1\nend_do = 2\ncall"],
        &[],
    );
    free(
        "print *, 'a & !$omp parallel', \"it''s &\n& !$omp barrier\"\n!$omp barrier\nend\n",
        &["'a & !$omp parallel', \"it''s &\n& !$omp barrier\"\ncall pomp_H_barrier_enter(1)"],
        &["barrier_enter(2)"],
    );
}

#[test]
fn ifs_of_one_line_and_labels_of_loops() {
    trap_with(
        &Options { functions: Some(Functions::default()), ..options("t.f90") },
        "subroutine s\nif (a) return\nx = 1\nend\n",
        &["begin(1)", "if (a) then\ncall pomp_H_end(1)\nreturn\nend if\nx = 1\ncall pomp_H_end(1)"],
        &[],
    );
    free("!$omp do\ndo 10 i=1,2\n10 x = 1\ny = 2\nend\n", &["10 x = 1\n!$omp end do nowait"], &[]);
    // Nothing can be put between the ends of loops that share one.
    free(
        "do 10 j=1,2\n!$omp do\ndo 10 i=1,2\n10 x = 1\n!$omp barrier\nend\n",
        &["!$omp do\ndo 10 i=1,2\n10 x = 1\ncall pomp_H_barrier_enter"],
        &["do_enter"],
    );
}

#[test]
fn loops_that_share_a_labelled_end_do() {
    let input = "!$omp do collapse(2)\ndo 10 i=1,2\ndo 10 j=1,2\nx = 1\n10 end do\ny = 2\nend\n";
    free(input, &["x = 1\n10 end do\n!$omp end do nowait"], &[]);
    // Its label now stands in front of our call, so each loop needs an end of its own.
    let input = "!$omp taskloop collapse(2)\ndo 10 i=1,2\ndo 10 j=1,2\nx = 1\n10 end do\nend\n";
    free(input, &["do    j=1,2\n", "10 continue\n", "end do\nend do\n!$omp end taskloop"], &[]);
    let input = "!$omp taskloop\ndo 10 i=1,2\ndo 10 j=1,2\nx = 1\n10 end do\nend\n";
    free(input, &["do 10 j=1,2\n", "10 continue\n", "end do\n!$omp end taskloop"], &[]);
}

#[test]
fn labels_stay_in_use() {
    // `-Werror=unused-label`
    let input = "!$omp taskloop\ndo 10 i=1,2\n10 x = 1\nend\n";
    let has = ["do    i=1,2\n", "if (.false.) goto 10\n10 x = 1\n", "taskloop_end(", "end do"];
    free(input, &has, &[]);
    // An inner loop ends there, and names it.
    let input = "!$omp taskloop\ndo 10 i=1,2\ndo 10 j=1,2\n10 x = 1\nend\n";
    free(input, &["do    i=1,2\n", "do 10 j=1,2\n10 x = 1\n", "end do"], &["goto"]);
}

#[test]
fn constructs_in_which_nothing_may_be_called() {
    let chunks = Options { loop_chunks: true, ..options("t.f90") };
    trap_with(
        &chunks,
        "!$omp do order(concurrent)\ndo i=1,2\n!$omp atomic\nx=x+1\nend do\nend\n",
        &["do_enter(1,", "do i=1,2\n!$omp atomic\nx=x+1\nend do"],
        &["iteration", "atomic_"],
    );
    free(
        "!$omp parallel loop\ndo i=1,2\nx(i) = 1\nend do\nend\n",
        &["parallel_begin", "loop_enter(1)\n!$omp loop\ndo i=1,2\nx(i) = 1\nend do"],
        &["nowait"],
    );
    free(
        "!$omp do reduction(inscan,+:s)\ndo i=1,2\ns = s + 1\n!$omp scan inclusive(s)\nx(i) = s\nend do\nend\n",
        &["do_enter(1,", "s = s + 1\n!$omp scan inclusive(s)\nx(i) = s\nend do"],
        &["nowait"],
    );
}

#[test]
fn do_concurrent() {
    let input = "subroutine s\ndo concurrent (i=1:4)\n!$omp atomic\nx = x + 1\n!$omp parallel\n\
                 !$omp end parallel\nif (a) error stop\nend do\n!$omp barrier\nend\n";
    let all =
        Options { functions: Some(Functions::default()), loop_chunks: true, ..options("t.f90") };
    let inside = "\n!$omp atomic\nx = x + 1\n!$omp parallel\n!$omp end parallel\n";
    let inside = format!("do concurrent (i=1:4){inside}if (a) error stop\nend do\n");
    for options in [&options("t.f90"), &all] {
        trap_with(options, input, &[&inside, "barrier_enter"], &["atomic_enter", "fork"]);
    }
    let outcome = instrument(input.as_bytes(), &all).unwrap();
    let messages: Vec<&str> =
        outcome.diagnostics.iter().map(|diagnostic| diagnostic.message.as_str()).collect();
    assert!(messages[0].contains("nothing may be called in DO CONCURRENT"), "{messages:?}");
    // A user's region in it passes, too.
    free(
        "do concurrent (i=1:4)\n!$omp inst begin(r)\n!$omp inst end(r)\nend do\n!$omp barrier\nend\n",
        &["barrier_enter"],
        &["call pomp_H_begin"],
    );
    // The loop of a directive.
    trap_with(
        &all,
        "program p\n!$omp do\ndo concurrent (i=1:4)\nx(i) = 1\nend do\nend\n",
        &["do_enter", "do concurrent (i=1:4)\nx(i) = 1\nend do\n!$omp end do nowait"],
        &["iteration"],
    );
}

#[test]
fn metadirectives_keep_what_they_apply_to() {
    let when = "!$omp metadirective when(user={condition(c)}:";
    let all =
        Options { functions: Some(Functions::default()), loop_chunks: true, ..options("t.f90") };
    // Its loop follows directly; worksharing inside is measured.
    let input = format!(
        "subroutine s\ninteger :: i\n{when} parallel do)\ndo i=1,2\n!$omp critical\n\
         !$omp end critical\n!$omp task\n!$omp end task\nend do\nend\n"
    );
    let directive = format!("{when} parallel do)\ndo i=1,2\ncall pomp_H_critical_enter(");
    let has = ["call pomp_H_begin(", &directive, "\n!$omp task\n!$omp end task\nend do\n"];
    trap_with(&all, &input, &has, &["iteration", "fork", "task_create"]);
    // Nothing is called in code of a device or of vectors.
    let input = format!("{when} Target Teams Loop)\ndo i=1,2\n!$omp atomic\nx=1\nend do\nend\n");
    free(&input, &[], &["call"]);
    // It may stand between a directive and its loop.
    let input = format!("!$omp do\n{when} unroll)\ndo i=1,2\nend do\nx = 1\nend\n");
    let has = [
        "do_enter(1,[integer(8)::-1])\n!$omp do\n",
        "unroll)\ndo i=1,2\nend do\n!$omp end do nowait",
        "x = 1",
    ];
    trap_with(&Options { loop_chunks: true, ..options("t.f90") }, &input, &has, &["iteration"]);
    // Or alone, among declarations as well.
    let input = format!("subroutine s\n{when} nothing)\ninteger :: i\n!$omp barrier\nend\n");
    let has = ["nothing)\ninteger :: i\ncall pomp_H_begin(", "barrier_enter("];
    trap_with(&all, &input, &has, &[]);
    // It is said that it is not measured itself.
    let outcome = instrument(input.as_bytes(), &options("t.f90")).unwrap();
    let remarks: Vec<_> = outcome.diagnostics.iter().map(|remark| &*remark.message).collect();
    let left =
        "`metadirective`: what it becomes is left to the compiler: it has no events of its own";
    assert_eq!(remarks, [left]);
    // The END belongs to the one that says `begin`.
    let input = format!(
        "!$omp begin metadirective when(user={{condition(d)}}: parallel)\n{when} do)\n\
         do i=1,2\nend do\n!$omp end metadirective\n!$omp barrier\nend\n"
    );
    free(&input, &["!$omp end metadirective\ncall pomp_H_barrier_enter("], &[]);
    // A BLOCK may be its body.
    let input =
        format!("{when} parallel)\nblock\n!$omp parallel\n!$omp end parallel\nend block\nend\n");
    free(&input, &[], &["call"]);
}

#[test]
fn combined_constructs_of_newer_versions() {
    for (directive, event) in [
        ("parallel loop", "loop_enter"),
        ("parallel masked", "masked_begin"),
        ("parallel master", "master_begin"),
        ("parallel master taskloop", "taskloop_begin"),
        ("parallel masked taskloop simd", "taskloop_enter"),
    ] {
        let input = format!("!$omp {directive}\ndo i=1,2\nend do\n!$omp end {directive}\nend\n");
        free(&input, &["parallel_fork(1", event, "parallel_join(1"], &[]);
    }
    free(
        "!$omp parallel master taskloop if(taskloop: x)\ndo i=1,2\nend do\nend\n",
        &["!$omp parallel", "!$omp master", "!$omp taskloop", "if(taskloop: x)"],
        &[],
    );
}

#[test]
fn locks_with_hints_and_as_arguments() {
    let options = Options { locks: Locks::Rewrite, ..options("t.f90") };
    let input = b"use omp_lib\ncall omp_init_lock_with_hint(l, 1)\ncall f(omp_set_lock)\nend\n";
    let text = String::from_utf8(instrument(input, &options).unwrap().text).unwrap();
    assert!(text.contains("_init_lock_with_hint(l, 1)\ncall f(pomp_"), "{text}");
    assert!(!text.contains("call omp_"), "{text}");
}

#[test]
fn regions_keep_their_size_and_get_no_barrier() {
    free(
        "!$omp parallel\nx=1\n!$omp end parallel\nend\n",
        &["!$omp parallel", "!$omp end parallel"],
        &["num_threads", "barrier"],
    );
    for directive in ["task", "master", "masked", "critical", "ordered", "taskgroup"] {
        let input = format!("!$omp {directive}\nx=1\n!$omp end {directive}\nend\n");
        free(&input, &["call"], &["barrier", "nowait"]);
    }
    free("!$omp taskloop\ndo i=1,2\nend do\nend\n", &["taskloop_enter"], &["barrier", "nowait"]);
}

#[test]
fn cancellation_and_copyprivate_keep_the_barrier() {
    free("!$omp do\ndo i=1,2\n!$omp cancel do\nend do\nend\n", &["do_enter"], &["nowait"]);
    free(
        "!$omp single\nx=1\n!$omp end single copyprivate(x)\nend\n",
        &["end single copyprivate(x)"],
        &["nowait", "barrier_"],
    );
    free(
        "!$omp do reduction(task,+:x)\ndo i=1,2\nend do\nend\n",
        &["do_enter"],
        &["nowait", "barrier_"],
    );
}

#[test]
fn names_like_our_own() {
    free(
        "integer :: pomp_p1, pomp_n\n!$omp parallel\n!$omp end parallel\nend\n",
        &["integer(8) :: pomp1_p1\ninteger :: pomp_p1, pomp_n", "firstprivate(pomp1_p1)"],
        &["integer(8) :: pomp_p1\n", "(pomp_p1)"],
    );
}

#[test]
fn variables_under_any_data_sharing() {
    free(
        "!$omp parallel do firstprivate(x) lastprivate(x) default(none)\ndo i=1,2\nend do\nend\n",
        &["!$omp parallel", "default(none)", "!$omp do", "firstprivate(x)", "lastprivate(x)"],
        &[],
    );
    free(
        "!$omp do reduction(+:s)\ndo i=1,2\nend do\n!$omp end do nowait\nend\n",
        &["!$omp do reduction(+:s)", "!$omp end do nowait\ncall pomp_H_do_exit"],
        &["barrier"],
    );
}

#[test]
fn ways_out_of_regions_and_procedures() {
    let functions = Options { functions: Some(Functions::default()), ..options("t.f90") };
    trap_with(
        &functions,
        "recursive subroutine s\nif (a) return\ncall s\nstop 3\nend\n",
        &["begin(1)", "end(1)\nreturn", "call s\ncall pomp_H_end(1)\nstop 3"],
        &[],
    );
    // The runtime closes what the team has open.
    trap_with(
        &functions,
        "subroutine s\n!$omp parallel\nstop\n!$omp end parallel\nend\n",
        &["parallel_begin(", ")\nstop\ncall pomp_H_parallel_end"],
        &[],
    );
    trap_with(
        &functions,
        "pure subroutine s\nx=1\nend\nelemental function f(x)\nf=x\nend\nsubroutine o\n!$omp do\ndo i=1,2\nend do\nend\n",
        &["pure_begin(2_4)\nx=1", "pure_end(2_4)\nend", "pure_begin(3_4)\nf=x", "do_enter"],
        &["call pomp_H_begin(2)"],
    );
}

#[test]
fn what_others_do_not_see() {
    for directive in
        ["taskgroup", "masked", "scope", "teams", "target", "target data map(x)", "target teams"]
    {
        let end = directive.trim_end_matches(" map(x)");
        free(&format!("!$omp {directive}\nx=1\n!$omp end {end}\nend\n"), &["call pomp_H_"], &[]);
    }
    for directive in ["taskloop", "loop", "distribute", "target teams loop", "teams distribute"] {
        free(&format!("!$omp {directive}\ndo i=1,2\nend do\nend\n"), &["call pomp_H_"], &[]);
    }
    for directive in ["taskyield", "cancel do", "cancellation point do", "target update to(x)"] {
        free(&format!("!$omp {directive}\nend\n"), &["call pomp_H_"], &[]);
    }
    // Loop transformations and vectors pass through with their loop.
    for directive in ["simd", "tile sizes(2)", "unroll partial(2)"] {
        let input = format!("!$omp {directive}\ndo i=1,2\nend do\n!$omp barrier\nend\n");
        let kept = format!("!$omp {directive}\ndo i=1,2\nend do\n");
        free(&input, &[&kept, "barrier_enter(1)"], &[]);
    }
    // Its `if` may be false.
    free("!$omp task if(.false.)\nx=1\n!$omp end task\nend\n", &["task_create_begin"], &[]);
}

/// Another name with a parenthesis is mostly that of an array.
#[test]
fn atomics_that_call_functions_of_the_file_say_so() {
    let input = b"subroutine s(x,k)\n!$omp atomic\nx(k(1))=x(k(1))+f(2)\n!$omp atomic capture\n\
                  v=x(1)\nx(1)=F (v)\n!$omp end atomic\n!$omp atomic\nx(1)=x(1)+k(2)\nend\n\
                  integer function f(k)\nf=k\nend\n";
    let regions = instrument(input, &options("t.f90")).unwrap().regions;
    let calls = regions.iter().map(|region| region.clauses.contains("calls"));
    assert_eq!(calls.collect::<Vec<_>>(), [true, true, false]);
}

#[test]
fn flushes_and_atomics_are_counted_unless_asked_for() {
    let outcome = |enabled: &str| {
        let mut options = options("t.f90");
        options.enabled = pompeii_instrument::ConstructSet::enabled(enabled).unwrap();
        instrument(b"!$omp flush\n!$omp atomic\nx=x+1\nend\n", &options).unwrap()
    };
    assert!(outcome("").regions.iter().all(|region| !region.clauses.contains("timed")));
    assert!(outcome("flush,atomic").regions.iter().all(|region| region.clauses.contains("timed")));
}

#[test]
fn twice_the_same_text_gives_twice_the_same_output() {
    let output = || {
        let input = b"!$omp parallel\n!$omp critical (a)\n!$omp end critical (a)\n!$omp end parallel\nend\n";
        instrument(input, &options("t.f90")).unwrap().text
    };
    assert_eq!(output(), output());
}

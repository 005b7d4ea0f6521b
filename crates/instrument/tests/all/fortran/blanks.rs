//! In fixed form blanks mean nothing, in directives neither: each directive is the same with blanks
//! anywhere, and without any.

use expect_test::expect;
use pompeii_instrument::{Language, Options, Outcome, instrument, undo};
use std::fmt::Write;

/// Directives, `|` behind their names, with the statements behind them. `D` is a loop and an END
/// directive, `B` a body and one.
const DIRECTIVES: &[(&str, &str)] = &[
    ("parallel| num_threads(2) private(x) default(shared)", "B"),
    ("parallel do| schedule(static, 3) collapse(1) reduction(+: s)", "D"),
    ("parallel do simd| safelen(4)", "D"),
    ("parallel sections|", "B"),
    ("parallel workshare|", "B"),
    ("parallel loop| bind(parallel)", "D"),
    ("parallel master|", "B"),
    ("parallel masked| filter(1)", "B"),
    ("parallel master taskloop| grainsize(3)", "D"),
    ("parallel masked taskloop| nogroup", "D"),
    ("parallel masked taskloop simd|", "D"),
    ("do| schedule(dynamic) ordered", "D"),
    ("do simd|", "D"),
    ("sections| lastprivate(x)", "B"),
    ("workshare|", "B"),
    ("single| private(x)", "B"),
    ("scope| reduction(+: s)", "B"),
    ("master|", "B"),
    ("masked| filter(2)", "B"),
    ("critical|", "B"),
    ("critical| (name)", "B"),
    ("ordered|", "B"),
    ("ordered| threads simd", "B"),
    ("ordered| depend(source)", ""),
    ("ordered| doacross(sink: i - 1)", ""),
    ("atomic|", "      x = x + 1\n"),
    ("atomic| update seq_cst", "      x = x + 1\n"),
    ("atomic| read acquire", "      y = x\n"),
    ("atomic| capture relaxed", "      y = x\n      x = 1\n"),
    ("flush|", ""),
    ("flush| (x, y)", ""),
    ("flush| acq_rel", ""),
    ("barrier|", ""),
    ("task| untied mergeable firstprivate(x) if(x > 1)", "B"),
    ("task| depend(in: x) final(x > 3) priority(2)", "B"),
    ("taskloop| num_tasks(3)", "D"),
    ("taskloop simd|", "D"),
    ("master taskloop|", "D"),
    ("masked taskloop simd|", "D"),
    ("taskgroup| task_reduction(+: s)", "B"),
    ("taskwait|", ""),
    ("taskwait| depend(in: x) nowait", ""),
    ("taskyield|", ""),
    ("taskgraph|", "B"),
    ("cancel do| if(x > 1)", ""),
    ("cancel taskgroup|", ""),
    ("cancellation point parallel|", ""),
    ("simd| simdlen(4)", "D"),
    ("loop| bind(thread)", "D"),
    ("teams| num_teams(2)", "B"),
    ("teams distribute|", "D"),
    ("teams distribute parallel do simd|", "D"),
    ("teams loop|", "D"),
    ("distribute| dist_schedule(static)", "D"),
    ("distribute simd|", "D"),
    ("distribute parallel do|", "D"),
    ("target| map(tofrom: x) nowait", "B"),
    ("target parallel do|", "D"),
    ("target teams distribute parallel do simd|", "D"),
    ("target simd|", "D"),
    ("target loop|", "D"),
    ("target data| map(to: x)", "B"),
    ("target_data| map(to: x)", "B"),
    ("target enter data| map(to: x)", ""),
    ("target exit data| map(from: x)", ""),
    ("target update| to(x)", ""),
    ("tile| sizes(4)", "D"),
    ("unroll| partial(2)", "D"),
    ("unroll| full", "D"),
    ("interchange| permutation(2, 1)", "D"),
    ("reverse|", "D"),
    ("stripe| sizes(4)", "D"),
    ("split| counts(1, omp_fill)", "D"),
    ("fuse|", "D"),
    ("assume| no_openmp", "B"),
    ("dispatch| nowait", "      call f(x)\n"),
    ("allocators| allocate(x)", "      x = 1\n"),
    ("interop| init(targetsync: o)", ""),
    ("error| at(execution) severity(warning) message('a b')", ""),
    ("nothing|", ""),
    ("depobj| (o) destroy", ""),
    ("allocate| (x)", ""),
    ("scan| inclusive(x)", ""),
    ("threadprivate| (/c/)", ""),
    ("groupprivate| (x)", ""),
    ("declare target| (f)", ""),
    ("declare simd| (f) notinbranch", ""),
    ("declare reduction| (add: real: omp_out = omp_out + omp_in)", ""),
    ("declare mapper| (t :: v) map(v)", ""),
    ("declare variant| (f: g) match(construct={parallel})", ""),
    ("declare induction| (step: t) inductor(omp_step)", ""),
    ("requires| atomic_default_mem_order(seq_cst)", ""),
    ("assumes| no_openmp", ""),
    ("metadirective| when(user={condition(.true.)}: parallel do) default(single)", "D"),
    ("metadirective| when(device={kind(gpu)}: flush) otherwise(barrier)", ""),
    ("begin metadirective| when(user={condition(.true.)}: parallel private(x))", "B"),
    ("task_iteration| depend(in: x)", ""),
    ("workdistribute|", "B"),
    ("inst begin(name)|", ""),
];

/// What is said of a text: its regions, and what is left alone, without blanks.
fn said(source: &str) -> String {
    let options = Options::new("f.f", Language::FortranFixed);
    let outcome = match instrument(source.as_bytes(), &options) {
        Ok(outcome) => outcome,
        Err(error) => return format!("{error}\n{source}"),
    };
    assert_eq!(undo(&outcome.text).expect("a whole record"), source.as_bytes(), "undo");
    let Outcome { regions, diagnostics, directives_found, directives_instrumented, .. } = outcome;
    let mut said = format!("{directives_found} {directives_instrumented}");
    for region in regions {
        let _ = write!(said, "\n{} {} {}", region.name, region.sub_name, region.clauses);
    }
    for remark in diagnostics {
        let _ = write!(said, "\n{:?} {} {}", remark.severity, remark.line, remark.message);
    }
    // In clauses, blanks stand as `_`.
    said.retain(|character| !matches!(character, ' ' | '_'));
    said
}

/// A subroutine with one directive, of which `spaced` changes the text.
fn text(directive: &str, behind: &str, mut spaced: impl FnMut(&str) -> String) -> String {
    let mut line = |text: &str| {
        let text = spaced(text);
        let mut lines = String::new();
        for (at, character) in text.chars().enumerate() {
            match at {
                0 => lines.push_str("!$OMP "),
                at if at % 66 == 0 => lines.push_str("\n!$OMP&"),
                _ => {}
            }
            lines.push(character);
        }
        lines + "\n"
    };
    let (name, clauses) = directive.split_once('|').expect("a name");
    let end = name.strip_prefix("begin ").unwrap_or(name);
    let begin = line(&format!("{name}{clauses}"));
    let behind = match behind {
        "D" => "      do i = 1, 3\n      x = i\n      end do\n".to_owned(),
        "B" => "      x = 1\n".to_owned(),
        other => return format!("      subroutine s(x)\n{begin}{other}      end\n"),
    };
    format!("      subroutine s(x)\n{begin}{behind}{}      end\n", line(&format!("end {end}")))
}

/// Puts blanks in, or takes them out, outside of strings.
fn change(text: &str, mut blanks: impl FnMut() -> usize) -> String {
    let mut quoted = false;
    let mut changed = String::new();
    for character in text.chars() {
        quoted ^= character == '\'';
        match character {
            ' ' if !quoted => {}
            _ if quoted => changed.push(character),
            _ => {
                changed.extend(std::iter::repeat_n(' ', blanks()));
                changed.push(character);
            }
        }
    }
    changed
}

#[test]
fn blanks_mean_nothing_in_directives() {
    let mut state = 12345u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) as usize
    };
    let mut wrong = String::new();
    for &(directive, behind) in DIRECTIVES {
        let plain = said(&text(directive, behind, str::to_owned));
        assert!(!plain.contains("known"), "{directive}: {plain}");
        let mut compare = |spaced: String| {
            let spaced_said = said(&spaced);
            if spaced_said != plain {
                let _ = writeln!(wrong, "{directive}:\n{spaced}{plain}\n{spaced_said}\n");
            }
        };
        compare(text(directive, behind, |text| change(text, || 0)));
        compare(text(directive, behind, |text| change(text, || 1)));
        for chance in [2, 3, 5, 8, 13] {
            let one = || usize::from(random() % chance == 0);
            let mut one = one;
            compare(text(directive, behind, |text| change(text, &mut one)));
        }
    }
    assert_eq!(wrong, "");
}

/// The same table says what has no events: such directives stay as they are.
#[test]
fn directives_without_events_pass_through() {
    let mut passed = Vec::new();
    for &(directive, behind) in DIRECTIVES {
        let source = text(directive, behind, str::to_owned);
        let options = Options::new("f.f", Language::FortranFixed);
        let outcome = instrument(source.as_bytes(), &options).expect("a text that can be read");
        if outcome.regions.is_empty() {
            assert_eq!(outcome.text, source.as_bytes(), "{directive}");
            assert!(outcome.diagnostics.is_empty(), "{directive}: {:?}", outcome.diagnostics);
            passed.push(directive.split('|').next().unwrap_or_default());
        }
    }
    passed.dedup();
    expect![[r#"
        ordered
        taskgraph
        simd
        tile
        unroll
        interchange
        reverse
        stripe
        split
        fuse
        assume
        dispatch
        allocators
        interop
        error
        nothing
        depobj
        allocate
        scan
        threadprivate
        groupprivate
        declare target
        declare simd
        declare reduction
        declare mapper
        declare variant
        declare induction
        requires
        assumes
        task_iteration
        workdistribute"#]]
    .assert_eq(&passed.join("\n"));
}

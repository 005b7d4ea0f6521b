//! `pompeii convert --to otf2`: a part of a trace is a trace, and what is refused.

use crate::common::Sandbox;

/// A function that calls another one in each of two threads.
const CALLS: &str = "static __attribute__((noinline)) int inner(int n) { return n * 2; }
static __attribute__((noinline)) int outer(int n) {
  int sum = 0;
#pragma omp parallel num_threads(2) reduction(+:sum)
  sum += inner(n);
  return sum;
}
int main(void) { return outer(1) != 4; }
";

fn traced() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.file("calls.c", CALLS);
    sandbox.succeeds("compile --functions -q -- gcc -g -fopenmp calls.c -o calls");
    sandbox.succeeds("run -q --trace -o exp -- ./calls");
    sandbox
}

/// The events of a trace as text. Their number is in the definitions, too.
fn events(sandbox: &Sandbox, trace: &str) -> Vec<String> {
    let text = sandbox.succeeds(&format!("dump {trace}/traces.otf2")).output;
    let is_event = |line: &&str| line.starts_with(|c: char| c.is_ascii_uppercase());
    text.lines().filter(is_event).skip(1).map(str::to_owned).collect()
}

/// The location and the time of an event.
fn place(event: &str) -> (u64, u64) {
    let mut words = event.split_whitespace().skip(1).map(|word| word.parse().unwrap());
    (words.next().unwrap(), words.next().unwrap())
}

#[test]
fn all_of_a_trace_is_the_trace() {
    let sandbox = traced();
    let ended = sandbox.succeeds("convert exp --to otf2 -o all");
    ended.says("all is written: its anchor is traces.otf2 there");
    for options in ["", "-G"] {
        let [whole, all] = ["exp", "all"]
            .map(|trace| sandbox.succeeds(&format!("dump {options} {trace}/traces.otf2")).output);
        assert_eq!(all, whole);
    }
}

/// Ticks in a second and the begin of a trace.
fn clock(sandbox: &Sandbox) -> (u64, u64) {
    let text = sandbox.succeeds("dump -G exp/traces.otf2").output;
    let line = text.lines().find(|line| line.starts_with("CLOCK_PROPERTIES")).unwrap();
    let number = |name: &str| {
        let (_, rest) = line.split_once(name).unwrap_or_else(|| panic!("{line}"));
        rest.trim().split([',', ' ']).next().unwrap().parse().unwrap()
    };
    (number("Ticks per Seconds:"), number("Global Offset:"))
}

#[test]
fn a_window_has_the_events_of_its_time() {
    let sandbox = traced();
    let whole = events(&sandbox, "exp");
    let (rate, begin) = clock(&sandbox);
    let entry = |event: &&String| event.starts_with("ENTER") && event.contains("\"inner\"");
    let end = place(whole.iter().find(entry).unwrap()).1;
    let seconds = (end - begin) as f64 / rate as f64;
    sandbox.succeeds(&format!("convert exp --to otf2 --window 0:{seconds:.12} -o part"));
    sandbox.succeeds("dump --check part/traces.otf2");
    let part = events(&sandbox, "part");
    let is_before = |event: &&String| place(event).1 < end;
    let expected: Vec<&String> = whole.iter().filter(is_before).collect();
    assert_eq!(part.iter().filter(is_before).collect::<Vec<_>>(), expected);
    // What is open is left at the end.
    let number = |name: &str| part.iter().filter(|event| event.starts_with(name)).count();
    assert_eq!(number("ENTER"), number("LEAVE"), "{part:?}");
    assert_eq!(place(part.last().unwrap()).1, end);
    sandbox.succeeds("convert exp --to otf2 --window :1000000 -o long");
    assert_eq!(events(&sandbox, "long"), whole);
}

#[test]
fn locations_and_functions_can_be_chosen() {
    let sandbox = traced();
    let whole = events(&sandbox, "exp");
    let second = whole.iter().map(|event| place(event).0).max().unwrap();
    sandbox.succeeds("convert exp --to otf2 --locations 0.1 -o second");
    let of_second = |event: &&String| place(event).0 == second;
    let expected: Vec<&String> = whole.iter().filter(of_second).collect();
    assert_eq!(events(&sandbox, "second").iter().collect::<Vec<_>>(), expected);
    sandbox.succeeds("convert exp --to otf2 --locations 0 -o both");
    assert_eq!(events(&sandbox, "both"), whole);
    sandbox.file("filter", "SCOREP_REGION_NAMES_BEGIN\nEXCLUDE inner\nSCOREP_REGION_NAMES_END\n");
    sandbox.succeeds("convert exp --to otf2 --filter filter -o outer");
    sandbox.succeeds("dump --check outer/traces.otf2");
    let expected = whole.iter().filter(|event| !event.contains("\"inner\""));
    let expected: Vec<&String> = expected.collect();
    assert!(expected.len() <= whole.len() - 4, "two threads enter and leave it: {whole:?}");
    assert_eq!(events(&sandbox, "outer").iter().collect::<Vec<_>>(), expected);
}

#[test]
fn what_the_trace_does_not_have_is_refused() {
    let sandbox = traced();
    for (options, says) in [
        ("otf2 --window 5", "--window 5: expected START:END in seconds"),
        ("otf2 --window a:1", "--window a:1: expected START:END in seconds"),
        ("otf2 --window=-1:1", "--window -1:1: expected START:END in seconds"),
        ("otf2 --window 2:1", "--window 2:1: ends before it starts"),
        ("otf2 --window 1000:", "--window 1000:: starts after the end of the trace, which has "),
        ("otf2 --locations 1", "--locations 1: the trace has no such location"),
        ("otf2 --locations 0.2", "--locations 0.2: the trace has no such location"),
        ("otf2 --locations a", "--locations a: expected RANK or RANK.THREAD"),
        ("otf2 --filter nosuch", "cannot read the filter nosuch"),
        ("csv --window 0:1", "--window, --locations and --filter are for --to otf2 only"),
    ] {
        let ended = sandbox.pompeii(&format!("convert exp -o out --to {options}"));
        assert_eq!(ended.code, Some(2), "{options}: {}", ended.messages);
        ended.says(says);
        assert!(!sandbox.exists("out"), "{options}");
    }
}

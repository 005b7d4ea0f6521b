//! `pompeii report --flat`: what is printed, and what is refused.

use crate::common::{LOOP, Sandbox};

fn measured() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let ended = sandbox.pompeii("run -q -o exp -- ./loop");
    assert_eq!(ended.code, Some(3), "{}", ended.messages);
    sandbox
}

#[test]
fn regions_and_constructs_have_lines() {
    let sandbox = measured();
    let regions = sandbox.succeeds("report exp --flat").output;
    assert!(regions.starts_with(" Flat profile of all 2 threads together\n"), "{regions}");
    assert!(regions.contains("  for main loop.c:4\n"), "{regions}");
    let constructs = sandbox.succeeds("report exp --flat --by construct --sort name").output;
    assert!(constructs.contains("  loop\n"), "{constructs}");
    assert!(!constructs.contains("loop.c:4"), "{constructs}");
    let thread = sandbox.succeeds("report exp/profile.cubex --flat --thread 0,0,1").output;
    assert!(thread.starts_with(" Flat profile of thread 1 (0,0,1)\n"), "{thread}");
    let mean = sandbox.succeeds("report exp --flat --thread mean --by function").output;
    assert!(mean.starts_with(" Flat profile of the mean of 2 threads\n"), "{mean}");
    assert!(!mean.contains("parallel"), "{mean}");
    json_has_the_lines_of_the_table(&sandbox, &regions);
}

fn json_has_the_lines_of_the_table(sandbox: &Sandbox, table: &str) {
    let json = sandbox.succeeds("report exp --flat --json").output;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!((&json["by"], &json["thread"]), (&"region".into(), &"total".into()));
    let lines = json["lines"].as_array().unwrap();
    assert_eq!(lines.len(), table.lines().count() - 2);
    for (line, row) in lines.iter().zip(table.lines().skip(2)) {
        assert!(row.ends_with(line["name"].as_str().unwrap()), "{row}");
    }
    // The first line is the program, which has all time and one visit.
    assert_eq!((&lines[0]["inclusive_s"], &lines[0]["visits"]), (&json["time_s"], &1.0.into()));
}

#[test]
fn unknown_threads_and_options_without_flat_are_refused() {
    let sandbox = measured();
    let ended = sandbox.pompeii("report exp --flat --thread 0,0,2");
    assert_eq!(ended.code, Some(2), "{}", ended.messages);
    ended.says("exp has no thread `0,0,2`; expected total, mean, or n,c,t; its threads are 0,0,0");
    for options in [
        "--sort name",
        "--thread mean",
        "--flat --json --lines",
        "--flat --top 3",
        "--flat --sort v",
    ] {
        let ended = sandbox.pompeii(&format!("report exp {options}"));
        assert_eq!(ended.code, Some(2), "{options}: {}", ended.messages);
    }
}

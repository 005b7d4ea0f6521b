//! What `pompeii cube` writes, against values that a script computes from the operands with pycubexr
//! alone. Runs where POMPEII_ORACLES is set; `PYTHON` names an interpreter that has pycubexr.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;

use pompeii_testing::oracles;

/// A report with inclusive, exclusive, integer and floating-point metrics on two processes of two
/// threads; the seed decides about values and whether there is `output`. (pycubexr takes reports with
/// one root only.)
fn text(seed: u64, extra_metric: bool) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut random = |limit: u64| {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % limit
    };
    let mut text = "time INCLUSIVE DOUBLE sec\nvisits EXCLUSIVE UINT64 occ\n".to_owned();
    text += "bytes INCLUSIVE INT64 bytes\nsmall EXCLUSIVE UINT32 #\n";
    let extra = ["", "flops INCLUSIVE UINT64 #\n"][usize::from(extra_metric)];
    text += extra;
    text += "\nmain time=100,90,80,70.5 visits=1,1,1,1 bytes=7,8,9,-10\n";
    // Names occur once below each parent, so that paths of names are call paths.
    for outer in ["init", "solve", "output"] {
        if outer == "output" && random(2) == 0 {
            continue;
        }
        let mut line = |depth: usize, name: &str| {
            write!(text, "{}{name}", "  ".repeat(depth)).unwrap();
            for metric in ["time", "visits", "bytes", "small", "flops"] {
                if metric == "flops" && !extra_metric || random(3) == 0 {
                    continue;
                }
                let row: Vec<String> = (0..4).map(|_| random(1000).to_string()).collect();
                write!(text, " {metric}={}", row.join(",")).unwrap();
            }
            text.push('\n');
        };
        line(1, outer);
        for inner in ["dot", "solve", "barrier"] {
            line(2, inner);
            line(3, "wait");
        }
    }
    text
}

fn python(arguments: &[&str], folder: &Path) -> u64 {
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cube_algebra.py");
    let output =
        Command::new(&python).arg(script).args(arguments).current_dir(folder).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{arguments:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).trim().parse().unwrap()
}

fn pompeii(arguments: &str, folder: &Path) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pompeii"));
    command.arg("cube").args(arguments.split_whitespace()).current_dir(folder);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn pycubexr_computes_the_same() {
    if !oracles() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    for seed in 1..4 {
        for (name, seed, extra) in
            [("a", seed, false), ("b", seed + 100, true), ("c", seed + 200, false)]
        {
            let bytes = crate::reports::bytes(&[2, 2], &text(seed, extra), |_| {});
            fs::write(folder.join(format!("{name}.cubex")), bytes).unwrap();
        }
        let tools: [(&str, &str, &[&str]); 12] = [
            ("diff a.cubex b.cubex", "diff", &["a.cubex", "b.cubex"]),
            ("diff a.cubex b.cubex -C", "collapse", &["a.cubex", "b.cubex"]),
            ("mean a.cubex b.cubex c.cubex", "mean", &["a.cubex", "b.cubex", "c.cubex"]),
            ("merge a.cubex b.cubex", "merge", &["a.cubex", "b.cubex"]),
            ("merge b.cubex a.cubex --union", "merge", &["b.cubex", "a.cubex"]),
            ("cut a.cubex -r init", "root=init", &["a.cubex"]),
            ("cut a.cubex -p barrier", "prune=barrier", &["a.cubex"]),
            ("cut a.cubex -l dot", "leaf=dot", &["a.cubex"]),
            ("part a.cubex -R 1", "columns=2:4", &["a.cubex"]),
            ("part a.cubex -R 1 -I", "columns=0:2", &["a.cubex"]),
            ("clean a.cubex -z", "clean", &["a.cubex"]),
            ("convert a.cubex", "convert", &["a.cubex"]),
        ];
        for (arguments, tool, operands) in tools {
            let compress = ["", "--compress"][seed as usize % 2];
            pompeii(&format!("{arguments} -o out.cubex {compress}"), folder);
            let mut words = vec![tool, "out.cubex"];
            words.extend(operands);
            let compared = python(&words, folder);
            assert!(compared > 10, "{arguments}: {compared} values that are not zero");
        }
        // Cube 3, read by a reader of its own; and by way of Cube 3 back.
        pompeii("convert a.cubex -o a.cube.gz", folder);
        let compared = python(&["convert", "a.cube.gz", "a.cubex"], folder);
        assert!(compared > 10, "{compared} values of Cube 3 that are not zero");
        pompeii("convert a.cube.gz -o out.cubex", folder);
        python(&["convert", "out.cubex", "a.cubex"], folder);
    }
}

//! What a terminal gets and a pipe does not: its width, colours, and a line while work goes on.
//! `script` (util-linux) is the terminal.

use std::fs;
use std::process::{Child, Command, Stdio};

use crate::common::{Ended, LOOP, Sandbox};

/// A name that fits in no narrow table.
const LONG: &str =
    "a_function_whose_name_is_so_long_that_no_table_of_eighty_columns_has_room_for_all_of_it";

fn measured(options: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    let text = format!(
        "int {LONG}(int i) {{ volatile double x = 0; for (int j = 0; j < 200000; j++) x += j; \
         return i + (x > 0); }}\nint main(void) {{ int s = 0;\n\
         #pragma omp parallel for reduction(+:s)\n  for (int i = 0; i < 900; i++) \
         if (i % 2 == 0) s += {LONG}(i);\n  return s == 0; }}\n"
    );
    sandbox.file("a.c", &text);
    sandbox.succeeds("compile --strict -q --functions -- gcc -fopenmp a.c -o a");
    sandbox.succeeds(&format!("run -q {options} -o exp -- ./a"));
    sandbox
}

/// A shell command on a terminal, with `pompeii` in front of its words.
fn on_terminal(
    sandbox: &Sandbox,
    columns: usize,
    words: &str,
    variables: &[(&str, &str)],
) -> String {
    let pompeii = env!("CARGO_BIN_EXE_pompeii");
    let line = format!("stty cols {columns} rows 40; {}", words.replace("pompeii", pompeii));
    let mut command = sandbox.command("");
    let environment: Vec<_> =
        command.get_envs().map(|(n, v)| (n.to_owned(), v.map(ToOwned::to_owned))).collect();
    command = Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).current_dir(sandbox.path(""));
    for (name, value) in environment {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.env("TERM", "xterm").env_remove("NO_COLOR").env_remove("COLUMNS");
    let ended =
        Ended::of(command.envs(variables.iter().copied()).stdin(Stdio::null()).output().unwrap());
    assert_eq!(ended.code, Some(0), "{words}\n{}", ended.output);
    ended.output.replace("\r\n", "\n")
}

/// Without the codes of colours, which take no column.
fn plain(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let first = parts.next().unwrap().to_owned();
    first + &parts.map(|part| part.split_once('m').unwrap().1).collect::<String>()
}

/// A word of a sentence or of a title stays whole, so such a line is wider than the terminal. Lines
/// of a table end with a share.
fn widest(text: &str) -> usize {
    let text = plain(text);
    let is_word = |line: &str| line.contains(LONG) && !line.ends_with('%');
    let lines = text.lines().filter(|line| !is_word(line));
    lines.map(|line| line.chars().count()).max().unwrap_or(0)
}

/// Whether the name is whole in a table.
fn has_whole_name(text: &str) -> bool {
    plain(text).lines().any(|line| line.contains(LONG) && line.ends_with('%'))
}

#[test]
fn reports_are_as_wide_as_the_terminal() {
    let sandbox = measured("");
    for (columns, most) in [(20, 60), (60, 60), (100, 100), (200, 200), (500, 200)] {
        let text = on_terminal(&sandbox, columns, "pompeii report exp", &[]);
        assert!(widest(&text) <= most, "{columns}\n{text}");
        assert_eq!(has_whole_name(&text), columns >= 150, "{columns}\n{text}");
    }
    // Some shells set it anew after each command.
    let text = on_terminal(&sandbox, 60, "COLUMNS=180 pompeii report exp", &[]);
    assert!(has_whole_name(&text) && widest(&text) > 100, "{text}");
}

#[test]
fn a_pipe_gets_plain_text_and_whole_names() {
    let sandbox = measured("");
    let text = sandbox.succeeds("report exp").output;
    assert!(has_whole_name(&text) && !text.contains('…'), "{text}");
    assert!(!text.contains('\x1b') && !text.contains('█'), "{text}");
    let sentences = text.lines().filter(|line| !line.contains(LONG) && line.ends_with('.'));
    assert!(sentences.into_iter().all(|line| line.chars().count() <= 80), "{text}");
    let mut command = sandbox.command("report exp");
    assert_eq!(Ended::of(command.env("COLUMNS", "200").output().unwrap()).output, text);
}

#[test]
fn colours_are_for_terminals_that_want_them() {
    let sandbox = measured("");
    let report = |variables: &[_]| on_terminal(&sandbox, 80, "pompeii report exp", variables);
    let text = report(&[]);
    assert!(text.contains("\x1b[1m") && text.contains("\x1b[0m") && text.contains('█'), "{text}");
    for variable in [("NO_COLOR", "1"), ("TERM", "dumb")] {
        let text = report(&[variable]);
        assert!(!text.contains('\x1b') && text.contains('█'), "{variable:?}\n{text}");
    }
    let summary = on_terminal(&sandbox, 80, "pompeii run -o two -- ./a", &[]);
    assert!(summary.contains("\x1b[1m"), "{summary}");
    let page = on_terminal(&sandbox, 80, "pompeii run -o three -- ./a 2>&1 | cat", &[]);
    assert!(!page.contains('\x1b'), "{page}");
}

/// A process that is ended with the test.
struct Helper(Child);

impl Drop for Helper {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn long_work_is_seen_on_a_terminal_only() {
    let sandbox = Sandbox::new();
    sandbox.compile("a", LOOP);
    for (name, redirected) in [("one", ""), ("two", "2> messages")] {
        let mut program = Command::new(sandbox.path("a"));
        program.env("POMPEII_EXPERIMENT", sandbox.path(name)).stdout(Stdio::null());
        program.stderr(Stdio::null()).env("POMPEII_TRACE", "1");
        program.env_remove("LD_LIBRARY_PATH").status().unwrap();
        // Whoever finishes an experiment waits for its lock.
        let holds = format!("exec 9<{name}; flock 9; : > {name}.held; exec sleep 60");
        let mut shell = Command::new("sh");
        let helper =
            Helper(shell.args(["-c", &holds]).current_dir(sandbox.path("")).spawn().unwrap());
        while !sandbox.exists(&format!("{name}.held")) {
            std::thread::yield_now();
        }
        let pid = helper.0.id();
        let words = format!("(sleep 2.5; kill {pid}) & pompeii recover {name} {redirected}; wait");
        let text = on_terminal(&sandbox, 80, &words, &[]);
        assert_eq!(text.contains(&format!("finishing {name}")), redirected.is_empty(), "{text}");
        assert!(text.contains("finished now"), "{text}");
    }
    assert_eq!(fs::read_to_string(sandbox.path("messages")).unwrap(), "");
}

#[test]
fn a_dump_into_a_file_counts_its_events() {
    let sandbox = measured("--trace --no-guard");
    // The pipe is full after 64 KiB, and its reader sleeps.
    let words = "pompeii dump exp -A --json | (sleep 2.5; cat > all)";
    let text = on_terminal(&sandbox, 80, words, &[]);
    assert!(text.contains("reading exp/traces.otf2"), "{text}");
    assert!(fs::metadata(sandbox.path("all")).unwrap().len() > 1 << 16);
    let text = on_terminal(&sandbox, 80, "pompeii dump exp | (sleep 2.5; cat > all)", &[]);
    assert!(text.contains("reading exp/traces.otf2") && text.contains(" % "), "{text}");
}

#[test]
fn a_shell_completes_commands_and_options() {
    let sandbox = Sandbox::new();
    let script = "source <(\"$0\" completions bash) || exit 1
        complete_() { COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
            _pompeii pompeii \"${@: -1}\" \"${@: -2:1}\"; echo \"${COMPREPLY[*]}\"; }
        complete_ pompeii rep
        complete_ pompeii cube calltree --incl
        complete_ pompeii completions z";
    let mut bash = Command::new("bash");
    bash.args(["-c", script, env!("CARGO_BIN_EXE_pompeii")]);
    let ended = Ended::of(bash.output().unwrap());
    assert_eq!(
        (ended.output.as_str(), ended.messages.as_str()),
        ("report\n--inclusive\nzsh\n", "")
    );
    for (shell, check) in [("zsh", "-n"), ("fish", "-n")] {
        let told = sandbox.succeeds(&format!("completions {shell} --dir scripts"));
        told.says("is written");
        let file =
            sandbox.path(if shell == "zsh" { "scripts/_pompeii" } else { "scripts/pompeii.fish" });
        match Command::new(shell).arg(check).arg(&file).output() {
            Ok(output) => assert!(output.status.success(), "{output:?}"),
            Err(_) => println!("NOT RUN: {shell} is not installed: its script is not checked"),
        }
        assert!(fs::read_to_string(file).unwrap().contains("inclusive"));
    }
}

#[test]
fn manual_pages_have_the_examples_first() {
    let sandbox = Sandbox::new();
    sandbox.succeeds("completions man --dir pages").says("files are written into pages");
    let page = fs::read_to_string(sandbox.path("pages/pompeii-cube-calltree.1")).unwrap();
    let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text}\n{page}"));
    assert!(at(".SH SYNOPSIS") < at(".SH EXAMPLES") && at(".SH EXAMPLES") < at(".SH OPTIONS"));
    assert!(page.contains("pompeii cube calltree before"));
    let first = sandbox.succeeds("completions man").output;
    assert_eq!(first, fs::read_to_string(sandbox.path("pages/pompeii.1")).unwrap());
    for name in ["pompeii", "pompeii-run", "pompeii-cube-calltree", "pompeii-filter-init"] {
        let file = sandbox.path(&format!("pages/{name}.1"));
        let man = Command::new("man").args(["--warnings", "-l"]).arg(&file).output();
        let Ok(output) = man else {
            println!("NOT RUN: man is not installed: its pages are not rendered");
            return;
        };
        let ended = Ended::of(output);
        assert_eq!(ended.messages, "", "{name}");
        assert!(ended.output.contains("EXAMPLES"), "{name}\n{}", ended.output);
    }
}

#[test]
fn a_version_names_what_must_fit() {
    let sandbox = Sandbox::new();
    let text = sandbox.succeeds("--version").output;
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with(concat!("pompeii ", env!("CARGO_PKG_VERSION"))), "{text}");
    assert!(lines[1].starts_with("libpomp: POMP 1 and POMP2 interfaces, live state "), "{text}");
    assert_eq!(
        sandbox.succeeds("-V").output.lines().next(),
        Some(lines[0].split(" (").next().unwrap())
    );
}

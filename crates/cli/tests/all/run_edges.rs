//! `pompeii run` where its surroundings are unusual: names that are not UTF-8, folders that cannot
//! be written, signals that only `run` gets, and runs that want one name at the same time.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use pompeii_testing::copy_program;

use crate::common::{Ended, LOOP, Sandbox};

fn bytes(name: &[u8]) -> &OsStr {
    OsStr::from_bytes(name)
}

/// `pompeii WORDS` in another folder.
fn pompeii_in(sandbox: &Sandbox, folder: &Path, words: &[&OsStr]) -> Ended {
    let mut command = sandbox.command("");
    Ended::of(command.current_dir(folder).args(words).output().unwrap())
}

#[test]
fn variables_of_any_bytes_do_not_keep_the_program_from_running() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    for name in ["PWD", "LANG", "OMP_PLACES_\u{fc}", "POMPEII_UNKNOWN", "TMPDIR"] {
        let mut command = sandbox.command("run -q -o exp --replace -- ./loop");
        let ended = Ended::of(command.env(name, bytes(b"/a\xff\x1b[2J")).output().unwrap());
        assert_eq!((ended.code, ended.output.as_str()), (Some(3), "4950\n"), "{}", ended.messages);
        assert!(sandbox.exists("exp/profile.cubex"), "{name}: {}", ended.messages);
        assert!(!ended.messages.contains('\x1b'), "{}", ended.messages);
    }
    let mut command = sandbox.command("run -q -o exp --replace -- ./loop");
    let ended = Ended::of(command.env(bytes(b"N\xff"), "1").output().unwrap());
    assert_eq!(ended.code, Some(3), "{}", ended.messages);
    let steers = sandbox.command("run -q -o exp --replace -- ./loop");
    let ended = with_variable(steers, "KMP_NOTHING", b"a\xff");
    assert_eq!(ended.code, Some(3), "{}", ended.messages);
    let manifest = fs::read_to_string(sandbox.path("exp/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["run"]["environment"]["KMP_NOTHING"], r"$'a\377'");
}

fn with_variable(mut command: Command, name: &str, value: &[u8]) -> Ended {
    Ended::of(command.env(name, bytes(value)).output().unwrap())
}

/// Prints its arguments, one in a line.
const ECHO: &str = "#include <stdio.h>
int main(int n, char **words) {
#pragma omp parallel
  { }
  for (int i = 1; i < n; i++) puts(words[i]);
  return 0;
}
";

#[test]
fn arguments_of_any_bytes_are_passed_on() {
    let sandbox = Sandbox::new();
    sandbox.compile("echo", ECHO);
    let mut command = sandbox.command("run -q -o exp -- ./echo");
    let output = command.args([bytes(b"\xff"), bytes(b"a b\x80c")]).output().unwrap();
    assert_eq!(output.stdout, b"\xff\na b\x80c\n");
    assert!(sandbox.exists("exp/profile.cubex"));
    let manifest = fs::read_to_string(sandbox.path("exp/manifest.json")).unwrap();
    let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["run"]["command"][1], r"$'\377'");
}

#[test]
fn experiments_and_working_folders_have_names_of_any_bytes() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let folder = sandbox.path("").join(bytes(b"work\xff"));
    fs::create_dir(&folder).unwrap();
    copy_program(sandbox.path("loop"), &folder.join("loop"));
    let named = bytes(b"exp\xfe");
    let run = ["run", "--trace", "-o"].map(OsStr::new);
    let program = ["--", "./loop"].map(OsStr::new);
    let ended = pompeii_in(&sandbox, &folder, &[&run[..], &[named], &program].concat());
    assert_eq!(ended.code, Some(3), "{}", ended.messages);
    ended.says(r"pompeii view $'exp\376'");
    for command in ["report", "recover", "score", "dump"] {
        let ended = pompeii_in(&sandbox, &folder, &[OsStr::new(command), named]);
        assert_eq!(ended.code, Some(0), "{command}: {}", ended.messages);
    }
    // What a program leaves that is started without `run` is found as well.
    for experiment in [Some(named), None] {
        fs::remove_dir_all(folder.join(named)).unwrap();
        let mut program = Command::new("./loop");
        program.current_dir(&folder).env_remove("POMPEII_EXPERIMENT");
        if let Some(name) = experiment {
            program.env("POMPEII_EXPERIMENT", name);
        }
        let ended = Ended::of(program.output().unwrap());
        assert_eq!(ended.code, Some(3));
        ended.says("next: pompeii report ");
        let other = |entry: fs::DirEntry| entry.path().join("live").exists().then(|| entry.path());
        let made = fs::read_dir(&folder).unwrap().flatten().find_map(other).unwrap();
        let ended = pompeii_in(&sandbox, &folder, &[OsStr::new("report"), made.as_os_str()]);
        assert_eq!(ended.code, Some(0), "{}", ended.messages);
        assert!(ended.output.contains("for main loop.c:4"), "{}", ended.output);
        fs::rename(&made, folder.join(named)).unwrap();
    }
}

/// The command as a user who may not write to the folders of root; as it is for others.
fn without_rights(command: &Command) -> Option<Command> {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return None;
    }
    let mut other = Command::new("setpriv");
    other.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    other.arg(command.get_program()).args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => other.env(name, value),
            None => other.env_remove(name),
        };
    }
    Some(other)
}

#[test]
fn a_program_runs_in_a_folder_that_cannot_be_written() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let folder = sandbox.path("locked");
    fs::create_dir(&folder).unwrap();
    for open in [sandbox.path("."), sandbox.path("loop")] {
        fs::set_permissions(open, fs::Permissions::from_mode(0o755)).unwrap();
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o555)).unwrap();
    for words in ["run -- ../loop", "run -o exp --trace -- ../loop", "run -o no/exp -- ../loop"] {
        let own = sandbox.command(words);
        let mut command = without_rights(&own).unwrap_or(own);
        let ended = Ended::of(command.current_dir(&folder).output().unwrap());
        let text = (ended.code, ended.output.as_str());
        assert_eq!(text, (Some(3), "4950\n"), "{words}: {}", ended.messages);
        ended.says("pompeii: warning: cannot create the experiment ");
        ended.says("Permission denied");
        ended.says("for example: pompeii run -o /tmp/exp -- ../loop");
        ended.says("pompeii: warning: nothing was measured: ");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
    }
    let ended = sandbox.pompeii("run -o /proc/no/exp -- ./loop");
    assert_eq!(ended.code, Some(3), "{}", ended.messages);
    ended.says("cannot create the experiment /proc/no/exp: No such file or directory");
}

#[test]
fn a_program_runs_where_the_file_system_is_read_only() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    fs::create_dir(sandbox.path("folder")).unwrap();
    let script = "mount -t tmpfs -o ro none folder && cd folder || exit 99; exec \"$0\" \"$@\"";
    let mut inside = Command::new("unshare");
    inside.args(["--mount", "sh", "-c", script, env!("CARGO_BIN_EXE_pompeii")]);
    inside.args(["run", "--", "../loop"]).current_dir(sandbox.path(""));
    let ended = Ended::of(inside.env_remove("LD_LIBRARY_PATH").output().unwrap());
    if ended.code == Some(99) || ended.code == Some(1) {
        return println!("NOT RUN: file systems cannot be mounted here: {}", ended.messages);
    }
    assert_eq!(ended.code, Some(3), "{}", ended.messages);
    ended.says("Read-only file system");
    ended.says("the program runs without being measured");
}

/// Says that it is ready, and ends when a signal has come and no other follows: prints their number.
const COUNTER: &str = "#include <signal.h>
#include <stdio.h>
#include <unistd.h>
static volatile int count;
static void handler(int number) { count++; (void)number; }
int main(void) {
#pragma omp parallel
  { }
  struct sigaction action = { .sa_handler = handler };
  for (int number = 1; number < 32; number++) sigaction(number, &action, NULL);
  fclose(fopen(\"ready\", \"w\"));
  while (count == 0) usleep(1000);
  usleep(300000);
  printf(\"got %d\\n\", count);
  return 0;
}
";

fn wait_for(sandbox: &Sandbox, name: &str) {
    for _ in 0..3000 {
        if sandbox.exists(name) {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("{name} did not come");
}

/// The same command with the default action of each signal. Shells start programs in the background
/// with SIGINT and SIGQUIT ignored, `nohup` with SIGHUP ignored, and programs hand this on to all
/// that they start.
fn hearing_all_signals(command: &Command) -> Command {
    let mut env = Command::new("env");
    env.arg("--default-signal").arg(command.get_program()).args(command.get_args());
    env.current_dir(command.get_current_dir().unwrap());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => env.env(name, value),
            None => env.env_remove(name),
        };
    }
    env
}

#[test]
fn signals_that_only_run_gets_reach_the_program() {
    let sandbox = Sandbox::new();
    sandbox.compile("counter", COUNTER);
    for signal in ["INT", "QUIT", "TERM", "HUP", "USR1", "USR2", "ALRM", "XCPU", "PROF"] {
        let mut command =
            hearing_all_signals(&sandbox.command("run -q -o exp --replace -- ./counter"));
        let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(&sandbox, "ready");
        let sent = Command::new("kill").args(["-s", signal, &run.id().to_string()]).status();
        assert!(sent.unwrap().success());
        let ended = Ended::of(run.wait_with_output().unwrap());
        let text = (ended.code, ended.output.as_str());
        assert_eq!(text, (Some(0), "got 1\n"), "SIG{signal}: {}", ended.messages);
        assert!(sandbox.exists("exp/profile.cubex"));
        fs::remove_file(sandbox.path("ready")).unwrap();
    }
}

#[test]
fn a_key_of_the_terminal_is_one_signal() {
    let sandbox = Sandbox::new();
    sandbox.compile("counter", COUNTER);
    let run = format!("{} run -q -o exp -- ./counter", env!("CARGO_BIN_EXE_pompeii"));
    let mut terminal = Command::new("script");
    terminal.args(["-qec", &run, "/dev/null"]).current_dir(sandbox.path(""));
    terminal.env_remove("LD_LIBRARY_PATH").stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut terminal) = terminal.spawn() else {
        return println!("NOT RUN: needs `script` of util-linux");
    };
    wait_for(&sandbox, "ready");
    terminal.stdin.as_mut().unwrap().write_all(b"\x03").unwrap();
    let output = terminal.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("got 1\r\n"), "{text}");
    assert!(sandbox.exists("exp/profile.cubex"), "{text}");
}

/// Names, sizes and times of all files below a folder.
fn listed(folder: &Path) -> Vec<String> {
    let list = "find . -printf '%p %y %s %T@ %i\\n' | grep -v '\\.loc ' | sort";
    let output = Command::new("sh").args(["-c", list]).current_dir(folder).output().unwrap();
    String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn a_running_experiment_is_shown_and_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.compile("waiter", WAITER);
    for (number, options) in [(0, ""), (1, "--trace")] {
        let words = format!("run -q -o exp{number} {options} -- ./waiter at{number}");
        let mut command = sandbox.command(&words);
        let run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        wait_for(&sandbox, &format!("at{number}"));
        let (exp, before) =
            (format!("exp{number}"), listed(&sandbox.path(&format!("exp{number}"))));
        let report = sandbox.succeeds(&format!("report {exp}"));
        report.says("is still running; this is what was measured so far");
        assert!(report.output.contains("parallel main waiter.c:4"), "{}", report.output);
        assert!(report.output.contains("The program is still running"), "{}", report.output);
        for wrong in ["died", "do not hold"] {
            assert!(!report.output.contains(wrong), "{}", report.output);
        }
        for command in [format!("report {exp} --json"), format!("score {exp}")] {
            sandbox.succeeds(&command).says("is still running");
        }
        sandbox.succeeds(&format!("html {exp} -o page.html")).says("is still running");
        let page = fs::read_to_string(sandbox.path("page.html")).unwrap();
        assert!(page.contains("The program is still running"));
        let dump = sandbox.pompeii(&format!("dump {exp}"));
        assert_eq!(dump.code, Some(2));
        dump.says(&format!("`pompeii report {exp}` shows what was measured so far"));
        assert_eq!(listed(&sandbox.path(&exp)), before);
        sandbox.file("go", "");
        let ended = Ended::of(run.wait_with_output().unwrap());
        assert_eq!(ended.code, Some(0), "{}", ended.messages);
        let report = sandbox.succeeds(&format!("report {exp}"));
        assert_eq!(report.messages, "");
        fs::remove_file(sandbox.path("go")).unwrap();
    }
}

#[test]
fn config_quotes_for_the_shell() {
    let sandbox = Sandbox::new();
    sandbox.file("a.c", "int main(void) { POMP_Init(); return 0; }\n");
    let home = sandbox.path("my home");
    let ask = |words: &str| {
        let mut command = sandbox.command(&format!("config {words}"));
        Ended::of(command.env("POMPEII_HOME", &home).output().unwrap()).output
    };
    let cflags = ask("--cflags");
    let script = format!("set -- {}; printf '%s\\n' \"$@\"", cflags.trim_end());
    let words = Command::new("sh").args(["-c", &script]).output().unwrap().stdout;
    let words = String::from_utf8(words).unwrap();
    let include = format!("-I{}", home.display());
    assert!(words.lines().any(|word| word.starts_with(&include)), "{cflags}{words}");
    assert_eq!(words.lines().count(), 2, "{words}");
    // A folder alone is a value.
    let folder = ask("--libdir");
    assert!(Path::new(folder.trim_end()).join("pomp.h").is_file(), "{folder}");
    assert!(ask("--libdir --cmakedir").starts_with('\''));
    sandbox.file("Makefile", "all:\n\tgcc a.c $(shell $(POMPEII) config --cflags) -c -o a.o\n");
    sandbox.file("a.c", "#include <pomp.h>\n");
    let mut make = Command::new("make");
    make.env("POMPEII_HOME", &home).env("POMPEII", env!("CARGO_BIN_EXE_pompeii"));
    let made = Ended::of(make.current_dir(sandbox.path("")).output().unwrap());
    assert!(sandbox.exists("a.o"), "{}{}", made.output, made.messages);
}

#[test]
fn doctor_says_that_metrics_work_where_some_do() {
    let doctor = Sandbox::new().pompeii("doctor").output;
    let line = doctor.lines().find(|line| line.contains("run --metrics")).unwrap();
    assert!(line.starts_with("ok ") && line.contains("ru_utime"), "{line}");
}

/// Waits until the file `go` is there.
const WAITER: &str = "#include <stdio.h>
#include <unistd.h>
int main(int n, char **words) {
#pragma omp parallel
  { }
  fclose(fopen(words[1], \"w\"));
  while (access(\"go\", F_OK)) usleep(1000);
  return n != 2;
}
";

#[test]
fn runs_that_replace_one_experiment_at_the_same_time_keep_their_own() {
    let sandbox = Sandbox::new();
    sandbox.compile("waiter", WAITER);
    let start = |number: usize| {
        let mut command = sandbox.command(&format!("run -o exp --replace -- ./waiter at{number}"));
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let runs: Vec<_> = (0..4).map(start).collect();
    (0..4).for_each(|number| wait_for(&sandbox, &format!("at{number}")));
    sandbox.file("go", "");
    let mut moved = 0;
    for run in runs {
        let ended = Ended::of(run.wait_with_output().unwrap());
        assert_eq!(ended.code, Some(0), "{}", ended.messages);
        ended.says("waiter: ");
        moved += usize::from(ended.messages.contains("another run is still measured there"));
    }
    assert_eq!(moved, 3, "one has the name, and the others say which they have");
    for name in ["exp", "exp.1", "exp.2", "exp.3"] {
        assert!(sandbox.exists(&format!("{name}/profile.cubex")), "{name}");
        assert!(!sandbox.exists(&format!("{name}/procs")), "{name} has processes of another");
        assert!(!sandbox.exists(&format!("{name}/started.json")), "{name}");
    }
    // When they are over, the name is free again.
    let ended = sandbox.succeeds("run -o exp --replace -- ./waiter at5");
    ended.says("exp.4");
    assert!(sandbox.exists("exp/profile.cubex") && sandbox.exists("exp.4/profile.cubex"));
}

#[test]
fn runs_that_begin_at_the_same_time_do_not_share_a_folder() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let start = |_| {
        let mut command = sandbox.command("run -q -o exp -- ./loop");
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    };
    let runs: Vec<_> = (0..6).map(start).collect();
    let ends: Vec<_> =
        runs.into_iter().map(|run| Ended::of(run.wait_with_output().unwrap())).collect();
    let codes: Vec<_> = ends.iter().map(|ended| ended.code).collect();
    assert_eq!(codes.iter().filter(|code| **code == Some(3)).count(), 1, "{codes:?}");
    let refused = |ended: &&Ended| ended.code == Some(125);
    assert_eq!(ends.iter().filter(refused).count(), 5, "{codes:?}");
    ends.iter().filter(refused).for_each(|ended| ended.says("exp: exists already"));
    assert!(!sandbox.exists("exp/procs"));
}

#[test]
fn wrong_usage_is_exit_code_2() {
    let sandbox = Sandbox::new();
    sandbox.file("rules", "SCOREP_REGION_NAMES_BEGIN\n  FORGET tiny\n");
    for options in [
        "--window abc",
        "--metrics nosuch",
        "--filter rules",
        "--filter none",
        "--select none",
        "--memory 0",
        "--memory 99999T",
        "--memory much",
        "--guard-time x",
        "--nosuch",
        "--mpi-clock 0",
    ] {
        let ended = sandbox.pompeii(&format!("run -o exp {options} -- touch started"));
        assert_eq!(ended.code, Some(2), "{options}: {}", ended.messages);
    }
    assert_eq!(sandbox.pompeii("run -o exp").code, Some(2));
    for (name, value) in [
        ("POMPEII_WINDOW", "abc"),
        ("POMPEII_METRICS", "nosuch"),
        ("POMPEII_TOTAL_MEMORY", "99999T"),
        ("SCOREP_TOTAL_MEMORY", "0"),
        ("POMPEII_FILTER", "none"),
    ] {
        let mut command = sandbox.command("run -o exp -- touch started");
        let ended = Ended::of(command.env(name, value).output().unwrap());
        assert_eq!(ended.code, Some(2), "{name}={value}: {}", ended.messages);
        assert!(ended.messages.contains(name) || name.ends_with("FILTER"), "{}", ended.messages);
    }
    assert!(!sandbox.exists("started") && !sandbox.exists("exp"));
    sandbox.pompeii("run --memory 0 -- true").says("no trace can be written without memory");
    sandbox.pompeii("run --memory 99999T -- true").says("no process can have more than 128T");
}

#[test]
fn a_command_needs_no_dashes_before_it() {
    let sandbox = Sandbox::new();
    sandbox.compile("echo", ECHO);
    for (words, said) in [
        ("run -q -o exp --replace ./echo", ""),
        ("run -q -o exp --replace ./echo a", "a\n"),
        ("run -q -o exp --replace ./echo --trace -o x --nosuch", "--trace\n-o\nx\n--nosuch\n"),
        ("run -q -o exp --replace ./echo a -- b", "a\n--\nb\n"),
        ("run -q -o exp --replace -- ./echo -- b --", "--\nb\n--\n"),
        ("run -q -o exp --replace -- ./echo --help", "--help\n"),
    ] {
        let ended = sandbox.succeeds(words);
        assert_eq!(ended.output, said, "{words}: {}", ended.messages);
        assert!(sandbox.exists("exp/profile.cubex") && !sandbox.exists("exp/traces.otf2"));
    }
}

#[test]
fn a_program_without_run_says_where_its_data_is() {
    let sandbox = Sandbox::new();
    sandbox.compile("loop", LOOP);
    let alone = |variables: &[(&str, &str)]| {
        let mut program = Command::new(sandbox.path("loop"));
        program.current_dir(sandbox.path("")).envs(variables.iter().copied());
        Ended::of(program.output().unwrap()).messages
    };
    let said = alone(&[("POMPEII_EXPERIMENT", "my exp")]);
    assert_eq!(said, "pompeii: measured in 'my exp'; next: pompeii report 'my exp'\n");
    sandbox.succeeds("score --help");
    let command = said.trim_end().rsplit("next: pompeii ").next().unwrap();
    let shell = format!("{} {command}", env!("CARGO_BIN_EXE_pompeii"));
    let mut report = Command::new("sh");
    report.args(["-c", &shell]).current_dir(sandbox.path("")).env_remove("LD_LIBRARY_PATH");
    let report = Ended::of(report.output().unwrap());
    assert!(report.output.contains("for main loop.c:4"), "{}", report.messages);
    // Once for a job, for the process that has the experiment, and where it is wanted.
    assert_eq!(alone(&[("POMPEII_EXPERIMENT", "a"), ("PMI_RANK", "1")]), "");
    assert!(alone(&[("POMPEII_EXPERIMENT", "b"), ("PMI_RANK", "0")]).contains("report b\n"));
    assert_eq!(alone(&[("POMPEII_EXPERIMENT", "b")]), "");
    assert_eq!(alone(&[("POMPEII_EXPERIMENT", "c"), ("POMPEII_QUIET", "1")]), "");
    assert!(alone(&[("OMPI_COMM_WORLD_RANK", "0")]).contains("POMPEII_EXPERIMENT=DIR"));
    let ended = sandbox.pompeii("run -o d -- ./loop");
    assert!(!ended.messages.contains("measured in"), "{}", ended.messages);
}

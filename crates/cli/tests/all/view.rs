//! `pompeii view`: what is viewed, where it listens, and how it ends. The crate `serve` tests what
//! is answered.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::Value;

use crate::common::{LOOP, Sandbox};

/// `pompeii view` that goes on.
pub struct View {
    child: Child,
    /// What it has printed first.
    text: String,
    port: u16,
    token: String,
}

impl View {
    pub fn start(sandbox: &Sandbox, words: &str) -> View {
        View::of(sandbox.command(&format!("view {words}")))
    }

    /// The address that a browser opens.
    pub fn address(&self) -> String {
        format!("http://127.0.0.1:{}/#token={}", self.port, self.token)
    }

    fn of(mut command: Command) -> View {
        for name in ["POMPEII_HOME", "XDG_CACHE_HOME", "DISPLAY", "WAYLAND_DISPLAY"] {
            // One that a test has set stays.
            if !command.get_envs().any(|(known, value)| known == name && value.is_some()) {
                command.env_remove(name);
            }
        }
        command.env_remove("SSH_CONNECTION").stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut text = String::new();
        while let Some(Ok(line)) = lines.next() {
            text += &line;
            text.push('\n');
            if line.contains("Ctrl-C") {
                break;
            }
        }
        let between = |begin: &str, end: &[char]| -> String {
            let rest = text.split_once(begin).map(|(_, rest)| rest).unwrap_or_default();
            rest.split(end).next().unwrap_or_default().to_owned()
        };
        let port = between("http://127.0.0.1:", &['/']).parse().unwrap_or(0);
        let token = between("#token=", &['\n']);
        View { child, port, token, text }
    }

    fn request(&self) -> String {
        let token = &self.token;
        format!("Host: localhost\r\nX-Pompeii-Token: {token}\r\nConnection: close\r\n\r\n")
    }

    pub fn ask(&self, question: &str) -> Value {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        let request = format!("GET /api/{question} HTTP/1.1\r\n{}", self.request());
        answer(stream, &request)
    }

    /// Waits until the index is there or cannot be, and returns the error.
    fn indexed(&self) -> Option<String> {
        loop {
            let progress = self.ask("progress");
            if progress["ready"] == true || !progress["error"].is_null() {
                return progress["error"].as_str().map(str::to_owned);
            }
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Ends it as Ctrl-C does; returns the exit code and the messages.
    fn end(mut self) -> (Option<i32>, String) {
        kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGINT).unwrap();
        let mut messages = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut messages).unwrap();
        (self.child.wait().unwrap().code(), messages)
    }
}

/// A test that fails leaves no server.
impl Drop for View {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn answer(mut stream: impl Read + Write, request: &str) -> Value {
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (_, body) = answer.split_once("\r\n\r\n").unwrap();
    serde_json::from_str(body).unwrap_or_else(|_| panic!("{answer}"))
}

/// `pompeii view` that must not serve anything: the messages. One that serves would go on.
fn refused(sandbox: &Sandbox, words: &str) -> String {
    let mut command = Command::new("timeout");
    command.args(["60", env!("CARGO_BIN_EXE_pompeii"), "view", "--no-open"]);
    command.args(words.split(' ')).current_dir(sandbox.path("")).env("HOME", sandbox.path(""));
    let output = command.output().unwrap();
    let messages = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{messages}");
    messages
}

fn traced() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.compile("a", LOOP);
    assert_eq!(sandbox.pompeii("run -q --trace -o exp -- ./a").code, Some(3));
    sandbox
}

#[test]
fn an_experiment_is_served_until_ctrl_c() {
    let sandbox = traced();
    let view = View::start(&sandbox, "exp --no-open");
    assert!(view.text.contains(&format!("ssh -L {0}:127.0.0.1:{0} ", view.port)), "{}", view.text);
    let report = sandbox.pompeii("report exp --json").output;
    assert_eq!(view.ask("report"), serde_json::from_str::<Value>(&report).unwrap());
    assert_eq!(view.indexed(), None);
    let opening = view.ask("open");
    assert_eq!(opening["title"], "exp");
    assert_eq!(opening["command"], "./a");
    let sums = view.ask("sums?t0=0&t1=9007199254740991&by=location");
    assert_eq!(sums["rows"].as_array().unwrap().len(), 2);
    let (code, messages) = view.end();
    assert_eq!((code, messages.as_str()), (Some(0), ""));
    assert!(sandbox.exists("exp/view.index"));
    // Nothing else of it stays, and reports are as before.
    let left = fs::read_dir(sandbox.path("exp")).unwrap().flatten();
    assert!(!left.into_iter().any(|it| it.file_name().to_string_lossy().contains(".part")));
    assert_eq!(sandbox.pompeii("report exp --json").output, report);
}

#[test]
fn a_browser_is_led_by_a_file_that_others_cannot_read() {
    let sandbox = traced();
    let bin = sandbox.path("bin");
    fs::create_dir(&bin).unwrap();
    let opener = bin.join("xdg-open");
    fs::write(
        &opener,
        "#!/bin/sh\nstat -c %a \"$1\" > told; cat \"$1\" >> told; echo $1 > where\n",
    )
    .unwrap();
    fs::set_permissions(&opener, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let start = |words: &str| {
        let mut command = sandbox.command(&format!("view exp {words}"));
        command.env("DISPLAY", ":0").env("PATH", &path);
        View::of(command)
    };
    let view = start("--no-open");
    assert_eq!(view.end().0, Some(0));
    assert!(!sandbox.exists("told"));
    let view = start("");
    while !sandbox.exists("where") {
        thread::sleep(Duration::from_millis(20));
    }
    let told = fs::read_to_string(sandbox.path("told")).unwrap();
    assert!(told.starts_with("600\n"), "{told}");
    assert!(told.contains(&format!("url=http://127.0.0.1:{}/#token={}\"", view.port, view.token)));
    // The address is no argument of a process.
    assert_eq!(view.end().0, Some(0));
    let place = fs::read_to_string(sandbox.path("where")).unwrap();
    assert!(!place.contains("token") && !Path::new(place.trim()).exists(), "{place}");
}

#[test]
fn a_socket_is_for_its_owner() {
    let sandbox = traced();
    let view = View::start(&sandbox, "exp --socket here");
    let path = sandbox.path("here");
    assert!(view.text.contains(&format!("ssh -L 8080:{} ", path.display())), "{}", view.text);
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let request = format!("GET /api/open HTTP/1.1\r\n{}", view.request());
    assert_eq!(answer(UnixStream::connect(&path).unwrap(), &request)["title"], "exp");
    let second = refused(&sandbox, "exp --socket here");
    assert!(second.contains("cannot listen at here: "), "{second}");
    assert_eq!(view.end().0, Some(0));
    assert!(!path.exists());
}

#[test]
fn a_port_is_taken_as_it_is_named_or_not_at_all() {
    let sandbox = traced();
    let first = View::start(&sandbox, "exp --no-open");
    let second = refused(&sandbox, &format!("exp --port {}", first.port));
    assert!(second.contains(&format!("cannot listen on port {}: ", first.port)), "{second}");
}

#[test]
fn nothing_is_written_next_to_files_of_other_tools() {
    let sandbox = Sandbox::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples/hybrid");
    let copied = Command::new("cp").arg("-r").arg(from).arg(sandbox.path("foreign")).status();
    assert!(copied.unwrap().success());
    let files = || -> Vec<_> {
        let all = fs::read_dir(sandbox.path("foreign")).unwrap().flatten();
        all.map(|it| it.file_name()).collect()
    };
    let before = files();
    for words in ["foreign/traces.otf2 --no-open", "foreign --no-open"] {
        let view = View::start(&sandbox, words);
        assert_eq!(view.indexed(), None);
        let opening = view.ask("open");
        assert_eq!(opening["has"]["report"], false);
        assert_eq!(opening["processes"].as_array().unwrap().len(), 2);
        assert_eq!(view.end().0, Some(0));
        assert_eq!(files(), before);
    }
    assert_eq!(fs::read_dir(sandbox.path(".cache/pompeii/view")).unwrap().count(), 1);
}

#[test]
fn a_report_alone_has_no_timeline() {
    let sandbox = traced();
    let view = View::start(&sandbox, "exp/profile.cubex --no-open");
    let opening = view.ask("open");
    assert_eq!(
        (&opening["has"]["trace"], &opening["has"]["report"]),
        (&false.into(), &true.into())
    );
    assert!(view.ask("cube")["calls"].is_array());
    assert_eq!(view.end(), (Some(0), String::new()));
}

#[test]
fn a_trace_that_cannot_be_indexed_leaves_the_report() {
    let sandbox = traced();
    // A folder has the name of the index, and there is no cache.
    fs::create_dir_all(sandbox.path("exp/view.index/full")).unwrap();
    let mut command = sandbox.command("view exp --no-open");
    command.env("XDG_CACHE_HOME", "/dev/null").env("TMPDIR", "/dev/null");
    let view = View::of(command);
    let error = view.indexed().unwrap();
    assert!(error.contains("exp/view.index: "), "{error}");
    assert_eq!(view.ask("report")["schema"], "pompeii-report-2");
    let (code, messages) = view.end();
    assert_eq!(code, Some(0));
    assert_eq!(messages, format!("pompeii: warning: there is no timeline: {error}\n"));
    // The same for one whose definitions are damaged.
    fs::write(sandbox.path("exp/traces.def"), "nothing").unwrap();
    let view = View::start(&sandbox, "exp --no-open");
    assert_eq!(view.ask("open")["has"]["trace"], false);
    let (_, messages) = view.end();
    assert!(messages.starts_with("pompeii: warning: there is no timeline: "), "{messages}");
    // Without a report there is nothing to view.
    fs::create_dir(sandbox.path("alone")).unwrap();
    fs::copy(sandbox.path("exp/traces.otf2"), sandbox.path("alone/traces.otf2")).unwrap();
    refused(&sandbox, "alone");
}

/// Thread 0 creates tasks that sleep, and the others wait for it at the end.
const TASKS: &str = "#include <unistd.h>
int main(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 7; i++) {
#pragma omp task
    usleep(1000);
  }
  return 0;
}
";

/// A limit for files stands for a full disk: it works for every user.
#[test]
fn a_full_disk_leaves_the_report_and_no_part_of_an_index() {
    let sandbox = traced();
    let mut command = Command::new("sh");
    let limited = "ulimit -f 1; exec \"$0\" view exp --no-open";
    command.args(["-c", limited, env!("CARGO_BIN_EXE_pompeii")]);
    command.current_dir(sandbox.path("")).env("HOME", sandbox.path(""));
    let view = View::of(command);
    let why = view.indexed().unwrap();
    assert!(why.contains("the index of the trace cannot be written"), "{why}");
    assert!(why.contains("exp/view.index: File too large"), "{why}");
    assert!(view.ask("report")["findings"].is_array());
    assert!(view.ask("trees?t0=0&t1=1000")["calls"].is_array());
    let (code, messages) = view.end();
    assert_eq!(code, Some(0));
    assert!(messages.contains(&format!("warning: there is no timeline: {why}")), "{messages}");
    let files = fs::read_dir(sandbox.path("exp")).unwrap().flatten();
    let mut names = files.map(|file| file.file_name().to_string_lossy().into_owned());
    assert!(!names.any(|name| name.starts_with("view.index")));
}

#[test]
fn tasks_instances_and_sources_of_a_run_are_answered() {
    let sandbox = Sandbox::new();
    sandbox.compile("tasks", TASKS);
    sandbox.succeeds("run -q --trace --analyze -o exp -- ./tasks");
    let analysis = fs::read_to_string(sandbox.path("exp/analysis.json")).unwrap();
    let analysis: Value = serde_json::from_str(&analysis).unwrap();
    let view = View::start(&sandbox, "exp --no-open");
    assert_eq!(view.indexed(), None);
    let opening = view.ask("open");

    let tasks = view.ask("tasks?t0=0&t1=9007199254740991");
    let list = |name: &str| tasks[name].as_array().unwrap().clone();
    assert_eq!((list("creations").len(), list("fragments").len()), (7, 7));
    assert_eq!((list("links").len(), &tasks["left_out"]), (7, &0.into()));
    for link in list("links") {
        assert_eq!(link[4], true, "each fragment follows the creation of its task");
        assert!(link[1].as_u64() <= link[3].as_u64());
    }
    let few = view.ask("tasks?t0=0&t1=9007199254740991&max=3");
    assert_eq!((few["fragments"].as_array().unwrap().len(), &few["left_out"]), (3, &8.into()));
    let fragment = &list("fragments")[0];
    let middle = (fragment[1].as_u64().unwrap() + fragment[2].as_u64().unwrap()) / 2;
    let moment = view.ask(&format!("at?loc={}&t={middle}", fragment[0]));
    let name = format!("task_{}_{}", fragment[3], fragment[4]);
    assert_eq!(moment["task"]["name"], *name);
    let region = moment["task"]["region"].as_u64().unwrap() as usize;
    assert_eq!(opening["regions"][region]["role"], "task");
    let creation = list("creations").into_iter();
    let creation = creation.into_iter().find(|it| (&it[2], &it[3]) == (&fragment[3], &fragment[4]));
    let creation = creation.unwrap();
    assert_eq!(moment["task"]["created"]["loc"], creation[0]);
    assert_eq!(moment["task"]["created"]["at"], creation[1]);
    let pieces = &moment["task"]["fragments"];
    assert_eq!((pieces.as_array().unwrap().len(), &pieces[0]["loc"]), (1, &fragment[0]));
    assert_eq!((&pieces[0]["start"], &pieces[0]["end"]), (&fragment[1], &fragment[2]));

    let next = view.ask(&format!("find?task={name}&from=0"));
    assert_eq!((&next["loc"], &next["start"]), (&fragment[0], &fragment[1]));
    assert_eq!((&next["end"], &next["region"]), (&fragment[2], &region.into()));

    let instances = view.ask("instances");
    let instances = instances.as_array().unwrap();
    let severe = analysis["instances"].as_array().unwrap().iter();
    let severe: usize = severe.map(|of| of["severe"].as_array().unwrap().len()).sum();
    assert!(severe > 0 && instances.len() == severe, "{severe} in {analysis}");
    let rate = opening["ticks_per_second"].as_f64().unwrap();
    let seconds = |it: &Value, name: &str| it[name].as_f64().unwrap();
    let largest = |all: &mut dyn Iterator<Item = f64>| all.fold(0.0, f64::max);
    let found = largest(&mut instances.iter().map(|it| seconds(it, "ticks") / rate));
    let all = analysis["instances"].as_array().unwrap();
    let known = largest(&mut all.iter().map(|of| seconds(&of["severe"][0], "seconds")));
    assert!((found - known).abs() < 1.0 / rate, "{found} {known}");
    let first = &instances[0];
    let question = format!("at?loc={}&t={}", first["loc"], first["start"]);
    let waits = view.ask(&question)["waits"].clone();
    assert!(waits.as_array().unwrap().contains(first), "{waits}");

    let file = opening["files"].as_array().unwrap().iter().position(|it| it == "tasks.c").unwrap();
    let source = view.ask(&format!("source?file={file}"));
    assert_eq!((&source["name"], &source["text"]), (&"tasks.c".into(), &TASKS.into()));
    assert!(view.ask("source?file=99")["error"].is_string());
    drop(view);
    let view = View::start(&sandbox, "exp --no-open --source exp");
    let error = view.ask(&format!("source?file={file}"))["error"].as_str().unwrap().to_owned();
    assert!(error.contains("not found below ") && error.contains("--source DIR"), "{error}");
}

//! A server with a sample of a trace, and a client that sends bytes.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pompeii_report::RunInfo;
use pompeii_serve::{IndexPlace, Limits, Place, Report, Server, Session, Stop, Viewed};
use pompeii_testing::copy_folder;
use serde_json::Value;
use tempfile::TempDir;

/// No test waits longer for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A server that runs until this is dropped.
pub struct Running {
    pub port: u16,
    pub token: String,
    pub session: Arc<Session>,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub fn new(viewed: Viewed) -> Running {
        Running::with(viewed, Limits::default())
    }

    pub fn with(viewed: Viewed, limits: Limits) -> Running {
        let session = Session::open(viewed);
        let server = Server::listen(Place::Port(0), session.clone(), limits).unwrap();
        let (port, stop) = (server.port(), server.stop());
        let token = server.token().digits().to_owned();
        let thread = Some(thread::spawn(|| server.run()));
        Running { port, token, session, stop, thread }
    }

    /// The same, when its index is there.
    pub fn ready(viewed: Viewed) -> Running {
        let running = Running::new(viewed);
        running.wait();
        assert_eq!(running.session.progress().state().error, None);
        running
    }

    /// Waits until the index is there or cannot be.
    pub fn wait(&self) {
        while !self.session.progress().has_ended() {
            thread::sleep(Duration::from_millis(5));
        }
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream
    }

    /// Sends bytes and reads until the server ends the connection.
    pub fn raw(&self, bytes: &str) -> String {
        let mut stream = self.connect();
        stream.write_all(bytes.as_bytes()).unwrap();
        String::from_utf8_lossy(&rest(&mut stream)).into_owned()
    }

    /// A request with these headers, and what is needed otherwise.
    pub fn request(&self, path: &str, headers: &str) -> String {
        let token = &self.token;
        self.raw(&format!(
            "GET {path} HTTP/1.1\r\nHost: localhost\r\nX-Pompeii-Token: {token}\r\n{headers}\
             Connection: close\r\n\r\n"
        ))
    }

    /// Status and content of an answer.
    pub fn bytes(&self, question: &str) -> (u16, Vec<u8>) {
        let mut stream = self.connect();
        let token = &self.token;
        let request = format!(
            "GET /api/{question} HTTP/1.1\r\nHost: localhost:1\r\nX-Pompeii-Token: {token}\r\n\
             Connection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes()).unwrap();
        let answer = rest(&mut stream);
        let end = answer.windows(4).position(|it| it == b"\r\n\r\n").unwrap();
        let head = String::from_utf8(answer[..end].to_vec()).unwrap();
        (status(&head), answer[end + 4..].to_vec())
    }

    /// An answer that is JSON.
    pub fn json(&self, question: &str) -> (u16, Value) {
        let (status, bytes) = self.bytes(question);
        (status, serde_json::from_slice(&bytes).unwrap())
    }

    /// An answer to a question that has one.
    pub fn answer(&self, question: &str) -> Value {
        let (status, value) = self.json(question);
        assert_eq!(status, 200, "{question}: {value}");
        value
    }

    /// The sentence of a refusal.
    pub fn refusal(&self, question: &str) -> (u16, String) {
        let (status, value) = self.json(question);
        assert_ne!(status, 200, "{question}: {value}");
        (status, value["error"].as_str().unwrap().to_owned())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

/// What comes until the end of a connection. One that is reset has ended, too.
pub fn rest(stream: &mut TcpStream) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Err(error) = stream.read_to_end(&mut bytes) {
        assert_ne!(error.kind(), ErrorKind::WouldBlock, "the server did not end the connection");
    }
    bytes
}

pub fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0)
}

/// A folder with a copy of a sample of the crate `otf2`.
pub fn sample(name: &str) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../otf2/tests/samples").join(name);
    copy_folder(&from, folder.path());
    folder
}

/// The trace in a folder, with its index in the same folder.
pub fn traced(folder: &Path) -> Viewed {
    let index_places = vec![IndexPlace::File(index_file(folder))];
    let anchor = Some(folder.join("traces.otf2"));
    Viewed { title: "sample".to_owned(), anchor, index_places, ..Viewed::default() }
}

pub fn index_file(folder: &Path) -> PathBuf {
    folder.join("view.index")
}

/// A report without a trace.
pub fn reported() -> Viewed {
    reported_of("wall=10 locations=2\n main  *  time=4\n main/work@a.c:3  *  time=6")
}

/// The same of a cube in the notation of tests.
pub fn reported_of(text: &str) -> Viewed {
    let measured = pompeii_analysis::notation::cube(text).unwrap();
    let cube = pompeii_analysis::derive(&measured);
    let info = RunInfo { command: "./a.out".to_owned(), ..RunInfo::default() };
    Viewed {
        title: "exp".to_owned(),
        report: Some(Report { cube, trees: None, info }),
        ..Viewed::default()
    }
}

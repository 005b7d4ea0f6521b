//! Clients that are silent, slow or many. Limits are short here; what matters is that others are
//! answered and that the connection is ended, not after how long.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::thread;
use std::time::Duration;

use pompeii_serve::Limits;

use crate::common::{Running, reported, rest, status};

const SHORT: Duration = Duration::from_millis(200);
const LONG: Duration = Duration::from_secs(3600);

/// Limits that do not end anything in a test.
fn patient() -> Limits {
    Limits { head: LONG, connection: LONG, ending: LONG, connections: 16 }
}

const REQUEST: &str = "GET /main.js HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[test]
fn a_silent_client_is_ended() {
    let server = Running::with(reported(), Limits { head: SHORT, ..patient() });
    assert!(rest(&mut server.connect()).is_empty());
}

#[test]
fn a_head_that_comes_byte_by_byte_is_ended() {
    let server = Running::with(reported(), Limits { head: SHORT, ..patient() });
    let mut stream = server.connect();
    let mut reader = stream.try_clone().unwrap();
    let answer = thread::spawn(move || rest(&mut reader));
    // The whole head would take four times as long.
    for byte in REQUEST.bytes() {
        if stream.write_all(&[byte]).is_err() {
            break;
        }
        thread::sleep(4 * SHORT / REQUEST.len() as u32);
    }
    let answer = String::from_utf8(answer.join().unwrap()).unwrap();
    assert!(!answer.contains(" 200 "), "{answer}");
}

#[test]
fn a_connection_without_a_further_request_is_ended() {
    let server = Running::with(reported(), Limits { head: SHORT, ..patient() });
    let mut stream = server.connect();
    stream.write_all(REQUEST.as_bytes()).unwrap();
    let answers = String::from_utf8(rest(&mut stream)).unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200 OK").count(), 1);
}

#[test]
fn a_connection_that_goes_on_and_on_is_ended() {
    let server = Running::with(reported(), Limits { connection: SHORT, ..patient() });
    let mut stream = server.connect();
    let mut reader = stream.try_clone().unwrap();
    let ended = thread::spawn(move || rest(&mut reader));
    while stream.write_all(REQUEST.as_bytes()).is_ok() && !ended.is_finished() {
        thread::sleep(SHORT / 10);
    }
    assert!(String::from_utf8(ended.join().unwrap()).unwrap().contains("200 OK"));
}

#[test]
fn a_client_that_does_not_read_is_ended() {
    let limits = Limits { connection: SHORT, ending: SHORT, ..patient() };
    let server = Running::with(reported(), limits);
    let mut stream = server.connect();
    // More answers than the buffers of the sockets take.
    stream.set_write_timeout(Some(SHORT)).unwrap();
    for _ in 0..10_000 {
        if stream.write_all(REQUEST.as_bytes()).is_err() {
            break;
        }
    }
    let one = Running::with(reported(), Limits { connections: 1, ..limits });
    let mut deaf = one.connect();
    deaf.set_write_timeout(Some(SHORT)).unwrap();
    while deaf.write_all(REQUEST.as_bytes()).is_ok() {}
    assert_eq!(status(&one.request("/", "")), 200, "the only connection is free again");
}

#[test]
fn seventeen_clients_are_answered_one_after_another() {
    let server = Running::with(reported(), Limits { head: SHORT, ..patient() });
    let silent: Vec<TcpStream> = (0..16).map(|_| server.connect()).collect();
    // It waits until the first ones have had their time.
    assert_eq!(status(&server.request("/", "")), 200);
    drop(silent);
    let busy = Running::with(reported(), patient());
    let all: Vec<_> = thread::scope(|scope| {
        let ask = || scope.spawn(|| status(&busy.request("/api/report", "")));
        let asked: Vec<_> = (0..17).map(|_| ask()).collect();
        asked.into_iter().map(|it| it.join().unwrap()).collect()
    });
    assert_eq!(all, [200; 17]);
}

#[test]
fn the_seventeenth_waits() {
    let server = Running::with(reported(), patient());
    let mut all: Vec<TcpStream> = (0..17).map(|_| server.connect()).collect();
    for stream in &mut all {
        stream.write_all(b"G").unwrap();
    }
    let mut last = all.pop().unwrap();
    last.write_all(&REQUEST.as_bytes()[1..]).unwrap();
    last.set_read_timeout(Some(SHORT)).unwrap();
    let mut byte = [0];
    assert!(last.read(&mut byte).is_err(), "sixteen are being served");
    all.remove(0).shutdown(Shutdown::Both).unwrap();
    last.set_read_timeout(Some(LONG)).unwrap();
    assert_eq!(last.read(&mut byte).unwrap(), 1);
}

#[test]
fn heads_have_a_size() {
    let server = Running::with(reported(), patient());
    let long = "a".repeat(20_000);
    assert_eq!(status(&server.request("/", &format!("X-Long: {long}\r\n"))), 431);
    let path = server.request(&format!("/{long}"), "");
    assert!([414, 431].contains(&status(&path)), "{path}");
    let many = "X-Many: 1\r\n".repeat(500);
    assert_eq!(status(&server.request("/", &many)), 431);
}

#[test]
fn what_is_no_http_ends_the_connection() {
    let server = Running::with(reported(), patient());
    for nonsense in ["\r\n\r\n\0\0", "GET\r\n\r\n", "\u{16}\u{3}\u{1}\0", "GET / HTTP/9.9\r\n\r\n"]
    {
        let mut stream = server.connect();
        stream.write_all(nonsense.as_bytes()).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        let answer = String::from_utf8_lossy(&rest(&mut stream)).into_owned();
        assert!(answer.is_empty() || status(&answer) == 400, "{answer}");
    }
    assert_eq!(status(&server.request("/", "")), 200);
}

//! Answers that a browser may keep, and how long the work for them took.

use pompeii_report::web::{SCRIPT, SCRIPT_PATH};

use crate::common::{Running, reported, sample, status, traced};

fn header<'a>(answer: &'a str, name: &str) -> Option<&'a str> {
    let (head, _) = answer.split_once("\r\n\r\n").unwrap();
    head.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
}

#[test]
fn the_same_question_is_answered_once() {
    let folder = sample("hybrid");
    let question = "/api/sums?t0=0&t1=5000&by=region";
    let mut tags = Vec::new();
    // The same in another session.
    for _ in 0..2 {
        let server = Running::ready(traced(folder.path()));
        let answer = server.request(question, "");
        assert_eq!(status(&answer), 200);
        assert_eq!(header(&answer, "cache-control"), Some("private, no-cache"));
        let tag = header(&answer, "etag").unwrap().to_owned();
        let again = server.request(question, &format!("If-None-Match: {tag}\r\n"));
        assert_eq!((status(&again), header(&again, "etag")), (304, Some(&*tag)));
        assert!(again.ends_with("\r\n\r\n"), "{again}");
        let other = server.request("/api/sums?t0=0&t1=5001", &format!("If-None-Match: {tag}\r\n"));
        assert_eq!(status(&other), 200);
        assert_ne!(header(&other, "etag"), Some(&*tag));
        // A question that needs the token needs it for this answer, too.
        let request = format!(
            "GET {question} HTTP/1.1\r\nHost: localhost\r\nIf-None-Match: {tag}\r\n\
             Connection: close\r\n\r\n"
        );
        assert_eq!(status(&server.raw(&request)), 403);
        tags.push(tag);
    }
    assert_eq!(tags[0], tags[1]);
}

#[test]
fn what_may_change_is_not_kept() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    for question in ["open", "progress", "instances", "at?loc=0&t=5", "sums?t0=5&t1=5", "nothing"] {
        let answer = server.request(&format!("/api/{question}"), "");
        assert_eq!(header(&answer, "etag"), None, "{question}");
        assert_eq!(header(&answer, "cache-control"), Some("no-store"), "{question}");
    }
    let answer = Running::new(reported()).request("/api/report", "");
    assert_eq!(header(&answer, "etag"), None);
}

#[test]
fn answers_tell_how_long_they_took() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let answer = server.request("/api/sums?t0=0&t1=5000", "");
    let timing = header(&answer, "server-timing").unwrap();
    let ms: f64 = timing.strip_prefix("work;dur=").unwrap().parse().unwrap();
    assert!(ms >= 0.0);
    assert_eq!(header(&server.request("/main.js", ""), "server-timing"), None);
}

#[test]
fn long_answers_are_packed_for_those_who_take_them_so() {
    let folder = sample("hybrid");
    let server = Running::ready(traced(folder.path()));
    let plain = server.request(SCRIPT_PATH, "");
    assert_eq!(header(&plain, "content-encoding"), None);
    let packed = server.request(SCRIPT_PATH, "Accept-Encoding: br, gzip\r\n");
    assert_eq!(header(&packed, "content-encoding"), Some("gzip"));
    let bytes = |answer| header(answer, "content-length").unwrap().parse::<usize>().unwrap();
    assert_eq!(bytes(&plain), SCRIPT.len());
    assert!(bytes(&packed) < bytes(&plain) / 2);
    for answer in [plain, packed] {
        assert_eq!(header(&answer, "vary"), Some("accept-encoding"));
    }
    let short = server.request("/api/progress", "Accept-Encoding: gzip\r\n");
    assert_eq!(header(&short, "content-encoding"), None);
}

//! Who is answered, and what is at which path.

use crate::common::{Running, reported, status};

/// A request for the report with everything right but the parts that are given.
fn asked(server: &Running, host: &str, token: &str, further: &str) -> u16 {
    let request = format!(
        "GET /api/report HTTP/1.1\r\nHost: {host}\r\nX-Pompeii-Token: {token}\r\n{further}\
         Connection: close\r\n\r\n"
    );
    status(&server.raw(&request))
}

#[test]
fn only_names_of_this_computer_are_answered() {
    let server = Running::new(reported());
    let of = |host: &str| asked(&server, host, &server.token, "");
    for host in ["localhost", "127.0.0.1:9000", "[::1]:1", &format!("localhost:{}", server.port)] {
        assert_eq!(of(host), 200, "{host}");
    }
    for host in ["attacker.example", "localhost.attacker.example", "", "127.0.0.1@evil", "0.0.0.0"]
    {
        assert_eq!(of(host), 403, "{host}");
    }
    // The page itself is guarded, too.
    let page = server.raw("GET / HTTP/1.1\r\nHost: evil\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&page), 403);
    let token = &server.token;
    let proxied = format!(
        "GET http://evil/api/report HTTP/1.1\r\nHost: localhost\r\nX-Pompeii-Token: {token}\r\n\
         Connection: close\r\n\r\n"
    );
    assert_eq!(status(&server.raw(&proxied)), 403);
    assert_eq!(asked(&server, "localhost\r\nHost: localhost", &server.token, ""), 403);
    let none = server.raw("GET / HTTP/1.0\r\n\r\n");
    assert_eq!(status(&none), 403);
}

#[test]
fn the_token_is_needed_for_data_only() {
    let server = Running::new(reported());
    let token = server.token.clone();
    let mut other = token.clone();
    other.replace_range(31..32, if token.ends_with('0') { "1" } else { "0" });
    for wrong in ["", "0", &token[1..], &other, &token.to_uppercase().replace("0", "O")] {
        assert_eq!(asked(&server, "localhost", wrong, ""), 403, "{wrong}");
    }
    let missing = "GET /api/report HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    assert_eq!(status(&server.raw(missing)), 403);
    let twice = format!("X-Pompeii-Token: {token}\r\n");
    assert_eq!(asked(&server, "localhost", &token, &twice), 403);
    for path in ["/", "/main.js", "/main.css"] {
        let request =
            format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        let answer = server.raw(&request);
        assert_eq!(status(&answer), 200, "{path}");
        assert!(!answer.contains(&token) && !answer.contains("a.out"), "{path}");
    }
    // A token in the address would be in histories and logs.
    let in_address = format!("GET /api/report?token={token} HTTP/1.1\r\nHost: localhost\r\n");
    assert_eq!(status(&server.raw(&(in_address + "Connection: close\r\n\r\n"))), 403);
}

#[test]
fn other_pages_are_refused() {
    let server = Running::new(reported());
    let of = |header: &str| asked(&server, "localhost", &server.token, &format!("{header}\r\n"));
    for own in [
        "Origin: http://localhost:9000",
        "Origin: http://[::1]",
        "Sec-Fetch-Site: none",
        "Sec-Fetch-Site: same-origin",
    ] {
        assert_eq!(of(own), 200, "{own}");
    }
    for foreign in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: https://localhost",
        "Origin:",
        "Origin: file://",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
        "Sec-Fetch-Site: \u{ff}",
        "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document",
    ] {
        assert_eq!(of(foreign), 403, "{foreign}");
    }
    // The file that leads to the page opens it, and so may a link; a frame may not.
    let opened = |dest: &str| {
        let headers = format!(
            "Sec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: {dest}\r\n"
        );
        status(&server.request("/", &headers))
    };
    assert_eq!([opened("document"), opened("iframe"), opened("script")], [200, 403, 403]);
}

#[test]
fn paths_are_names_of_a_table() {
    let server = Running::new(reported());
    for path in [
        "/..",
        "/../Cargo.toml",
        "/trees/../main.js",
        "/%2e%2e/main.js",
        "/main.js/",
        "/trees/tree.js",
        "//main.js",
        "/./main.js",
        "/main.js%00",
        "/etc/passwd",
        "/page.html",
        "/index.html",
        "/api",
        "/api/",
        "/api/nothing",
        "/api/../main.js",
        "/API/report",
        "/api/report/",
        "/..%2f..%2fetc%2fpasswd",
    ] {
        let answer = server.request(path, "");
        assert_eq!(status(&answer), 404, "{path}");
        assert!(answer.contains("{\"error\":\"there is no "), "{answer}");
    }
    // Without a slash it is the name of a host.
    assert_eq!(status(&server.request("main.js", "")), 403);
}

#[test]
fn only_get_and_head_are_answered() {
    let server = Running::new(reported());
    for method in ["POST", "PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT", "PATCH", "NONSENSE"] {
        let path = if method == "CONNECT" { "localhost:1" } else { "/" };
        let request =
            format!("{method} {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
        assert_eq!(status(&server.raw(&request)), 405, "{method}");
    }
    let head = server.raw("HEAD /main.js HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&head), 200);
    assert!(head.ends_with("\r\n\r\n") && !head.contains("content-length: 0"), "{head}");
}

#[test]
fn all_answers_have_the_headers_that_protect_a_page() {
    let server = Running::new(reported());
    for path in ["/", "/main.js", "/api/report", "/api/nothing", "/nothing"] {
        let answer = server.request(path, "");
        let (head, _) = answer.split_once("\r\n\r\n").unwrap();
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'; \
             connect-src 'self'; img-src 'self' data:;",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
            "cross-origin-resource-policy: same-origin",
            "cross-origin-opener-policy: same-origin",
            "cache-control: no-store",
        ] {
            assert!(head.contains(header), "{path}: {header}\n{head}");
        }
        assert!(!head.to_lowercase().contains("access-control"), "{head}");
    }
}

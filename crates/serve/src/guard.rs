//! Who is answered. A server on loopback can be asked by every page that the user has open, and by
//! every user of the machine:
//!
//! * Another page can send requests, but its browser says so in `Origin` and `Sec-Fetch-Site`.
//! * A name of an attacker can lead to 127.0.0.1 (DNS rebinding), but `Host` has this name.
//! * Another user does not know the token. What needs none has no data of the experiment.

use hyper::header::{HOST, HeaderMap, HeaderValue, ORIGIN};
use hyper::{Method, Request, StatusCode};

use crate::reply::Reply;
use crate::token::Token;

/// The header with the token.
const TOKEN: &str = "x-pompeii-token";
/// Paths below it need the token.
const SECRET: &str = "/api/";

/// Checks requests.
pub struct Guard {
    token: Token,
}

impl Guard {
    pub fn new(token: Token) -> Guard {
        Guard { token }
    }

    /// Why a request is not answered; `None` if it is.
    pub fn refuse<B>(&self, request: &Request<B>) -> Option<Reply> {
        let why = match request.method() {
            &Method::GET | &Method::HEAD => self.forbidden(request)?,
            _ => {
                let only = "this server answers GET and HEAD only";
                return Some(Reply::error(StatusCode::METHOD_NOT_ALLOWED, only));
            }
        };
        Some(Reply::error(StatusCode::FORBIDDEN, why))
    }

    fn forbidden<B>(&self, request: &Request<B>) -> Option<&'static str> {
        let headers = request.headers();
        // A proxy's form of a request names a host of its own.
        let is_proxied = request.uri().authority().is_some();
        if is_proxied || !only(headers, HOST.as_str()).is_some_and(is_loopback) {
            return Some("the header Host names another computer; open the address as printed");
        }
        if headers.contains_key(ORIGIN) {
            let origin = only(headers, ORIGIN.as_str());
            let host = origin.and_then(|origin| origin.strip_prefix("http://"));
            if !host.is_some_and(is_loopback) {
                return Some("the request comes from another page (header Origin)");
            }
        }
        let is_secret = request.uri().path().starts_with(SECRET);
        if !is_own_site(headers, !is_secret) {
            return Some("the request comes from another page (header Sec-Fetch-Site)");
        }
        let token = only_bytes(headers, TOKEN).unwrap_or_default();
        if is_secret && !self.token.is(token) {
            return Some("the token is missing or wrong; open the address as printed");
        }
        None
    }
}

/// The value of a header that is there once.
fn only_bytes<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a [u8]> {
    let mut values = headers.get_all(name).iter();
    let value = values.next().map(HeaderValue::as_bytes);
    value.filter(|_| values.next().is_none())
}

fn only<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    std::str::from_utf8(only_bytes(headers, name)?).ok()
}

/// Whether `Host` or the end of `Origin` names this computer, with any port: `ssh -L` changes it.
fn is_loopback(host: &str) -> bool {
    let (name, port) = match host.strip_prefix("[::1]") {
        Some(port) => ("[::1]", port.strip_prefix(':').or(port.is_empty().then_some("80"))),
        None => match host.split_once(':') {
            Some((name, port)) => (name, Some(port)),
            None => (host, Some("80")),
        },
    };
    let is_name =
        ["localhost", "127.0.0.1", "[::1]"].iter().any(|it| it.eq_ignore_ascii_case(name));
    let is_port = |port: &str| port.bytes().all(|it| it.is_ascii_digit()) && !port.is_empty();
    is_name && port.is_some_and(is_port)
}

/// Whether the browser says that the request comes from our page or from the user. Browsers that do
/// not say it, and other programs, have no such header. The page itself may be opened by a link in
/// another page, because a file that leads to it opens it; it shows nothing without the token.
fn is_own_site(headers: &HeaderMap, may_be_opened: bool) -> bool {
    let value = |name| only(headers, name);
    match value("sec-fetch-site") {
        None => !headers.contains_key("sec-fetch-site"),
        Some("same-origin" | "none") => true,
        Some(_) => {
            let opens_a_page = value("sec-fetch-mode") == Some("navigate")
                && value("sec-fetch-dest") == Some("document");
            may_be_opened && opens_a_page
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_this_computer_with_any_port() {
        for host in ["localhost", "LOCALHOST:1", "127.0.0.1:65535", "[::1]", "[::1]:9000"] {
            assert!(is_loopback(host), "{host}");
        }
        for host in [
            "",
            "evil.example",
            "localhost.evil.example",
            "localhost:",
            "localhost:8080.evil",
            "127.0.0.1.nip.io",
            "[::1]evil",
            "[::1",
            "[::1]:",
            "user@localhost",
            "127.0.0.2",
            "::1",
        ] {
            assert!(!is_loopback(host), "{host}");
        }
    }
}

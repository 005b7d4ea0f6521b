//! Answers before they are HTTP, and the headers that all of them have.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

/// What a page of this server may do: load what lies next to it, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Headers of all answers. Answers depend on the experiment that is open, so none is kept.
const ALWAYS: [(&str, &str); 7] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cache-control", "no-store"),
    ("x-frame-options", "DENY"),
];

pub const JSON: &str = "application/json";
pub const COLUMNS: &str = "application/octet-stream";

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    status: StatusCode,
    kind: &'static str,
    bytes: Bytes,
}

impl Reply {
    /// An answer with its type.
    pub fn new(kind: &'static str, bytes: impl Into<Bytes>) -> Reply {
        Reply { status: StatusCode::OK, kind, bytes: bytes.into() }
    }

    /// Data as JSON.
    pub fn json(value: &impl Serialize) -> Reply {
        match serde_json::to_vec(value) {
            Ok(bytes) => Reply::new(JSON, bytes),
            Err(error) => Reply::error(StatusCode::INTERNAL_SERVER_ERROR, &error.to_string()),
        }
    }

    /// A sentence that says why there is no answer.
    pub fn error(status: StatusCode, sentence: &str) -> Reply {
        let text = serde_json::json!({ "error": sentence }).to_string();
        Reply { status, ..Reply::new(JSON, text) }
    }

    /// The content.
    pub fn content(&self) -> &[u8] {
        &self.bytes
    }

    /// The content as JSON, if it is an answer and not an error.
    pub fn to_json(&self) -> Option<serde_json::Value> {
        let is_answer = self.status == StatusCode::OK;
        serde_json::from_slice(&self.bytes).ok().filter(|_| is_answer)
    }

    /// The answer as HTTP.
    pub fn into_response(self) -> Response<Whole> {
        let mut response = Response::new(Whole(Some(self.bytes)));
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        for (name, value) in ALWAYS {
            headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(self.kind));
        match self.status {
            StatusCode::SERVICE_UNAVAILABLE => {
                headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
            }
            StatusCode::METHOD_NOT_ALLOWED => {
                headers.insert(header::ALLOW, HeaderValue::from_static("GET, HEAD"));
            }
            _ => {}
        }
        response
    }
}

/// Bytes that are sent as a whole.
pub struct Whole(Option<Bytes>);

impl Body for Whole {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, |bytes| bytes.len() as u64))
    }
}

/// Why a question has no answer, as a sentence for the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is no question that can be answered.
    Bad(String),
    /// There is nothing of this name.
    Missing(String),
    /// The trace is no longer what it was.
    Gone(String),
    /// The index is being built.
    NotReady,
}

impl From<Refused> for Reply {
    fn from(refused: Refused) -> Reply {
        match refused {
            Refused::Bad(why) => Reply::error(StatusCode::BAD_REQUEST, &why),
            Refused::Missing(why) => Reply::error(StatusCode::NOT_FOUND, &why),
            Refused::Gone(why) => Reply::error(StatusCode::GONE, &why),
            Refused::NotReady => {
                let why = "the index of the trace is being built";
                Reply::error(StatusCode::SERVICE_UNAVAILABLE, why)
            }
        }
    }
}

//! Answers before they are HTTP, and the headers that all of them have.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame, SizeHint};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::{Response, StatusCode};
use serde::Serialize;

use crate::compress;

/// What a page of this server may do: load what lies next to it, and nothing else.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
                      img-src 'self' data:; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Headers of all answers.
const ALWAYS: [(&str, &str); 7] = [
    ("content-security-policy", POLICY),
    ("x-content-type-options", "nosniff"),
    ("referrer-policy", "no-referrer"),
    ("cross-origin-resource-policy", "same-origin"),
    ("cross-origin-opener-policy", "same-origin"),
    ("x-frame-options", "DENY"),
    ("vary", "accept-encoding"),
];

pub const JSON: &str = "application/json";
pub const COLUMNS: &str = "application/octet-stream";

/// An answer.
#[derive(Clone, Debug)]
pub struct Reply {
    status: StatusCode,
    kind: &'static str,
    bytes: Bytes,
    /// Whether the bytes are packed with gzip.
    is_packed: bool,
    /// What tells this answer from all others; only for those that follow from the trace alone.
    tag: Option<HeaderValue>,
    /// Milliseconds of work for it.
    work_ms: Option<f64>,
}

impl Reply {
    /// An answer with its type.
    pub fn new(kind: &'static str, bytes: impl Into<Bytes>) -> Reply {
        let (status, bytes) = (StatusCode::OK, bytes.into());
        Reply { status, kind, bytes, is_packed: false, tag: None, work_ms: None }
    }

    /// The browser has the answer with this tag already.
    pub fn unchanged(tag: HeaderValue) -> Reply {
        Reply { status: StatusCode::NOT_MODIFIED, ..Reply::new(JSON, Bytes::new()) }.with_tag(tag)
    }

    /// Gives an answer its tag; an error has none.
    pub fn with_tag(mut self, tag: HeaderValue) -> Reply {
        let is_answer = matches!(self.status, StatusCode::OK | StatusCode::NOT_MODIFIED);
        self.tag = is_answer.then_some(tag);
        self
    }

    /// Packs a long answer, if the client takes it so.
    pub fn packed(mut self, is_accepted: bool) -> Reply {
        let packed = if is_accepted { compress::gzip(&self.bytes) } else { None };
        if let Some(packed) = packed {
            (self.bytes, self.is_packed) = (packed.into(), true);
        }
        self
    }

    /// Says how long the work for the answer took.
    pub fn after(mut self, work: Duration) -> Reply {
        self.work_ms = Some(work.as_secs_f64() * 1000.0);
        self
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
        if self.is_packed {
            headers.insert(header::CONTENT_ENCODING, HeaderValue::from_static("gzip"));
        }
        // What does not follow from the trace alone may be another experiment's next time.
        let cache = if self.tag.is_some() { "private, no-cache" } else { "no-store" };
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static(cache));
        if let Some(tag) = self.tag {
            headers.insert(header::ETAG, tag);
        }
        let timing = self.work_ms.map(|ms| HeaderValue::from_str(&format!("work;dur={ms:.1}")));
        if let Some(Ok(timing)) = timing {
            headers.insert(HeaderName::from_static("server-timing"), timing);
        }
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
    /// A later question of this kind has come.
    Replaced,
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
            Refused::Replaced => {
                let why = "a later question for another window has replaced this one";
                Reply::error(StatusCode::CONFLICT, why)
            }
        }
    }
}

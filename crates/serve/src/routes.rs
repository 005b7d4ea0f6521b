//! What lies at which path: the page and its parts by a table, and the questions below `/api/`. No
//! path is a file name. To add a question: a line in `answer_of`, its file in `answers/`, and its
//! row in `wire.rs`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use hyper::header::{HeaderValue, IF_NONE_MATCH};
use hyper::{Request, StatusCode};
use pompeii_report::web::{SCRIPT, SCRIPT_PATH, STYLE, STYLE_PATH, served_page};
use tokio::task::{AbortHandle, spawn_blocking};
use tokio::time::Instant;

use crate::answers;
use crate::compress;
use crate::query::Query;
use crate::reply::{Refused, Reply};
use crate::session::Session;

/// Questions whose answers follow from the trace alone: the same question has the same answer as
/// long as the trace is the same.
const TAGGED: [&str; 10] = [
    "counter",
    "curves",
    "gaps",
    "histogram",
    "links",
    "matrix",
    "picture",
    "sums",
    "tasks",
    "trees",
];

/// Answers a request that may be answered.
pub async fn answer<B>(session: &Arc<Session>, request: &Request<B>) -> Reply {
    let uri = request.uri();
    let path = uri.path();
    let takes_gzip = compress::is_accepted(request.headers());
    if let Some(name) = path.strip_prefix("/api/") {
        let words = uri.query().unwrap_or_default();
        let question = (name.to_owned(), words.to_owned(), takes_gzip);
        let Some(tag) = tag(session, name, words) else { return api(session, question).await };
        if request.headers().get(IF_NONE_MATCH) == Some(&tag) {
            return Reply::unchanged(tag);
        }
        return api(session, question).await.with_tag(tag);
    }
    page(session, path).unwrap_or_else(|| nothing("page", path)).packed(takes_gzip)
}

/// What tells the answer to a question from all others: the fingerprint of the trace and the words.
fn tag(session: &Session, name: &str, words: &str) -> Option<HeaderValue> {
    let trace = session.trace().ok().filter(|_| TAGGED.contains(&name))?;
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), name, words).hash(&mut hasher);
    let ([one, two], question) = (trace.survey.fingerprint, hasher.finish());
    // It is a weak tag, because the answer may be packed or not.
    HeaderValue::from_str(&format!("W/\"{one:016x}{two:016x}{question:016x}\"")).ok()
}

/// The page, or one of the files that it loads.
fn page(session: &Session, path: &str) -> Option<Reply> {
    match path {
        "/" => {
            let title = format!("{} - Pompeii", session.viewed.title);
            Some(Reply::new("text/html; charset=utf-8", served_page(&title)))
        }
        STYLE_PATH => Some(Reply::new("text/css; charset=utf-8", STYLE.as_str())),
        SCRIPT_PATH => Some(Reply::new("text/javascript; charset=utf-8", SCRIPT.as_str())),
        _ => None,
    }
}

/// The answer to a question: its name, its words, and whether the client takes gzip.
async fn api(session: &Arc<Session>, (name, words, takes_gzip): (String, String, bool)) -> Reply {
    // It is asked for again and again, and must not wait for other questions.
    if name == "progress" {
        return Reply::json(&session.progress().state());
    }
    let session = session.clone();
    let work = spawn_blocking(move || {
        let begin = Instant::now();
        let reply = answer_of(&session, &name, &words).unwrap_or_else(Reply::from);
        reply.packed(takes_gzip).after(begin.elapsed())
    });
    // A page that has gone on to another window does not wait for this one any more.
    let _unneeded = Unneeded(work.abort_handle());
    let failed = "the server failed at this question; its terminal shows why";
    work.await.unwrap_or_else(|_| Reply::error(StatusCode::INTERNAL_SERVER_ERROR, failed))
}

/// The answer to a question by its name and its words.
pub fn answer_of(session: &Session, name: &str, words: &str) -> Result<Reply, Refused> {
    let query = &Query::parse(words)?;
    match name {
        "open" => answers::open(session),
        "first" => Ok(answers::first(session)),
        "cube" => answers::cube(session),
        "report" => answers::report(session),
        "picture" => answers::picture(session, query),
        "sums" => answers::sums(session, query),
        "at" => answers::at(session, query),
        "tasks" => answers::tasks(session, query),
        "links" => answers::links(session, query),
        "matrix" => answers::matrix(session, query),
        "curves" => answers::curves(session, query),
        "counter" => answers::counter(session, query),
        "histogram" => answers::histogram(session, query),
        "gaps" => answers::gaps(session, query),
        "find" => answers::find::find(session, query, words),
        "trees" => answers::trees(session, query),
        "instances" => answers::instances(session),
        "source" => answers::source_text(session, query),
        _ => Ok(nothing("question", name)),
    }
}

fn nothing(what: &str, name: &str) -> Reply {
    Reply::error(StatusCode::NOT_FOUND, &format!("there is no {what} {name}"))
}

/// Work that has not begun is not done if this is dropped before.
struct Unneeded(AbortHandle);

impl Drop for Unneeded {
    fn drop(&mut self) {
        self.0.abort();
    }
}

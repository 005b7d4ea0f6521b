//! What lies at which path: the page and its parts by a table, and the questions below `/api/`. No
//! path is a file name. To add a question: a line in `answer_of`, its file in `answers/`, and its
//! row in `wire.rs`.

use std::sync::Arc;

use hyper::{StatusCode, Uri};
use pompeii_report::web::{MODULES, STYLES, served_page};
use tokio::task::{AbortHandle, spawn_blocking};

use crate::answers;
use crate::query::Query;
use crate::reply::{Refused, Reply};
use crate::session::Session;

/// Answers a request that may be answered.
pub async fn answer(session: &Arc<Session>, uri: &Uri) -> Reply {
    let path = uri.path();
    if let Some(name) = path.strip_prefix("/api/") {
        return api(session, name, uri.query().unwrap_or_default()).await;
    }
    page(session, path).unwrap_or_else(|| nothing("page", path))
}

/// The page, or one of the files that it loads.
fn page(session: &Session, path: &str) -> Option<Reply> {
    if path == "/" {
        let title = format!("{} - Pompeii", session.viewed.title);
        return Some(Reply::new("text/html; charset=utf-8", served_page(&title)));
    }
    let path = path.strip_prefix('/')?;
    let style = STYLES.iter().find(|style| style.path == path);
    let style = style.map(|style| Reply::new("text/css; charset=utf-8", style.text));
    style.or_else(|| {
        let module = MODULES.iter().find(|module| module.path == path)?;
        Some(Reply::new("text/javascript; charset=utf-8", module.text))
    })
}

async fn api(session: &Arc<Session>, name: &str, words: &str) -> Reply {
    // It is asked for again and again, and must not wait for other questions.
    if name == "progress" {
        return Reply::json(&session.progress().state());
    }
    let (session, name, words) = (session.clone(), name.to_owned(), words.to_owned());
    let work = spawn_blocking(move || match answer_of(&session, &name, &words) {
        Ok(reply) => reply,
        Err(refused) => refused.into(),
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

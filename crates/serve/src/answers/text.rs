//! `source`: the text of a source that a region names, by its place in the list of `open`.

use serde::Serialize;

use crate::query::Query;
use crate::reply::{Refused, Reply};
use crate::session::Session;
use crate::source;

#[derive(Serialize)]
struct Answer<'a> {
    name: &'a str,
    text: String,
}

/// The text of a source.
pub fn source_text(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let number = query.number("file")?;
    let none = || Refused::Bad(format!("there is no file {number}"));
    let name = session.files().get(number as usize).ok_or_else(none)?;
    let text = source::text(name, session.viewed.sources.as_deref())?;
    Ok(Reply::json(&Answer { name, text }))
}

//! `links` and `matrix`: what leads from one location to another one.

use pompeii_index::{Link, LinkKind};
use serde::Serialize;

use crate::query::Query;
use crate::reply::{Refused, Reply};
use crate::session::Session;

/// The most links of an answer, and their number if the page does not say.
const MOST: u64 = 20_000;
const USUAL: u64 = 2000;

#[derive(Serialize)]
struct Drawn {
    /// Kind, location and time of both ends, bytes.
    links: Vec<(&'static str, usize, u64, usize, u64, u64)>,
    left_out: u64,
}

#[derive(Serialize)]
struct Counted {
    /// Begin of a bin, locations of both ends, number of links.
    counts: Vec<(u64, usize, usize, u64)>,
    bin_log2: u32,
    left_out: u64,
}

#[derive(Serialize)]
struct Matrix {
    /// Sender, receiver, messages, bytes.
    pairs: Vec<(usize, usize, u64, u64)>,
}

/// The links of a window; if there are more than wanted, their counts.
pub fn links(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let kinds = kinds(query.text("kinds")?)?;
    let most = query.number_up_to("max", USUAL, MOST)? as usize;
    let window = query.window()?;
    let window = trace.time(window.start)..trace.time(window.end);
    let found = index.links(&kinds, &window, most);
    if found.left_out == 0 {
        let link = |link: &Link| {
            let (from, to) = (trace.since_origin(link.from.1), trace.since_origin(link.to.1));
            (name(link.kind), link.from.0, from, link.to.0, to, bytes(link))
        };
        let links = found.links.iter().map(link).collect();
        return Ok(Reply::json(&Drawn { links, left_out: 0 }));
    }
    let found = index.link_counts(&kinds, &window, most);
    let counts = found.counts.iter();
    let counts = counts.map(|it| (trace.since_origin(it.begin), it.from, it.to, it.links));
    let (bin_log2, left_out) = (found.bin_log2, found.left_out);
    Ok(Reply::json(&Counted { counts: counts.collect(), bin_log2, left_out }))
}

/// The messages of a window by sender and receiver.
pub fn matrix(session: &Session, query: &Query<'_>) -> Result<Reply, Refused> {
    let (trace, index) = (session.trace()?, session.index()?);
    let window = query.window()?;
    let pairs = index.matrix(&(trace.time(window.start)..trace.time(window.end)));
    let pairs = pairs.iter().map(|pair| (pair.from, pair.to, pair.messages, pair.bytes));
    Ok(Reply::json(&Matrix { pairs: pairs.collect() }))
}

/// The word of a kind.
pub fn name(kind: LinkKind) -> &'static str {
    match kind {
        LinkKind::Message => "message",
        LinkKind::Collective => "collective",
        LinkKind::Lock => "lock",
        LinkKind::TaskStart | LinkKind::TaskResume => "task",
    }
}

fn bytes(link: &Link) -> u64 {
    let has_bytes = matches!(link.kind, LinkKind::Message | LinkKind::Collective);
    if has_bytes { link.detail } else { 0 }
}

/// The kinds that a page names, for example `message,task`.
fn kinds(text: &str) -> Result<Vec<LinkKind>, Refused> {
    let mut kinds = Vec::new();
    for word in text.split(',') {
        let of_word = LinkKind::ALL.into_iter().filter(|kind| name(*kind) == word);
        let before = kinds.len();
        kinds.extend(of_word.filter(|kind| !kinds.contains(kind)).collect::<Vec<_>>());
        if kinds.len() == before {
            return Err(Refused::Bad(format!("kinds: {word} is no kind of link, or is twice")));
        }
    }
    Ok(kinds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_words() {
        assert_eq!(kinds("message"), Ok(vec![LinkKind::Message]));
        let task = vec![LinkKind::Lock, LinkKind::TaskStart, LinkKind::TaskResume];
        assert_eq!(kinds("lock,task"), Ok(task));
        for wrong in ["", "messages", "lock,", "lock,lock", "Message"] {
            assert!(kinds(wrong).is_err(), "{wrong}");
        }
    }
}

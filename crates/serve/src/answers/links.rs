//! `links` and `matrix`: what leads from one location to another one. If there are more links than
//! a page can draw, it draws how many there are by column and pair of rows.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use pompeii_index::{Link, LinkKind, bin_log2_for};
use serde::Serialize;

use super::picture::{COLUMNS_MAX, COLUMNS_USUAL};
use crate::query::Query;
use crate::reply::{Refused, Reply};
use crate::session::Session;

/// The most links of an answer, and their number if the page does not say.
const MOST: u64 = 20_000;
const USUAL: u64 = 2000;
/// Counts of the index that are summed up at most; then its bins are longer.
const COUNTS_MAX: usize = 1 << 16;

#[derive(Serialize)]
struct Drawn {
    /// Kind, location and time of both ends, bytes.
    links: Vec<(&'static str, usize, u64, usize, u64, u64)>,
    left_out: u64,
}

#[derive(Serialize)]
struct Counted {
    /// Begin of a bin, rows of both ends (locations or processes), number of links.
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
    let columns = query.number_up_to("px", COLUMNS_USUAL, COLUMNS_MAX)?.max(1) as u32;
    let row: &dyn Fn(usize) -> usize = match query.get("by").unwrap_or("location") {
        "location" => &|location| location,
        "process" => &|location| trace.process(location),
        _ => return Err(Refused::Bad("by must be location or process".to_owned())),
    };
    let found = index.links(&kinds, &window, most);
    if found.left_out == 0 {
        let link = |link: &Link| {
            let (from, to) = (trace.since_origin(link.from.1), trace.since_origin(link.to.1));
            (name(link.kind), link.from.0, from, link.to.0, to, bytes(link))
        };
        let links = found.links.iter().map(link).collect();
        return Ok(Reply::json(&Drawn { links, left_out: 0 }));
    }
    let found = index.link_counts(&kinds, &window, COUNTS_MAX);
    let counts = found.counts.iter();
    let counts =
        counts.map(|it| (trace.since_origin(it.begin), row(it.from), row(it.to), it.links));
    let bins = (found.bin_log2.max(bin_log2_for(&window, columns)), index.shape().length);
    let mut counted = by_column(counts.collect(), bins, most);
    counted.left_out = counted.left_out.saturating_add(found.left_out);
    Ok(Reply::json(&counted))
}

/// Sums of counts by bin and pair of rows, in bins that are at least this long, and so long that
/// there are at most `most` sums. If even the whole trace has more pairs, the largest ones.
fn by_column(
    counts: Vec<(u64, usize, usize, u64)>,
    (mut bin_log2, length): (u32, u64),
    most: usize,
) -> Counted {
    let sums = loop {
        let mut sums: BTreeMap<(u64, usize, usize), u64> = BTreeMap::new();
        for (begin, from, to, links) in &counts {
            let sum = sums.entry((begin >> bin_log2, *from, *to)).or_default();
            *sum = sum.saturating_add(*links);
        }
        if sums.len() <= most || length >> bin_log2 == 0 {
            break sums;
        }
        bin_log2 += 1;
    };
    let all = sums.into_iter().map(|((bin, from, to), sum)| (bin << bin_log2, from, to, sum));
    let mut counts: Vec<_> = all.collect();
    counts.sort_by_key(|(begin, from, to, sum)| (Reverse(*sum), *begin, *from, *to));
    let rest = counts.split_off(most.min(counts.len()));
    let left_out = rest.iter().fold(0, |sum: u64, (.., links)| sum.saturating_add(*links));
    counts.sort_unstable();
    Counted { counts, bin_log2, left_out }
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
    fn counts_are_those_of_columns() {
        let all = vec![(0, 0, 1, 3), (4, 0, 1, 5), (4, 1, 0, 1), (12, 0, 1, 2)];
        let by = |bin_log2, most| {
            let counted = by_column(all.clone(), (bin_log2, 15), most);
            (counted.counts, counted.bin_log2, counted.left_out)
        };
        assert_eq!(by(2, 9), (all.clone(), 2, 0));
        let of_eight = vec![(0, 0, 1, 8), (0, 1, 0, 1), (8, 0, 1, 2)];
        assert_eq!(by(3, 9), (of_eight.clone(), 3, 0));
        assert_eq!(by(2, 3), (of_eight, 3, 0));
        assert_eq!(by(2, 1), (vec![(0, 0, 1, 10)], 4, 1));
        assert_eq!(by(63, 9).0, [(0, 0, 1, 10), (0, 1, 0, 1)]);
    }

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

//! The life of a task instance: where it was created, and the pieces of time in which it ran.

use pompeii_index::{Link, LinkKind};
use serde::Serialize;

/// A location and a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Place {
    loc: usize,
    at: u64,
}

/// A piece of time in which a task ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    pub loc: usize,
    pub start: u64,
    /// `None`: it is not known.
    pub end: Option<u64>,
}

/// The life of a task.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chain {
    pub created: Option<Place>,
    pub fragments: Vec<Piece>,
}

impl Chain {
    /// The life of the task that begins or goes on at `place`, a location and a time, of all links
    /// of tasks with its name. Other teams may have tasks of the same name. `since` makes times of
    /// the page.
    pub fn of(links: &[Link], place: (usize, u64), since: impl Fn(u64) -> u64) -> Chain {
        let mut chain = Chain::default();
        let piece = |(loc, start): (usize, u64), end: Option<u64>| {
            let (start, end) = (since(start), end.map(&since));
            Piece { loc, start, end }
        };
        let mut first = place;
        let mut before = Vec::new();
        while let Some(link) = links.iter().find(|link| link.to == first) {
            if link.kind == LinkKind::TaskStart {
                chain.created = Some(Place { loc: link.from.0, at: since(link.from.1) });
                break;
            }
            let Some(begin) = begin_before(links, link) else { break };
            before.push(piece(begin, Some(link.from.1)));
            // A circle is damage.
            if before.len() > links.len() {
                break;
            }
            first = begin;
        }
        chain.fragments = before.into_iter().rev().collect();
        let mut last = place;
        for _ in 0..=links.len() {
            let Some(link) = next(links, last) else { break };
            chain.fragments.push(piece(last, Some(link.from.1)));
            last = link.to;
        }
        chain.fragments.push(piece(last, None));
        chain
    }
}

/// Where the fragment begins at whose end a link begins.
fn begin_before(links: &[Link], link: &Link) -> Option<(usize, u64)> {
    let same = links.iter().map(|other| other.to).filter(|begin| begin.0 == link.from.0);
    same.filter(|begin| begin.1 <= link.from.1 && *begin != link.to).max()
}

/// The link at the end of the fragment that begins at `place`; `None` if the task ends there. If a
/// task begins on the location before the next link, the link is that task's.
fn next(links: &[Link], place: (usize, u64)) -> Option<&Link> {
    let resumes = links.iter().filter(|link| link.kind == LinkKind::TaskResume);
    let after = resumes.filter(|link| link.from.0 == place.0 && link.from.1 >= place.1);
    let link = after.min_by_key(|link| link.from.1)?;
    let is_between = |other: &Link| {
        let (loc, time) = other.to;
        other.kind == LinkKind::TaskStart
            && loc == place.0
            && (place.1 + 1..=link.from.1).contains(&time)
    };
    (!links.iter().any(is_between)).then_some(link)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn link(kind: LinkKind, from: (usize, u64), to: (usize, u64)) -> Link {
        Link { kind, from, to, detail: 0 }
    }

    fn pieces(chain: &Chain) -> Vec<(usize, u64, Option<u64>)> {
        chain.fragments.iter().map(|it| (it.loc, it.start, it.end)).collect()
    }

    #[test]
    fn a_task_that_moves_is_followed_both_ways() {
        let links = [
            link(LinkKind::TaskStart, (0, 5), (1, 10)),
            link(LinkKind::TaskResume, (1, 20), (2, 30)),
            link(LinkKind::TaskResume, (2, 40), (1, 50)),
            // A later team has a task of the same name.
            link(LinkKind::TaskStart, (0, 100), (1, 110)),
            link(LinkKind::TaskResume, (1, 120), (2, 130)),
        ];
        let of = |place| Chain::of(&links, place, |time| time - 1);
        for place in [(1, 10), (2, 30), (1, 50)] {
            let chain = of(place);
            assert_eq!(chain.created, Some(Place { loc: 0, at: 4 }));
            assert_eq!(pieces(&chain), [(1, 9, Some(19)), (2, 29, Some(39)), (1, 49, None)]);
        }
        let later = of((2, 130));
        assert_eq!(later.created, Some(Place { loc: 0, at: 99 }));
        assert_eq!(pieces(&later), [(1, 109, Some(119)), (2, 129, None)]);
    }

    #[test]
    fn damaged_links_have_an_end() {
        let links = [
            link(LinkKind::TaskResume, (0, 5), (0, 5)),
            link(LinkKind::TaskResume, (0, 5), (1, 5)),
            link(LinkKind::TaskResume, (1, 5), (0, 5)),
        ];
        let chain = Chain::of(&links, (0, 5), |time| time);
        assert!(chain.fragments.len() < 10 && chain.created.is_none());
        assert_eq!(pieces(&Chain::of(&[], (3, 4), |time| time)), [(3, 4, None)]);
    }
}

//! Links between locations: what came from where. They are made while the index is built, because
//! the other end of a link may be anywhere in the trace, and each is stored once, in about ten
//! bytes: in blocks, by kind and by class of duration. The directory tells the times of a block,
//! so only blocks are decoded that have a part in a window.
//!
//! | kind | from | to |
//! |---|---|---|
//! | message | the send | the end of the receive |
//! | collective | the last member that began, or the root that sends | each other member |
//! | collective with one receiver | each other member | the root |
//! | lock | the release | the next acquisition, if another location waited for it |
//! | start of a task | its creation | its first fragment |
//! | task goes on | the end of a fragment | the next fragment |
//!
//! Links of collective operations lead from the begin of a member's part to the end of another one.

use std::ops::Range;

use crate::counts::Counter;
use crate::format::{Index, Key, Piece, Section};
use crate::pack::{Blocks, BlocksOf, Input, difference, put, put_signed};
use crate::shape::{Shape, bits};

/// What a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkKind {
    /// A message of MPI.
    Message,
    /// A member of a collective operation of MPI.
    Collective,
    /// A lock that goes from one thread to another one that waits for it.
    Lock,
    /// From the creation of a task to its begin.
    TaskStart,
    /// From a fragment of a task to the next one.
    TaskResume,
}

impl LinkKind {
    /// All kinds.
    pub const ALL: [LinkKind; 5] = [
        LinkKind::Message,
        LinkKind::Collective,
        LinkKind::Lock,
        LinkKind::TaskStart,
        LinkKind::TaskResume,
    ];
}

/// A link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Link {
    /// What it is.
    pub kind: LinkKind,
    /// Location and time where it begins, in ticks.
    pub from: (usize, u64),
    /// Location and time where it ends. If clocks differ, it may be before the begin.
    pub to: (usize, u64),
    /// The bytes of a message, those that a member of a collective operation sent and received, the
    /// number of a lock, or thread and number of a task ([`task`](Link::task)).
    pub detail: u64,
}

impl Link {
    /// Of a task: the thread that created it, and its number there.
    pub fn task(&self) -> Option<(u32, u32)> {
        let is_task = matches!(self.kind, LinkKind::TaskStart | LinkKind::TaskResume);
        is_task.then_some(((self.detail >> 32) as u32, self.detail as u32))
    }

    /// The earlier and the later time.
    pub(crate) fn times(&self) -> (u64, u64) {
        (self.from.1.min(self.to.1), self.from.1.max(self.to.1))
    }
}

/// Classes of duration: the bits of the duration, by two.
const CLASSES: usize = 33;

fn class(link: &Link) -> usize {
    let (first, last) = link.times();
    bits(last - first) as usize / 2
}

/// What the directory has of a block: smallest and largest begin, smallest and largest end,
/// smallest and largest number of a task, in ticks since the origin.
const WORDS: usize = 5;

/// Links of a kind and class.
#[derive(Clone, Debug)]
struct Packed {
    blocks: Blocks<WORDS>,
    last: Option<Link>,
}

/// Links before they are in a file.
#[derive(Clone, Debug)]
pub(crate) struct LinkStore {
    shape: Shape,
    /// By kind and class.
    packed: Vec<Packed>,
    /// By kind.
    counters: Vec<Counter>,
}

impl LinkStore {
    pub fn new(shape: Shape) -> LinkStore {
        let kinds = LinkKind::ALL.len();
        let packed = Packed { blocks: Blocks::new(), last: None };
        let counters = vec![Counter::new(shape); kinds];
        LinkStore { shape, packed: vec![packed; kinds * CLASSES], counters }
    }

    /// Adds a link with times in ticks. The order does not matter, but neighbours should come one
    /// after the other.
    pub fn push(&mut self, link: Link) {
        let length = self.shape.length;
        let since = |(location, time): (usize, u64)| (location, self.shape.ticks(time).min(length));
        let link = Link { from: since(link.from), to: since(link.to), ..link };
        self.counters[link.kind as usize].add(&link);
        let packed = &mut self.packed[link.kind as usize * CLASSES + class(&link)];
        let before = packed.last.filter(|_| !packed.blocks.begins_block());
        let (first, last) = link.times();
        let number = link.detail & u64::from(u32::MAX);
        packed.blocks.push(
            [u64::MAX, 0, u64::MAX, 0, u64::from(u32::MAX) << 32],
            |block| {
                let [begin, late_begin, early_end, end, numbers] = block;
                (*begin, *late_begin) = ((*begin).min(first), (*late_begin).max(first));
                (*early_end, *end) = ((*early_end).min(last), (*end).max(last));
                let (least, most) = (*numbers >> 32, *numbers & u64::from(u32::MAX));
                *numbers = least.min(number) << 32 | most.max(number);
            },
            |out| pack(&link, before, out),
        );
        packed.last = Some(link);
    }

    /// The sections, each with the kind of its links.
    pub fn pieces(self) -> impl Iterator<Item = (usize, Piece)> {
        let links = self.packed.into_iter().enumerate().map(|(place, packed)| {
            let (section, level) = (Section::Links, place % CLASSES);
            let words = packed.blocks.words();
            (place / CLASSES, Piece { section, row: 0, level, words, is_coarse: false })
        });
        let counts = self.counters.into_iter().enumerate();
        links.chain(
            counts.flat_map(|(kind, counter)| counter.pieces().map(move |piece| (kind, piece))),
        )
    }
}

fn pack(link: &Link, before: Option<Link>, out: &mut Vec<u8>) {
    let before = before.unwrap_or(Link { from: (0, 0), to: (0, 0), detail: 0, ..*link });
    put_signed(out, difference(link.from.1, before.from.1));
    put_signed(out, difference(link.to.1, link.from.1));
    put(out, link.from.0 as u64);
    put_signed(out, difference(link.to.0 as u64, link.from.0 as u64));
    let halves = |detail: u64| [detail >> 32, detail & u64::from(u32::MAX)];
    for (half, before) in halves(link.detail).into_iter().zip(halves(before.detail)) {
        put_signed(out, difference(half, before));
    }
}

fn unpack(kind: LinkKind, input: &mut Input<'_>, before: Option<Link>) -> Option<Link> {
    let before = before.unwrap_or(Link { kind, from: (0, 0), to: (0, 0), detail: 0 });
    let begin = input.after(before.from.1)?;
    let end = input.after(begin)?;
    let from = input.number()?;
    let to = input.after(from)?;
    let high = input.after(before.detail >> 32)?;
    let low = input.after(before.detail & u64::from(u32::MAX))?;
    let detail = high << 32 | low & u64::from(u32::MAX);
    // A location is a number below 2^28 (`format.rs`).
    let location = |number: u64| (number & 0xfff_ffff) as usize;
    Some(Link { kind, from: (location(from), begin), to: (location(to), end), detail })
}

/// Links of a window.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Links {
    /// The longest ones, in the order of their begins.
    pub links: Vec<Link>,
    /// Number of shorter ones that would be too many.
    pub left_out: u64,
}

/// What a block has to do with a window.
enum Part {
    None,
    Some,
    All,
}

impl<B: AsRef<[u8]>> Index<B> {
    /// Links of some kinds that have a part in a window of time, in ticks: at most `max`. If there
    /// are more, [`link_counts`](Index::link_counts) shows all of them.
    pub fn links(&self, kinds: &[LinkKind], window: &Range<u64>, max: usize) -> Links {
        let shape = self.shape();
        let window = shape.ticks(window.start)..shape.ticks(window.end);
        let mut found = Links::default();
        // The longest ones first.
        for class in (0..CLASSES).rev() {
            for &kind in kinds {
                self.add_links(kind, class, &window, max, &mut found);
            }
        }
        let time = |(location, time): (usize, u64)| (location, shape.origin.saturating_add(time));
        for link in &mut found.links {
            (link.from, link.to) = (time(link.from), time(link.to));
        }
        found.links.sort_unstable_by_key(|link| (link.times(), *link));
        found
    }

    fn add_links(
        &self,
        kind: LinkKind,
        class: usize,
        window: &Range<u64>,
        max: usize,
        found: &mut Links,
    ) {
        let part = |[begin, late_begin, early_end, end, _]: [u64; WORDS]| {
            let is_outside = begin >= window.end || end < window.start;
            let is_inside = late_begin < window.end && early_end >= window.start;
            if is_outside {
                Part::None
            } else if is_inside {
                Part::All
            } else {
                Part::Some
            }
        };
        self.visit_blocks(kind, class, |blocks, block| match part(blocks.block(block)) {
            Part::None => {}
            Part::All if found.links.len() >= max => {
                found.left_out += blocks.entries(block) as u64;
            }
            _ => entries(kind, blocks, block, |link| {
                let (first, last) = link.times();
                if first >= window.end || last < window.start {
                    return;
                }
                if found.links.len() < max {
                    found.links.push(link);
                } else {
                    found.left_out += 1;
                }
            }),
        });
    }

    fn visit_blocks(
        &self,
        kind: LinkKind,
        class: usize,
        mut visit: impl FnMut(BlocksOf<'_, WORDS>, usize),
    ) {
        let section = self.section(Key::new(Section::Links, kind as usize, 0, class));
        let blocks: BlocksOf<'_, WORDS> = BlocksOf::new(section);
        (0..blocks.len()).for_each(|block| visit(blocks, block));
    }

    /// Visits the links of a kind that end in a window, in ticks since the origin.
    pub(crate) fn links_that_end(
        &self,
        kind: LinkKind,
        window: &Range<u64>,
        visit: &mut impl FnMut(&Link),
    ) {
        for class in 0..CLASSES {
            self.visit_blocks(kind, class, |blocks, block| {
                let [_, _, early_end, end, _] = blocks.block(block);
                if early_end < window.end && end >= window.start {
                    entries(kind, blocks, block, |link| {
                        if window.contains(&link.times().1) {
                            visit(&link);
                        }
                    });
                }
            });
        }
    }

    /// All links of the tasks that a thread of a team created with this number, in the order of
    /// time. Another team, also a later one, may have tasks of the same name.
    pub fn task_links(&self, thread: u32, number: u32) -> Vec<Link> {
        let (shape, mut found) = (self.shape(), Vec::new());
        for kind in [LinkKind::TaskStart, LinkKind::TaskResume] {
            for class in 0..CLASSES {
                self.visit_blocks(kind, class, |blocks, block| {
                    let [.., numbers] = blocks.block(block);
                    let (least, most) = ((numbers >> 32) as u32, numbers as u32);
                    if (least..=most).contains(&number) {
                        entries(kind, blocks, block, |link| {
                            if link.task() == Some((thread, number)) {
                                found.push(link);
                            }
                        });
                    }
                });
            }
        }
        for link in &mut found {
            link.from.1 = shape.origin.saturating_add(link.from.1);
            link.to.1 = shape.origin.saturating_add(link.to.1);
        }
        found.sort_unstable_by_key(|link| (link.times(), *link));
        found
    }
}

/// Decodes a block.
fn entries(kind: LinkKind, blocks: BlocksOf<'_, WORDS>, block: usize, mut visit: impl FnMut(Link)) {
    let (mut input, mut before) = (blocks.input(block), None);
    for _ in 0..blocks.entries(block) {
        let Some(link) = unpack(kind, &mut input, before) else { return };
        visit(link);
        before = Some(link);
    }
}

//! Makes the sums by call path of a location while it is indexed.
//!
//! At each mark there are bytes with what is open, and with the sums since the mark before:
//!
//! ```text
//! length of the state   marks back to the last one with a total   state   sums
//! ```
//!
//! A mark has a total if the total is no longer than the sums since the last mark with one. So
//! totals do not take more room than the sums, also if there are very many call paths.

use std::ops::Range;

use pompeii_otf2::event::Event;

use super::follow::Follower;
use super::forks::is_master;
use super::sums::{self, CallSums};
use crate::context::Context;
use crate::format::{Piece, Section};
use crate::pack::{Input, put, words_of};
use crate::parts::{MARKS_PER_TOTAL, PART_MAX};

/// Follows a location and notes sums at its marks.
#[derive(Debug)]
pub(crate) struct CallsBuilder<'a> {
    context: &'a Context<'a>,
    follower: Follower,
    all: CallSums,
    bytes: Vec<u8>,
    total_bytes: Vec<u8>,
    /// Marks since the last one with a total; `None` before the first mark.
    since_total: Option<u64>,
    /// Sums since then.
    entries: usize,
}

impl<'a> CallsBuilder<'a> {
    /// A location before its first event; that of the master of a process has its number.
    pub fn new(context: &'a Context<'a>, location: Option<usize>) -> CallsBuilder<'a> {
        let definitions = context.definitions;
        let is_master = location.is_some_and(|location| is_master(definitions, location));
        CallsBuilder {
            context,
            follower: Follower::new(definitions, is_master),
            all: CallSums::default(),
            bytes: Vec::new(),
            total_bytes: Vec::new(),
            since_total: None,
            entries: 0,
        }
    }

    /// Takes the next event.
    #[inline]
    pub fn event(&mut self, time: u64, event: &Event) {
        self.follower.event(self.context.definitions, self.context.forks(), time, event);
    }

    /// Notes what is there at a mark. Returns where it is, and where the total is.
    pub fn mark(&mut self) -> [Range<usize>; 2] {
        self.follower.flush();
        let block = self.follower.sums.take();
        block.iter().for_each(|(node, visits, ticks)| self.all.add(*node, *visits, *ticks));
        self.entries += block.len();
        let back = self.since_total.map(|marks| marks + 1);
        let is_long = |marks: u64| marks >= MARKS_PER_TOTAL as u64;
        let is_wanted = back.is_none_or(|back| is_long(back) && self.entries >= self.all.len());
        let total_begin = self.total_bytes.len();
        if is_wanted {
            self.entries = 0;
            sums::pack(&self.all.all(), &mut self.total_bytes);
        }
        let has_total = is_wanted && self.total_bytes.len() - total_begin <= PART_MAX;
        if !has_total {
            self.total_bytes.truncate(total_begin);
        }
        let back = back.filter(|_| !has_total).unwrap_or_default();
        self.since_total = Some(back);
        let (begin, mut state) = (self.bytes.len(), Vec::new());
        self.follower.state.save(&mut state);
        put(&mut self.bytes, state.len() as u64);
        put(&mut self.bytes, back);
        self.bytes.extend(state);
        sums::pack(&block, &mut self.bytes);
        [begin..self.bytes.len(), total_begin..self.total_bytes.len()]
    }

    /// The sections.
    pub fn pieces(self) -> impl Iterator<Item = Piece> {
        let sections = [
            (Section::CallTree, self.follower.tree.words()),
            (Section::Calls, words_of(&self.bytes).collect()),
            (Section::CallTotals, words_of(&self.total_bytes).collect()),
        ];
        let own = sections.into_iter().map(|(section, words)| Piece {
            section,
            row: 0,
            level: 0,
            words,
            is_coarse: false,
        });
        own.chain(self.follower.found.pieces())
    }
}

/// What a mark has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallMark<'a> {
    /// Marks back to the last one with a total.
    pub back: u64,
    /// What is open, packed.
    pub state: &'a [u8],
    /// The sums since the mark before, packed.
    pub sums: &'a [u8],
}

impl<'a> CallMark<'a> {
    /// The parts of the bytes of a mark; `None` if they are damaged.
    pub fn new(bytes: &'a [u8]) -> Option<CallMark<'a>> {
        let mut input = Input::new(bytes);
        let (length, back) = (usize::try_from(input.number()?).ok()?, input.number()?);
        let (state, sums) = input.rest().split_at_checked(length)?;
        Some(CallMark { back, state, sums })
    }
}

//! Rows of a location in tables: its visits, and the fragments of tasks that it has executed. They
//! are kept only if tables are wanted (`table/`).

use super::Location;
use crate::engine::record::VisitId;
use crate::engine::strand::Frame;
use crate::table::{Kind, Wanted, fragments, visits};

/// The rows that have not been taken.
#[derive(Debug)]
pub(super) struct OwnTables {
    /// Visits that have begun. They have numbers for all tables.
    begun: u64,
    keeps_visits: bool,
    keeps_fragments: bool,
    visits: visits::Rows,
    fragments: fragments::Rows,
}

impl OwnTables {
    /// Before the first event.
    pub fn new(wanted: Wanted) -> OwnTables {
        OwnTables {
            begun: 0,
            keeps_visits: wanted.has(Kind::Visits),
            keeps_fragments: wanted.has(Kind::Fragments),
            visits: visits::Rows::default(),
            fragments: fragments::Rows::default(),
        }
    }
}

impl Location {
    /// Rows that are complete and have not been taken.
    pub(crate) fn take_rows(&mut self) -> Option<(visits::Rows, fragments::Rows)> {
        let tables = self.tables.as_mut()?;
        Some((std::mem::take(&mut tables.visits), std::mem::take(&mut tables.fragments)))
    }

    /// The number of a visit that begins.
    #[inline]
    pub(super) fn begin_visit(&mut self) -> VisitId {
        let Some(tables) = &mut self.tables else { return VisitId::NONE };
        tables.begun += 1;
        let visit = VisitId::new(self.id, tables.begun);
        if self.strand.first == VisitId::NONE {
            self.strand.first = visit;
        }
        visit
    }

    /// The visit of the innermost open region. Directly in the part of a worker it is the visit
    /// that has forked the team, on another location.
    pub(super) fn visit(&self) -> VisitId {
        let part = self.parts.last().filter(|part| part.is_worker && part.task.is_none());
        match part {
            Some(part) if self.part_depth() >= self.strand.frames.len() => part.forked,
            _ => self.strand.frames.last().map_or(VisitId::NONE, |frame| frame.visit),
        }
    }

    /// The visit of the innermost open region of the implicit task.
    pub(super) fn scheduling_visit(&mut self) -> VisitId {
        match &self.part().implicit {
            Some(implicit) => implicit.frames.last().map_or(VisitId::NONE, |frame| frame.visit),
            None => self.visit(),
        }
    }

    /// Closes the innermost region.
    #[inline]
    pub(super) fn close(&mut self) -> Option<Frame> {
        let frame = self.strand.frames.pop()?;
        if self.tables.as_ref().is_some_and(|tables| tables.keeps_visits) {
            self.visit_row(&frame);
        }
        Some(frame)
    }

    /// Closes regions, the innermost one first, until this number is open.
    pub(super) fn close_to(&mut self, depth: usize) {
        match self.tables.is_some() {
            true => while self.strand.frames.len() > depth && self.close().is_some() {},
            false => self.strand.frames.truncate(depth),
        }
    }

    /// The location cannot go on with anything that is open: all of it ends now.
    pub(super) fn close_all(&mut self) {
        if self.tables.is_none() {
            return;
        }
        self.close_to(0);
        // What was suspended for other tasks ends after these, the innermost part first.
        for place in (0..self.parts.len()).rev() {
            let part = &mut self.parts[place];
            if let (Some(implicit), Some(_)) = (part.implicit.take(), part.task.take()) {
                self.strand = implicit;
                self.close_to(0);
            }
        }
    }

    /// All locations have ended, so no other one goes on with the tasks that are suspended here.
    pub(crate) fn close_suspended(&mut self) {
        if self.tables.is_none() {
            return;
        }
        let mut suspended: Vec<_> = self.suspended.drain().collect();
        suspended.sort_unstable_by_key(|(task, _)| *task);
        for (task, strand) in suspended {
            self.strand = strand;
            self.part().task = Some(task);
            self.close_to(0);
        }
    }

    #[cold]
    fn visit_row(&mut self, frame: &Frame) {
        let parent = self.visit();
        let task = self.parts.last().and_then(|part| part.task);
        let task = task.map_or(VisitId::NONE, |_| self.strand.first);
        let call = self.tree.shared(frame.node);
        let (enter, leave) = (frame.since, self.now);
        if let Some(tables) = &mut self.tables {
            let visit = frame.visit;
            tables.visits.push(visits::Row { visit, enter, leave, call, parent, task });
        }
    }

    /// A fragment of the current task has ended.
    pub(super) fn fragment_row(&mut self, begin: u64, end: u64) {
        let scheduling = match &self.tables {
            Some(tables) if tables.keeps_fragments => self.scheduling_visit(),
            _ => return,
        };
        let (task, end) = (self.strand.first, end.max(begin));
        if let Some(tables) = &mut self.tables {
            tables.fragments.push(fragments::Row { task, begin, end, scheduling });
        }
    }
}

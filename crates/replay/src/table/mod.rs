//! The visits of all regions, and what matchers find, as tables with plain columns: for analyses of
//! the user's own in other programs and languages.
//!
//! Rows come in batches of one table and one location, at most [`BATCH_ROWS`] of them, as soon as
//! they are complete. Therefore memory is that of a window, whatever the length of the trace. All
//! batches of a table and a location, one after the other, have the same rows for all numbers of
//! threads and sizes of windows; where a batch ends may differ. Several ranks have the same rows
//! together: those of collective operations come from the rank that has matched them.
//!
//! **Links.** A visit has a number as soon as it begins, which no other visit of the trace has
//! ([`VisitId`]; 0 stands for none). Each row about a visit has its number, in the column `visit`
//! or in one with the name of what it says. So a link can be followed in both directions, also to
//! rows that come later, and a row need not be changed any more when it has come. Numbers of rows
//! would not do: a visit ends after the visits inside of it, and a barrier is known after its
//! visits.
//! All rows with the same `last` are those of one barrier, and all with the same `comm` and
//! `number` those of one collective operation.
//!
//! **Call paths.** A batch of the table `calls` defines the call paths that are new before the
//! first batch that uses them. Their numbers are those of the order in which they were found, which
//! differs between runs with several threads; [`Outcome::call`](crate::Outcome::call) has the final
//! ones when the trace ends.

mod facts;
#[cfg(test)]
mod tests;

use pompeii_model::{LocationId, RegionId};

use crate::compound::Pattern;
use crate::engine::record::VisitId;
use crate::engine::tree::NodeId;

pub(crate) use facts::{Tables, batches};

/// Rows in a batch. Tests have small batches.
pub const BATCH_ROWS: usize = if cfg!(test) { 3 } else { 1 << 16 };

/// The values of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// Times, numbers and lengths.
    U64(Vec<u64>),
    /// Durations, in ticks.
    I64(Vec<i64>),
    /// Numbers of definitions.
    U32(Vec<u32>),
    /// Numbers of call paths in this analysis.
    Calls(Vec<u32>),
}

/// The tables whose rows are wanted. That of call paths always comes, because the others need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted(u32);

impl Wanted {
    /// All tables.
    pub const ALL: Wanted = Wanted(u32::MAX);

    /// The tables with these names.
    pub fn of(names: &[&str]) -> Wanted {
        let bits = (0..).zip(TABLES).filter(|(_, table)| names.contains(table));
        Wanted(bits.map(|(bit, _)| 1 << bit).sum())
    }

    pub(crate) fn has(self, table: Kind) -> bool {
        self.0 >> table as u32 & 1 == 1
    }
}

/// A type whose values a column has.
pub(crate) trait Cell: Copy {
    fn column(cells: &[Self]) -> Column;
}

macro_rules! cells {
    ($($type:ty: $column:ident $(.$part:tt)?),* $(,)?) => {
        $(impl Cell for $type {
            fn column(cells: &[Self]) -> Column {
                Column::$column(cells.iter().map(|cell| cell$(.$part)?.to_owned()).collect())
            }
        })*
    };
}

cells! {
    u64: U64, i64: I64, u32: U32, VisitId: U64.0, NodeId: Calls.0, LocationId: U32.0,
    RegionId: U32.0,
}

impl Cell for Pattern {
    fn column(cells: &[Self]) -> Column {
        Column::U32(cells.iter().map(|cell| *cell as u32).collect())
    }
}

/// Defines the tables: for each of them a row, and the columns of many rows.
macro_rules! tables {
    ($($(#[$doc:meta])* $variant:ident $table:ident {
        $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)?
    })*) => {
        $($(#[$doc])* pub mod $table {
            use super::*;

            /// A row.
            #[derive(Clone, Copy, Debug, PartialEq, Eq)]
            pub struct Row { $($(#[$field_doc])* pub $field: $type,)* }

            /// The columns of many rows.
            #[derive(Clone, Debug, Default, PartialEq, Eq)]
            pub struct Rows { $($(#[$field_doc])* pub $field: Vec<$type>,)* }

            impl Rows {
                /// Adds a row.
                pub fn push(&mut self, row: Row) {
                    $(self.$field.push(row.$field);)*
                }

                /// Number of rows.
                pub fn len(&self) -> usize {
                    [$(self.$field.len()),*][0]
                }

                /// Whether there is no row.
                pub fn is_empty(&self) -> bool {
                    self.len() == 0
                }

                /// The names of the columns, with their values.
                pub fn columns(&self) -> Vec<(&'static str, Column)> {
                    vec![$((stringify!($field), Cell::column(&self.$field))),*]
                }

                /// Moves the first rows to a table of their own, as many as a batch may have.
                pub(crate) fn take_batch(&mut self) -> Rows {
                    let rows = self.len().min(BATCH_ROWS);
                    if rows == self.len() {
                        return std::mem::take(self);
                    }
                    Rows { $($field: self.$field.drain(..rows).collect(),)* }
                }
            }

            impl From<Rows> for Content {
                fn from(rows: Rows) -> Content {
                    Content::$variant(rows)
                }
            }
        })*

        /// The names of all tables.
        pub const TABLES: &[&str] = &[$(stringify!($table)),*];

        /// A table.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(dead_code, reason = "that of call paths always comes")]
        pub(crate) enum Kind { $($variant),* }

        /// Rows of one of the tables.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Content {
            $(#[doc = concat!("Rows of the table `", stringify!($table), "`.")]
            $variant($table::Rows),)*
        }

        impl Content {
            /// No rows of the table with this name; `None` if there is no such table. For its
            /// columns, before there are rows.
            pub fn empty(table: &str) -> Option<Content> {
                $(if table == stringify!($table) {
                    return Some($table::Rows::default().into());
                })*
                None
            }

            /// The name of the table.
            pub fn table(&self) -> &'static str {
                match self { $(Content::$variant(_) => stringify!($table),)* }
            }

            /// Number of rows.
            pub fn len(&self) -> usize {
                match self { $(Content::$variant(rows) => rows.len(),)* }
            }

            /// Whether there is no row.
            pub fn is_empty(&self) -> bool {
                self.len() == 0
            }

            /// The names of the columns, with their values.
            pub fn columns(&self) -> Vec<(&'static str, Column)> {
                match self { $(Content::$variant(rows) => rows.columns(),)* }
            }
        }
    };
}

tables! {
    /// Call paths.
    Calls calls {
        /// Its number in this analysis.
        call: NodeId,
        /// The call path around it; that of a root is itself.
        parent: NodeId,
        /// Its region.
        region: RegionId,
    }
    /// Visits of regions, in the order of their ends.
    Visits visits {
        /// Which visit.
        visit: VisitId,
        /// When it began.
        enter: u64,
        /// When it ended.
        leave: u64,
        /// Its call path.
        call: NodeId,
        /// The visit around it; for the part of a worker the visit that forked the team.
        parent: VisitId,
        /// The explicit task that it belongs to, by the first visit of that one.
        task: VisitId,
    }
    /// Fragments of explicit tasks, by the location that executed them.
    Fragments fragments {
        /// The task, by its first visit.
        task: VisitId,
        /// When the fragment began.
        begin: u64,
        /// When it ended.
        end: u64,
        /// The visit of the implicit task in which it was executed.
        scheduling: VisitId,
    }
    /// Parts of parallel regions.
    Forks forks {
        /// The visit of the parallel region.
        visit: VisitId,
        /// Its call path.
        call: NodeId,
        /// The location that forked.
        master: LocationId,
        /// Which of its forks.
        number: u32,
        /// When the master forked.
        forked: u64,
        /// When the location entered the region.
        enter: u64,
        /// When it left the region.
        leave: u64,
        /// When its events of the part ended.
        ended: u64,
        /// When the master joined.
        joined: u64,
    }
    /// Visits of barriers.
    Barriers barriers {
        /// The visit of the barrier.
        visit: VisitId,
        /// Its call path.
        call: NodeId,
        /// When the location arrived.
        enter: u64,
        /// When it left.
        leave: u64,
        /// The latest arrival.
        latest: u64,
        /// The visit of the location that arrived last.
        last: VisitId,
        /// Time of tasks that the location executed there.
        task_ticks: i64,
        /// Waiting.
        wait: i64,
    }
    /// Acquisitions of locks.
    Locks locks {
        /// The visit that acquired the lock.
        visit: VisitId,
        /// Its call path.
        call: NodeId,
        /// Number of the lock in its process.
        lock: u32,
        /// Number of the acquisition.
        order: u32,
        /// When the location began to wait.
        since: u64,
        /// When it had the lock.
        acquired: u64,
        /// When the holder before gave it back; 0 if this is not known.
        released: u64,
        /// The visit of the holder before.
        holder: VisitId,
        /// Contention.
        wait: i64,
    }
    /// Messages, by the location that received them.
    Messages messages {
        /// The call that completed the receive.
        visit: VisitId,
        /// Its call path.
        call: NodeId,
        /// The call that posted the receive.
        post: VisitId,
        /// The call that began the send.
        send: VisitId,
        /// The location that sent.
        sender: LocationId,
        /// The communicator.
        comm: u32,
        /// The tag.
        tag: u32,
        /// Length.
        bytes: u64,
        /// Time of the send's record.
        sent: u64,
        /// Time of the receive's record.
        received: u64,
    }
    /// Parts in collective operations in which a process may wait.
    Collectives collectives {
        /// The call.
        visit: VisitId,
        /// Its call path.
        call: NodeId,
        /// The communicator; `u32::MAX` for the begin and the end of MPI.
        comm: u32,
        /// Number of the operation on it.
        number: u64,
        /// Who waits for whom: 0 a barrier, 1 all for all, 2 all for the root, 3 the root for
        /// all, 4 each for lower ranks, 5 the begin of MPI, 6 the end of MPI.
        pattern: Pattern,
        /// When the process began its part.
        begin: u64,
        /// When it ended it.
        end: u64,
        /// The call that it waits for; its own if it is the last one.
        last: VisitId,
        /// When that one began.
        until: u64,
        /// Waiting.
        wait: i64,
    }
    /// Task instances that are done, by the location that ended them.
    Tasks tasks {
        /// The first visit of the task.
        visit: VisitId,
        /// The call path of its construct.
        call: NodeId,
        /// The visit that created it.
        creation: VisitId,
        /// When it was created; 0 if this is not known.
        created: u64,
        /// When it began.
        begun: u64,
        /// When it was done.
        ended: u64,
        /// Time of its fragments without waiting.
        work: i64,
        /// Number of fragments.
        fragments: u32,
        /// Tasks that it created.
        children: u32,
    }
    /// All waiting that is not zero.
    Waits waits {
        /// The visit that waits.
        visit: VisitId,
        /// Its call path.
        call: NodeId,
        /// For what: 0 a barrier, 1 a lock, 2 a turn, 3 a task, 4 a sender, 5 a receiver, 6 a
        /// non-blocking collective operation, 7 a collective operation; of a window 8 a post, 9 the
        /// end of an access epoch, 10 a lock, 11 progress of the target.
        kind: u32,
        /// When it begins.
        begin: u64,
        /// Its length.
        ticks: i64,
        /// The visit that it waits for.
        causer: VisitId,
        /// The call path of that one.
        causer_call: NodeId,
        /// The location of that one.
        causer_location: LocationId,
    }
}

/// Complete rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Batch {
    /// The location that the rows belong to; `None` for call paths.
    pub location: Option<LocationId>,
    /// The rows.
    pub content: Content,
}

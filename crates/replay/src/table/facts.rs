//! What matchers find as rows of tables, and the order in which batches come.

use std::collections::BTreeMap;
use std::fmt;

use pompeii_model::LocationId;

use crate::compound::{Compound, Delivery, MessageVisit, MpiWait, PartVisit, WindowPattern};
use crate::engine::record::VisitId;
use crate::engine::tree::{NodeId, SharedTree};
use crate::place::Place;
use crate::table::{
    BATCH_ROWS, Batch, Content, Kind, Wanted, barriers, calls, collectives, forks, locks, messages,
    tasks, waits,
};
use crate::task::compound::TaskVisit;

/// Takes the batches.
pub(crate) type Sink<'a> = &'a mut (dyn FnMut(Batch) + Send);

/// The rows of a location that have not been given on.
#[derive(Debug, Default)]
struct Facts {
    forks: forks::Rows,
    barriers: barriers::Rows,
    locks: locks::Rows,
    messages: messages::Rows,
    collectives: collectives::Rows,
    tasks: tasks::Rows,
    waits: waits::Rows,
    /// Rows of all tables.
    rows: usize,
}

/// Makes rows of compounds, and gives batches on.
pub(crate) struct Tables<'a> {
    tree: &'a SharedTree,
    /// Call paths that have been given on.
    calls: usize,
    facts: BTreeMap<LocationId, Facts>,
    wanted: Wanted,
    sink: Sink<'a>,
}

impl fmt::Debug for Tables<'_> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.debug_struct("Tables").field("facts", &self.facts).finish_non_exhaustive()
    }
}

/// Moves all rows into batches.
macro_rules! drain {
    ($to:ident, $($rows:expr),*) => {
        $(while !$rows.is_empty() {
            $to.push(Content::from($rows.take_batch()));
        })*
    };
}

/// The rows of a location that it has made by itself.
pub(crate) fn batches(
    location: LocationId,
    (mut visits, mut fragments): (super::visits::Rows, super::fragments::Rows),
    to: &mut Vec<Batch>,
) {
    let mut contents = Vec::new();
    drain!(contents, visits, fragments);
    to.extend(contents.into_iter().map(|content| Batch { location: Some(location), content }));
}

impl Facts {
    fn take(&mut self) -> Vec<Content> {
        let mut contents = Vec::new();
        let Facts { forks, barriers, locks, messages, collectives, tasks, waits, .. } = self;
        drain!(contents, forks, barriers, locks, messages, collectives, tasks, waits);
        contents
    }
}

impl<'a> Tables<'a> {
    /// Before the first window.
    pub(crate) fn new(tree: &'a SharedTree, wanted: Wanted, sink: Sink<'a>) -> Tables<'a> {
        Tables { tree, calls: 0, facts: BTreeMap::new(), wanted, sink }
    }

    /// Gives a window's batches on, with the call paths that are new.
    pub(crate) fn window(&mut self, batches: Vec<Batch>) {
        self.give_calls();
        batches.into_iter().for_each(&mut self.sink);
        for (location, mut facts) in std::mem::take(&mut self.facts) {
            self.give(location, &mut facts);
        }
    }

    fn give_calls(&mut self) {
        let nodes = self.tree.nodes(self.calls);
        let mut new = calls::Rows::default();
        for (number, node) in (self.calls as u32..).zip(&nodes) {
            let (call, parent, region) = (NodeId(number), node.parent, node.region);
            new.push(calls::Row { call, parent, region });
        }
        self.calls += nodes.len();
        while !new.is_empty() {
            (self.sink)(Batch { location: None, content: new.take_batch().into() });
        }
    }

    fn give(&mut self, location: LocationId, facts: &mut Facts) {
        for content in facts.take() {
            (self.sink)(Batch { location: Some(location), content });
        }
    }

    /// Takes a compound.
    pub(crate) fn note(&mut self, compound: &Compound) {
        let Some(location) = location(compound) else { return };
        let wait = if self.wanted.has(Kind::Waits) { wait(compound) } else { None };
        let has_row = table(compound).is_some_and(|table| self.wanted.has(table));
        if !has_row && wait.is_none() {
            return;
        }
        let facts = self.facts.entry(location).or_default();
        facts.rows += usize::from(has_row) + usize::from(wait.is_some());
        if has_row {
            facts.note(compound);
        }
        if let Some(wait) = wait {
            facts.waits.push(wait);
        }
        if facts.rows >= BATCH_ROWS
            && let Some(mut full) = self.facts.remove(&location)
        {
            self.give_calls();
            self.give(location, &mut full);
        }
    }
}

/// The location that a row of a compound belongs to.
fn location(compound: &Compound) -> Option<LocationId> {
    let at = match compound {
        Compound::Part(it) => it.at,
        Compound::Delivery(it) => it.at,
        Compound::LateSender(it) | Compound::LateReceiver(it) | Compound::Icollective(it) => it.at,
        Compound::Collective(it) => it.at,
        Compound::Window(it) => it.at,
        Compound::Barrier(it) => it.at,
        Compound::Lock(it) => it.at,
        Compound::Turn(it) => it.at,
        Compound::Task(it) => it.at,
        Compound::TaskWait(it) => it.at,
        Compound::WrongOrder { .. }
        | Compound::PairSyncs(_)
        | Compound::Tasks(_)
        | Compound::Awaited(_)
        | Compound::Step(_) => return None,
    };
    Some(at.location)
}

/// The table that has a row for a compound, besides that of waiting.
fn table(compound: &Compound) -> Option<Kind> {
    Some(match compound {
        Compound::Part(_) => Kind::Forks,
        Compound::Delivery(_) => Kind::Messages,
        Compound::Task(_) => Kind::Tasks,
        Compound::Barrier(_) => Kind::Barriers,
        Compound::Lock(_) => Kind::Locks,
        Compound::Collective(_) => Kind::Collectives,
        _ => return None,
    })
}

impl Facts {
    /// Takes the row of a compound; [`table`] says which one.
    fn note(&mut self, compound: &Compound) {
        match compound {
            Compound::Part(it) => self.forks.push(fork(it)),
            Compound::Delivery(it) => self.messages.push(message(it)),
            Compound::Task(it) => self.tasks.push(task(it)),
            Compound::Barrier(it) => self.barriers.push(barriers::Row {
                visit: it.at.visit,
                call: it.at.node,
                enter: it.enter,
                leave: it.leave,
                latest: it.latest,
                last: it.last.visit,
                task_ticks: it.task_ticks,
                wait: it.wait_ticks(),
            }),
            Compound::Lock(it) => self.locks.push(locks::Row {
                visit: it.at.visit,
                call: it.at.node,
                lock: it.lock,
                order: it.order,
                since: it.since,
                acquired: it.acquired,
                released: it.before.map_or(0, |(released, _)| released),
                holder: it.before.map_or(VisitId::NONE, |(_, holder)| holder.visit),
                wait: it.wait_ticks(),
            }),
            Compound::Collective(it) => self.collectives.push(collectives::Row {
                visit: it.at.visit,
                call: it.at.node,
                comm: it.operation.comm,
                number: it.operation.number,
                pattern: it.pattern,
                begin: it.begin,
                end: it.end,
                last: it.causer.visit,
                until: it.until,
                wait: it.wait_ticks(),
            }),
            _ => {}
        }
    }
}

fn fork(it: &PartVisit) -> forks::Row {
    forks::Row {
        visit: it.at.visit,
        call: it.at.node,
        master: it.fork.master,
        number: it.fork.number,
        forked: it.forked,
        enter: it.enter,
        leave: it.leave,
        ended: it.ended,
        joined: it.joined,
    }
}

fn message(it: &Delivery) -> messages::Row {
    messages::Row {
        visit: it.at.visit,
        call: it.at.node,
        post: it.post.map_or(VisitId::NONE, |post| post.at.visit),
        send: it.send.at.visit,
        sender: it.send.at.location,
        comm: it.comm,
        tag: it.tag,
        bytes: it.send.bytes,
        sent: it.sent,
        received: it.received,
    }
}

fn task(it: &TaskVisit) -> tasks::Row {
    tasks::Row {
        visit: it.at.visit,
        call: it.at.node,
        creation: it.created.map_or(VisitId::NONE, |(_, creation)| creation.visit),
        created: it.created.map_or(0, |(created, _)| created),
        begun: it.begun,
        ended: it.ended,
        work: it.work,
        fragments: it.fragments,
        children: it.children,
    }
}

/// The waiting of a compound, if there is some.
fn wait(compound: &Compound) -> Option<waits::Row> {
    let message = |kind, it: &MessageVisit| (kind, it.at, it.enter, it.wait_ticks(), it.partner.at);
    let (kind, at, begin, ticks, causer): (u32, Place, u64, i64, Place) = match compound {
        Compound::Barrier(it) => (0, it.at, it.enter, it.wait_ticks(), it.last),
        Compound::Lock(it) => (1, it.at, it.since, it.wait_ticks(), it.before?.1),
        Compound::Turn(it) => (2, it.at, it.since, it.wait_ticks(), it.before?.1),
        Compound::TaskWait(it) => (3, it.at, it.since, it.wait_ticks(), it.cause?.by),
        Compound::LateSender(it) => message(4, it),
        Compound::LateReceiver(it) => message(5, it),
        Compound::Icollective(it) => message(6, it),
        Compound::Collective(_) => {
            let wait = MpiWait::of(compound)?;
            (7, wait.at, wait.begin, wait.ticks(), wait.causer)
        }
        // The other patterns are parts of waiting that has a row.
        Compound::Window(it) => match it.pattern {
            WindowPattern::LatePost => (8, it.at, it.enter, it.wait_ticks(), it.causer),
            WindowPattern::EarlyWait => (9, it.at, it.enter, it.wait_ticks(), it.causer),
            WindowPattern::Lock => (10, it.at, it.enter, it.wait_ticks(), it.causer),
            WindowPattern::Progress => (11, it.at, it.enter, it.wait_ticks(), it.causer),
            WindowPattern::LateComplete | WindowPattern::EarlyFence => return None,
        },
        _ => return None,
    };
    (ticks > 0).then_some(waits::Row {
        visit: at.visit,
        call: at.node,
        kind,
        begin,
        ticks,
        causer: causer.visit,
        causer_call: causer.node,
        causer_location: causer.location,
    })
}

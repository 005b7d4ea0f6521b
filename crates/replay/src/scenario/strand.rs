//! What is known of a task in scenarios, explicit or implicit, while it runs or waits.

use super::clocks::{Clocks, join};
use crate::engine::tree::NodeId;
use crate::task::depend::{End, Instance, Member, Siblings};

/// A task, explicit or implicit.
#[derive(Debug, Default)]
pub(super) struct Strand {
    /// It is at a barrier, or waits for tasks.
    pub waits: bool,
    /// The last end of its children.
    children: Option<Clocks>,
    pub more: Option<Box<More>>,
}

/// What few tasks have.
#[derive(Debug, Default)]
pub(super) struct More {
    /// The taskgroups that it has begun.
    pub groups: Vec<u64>,
    /// The tasks that it has created, if some of them have `depend` clauses.
    pub siblings: Option<Box<Siblings<Clocks>>>,
    /// What it waits for in a taskwait and in a target construct with `depend` clauses.
    pub awaited: Option<Box<Awaited>>,
    pub target: Option<Box<Awaited>>,
}

/// The tasks that a taskwait with `depend` clauses waits for.
#[derive(Debug)]
pub(super) struct Awaited {
    /// Their numbers, as in [`Depend::serial`].
    pub serials: Vec<u64>,
    /// The last end of one of them.
    pub end: Option<Clocks>,
}

/// What follows from the `depend` clauses of a task.
#[derive(Debug)]
pub(super) struct Depend {
    /// The number of the task, which no other task with `depend` clauses has.
    pub serial: u64,
    /// The call path of its creation.
    pub created_at: NodeId,
    pub member_of: Vec<Member>,
    /// Tasks that begin after this one.
    pub next: Vec<Instance>,
}

impl End for Clocks {
    fn join(&mut self, other: &Clocks) {
        Clocks::join(self, other);
    }
}

impl Depend {
    pub fn new(serial: u64, created_at: NodeId, member_of: Vec<Member>) -> Depend {
        Depend { serial, created_at, member_of, next: Vec::new() }
    }
}

impl Strand {
    /// All tasks that it has created are done.
    pub fn go_on_without_children(&mut self) {
        self.waits = false;
        if let Some(more) = &mut self.more {
            more.siblings = None;
        }
    }

    /// A taskwait is over. Returns what it has waited for.
    pub fn end_taskwait(&mut self) -> Option<Clocks> {
        if let Some(awaited) = self.more.as_mut().and_then(|more| more.awaited.take()) {
            self.waits = false;
            return awaited.end;
        }
        self.go_on_without_children();
        self.children.clone()
    }

    /// A task that it has created is done.
    pub fn note_end(&mut self, depend: Option<&Depend>, clocks: &Clocks) {
        join(&mut self.children, clocks);
        let (Some(more), Some(depend)) = (&mut self.more, depend) else { return };
        if let Some(siblings) = &mut more.siblings {
            siblings.done(&depend.member_of, clocks);
        }
        let awaited = more.awaited.iter_mut().chain(&mut more.target);
        let awaited = awaited.filter(|it| it.serials.contains(&depend.serial));
        awaited.for_each(|awaited| join(&mut awaited.end, clocks));
    }

    pub fn more(&mut self) -> &mut More {
        self.more.get_or_insert_default()
    }

    pub fn siblings(&mut self) -> Option<&mut Siblings<Clocks>> {
        self.more.as_mut()?.siblings.as_deref_mut()
    }
}

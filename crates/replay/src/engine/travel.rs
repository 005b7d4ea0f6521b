//! Sync records, and the values of locations, as they travel from one rank to another.

use pompeii_model::{DependKind, ProcessId};
use pompeii_otf2::enums::CollectiveOp;

use crate::blame::classes::Classes;
use crate::blame::far::Passed;
use crate::blame::others::{Explained, Letter};
use crate::blame::{Delay, Kind};
use crate::compound::{MessageEnd, MpiKind, MpiWait, Operation, Pattern};
use crate::counter::{Amount, CounterId, Level};
use crate::engine::mail::{Answered, Asked, Letters, Notice};
use crate::engine::process::Gaps;
use crate::engine::record::{
    Access, CollectiveEnd, ForeignCancel, ForkId, Message, Rec, Scope, TaskId, TeamInstance,
    VisitId, What, WindowCall,
};
use crate::engine::tree::{Moved, NodeId, Values};
use crate::place::Place;
use crate::transport::wire::{Bytes, Wire, wire_enum, wire_id, wire_struct};

wire_id!(NodeId, CollectiveOp, CounterId, VisitId, ProcessId);

wire_struct! {
    TeamInstance { team, number }
    ForkId { master, number }
    TaskId { team, thread, generation }
    Message { peer, comm, tag, bytes, request }
    CollectiveEnd { op, comm, root, sent, received }
    WindowCall { window, since, access }
    Level { counter, scope, bits }
    ForeignCancel { receiver, comm, tag, serial }
    Place { location, node, visit }
    MessageEnd { at, enter, bytes }
    Notice { sender, receiver, serial, post, known }
    Asked { key, begin, call, end, rank, home, known }
    Answered { call, needed, known }
    Letters { notices, asked, answered, waits, settled }
    Operation { comm, number }
    MpiWait { at, kind, together, begin, end, causer, until }
    Delay { direct, indirect }
    Classes { direct, indirect, propagating }
    Explained { times, waits }
    Passed { to, by, shares }
    Letter { explained, passed }
    Rec { time, location, node, visit, what, profile }
    Moved { sends, receives, bytes_sent, bytes_received, collective_out, collective_in }
    Values { ticks, visits, task_ticks, fragments, moved }
    Gaps {
        backward, beyond, unbalanced, open_regions, unknown_forks, unknown_tasks, counters,
        unknown_barriers, dropped, errors
    }
}

wire_enum! {
    Access {
        0 = Post(group), 1 = Start(group), 2 = Complete, 3 = Wait, 4 = Tested,
        5 = Lock { target, is_exclusive }, 6 = Unlock(target), 7 = Flush(target),
        8 = Transfer(target),
    }
}

wire_enum! { Scope { 0 = Children, 1 = Group } }

wire_enum! { DependKind { 0 = In, 1 = Out, 2 = Mutex, 3 = Set } }

wire_enum! {
    Pattern {
        0 = Barrier, 1 = AllToAll, 2 = OneToAll, 3 = AllToOne, 4 = Scan, 5 = Init, 6 = Finalize,
        7 = Fence,
        8 = File,
        9 = WindowCreate,
        10 = WindowFree,
    }
}

wire_enum! {
    MpiKind { 0 = LateSender, 1 = LateReceiver, 2 = Icollective, 3 = Collective(pattern) }
}

wire_enum! { Kind { 0 = Threads, 1 = Mpi(kind) } }

wire_enum! {
    What {
        0 = Fork(fork),
        1 = PartBegin { team, fork, forked },
        2 = PartEnd { team, fork, left },
        3 = Join(fork),
        4 = BarrierEnter { team, barrier },
        5 = BarrierLeave { team, barrier, is_final },
        6 = TaskCreate(task),
        7 = TasksExpected(team),
        8 = TaskSwitch { team, task },
        9 = TaskComplete(task),
        10 = TaskWaitEnter(scope),
        11 = TaskWaitLeave(scope),
        12 = GroupBegin,
        13 = GroupEnd,
        14 = Turn { team, since },
        15 = TurnEnd { team },
        16 = Acquire { lock, order, since, is_shared },
        17 = Release { lock, order, is_shared },
        18 = Level(level),
        19 = Off,
        20 = Dropped,
        21 = Cut,
        22 = End,
        23 = MpiEnter { region },
        24 = MpiLeave { region, since },
        25 = Send(message),
        26 = Isend(message),
        27 = IsendComplete(request),
        28 = IrecvRequest(request),
        29 = Recv(message),
        30 = Irecv(message),
        31 = RequestCancelled(request),
        32 = CollectiveBegin,
        33 = CollectiveEnd(end),
        34 = IcollectiveRequest(request),
        35 = Icollective { request, end },
        36 = ForeignSend { message, enter },
        37 = ForeignCancel(cancel),
        38 = ForeignEnd { begin, end },
        39 = Sink { team, since },
        40 = Post { team },
        41 = WindowCall(call),
        42 = Depend { kind, address },
        43 = DependUnknown,
        44 = TaskUntied(task),
        45 = TargetEnter { is_deferred },
        46 = TargetLeave,
    }
}

impl Wire for Amount {
    fn put(&self, to: &mut Vec<u8>) {
        match self {
            Amount::Whole(amount) => (false, *amount).put(to),
            Amount::Real(amount) => (true, amount.to_bits()).put(to),
        }
    }

    fn get(from: &mut Bytes<'_>) -> Option<Amount> {
        Some(match bool::get(from)? {
            false => Amount::Whole(i64::get(from)?),
            true => Amount::Real(f64::from_bits(u64::get(from)?)),
        })
    }
}

#[cfg(test)]
mod tests {
    use pompeii_model::LocationId;

    use super::*;
    use crate::transport::wire::{bytes, value};

    #[test]
    fn records_come_back() {
        let task = TaskId { team: 1, thread: 2, generation: 300 };
        let message = Message { peer: 1, comm: 2, tag: 3, bytes: 1 << 40, request: u64::MAX };
        let op = CollectiveOp::BARRIER;
        let end = CollectiveEnd { op, comm: 1, root: u32::MAX, sent: 8, received: 16 };
        let team = TeamInstance { team: 7, number: 1 };
        let whats = [
            What::PartBegin { team, fork: None, forked: 9 },
            What::TaskSwitch { team: Some(team), task: Some(task) },
            What::TaskWaitLeave(Scope::Group),
            What::Level(Level::new(CounterId(3), 1, Amount::Real(0.5))),
            What::GroupEnd,
            What::Irecv(message),
            What::Icollective { request: 5, end },
            What::Sink { team: Some(team), since: 4 },
            What::Post { team: None },
            What::WindowCall(WindowCall {
                window: 1 << 31,
                since: 70,
                access: Access::Lock { target: 3, is_exclusive: true },
            }),
        ];
        for what in whats {
            let (location, node) = (LocationId(4), NodeId(5));
            let visit = VisitId::new(location, 9);
            let record = Rec { time: 1 << 50, location, node, visit, what, profile: (6, 1) };
            assert_eq!(value::<Rec>(&bytes(&record)), Some(record));
        }
        assert_eq!(value::<What>(&[42]), None);
    }

    #[test]
    fn values_of_locations_come_back() {
        let gaps = Gaps { backward: 1, errors: 10, ..Gaps::default() };
        assert_eq!(value::<Gaps>(&bytes(&gaps)), Some(gaps));
        let moved = Moved { sends: 1, collective_in: 6, ..Moved::default() };
        let values = Values { ticks: -5, visits: 2, task_ticks: 3, fragments: 4, moved };
        assert_eq!(value::<Values>(&bytes(&values)), Some(values));
        for amount in [Amount::Whole(-7), Amount::Real(-0.25)] {
            assert_eq!(value::<Amount>(&bytes(&amount)), Some(amount));
        }
    }
}

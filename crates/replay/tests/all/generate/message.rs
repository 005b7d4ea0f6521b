//! Messages: a round of them among the ranks of a communicator, pairs, rings. An eager message
//! leaves its sender at once; a synchronous one keeps the sending call until the receive is posted.
//! Requests may stay open for any number of steps, until [`complete`] waits for some of them.

use std::collections::BTreeMap;

use pompeii_otf2::enums::RegionRole;
use pompeii_otf2::event::*;
use pompeii_otf2::reference::CommRef;

use super::collective;
use super::world::World;

const P2P: RegionRole = RegionRole::POINT2POINT;

/// A message of the program.
#[derive(Clone, Debug, Default)]
pub struct Message {
    comm: u32,
    /// Indices into the members of the communicator.
    from: u32,
    to: u32,
    tag: u32,
    bytes: u64,
    synchronous: bool,
    /// When the sending call and the receive (or its request) began.
    sent: u64,
    posted: u64,
}

/// What a request stands for.
#[derive(Clone, Debug)]
enum Request {
    /// The send of a message, by its number.
    Send(usize),
    /// Its receive.
    Receive(usize),
    /// A collective operation, and when the last process began it that the own one needs.
    Operation(MpiCollectiveEnd, u64),
}

/// All messages, and the open requests of each location with their numbers.
#[derive(Debug, Default)]
pub struct Messages {
    all: Vec<Message>,
    open: BTreeMap<usize, Vec<(Request, u64)>>,
    requests: u64,
}

impl Messages {
    fn request(&mut self, at: usize, request: Request) -> u64 {
        self.requests += 1;
        self.open.entry(at).or_default().push((request, self.requests));
        self.requests
    }
}

impl Message {
    fn send(&self) -> MpiSend {
        MpiSend {
            receiver: self.to,
            communicator: CommRef(self.comm),
            msg_tag: self.tag,
            msg_length: self.bytes,
        }
    }

    fn receive(&self) -> MpiRecv {
        MpiRecv {
            sender: self.from,
            communicator: CommRef(self.comm),
            msg_tag: self.tag,
            msg_length: self.bytes,
        }
    }
}

/// Where sender and receiver of a message are.
fn ends(world: &World, message: &Message) -> (usize, usize) {
    let ranks = &world.comms[message.comm as usize];
    let rank = |index: u32| world.at(ranks[index as usize], 0);
    (rank(message.from), rank(message.to))
}

/// A round: all receives without a call that waits are posted, all messages sent, and the others
/// received. Requests stay open.
pub fn round(world: &mut World, messages: &mut Messages, comm: u32) {
    let size = world.comms[comm as usize].len() as u64;
    let synchronous = world.numbers.once_in(2);
    let first = messages.all.len();
    for _ in 0..=world.numbers.below(2 * size) {
        let from = world.numbers.below(size) as u32;
        let to = (from + 1 + world.numbers.below(size - 1) as u32) % size as u32;
        let tag = world.numbers.below(3) as u32 * 100 + first as u32 % 100;
        let bytes = world.numbers.below(3) * 8;
        messages.all.push(Message {
            comm,
            from,
            to,
            tag,
            bytes,
            synchronous,
            ..Message::default()
        });
    }
    // Messages of one sender, receiver and tag are received in the same way, in their order.
    let is_posted = |message: &Message| message.tag < 200;
    let numbers: Vec<usize> = (first..messages.all.len()).collect();
    for &number in &numbers {
        if is_posted(&messages.all[number]) {
            post(world, messages, number);
        }
    }
    for number in in_any_order(world, messages, &numbers) {
        let posted = is_posted(&messages.all[number]);
        if world.numbers.once_in(2) && (posted || !synchronous) {
            send(world, messages, number);
        } else {
            send_later(world, messages, number);
        }
    }
    for number in in_any_order(world, messages, &numbers) {
        if !is_posted(&messages.all[number]) {
            receive(world, messages, number);
        }
    }
}

/// The messages in another order that keeps those of one sender, receiver and tag in theirs.
fn in_any_order(world: &mut World, messages: &Messages, numbers: &[usize]) -> Vec<usize> {
    let key = |number: usize| {
        let message = &messages.all[number];
        (message.from, message.to, message.tag)
    };
    let mut order = numbers.to_vec();
    world.numbers.shuffle(&mut order);
    for one in 0..order.len() {
        for other in one + 1..order.len() {
            if key(order[one]) == key(order[other]) && order[one] > order[other] {
                order.swap(one, other);
            }
        }
    }
    order
}

/// MPI_Irecv.
fn post(world: &mut World, messages: &mut Messages, number: usize) {
    let (_, at) = ends(world, &messages.all[number]);
    world.work(at);
    world.enter_mpi(at, "MPI_Irecv", P2P);
    messages.all[number].posted = world.logs[at].now;
    let request_id = messages.request(at, Request::Receive(number));
    world.event(at, MpiIrecvRequest { request_id });
    world.pass(at, 1);
    world.leave(at);
}

/// A blocking send; that of a synchronous message waits for the receive, which is posted.
fn send(world: &mut World, messages: &mut Messages, number: usize) {
    let (at, _) = ends(world, &messages.all[number]);
    world.work(at);
    let message = &mut messages.all[number];
    world.enter_mpi(at, if message.synchronous { "MPI_Ssend" } else { "MPI_Send" }, P2P);
    message.sent = world.logs[at].now;
    world.event(at, message.send());
    world.logs[at].now += 1;
    if message.synchronous {
        if message.posted > message.sent {
            world.waited("mpi_latereceiver", at, message.posted - message.sent);
        }
        world.until(at, message.posted + 1);
        world.pass(at, 0);
    }
    world.leave(at);
}

/// MPI_Isend.
fn send_later(world: &mut World, messages: &mut Messages, number: usize) {
    let (at, _) = ends(world, &messages.all[number]);
    world.work(at);
    world.enter_mpi(at, "MPI_Isend", P2P);
    let request_id = messages.request(at, Request::Send(number));
    let message = &mut messages.all[number];
    message.sent = world.logs[at].now;
    let MpiSend { receiver, communicator, msg_tag, msg_length } = message.send();
    world.event(at, MpiIsend { receiver, communicator, msg_tag, msg_length, request_id });
    world.logs[at].now += 1;
    world.leave(at);
}

/// MPI_Recv, perhaps after a probe that waits for the message.
fn receive(world: &mut World, messages: &mut Messages, number: usize) {
    let (_, at) = ends(world, &messages.all[number]);
    world.work(at);
    if world.numbers.once_in(3) {
        world.enter_mpi(at, "MPI_Probe", P2P);
        let (begin, sent) = (world.logs[at].now, messages.all[number].sent);
        world.waited("mpi_latesender", at, sent.saturating_sub(begin));
        world.pass(at, 1);
        world.until(at, sent + 1);
        world.leave(at);
        world.pass(at, 0);
    }
    world.enter_mpi(at, "MPI_Recv", P2P);
    receive_here(world, &mut messages.all[number], at);
    world.leave(at);
}

/// The rest of a call that receives a message.
fn receive_here(world: &mut World, message: &mut Message, at: usize) {
    message.posted = world.logs[at].now;
    if message.sent > message.posted {
        world.waited("mpi_latesender", at, message.sent - message.posted);
    }
    world.until(at, message.sent);
    world.pass(at, 1);
    world.event(at, message.receive());
}

/// A synchronous send and its receive, both blocking.
pub fn pair(world: &mut World, messages: &mut Messages, comm: u32) {
    let size = world.comms[comm as usize].len() as u64;
    let from = world.numbers.below(size) as u32;
    let to = (from + 1 + world.numbers.below(size - 1) as u32) % size as u32;
    for rank in [from, to] {
        let rank = world.comms[comm as usize][rank as usize];
        let at = world.at(rank, 0);
        world.work(at);
    }
    pair_of(world, messages, (comm, from, to));
}

/// The same from one member of a communicator to another one.
pub fn pair_of(world: &mut World, messages: &mut Messages, (comm, from, to): (u32, u32, u32)) {
    let tag = 1_000 + messages.all.len() as u32;
    let mut message = Message { comm, from, to, tag, synchronous: true, ..Message::default() };
    let (sender, receiver) = ends(world, &message);
    message.sent = world.logs[sender].now;
    world.enter_mpi(sender, "MPI_Ssend", P2P);
    world.event(sender, message.send());
    world.enter_mpi(receiver, "MPI_Recv", P2P);
    receive_here(world, &mut message, receiver);
    world.leave(receiver);
    if message.posted > message.sent {
        world.waited("mpi_latereceiver", sender, message.posted - message.sent);
    }
    world.logs[sender].now += 1;
    world.until(sender, message.posted + 1);
    world.leave(sender);
    messages.all.push(message);
}

/// Each rank sends to the next one and receives from the one before in one call.
pub fn ring(world: &mut World, messages: &mut Messages, comm: u32) {
    let size = world.comms[comm as usize].len() as u32;
    let tag = 1_000 + messages.all.len() as u32;
    let mut all: Vec<Message> = (0..size)
        .map(|from| Message {
            comm,
            from,
            to: (from + 1) % size,
            tag,
            bytes: 8,
            ..Message::default()
        })
        .collect();
    for message in &mut all {
        let (at, _) = ends(world, message);
        world.work(at);
        world.enter_mpi(at, "MPI_Sendrecv", P2P);
        message.sent = world.logs[at].now;
        world.event(at, message.send());
    }
    for message in &mut all {
        let (_, at) = ends(world, message);
        receive_here(world, message, at);
        world.leave(at);
    }
}

/// Each rank of the world waits for some of its open requests, or for all of them.
pub fn complete(world: &mut World, messages: &mut Messages, all: bool) {
    for rank in 0..world.shape.ranks {
        let at = world.at(rank, 0);
        let mut open = messages.open.remove(&at).unwrap_or_default();
        while !open.is_empty() {
            let name = world.numbers.of(&["MPI_Wait", "MPI_Waitall", "MPI_Waitsome", "MPI_Test"]);
            let count = match name {
                "MPI_Waitall" => open.len(),
                "MPI_Waitsome" => 1 + world.numbers.below(open.len() as u64) as usize,
                _ => 1,
            };
            let now: Vec<_> = open.drain(..count).collect();
            world.work(at);
            wait(world, messages, at, name, &now);
            if !all && world.numbers.once_in(2) {
                break;
            }
        }
        messages.open.insert(at, open);
    }
}

/// The members of a communicator begin a collective operation without waiting: of any kind, or one
/// in which all need all.
pub fn operation(world: &mut World, messages: &mut Messages, (comm, of_all): (u32, bool)) {
    for (at, record, needed) in collective::begin_any(world, comm, of_all) {
        let request_id = messages.request(at, Request::Operation(record, needed));
        world.event(at, NonBlockingCollectiveRequest { request_id });
        world.pass(at, 0);
        world.leave(at);
    }
}

/// When all is there that a request needs.
fn ready(messages: &Messages, request: &Request) -> u64 {
    match request {
        Request::Receive(number) => messages.all[*number].sent,
        Request::Send(number) if messages.all[*number].synchronous => messages.all[*number].posted,
        Request::Send(_) => 0,
        Request::Operation(_, needed) => *needed,
    }
}

/// One call that waits for requests. A test asks until its request is complete.
fn wait(
    world: &mut World,
    messages: &Messages,
    at: usize,
    name: &str,
    requests: &[(Request, u64)],
) {
    let latest = |is_it: fn(&Request) -> bool| {
        let those = requests.iter().filter(|(request, _)| is_it(request));
        those.map(|(request, _)| ready(messages, request)).max().unwrap_or(0)
    };
    let sender = latest(|request| matches!(request, Request::Receive(_)));
    let operation = latest(|request| matches!(request, Request::Operation(..)));
    let all = latest(|_| true);
    while name == "MPI_Test" && world.logs[at].now <= all {
        world.enter_mpi(at, name, P2P);
        world.event(at, MpiRequestTest { request_id: requests[0].1 });
        world.logs[at].now += 1;
        world.leave(at);
        world.logs[at].now += world.shape.work;
    }
    world.enter_mpi(at, name, P2P);
    let begin = world.logs[at].now;
    world.logs[at].now += 1;
    world.until(at, all + 1);
    world.pass(at, 0);
    // A send that was gone at once counts, too, if its receive was posted during the call.
    let leave = world.logs[at].now;
    let posts = requests.iter().filter_map(|(request, _)| match request {
        Request::Send(number) => Some(messages.all[*number].posted),
        _ => None,
    });
    let receiver = posts.filter(|&posted| posted < leave).max().unwrap_or(0);
    if operation > begin.max(sender) {
        world.waited("mpi_icollective_wait", at, operation - begin);
    } else if sender > begin {
        world.waited("mpi_latesender", at, sender - begin);
    } else if name != "MPI_Test" && receiver > begin {
        world.waited("mpi_latereceiver", at, receiver - begin);
    }
    for (request, request_id) in requests {
        world.event(at, completion(messages, request, *request_id));
    }
    world.leave(at);
}

/// The record of a request that is complete.
fn completion(messages: &Messages, request: &Request, request_id: u64) -> Event {
    match request {
        Request::Send(_) => MpiIsendComplete { request_id }.into(),
        Request::Receive(number) => {
            let MpiRecv { sender, communicator, msg_tag, msg_length } =
                messages.all[*number].receive();
            MpiIrecv { sender, communicator, msg_tag, msg_length, request_id }.into()
        }
        Request::Operation(record, _) => {
            let MpiCollectiveEnd { collective_op, communicator, root, size_sent, size_received } =
                *record;
            NonBlockingCollectiveComplete {
                collective_op,
                communicator,
                root,
                size_sent,
                size_received,
                request_id,
            }
            .into()
        }
    }
}

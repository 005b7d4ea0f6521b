//! Messages that are so small that each call costs more than its data: a message for each element.
//!
//! Their cost is measured in this run: the time in the calls, without waiting. With `--mpi-wait` a
//! message of Pompeii goes next to each of the program's, and the calls take that time too: each
//! end handles both. A message takes two calls, one at each end. One of Pompeii takes these two as
//! well, and one more that looks for it. It often arrives before the receiver looks for it; then
//! the MPI library copies it once more. So it costs from as much as one of the program's to three
//! times as much.
//!
//! Sender and receiver work at the same time, each on its end of the messages, so the run is longer
//! by the cost of the process that has more of it; the others wait for that one. Their waiting
//! belongs to these messages as well, and is no late sender.
//!
//! One message of all data costs one call, and what the data takes.

use pompeii_model::Ticks;

use super::Gain;
use super::mpi_calls::Calls;

/// A call takes about a microsecond, in which a network moves about a kilobyte. Of smaller messages
/// the call costs more than the data.
const SMALL_BYTES: i64 = 1000;
/// Of messages of this size the calls cost a tenth of the data.
const ENOUGH_BYTES: i64 = 10 * SMALL_BYTES;

/// The part of the time in calls for small messages that is the program's, at least and at most, if
/// each has one of Pompeii next to it. In a ping-pong of empty messages (`cargo xtask bench mpi`)
/// it is 22 % with Open MPI and 33 % with MPICH; with data in them it is a little more.
const OF_PROGRAM: [f64; 2] = [0.2, 0.4];

/// The small messages of a run.
#[derive(Default)]
pub(super) struct SmallMessages {
    /// Their cost by process, with that of Pompeii's messages next to them.
    costs: Vec<Ticks>,
    has_own: bool,
    sent: i64,
    /// CPU time lost where they are received only.
    received_lost: Ticks,
}

impl SmallMessages {
    /// Finds the calls for small messages, and marks them. Other calls for messages wait.
    pub(super) fn find(places: &mut [Calls]) -> Self {
        let mut all = Self::default();
        for calls in places.iter_mut().filter(|calls| sends(calls) > 0 && is_meant(calls)) {
            calls.is_small = true;
            all.sent += sends(calls);
            all.add(calls);
        }
        if all.sent == 0 {
            return all;
        }
        let costs = all.costs.clone();
        let explained = 2 * costs.into_iter().max().unwrap_or(0);
        for calls in places.iter_mut() {
            let is_end = sends(calls) == 0 && is_small(calls, ["comms_recv", "bytes_rcvd"]);
            if is_end && calls.most() <= explained {
                calls.is_small = true;
                all.received_lost += calls.lost;
                all.add(calls);
            }
        }
        all
    }

    fn add(&mut self, calls: &Calls) {
        let costs = calls.costs();
        self.costs.resize(costs.len(), 0);
        for ((sum, cost), own) in self.costs.iter_mut().zip(costs).zip(&calls.own) {
            *sum += cost + own;
            self.has_own |= *own > 0;
        }
    }

    fn share(&self, calls: &Calls) -> f64 {
        sends(calls) as f64 / self.sent.max(1) as f64
    }

    /// What the messages of these calls lose where they are received.
    pub(super) fn lost_elsewhere(&self, calls: &Calls) -> Ticks {
        (self.received_lost as f64 * self.share(calls)) as Ticks
    }

    /// What fewer and larger messages bring.
    pub(super) fn gain(&self, calls: &Calls) -> Gain {
        let most = self.costs.iter().copied().max().unwrap_or(0);
        let bytes = calls.lens.sum("bytes_sent", &calls.calls) as f64 / sends(calls).max(1) as f64;
        let left = (bytes / SMALL_BYTES as f64).min(1.0);
        let part = |of: f64| (most as f64 * of * self.share(calls) * (1.0 - left)) as Ticks;
        let [least, most] = if self.has_own { OF_PROGRAM } else { [1.0, 1.0] };
        Gain::between(part(least), part((least + most) / 2.0), part(most))
    }
}

/// How many messages should be one.
pub(super) fn elements(calls: &Calls) -> i64 {
    let (sends, bytes) = (sends(calls), calls.lens.sum("bytes_sent", &calls.calls));
    (ENOUGH_BYTES.saturating_mul(sends) / bytes.max(1)).clamp(2, sends.max(2))
}

/// Whether these calls do nothing but receive small messages that others send.
pub(super) fn only_receives(calls: &Calls) -> bool {
    sends(calls) == 0
}

fn sends(calls: &Calls) -> i64 {
    calls.lens.sum("comms_send", &calls.calls)
}

/// Whether the calls send small messages, and do little else than that.
fn is_meant(calls: &Calls) -> bool {
    let waits: Ticks = calls.waits.iter().flatten().sum();
    let is_cost = match calls.waits {
        Some(_) => 2 * waits < calls.time.iter().sum(),
        None => !calls.is_longer_than_calls(),
    };
    is_cost && is_small(calls, ["comms_send", "bytes_sent"])
}

fn is_small(calls: &Calls, [messages, bytes]: [&str; 2]) -> bool {
    let [messages, bytes] = [messages, bytes].map(|metric| calls.lens.sum(metric, &calls.calls));
    let is_message = calls.is_message() && !calls.is_poll();
    is_message && messages > 0 && bytes < messages.saturating_mul(SMALL_BYTES)
}

#[cfg(test)]
mod tests {
    use super::super::check;
    use expect_test::expect;

    /// Two columns, one three times as long; the receiver waits for the sender to get through.
    #[test]
    fn receiving_belongs_to_the_sends_and_so_does_its_waiting() {
        check(
            "wall=400 locations=2 processes=2
             a/main@a.c:20             0  visits=1
             a/main@a.c:20/MPI_Send    0  time=300 visits=30000 comms_send=30000 bytes_sent=240000
             a/other@a.c:30            0  visits=1
             a/other@a.c:30/MPI_Send   0  time=100 visits=10000 comms_send=10000 bytes_sent=80000
             a/main@a.c:20/MPI_Recv    1  time=400 visits=40000 comms_recv=40000 bytes_rcvd=320000 mpi_latesender=300",
            expect![[r#"
                a.c:20 MPI_Send | mpi_point2point lost=600 gain=297 (249 to 345)
                    [message_per_element, messages MPI_Send]
                    30,000 visits; 0.15 s on average, least on rank 1 (0 s), most on rank 0 (0.30 s).
                    Receiving these messages takes 0.30 s.
                    Send 1250 elements in one message instead of one (MPI_Send).
                a.c:30 MPI_Send | mpi_point2point lost=200 gain=99 (81 to 117)
                    [message_per_element, messages MPI_Send]
                    10,000 visits; 50 ms on average, least on rank 1 (0 s), most on rank 0 (0.10 s).
                    Receiving these messages takes 0.10 s.
                    Send 1250 elements in one message instead of one (MPI_Send).
            "#]],
        );
    }

    /// Without the waiting of messages: each end costs about the same.
    #[test]
    fn cost_is_known_without_waits_too() {
        check(
            "wall=400 locations=2 processes=2 clock=1000000
             a/main@a.c:20             *  time=100 visits=1
             a/main@a.c:20/MPI_Send    0  time=300 visits=3000 comms_send=3000 bytes_sent=24000
             a/main@a.c:20/MPI_Recv    1  time=300 visits=3000 comms_recv=3000 bytes_rcvd=24000",
            expect![[r#"
                a.c:20 MPI_Send | mpi_point2point lost=600 gain=297 (249 to 345)
                    [message_per_element, messages MPI_Send]
                    3,000 visits; 150 µs on average, least on rank 1 (0 s), most on rank 0 (300 µs).
                    Receiving these messages takes 300 µs.
                    Send 1250 elements in one message instead of one (MPI_Send).
            "#]],
        );
    }

    /// Half of the time is ours.
    #[test]
    fn messages_of_pompeii_are_no_cost_of_the_program() {
        check(
            "wall=400 locations=2 processes=2 clock=1000000
             a/main@a.c:20             *  time=100 visits=1
             a/main@a.c:20/MPI_Send    0  time=300 visits=3000 comms_send=3000 bytes_sent=24000 mpi_own_messages=100
             a/main@a.c:20/MPI_Recv    1  time=300 visits=3000 comms_recv=3000 bytes_rcvd=24000 mpi_own_messages=100",
            expect![[r#"
                a.c:20 MPI_Send | mpi_point2point lost=600 gain=89 (66 to 134)
                    [message_per_element, messages MPI_Send]
                    3,000 visits; 150 µs on average, least on rank 1 (0 s), most on rank 0 (300 µs).
                    Receiving these messages takes 300 µs.
                    Send 1250 elements in one message instead of one (MPI_Send).
            "#]],
        );
    }

    /// A few small messages do not explain why their receiver waits.
    #[test]
    fn a_late_sender_of_a_small_message_is_late() {
        check(
            "wall=400 locations=2 processes=2
             a/main@a.c:20             *  time=100 visits=1
             a/main@a.c:20/MPI_Send    0  time=10 visits=30 comms_send=30 bytes_sent=240
             a/slow@a.c:9              0  time=290 visits=30
             a/main@a.c:20/MPI_Recv    1  time=300 visits=30 comms_recv=30 bytes_rcvd=240 mpi_latesender=290",
            expect![[r#"
                a.c:9 slow | mpi_point2point lost=300 gain=145 (120 to 170)
                    [late_sender, none]
                    Rank 0 computes 0.14 s longer here than ranks do on average; others wait for it in MPI_Recv, called from a.c:20.
                    30 visits; 0.15 s on average, least on rank 0 (0 s), most on rank 1 (0.30 s).
                    97 % of this time is waiting for other processes.
                    Send before this work, or give a part of it to other processes.
                a.c:20 MPI_Send | mpi_point2point lost=10 gain=9 (6 to 14)
                    [message_per_element, messages MPI_Send]
                    30 visits; 5.0 ms on average, least on rank 1 (0 s), most on rank 0 (10 ms).
                    Send 30 elements in one message instead of one (MPI_Send).
            "#]],
        );
    }
}

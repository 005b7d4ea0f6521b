//! The values of a function of MPI in its node, under names of their own. A node has few fields, so
//! that the events of a thread touch few cache lines; functions of MPI and constructs of OpenMP are
//! never the same node, and have these in common:
//!
//! | value of MPI | field of the node |
//! |---|---|
//! | messages sent | `task_switches` |
//! | messages received | `last_arrivals` |
//! | bytes sent, put or written | `created` |
//! | bytes received, got or read | `undeferred` |
//! | waiting for others | `wait_ticks` |
//! | waiting for a non-blocking collective operation | `starvation_ticks` |
//! | time in messages of Pompeii | `delay_ticks` |

use crate::Node;

/// What a function of MPI has in its node.
#[derive(Debug)]
pub struct MpiValues<T> {
    /// Messages sent.
    pub messages_sent: T,
    /// Messages received.
    pub messages_received: T,
    /// Bytes that were sent, put or written.
    pub bytes_sent: T,
    /// Bytes that were received, got or read.
    pub bytes_received: T,
    /// Waiting for others, if the user has requested that.
    pub wait_ticks: T,
    /// Waiting for what was missing of a non-blocking collective operation. In functions that wait
    /// for requests of any kind, it is kept apart from waiting for messages.
    pub collective_wait_ticks: T,
    /// Time in messages of ours.
    pub own_ticks: T,
}

impl Node {
    /// What a function of MPI has in this node.
    pub fn mpi(&self) -> MpiValues<u64> {
        MpiValues {
            messages_sent: self.task_switches,
            messages_received: self.last_arrivals,
            bytes_sent: self.created,
            bytes_received: self.undeferred,
            wait_ticks: self.wait_ticks,
            collective_wait_ticks: self.starvation_ticks,
            own_ticks: self.delay_ticks,
        }
    }

    /// The same, to change it.
    #[inline(always)]
    pub fn mpi_mut(&mut self) -> MpiValues<&mut u64> {
        MpiValues {
            messages_sent: &mut self.task_switches,
            messages_received: &mut self.last_arrivals,
            bytes_sent: &mut self.created,
            bytes_received: &mut self.undeferred,
            wait_ticks: &mut self.wait_ticks,
            collective_wait_ticks: &mut self.starvation_ticks,
            own_ticks: &mut self.delay_ticks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_value_is_read_where_it_was_written() {
        let mut node = Node::default();
        let mpi = node.mpi_mut();
        let all = [
            mpi.messages_sent,
            mpi.messages_received,
            mpi.bytes_sent,
            mpi.bytes_received,
            mpi.wait_ticks,
            mpi.collective_wait_ticks,
            mpi.own_ticks,
        ];
        for (value, place) in (1..).zip(all) {
            *place = value;
        }
        let mpi = node.mpi();
        assert_eq!([mpi.messages_sent, mpi.messages_received], [1, 2]);
        assert_eq!([mpi.bytes_sent, mpi.bytes_received], [3, 4]);
        assert_eq!([mpi.wait_ticks, mpi.collective_wait_ticks, mpi.own_ticks], [5, 6, 7]);
    }
}

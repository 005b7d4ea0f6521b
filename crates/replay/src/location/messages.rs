//! Events of MPI on a location: each becomes a sync record, because its partner is elsewhere.

use pompeii_otf2::event::Event;
use pompeii_otf2::reference::CommRef;

use super::Location;
use crate::engine::record::{CollectiveEnd, Message, What};
use crate::engine::tree::LocalTree;

/// The request of a blocking operation.
const BLOCKING: u64 = u64::MAX;

impl Location {
    pub(super) fn mpi(&mut self, time: u64, event: &Event) {
        if let Some(what) = what(event) {
            self.note(time, what);
            let here = self.strand.node.unwrap_or(LocalTree::PROGRAM);
            // The bytes of an operation are those of the call that begins it, as in a profile, but
            // are known when it is complete.
            let node = match what {
                What::IcollectiveRequest(request) => {
                    self.operations.insert(request, here);
                    here
                }
                What::Icollective { request, .. } => {
                    self.operations.remove(&request).unwrap_or(here)
                }
                _ => here,
            };
            if self.within.has(self.now) {
                self.tree.values(node).moved.add(&what);
            }
        }
    }
}

fn what(event: &Event) -> Option<What> {
    let message = |(peer, comm, tag): (u32, CommRef, u32), bytes, request| Message {
        peer,
        comm: comm.0,
        tag,
        bytes,
        request,
    };
    Some(match event {
        Event::MpiSend(it) => {
            let to = (it.receiver, it.communicator, it.msg_tag);
            What::Send(message(to, it.msg_length, BLOCKING))
        }
        Event::MpiIsend(it) => {
            let to = (it.receiver, it.communicator, it.msg_tag);
            What::Isend(message(to, it.msg_length, it.request_id))
        }
        Event::MpiRecv(it) => {
            let from = (it.sender, it.communicator, it.msg_tag);
            What::Recv(message(from, it.msg_length, BLOCKING))
        }
        Event::MpiIrecv(it) => {
            let from = (it.sender, it.communicator, it.msg_tag);
            What::Irecv(message(from, it.msg_length, it.request_id))
        }
        Event::MpiIsendComplete(it) => What::IsendComplete(it.request_id),
        Event::MpiIrecvRequest(it) => What::IrecvRequest(it.request_id),
        Event::MpiRequestCancelled(it) => What::RequestCancelled(it.request_id),
        Event::MpiCollectiveBegin(_) => What::CollectiveBegin,
        Event::MpiCollectiveEnd(it) => What::CollectiveEnd(CollectiveEnd {
            op: it.collective_op,
            comm: it.communicator.0,
            root: it.root,
            sent: it.size_sent,
            received: it.size_received,
        }),
        Event::NonBlockingCollectiveRequest(it) => What::IcollectiveRequest(it.request_id),
        Event::NonBlockingCollectiveComplete(it) => What::Icollective {
            request: it.request_id,
            end: CollectiveEnd {
                op: it.collective_op,
                comm: it.communicator.0,
                root: it.root,
                sent: it.size_sent,
                received: it.size_received,
            },
        },
        _ => return None,
    })
}

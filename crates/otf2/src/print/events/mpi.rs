//! The lines of messages, collective operations and communicators.

use super::Printer;
use crate::event::Event;

impl Printer<'_> {
    /// Messages and their requests.
    pub(super) fn mpi(&mut self, event: &Event) -> bool {
        match event {
            Event::MpiSend(it) => {
                let mut line = self.line("MPI_SEND");
                line.rank("Receiver", Some(it.communicator), it.receiver);
                line.name("Communicator", it.communicator).number("Tag", it.msg_tag);
                line.number("Length", it.msg_length).end();
            }
            Event::MpiIsend(it) => {
                let mut line = self.line("MPI_ISEND");
                line.rank("Receiver", Some(it.communicator), it.receiver);
                line.name("Communicator", it.communicator).number("Tag", it.msg_tag);
                line.number("Length", it.msg_length).number("Request", it.request_id).end();
            }
            Event::MpiRecv(it) => {
                let mut line = self.line("MPI_RECV");
                line.rank("Sender", Some(it.communicator), it.sender);
                line.name("Communicator", it.communicator).number("Tag", it.msg_tag);
                line.number("Length", it.msg_length).end();
            }
            Event::MpiIrecv(it) => {
                let mut line = self.line("MPI_IRECV");
                line.rank("Sender", Some(it.communicator), it.sender);
                line.name("Communicator", it.communicator).number("Tag", it.msg_tag);
                line.number("Length", it.msg_length).number("Request", it.request_id).end();
            }
            Event::MpiProbe(it) => {
                let mut line = self.line("MPI_PROBE");
                line.rank("Sender", Some(it.communicator), it.sender);
                line.name("Communicator", it.communicator).number("Tag", it.tag);
                line.number("Message", it.message_id).end();
            }
            Event::MpiMrecv(it) => {
                let mut line = self.line("MPI_MRECV");
                line.number("Message", it.message_id).number("Length", it.msg_length).end();
            }
            Event::MpiImrecvRequest(it) => {
                let mut line = self.line("MPI_IMRECV_REQUEST");
                line.number("Message", it.message_id).number("Request", it.request_id).end();
            }
            Event::MpiImrecv(it) => {
                let mut line = self.line("MPI_IMRECV");
                line.number("Request", it.request_id).number("Length", it.msg_length).end();
            }
            _ => return self.request(event),
        }
        true
    }

    fn request(&mut self, event: &Event) -> bool {
        let (name, request) = match event {
            Event::MpiIsendComplete(it) => ("MPI_ISEND_COMPLETE", it.request_id),
            Event::MpiIrecvRequest(it) => ("MPI_IRECV_REQUEST", it.request_id),
            Event::MpiRequestTest(it) => ("MPI_REQUEST_TEST", it.request_id),
            Event::MpiRequestCancelled(it) => ("MPI_REQUEST_CANCELLED", it.request_id),
            Event::NonBlockingCollectiveRequest(it) => {
                ("NON_BLOCKING_COLLECTIVE_REQUEST", it.request_id)
            }
            _ => return false,
        };
        self.line(name).number("Request", request).end();
        true
    }

    /// Collective operations and communicators.
    pub(super) fn collective(&mut self, event: &Event) -> bool {
        match event {
            Event::MpiCollectiveBegin(_) => self.line("MPI_COLLECTIVE_BEGIN").end(),
            Event::MpiCollectiveEnd(it) => {
                let mut line = self.line("MPI_COLLECTIVE_END");
                line.value("Operation", it.collective_op).name("Communicator", it.communicator);
                line.root("Root", Some(it.communicator), it.root);
                line.number("Sent", it.size_sent).number("Received", it.size_received).end();
            }
            Event::NonBlockingCollectiveComplete(it) => {
                let mut line = self.line("NON_BLOCKING_COLLECTIVE_COMPLETE");
                line.value("Operation", it.collective_op).name("Communicator", it.communicator);
                line.root("Root", Some(it.communicator), it.root);
                line.number("Sent", it.size_sent).number("Received", it.size_received);
                line.number("Request", it.request_id).end();
            }
            Event::CommCreate(it) => {
                self.line("COMM_CREATE").name("Communicator", it.communicator).end();
            }
            Event::CommDestroy(it) => {
                self.line("COMM_DESTROY").name("Communicator", it.communicator).end();
            }
            _ => return false,
        }
        true
    }
}

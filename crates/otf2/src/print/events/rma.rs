//! The lines of remote memory access.

use super::Printer;
use crate::event::Event;

impl Printer<'_> {
    /// Windows of remote memory access, and locks of them.
    pub(super) fn rma(&mut self, event: &Event) -> bool {
        let lock = match event {
            Event::RmaRequestLock(it) => {
                ("RMA_REQUEST_LOCK", it.win, it.remote, it.lock_id, it.lock_type)
            }
            Event::RmaAcquireLock(it) => {
                ("RMA_ACQUIRE_LOCK", it.win, it.remote, it.lock_id, it.lock_type)
            }
            Event::RmaTryLock(it) => ("RMA_TRY_LOCK", it.win, it.remote, it.lock_id, it.lock_type),
            _ => return self.rma_window(event),
        };
        let (name, window, remote, lock, kind) = lock;
        let mut line = self.line(name);
        line.name("Window", window).window_rank("Remote", window, remote);
        line.number("Lock", lock).value("Type", kind).end();
        true
    }

    fn rma_window(&mut self, event: &Event) -> bool {
        match event {
            Event::RmaWinCreate(it) => self.line("RMA_WIN_CREATE").name("Window", it.win).end(),
            Event::RmaWinDestroy(it) => self.line("RMA_WIN_DESTROY").name("Window", it.win).end(),
            Event::RmaWaitChange(it) => self.line("RMA_WAIT_CHANGE").name("Window", it.win).end(),
            Event::RmaCollectiveBegin(_) => self.line("RMA_COLLECTIVE_BEGIN").end(),
            Event::RmaCollectiveEnd(it) => {
                let comm = self.names.window_comm(it.win);
                let mut line = self.line("RMA_COLLECTIVE_END");
                line.value("Operation", it.collective_op).name("Window", it.win);
                line.value("Level of Synchronicity", it.sync_level).root("Root", comm, it.root);
                line.number("Sent", it.bytes_sent).number("Received", it.bytes_received).end();
            }
            Event::RmaGroupSync(it) => {
                let mut line = self.line("RMA_GROUP_SYNC");
                line.value("Level of Synchronicity", it.sync_level).name("Window", it.win);
                line.name("Group", it.group).end();
            }
            Event::RmaReleaseLock(it) => {
                let mut line = self.line("RMA_RELEASE_LOCK");
                line.name("Window", it.win).window_rank("Remote", it.win, it.remote);
                line.number("Lock", it.lock_id).end();
            }
            Event::RmaSync(it) => {
                let mut line = self.line("RMA_SYNC");
                line.name("Window", it.win).window_rank("Remote", it.win, it.remote);
                line.value("Sync Type", it.sync_type).end();
            }
            _ => return false,
        }
        true
    }

    /// Remote memory access and its end.
    pub(super) fn rma_operation(&mut self, event: &Event) -> bool {
        let (name, window, matching) = match event {
            Event::RmaPut(it) => {
                let mut line = self.line("RMA_PUT");
                line.name("Window", it.win).window_rank("Remote", it.win, it.remote);
                line.number("Bytes", it.bytes).number("Matching", it.matching_id).end();
                return true;
            }
            Event::RmaGet(it) => {
                let mut line = self.line("RMA_GET");
                line.name("Window", it.win).window_rank("Remote", it.win, it.remote);
                line.number("Bytes", it.bytes).number("Matching", it.matching_id).end();
                return true;
            }
            Event::RmaAtomic(it) => {
                let mut line = self.line("RMA_ATOMIC");
                line.name("Window", it.win).window_rank("Remote", it.win, it.remote);
                line.value("Type", it.kind).number("Sent", it.bytes_sent);
                line.number("Received", it.bytes_received).number("Matching", it.matching_id);
                line.end();
                return true;
            }
            Event::RmaOpCompleteBlocking(it) => {
                ("RMA_OP_COMPLETE_BLOCKING", it.win, it.matching_id)
            }
            Event::RmaOpCompleteNonBlocking(it) => {
                ("RMA_OP_COMPLETE_NON_BLOCKING", it.win, it.matching_id)
            }
            Event::RmaOpTest(it) => ("RMA_OP_TEST", it.win, it.matching_id),
            Event::RmaOpCompleteRemote(it) => ("RMA_OP_COMPLETE_REMOTE", it.win, it.matching_id),
            _ => return false,
        };
        self.line(name).name("Window", window).number("Matching", matching).end();
        true
    }
}

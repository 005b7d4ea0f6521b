//! The lines of files.

use super::Printer;
use crate::event::Event;

impl Printer<'_> {
    /// Handles of files.
    pub(super) fn io(&mut self, event: &Event) -> bool {
        match event {
            Event::IoCreateHandle(it) => {
                let mut line = self.line("IO_CREATE_HANDLE");
                line.name("Handle", it.handle).value("Access Mode", it.mode);
                line.value("Creation Flags", it.creation_flags);
                line.value("Status Flags", it.status_flags).end();
            }
            Event::IoDestroyHandle(it) => {
                self.line("IO_DESTROY_HANDLE").name("Handle", it.handle).end();
            }
            Event::IoDuplicateHandle(it) => {
                let mut line = self.line("IO_DUPLICATE_HANDLE");
                line.name("Old Handle", it.old_handle).name("New Handle", it.new_handle);
                line.value("Status Flags", it.status_flags).end();
            }
            Event::IoSeek(it) => {
                let mut line = self.line("IO_SEEK");
                line.name("Handle", it.handle).signed("Offset Request", it.offset_request);
                line.value("Whence", it.whence).number("Offset Result", it.offset_result).end();
            }
            Event::IoChangeStatusFlags(it) => {
                let mut line = self.line("IO_CHANGE_FLAGS");
                line.name("Handle", it.handle).value("Status Flags", it.status_flags).end();
            }
            Event::IoDeleteFile(it) => {
                let mut line = self.line("IO_DELETE_FILE");
                line.name("I/O Paradigm", it.io_paradigm).name("File", it.file).end();
            }
            _ => return self.io_lock(event),
        }
        true
    }

    fn io_lock(&mut self, event: &Event) -> bool {
        let (name, handle, kind) = match event {
            Event::IoAcquireLock(it) => ("IO_ACQUIRE_LOCK", it.handle, it.lock_type),
            Event::IoReleaseLock(it) => ("IO_RELEASE_LOCK", it.handle, it.lock_type),
            Event::IoTryLock(it) => ("IO_TRY_LOCK", it.handle, it.lock_type),
            _ => return false,
        };
        self.line(name).name("Handle", handle).value("Type", kind).end();
        true
    }

    /// Reading and writing files.
    pub(super) fn io_operation(&mut self, event: &Event) {
        let (name, handle, matching) = match event {
            Event::IoOperationBegin(it) => {
                let mut line = self.line("IO_OPERATION_BEGIN");
                line.name("Handle", it.handle).value("Mode", it.mode);
                line.value("Operation Flags", it.operation_flags);
                line.number("Bytes Request", it.bytes_request);
                return line.number("Matching Id", it.matching_id).end();
            }
            Event::IoOperationComplete(it) => {
                let mut line = self.line("IO_OPERATION_COMPLETE");
                line.name("Handle", it.handle).number("Bytes Result", it.bytes_result);
                return line.number("Matching Id", it.matching_id).end();
            }
            Event::IoOperationTest(it) => ("IO_OPERATION_TEST", it.handle, it.matching_id),
            Event::IoOperationIssued(it) => ("IO_OPERATION_ISSUED", it.handle, it.matching_id),
            Event::IoOperationCancelled(it) => {
                ("IO_OPERATION_CANCELLED", it.handle, it.matching_id)
            }
            _ => return self.unknown(),
        };
        self.line(name).name("Handle", handle).number("Matching Id", matching).end();
    }
}

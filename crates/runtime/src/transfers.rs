//! What a call that moves data between processes has noted before it is done, so that it is there
//! if the call never returns. A call that fails has not done it: then it is taken back.

use crate::events::Revocable;

/// What the call that a thread is in has noted.
#[derive(Clone, Copy, Default)]
pub struct Begun {
    /// Whether it has noted anything.
    pub is_noted: bool,
    /// Its records, of this call or of one before.
    pub records: Revocable,
    /// What it moves.
    pub moved: Moved,
    /// The process that has got its first operation that is under way.
    pub way: u64,
}

impl Begun {
    /// Its records, if the call has noted anything.
    pub fn noted_records(&self) -> Revocable {
        if self.is_noted { self.records } else { Revocable::default() }
    }
}

/// What a call sends and receives, in messages and otherwise.
#[derive(Clone, Copy, Default)]
pub struct Moved {
    /// Messages that it sends.
    pub messages_sent: u64,
    /// Bytes that it sends.
    pub bytes_sent: u64,
    /// Bytes that it receives otherwise than in messages.
    pub bytes_received: u64,
}

impl Moved {
    /// A message of `bytes_sent` bytes.
    pub fn message(bytes_sent: u64) -> Self {
        Self { messages_sent: 1, bytes_sent, ..Self::default() }
    }

    /// So many bytes, not in messages.
    pub fn bytes(bytes_sent: u64, bytes_received: u64) -> Self {
        Self { messages_sent: 0, bytes_sent, bytes_received }
    }
}

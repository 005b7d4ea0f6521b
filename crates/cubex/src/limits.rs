//! What is believed of a packed file. Deflate shrinks by up to 1:1032, so that a small file from
//! anybody may claim to be as large as the reader's memory.

/// How much a reader may allocate for what it unpacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest size of anything packed with gzip: the whole file, or anchor.xml in it. What
    /// unpacks to more is refused. (A row of values is bounded by its number of locations.)
    pub unpacked_bytes_max: u64,
    /// How many bytes one packed byte may become; the first 64 MiB are free. Texts of Cube shrink
    /// by 1:10 to 1:50, deflate makes up to 1:1032 of nothing.
    pub unpacked_ratio_max: u64,
}

/// What anything may unpack to, however small it is packed.
const UNPACKED_BYTES_FREE: u64 = 64 << 20;

impl Limits {
    /// How many bytes `packed` bytes may unpack to.
    pub(crate) fn unpacked_bytes(self, packed: usize) -> u64 {
        let by_ratio = self.unpacked_ratio_max.saturating_mul(packed as u64);
        self.unpacked_bytes_max.min(by_ratio.max(UNPACKED_BYTES_FREE))
    }
}

impl Default for Limits {
    /// Enough for any report that a person has looked at: 4 GiB, and 128 bytes of each one.
    fn default() -> Self {
        Self { unpacked_bytes_max: 4 << 30, unpacked_ratio_max: 128 }
    }
}

//! The hash of a text: it tells whether an undo record belongs to it, and makes names unique.

/// FNV-1a over words of eight bytes (the last one filled up with zeros): no byte-wise loop over a
/// text of many megabytes.
pub(crate) fn hash_of(bytes: &[u8]) -> u64 {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let last = (!rest.is_empty()).then_some(&last);
    words.iter().chain(last).fold(0xcbf2_9ce4_8422_2325, |hash, word| {
        (hash ^ u64::from_le_bytes(*word)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

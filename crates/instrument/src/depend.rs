//! The letters by which the call for `depend` clauses says how a task uses an item.

/// Stands for an item that is not known.
pub(crate) const UNKNOWN: char = '?';

/// The letter of a kind of items; `None` for items that are not known by their texts.
pub(crate) fn kind(modifier: &str) -> Option<char> {
    Some(match modifier {
        "in" => 'i',
        "out" | "inout" => 'o',
        "mutexinoutset" => 'm',
        "inoutset" => 's',
        _ => return None,
    })
}

//! What single words of a script stand for.

use pompeii_live::RegionKind;

use crate::task::depend::{Item, Kind};

/// What a region of this name is, for what reads the experiment.
pub(super) fn kind(name: &str) -> RegionKind {
    let kinds = [
        ("parallel", RegionKind::Parallel),
        ("end of", RegionKind::ImplicitBarrier),
        ("implicit_barrier", RegionKind::ImplicitBarrier),
        ("create", RegionKind::TaskCreate),
        ("taskloop", RegionKind::Taskloop),
        ("task", RegionKind::Task),
    ];
    if name.contains('=') {
        return RegionKind::Parameter;
    }
    let known = kinds.into_iter().find(|(word, _)| name.starts_with(word));
    known.map_or(RegionKind::User, |(_, kind)| kind)
}

/// An item of a `depend` clause: `in:7`, or `?`.
pub(super) fn depend_item(text: &str) -> Item {
    let (kind, address) = text.split_once(':')?;
    let kind = match kind {
        "in" => Kind::In,
        "inout" => Kind::Out,
        "mutexinoutset" => Kind::Mutex,
        _ => Kind::Set,
    };
    Some((kind, address.parse().unwrap()))
}

//! How the trace of a process ends: with the end of the program, after the regions are left that
//! the thread had open because it ended the process inside of them.

use pompeii_live::{Definition, Key, LiveLocation, LiveProcess, NotedEnd, RegionKind};
use pompeii_otf2::write::ProgramEnding;

/// Node of the program in a call tree.
const ROOT: u32 = 1;

/// The end of a process, for the events of its first location. None if the process has not said
/// that it ends, or if the location is inside of a parallel region, of a task or of a construct:
/// the team's other threads have not left it either. None if another location is in a team: that
/// one still runs, or a thread without events has ended the process, for example one of the MPI
/// library. Such a thread does not close the barriers in which workers wait for their next team.
pub fn of(live: &LiveProcess, location: &LiveLocation) -> Option<ProgramEnding> {
    let noted = live.noted_end.filter(|_| location.index == 0)?;
    if live.locations.iter().any(|other| other.index != 0 && is_in_team(live, other)) {
        return None;
    }
    let exit_status = match noted {
        NotedEnd::Exit(code) | NotedEnd::ImmediateExit(code) => i64::from(code & 0xff),
        NotedEnd::QuickExit | NotedEnd::Exec | NotedEnd::Finalized => i64::MIN,
    };
    Some(ProgramEnding { time: live.end?.ticks, exit_status, open: open_regions(live, location)? })
}

/// Regions that are open outside of constructs, the innermost first.
fn open_regions(live: &LiveProcess, location: &LiveLocation) -> Option<Vec<u32>> {
    let (mut open, mut at) = (Vec::new(), location.current);
    // A damaged tree has no end.
    for _ in 0..location.nodes.len() {
        if at == ROOT {
            return Some(open);
        }
        let node = location.nodes.get(at as usize)?;
        match Key::decode(node.key) {
            Key::Parameter { .. } => {}
            Key::Region(id) => match kind_of(live, id)? {
                RegionKind::Off => {}
                kind if may_be_left(kind) => open.push(id),
                _ => return None,
            },
            _ => return None,
        }
        at = node.parent;
    }
    None
}

/// Whether a location is in a parallel region. A task is outside of the call tree of the program,
/// and a location that executes one is in a team, too.
fn is_in_team(live: &LiveProcess, location: &LiveLocation) -> bool {
    let mut at = location.current;
    for _ in 0..location.nodes.len() {
        let Some(node) = location.nodes.get(at as usize).filter(|_| at != ROOT) else { break };
        match Key::decode(node.key) {
            Key::Attach { .. } => return true,
            Key::Region(id) => match kind_of(live, id) {
                Some(RegionKind::Parallel | RegionKind::Teams) => return true,
                _ => at = node.parent,
            },
            _ => at = node.parent,
        }
    }
    at != ROOT
}

fn kind_of(live: &LiveProcess, region: u32) -> Option<RegionKind> {
    live.definitions.iter().find_map(|definition| match *definition {
        Definition::Region { id, kind, .. } if id == region => Some(kind),
        _ => None,
    })
}

/// Whether nothing but Leave belongs to the end of such a region.
fn may_be_left(kind: RegionKind) -> bool {
    use RegionKind::*;
    matches!(
        kind,
        Function
            | User
            | MpiPointToPoint
            | MpiBarrier
            | MpiOneToAll
            | MpiAllToOne
            | MpiAllToAll
            | MpiCollective
            | MpiInitExit
            | MpiCommunicator
            | MpiOneSided
            | MpiSynchronisation
            | MpiWindow
            | MpiFile
            | MpiFileCollective
            | MpiFileManagement
            | MpiOther
            | Io
            | ThreadStart
            | ThreadLock
            | ThreadOther
    )
}

//! Leagues of teams on the host, and constructs for devices, of which the host's side is seen: the
//! call lasts until the device is ready, or the host has executed the code itself. The function of
//! the code stays as it is, because libgomp finds that of the device by it.

use super::call::Call;
use super::clauses;
use super::thread;
use crate::unmodified::Directive;
use crate::ways::constructs;

/// `teams` outside of a target construct: (function, data, teams, limit, flags). Libgomp executes
/// one team after the other.
pub unsafe extern "C" fn teams<const ENTRY: usize>(
    function: usize,
    data: usize,
    count: usize,
    limit: usize,
    flags: usize,
) -> usize {
    type Original = unsafe extern "C" fn(usize, usize, usize, usize, usize) -> usize;
    let call = Call::<ENTRY>::executing(function);
    // SAFETY: the contract of this adapter; the descriptor is one of ours.
    unsafe {
        let Some(site) = call.site(Directive::Teams, clauses::none) else {
            return call.original::<Original>()(function, data, count, limit, flags);
        };
        constructs::teams_enter(site.construct);
        let nothing = site.original::<Original>()(function, data, count, limit, flags);
        constructs::teams_exit(site.construct);
        nothing
    }
}

/// `target`: (device, function, ...). What the host executes of it is in no region of the program.
pub unsafe extern "C" fn region<const ENTRY: usize>(
    device: usize,
    function: usize,
    c: usize,
    d: usize,
    e: usize,
    f: usize,
    g: usize,
    h: usize,
    i: usize,
) -> usize {
    let call = Call::<ENTRY>::executing(function);
    let arguments = [device, function, c, d, e, f, g, h, i, 0];
    // SAFETY: as above.
    unsafe {
        let Some(site) = call.site(Directive::Target, clauses::none) else {
            return call.pass_on(&arguments);
        };
        constructs::target_enter(site.construct);
        let outer = thread::enter(function, site.library.name_in_parts());
        let nothing = site.pass_on(&arguments);
        thread::leave(&outer);
        constructs::target_exit(site.construct);
        nothing
    }
}

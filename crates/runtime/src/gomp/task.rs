//! Task constructs.

use std::ffi::c_void;

use super::call::{Arguments, Call};
use super::clauses;
use super::depend;
use super::header::{Block, Compact, Header};
use super::site::Site;
use super::thread;
use crate::unmodified::Directive;
use crate::ways::tasks;

/// The task is final.
const FINAL: usize = 2;
/// There is an array of dependences.
const DEPEND: usize = 8;
/// It is complete when an event is fulfilled.
const DETACH: usize = 0x2000;

/// The directive of a task with these flags. Untied tasks never move to another thread in libgomp,
/// so they are like others.
#[inline(always)]
fn directive(flags: usize, is_deferred: bool) -> Directive {
    let is_undeferred = !is_deferred || flags & FINAL != 0;
    if is_undeferred { Directive::UndeferredTask } else { Directive::Task }
}

/// Its clauses.
fn written(flags: usize, is_deferred: bool) -> &'static str {
    match (is_deferred, flags & FINAL != 0) {
        (false, _) => "if(...)",
        (true, true) => "final(...)",
        (true, false) => "",
    }
}

/// Creates a task: (function, data, copy, size, align, if, flags, dependences, priority, detach). A
/// gcc before 11 passes fewer, and libgomp reads only those that the flags are for.
pub unsafe extern "C" fn create<const ENTRY: usize>(
    function: usize,
    data: usize,
    copy: usize,
    size: usize,
    align: usize,
    condition: usize,
    flags: usize,
    dependences: usize,
    priority: usize,
    detach: usize,
) -> usize {
    let call = Call::<ENTRY>::executing(function);
    let is_deferred = condition as u8 != 0;
    let words = || clauses::of(written(flags, is_deferred));
    let arguments = |[function, data, copy, size, align]: [usize; 5]| -> Arguments {
        [function, data, copy, size, align, condition, flags, dependences, priority, detach]
    };
    let of = [function, data, copy, size, align];
    // SAFETY: the contract of this adapter; descriptors are ours.
    unsafe {
        let Some(site) = call.site(directive(flags, is_deferred), words) else {
            return call.pass_on(&arguments(of));
        };
        if copy != 0 || flags & DETACH != 0 || !Compact::has_room(size, align) {
            return create_large(site, &arguments(of));
        }
        let mut block = Compact::new(function, site.construct, (data, size));
        tasks::create_begin(site.construct, &raw mut block.id);
        if flags & DEPEND != 0 {
            tasks::depend(site.construct, block.id, depend::items(dependences));
        }
        let (run, data) = (run_compact as *const () as usize, &raw mut block as usize);
        site.pass_on(&arguments([run, data, 0, Compact::size_with(size), Compact::ALIGN]));
        tasks::create_end(site.construct, block.id);
        0
    }
}

/// The same of a task with much data, with data that are copied by a function of the program, or
/// that is detached. A function of its own, because its frame is larger.
#[inline(never)]
unsafe fn create_large(site: &Site, arguments: &Arguments) -> usize {
    let &[function, data, copy, size, align, _condition, flags, dependences, ..] = arguments;
    let construct = site.construct;
    // SAFETY: as above.
    unsafe {
        let mut header = Header::new([function, data, copy, size, align], flags, construct);
        tasks::create_begin(construct, &raw mut header.id);
        if flags & DEPEND != 0 {
            tasks::depend(construct, header.id, depend::items(dependences));
        }
        Header::hand_over(&raw mut header, site.library.is_cancellable, |block| {
            let &Block { data, copy, size, align } = block;
            let mut ours = *arguments;
            ours[..5].copy_from_slice(&[run as *const () as usize, data, copy, size, align]);
            site.pass_on(&ours)
        });
        tasks::create_end(construct, header.id);
        0
    }
}

/// Executes a task whose data lie after a short header.
unsafe extern "C" fn run_compact(block: *mut Compact) {
    // SAFETY: libgomp hands over the block that it has got, or a copy of it, which stays until the
    // task is complete.
    unsafe {
        let Compact { function, construct, id, .. } = *block;
        let outer = thread::execute(function);
        tasks::begin(construct, id);
        let data = Compact::user_data(block);
        std::mem::transmute::<usize, extern "C" fn(*mut c_void)>(function)(data.cast());
        tasks::end(construct, id);
        thread::execute(outer);
    }
}

/// Executes any other one.
unsafe extern "C" fn run(header: *mut Header) {
    // SAFETY: libgomp hands over the block that it has got, or a copy of it, which stays until the
    // task is complete.
    unsafe {
        let Header { words: [event, ..], function, construct, id, flags, .. } = header.read();
        let is_detached = flags & DETACH != 0;
        let data = Header::user_data(header, usize::from(is_detached));
        let outer = thread::execute(function);
        tasks::begin(construct, id);
        std::mem::transmute::<usize, extern "C" fn(*mut c_void)>(function)(data as *mut c_void);
        match is_detached {
            true => tasks::detach(construct, id, event),
            false => tasks::end(construct, id),
        }
        thread::execute(outer);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clauses_that_are_met_make_a_task_undeferred() {
        const UNTIED: usize = 1;
        let of = |flags, is_deferred| (directive(flags, is_deferred), written(flags, is_deferred));
        assert_eq!(of(UNTIED, true), (Directive::Task, ""));
        assert_eq!(of(FINAL, true), (Directive::UndeferredTask, "final(...)"));
        assert_eq!(of(DETACH, false), (Directive::UndeferredTask, "if(...)"));
    }
}

//! Task constructs.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use super::call::{Arguments, Call};
use super::clauses;
use super::depend;
use super::header::{Block, Compact, Header};
use super::site::{Found, Site};
use super::thread;
use crate::unmodified::Directive;
use crate::ways::tasks;

/// The task is final.
const FINAL: usize = 2;
/// There is an array of dependences.
const DEPEND: usize = 8;
/// There is a priority.
const PRIORITY: usize = 0x10;
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
/// gcc before 11 passes fewer, and libgomp reads only those that the flags are for: of most tasks
/// none of the last three.
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
    const OTHERS: usize = FINAL | DEPEND | PRIORITY | DETACH;
    let create = match condition as u8 != 0
        && flags & OTHERS | copy == 0
        && Compact::has_room(size, align)
    {
        true => create_simple::<ENTRY>,
        false => create_otherwise::<ENTRY>,
    };
    // SAFETY: the arguments of the call.
    unsafe {
        create(function, data, copy, size, align, condition, flags, dependences, priority, detach)
    }
}

/// The same of a task with few data and no clauses. (It has the same arguments, so that they stay
/// where they are.)
#[inline(never)]
unsafe extern "C" fn create_simple<const ENTRY: usize>(
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
    // SAFETY: the contract of this adapter; descriptors are ours.
    unsafe {
        let Some(found) = Call::<ENTRY>::executing(function).known_site(Directive::Task) else {
            return create_otherwise::<ENTRY>(
                function,
                data,
                copy,
                size,
                align,
                condition,
                flags,
                dependences,
                priority,
                detach,
            );
        };
        let create = |[run, block, size]: [usize; 3]| {
            let (original, condition) = (found.site().original::<Simple>(), usize::from(true));
            let [d, p, e] = [MaybeUninit::uninit(); 3];
            original(run, block, 0, size, Compact::ALIGN, condition, flags, d, p, e)
        };
        create_compact(found.site(), (function, data, size), |_| {}, create)
    }
}

/// The function of libgomp, which does not read the last three arguments of most tasks. They have
/// their places on the stack, because those are the function's to write.
type Simple = unsafe extern "C" fn(
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    usize,
    MaybeUninit<usize>,
    MaybeUninit<usize>,
    MaybeUninit<usize>,
) -> usize;

/// Creates a task with few data. `depend` may say its dependences, and `create` makes the call of
/// libgomp with (function, data, size).
#[inline(always)]
unsafe fn create_compact(
    site: &Site,
    (function, data, size): (usize, usize, usize),
    depend: impl FnOnce(i64),
    create: impl FnOnce([usize; 3]) -> usize,
) -> usize {
    let mut block = MaybeUninit::uninit();
    // SAFETY: the contract of this adapter; descriptors are ours.
    unsafe {
        Compact::write(&mut block, (function, &site.construct), (data, size));
        let block = block.as_mut_ptr();
        tasks::create_begin(site.construct, (*block).id.as_mut_ptr());
        depend((*block).id.assume_init());
        let run = run_compact as *const () as usize;
        create([run, block as usize, Compact::size_with(size)]);
        // The block has the construct, so that no register has to keep it.
        tasks::create_end((*block).construct, (*block).id.assume_init());
    }
    0
}

/// The same of any other one.
#[inline(never)]
unsafe extern "C" fn create_otherwise<const ENTRY: usize>(
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
    let arguments = |[function, data, copy, size, align]: [usize; 5]| -> Arguments {
        [function, data, copy, size, align, condition, flags, dependences, priority, detach]
    };
    // SAFETY: the contract of this adapter; descriptors are ours.
    unsafe {
        // In two branches, so that the kind of the site is known in each.
        let known = match directive(flags, is_deferred) {
            Directive::Task => call.known_site(Directive::Task),
            _ => call.known_site(Directive::UndeferredTask),
        };
        let is_compact = copy == 0 && flags & DETACH == 0 && Compact::has_room(size, align);
        let (true, Some(site)) = (is_compact, known.map(Found::site)) else {
            return create_large(call, &arguments([function, data, copy, size, align]));
        };
        let depend = |id| {
            if flags & DEPEND != 0 {
                tasks::depend(site.construct, id, depend::items(dependences));
            }
        };
        let create = |[run, block, size]: [usize; 3]| {
            site.pass_on(&arguments([run, block, 0, size, Compact::ALIGN]))
        };
        create_compact(site, (function, data, size), depend, create)
    }
}

/// The same of the first task of a construct, and of one with much data, with data that are copied
/// by a function of the program, or that is detached.
#[inline(never)]
unsafe fn create_large<const ENTRY: usize>(call: Call<ENTRY>, arguments: &Arguments) -> usize {
    let &[function, data, copy, size, align, condition, flags, dependences, ..] = arguments;
    let is_deferred = condition as u8 != 0;
    let words = || clauses::of(written(flags, is_deferred));
    let Some(site) = call.site(directive(flags, is_deferred), words) else {
        // SAFETY: as above.
        return unsafe { call.pass_on(arguments) };
    };
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
        // What is needed again after the task is in the block, so that no register has to keep it.
        let Compact { function, construct, id, .. } = *block;
        (*block).outer.write(thread::execute(function));
        tasks::begin(construct, id.assume_init());
        let data = Compact::user_data(block);
        std::mem::transmute::<usize, extern "C" fn(*mut c_void)>((*block).function)(data.cast());
        tasks::end((*block).construct, (*block).id.assume_init());
        thread::go_back((*block).outer.assume_init());
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
        thread::go_back(outer);
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

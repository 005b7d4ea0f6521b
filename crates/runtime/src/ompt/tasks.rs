//! Explicit tasks.
//!
//! OMPT tells the creation of a task in one moment, before the runtime has the task. A task that
//! its creator executes at once follows on the same thread, so it is among what the thread has
//! open; of others, the task's own word has the construct and the instance.

use std::ffi::c_int;

use super::calls;
use super::depend;
use super::interface::{Address, Data, Explicit, status, task_flag};
use super::open::{self, Family};
use crate::clock::System;
use crate::descriptor::{Given, Words};
use crate::entry::on_thread;
use crate::unmodified::{self, Code, Directive};
use crate::ways::tasks;
use crate::{openmp, task};

/// `ompt_callback_task_create`.
pub extern "C" fn create(
    _creator: Option<&Data>,
    _frame: Address,
    task: Option<&Data>,
    flags: c_int,
    has_dependences: c_int,
    address: Address,
) {
    let Some(task) = task else { return };
    depend::settle();
    task.set(0);
    // A taskwait with dependences is a task for the runtime, but none of the program's.
    let is_one = flags & task_flag::EXPLICIT != 0 && flags & task_flag::TASKWAIT == 0;
    if !is_one {
        return;
    }
    if flags & task_flag::FINAL != 0 {
        openmp::expect_final();
    }
    let (address, is_untied) = (address as usize, flags & task_flag::UNTIED != 0);
    if flags & task_flag::UNDEFERRED != 0 {
        create_undeferred(task, address, is_untied);
    } else {
        create_deferred(task, address, (is_untied, has_dependences != 0));
    }
}

/// Its creator executes it at once, and its creation ends with it. Because of its clauses, such a
/// task is counted only, as in instrumented programs. But in a team of one thread the library says
/// it of all tasks: then they take their time.
fn create_undeferred(task: &Data, address: usize, is_untied: bool) {
    let directive =
        if open::team_size() == 1 { Directive::Task } else { Directive::UndeferredTask };
    let Some(construct) = construct(directive, address, is_untied) else { return };
    let mut handle = 0;
    // SAFETY: a descriptor whose calls carry the handle.
    unsafe {
        tasks::create_begin(construct, &raw mut handle);
        depend::note_after(construct, handle);
    }
    open::push(Family::Task, Some(construct), handle);
    task.set(Explicit::UNDEFERRED.word());
}

fn create_deferred(task: &Data, address: usize, (is_untied, has_dependences): (bool, bool)) {
    let Some(construct) = construct(Directive::Task, address, is_untied) else { return };
    let number = unmodified::number(construct);
    if number == 0 {
        return open::note_unpaired();
    }
    let mut handle = 0;
    // SAFETY: a descriptor whose calls carry the handle, which the first one writes.
    unsafe {
        tasks::create_begin(construct, &raw mut handle);
        if handle == 0 {
            return;
        }
        // Before its end, after which another thread may have the task.
        let word = Explicit::created(number, handle as u64, is_untied);
        if Explicit::fits(handle as u64) {
            task.set(word.word());
        } else {
            open::note_unpaired();
        }
        depend::note_after(construct, handle);
        depend::end_creation(construct, handle, has_dependences);
    }
}

/// The construct of a task: the place where it is created. All tasks of a taskloop are created at
/// one place of the runtime, and their construct is where the first of them was made ready.
fn construct(directive: Directive, address: usize, is_untied: bool) -> Option<Given> {
    let words = || words(directive, is_untied);
    let found = unmodified::construct(directive, Code::Call(address), words)?;
    if !unmodified::is_elsewhere(found) {
        return Some(found);
    }
    let of_taskloop = open::innermost(Family::Taskloop).map_or(0, |taskloop| taskloop.more);
    let call = if of_taskloop == 0 { calls::task_call() } else { of_taskloop as usize };
    match call {
        0 => open::around(directive, &words),
        call => unmodified::construct(directive, Code::Call(call), words),
    }
}

/// The clauses by which the core knows how such a task runs.
fn words(directive: Directive, is_untied: bool) -> Words {
    let undeferred = (directive == Directive::UndeferredTask).then_some("if(0)");
    let untied = is_untied.then_some("untied");
    let clauses = [undeferred, untied].into_iter().flatten().collect::<Vec<_>>().join(" ");
    Words { clauses, ..Words::default() }
}

/// `ompt_callback_task_schedule`: `prior` has come to an end or is suspended, and `next` begins or
/// goes on.
pub extern "C" fn schedule(prior: Option<&Data>, status: c_int, next: Option<&Data>) {
    depend::settle();
    match status {
        status::COMPLETE | status::CANCEL | status::DETACH => prior.into_iter().for_each(end),
        // Nothing begins or ends on this thread.
        status::EARLY_FULFILL | status::LATE_FULFILL | status::TASKWAIT_COMPLETE => return,
        _ => {
            if let (Some(prior), Some(next)) = (prior, next) {
                suspend(prior, next);
            }
        }
    }
    next.into_iter().for_each(go_on);
}

/// A task is over. One that was cancelled before its begin has never been on a thread.
fn end(data: &Data) {
    let Some(task) = Explicit::of(data.get()) else { return };
    data.set(0);
    if task.construct == 0 {
        return end_undeferred();
    }
    let Some(construct) = unmodified::numbered(task.construct) else { return };
    if !task.has_begun {
        return;
    }
    // SAFETY: a descriptor whose calls carry the handle.
    unsafe {
        if task.is_fresh {
            // All of it was in its first piece, of which nothing was noted.
            tasks::begin(construct, task.handle as i64);
        }
        tasks::end(construct, task.handle as i64);
    }
}

fn end_undeferred() {
    let Some(entry) = open::pop(Family::Task) else { return };
    if let Some(construct) = entry.construct.filter(|_| entry.more != 0) {
        // SAFETY: as above.
        unsafe {
            tasks::end(construct, entry.more);
            tasks::create_end(construct, entry.more);
        }
    }
}

/// A task begins, or goes on after another one.
fn go_on(data: &Data) {
    let Some(task) = Explicit::of(data.get()) else { return };
    if task.construct == 0 {
        return begin_undeferred(data, task);
    }
    let Some(construct) = unmodified::numbered(task.construct) else { return };
    let handle = task.handle as i64;
    // SAFETY: a descriptor whose calls carry the handle.
    unsafe {
        match (task.has_begun, task.is_fresh) {
            (false, false) => tasks::begin(construct, handle),
            (true, false) if task.is_untied => {
                tasks::resume(construct, handle);
            }
            _ => {}
        }
    }
    if !task.has_begun {
        data.set(Explicit { has_begun: true, ..task }.word());
    }
}

fn begin_undeferred(data: &Data, task: Explicit) {
    if task.has_begun {
        return;
    }
    data.set(Explicit { has_begun: true, ..task }.word());
    if let Some(entry) = open::innermost(Family::Task)
        && let Some(construct) = entry.construct.filter(|_| entry.more != 0)
    {
        // SAFETY: as above.
        unsafe { tasks::begin(construct, entry.more) };
    }
}

/// `data` is suspended for `next`. A tied task stays on its thread. An untied one that is on top of
/// `next` goes back to the runtime, and may go on elsewhere.
fn suspend(data: &Data, next: &Data) {
    let Some(task) = Explicit::of(data.get()) else { return };
    if !task.is_untied || !task.has_begun || task.construct == 0 {
        return;
    }
    let Some(construct) = unmodified::numbered(task.construct) else { return };
    let next = Explicit::of(next.get());
    let begins_next = next.is_some_and(|next| !next.has_begun);
    match (task.is_fresh, begins_next) {
        // What goes on without a begin is what the first piece was on top of: the piece only hands
        // the task back, and its begin is still to come.
        (true, false) => {
            data.set(Explicit { has_begun: false, is_fresh: false, ..task }.word());
        }
        // The first piece is the body itself.
        (true, true) => {
            data.set(Explicit { is_fresh: false, ..task }.word());
            // SAFETY: a descriptor whose calls carry the handle.
            unsafe { tasks::begin(construct, task.handle as i64) };
        }
        (false, true) => {}
        (false, false) => {
            // One that its creator executes at once is in no stack, but below for certain.
            let below = next.filter(|next| next.construct != 0).map(|next| next.handle as usize);
            on_thread!(|thread| task::put_back(thread, task.handle as usize, below, System));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_say_how_a_task_runs() {
        let clauses = |directive, is_untied| words(directive, is_untied).clauses;
        assert_eq!(clauses(Directive::Task, false), "");
        assert_eq!(clauses(Directive::Task, true), "untied");
        assert_eq!(clauses(Directive::UndeferredTask, true), "if(0) untied");
    }
}

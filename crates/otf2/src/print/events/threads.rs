//! The lines of threads, teams, locks and tasks.

use super::Printer;
use crate::event::Event;

impl Printer<'_> {
    /// Teams, locks and tasks.
    pub(super) fn threads(&mut self, event: &Event) -> bool {
        match event {
            Event::ThreadFork(it) => {
                let mut line = self.line("THREAD_FORK");
                line.paradigm("Model", it.model);
                line.number("# Requested Threads", it.number_of_requested_threads).end();
            }
            Event::ThreadJoin(it) => self.line("THREAD_JOIN").paradigm("Model", it.model).end(),
            Event::ThreadTeamBegin(it) => {
                self.line("THREAD_TEAM_BEGIN").name("Thread Team", it.thread_team).end();
            }
            Event::ThreadTeamEnd(it) => {
                self.line("THREAD_TEAM_END").name("Thread Team", it.thread_team).end();
            }
            Event::ThreadAcquireLock(it) => {
                let mut line = self.line("THREAD_ACQUIRE_LOCK");
                line.paradigm("Model", it.model).number("Lock", it.lock_id);
                line.number("Acquisition Order", it.acquisition_order).end();
            }
            Event::ThreadReleaseLock(it) => {
                let mut line = self.line("THREAD_RELEASE_LOCK");
                line.paradigm("Model", it.model).number("Lock", it.lock_id);
                line.number("Acquisition Order", it.acquisition_order).end();
            }
            _ => return self.task(event) || self.thread(event),
        }
        true
    }

    fn task(&mut self, event: &Event) -> bool {
        let (name, team, thread, generation) = match event {
            Event::ThreadTaskCreate(it) => {
                ("THREAD_TASK_CREATE", it.thread_team, it.creating_thread, it.generation_number)
            }
            Event::ThreadTaskSwitch(it) => {
                ("THREAD_TASK_SWITCH", it.thread_team, it.creating_thread, it.generation_number)
            }
            Event::ThreadTaskComplete(it) => {
                ("THREAD_TASK_COMPLETE", it.thread_team, it.creating_thread, it.generation_number)
            }
            _ => return false,
        };
        let mut line = self.line(name);
        line.name("Thread Team", team).rank("Creating Thread", Some(team), thread);
        line.number("Generation Number", generation).end();
        true
    }

    fn thread(&mut self, event: &Event) -> bool {
        let (name, contingent, sequence) = match event {
            Event::ThreadCreate(it) => ("THREAD_CREATE", it.thread_contingent, it.sequence_count),
            Event::ThreadBegin(it) => ("THREAD_BEGIN", it.thread_contingent, it.sequence_count),
            Event::ThreadWait(it) => ("THREAD_WAIT", it.thread_contingent, it.sequence_count),
            Event::ThreadEnd(it) => ("THREAD_END", it.thread_contingent, it.sequence_count),
            _ => return false,
        };
        let mut line = self.line(name);
        line.name("Thread Contingent", contingent).number("Sequence Count", sequence).end();
        true
    }

    /// What OTF2 1.2 has replaced.
    pub(super) fn omp(&mut self, event: &Event) -> bool {
        match event {
            Event::OmpFork(it) => {
                let mut line = self.line("OMP_FORK");
                line.number("# Requested Threads", it.number_of_requested_threads).end();
            }
            Event::OmpJoin(_) => self.line("OMP_JOIN").end(),
            Event::OmpAcquireLock(it) => {
                let mut line = self.line("OMP_ACQUIRE_LOCK");
                line.number("Lock", it.lock_id);
                line.number("Acquisition Order", it.acquisition_order).end();
            }
            Event::OmpReleaseLock(it) => {
                let mut line = self.line("OMP_RELEASE_LOCK");
                line.number("Lock", it.lock_id);
                line.number("Acquisition Order", it.acquisition_order).end();
            }
            Event::OmpTaskCreate(it) => {
                self.line("OMP_TASK_CREATE").number("Task", it.task_id).end();
            }
            Event::OmpTaskSwitch(it) => {
                self.line("OMP_TASK_SWITCH").number("Task", it.task_id).end();
            }
            Event::OmpTaskComplete(it) => {
                self.line("OMP_TASK_COMPLETE").number("Task", it.task_id).end();
            }
            _ => return false,
        }
        true
    }
}

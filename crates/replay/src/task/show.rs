//! Facts about tasks as lines of text, for tests.

use crate::compound::Compound;
use crate::outcome::Outcome;
use crate::place::Place;
use crate::text::place;

use super::compound::{Dependences, Scheduling, TaskEvent, TaskVisit, TaskWaitVisit, TeamTasks};

/// The line of a compound; none if it is no such fact.
pub(crate) fn line(outcome: &Outcome, compound: &Compound) -> Option<String> {
    let at = |at: Place| place(outcome, at);
    Some(match compound {
        Compound::Task(visit) => {
            let TaskVisit { created, begun, ended, work, fragments, children, .. } = *visit;
            let created = created
                .map_or("unknown".to_owned(), |(time, place)| format!("{time} {}", at(place)));
            format!(
                "done {} {begun}..{ended}, created {created}: ready {}, work {work}, {fragments} \
                 fragments, {children} children",
                at(visit.at),
                visit.ready_ticks()
            )
        }
        Compound::Tasks(team) => {
            let TeamTasks { begin, end, tasks, work, span, .. } = *team;
            let (least, most) = (team.least_ticks(), team.most_ticks());
            let Dependences { tasks: depend, edges, unknown } = team.dependences;
            let dependences = match depend {
                0 => String::new(),
                _ => format!(", {edges} dependences of {depend} tasks, {unknown} not known"),
            };
            format!(
                "team {} {begin}..{end}: {tasks} tasks, work {work}, span {span}, bounds \
                 {least}..{most}{dependences}",
                at(team.at)
            )
        }
        Compound::TaskWait(visit) => {
            let TaskWaitVisit { begin, end, .. } = *visit;
            let cause = visit.cause.map_or("nothing".to_owned(), |cause| {
                let event = match cause.event {
                    TaskEvent::Created(_) => "creation",
                    TaskEvent::Freed(_) => "the task before,",
                    TaskEvent::Done(_) => "end",
                };
                format!("{event} {} {}", cause.time, at(cause.by))
            });
            let kind = match visit.scheduling {
                Scheduling::Barrier(_) => "no task",
                Scheduling::Taskwait => "taskwait",
                Scheduling::TaskgroupEnd => "taskgroup",
            };
            let (all, wait) = (visit.ticks(), visit.wait_ticks());
            format!("{kind} {} {begin}..{end}: {all}, wait {wait} for {cause}", at(visit.at))
        }
        _ => return None,
    })
}

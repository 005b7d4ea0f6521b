//! The calls of one level of a construct: what comes before its directive, first and last in its
//! body, and behind it. Where these places are is for [`super::rewrite`] and its companions.

use super::plan::LevelPlan;
use super::rewrite::Rewriter;
use super::site::Site;
use super::text::{self, Extra};
use crate::Abi;
use crate::directives::{Level, Shape};

/// The construct whose calls are written.
#[derive(Clone, Copy)]
pub(super) struct Target {
    /// Number of its descriptor.
    pub number: u32,
    /// See [`Site::external`].
    pub external: Option<usize>,
    /// Index of the statement of its directive.
    pub opened: usize,
    /// The unit that it is in.
    pub unit: usize,
}

impl Target {
    pub(super) fn new(site: &Site, number: u32) -> Self {
        Self { number, external: site.external, opened: site.opened, unit: site.unit }
    }
}

/// The call that passes the items of a construct's `depend` clauses.
fn items_event(level: Level) -> text::Event {
    match level {
        Level::Task => ("Task", "depend"),
        level => (level.stem(true), "depend_enter"),
    }
}

impl Rewriter<'_> {
    /// In front of the directive.
    pub(super) fn enter(&mut self, to: Target, plan: &LevelPlan) {
        match plan.level {
            _ if !plan.events => {}
            _ if self.names.abi == Abi::Pomp2 => self.enter_pomp2(to, plan),
            Level::Parallel => self.with_id(to, ("Parallel", "fork"), Extra::Out),
            Level::Task => {
                self.with_id(to, ("Task", "create_begin"), Extra::Out);
                self.depend(to, items_event(plan.level));
            }
            Level::Taskloop { .. } => {
                if plan.iterations {
                    let task = self.names.local('t', to.number);
                    self.write_statement(&format!("{task}=0"));
                }
                self.with_id(to, ("Taskloop", "enter"), Extra::Out);
            }
            Level::Loop { .. } => {
                let bounds = self.bounds(to);
                self.call_with(to, ("Do", "enter"), &[Extra::Bounds], &bounds);
            }
            level if level.has_items() && self.names_items(to) => {
                self.depend(to, items_event(level))
            }
            level => match level.shape() {
                Shape::Inside => {}
                Shape::Mark => self.plain(to, level, ""),
                _ => self.plain(to, level, "enter"),
            },
        }
    }

    /// First in the body.
    pub(super) fn begin(&mut self, to: Target, plan: &LevelPlan) {
        self.body_event(to, plan, "begin");
    }

    /// Last in the body.
    pub(super) fn end(&mut self, to: Target, plan: &LevelPlan) {
        let detached = plan.events && self.names.abi == Abi::Pomp;
        let directive = plan.detach.filter(|_| detached);
        match directive.and_then(|directive| self.facts.event(directive)) {
            Some(event) => self.detached(to, &String::from_utf8_lossy(event)),
            None => self.body_event(to, plan, "end"),
        }
    }

    /// The end of the body of a task that is complete when this event is fulfilled, too.
    fn detached(&mut self, to: Target, event: &str) {
        let task = self.names.local('t', to.number);
        let more = format!(",{task},{event}");
        self.call_with(to, ("Task", "detach"), &[Extra::In, Extra::In], &more);
    }

    fn body_event(&mut self, to: Target, plan: &LevelPlan, what: &'static str) {
        match plan.level.shape() {
            _ if !plan.events => {}
            _ if self.names.abi == Abi::Pomp2 => self.body_pomp2(to, plan, what),
            Shape::Forking => self.with_id(to, (plan.level.stem(true), what), Extra::In),
            Shape::Both | Shape::Inside => self.plain(to, plan.level, what),
            _ => {}
        }
    }

    /// Behind the construct.
    pub(super) fn exit(&mut self, to: Target, plan: &LevelPlan) {
        match plan.level {
            _ if !plan.events => {}
            _ if self.names.abi == Abi::Pomp2 => self.exit_pomp2(to, plan),
            Level::Parallel => self.with_id(to, ("Parallel", "join"), Extra::In),
            Level::Task => self.with_id(to, ("Task", "create_end"), Extra::In),
            Level::Taskloop { .. } => self.with_id(to, ("Taskloop", "exit"), Extra::In),
            Level::Taskwait if self.names_items(to) => {
                self.call(to, ("Taskwait", "depend_exit"), &[], &[]);
            }
            level => match level.shape() {
                Shape::Inside | Shape::Mark => {}
                _ => self.plain(to, level, "exit"),
            },
        }
    }

    fn plain(&mut self, to: Target, level: Level, what: &'static str) {
        self.call(to, (level.stem(true), what), &[], &[]);
    }

    /// A call with the id of the team, task or taskloop.
    pub(super) fn with_id(&mut self, to: Target, event: text::Event, extra: Extra) {
        let kind = match event.0 {
            "Parallel" => 'p',
            "Task" => 't',
            _ => 'l',
        };
        self.with_id_of(to, event, extra, kind);
    }

    /// A call with the id that is in the variable of this kind.
    pub(super) fn with_id_of(&mut self, to: Target, event: text::Event, extra: Extra, kind: char) {
        let extras: &[Extra] = if extra == Extra::Out { &[Extra::Out] } else { &[Extra::In] };
        self.call(to, event, extras, &[kind]);
    }
}

//! What is done with each construct: which levels get events, whether a combined directive is
//! split, whether the implicit barrier becomes a measured one, and the descriptors' numbers.

use super::device;
use super::directive::Parsed;
use super::form::Form;
use super::place::Places;
use super::scan::Scan;
use super::site::{Close, Nest, Site};
use crate::clauses::Split;
use crate::directive::Directive;
use crate::directives::{Kind, Level, barrier_stays};
use crate::{
    Abi, BARRIER_INCLUDED, CALLS, Diagnostic, Options, RESULTS_USED, Region, Severity, TIMED, pomp2,
};
use std::rc::Rc;

/// The treatment of one construct.
#[derive(Debug, Clone)]
pub(super) struct Plan {
    /// Number of its descriptor.
    pub number: u32,
    /// Its levels, outermost first.
    pub levels: Vec<LevelPlan>,
    /// How its clauses are distributed, if it has several levels.
    pub split: Option<Split>,
    /// It has several levels and cannot be split: only its outermost events are possible.
    pub whole: bool,
    /// The implicit barrier of its innermost level becomes `nowait` and a measured barrier.
    pub barrier: bool,
    /// Numbers of the descriptors of its sections.
    pub sections: Vec<u32>,
}

/// One level of a construct.
#[derive(Debug, Clone, Copy)]
pub(super) struct LevelPlan {
    /// What it is.
    pub level: Level,
    /// Whether it gets events.
    pub events: bool,
    /// Whether the iterations of its loop do.
    pub iterations: bool,
    /// Whether a word of POMP2 goes from its opening to its closing call.
    pub word: bool,
    /// It is an untied task.
    pub untied: bool,
    /// The directive whose `detach` clause names its event, if it is a detached task.
    pub detach: Option<usize>,
    /// The number of its own descriptor, where it has not that of the construct.
    pub own: Option<u32>,
}

/// The treatment of all constructs.
#[derive(Debug, Default)]
pub(super) struct Plans {
    /// By site; None: it passes through.
    pub plans: Vec<Option<Rc<Plan>>>,
    /// By number, from 1.
    pub regions: Vec<Region>,
    /// What was left alone.
    pub diagnostics: Vec<Diagnostic>,
    /// Constructs that could get events.
    pub found: usize,
    /// Constructs that get them.
    pub instrumented: usize,
    /// Procedures that get events.
    pub functions: usize,
    /// By site: the sites inside whose variables have to be private there.
    pub private: Vec<Vec<usize>>,
    /// See [`device::closes_in_branch`]; found when it is asked for.
    closes_in_branch: Option<bool>,
}

/// Everything that is known about a file.
#[derive(Clone, Copy)]
pub(super) struct Facts<'a> {
    /// The text.
    pub source: &'a [u8],
    /// How it is laid out.
    pub form: Form,
    /// Its statements.
    pub scan: &'a Scan,
    /// Its directives.
    pub parsed: &'a [Rc<Parsed>],
    /// Its constructs.
    pub nest: &'a Nest,
    /// The user's lines.
    pub places: &'a Places,
    /// The caller's wishes.
    pub options: &'a Options,
}

impl<'a> Facts<'a> {
    /// The user's lines of a statement.
    pub fn lines(&self, statement: usize) -> (u32, u32) {
        let statement = self.scan.statements[statement];
        (self.places.line(statement.first), self.places.line(statement.last))
    }

    /// The event of a detached task, as its directive says it in all preprocessor branches.
    pub fn event(self, directive: usize) -> Option<&'a [u8]> {
        let text = &self.scan.directives[directive];
        let clause = self.parsed[directive].directive.clause("detach").filter(|_| !text.has_cpp)?;
        clause.argument.clone().map(|argument| &text.text[argument])
    }
}

/// Plans all constructs.
pub(super) fn plan(facts: Facts) -> Plans {
    let count = facts.nest.sites.len();
    let mut plans = Plans { private: vec![Vec::new(); count], ..Plans::default() };
    plans.plans.reserve(count);
    plans.regions.reserve(count);
    for site in &facts.nest.sites {
        let plan = plans.site(facts, site);
        plans.plans.push(plan.map(Rc::new));
    }
    for &at in &facts.nest.unknown {
        if let super::scan::Kind::Directive(directive) = facts.scan.statements[at].kind {
            let name = &facts.parsed[directive].name;
            let message = format!("`{name}` is not a directive that is known; it is left as it is");
            let (severity, line) = (Severity::Warning, facts.lines(at).0);
            plans.diagnostics.push(Diagnostic { severity, line, message });
        }
    }
    plans
}

impl Plans {
    fn site(&mut self, facts: Facts, site: &Site) -> Option<Plan> {
        let parsed = &facts.parsed[site.directive];
        let Kind::Events(levels) = &parsed.kind else {
            let undecided = parsed.metadirective.is_some_and(|meta| !meta.decided);
            if undecided && left_alone(site).is_none() {
                let reason = "what it becomes is left to the compiler: it has no events of its own";
                self.note(facts, site, Severity::Note, reason);
            }
            return None;
        };
        self.found += 1;
        if let Some(reason) = left_alone(site) {
            let severity = self.severity_of_blocked(facts, site);
            self.note(facts, site, severity, reason);
            return None;
        }
        if let Some(alias) = site.alias {
            self.common_event(facts, site, alias);
            let reason = "only the preprocessed text shows which alternative is compiled";
            self.note(facts, site, Severity::Hidden, reason);
            self.instrumented += usize::from(self.plans[alias].is_some());
            return self.plans[alias]
                .as_deref()
                .map(|plan| Plan { split: None, ..plan.clone() })
                .map(|plan| self.divided(facts, site, levels, plan));
        }
        let mut level_plans: Vec<LevelPlan> =
            levels.iter().map(|level| level_plan(facts, site, *level)).collect();
        if !level_plans.iter().any(|level| level.events) {
            if !levels.iter().all(|level| facts.options.abi.knows(*level)) {
                self.note(facts, site, Severity::Note, pomp2::UNKNOWN);
            }
            return None;
        }
        let variables = level_plans.iter().any(|level| level.kinds().next().is_some());
        if variables && in_metadirective(facts, site) {
            let reason = "what the `metadirective` around it becomes is not known";
            self.note(facts, site, Severity::Note, reason);
            return None;
        }
        self.instrumented += 1;
        let number = self.region(facts, site, parsed);
        if variables {
            self.make_private(facts, site);
        }
        self.own_region(facts, &mut level_plans);
        let sections = self.sections(facts, site, &level_plans, number);
        let barrier = false;
        let plan =
            Plan { number, levels: level_plans, split: None, whole: false, barrier, sections };
        let plan = self.divided(facts, site, levels, plan);
        self.tell(facts, site, &plan);
        Some(plan)
    }

    /// Alternatives of a task have one end in common, which can only tell an event that is theirs
    /// in common, too.
    fn common_event(&mut self, facts: Facts, site: &Site, alias: usize) {
        let directives = [site.directive, facts.nest.sites[alias].directive];
        let [event, of_alias] = directives.map(|directive| facts.event(directive));
        if event != of_alias
            && let Some(plan) = &mut self.plans[alias]
        {
            Rc::make_mut(plan).levels.iter_mut().for_each(|level| level.detach = None);
        }
    }

    /// POMP2 has no handle for a `master` that is combined with a parallel region.
    fn own_region(&mut self, facts: Facts, levels: &mut [LevelPlan]) {
        if facts.options.abi == Abi::Pomp || levels.len() < 2 {
            return;
        }
        for level in levels.iter_mut().filter(|level| level.level == Level::Master && level.events)
        {
            let whole = self.regions.last().cloned();
            level.own = whole.map(|whole| self.push(Region { name: "master".to_owned(), ..whole }));
        }
    }

    /// Our own words for the descriptor.
    fn tell(&mut self, facts: Facts, site: &Site, plan: &Plan) {
        let parsed = &facts.parsed[site.directive];
        let text = &facts.scan.directives[site.directive].text;
        let ended = end_directive(facts, site);
        let nowait = |directive: &Directive| directive.has("nowait");
        let hides = |level: &LevelPlan| {
            (level.level.has_barrier() && !plan.barrier)
                || level.level.hides_barrier(text, &parsed.directive)
        };
        let region = &mut self.regions[plan.number as usize - 1];
        if ended.is_some_and(nowait) {
            region.add_clause("nowait");
        }
        let events = plan.levels.iter().any(|level| level.events && hides(level));
        if events && !nowait(&parsed.directive) && !ended.is_some_and(nowait) {
            region.add_clause(BARRIER_INCLUDED);
        }
        let waits = !nowait(&parsed.directive) && !ended.is_some_and(nowait);
        let are_shared = plan.levels.iter().all(|level| level.level.has_barrier());
        if waits && are_shared && facts.results_are_used(site) {
            region.add_clause(RESULTS_USED);
        }
        let counted = [Level::Atomic, Level::Flush];
        let timed = |level: &LevelPlan| {
            counted.contains(&level.level)
                && level.level.switch().is_some_and(|name| facts.options.enabled.contains(name))
        };
        if plan.levels.iter().any(timed) {
            region.add_clause(TIMED);
        }
        if plan.levels.iter().any(|level| level.level == Level::Atomic) && facts.calls(site) {
            region.add_clause(CALLS);
        }
    }

    /// Decides about splitting and about the barrier.
    fn divided(&mut self, facts: Facts, site: &Site, levels: &[Level], mut plan: Plan) -> Plan {
        let text = &facts.scan.directives[site.directive];
        let parsed = &facts.parsed[site.directive];
        let kept_whole = parsed.kept_whole();
        if levels.len() > 1 || kept_whole.is_some() {
            let result = if let Some(reason) = kept_whole {
                Err(reason)
            } else if text.has_cpp {
                Err("preprocessor lines inside of the directive")
            } else {
                parsed.split(&text.text)
            };
            match result {
                Ok(split) => plan.split = Some(split.clone()),
                Err(reason) => {
                    let what = match (levels[0], levels.last()) {
                        (Level::Parallel, Some(Level::Sections)) => {
                            "only the parallel region and each section are measured"
                        }
                        (Level::Parallel, _) => "only the parallel region is measured",
                        _ => "it is not measured",
                    };
                    self.note(facts, site, Severity::Warning, &format!("{what}: {reason}"));
                    plan.whole = true;
                    for level in &mut plan.levels[1..] {
                        level.iterations = false;
                        // The sections need what they are in: the thread that forks enters it.
                        level.events &= level.level == Level::Sections;
                    }
                }
            }
        }
        plan.barrier = !plan.whole && barrier(facts, site, &plan);
        for level in &mut plan.levels {
            level.word &= plan.barrier || !level.level.has_barrier();
        }
        plan
    }

    /// The variable of a team or task is declared in the procedure. Constructs around it with
    /// variables of their own must have it private, or their threads would share it; to say so is
    /// right under any `default`.
    fn make_private(&mut self, facts: Facts, site: &Site) {
        let id = self.plans.len();
        for parent in parents(facts, site) {
            if has_variables(&facts.parsed[facts.nest.sites[parent].directive].name) {
                self.private[parent].push(id);
            }
        }
    }

    fn region(&mut self, facts: Facts, site: &Site, parsed: &Parsed) -> u32 {
        let begin = facts.lines(site.opened);
        let end = match site.close {
            Close::Directive(at) | Close::After(at) => facts.lines(at),
            _ => begin,
        };
        let mut region = Region::new(parsed.name.as_str(), begin, end);
        if parsed.levels() == [Level::Critical]
            && let Some(argument) = parsed.directive.argument.clone()
        {
            let text = &facts.scan.directives[site.directive].text[argument];
            region.sub_name = String::from_utf8_lossy(text).trim().to_owned();
        }
        let text = &facts.scan.directives[site.directive].text;
        let function = &facts.nest.units[site.unit].path;
        region.describe(function, parsed.description(text), facts.options.abi);
        region.sections = site.sections.len() as u32;
        let first = facts.scan.statements[site.opened].first;
        region.file = facts.places.other_file(first).map(str::to_owned);
        self.push(region)
    }

    /// Adds a descriptor and returns its number.
    pub fn push(&mut self, region: Region) -> u32 {
        self.regions.push(region);
        self.regions.len() as u32
    }

    /// The numbers of the sections' descriptors: in POMP2 that of their construct.
    fn sections(
        &mut self,
        facts: Facts,
        site: &Site,
        levels: &[LevelPlan],
        construct: u32,
    ) -> Vec<u32> {
        if !levels.iter().any(|level| level.level == Level::Sections && level.events) {
            return Vec::new();
        }
        if facts.options.abi == Abi::Pomp2 {
            return vec![construct; site.sections.len()];
        }
        let mut numbers = Vec::new();
        for section in &site.sections {
            let begin = facts.lines(section.opened);
            // The last line of the body: there is no END.
            let last = facts.places.line(facts.scan.statements[section.closed].first - 1);
            let last = last.max(begin.1);
            let mut region = Region::new("section", begin, (last, last));
            region.describe(&facts.nest.units[site.unit].path, "", facts.options.abi);
            let first = facts.scan.statements[section.opened].first;
            region.file = facts.places.other_file(first).map(str::to_owned);
            numbers.push(self.push(region));
        }
        numbers
    }

    /// Whether the preprocessed text may show events of a construct that is left alone here.
    fn severity_of_blocked(&mut self, facts: Facts, site: &Site) -> Severity {
        let in_branch = || device::closes_in_branch(facts.scan, facts.parsed);
        let hidden = site.blocked.is_some()
            && !facts.options.preprocessed
            && *self.closes_in_branch.get_or_insert_with(in_branch);
        if hidden { Severity::Hidden } else { Severity::Note }
    }

    fn note(&mut self, facts: Facts, site: &Site, severity: Severity, reason: &str) {
        let name = &facts.parsed[site.directive].name;
        let line = facts.lines(site.opened).0;
        let message = format!("`{name}`: {reason}");
        self.diagnostics.push(Diagnostic { severity, line, message });
    }
}

fn left_alone(site: &Site) -> Option<&'static str> {
    if let Some(reason) = site.blocked {
        return Some(reason);
    }
    (site.close == Close::Nowhere).then_some("its loop ends with the statement of an outer loop")
}

/// The constructs around one, innermost first.
fn parents<'a>(facts: Facts<'a>, site: &Site) -> impl Iterator<Item = usize> + use<'a> {
    std::iter::successors(site.parent, move |at| facts.nest.sites[*at].parent)
}

/// Whether a directive around a construct may become one whose threads or tasks would need their
/// own copies of a variable: it cannot be told so.
fn in_metadirective(facts: Facts, site: &Site) -> bool {
    parents(facts, site)
        .any(|at| facts.parsed[facts.nest.sites[at].directive].name == "metadirective")
}

/// Whether a construct has a data environment. (Worksharing constructs use that of their region.)
fn has_variables(name: &str) -> bool {
    name.split(' ').any(|word| matches!(word, "parallel" | "task" | "taskloop" | "teams"))
}

impl LevelPlan {
    /// Its words in a directive, given those of the construct.
    pub fn words<'a>(&self, name: &'a str) -> &'a str {
        match self.level {
            Level::Parallel => "parallel",
            Level::Master => "master",
            Level::Masked => "masked",
            _ => {
                let outer = ["parallel ", "master ", "masked "];
                outer.iter().fold(name, |name, word| name.strip_prefix(word).unwrap_or(name))
            }
        }
    }
}

/// The END directive of a construct, if it has one.
fn end_directive<'a>(facts: Facts<'a>, site: &Site) -> Option<&'a Directive> {
    let Close::Directive(at) = site.close else { return None };
    match facts.scan.statements[at].kind {
        super::scan::Kind::Directive(end) => Some(&facts.parsed[end].directive),
        _ => None,
    }
}

/// Which events one level of a construct gets.
fn level_plan(facts: Facts, site: &Site, level: Level) -> LevelPlan {
    let options = facts.options;
    let events = !level.switch().is_some_and(|name| options.disabled.contains(name))
        && options.abi.knows(level);
    let pomp2 = options.abi == Abi::Pomp2;
    let wanted = matches!(level, Level::Taskloop { .. }) || options.loop_chunks && !pomp2;
    let body = site.body.as_ref().is_some_and(|body| body.ended);
    let parsed = &facts.parsed[site.directive];
    let open = || parsed.allows_calls_inside(&facts.scan.directives[site.directive].text);
    let iterations = events && level.iterates() && wanted && body && open();
    let waits = matches!(level, Level::Barrier | Level::Task | Level::Taskwait);
    let word = pomp2 && (waits || level.has_barrier());
    let untied = parsed.directive.has("untied");
    let detached = level == Level::Task && facts.event(site.directive).is_some();
    let detach = detached.then_some(site.directive);
    LevelPlan { level, events, iterations, word, untied, detach, own: None }
}

/// Whether the barrier at the end of a worksharing construct can be made explicit.
fn barrier(facts: Facts, site: &Site, plan: &Plan) -> bool {
    let Some(inner) = plan.levels.last() else { return false };
    let text = &facts.scan.directives[site.directive].text;
    let Parsed { directive, metadirective, .. } = &*facts.parsed[site.directive];
    let stays = |end: &Directive| end.has("nowait") || end.has("copyprivate");
    inner.level.has_barrier()
        && inner.events
        && !site.cancelled
        && metadirective.is_none()
        && !end_directive(facts, site).is_some_and(stays)
        && barrier_stays(text, directive).is_none()
}

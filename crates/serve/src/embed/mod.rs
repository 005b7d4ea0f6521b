//! The timeline of the offline page: answers of this server, asked once and packed. The page has
//! pictures of the whole run, and of the worst moments as many as fit into its budget, with the
//! lines, tasks and curves of these moments. What is finer needs the server.

mod facts;
mod moments;
mod pack;

use std::sync::Arc;

use pompeii_report::packed;
use serde_json::{Value, json};

use crate::routes::answer_of;
use crate::session::Session;

/// Columns of innermost regions: about one for each pixel of a large screen; fewer if they do not
/// fit.
const FLAT_COLUMNS: [u64; 4] = [4096, 2000, 1000, 250];
/// Columns of call stacks at most; fewer if they do not fit.
const STACK_COLUMNS: [u64; 4] = [2000, 1000, 500, 250];
/// Columns of a moment; fewer if a page would have too few moments.
const MOMENT_COLUMNS: [u64; 4] = [1200, 600, 300, 150];
/// A page has this number of moments, if the trace has them and there is room at all.
const MOMENTS_WANTED: usize = 5;
/// Rows in one question.
const ROWS: u64 = 1024;
/// Levels of call stacks.
const LEVELS: u64 = 24;
/// Locations with sums of their own.
const SUMS_MAX: u64 = 512;
/// The parts of what is left that the whole run may take, in percent: innermost regions, call
/// stacks, curves. The rest is for moments.
const FLAT_PERCENT: usize = 45;
const STACKS_PERCENT: usize = 50;
const CURVES_PERCENT: usize = 5;
/// The part of a moment that its curves may take, in percent.
const MOMENT_CURVES_PERCENT: usize = 20;

/// By how much the text may become longer when it says what the moments have.
const TOLD_BYTES: usize = 64;

/// Begin and end, since the begin of the trace.
type Window = (u64, u64);

/// The timeline of a session as JSON for the page, in at most `budget` bytes; `None` if there is no
/// trace, or it cannot be indexed, or even the smallest timeline is larger. Waits until the index
/// is there.
pub fn embedded(session: &Arc<Session>, budget: usize) -> Option<String> {
    session.clone().start()?.join().ok()?;
    session.index().ok()?;
    let mut embedding = Embedding::new(session)?;
    embedding.left = budget.checked_sub(embedding.text().len() + TOLD_BYTES)?;
    let whole = (0, embedding.open["length"].as_u64()?.max(1));
    if !embedding.take_run(whole) {
        return None;
    }
    let instances = embedding.instances.as_array().cloned().unwrap_or_default();
    let mut missing = MOMENTS_WANTED;
    for window in moments::windows(&instances, whole.1) {
        let share = embedding.left / missing.max(1);
        if embedding.take_moment(window, share) {
            missing = missing.saturating_sub(1);
        }
    }
    embedding.tell();
    Some(embedding.text())
}

/// Bytes of pictures, with what is between them.
fn size(pictures: &[String]) -> usize {
    pictures.iter().map(|picture| picture.len() + 3).sum()
}

/// What is put together.
struct Embedding<'a> {
    session: &'a Session,
    open: Value,
    instances: Value,
    /// Sums of the whole run: location, region, ticks, visits.
    sums: Vec<[u64; 4]>,
    pictures: Vec<String>,
    /// Lines, tasks and curves by window.
    moments: Vec<Value>,
    /// Bytes that are left.
    left: usize,
}

impl<'a> Embedding<'a> {
    fn new(session: &'a Session) -> Option<Embedding<'a>> {
        let ask = |name| answer_of(session, name, "").ok().and_then(|reply| reply.to_json());
        let mut open = ask("open")?;
        let instances = ask("instances").filter(Value::is_array).unwrap_or(json!([]));
        open["files"] = json!([]);
        let has = open.get_mut("has")?.as_object_mut()?;
        // What the page cannot be asked for; the moments tell more.
        for name in ["messages", "tasks", "locks", "collectives", "curves"] {
            has.insert(name.to_owned(), json!(false));
        }
        has.insert("counters".to_owned(), json!([]));
        let has_instances = instances.as_array().is_some_and(|all| !all.is_empty());
        has.insert("analysis".to_owned(), json!(has_instances));
        let (sums, pictures, moments) = (Vec::new(), Vec::new(), Vec::new());
        let mut this = Embedding { session, open, instances, sums, pictures, moments, left: 0 };
        this.add_sums();
        Some(this)
    }

    /// What is known of the whole trace is packed if it is long: it names all regions.
    fn text(&self) -> String {
        let Embedding { open, instances, sums, pictures, moments, .. } = self;
        let known = json!({ "open": open, "instances": instances, "sums": sums });
        let mut whole = match packed(&known.to_string()) {
            Some(letters) => json!({ "known": letters }),
            None => known,
        };
        whole["pictures"] = json!(pictures);
        whole["moments"] = json!(moments);
        whole.to_string()
    }

    /// Adds the whole run; false if not even its innermost regions fit.
    fn take_run(&mut self, whole: Window) -> bool {
        let limit = self.left / 100 * FLAT_PERCENT;
        let mut flat = None;
        for columns in FLAT_COLUMNS {
            flat = self.flat_rows(whole, columns);
            if flat.as_ref().is_some_and(|pictures| size(pictures) <= limit) {
                break;
            }
        }
        if !flat.is_some_and(|flat| self.take(flat, None, self.left)) {
            return false;
        }
        let limit = self.left / 100 * CURVES_PERCENT;
        let curves = facts::of_run(self.session, whole, self.count("processes"), limit);
        self.take(Vec::new(), Some(curves), limit);
        let limit = self.left / 100 * STACKS_PERCENT;
        let fits = STACK_COLUMNS
            .iter()
            .find_map(|columns| self.stack_rows(whole, *columns).filter(|it| size(it) <= limit));
        self.take(fits.unwrap_or_default(), None, limit);
        true
    }

    /// Adds a moment in at most this number of bytes: with fewer columns, or without facts or call
    /// stacks, if it has to be.
    fn take_moment(&mut self, window: Window, limit: usize) -> bool {
        let of_curves = limit / 100 * MOMENT_CURVES_PERCENT;
        let facts = facts::of_moment(self.session, window, self.count("processes"), of_curves);
        let mut last = (Vec::new(), Vec::new());
        for columns in MOMENT_COLUMNS {
            let Some(flat) = self.flat_rows(window, columns) else { return false };
            let stacks = self.stack_rows(window, columns).unwrap_or_default();
            let all = flat.iter().chain(&stacks).cloned().collect();
            if self.take(all, Some(facts.clone()), limit) {
                return true;
            }
            last = (flat, stacks);
        }
        let (flat, stacks) = last;
        let all = flat.iter().chain(&stacks).cloned().collect();
        self.take(all, None, limit) || self.take(flat, None, limit)
    }

    /// Adds pictures, and what belongs to them, if all of it fits into `limit` bytes.
    fn take(&mut self, pictures: Vec<String>, facts: Option<Value>, limit: usize) -> bool {
        let more = facts.as_ref().map_or(0, |facts| facts.to_string().len() + 1);
        let needed = size(&pictures) + more;
        let fits = needed <= limit.min(self.left);
        if fits {
            self.left -= needed;
            self.pictures.extend(pictures);
            self.moments.extend(facts);
        }
        fits
    }

    /// Says what the page can be asked for in its moments.
    fn tell(&mut self) {
        let any = |is: &dyn Fn(&Value) -> bool| self.moments.iter().any(is);
        let links = |kind: &'static str| any(&|it| facts::has_links(it, kind));
        let curves = |it: &Value| it["curves"].as_object().is_some_and(|all| !all.is_empty());
        let told = [
            ("messages", links("message")),
            ("collectives", links("collective")),
            ("locks", links("lock")),
            ("tasks", any(&facts::has_tasks)),
            ("curves", any(&curves)),
        ];
        if let Some(has) = self.open.get_mut("has").and_then(Value::as_object_mut) {
            told.into_iter().for_each(|(name, is)| drop(has.insert(name.to_owned(), json!(is))));
        }
    }

    fn count(&self, what: &str) -> u64 {
        self.open[what].as_array().map_or(0, |all| all.len() as u64)
    }

    fn levels(&self, location: u64) -> u64 {
        self.open["locations"][location as usize]["stack_levels"].as_u64().unwrap_or(0).min(LEVELS)
    }

    fn add_sums(&mut self) {
        let length = self.open["length"].as_u64().unwrap_or(0);
        for location in 0..self.count("locations").min(SUMS_MAX) {
            let words = format!("locs={location}&t0=0&t1={}&by=region", length.max(1));
            let reply = answer_of(self.session, "sums", &words).ok();
            let Some(sums) = reply.and_then(|reply| reply.to_json()) else { continue };
            for row in sums["rows"].as_array().into_iter().flatten() {
                let number = |name: &str| row[name].as_u64().unwrap_or(0);
                self.sums.push([location, number("key"), number("ticks"), number("visits")]);
            }
        }
    }

    /// A packed picture of some rows.
    fn picture(&self, rows: &str, (t0, t1): Window, columns: u64) -> Option<String> {
        let words = format!("rows={rows}&t0={t0}&t1={t1}&px={columns}");
        pack::picture(answer_of(self.session, "picture", &words).ok()?.content())
    }

    /// Innermost regions of all locations, and the rows of processes if there are several.
    fn flat_rows(&self, window: Window, columns: u64) -> Option<Vec<String>> {
        let processes = self.count("processes");
        let kinds =
            [("f", self.count("locations")), ("p", if processes > 1 { processes } else { 0 })];
        let mut pictures = Vec::new();
        for (kind, count) in kinds {
            for first in (0..count).step_by(ROWS as usize) {
                let rows = format!("{kind}{first}-{}", count.min(first + ROWS) - 1);
                pictures.push(self.picture(&rows, window, columns)?);
            }
        }
        Some(pictures)
    }

    /// The call stacks of all locations.
    fn stack_rows(&self, window: Window, columns: u64) -> Option<Vec<String>> {
        let all: Vec<u64> =
            (0..self.count("locations")).filter(|location| self.levels(*location) > 0).collect();
        let each = ROWS / LEVELS;
        let groups = all.chunks(each as usize).map(|group| {
            let rows = group.iter().map(|it| format!("s{it}.0-{}", self.levels(*it) - 1));
            self.picture(&rows.collect::<Vec<_>>().join(","), window, columns)
        });
        groups.collect()
    }
}

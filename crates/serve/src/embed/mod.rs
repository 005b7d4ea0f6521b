//! The timeline of the offline page: answers of this server, asked once and packed. The page has
//! pictures of the whole run, and of the worst moments as many as fit into its budget. What is
//! finer needs the server.

mod pack;

use std::sync::Arc;

use serde_json::{Value, json};

use crate::routes::answer_of;
use crate::session::Session;

/// Columns of innermost regions: about one for each pixel of a large screen.
const FLAT_COLUMNS: u64 = 4096;
/// Columns of call stacks at most; fewer if they do not fit.
const STACK_COLUMNS: [u64; 4] = [2000, 1000, 500, 250];
/// Columns of a moment.
const MOMENT_COLUMNS: u64 = 1200;
/// Rows in one question.
const ROWS: u64 = 1024;
/// Levels of call stacks.
const LEVELS: u64 = 24;
/// Locations with sums of their own.
const SUMS_MAX: u64 = 512;
/// The part of the budget that call stacks may take, in percent; the rest is for moments.
const STACKS_PERCENT: usize = 60;

/// Begin and end, since the begin of the trace.
type Window = (u64, u64);

/// The timeline of a session as JSON for the page, in at most `budget` bytes; `None` if there is no
/// trace, or it cannot be indexed, or even the smallest timeline is larger. Waits until the index
/// is there.
pub fn embedded(session: &Arc<Session>, budget: usize) -> Option<String> {
    session.clone().start()?.join().ok()?;
    session.index().ok()?;
    let mut embedding = Embedding::new(session)?;
    embedding.left = budget.checked_sub(embedding.text().len())?;
    let whole = (0, embedding.open["length"].as_u64()?.max(1));
    let flat = embedding.flat_rows(whole, FLAT_COLUMNS)?;
    if !embedding.take(flat) {
        return None;
    }
    let limit = embedding.left / 100 * STACKS_PERCENT;
    let stacks = STACK_COLUMNS.iter().find_map(|columns| {
        embedding.stack_rows(whole, *columns).filter(|pictures| size(pictures) <= limit)
    });
    embedding.take(stacks.unwrap_or_default());
    for window in embedding.moments() {
        let flat = embedding.flat_rows(window, MOMENT_COLUMNS);
        let stacks = embedding.stack_rows(window, MOMENT_COLUMNS);
        let pictures = flat.into_iter().chain(stacks).flatten().collect();
        embedding.take(pictures);
    }
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
    /// Bytes that are left.
    left: usize,
}

impl<'a> Embedding<'a> {
    fn new(session: &'a Session) -> Option<Embedding<'a>> {
        let ask = |name| answer_of(session, name, "").ok().and_then(|reply| reply.to_json());
        let mut open = ask("open")?;
        let instances = ask("instances").filter(Value::is_array).unwrap_or(json!([]));
        let has = open.get_mut("has")?.as_object_mut()?;
        // What the page cannot be asked for.
        for name in ["messages", "tasks", "locks", "collectives"] {
            has.insert(name.to_owned(), json!(false));
        }
        has.insert("counters".to_owned(), json!([]));
        let has_instances = instances.as_array().is_some_and(|all| !all.is_empty());
        has.insert("analysis".to_owned(), json!(has_instances));
        let (sums, pictures) = (Vec::new(), Vec::new());
        let mut this = Embedding { session, open, instances, sums, pictures, left: 0 };
        this.add_sums();
        Some(this)
    }

    fn text(&self) -> String {
        let Embedding { open, instances, sums, pictures, .. } = self;
        let whole = json!({
            "open": open, "instances": instances, "sums": sums, "pictures": pictures
        });
        whole.to_string()
    }

    /// Adds pictures if they fit, all of them or none.
    fn take(&mut self, pictures: Vec<String>) -> bool {
        let fits = size(&pictures) <= self.left;
        if fits {
            self.left -= size(&pictures);
            self.pictures.extend(pictures);
        }
        fits
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

    /// The windows of the worst moments, the worst one first: each with a tenth on both sides.
    fn moments(&self) -> Vec<Window> {
        let length = self.open["length"].as_u64().unwrap_or(0);
        let window = |instance: &Value| {
            let (start, end) = (instance["start"].as_u64()?, instance["end"].as_u64()?);
            let room = (end.saturating_sub(start) / 10).max(1);
            let end = end.saturating_add(room).min(length);
            Some((start.saturating_sub(room).min(end.saturating_sub(1)), end))
        };
        let instances = self.instances.as_array();
        instances.into_iter().flatten().filter_map(window).filter(|(t0, t1)| t0 < t1).collect()
    }
}

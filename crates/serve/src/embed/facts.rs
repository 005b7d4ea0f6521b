//! What a page has of a window besides pictures: lines between threads, tasks, curves of processes.
//! They are answers of the server as they are, so that the page reads both in the same way.

use serde_json::{Map, Value, json};

use super::Window;
use crate::routes::answer_of;
use crate::session::Session;

/// Lines and tasks of a moment; more than that cannot be told apart.
const MOST: u64 = 400;
/// Columns of curves; fewer if they do not fit.
const COLUMNS: [u64; 3] = [250, 120, 60];
/// Columns of gaps: shorter ones are left out.
const GAP_COLUMNS: [u64; 3] = [1200, 300, 60];
/// Processes with curves.
const PROCESSES_MAX: u64 = 8;
const CURVES: [&str; 4] = ["ready", "running", "waiting", "idle"];
const KINDS: [&str; 4] = ["message", "collective", "lock", "task"];

/// Lines, tasks, gaps and curves of a window, gaps and curves in at most `limit` bytes.
pub fn of_moment(session: &Session, window: Window, processes: u64, limit: usize) -> Value {
    let (t0, t1) = window;
    let words = format!("t0={t0}&t1={t1}&max={MOST}");
    let links = ask(session, "links", &format!("kinds={}&{words}", KINDS.join(",")));
    let tasks = ask(session, "tasks", &words);
    let (gaps, curves) = gaps_and_curves(session, window, processes, limit);
    json!({
        "window": [t0, t1], "links": links, "tasks": tasks, "gaps": gaps, "curves": curves
    })
}

/// Gaps and curves of a window, which may be the whole run, in at most `limit` bytes.
pub fn of_run(session: &Session, window: Window, processes: u64, limit: usize) -> Value {
    let (gaps, curves) = gaps_and_curves(session, window, processes, limit);
    json!({ "window": [window.0, window.1], "gaps": gaps, "curves": curves })
}

/// The gaps with as many columns as fit into half of `limit`, and curves in the rest of it.
fn gaps_and_curves(
    session: &Session,
    window: Window,
    processes: u64,
    limit: usize,
) -> (Option<Value>, Value) {
    let of = |columns: u64| {
        ask(session, "gaps", &format!("t0={}&t1={}&px={columns}", window.0, window.1))
    };
    let length = |gaps: &Value| gaps.to_string().len();
    let fits = |gaps: &Value| length(gaps) <= limit / 2;
    let gaps = GAP_COLUMNS.into_iter().filter_map(of).find(fits);
    let left = limit.saturating_sub(gaps.as_ref().map_or(0, length));
    (gaps, fitting_curves(session, window, processes, left))
}

/// The curves with as many columns as fit; none if even the fewest do not.
fn fitting_curves(session: &Session, window: Window, processes: u64, limit: usize) -> Value {
    let of = |columns: &u64| curves(session, window, processes, *columns);
    let fits = |curves: &Value| curves.to_string().len() <= limit;
    COLUMNS.iter().map(of).find(fits).unwrap_or_else(|| json!({}))
}

/// The curves by name and process: `ready.0`. None if there are many processes.
fn curves(session: &Session, (t0, t1): Window, processes: u64, columns: u64) -> Value {
    let mut curves = Map::new();
    for process in (0..processes).filter(|_| processes <= PROCESSES_MAX) {
        for which in CURVES {
            let words = format!("which={which}&process={process}&t0={t0}&t1={t1}&px={columns}");
            if let Some(curve) = ask(session, "curves", &words) {
                curves.insert(format!("{which}.{process}"), curve);
            }
        }
    }
    Value::Object(curves)
}

/// Whether a moment has lines of a kind.
pub fn has_links(moment: &Value, kind: &str) -> bool {
    let links = moment["links"]["links"].as_array();
    links.into_iter().flatten().any(|link| link[0] == kind)
}

/// Whether a moment has tasks.
pub fn has_tasks(moment: &Value) -> bool {
    moment["tasks"]["fragments"].as_array().is_some_and(|all| !all.is_empty())
}

fn ask(session: &Session, name: &str, words: &str) -> Option<Value> {
    answer_of(session, name, words).ok().and_then(|reply| reply.to_json())
}

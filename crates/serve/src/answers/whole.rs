//! What is sent as it is: the report, the data of the trees, the most severe instances.

use crate::reply::{JSON, Refused, Reply};
use crate::session::Session;

/// The report, as `pompeii report --json` prints it.
pub fn report(session: &Session) -> Result<Reply, Refused> {
    text(session.report())
}

/// The data of the trees, as the offline page has it.
pub fn cube(session: &Session) -> Result<Reply, Refused> {
    text(session.cube())
}

/// The begin of the overview; `null` if the data of the trees are there as soon, or there are none.
pub fn first(session: &Session) -> Reply {
    Reply::new(JSON, session.first().unwrap_or("null").to_owned())
}

/// The most severe instances of waiting; none without an analysis.
pub fn instances(session: &Session) -> Result<Reply, Refused> {
    Ok(Reply::json(&session.instances()))
}

fn text(text: Option<&str>) -> Result<Reply, Refused> {
    let none = || Refused::Missing("there is a trace only, and no report".to_owned());
    Ok(Reply::new(JSON, text.ok_or_else(none)?.to_owned()))
}

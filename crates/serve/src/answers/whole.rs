//! What is sent as it is: the report and the data of the trees.

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

fn text(text: Option<&str>) -> Result<Reply, Refused> {
    let none = || Refused::Missing("there is a trace only, and no report".to_owned());
    Ok(Reply::new(JSON, text.ok_or_else(none)?.to_owned()))
}

//! Parameters: call paths split by a value of the program's, as Score-P does it.
//!
//! A parameter that gets a value is a node below the region that is open, named `name=value`, and
//! what follows is below that node until the region ends; a value that it gets again in the same
//! visit takes the place of the last one. The value is a region of its own, defined once per
//! process ([`interned`]). Each location has a table of those that it has met ([`known`]).

pub mod interned;
pub mod known;

use pompeii_live::{Key, NodeOffset, encode};

use crate::location::Location;
use crate::team;

use known::Known;
pub use known::{Value, text};

/// The parameter has this value at `now`, until the region that is open ends or it gets another.
pub fn set(thread: &mut Location, name: &[u8], value: Value, now: u64) {
    if thread.is_passing() {
        return;
    }
    if thread.gate != 0 {
        thread.flush_gate(now);
    }
    team::leave_joined(thread);
    let now = thread.account(now);
    let process = thread.process;
    let place = thread.parameters.find(process, name, value.kind());
    let parameter = &mut thread.parameters.0[place];
    let (id, known) = (parameter.id, parameter.value(process, value));
    end_last_value(thread, id, now);
    let node = find_node(thread, known);
    if node == 0 {
        return;
    }
    if let Some(known) = thread.parameters.0[place].known(value) {
        known.node = node;
    }
    thread.node(node).visits += 1;
    thread.header.current = node;
    if thread.tracing {
        thread.event(now, |room, last| match value {
            Value::Int(value) => encode::parameter_int(room, last, now, id, value),
            Value::Unsigned(value) => encode::parameter_unsigned_int(room, last, now, id, value),
            Value::Text(_) => encode::parameter_string(room, last, now, id, known.text),
        });
    }
}

fn find_node(thread: &mut Location, known: Known) -> NodeOffset {
    let at = thread.header.current;
    if known.node != 0 && thread.node(known.node).parent == at {
        return known.node;
    }
    thread.child(at, known.key)
}

/// Leaves the value that the parameter has had in this visit of the region around, and what was set
/// after it.
fn end_last_value(thread: &mut Location, parameter: u32, now: u64) {
    let mut at = thread.header.current;
    while let Key::Parameter { parameter: of, .. } = Key::decode(thread.node(at).key) {
        let around = thread.node(at).parent;
        if of == parameter {
            return thread.unwind_to_node(around, now);
        }
        at = around;
    }
}

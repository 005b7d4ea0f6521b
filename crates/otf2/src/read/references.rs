//! Whether the global definitions refer to each other as the format has it: to ids that stand in
//! front of them in the file. So a circle cannot be, and a reader needs one pass. Readers of this
//! crate find definitions by their ids and need no order; other tools refuse such archives.

use std::collections::HashSet;

use super::archive::{Archive, own_id};
use crate::definition::Definition;
use crate::error::{Error, Malformed};
use crate::field::FieldValue;

/// Kind and id of a definition.
type Id = (&'static str, u64);

/// A reference to what has not been defined yet.
struct Pending {
    offset: u64,
    record: &'static str,
    field: &'static str,
    to: Id,
}

impl Archive {
    /// What is wrong with the references of the global definitions: those to ids that are defined
    /// later, or by the definition itself, or never; and ids that are defined twice, of which the
    /// first counts. In the order of the file, which is read again for that.
    pub fn reference_flaws(&self) -> Vec<Error> {
        let path = self.global_path();
        let mut reader = self.global_definitions();
        let (mut defined, mut pending, mut twice) = (HashSet::new(), Vec::new(), Vec::new());
        while let Some(definition) = reader.next() {
            // What cannot be read was told when the archive was opened.
            let Ok(definition) = definition else { continue };
            let (offset, record, own) = (reader.offset(), definition.name(), own_id(&definition));
            for (field, to) in references(&definition, own) {
                if !defined.contains(&to) {
                    pending.push(Pending { offset, record, field, to });
                }
            }
            if let Some(own) = own
                && !defined.insert(own)
            {
                twice.push((offset, record, own));
            }
        }
        let flaw = |offset, record, field, expected, (_, found): Id| {
            let (file, found) = (path.clone(), Some(found));
            Malformed { file, offset, record, field, expected, found }
        };
        let twice = twice.into_iter().map(|(offset, record, own)| {
            flaw(offset, record, "", "an id that is not defined in front of it", own)
        });
        let pending = pending.into_iter().map(|Pending { offset, record, field, to }| {
            let expected = match defined.contains(&to) {
                true => "the id of a definition in front of it",
                false => "the id of a definition",
            };
            flaw(offset, record, field, expected, to)
        });
        let mut flaws: Vec<Malformed> = twice.chain(pending).collect();
        flaws.sort_by_key(|flaw| flaw.offset);
        flaws.into_iter().map(|flaw| Error::Malformed(Box::new(flaw))).collect()
    }
}

/// The fields of a definition that refer to others, and what to; without its own id.
fn references(definition: &Definition, own: Option<Id>) -> Vec<(&'static str, Id)> {
    let mut found = Vec::new();
    let mut is_own = own.is_some();
    definition.fields(&mut |field, value| {
        if !std::mem::take(&mut is_own) {
            collect(field, &value, &mut found);
        }
    });
    found
}

fn collect(field: &'static str, value: &FieldValue<'_>, found: &mut Vec<(&'static str, Id)>) {
    match value {
        FieldValue::Reference { to, id: Some(id) } => found.push((field, (*to, *id))),
        FieldValue::Typed { value, .. } => collect(field, value, found),
        FieldValue::List(values) | FieldValue::Group(values) => {
            values.iter().for_each(|value| collect(field, value, found));
        }
        _ => {}
    }
}

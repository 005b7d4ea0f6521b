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

/// What is wrong with a definition.
struct ReferenceFlaw {
    /// Which definition, from 0, in the order of the file.
    number: usize,
    field: &'static str,
    expected: &'static str,
    found: Id,
}

impl Archive {
    /// What is wrong with the references of the global definitions: those to ids that are defined
    /// later, or by the definition itself, or never; and ids that are defined twice, of which the
    /// first counts. In the order of the file, which is read again if anything is wrong, since only
    /// it says where.
    pub fn reference_flaws(&self) -> Vec<Error> {
        let mut flaws = flaws(self.definitions()).into_iter().peekable();
        let (mut reader, mut number, mut errors) = (self.global_definitions(), 0, Vec::new());
        while flaws.peek().is_some()
            && let Some(definition) = reader.next()
        {
            // What cannot be read was told when the archive was opened.
            let Ok(definition) = definition else { continue };
            while let Some(flaw) = flaws.next_if(|flaw| flaw.number == number) {
                errors.push(Error::Malformed(Box::new(Malformed {
                    file: self.global_path(),
                    offset: reader.offset(),
                    record: definition.name(),
                    field: flaw.field,
                    expected: flaw.expected,
                    found: Some(flaw.found.1),
                })));
            }
            number += 1;
        }
        errors
    }
}

/// In the order of the definitions.
fn flaws(definitions: &[Definition]) -> Vec<ReferenceFlaw> {
    let (mut defined, mut flaws) = (HashSet::new(), Vec::new());
    for (number, definition) in definitions.iter().enumerate() {
        let own = own_id(definition);
        for_references(definition, own, &mut |field, found| {
            if !defined.contains(&found) {
                let expected = "the id of a definition in front of it";
                flaws.push(ReferenceFlaw { number, field, expected, found });
            }
        });
        if let Some(found) = own
            && !defined.insert(found)
        {
            let (field, expected) = ("", "an id that is not defined in front of it");
            flaws.push(ReferenceFlaw { number, field, expected, found });
        }
    }
    for flaw in &mut flaws {
        if !defined.contains(&flaw.found) {
            flaw.expected = "the id of a definition";
        }
    }
    flaws
}

/// Calls `visit` with the fields of a definition that refer to others, and what to; without its
/// own id.
fn for_references(
    definition: &Definition,
    own: Option<Id>,
    visit: &mut dyn FnMut(&'static str, Id),
) {
    let mut is_own = own.is_some();
    definition.fields(&mut |field, value| {
        if !std::mem::take(&mut is_own) {
            for_ids(field, &value, visit);
        }
    });
}

fn for_ids(field: &'static str, value: &FieldValue<'_>, visit: &mut dyn FnMut(&'static str, Id)) {
    match value {
        FieldValue::Reference { to, id: Some(id) } => visit(field, (*to, *id)),
        FieldValue::Typed { value, .. } => for_ids(field, value, visit),
        FieldValue::List(values) | FieldValue::Group(values) => {
            values.iter().for_each(|value| for_ids(field, value, visit));
        }
        _ => {}
    }
}

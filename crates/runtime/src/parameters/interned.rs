//! The parameters of a process, and the strings among their values: each has one id.

use std::collections::HashMap;

use pompeii_live::{Definition, ParameterKind};

/// All parameters of a process, and the strings among their values.
#[derive(Default)]
pub struct Interned {
    parameters: HashMap<(u8, String), u32>,
    texts: HashMap<String, u32>,
}

impl Interned {
    /// The id of a parameter, and its definition if it is new.
    pub fn parameter(&mut self, kind: ParameterKind, name: &str) -> (u32, Option<Definition>) {
        let next = self.parameters.len() as u32;
        let id = *self.parameters.entry((kind as u8, name.to_owned())).or_insert(next);
        (id, (id == next).then(|| Definition::Parameter { id, kind, name: name.to_owned() }))
    }

    /// The id of a string, 0 for the empty one, and its definition if it is new.
    pub fn text(&mut self, text: &str) -> (u32, Option<Definition>) {
        if text.is_empty() {
            return (0, None);
        }
        let next = self.texts.len() as u32 + 1;
        let id = *self.texts.entry(text.to_owned()).or_insert(next);
        (id, (id == next).then(|| Definition::ParameterText { id, text: text.to_owned() }))
    }
}

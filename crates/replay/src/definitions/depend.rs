//! Items of `depend` clauses: which attributes of a record that creates a task have their
//! addresses.

use std::collections::HashMap;

use pompeii_model::{DEPEND_UNKNOWN, DependKind};
use pompeii_otf2::value::{AttributeValue, Value};

use crate::engine::record::What;

/// The attributes by their ids in the archive.
#[derive(Clone, Debug, Default)]
pub struct Depend {
    kinds: HashMap<u32, DependKind>,
    unknown: Option<u32>,
}

impl Depend {
    /// The archive has an attribute of this name. Other attributes are ignored.
    pub fn add(&mut self, id: u32, name: &str) {
        if name == DEPEND_UNKNOWN {
            self.unknown = Some(id);
        } else if let Some(kind) = DependKind::of_attribute(name) {
            self.kinds.insert(id, kind);
        }
    }

    /// Whether the archive has such attributes.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty() && self.unknown.is_none()
    }

    /// What an attribute says about the task that is created with it.
    pub(crate) fn item(&self, attribute: &AttributeValue) -> Option<What> {
        let AttributeValue { attribute: id, value: Value::U64(value) } = *attribute else {
            return None;
        };
        if self.unknown == Some(id.0) {
            return (value > 0).then_some(What::DependUnknown);
        }
        self.kinds.get(&id.0).map(|kind| What::Depend { kind: *kind, address: value })
    }
}

//! The texts of a file: those of the archive keep their ids, and further ones follow.

use std::collections::{BTreeMap, HashMap};

use pompeii_epilog::NO_ID;
use pompeii_epilog::record::{File, Record, Text};
use pompeii_otf2::definition::Definition;
use pompeii_otf2::read::Archive;
use pompeii_otf2::reference::StringRef;

/// Texts that records refer to.
#[derive(Debug)]
pub struct Strings<'a> {
    archive: &'a Archive,
    /// Ids of the texts of the archive.
    ids: HashMap<&'a str, u32>,
    used: BTreeMap<u32, String>,
    /// Ids of texts that the archive does not have.
    added: HashMap<String, u32>,
    next: u32,
    /// The text of each file, by its id.
    files: Vec<u32>,
}

impl<'a> Strings<'a> {
    /// Of an archive; no text is used yet.
    pub fn new(archive: &'a Archive) -> Strings<'a> {
        let (mut ids, mut next) = (HashMap::new(), 0);
        for definition in archive.definitions() {
            if let Definition::String(string) = definition {
                ids.entry(&*string.string).or_insert(string.id.0);
                next = next.max(string.id.0.saturating_add(1));
            }
        }
        let (used, added, files) = (BTreeMap::new(), HashMap::new(), Vec::new());
        Strings { archive, ids, used, added, next, files }
    }

    /// The id of a text of the archive; a text that is not defined is empty.
    pub fn name(&mut self, id: StringRef) -> u32 {
        match self.archive.string(id) {
            Some(text) => {
                self.used.entry(id.0).or_insert_with(|| text.to_owned());
                id.0
            }
            None => self.text(""),
        }
    }

    /// The same, but no id for an empty text.
    pub fn optional(&mut self, id: StringRef) -> u32 {
        let is_empty = self.archive.string(id).is_none_or(str::is_empty);
        if is_empty { NO_ID } else { self.name(id) }
    }

    /// The id of any text.
    pub fn text(&mut self, text: &str) -> u32 {
        if let Some(id) = self.ids.get(text) {
            return self.name(StringRef(*id));
        }
        if let Some(id) = self.added.get(text) {
            return *id;
        }
        let id = self.next;
        self.next = id.saturating_add(1);
        self.added.insert(text.to_owned(), id);
        self.used.insert(id, text.to_owned());
        id
    }

    /// An id that no text has.
    pub fn free(&self) -> u32 {
        self.next
    }

    /// The id of a file with this name; none for an empty one.
    pub fn file(&mut self, name: StringRef) -> u32 {
        let name = self.optional(name);
        if name == NO_ID {
            return NO_ID;
        }
        let known = self.files.iter().position(|file| *file == name);
        let place = known.unwrap_or_else(|| {
            self.files.push(name);
            self.files.len() - 1
        });
        place as u32
    }

    /// The definitions of all texts and files that were used.
    pub fn records(self) -> Vec<Record> {
        let texts = self.used.into_iter().map(|(id, text)| Text { id, text }.into());
        let files = (0..).zip(self.files).map(|(id, name)| File { id, name }.into());
        texts.chain(files).collect()
    }
}

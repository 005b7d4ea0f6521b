//! Parameters of the program's in the trace. Every process numbers its own, and the strings among
//! their values; those that are alike are one in the trace.

use pompeii_live::{Definition as Live, LiveProcess, ParameterKind};
use pompeii_otf2::Error;
use pompeii_otf2::definition::Parameter;
use pompeii_otf2::enums::ParameterType;
use pompeii_otf2::reference::ParameterRef;
use pompeii_otf2::write::ArchiveWriter;

use crate::numbers::Numbers;

/// The parameters of a run and their strings, each once.
#[derive(Debug, Default)]
pub struct Parameters {
    parameters: Numbers<(ParameterKind, String)>,
    texts: Numbers<String>,
}

/// Ids of a process in those of the run, dense.
#[derive(Debug, Default)]
pub struct Ids {
    /// Of its parameters.
    pub parameters: Vec<u64>,
    /// Of strings.
    pub strings: Vec<u64>,
}

impl Parameters {
    /// Takes up what a process has defined; its locations are not needed.
    pub fn add(&mut self, live: &LiveProcess) -> Ids {
        // The archive's first string is the empty one, as it is in each process.
        let mut ids = Ids { parameters: Vec::new(), strings: vec![0] };
        for definition in &live.definitions {
            match definition {
                Live::Parameter { kind, name, .. } => {
                    ids.parameters.push(self.parameters.of((*kind, name.clone())));
                }
                Live::ParameterText { text, .. } => {
                    ids.strings.push(self.texts.of(text.clone()) + 1);
                }
                _ => {}
            }
        }
        ids
    }

    /// Defines them; nothing may have been defined before, because strings are numbered in the
    /// order of their definition.
    ///
    /// # Errors
    /// What cannot be written.
    pub fn define(&self, archive: &mut ArchiveWriter) -> Result<(), Error> {
        for text in self.texts.in_order() {
            archive.string(text)?;
        }
        for (id, (kind, name)) in (0..).map(ParameterRef).zip(self.parameters.in_order()) {
            let name = archive.string(name)?;
            let parameter_type = match kind {
                ParameterKind::Int => ParameterType::INT64,
                ParameterKind::Unsigned => ParameterType::UINT64,
                ParameterKind::Text => ParameterType::STRING,
            };
            archive.define(Parameter { id, name, parameter_type })?;
        }
        Ok(())
    }
}

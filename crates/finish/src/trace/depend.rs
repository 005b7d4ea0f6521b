//! The attributes with the items of `depend` clauses. The records have the numbers of the runtime
//! library (`runtime/src/task/depend.rs`): 0 for the number of items that are not known, and then
//! one for each kind at each place.

use pompeii_live::Definition;
use pompeii_model::{DEPEND_ITEMS_MAX, DEPEND_UNKNOWN, DependKind};
use pompeii_otf2::definition::Attribute;
use pompeii_otf2::enums::ValueType;
use pompeii_otf2::reference::AttributeRef;
use pompeii_otf2::write::ArchiveWriter;

use crate::Error;
use crate::run::Run;

/// Defines the attributes of a run, if tasks of it have such items.
pub fn define(archive: &mut ArchiveWriter, run: &Run) -> Result<(), Error> {
    let definitions = run.surveys.iter().flat_map(|survey| &survey.live.definitions);
    let counts = definitions.filter_map(|definition| match definition {
        Definition::DependItems { count } => Some(*count as usize),
        _ => None,
    });
    let Some(most) = counts.max() else { return Ok(()) };
    let items = (1..=most.min(DEPEND_ITEMS_MAX)).flat_map(|place| {
        DependKind::ALL.map(|kind| (kind.attribute(place), "Address of an item of the task"))
    });
    let unknown = (DEPEND_UNKNOWN.to_owned(), "Number of items without an address");
    for (id, (name, description)) in (0..).map(AttributeRef).zip([unknown].into_iter().chain(items))
    {
        let (name, description) = (archive.string(&name)?, archive.string(description)?);
        archive.define(Attribute { id, name, kind: ValueType::UINT64, description })?;
    }
    Ok(())
}

//! Lines of functions that compilers have made of the bodies of constructs. Such a function begins
//! in the line of its construct, but at the same address its body may begin: of the lines of an
//! address, [`frames`](crate::Symbols::frames) has the last one. This is the first one that begins
//! a statement: parts of others, which were inlined, may lie before it.

use std::borrow::Cow;
use std::collections::HashMap;

use addr2line::Context;
use addr2line::gimli::{DwarfSections, EndianSlice, Reader, RunTimeEndian, UnitRef};
use object::{Object, ObjectSection};

use crate::{Loaded, debug};

/// The lines in which the functions at these addresses begin, of those that have one.
pub fn first_lines(loaded: &Loaded, addresses: &[u64]) -> HashMap<u64, u32> {
    let mut lines: HashMap<u64, Option<u32>> =
        addresses.iter().map(|&address| (address, None)).collect();
    debug::each_file(loaded, |elf| {
        let _ = look(elf, addresses, &mut lines);
    });
    lines.into_iter().filter_map(|(address, line)| Some((address, line?))).collect()
}

fn look<'a>(
    elf: &impl Object<'a>,
    addresses: &[u64],
    lines: &mut HashMap<u64, Option<u32>>,
) -> Option<()> {
    let endian = if elf.is_little_endian() { RunTimeEndian::Little } else { RunTimeEndian::Big };
    let sections = DwarfSections::load(|id| {
        let section = elf.section_by_name(id.name());
        let data = section.and_then(|section| section.uncompressed_data().ok());
        Ok::<Cow<'_, [u8]>, ()>(data.unwrap_or_default())
    });
    let sections = sections.ok()?;
    let context =
        Context::from_dwarf(sections.borrow(|section| EndianSlice::new(section, endian))).ok()?;
    for &address in addresses {
        if lines.get(&address).is_none_or(Option::is_none) {
            let unit = context.find_dwarf_and_unit(address).skip_all_loads();
            unit.and_then(|unit| of_unit(&unit, lines));
        }
    }
    Some(())
}

/// The lines of all wanted functions in a unit, which is read as a whole.
fn of_unit<R: Reader>(unit: &UnitRef<'_, R>, lines: &mut HashMap<u64, Option<u32>>) -> Option<()> {
    let mut rows = unit.line_program.clone().map(|program| program.rows())?;
    while let Some((_, row)) = rows.next_row().ok()? {
        let is_begin = row.is_stmt() && !row.end_sequence();
        let wanted = lines.get_mut(&row.address()).filter(|_| is_begin);
        if let Some(line @ None) = wanted {
            *line = row.line().and_then(|number| u32::try_from(number.get()).ok());
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_has_no_lines() {
        let loaded = Loaded { path: "/nowhere/lib.so".into(), build_id: vec![1] };
        assert!(first_lines(&loaded, &[0x10]).is_empty());
    }
}

//! Names of variables by their addresses. They are asked for rarely, so the file is read for each
//! question, and nothing is kept.

use object::{Object, ObjectSymbol, SymbolKind};

use crate::{Loaded, debug};

/// The symbols of the variables that have these addresses, `None` for those without one.
pub fn variables(loaded: &Loaded, addresses: &[u64]) -> Vec<Option<String>> {
    let mut found = vec![None; addresses.len()];
    debug::each_file(loaded, |elf| look(elf, addresses, &mut found));
    found
}

fn look<'a>(elf: &impl Object<'a>, addresses: &[u64], found: &mut [Option<String>]) {
    for symbol in elf.symbols().chain(elf.dynamic_symbols()) {
        if symbol.kind() != SymbolKind::Data || !symbol.is_definition() {
            continue;
        }
        let range = symbol.address()..symbol.address().saturating_add(symbol.size());
        for (address, found) in addresses.iter().zip(found.iter_mut()) {
            if found.is_none() && range.contains(address) {
                *found = symbol.name().ok().map(str::to_owned);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_there_has_no_variables() {
        let loaded = Loaded { path: "/nowhere/lib.so".into(), build_id: vec![1] };
        assert_eq!(variables(&loaded, &[0x10, 0x20]), [None, None]);
    }
}

//! The symbols of a file that have a range: where each function begins, and how long it is.

use object::{ObjectSymbol, SymbolKind};

/// Functions in the order of their addresses.
#[derive(Debug, Default)]
pub struct Table(Vec<Symbol>);

#[derive(Debug)]
struct Symbol {
    start: u64,
    end: u64,
    name: String,
}

impl Table {
    /// Adds the functions of a file.
    pub fn add<'a>(&mut self, elf: &impl object::Object<'a>) {
        let symbols = elf.symbols().chain(elf.dynamic_symbols());
        let functions = symbols.filter(|symbol| {
            symbol.kind() == SymbolKind::Text && symbol.is_definition() && symbol.size() > 0
        });
        self.0.extend(functions.filter_map(|symbol| {
            let (start, name) = (symbol.address(), symbol.name().ok()?.to_owned());
            Some(Symbol { start, end: start.checked_add(symbol.size())?, name })
        }));
    }

    /// Must come between [`Table::add`] and [`Table::find`].
    pub fn sort(&mut self) {
        self.0.sort_by(|a, b| (a.start, a.end, &a.name).cmp(&(b.start, b.end, &b.name)));
    }

    /// The function whose range has the address in it; of several names, the first.
    pub fn find(&self, address: u64) -> Option<&str> {
        let after = self.0.partition_point(|symbol| symbol.start <= address);
        let start = self.0[..after].last()?.start;
        let first = self.0[..after].partition_point(|symbol| symbol.start < start);
        let inside = self.0[first..after].iter().find(|symbol| address < symbol.end)?;
        Some(&inside.name)
    }
}

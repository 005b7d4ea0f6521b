//! Where functions begin, also in files without symbols: a compiler writes the range of each
//! function into `.eh_frame`, which has to stay, because exceptions and debuggers need it.

use addr2line::gimli::{BaseAddresses, CieOrFde, EhFrame, RunTimeEndian, UnwindSection as _};
use object::{Object, ObjectSection};

/// The ranges of a file's functions in the order of their begins.
#[derive(Debug, Default)]
pub struct Ranges(Vec<(u64, u64)>);

impl Ranges {
    /// What the file has; what follows damage is left out.
    pub fn of<'a>(elf: &impl Object<'a>) -> Self {
        let address = |name| elf.section_by_name(name).map_or(0, |section| section.address());
        let Some(section) = elf.section_by_name(".eh_frame") else { return Self::default() };
        // It is never compressed, because programs read it while they run.
        let Ok(bytes) = section.data() else { return Self::default() };
        let little = elf.is_little_endian();
        let endian = if little { RunTimeEndian::Little } else { RunTimeEndian::Big };
        let mut frames = EhFrame::new(bytes, endian);
        frames.set_address_size(if elf.is_64() { 8 } else { 4 });
        let bases = BaseAddresses::default()
            .set_eh_frame(section.address())
            .set_text(address(".text"))
            .set_got(address(".got"));
        let mut ranges = Vec::new();
        let mut entries = frames.entries(&bases);
        while let Ok(Some(entry)) = entries.next() {
            let CieOrFde::Fde(part) = entry else { continue };
            let Ok(function) = part.parse(EhFrame::cie_from_offset) else { continue };
            let start = function.initial_address();
            ranges.extend(start.checked_add(function.len()).map(|end| (start, end)));
        }
        ranges.sort_unstable();
        Self(ranges)
    }

    /// Where the function begins that has this address.
    pub fn begin(&self, address: u64) -> Option<u64> {
        let after = self.0.partition_point(|&(start, _)| start <= address);
        let &(start, end) = self.0[..after].last()?;
        (address < end).then_some(start)
    }
}

#[cfg(test)]
mod tests {
    use super::Ranges;

    #[test]
    fn an_address_belongs_to_the_function_around_it_or_to_none() {
        let ranges = Ranges(vec![(0x100, 0x180), (0x180, 0x190), (0x200, 0x210)]);
        let begins = [0xff, 0x100, 0x17f, 0x180, 0x190, 0x20f, 0x210].map(|at| ranges.begin(at));
        let known = [None, Some(0x100), Some(0x100), Some(0x180), None, Some(0x200), None];
        assert_eq!(begins, known);
        assert_eq!(Ranges::default().begin(7), None);
    }
}

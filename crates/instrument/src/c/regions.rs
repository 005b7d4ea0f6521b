//! The regions of the outcome: their names, clauses and lines, and the numbers that they go by.

use super::emit::Emitter;
use super::pragma::Found;
use super::scan;
use super::statements::Body;
use crate::Region;
use crate::decimal::Decimal;
use crate::directives::Kind;

impl Emitter<'_> {
    /// The region of a construct, without our own words.
    pub(super) fn region(&self, index: usize) -> Region {
        let (found, construct) = (&self.lexed.directives[index], &self.constructs[index]);
        let begin = self.directive_lines(found);
        let end = if found.has_body() { self.last_lines(&construct.bodies) } else { begin };
        let mut region = Region::new(found.directive.name(), begin, end);
        let argument = found.directive.argument.clone();
        if let Some(argument) = argument.filter(|_| region.name == "critical") {
            region.sub_name = String::from_utf8_lossy(&found.text[argument]).trim().to_owned();
        }
        let function = self.functions_around[index];
        region.describe(function, found.description(), self.options.abi);
        region.file = self.file(found.span.start);
        region
    }

    /// First and last line of a directive.
    pub(super) fn directive_lines(&self, found: &Found) -> (u32, u32) {
        let first = scan::skip_blank(self.source, found.span.start, true).min(found.span.end);
        (
            self.positions.line(first),
            self.positions.line(found.place(found.directive.end).max(first)),
        )
    }

    pub(super) fn last_lines(&self, bodies: &[Body]) -> (u32, u32) {
        let last = bodies.iter().map(|body| self.positions.line(body.end - 1)).max().unwrap_or(0);
        (last, last)
    }

    /// The file of an offset, if it is not the one of the options.
    pub(super) fn file(&self, offset: usize) -> Option<String> {
        self.positions.file(offset).filter(|file| *file != self.options.path).map(ToOwned::to_owned)
    }

    /// Adds a region; returns its number.
    pub(super) fn add_region(&mut self, region: Region) -> usize {
        self.outcome.regions.push(region);
        self.outcome.regions.len()
    }

    /// The call that yields the descriptor of a region.
    pub(super) fn accessor(&self, number: usize) -> String {
        [self.prefix, Decimal::new(number as u32).text(), "()"].concat()
    }

    /// Number of a section's construct: one more section.
    pub(super) fn count_sections(&mut self) {
        for (index, construct) in self.constructs.iter().enumerate() {
            let found = &self.lexed.directives[index];
            if found.kind == Kind::Section
                && let Some(number) = construct.parent.and_then(|parent| self.numbers[parent])
            {
                self.outcome.regions[number - 1].sections += 1;
            }
            if !construct.implicit_section.is_empty()
                && let Some(number) = self.numbers[index]
            {
                self.outcome.regions[number - 1].sections += 1;
            }
        }
    }
}

//! The appended function that knows the descriptors: it fills one at the first event of its region.
//!
//! It is a true `OMPRegDescr` with its extension behind `next`, filled once: two threads may come
//! first together, so it happens in a critical section with a second look. Names, files and clauses
//! lie in one pool, each once and with a mark at its end that becomes a NUL; where they begin and
//! the lines of a region are one more text. All of this is DATA of character pieces: a SELECT CASE,
//! or as many numbers, would take the compiler minutes for thousands of regions.

use super::tail::{PIECE, Tail};
use crate::Region;
use crate::decimal::push_decimal;
use std::collections::HashMap;

/// Numbers of a region, in this order: where name, `sub_name`, file and clauses begin in the pool,
/// the sections, and the four lines.
const NUMBERS: usize = 9;

/// What the extension of a descriptor begins with.
const MARK: &str = "pompeii 1";

/// The texts of all regions.
struct Tables {
    /// Every text once, each with `end` behind it.
    pool: Vec<u8>,
    /// Not in any text.
    end: u8,
    /// The numbers of all regions, and where those of each one end.
    numbers: Vec<u8>,
    ends: Vec<usize>,
}

impl Tables {
    fn new(regions: &[Region], path: &str) -> Tables {
        let mut used = [false; 256];
        let all = regions.iter().flat_map(|region| texts(region, path));
        all.flat_map(str::bytes).for_each(|byte| used[usize::from(byte)] = true);
        let ends = b"|~^`#?";
        let end = ends.iter().copied().find(|end| !used[usize::from(*end)]).unwrap_or(b'|');
        let mut tables = Tables { pool: Vec::new(), end, numbers: Vec::new(), ends: Vec::new() };
        let mut known = HashMap::new();
        tables.place(&mut known, MARK);
        // Neighbours have much in common.
        let mut before = [("", 0); 4];
        for region in regions {
            for (text, before) in texts(region, path).into_iter().zip(&mut before) {
                if before.1 == 0 || before.0 != text {
                    *before = (text, tables.place(&mut known, text));
                }
                tables.number(before.1 as u32);
            }
            let (begin, end) = (region.begin, region.end);
            let rest = [region.sections, begin.0, begin.1, end.0, end.1];
            rest.into_iter().for_each(|number| tables.number(number));
            tables.numbers.pop();
            tables.ends.push(tables.numbers.len());
        }
        tables
    }

    fn number(&mut self, number: u32) {
        push_decimal(&mut self.numbers, number);
        self.numbers.push(b' ');
    }

    /// The numbers of each region with blanks between.
    fn rows(&self) -> impl Iterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.numbers[std::mem::replace(&mut start, end)..end])
    }

    /// Where a text begins in the pool, from 1.
    fn place<'a>(&mut self, known: &mut HashMap<&'a str, usize>, text: &'a str) -> usize {
        *known.entry(text).or_insert_with(|| {
            let at = self.pool.len() + 1;
            let end = self.end;
            // Only a text that has every mark there is loses one.
            self.pool.extend(text.bytes().map(|byte| if byte == end { b'/' } else { byte }));
            self.pool.push(end);
            at
        })
    }
}

fn texts<'a>(region: &'a Region, path: &'a str) -> [&'a str; 4] {
    [&region.name, &region.sub_name, region.file.as_deref().unwrap_or(path), &region.clauses]
}

impl Tail<'_> {
    /// The function that gives the address of descriptor `@n`.
    pub(super) fn descriptors(&mut self, regions: &[Region], path: &str) {
        let tables = Tables::new(regions, path);
        let count = regions.len();
        let longest = tables.rows().map(<[u8]>::len).max().unwrap_or(0);
        let (row, pieces) = (longest.div_ceil(PIECE), tables.pool.len().div_ceil(PIECE));
        let name = |what| self.names.global(what);
        let (function, critical) = (name("at"), name("c"));
        self.lines(&format!("function {function}(@n)"));
        self.declarations(count);
        self.lines(&format!("integer(@k) :: {function}"));
        self.lines(&format!(
            "character({PIECE}), save :: @t({row},{count})
            character({PIECE}), save, target :: @s({pieces})
            logical, save :: @f=.true."
        ));
        for (index, numbers) in tables.rows().enumerate() {
            let mut texts = numbers.chunks(PIECE);
            for piece in 1..=row {
                let text = texts.next().unwrap_or_default();
                self.element(b"t", &[piece, index + 1], text);
            }
        }
        for (piece, text) in tables.pool.chunks(PIECE).enumerate() {
            self.element(b"s", &[piece + 1], text);
        }
        self.lines("if (@h(@n)==0) then");
        self.directive(&["critical (", &critical, ")"]);
        self.lines("if (@h(@n)==0) call @p(@t(1,@n),@s)");
        self.directive(&["end critical (", &critical, ")"]);
        self.lines(&format!("end if\n{function}=@h(@n)\ncontains"));
        self.place((PIECE * row, PIECE * pieces), tables.end);
        self.lines("end function");
    }

    pub(super) fn directive(&mut self, words: &[&str]) {
        self.writer.directive(&mut self.out, words);
    }

    /// What descriptors are, and where they are.
    fn declarations(&mut self, count: usize) {
        self.lines(
            "use, intrinsic :: iso_c_binding, only : @k=>c_int64_t, c_int, c_ptr, c_loc, c_char, \
            c_null_char, c_null_ptr
            implicit none
            type, bind(C) :: @d
            type(c_ptr) :: name, sub_name
            integer(c_int) :: sections
            type(c_ptr) :: file
            integer(c_int) :: lines(4)
            type(c_ptr) :: data, next
            end type
            type, bind(C) :: @e
            type(c_ptr) :: mark, clauses
            end type
            integer :: @n",
        );
        self.lines(&format!(
            "integer(@k), save :: @h({count})=0
            type(@d), save, target :: @r({count})
            type(@e), save, target :: @x({count})"
        ));
    }

    /// The procedure that makes a descriptor of the texts, which it gets as single characters. No
    /// character is compared with a blank: gfortran would call its library for that, which a
    /// program in C that uses a Fortran object may not link.
    fn place(&mut self, bytes: (usize, usize), end: u8) {
        let ((row, pool), end) = (bytes, char::from(end));
        self.lines(&format!(
            "subroutine @p(@t,@s)
            character(kind=c_char) :: @t({row})
            character(kind=c_char), target :: @s({pool})
            integer :: @i, @j, @u, @v({NUMBERS})
            if (@f) then
            do @i=1,{pool}
            if (@s(@i)=='{end}') @s(@i)=c_null_char
            end do
            @f=.false.
            end if
            @v=0
            @j=1
            do @i=1,{row}
            @u=ichar(@t(@i))-48
            if (@u>=0) @v(@j)=10*@v(@j)+@u
            if (@u<0) @j=min(@j+1,{NUMBERS})
            end do
            @x(@n)%mark=c_loc(@s(1))
            @x(@n)%clauses=c_loc(@s(@v(4)))
            @r(@n)%name=c_loc(@s(@v(1)))
            @r(@n)%sub_name=c_loc(@s(@v(2)))
            @r(@n)%sections=int(@v(5),c_int)
            @r(@n)%file=c_loc(@s(@v(3)))
            @r(@n)%lines=int(@v(6:9),c_int)
            @r(@n)%data=c_null_ptr
            @r(@n)%next=c_loc(@x(@n))"
        ));
        self.directive(&["flush"]);
        self.lines("@h(@n)=transfer(c_loc(@r(@n)),@h(@n))\nend subroutine");
    }

    /// One element of a table, given its indices.
    pub(super) fn element(&mut self, table: &[u8], indices: &[usize], value: &[u8]) {
        let (out, prefix) = (&mut self.out, self.names.prefix().as_bytes());
        let quote = if value.contains(&b'\'') { b'"' } else { b'\'' };
        for text in [self.writer.form.indent().as_bytes(), b"data ", prefix, table] {
            out.extend_from_slice(text);
        }
        for (at, &index) in indices.iter().enumerate() {
            out.push(if at == 0 { b'(' } else { b',' });
            push_decimal(out, index as u32);
        }
        out.extend_from_slice(&[b')', b'/', quote]);
        for part in value.split_inclusive(|&byte| byte == quote) {
            out.extend_from_slice(part);
            if part.ends_with(&[quote]) {
                out.push(quote);
            }
        }
        out.extend_from_slice(&[quote, b'/', b'\n']);
    }
}

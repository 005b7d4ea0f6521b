//! From physical lines to statements: continuation lines are joined, comments and the contents of
//! strings dropped, `;` separates. Directives keep a map from each character to its source byte,
//! because their clauses are moved as the user wrote them; statements only need their extent.
//!
//! Preprocessor lines may stand between the continuation lines of one statement. Of alternatives
//! that begin inside a statement the first is read: for the nesting all of them must be equal.

use super::class::Class;
use super::directive_text::{DirectiveText, Texts};
use super::form::{self, Content, Form, Line, is_blank, lines};
pub(super) use super::groups::Cpp;
use super::groups::Groups;
use super::role::{Role, Roles};
use std::cell::Cell;

/// One statement, directive or preprocessor line in the order of the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Statement {
    /// What it is.
    pub kind: Kind,
    /// Statement label, 0 for none.
    pub label: u32,
    /// Index of its first physical line.
    pub first: usize,
    /// Index of its last physical line.
    pub last: usize,
    /// First byte of its text.
    pub start: usize,
    /// Offset of the `;` behind it, if another statement follows on the line.
    pub semicolon: Option<usize>,
}

/// What a [`Statement`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Fortran.
    Code(Class),
    /// Index into [`Scan::directives`].
    Directive(usize),
    /// A preprocessor line.
    Cpp(Cpp),
}

/// A whole file.
#[derive(Debug)]
pub(super) struct Scan {
    /// Physical lines.
    pub lines: Vec<Line>,
    /// Those (by index) that begin with `#`.
    pub cpp_lines: Vec<usize>,
    /// Statements in order.
    pub statements: Vec<Statement>,
    /// What they are for their procedures, where that was asked for. Offsets are those of the
    /// source.
    roles: Vec<Role>,
    /// Directives in order.
    pub directives: Vec<DirectiveText>,
    /// Places of `!p$` sentinels, whose three bytes become blanks.
    pub pomp_only: Vec<usize>,
    /// Preprocessor groups of the statements.
    pub groups: Groups,
    /// Names of units and procedures by their statements; of entries where roles were asked for.
    pub names: StatementNames,
}

/// Names of some statements, in the order of the statements.
#[derive(Debug, Default)]
pub(super) struct StatementNames(Vec<(usize, String)>);

impl StatementNames {
    /// Names a statement that comes after all that have names.
    pub fn push(&mut self, statement: usize, name: String) {
        self.0.push((statement, name));
    }

    /// The name of a statement.
    pub fn get(&self, statement: usize) -> Option<&String> {
        let at = self.0.binary_search_by_key(&statement, |named| named.0).ok()?;
        Some(&self.0[at].1)
    }
}

impl Scan {
    /// What a statement is for its procedure; nothing particular where that was not asked for.
    pub fn role(&self, statement: usize) -> Role {
        self.roles.get(statement).copied().unwrap_or_default()
    }
}

/// What is read besides the nesting.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Directives, and lines for OpenMP compilers alone.
    pub openmp: bool,
    /// The roles of statements.
    pub roles: bool,
}

/// Reads a file.
pub(super) fn scan(source: &[u8], form: Form, wanted: Wanted) -> Scan {
    let lines = lines(source);
    let cpp_lines = cpp_lines(source, &lines);
    let kind = |at: usize| cpp_kind(&source[lines[at].start..lines[at].end]);
    let groups = Groups::new(cpp_lines.iter().map(|&at| (at, kind(at))));
    let statements = Vec::with_capacity(lines.len());
    let scan = Scan {
        lines,
        cpp_lines,
        statements,
        roles: Vec::new(),
        directives: Vec::new(),
        pomp_only: Vec::new(),
        groups: Groups::default(),
        names: StatementNames::default(),
    };
    let roles = wanted.roles.then(Roles::default);
    let mut scanner = Scanner {
        source,
        form,
        openmp: wanted.openmp,
        groups,
        scan,
        cpp: Vec::new(),
        joined: Vec::new(),
        texts: Texts::default(),
        text: Vec::new(),
        at: Vec::new(),
        roles,
        last: Cell::new((usize::MAX, Content::Nothing)),
    };
    let mut at = 0;
    while at < scanner.scan.lines.len() {
        at = scanner.line(at);
    }
    let mut scan = scanner.scan;
    scan.groups = Groups::new(scanner.cpp.into_iter());
    scan
}

/// The lines that begin with `#`.
fn cpp_lines(source: &[u8], lines: &[Line]) -> Vec<usize> {
    let begins = |at: &usize| at.checked_sub(1).is_none_or(|before| source[before] == b'\n');
    let places = memchr::memchr_iter(b'#', source).filter(begins);
    places.map(|at| lines.partition_point(|line| line.start < at)).collect()
}

/// Nobody writes more preprocessor lines between two lines of one statement.
const PASSED_MAX: usize = 64;

pub(super) struct Scanner<'a> {
    pub(super) source: &'a [u8],
    pub(super) form: Form,
    /// Preprocessor groups of the physical lines.
    groups: Groups,
    pub(super) scan: Scan,
    /// The preprocessor lines among the statements, by their indices.
    cpp: Vec<(usize, Cpp)>,
    /// Whether directives mean anything.
    openmp: bool,
    /// Memory for the text of a directive.
    pub(super) joined: Vec<u8>,
    /// The texts of the directives.
    pub(super) texts: Texts,
    /// The statement being assembled, in the classifier's normal form.
    pub(super) text: Vec<u8>,
    /// Source offset of each of its bytes, where roles are asked for.
    pub(super) at: Vec<usize>,
    pub(super) roles: Option<Roles>,
    /// The line that was asked about last, and what it holds.
    last: Cell<(usize, Content)>,
}

impl Scanner<'_> {
    /// What a line holds. The last answer is kept, since lines are asked about more than once.
    pub(super) fn content(&self, at: usize) -> Content {
        let (last, content) = self.last.get();
        if last == at {
            return content;
        }
        let content = match form::content(self.source, self.scan.lines[at], self.form) {
            Content::Directive { .. } | Content::Code { conditional: true, .. } if !self.openmp => {
                Content::Nothing
            }
            content => content,
        };
        self.last.set((at, content));
        content
    }

    /// Reads what begins at line `at` and returns the line after it.
    fn line(&mut self, at: usize) -> usize {
        match self.content(at) {
            Content::Nothing => at + 1,
            Content::Cpp => self.cpp(at),
            Content::Directive { sentinel, body, end, .. } => {
                self.directive(at, sentinel, body, end)
            }
            Content::Code { label, body, end, pomp_only: false, .. } => {
                self.plain(at, label, body, end).unwrap_or_else(|| self.code(at))
            }
            Content::Code { .. } => self.code(at),
        }
    }

    /// A preprocessor line with its backslash continuations.
    fn cpp(&mut self, at: usize) -> usize {
        let mut last = at;
        while self.text_of(last).ends_with(b"\\") && last + 1 < self.scan.lines.len() {
            last += 1;
        }
        let kind = cpp_kind(self.text_of(at));
        self.cpp.push((self.scan.statements.len(), kind));
        let start = self.scan.lines[at].start;
        let statement =
            Statement { kind: Kind::Cpp(kind), label: 0, first: at, last, start, semicolon: None };
        self.push_statement(statement, Role::default());
        last + 1
    }

    fn text_of(&self, at: usize) -> &[u8] {
        let line = self.scan.lines[at];
        &self.source[line.start..line.end]
    }

    /// The next line that belongs to a statement continued after line `at`, past comments and
    /// preprocessor lines; whether any of the latter were passed. Alternatives that begin on the
    /// way are left out. Passed preprocessor lines become statements only if something follows.
    pub(super) fn continuation(
        &mut self,
        at: usize,
        wanted: impl Fn(Content) -> bool,
    ) -> Option<(usize, bool)> {
        let mut next = at + 1;
        let mut passed = Vec::new();
        while next < self.scan.lines.len() && passed.len() <= PASSED_MAX {
            let content = self.content(next);
            match content {
                Content::Cpp => {
                    passed.push(next);
                    if cpp_kind(self.text_of(next)) == Cpp::Else {
                        next = self.groups.end_of(next)?;
                        passed.push(next);
                    }
                }
                Content::Nothing => {}
                _ if wanted(content) => {
                    let any = !passed.is_empty();
                    passed.into_iter().for_each(|line| {
                        self.cpp(line);
                    });
                    return Some((next, any));
                }
                _ => return None,
            }
            next += 1;
        }
        None
    }

    pub(super) fn push_statement(&mut self, statement: Statement, role: Role) {
        self.scan.statements.push(statement);
        if self.roles.is_some() {
            self.scan.roles.push(role);
        }
    }

    /// The first significant byte of a continuation line in free form.
    pub(super) fn skip_ampersand(&self, body: usize, end: usize) -> usize {
        if self.form.is_fixed() {
            return body;
        }
        let text = &self.source[body..end];
        match text.iter().position(|c| !is_blank(*c)) {
            Some(at) if text[at] == b'&' => body + at + 1,
            _ => body,
        }
    }

    /// Nothing but blanks (and, outside of strings, a comment) follows.
    pub(super) fn ends_line(&self, from: usize, to: usize, quote: Option<u8>) -> bool {
        let rest = self.source[from..to].iter().find(|c| !is_blank(**c));
        rest.is_none_or(|c| *c == b'!' && quote.is_none())
    }
}

fn cpp_kind(line: &[u8]) -> Cpp {
    let text = line[1..].trim_ascii();
    let word = text.iter().take_while(|c| c.is_ascii_alphabetic()).count();
    match &text[..word] {
        b"if" => Cpp::If(text[word..].trim_ascii() == b"0"),
        b"ifdef" | b"ifndef" => Cpp::If(false),
        b"else" | b"elif" => Cpp::Else,
        b"endif" => Cpp::Endif,
        b"include" => Cpp::Include,
        _ => Cpp::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use std::fmt::Write;

    fn check(form: Form, source: &str, expect: Expect) {
        let wanted = Wanted { openmp: true, roles: false };
        let scan = scan(source.as_bytes(), form, wanted);
        let mut out = String::new();
        for statement in &scan.statements {
            let Statement { label, first, last, start, semicolon, .. } = *statement;
            let end = semicolon.unwrap_or(scan.lines[last].end);
            let what = match statement.kind {
                Kind::Directive(index) => {
                    let directive = &scan.directives[index];
                    format!("directive [{}]", String::from_utf8_lossy(&directive.text))
                }
                kind => format!("{kind:?} [{}]", source[start..end].replace('\n', "\\n")),
            };
            let more = if semicolon.is_some() { " ;" } else { "" };
            writeln!(out, "{}-{} {label} {what}{more}", first + 1, last + 1).unwrap();
        }
        expect.assert_eq(&out);
    }

    const FIXED: Form = Form::Fixed { width: 72 };

    #[test]
    fn free_form_continuation() {
        check(
            Form::Free,
            "s = \"!$omp parallel &\n  &more; x\" ! c ; d\n\ncall f(a, & ! note\n\n! comment\n  & b); do i=1,2; x = 1; end do;\n10 continue\n",
            expect![[r#"
                1-2 0 Code(Other) [s = "!$omp parallel &\n  &more; x" ! c ; d]
                4-7 0 Code(Other) [call f(a, & ! note\n\n! comment\n  & b)] ;
                7-7 0 Code(Do { label: 0, name: 0, concurrent: false }) [do i=1,2] ;
                7-7 0 Code(Other) [x = 1] ;
                7-7 0 Code(EndDo) [end do;]
                8-8 10 Code(Other) [10 continue]
            "#]],
        );
    }

    #[test]
    fn directives() {
        check(
            Form::Free,
            "!$omp parallel do & ! note\n! comment\n!$omp& private(a) pri&\n!$omp &vate(b) num_threads(len('a!b')) ! end\n!$omp barrier\n",
            expect![[r#"
                1-4 0 directive [ parallel do  private(a) private(b) num_threads(len('a!b'))]
                5-5 0 directive [ barrier]
            "#]],
        );
        check(
            FIXED,
            "C$OMP PARALLEL DO REDUCTION(+:s)\nC$OMP& NUM_THREADS(2)\nc comment\n!$omp+ if(x)\n!$OMP BARRIER\n",
            expect![[r#"
                1-4 0 directive [PARALLEL DO REDUCTION(+:s) NUM_THREADS(2) if(x)]
                5-5 0 directive [BARRIER]
            "#]],
        );
    }

    #[test]
    fn fixed_form_continuation() {
        check(
            FIXED,
            "      x = 'a\n     &b' // 5hit's! ; y = 1\nc\n#ifdef A\n     & + 1\n#else\n     & + 2\n#endif\n 10   end do\n",
            expect![[r#"
                1-2 0 Code(Other) [x = 'a\n     &b' // 5hit's! ] ;
                4-4 0 Cpp(If(false)) [#ifdef A]
                2-5 0 Code(Other) [y = 1\nc\n#ifdef A\n     & + 1]
                6-6 0 Cpp(Else) [#else]
                7-7 0 Code(Other) [+ 2]
                8-8 0 Cpp(Endif) [#endif]
                9-9 10 Code(EndDo) [end do]
            "#]],
        );
    }

    #[test]
    fn plain_statements_go_on() {
        check(
            Form::Free,
            "x = a + & ! note\n\n! comment\n  & b\nif (x) y = &\n  1; do i=1,2\ncall f( &\n!$omp barrier\nz = &\n#ifdef A\n 2\n#endif\ny = 1 &\n",
            expect![[r#"
                1-4 0 Code(Other) [x = a + & ! note\n\n! comment\n  & b]
                5-6 0 Code(Other) [if (x) y = &\n  1] ;
                6-6 0 Code(Do { label: 0, name: 0, concurrent: false }) [do i=1,2]
                7-7 0 Code(Other) [call f( &]
                8-8 0 directive [ barrier]
                10-10 0 Cpp(If(false)) [#ifdef A]
                9-11 0 Code(Other) [z = &\n#ifdef A\n 2]
                12-12 0 Cpp(Endif) [#endif]
                13-13 0 Code(Other) [y = 1 &]
            "#]],
        );
        check(
            FIXED,
            "      x = a\nc comment\n\n     & + b\n      real x\n     &, y\n      x = 1\n#ifdef A\n     & + 2\n#endif\n      call f(a,\n     1  b)\n!$omp barrier\n      return\nc end\n",
            expect![[r#"
                1-4 0 Code(Other) [x = a\nc comment\n\n     & + b]
                5-6 0 Code(Other) [real x\n     &, y]
                8-8 0 Cpp(If(false)) [#ifdef A]
                7-9 0 Code(Other) [x = 1\n#ifdef A\n     & + 2]
                10-10 0 Cpp(Endif) [#endif]
                11-12 0 Code(Other) [call f(a,\n     1  b)]
                13-13 0 directive [barrier]
                14-14 0 Code(Other) [return]
            "#]],
        );
    }

    #[test]
    fn alternatives_after_a_statement_are_not_part_of_it() {
        check(
            FIXED,
            "#ifdef A\n      if (a) then\n#else\n      if (b .and.\n     &    c) then\n#endif\n      end if\n",
            expect![[r#"
                1-1 0 Cpp(If(false)) [#ifdef A]
                2-2 0 Code(Open(If)) [if (a) then]
                3-3 0 Cpp(Else) [#else]
                4-5 0 Code(Open(If)) [if (b .and.\n     &    c) then]
                6-6 0 Cpp(Endif) [#endif]
                7-7 0 Code(End(If)) [end if]
            "#]],
        );
    }
}

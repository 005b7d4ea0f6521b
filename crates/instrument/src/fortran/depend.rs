//! The calls that name the items of the `depend` clauses of a task, a taskwait or a target
//! construct, by their addresses: one call for each item, which is its last argument, and one after
//! them. For a taskwait and a target construct, the last one also is the entry.
//!
//! An item is evaluated once more for that, so it must have no effect, and it must be passed by its
//! address. gfortran passes a copy of an array that is not contiguous, and an argument of any type
//! can be none of a derived type with procedures. Therefore items are known if this file declares
//! them with a type of the language, in the same unit or in a host of it ([`Declarations`]). The
//! others are not known.

use super::class::{Class, Construct};
use super::code::Code;
use super::declared::{Declarations, Declared, is_in_name, split};
use super::events::Target;
use super::rewrite::Rewriter;
use super::scan::Kind;
use super::tail::Tail;
use super::text::{Event, Extra, Routine};
use crate::depend::{UNKNOWN, kind};

/// The kind in the call after the last item.
const END: u32 = 0;
/// As many items are passed to C: one more than a trace has of a task.
const ITEMS: usize = 64;

/// The arguments of the call: the task, if there is one, and the kind of an item with the item.
const OF_TASK: &[Extra] = &[Extra::In, Extra::Item];
const OF_OTHERS: &[Extra] = &[Extra::Item];

/// How an item is passed.
#[derive(Debug, PartialEq, Eq)]
struct Passed {
    /// Only if this holds: otherwise the item is empty, and has no first element.
    condition: Option<String>,
    actual: String,
}

/// How an item without blanks is passed by its address; `None` if that is not known. `declared`
/// tells what a name stands for.
fn passed(item: &str, declared: impl Fn(&str) -> Declared) -> Option<Passed> {
    let end = item.find(|c| !is_in_name(c));
    let (name, rest) = item.split_at(end.unwrap_or(item.len()));
    let is_contiguous = match declared(&name.to_ascii_lowercase()) {
        Declared::Contiguous => true,
        Declared::Other => false,
        Declared::Unknown => return None,
    };
    let whole = || Passed { condition: None, actual: item.to_owned() };
    if rest.is_empty() {
        return is_contiguous.then(whole);
    }
    let list = rest.strip_prefix('(')?.strip_suffix(')')?;
    let subscripts = split(list).map(Subscript::of).collect::<Option<Vec<_>>>()?;
    let mut sections = subscripts.iter().skip_while(|of| **of == Subscript::Section("", ""));
    let is_one_element = subscripts.iter().all(Subscript::is_index);
    let is_simply_contiguous = {
        sections.next();
        sections.all(Subscript::is_index)
    };
    if is_one_element || is_contiguous && is_simply_contiguous {
        return Some(whole());
    }
    let firsts = subscripts.iter().map(|of| of.first()).collect::<Option<Vec<_>>>()?;
    let conditions = subscripts.iter().map(Subscript::condition).collect::<Option<Vec<_>>>()?;
    let conditions: Vec<String> = conditions.into_iter().flatten().collect();
    let actual = format!("{name}({})", firsts.join(","));
    Some(Passed { condition: Some(conditions.join(" .and. ")), actual })
}

/// A subscript of an item.
#[derive(Debug, PartialEq, Eq)]
enum Subscript<'a> {
    Index(&'a str),
    /// With its bounds, which may be empty.
    Section(&'a str, &'a str),
}

impl<'a> Subscript<'a> {
    /// `None` if its evaluation may have an effect, or if it has a stride.
    fn of(text: &'a str) -> Option<Subscript<'a>> {
        let Some((first, last)) = text.split_once(':') else {
            return (is_plain(text) && !text.is_empty()).then_some(Subscript::Index(text));
        };
        (is_plain(first) && is_plain(last)).then_some(Subscript::Section(first, last))
    }

    fn is_index(&self) -> bool {
        matches!(self, Subscript::Index(_))
    }

    /// Of the first element.
    fn first(&self) -> Option<&'a str> {
        let (Subscript::Index(first) | Subscript::Section(first, _)) = *self;
        (!first.is_empty()).then_some(first)
    }

    /// Whether there is an element.
    fn condition(&self) -> Option<Option<String>> {
        match *self {
            Subscript::Index(_) => Some(None),
            Subscript::Section(_, "") => None,
            Subscript::Section(first, last) => Some(Some(format!("{first} <= {last}"))),
        }
    }
}

/// An expression of names, numbers and operators: it calls no function, because that has a
/// parenthesis after a name.
fn is_plain(text: &str) -> bool {
    let mut before = ' ';
    text.chars().all(|c| {
        let calls = c == '(' && is_in_name(before);
        before = c;
        !calls && (is_in_name(c) || "%+-*/()".contains(c))
    })
}

impl Rewriter<'_> {
    /// Whether a construct passes the items of `depend` clauses. A taskwait with `nowait` waits for
    /// nothing.
    pub(super) fn names_items(&self, to: Target) -> bool {
        let Kind::Directive(place) = self.statement(to.opened).kind else { return false };
        let directive = &self.facts.parsed[place].directive;
        let waits =
            !directive.has("nowait") || directive.words.iter().all(|it| it.text != "taskwait");
        directive.has("depend") && waits
    }

    /// The calls with the items of a construct's `depend` clauses.
    pub(super) fn depend(&mut self, to: Target, event: Event) {
        let facts = self.facts;
        let Kind::Directive(place) = self.statement(to.opened).kind else { return };
        let directive = &facts.parsed[place].directive;
        let text = &facts.scan.directives[place];
        let clauses = directive.clauses.iter().filter(|clause| clause.name == "depend");
        let mut clauses = clauses.peekable();
        if clauses.peek().is_none() {
            return;
        }
        for clause in clauses {
            // Lines between preprocessor lines may not be there.
            let letter = kind(&clause.modifier_text(&text.text)).filter(|_| !text.has_cpp);
            let Some(letter) = letter else {
                self.depend_item((to, event), u32::from(UNKNOWN), None);
                continue;
            };
            for item in directive.items(clause) {
                let visible = text.text[item.span].iter().filter(|c| !c.is_ascii_whitespace());
                let item: String = visible.map(|c| char::from(*c)).collect();
                let passed = passed(&item, |name| self.declared(to.unit, name));
                let letter = if passed.is_some() { letter } else { UNKNOWN };
                self.depend_item((to, event), u32::from(letter), passed);
            }
        }
        self.depend_item((to, event), END, None);
    }

    /// The call for an item, which has an interface, because its type is not that of the dummy
    /// argument. `code` is its letter. One that is not known has a number of ours in its place.
    fn depend_item(&mut self, (to, event): (Target, Event), code: u32, passed: Option<Passed>) {
        let is_task = event.0 == "Task";
        let extras = if is_task { OF_TASK } else { OF_OTHERS };
        let name = self.names.routine(event, Some(extras)).to_owned();
        let [n, t, k, x] =
            ["n", "x0", "k", "x1"].map(|dummy| format!("{}{dummy}", self.names.prefix()));
        let dummy = if is_task { format!("{t},") } else { String::new() };
        let mut interface = Vec::new();
        let mut lines = vec![
            "interface".to_owned(),
            format!("subroutine {name}({n},{dummy}{k},{x})"),
            format!("integer :: {n},{k}"),
        ];
        lines.extend(is_task.then(|| format!("integer(8) :: {t}")));
        lines.iter().for_each(|line| self.writer.statement(&mut interface, line));
        self.writer.any_type(&mut interface, &x);
        for line in ["end subroutine", "end interface"] {
            self.writer.statement(&mut interface, line);
        }
        self.declare(to.unit, interface);
        let number = to.number;
        let (task, own) = match is_task {
            true => (self.names.local('t', number) + ",", self.names.local('t', number)),
            false => (String::new(), number.to_string()),
        };
        let passed = passed.unwrap_or(Passed { condition: None, actual: own });
        let condition = passed.condition.map(|of| format!("if ({of}) ")).unwrap_or_default();
        let call = format!("{condition}call {name}({number},{task}{code},{})", passed.actual);
        self.write_statement(&call);
    }

    /// What a name stands for in a unit.
    fn declared(&self, unit: usize, name: &str) -> Declared {
        let units = self.declared.get_or_init(|| self.declarations_of_units());
        let mut path = self.facts.nest.units[unit].path.as_str();
        let mut unit = Some(unit);
        while let Some(at) = unit {
            if let Some(declared) = units[at].get(name) {
                return declared;
            }
            let Some((host, _)) = path.rsplit_once("::") else { break };
            path = host;
            unit = self.facts.nest.units[..at].iter().rposition(|of| of.path == host);
        }
        Declared::Unknown
    }

    /// The declarations of all units.
    fn declarations_of_units(&self) -> Vec<Declarations> {
        let facts = self.facts;
        let units = &facts.nest.units;
        let mut all: Vec<Declarations> = Vec::new();
        all.resize_with(units.len(), Declarations::default);
        let (mut open, mut next, mut in_type) = (Vec::new(), 0, false);
        for (at, statement) in facts.scan.statements.iter().enumerate() {
            while units.get(next).is_some_and(|unit| unit.first <= at) {
                open.push(next);
                next += 1;
            }
            let (Kind::Code(class), Some(&unit)) = (statement.kind, open.last()) else { continue };
            match class {
                Class::EndUnit => drop(open.pop()),
                Class::Open(Construct::Type) => in_type = true,
                Class::End(Construct::Type) => in_type = false,
                Class::Preamble
                | Class::Include
                | Class::Unit(_)
                | Class::Other
                | Class::Open(Construct::Associate | Construct::Select)
                    if !in_type =>
                {
                    let code = Code::of(self.source, facts.scan, self.writer.form, *statement);
                    all[unit].take(&String::from_utf8_lossy(&code.text), class);
                }
                _ => {}
            }
        }
        all
    }
}

impl Tail<'_> {
    /// The procedure for an item. C gets all items of a construct in one call, so a thread collects
    /// them until they end: nothing between their calls can make it execute another task. A
    /// trace has one item less, so it says so if there are too many.
    pub(super) fn depend(&mut self, name: &str, routine: &Routine) {
        let descriptor = self.names.global("at");
        let c_name = &routine.c_name;
        let is_task = routine.extras == Some(OF_TASK);
        let task = if is_task { "@x0," } else { "" };
        self.lines(&format!(
            "subroutine {name}(@n,{task}@k,@x1)
            use, intrinsic :: iso_c_binding, only : @q=>c_int64_t, c_ptr, c_loc, c_char, c_null_char
            implicit none
            interface
            subroutine @c(@d,{task}@k,@x1) bind(C,name='{c_name}')
            import @q, c_ptr, c_char
            integer(@q), value :: @d"
        ));
        if is_task {
            self.lines("integer(@q), value :: @x0");
        }
        self.lines(
            "character(kind=c_char) :: @k(*)
            type(c_ptr) :: @x1(*)
            end subroutine
            end interface
            integer :: @n, @k",
        );
        if is_task {
            self.lines("integer(@q) :: @x0");
        }
        self.lines(&format!("integer(@q), external :: {descriptor}"));
        let item = format!("{}x1", self.names.prefix());
        self.writer.any_type(&mut self.out, &item);
        self.lines(&format!(
            "integer, save :: @i=0, @j=0
            character(kind=c_char), save :: @s({ITEMS}+1)
            type(c_ptr), save :: @a({ITEMS})"
        ));
        let shared = "(@i,@j,@s,@a)".replace('@', self.names.prefix());
        self.directive(&["threadprivate ", &shared]);
        let unknown = u32::from(UNKNOWN);
        self.lines(&format!(
            "if (@k=={END}) then
            @s(@i+1)=c_null_char
            call @c({descriptor}(@n),{task}@s,@a)
            @i=0
            @j=0
            else if (@i<{ITEMS}) then
            @i=@i+1
            @s(@i)=achar(@k,c_char)
            if (@k/={unknown}) then
            @j=@j+1
            @a(@j)=c_loc(@x1)
            end if
            end if
            end subroutine"
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DECLARATIONS: [&str; 8] = [
        "real(kind=8)::a(n,0:n),s",
        "real,intent(inout),dimension(:,:)::v",
        "real,allocatable::h(:),p",
        "integer,pointer::q(:)",
        "type(t)::d(4)",
        "integer::twice",
        "integer::twice(3),many",
        "pointermany",
    ];

    /// What is passed for an item, after its condition.
    fn check(item: &str, expected: &str) {
        let mut unit = Declarations::default();
        DECLARATIONS.iter().for_each(|text| unit.take(text, Class::Other));
        let passed = passed(item, |name| unit.get(name).unwrap_or(Declared::Unknown));
        let text = passed.map(|of| match of.condition {
            Some(condition) => format!("{condition}: {}", of.actual),
            None => of.actual,
        });
        assert_eq!(text.as_deref().unwrap_or("?"), expected, "{item}");
    }

    #[test]
    fn an_item_is_passed_by_its_address() {
        for item in ["s", "a", "h", "a(i,j+1)", "A(1,(i+1)*2)", "v(i,o%k)", "q(3)", "h(2:n)"] {
            check(item, item);
        }
        for item in ["a(:,:)", "a(:,j)", "a(:,i:j)", "a(i:j,k)"] {
            check(item, item);
        }
        check("a(i:j,k:l)", "i <= j .and. k <= l: a(i,k)");
        check("v(i:j,k)", "i <= j: v(i,k)");
    }

    #[test]
    fn other_items_are_not_known() {
        for item in ["v", "q", "v(:,j)", "q(2:)", "a(i:j:2,k)", "a(f(i),j)", "a(i,:j)", "a(1:,:)"] {
            check(item, "?");
        }
        for item in ["d", "d(1)", "d(1)%x", "twice", "many", "unknown(1)", "omp_all_memory", "/c/"]
        {
            check(item, "?");
        }
    }
}

//! The units appended to a file: one external procedure per kind of event, and the function that
//! knows the descriptors.
//!
//! A call passes the number of its region; the address of the descriptor is looked up here, so that
//! no variable is needed where the user's data-sharing clauses hold. Nothing is in COMMON, which
//! newer standards call obsolescent.

use super::text::{Extra, LockRoutine, Names, Routine, Writer};
use crate::{Abi, Options, Region};

/// What compilers must be told before they pass a variable of any type. The words of one are
/// comments for the others.
const ANY_TYPE: &[&str] = &["!GCC$ ATTRIBUTES NO_ARG_CHECK ::", "!DIR$ IGNORE_TKR"];

/// Bytes of a text in one element of a table: with its quotes it fits a line of 72 columns.
pub(super) const PIECE: usize = 40;

/// Writes all units after a text.
pub(super) fn tail(
    out: Vec<u8>,
    source: &[u8],
    options: &Options,
    writer: Writer,
    names: &Names,
    regions: &[Region],
) -> Vec<u8> {
    let path = &options.path;
    let mut tail = Tail { writer, names, out };
    for (name, routine) in names.used() {
        match names.abi {
            Abi::Pomp => tail.event(name, routine),
            Abi::Pomp2 => tail.event_pomp2(name, routine, regions),
        }
    }
    for (name, routine) in &names.locks {
        tail.lock(name, routine);
    }
    for (name, routine) in &names.pure {
        tail.pure(name, routine);
    }
    if !regions.is_empty() {
        match names.abi {
            Abi::Pomp => tail.descriptors(regions, path),
            Abi::Pomp2 => {
                tail.strings_pomp2(regions, path);
                tail.initialisation_pomp2(source, options, regions);
                tail.handles_pomp2(regions.len());
            }
        }
    }
    tail.out
}

/// Collects the units.
pub(super) struct Tail<'a> {
    pub writer: Writer,
    pub names: &'a Names,
    pub out: Vec<u8>,
}

impl Tail<'_> {
    /// Writes statements, one per line of `text`; `@` stands for the prefix of names.
    pub fn lines(&mut self, text: &str) {
        for line in text.lines() {
            let line = line.trim_start().replace('@', self.names.prefix());
            self.writer.statement(&mut self.out, &line);
        }
    }

    fn event(&mut self, name: &str, routine: &Routine) {
        let extras = routine.extras.unwrap_or_default();
        if extras.contains(&Extra::Item) {
            return self.depend(name, routine);
        }
        let dummies = list(routine, |at, extra| match extra {
            Extra::Nothing => None,
            _ => Some(format!("@x{at}")),
        });
        let dummies = dummies.replace("@d", "@n");
        self.lines(&format!("subroutine {name}({dummies})"));
        if routine.extras.is_some() {
            let names = format!("@k=>c_int64_t{}{}", pointers(extras), addresses(extras));
            self.lines(&format!("use, intrinsic :: iso_c_binding, only : {names}"));
        }
        self.lines("implicit none");
        self.interface(routine);
        if routine.extras.is_some() {
            self.lines("integer :: @n");
            self.lines(&format!("integer(@k), external :: {}", self.names.global("at")));
            self.dummies(extras);
        }
        if extras.contains(&Extra::Bounds) {
            self.count_iterations();
        }
        let address = format!("{}(@n)", self.names.global("at"));
        let actuals = list(routine, |at, extra| {
            Some(match extra {
                Extra::Nothing => "c_null_ptr".to_owned(),
                Extra::Any | Extra::Item => format!("c_loc(@x{at})"),
                Extra::In | Extra::Out => format!("@x{at}"),
                Extra::Bounds => "@t".to_owned(),
            })
        });
        self.lines(&format!("call @c({})", actuals.replace("@d", &address)));
        self.lines("end subroutine");
    }

    /// The C function behind an event.
    fn interface(&mut self, routine: &Routine) {
        let extras = routine.extras.unwrap_or_default();
        let dummies = list(routine, |at, _| Some(format!("@x{at}")));
        self.lines("interface");
        self.lines(&format!("subroutine @c({dummies}) bind(C,name='{}')", routine.c_name));
        if routine.extras.is_some() {
            self.lines(&format!("import @k{}", pointers(extras)));
            self.lines("integer(@k), value :: @d");
        }
        for (at, extra) in extras.iter().enumerate() {
            self.lines(&match extra {
                Extra::Out => format!("integer(@k) :: @x{at}"),
                Extra::In | Extra::Bounds => format!("integer(@k), value :: @x{at}"),
                Extra::Nothing | Extra::Any | Extra::Item => {
                    format!("type(c_ptr), value :: @x{at}")
                }
            });
        }
        self.lines("end subroutine\nend interface");
    }

    fn dummies(&mut self, extras: &[Extra]) {
        for (at, extra) in extras.iter().enumerate() {
            let name = format!("{}x{at}", self.names.prefix());
            match extra {
                Extra::Nothing => {}
                Extra::In | Extra::Out => self.lines(&format!("integer(@k) :: {name}")),
                Extra::Bounds => self.lines(&format!("integer(@k) :: {name}(*)")),
                Extra::Any | Extra::Item => self.writer.any_type(&mut self.out, &name),
            }
        }
    }

    /// Makes `@t` the number of iterations of all loops together, by the rule of the language
    /// (Fortran 2018, 11.1.7.4.1), and -1 if it is unknown or too large.
    fn count_iterations(&mut self) {
        self.lines(
            "integer(@k) :: @t,@i,@s
            @t=1
            if (@x0(1)<0) @t=-1
            do @i=1,@x0(1)
            @s=@x0(3*@i+1)
            if (@s==1) then
            @s=@x0(3*@i)-@x0(3*@i-1)+1
            else if (@s/=0) then
            @s=(@x0(3*@i)-@x0(3*@i-1)+@s)/@s
            else
            @t=-1
            end if
            if (@s<0) @s=0
            if (@t>0 .and. @s>0) then
            if (@t>huge(@t)/@s) @t=-1
            end if
            if (@t>=0) @t=@t*@s
            end do",
        );
    }

    /// The procedure that PURE procedures call. It is not PURE itself: only interfaces say so.
    fn pure(&mut self, name: &str, routine: &str) {
        self.lines(&format!(
            "subroutine {name}_i(@n) bind(C,name='{name}')
            use, intrinsic :: iso_c_binding, only : @k=>c_int
            implicit none
            integer(@k), value :: @n
            external :: {routine}
            call {routine}(int(@n))
            end subroutine"
        ));
    }

    /// The procedure that stands for a lock routine: it passes the lock's address to C.
    fn lock(&mut self, name: &str, routine: &LockRoutine) {
        let [lock, hint] = ["x0", "x1"].map(|dummy| format!("{}{dummy}", self.names.prefix()));
        self.lines(&routine.head(name, &lock, &hint));
        let kinds = imports(routine);
        self.lines(&format!("use, intrinsic :: iso_c_binding, only : c_loc, {kinds}"));
        if routine.is_nested() {
            self.lines(
                "use, intrinsic :: iso_c_binding, only : c_f_pointer
                use omp_lib, only : @a=>omp_lock_kind, @b=>omp_nest_lock_kind",
            );
        }
        self.lock_interface(routine);
        self.writer.any_type(&mut self.out, &lock);
        if routine.hint {
            self.lines(&format!("integer(4) :: {hint}"));
        }
        if routine.is_nested() {
            self.lines("type(c_ptr), pointer :: @q");
        }
        self.lines("type(c_ptr) :: @p\n@p=c_loc(@x0)");
        if routine.is_nested() {
            self.find_nest_lock(routine);
        }
        let actuals = if routine.hint { format!("@p,int({hint},c_long)") } else { "@p".to_owned() };
        self.lines(&match routine.result {
            "" => format!("call @c({actuals})"),
            "logical(4)" => format!("{name}=@c({actuals})/=0"),
            _ => format!("{name}=@c({actuals})"),
        });
        if routine.is_nested() && routine.ends() {
            self.lines("if (@a/=@b) call @o(c_loc(@x0))");
        }
        self.lines(&format!("end {}", routine.kind()));
    }

    /// The C function behind a lock routine.
    fn lock_interface(&mut self, routine: &LockRoutine) {
        let (stem, kind) = (routine.name, routine.kind());
        let abi = if self.names.abi == Abi::Pomp2 { "POMP2" } else { "POMP" };
        let c_name = format!("{abi}_{}{}", stem[..1].to_ascii_uppercase(), &stem[1..]);
        let dummies = if routine.hint { "@l,@i" } else { "@l" };
        self.lines(&format!(
            "implicit none
            interface
            {kind} @c({dummies}) bind(C,name='{c_name}')
            import {}
            type(c_ptr), value :: @l",
            imports(routine)
        ));
        if routine.hint {
            self.lines("integer(c_long), value :: @i");
        }
        if !routine.result.is_empty() {
            self.lines("integer(c_int) :: @c");
        }
        self.lines(&format!("end {kind}"));
        if routine.is_nested() && (routine.begins() || routine.ends()) {
            let what = if routine.begins() { "init" } else { "destroy" };
            self.lines(&format!(
                "subroutine @o(@l) bind(C,name='omp_{what}_nest_lock_')
                import c_ptr
                type(c_ptr), value :: @l
                end subroutine"
            ));
        }
        self.lines("end interface");
    }

    /// Makes `@p` the address that C knows a nest lock by. A lock of libgomp that is too large for
    /// the variable of Fortran lies on the heap: `omp_init_nest_lock_` allocates it, the variable
    /// holds its address, and C's routines want that address. There the two kinds differ, since a
    /// simple lock fits; in libomp they are equal, and variables of both languages hold the same.
    fn find_nest_lock(&mut self, routine: &LockRoutine) {
        self.lines("if (@a/=@b) then");
        if routine.begins() {
            self.lines("call @o(@p)");
        }
        self.lines("call c_f_pointer(@p,@q)\n@p=@q\nend if");
    }
}

impl Writer {
    /// Declares a dummy argument of any type and rank.
    pub fn any_type(self, out: &mut Vec<u8>, name: &str) {
        for words in ANY_TYPE {
            out.extend_from_slice(format!("{words} {name}\n").as_bytes());
        }
        self.statement(out, &format!("integer, target :: {name}(*)"));
    }
}

/// The types in the interface of a lock routine.
fn imports(routine: &LockRoutine) -> String {
    let result = if routine.result.is_empty() { "" } else { ", c_int" };
    let hint = if routine.hint { ", c_long" } else { "" };
    format!("c_ptr{result}{hint}")
}

/// The arguments of a routine with a comma between: the descriptor `@d`, then the extra ones.
fn list(routine: &Routine, extra: impl Fn(usize, Extra) -> Option<String>) -> String {
    let Some(extras) = routine.extras else { return String::new() };
    let extras = extras.iter().enumerate().filter_map(|(at, which)| extra(at, *which));
    std::iter::once("@d".to_owned()).chain(extras).collect::<Vec<_>>().join(",")
}

/// The type of addresses, where an argument is one.
fn pointers(extras: &[Extra]) -> &'static str {
    let address = |extra: &Extra| matches!(extra, Extra::Nothing | Extra::Any);
    if extras.iter().any(address) { ", c_ptr" } else { "" }
}

/// What makes an address.
fn addresses(extras: &[Extra]) -> &'static str {
    if extras.contains(&Extra::Any) {
        ", c_loc"
    } else if extras.contains(&Extra::Nothing) {
        ", c_null_ptr"
    } else {
        ""
    }
}

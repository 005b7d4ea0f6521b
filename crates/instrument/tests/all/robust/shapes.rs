//! Texts that are as long as one likes, each long in another way: what a generator may write, and
//! what somebody may write who looks for a place where the work grows faster than the text.

/// A shape: its name, what its text is read as, and the text that has `count` of what it has many.
pub type Shape = (&'static str, &'static str, fn(usize) -> String);

/// All shapes. To add one: a line here.
pub const SHAPES: &[Shape] = &[
    ("no directives", "t.c", |count| "int f(int x) { return x ? 1 : g(x); }\n".repeat(count)),
    ("directives in a function", "t.c", |count| {
        in_function(&"#pragma omp parallel for if(x)\nfor (;;) a();\n".repeat(count))
    }),
    ("deep blocks", "t.c", |count| {
        in_function(&format!("#pragma omp single\n{}x;{}", "{ ".repeat(count), " }".repeat(count)))
    }),
    ("many deep statements", "t.c", |count| {
        let deep = format!("#pragma omp parallel\n{}x;\n", "if (x) ".repeat(100));
        in_function(&deep.repeat(count.div_ceil(100)))
    }),
    ("deep statements", "t.c", |count| {
        in_function(&format!("#pragma omp parallel\n{}x;\n", "if (x) ".repeat(count)))
    }),
    ("deep sections", "t.c", |count| {
        let (open, close) = ("#pragma omp sections\n{\n".repeat(count), "}\n".repeat(count));
        in_function(&format!("{open}x;{close}"))
    }),
    ("many sections", "t.c", |count| {
        let sections = "#pragma omp section\nx();\n".repeat(count);
        in_function(&format!("#pragma omp sections\n{{\n{sections}}}\n"))
    }),
    ("many #if", "t.c", |count| {
        in_function(&each(count, |n| format!("#if A{n}\n#pragma omp barrier\n#endif\n")))
    }),
    ("many #if 0", "t.c", |count| {
        in_function(&"#if 0\n#pragma omp barrier\n#endif\n".repeat(count))
    }),
    ("many #else with bodies", "t.c", |count| {
        let group = "#ifdef A\n#pragma omp parallel\n#else\n#pragma omp single\n#endif\nx();\n";
        in_function(&group.repeat(count))
    }),
    ("many #elif", "t.c", |count| {
        let branches = each(count, |n| format!("#elif A{n}\n#pragma omp barrier\n"));
        in_function(&format!("#if A\n{branches}#endif\n"))
    }),
    ("many different #if with bodies", "t.c", |count| {
        let group = |n| {
            format!(
                "#if A{n}\n#pragma omp parallel\n#else\n#pragma omp single\n#endif\n{{ x(); }}\n"
            )
        };
        in_function(&each(count, group))
    }),
    ("many different #if in functions", "t.c", |count| {
        let group = |n| {
            let head =
                format!("#if A{n}\nint f{n}(int x) {{\n#elif B{n} > 2\nint g{n}(void)\n{{\n");
            format!("{head}#else\nint h{n}() {{\n#endif\n#pragma omp barrier\n}}\n")
        };
        each(count, group)
    }),
    ("deep #if", "t.c", |count| {
        let open = "#if A\n#pragma omp parallel\n{\n".repeat(count);
        in_function(&format!("{open}{}", "}\n#endif\n".repeat(count)))
    }),
    ("user regions, first in, first out", "t.c", |count| {
        let begins = each(count, |n| format!("#pragma pomp inst begin(r{n})\n"));
        let ends = each(count, |n| format!("#pragma pomp inst end(r{n})\n"));
        in_function(&(begins + &ends))
    }),
    ("functions that target constructs call", "t.c", |count| {
        let functions = each(count, |n| format!("int f{n}(int x) {{ return f{}(x); }}\n", n + 1));
        functions + &in_function(&"#pragma omp target\nf0((f1(f2(2))));\n".repeat(count))
    }),
    ("functions in functions that target constructs call", "t.c", |count| {
        let nested = format!("{}{}", "int f(int x) {\n".repeat(count), "}\n".repeat(count));
        nested + &in_function("#pragma omp target\nf(f(1));\n")
    }),
    ("a long line", "t.c", |count| {
        in_function(&format!("#pragma omp parallel\nx = {}1;\n", "x + f(y)[0] + ".repeat(count)))
    }),
    ("a long directive", "t.c", |count| {
        let clauses = each(count, |n| format!("\\\n private(x{n})"));
        in_function(&format!("#pragma omp parallel for {clauses}\nfor (;;) a();\n"))
    }),
    ("a long list", "t.c", |count| {
        let names = each(count, |n| format!(", x{n}"));
        in_function(&format!(
            "#pragma omp parallel for default(none) firstprivate(x{names})\nfor (;;) a();\n"
        ))
    }),
    ("many in one with many clauses", "t.c", |count| {
        let clauses = each(count, |n| format!(" private(x{n})"));
        let inside = "#pragma omp barrier\n".repeat(count);
        in_function(&format!("#pragma omp parallel sections {clauses}\n{{\n{inside}x();\n}}\n"))
    }),
    ("unknown clauses", "t.c", |count| {
        in_function(&each(count, |n| format!("#pragma omp parallel some{n}\nx();\n")))
    }),
    ("deep lambdas", "t.cpp", |count| {
        in_function(&format!("{}{}", "f([&](int x) -> int { ".repeat(count), "});".repeat(count)))
    }),
    ("many lambdas", "t.cpp", |count| {
        in_function(&"g(x < y, []<class T>(T) { return [] { return 1; }(); });\n".repeat(count))
    }),
    ("brackets that may begin lambdas", "t.cpp", |count| {
        in_function(&format!("f({}x {{ }});", "= [a] (b) ".repeat(count)))
    }),
    ("attributes", "t.cpp", |count| {
        in_function(
            &"[[omp::sequence(directive(parallel), directive(for))]] for (;;) a();\n".repeat(count),
        )
    }),
    ("a long sequence", "t.cpp", |count| {
        let more = ", directive(parallel)".repeat(count);
        in_function(&format!("[[omp::sequence(directive(parallel){more})]] x();\n"))
    }),
    ("attributes that never end", "t.cpp", |count| {
        in_function(&"[[omp::directive(barrier)]];\nx = y[[omp (\n".repeat(count))
    }),
    ("attributes with comments that never end", "t.cpp", |count| "x[[/*omp\n".repeat(count)),
    ("operators with comments in comments", "t.c", |count| {
        format!("{}*/", "_Pragma(/*omp\n".repeat(count))
    }),
    ("operators", "t.c", |count| in_function(&"_Pragma(\"omp barrier\") x();\n".repeat(count))),
    ("macros with operators", "t.c", |count| {
        let macros = each(count, |n| format!("#define M{n}(x) _Pragma(#x)\n"));
        format!("{macros}{}", in_function("M1(x)\n#pragma omp barrier\n"))
    }),
    ("line markers", "t.i", |count| {
        in_function(&"# 12\nx();\n#pragma omp barrier\n".repeat(count))
    }),
    ("prefixes", "t.c", |count| {
        let names = each(count, |n| format!("int pomp{n}_;\n"));
        format!("int pomp_;\n{names}{}", in_function("#pragma omp barrier\n"))
    }),
    ("raw strings that never end", "t.cpp", |count| {
        in_function(&each(count, |n| format!("R\"{n}(omp\n")))
    }),
    ("quotes", "t.c", |count| in_function(&"x = '\"' + \"'\" + 1'000;\n//\"omp\n".repeat(count))),
    ("directives in Fortran", "t.f90", |count| in_program(&"!$omp barrier\n".repeat(count))),
    ("loops", "t.f90", |count| {
        in_program(&"!$omp parallel do if(x)\ndo i=1,2\nx=1\nend do\n".repeat(count))
    }),
    ("simd loops with collapse", "t.f90", |count| {
        let header = "!$omp parallel do simd default(none) collapse(999999)\n";
        in_program(&format!("{header}do i=1,2\nx=1\nend do\n").repeat(count))
    }),
    ("deep loops", "t.f90", |count| {
        let open = "!$omp parallel do\ndo i=1,2\n".repeat(count);
        in_program(&format!("{open}x=1\n{}", "end do\n".repeat(count)))
    }),
    ("deep constructs", "t.f90", |count| {
        let (open, close) = ("!$omp task\n".repeat(count), "!$omp end task\n".repeat(count));
        in_program(&format!("{open}x=1\n{close}"))
    }),
    ("many deep constructs", "t.f90", |count| {
        let (open, close) = ("!$omp task\n".repeat(50), "!$omp end task\n".repeat(50));
        in_program(&format!("{open}x=1\n{close}").repeat(count.div_ceil(50)))
    }),
    ("many units", "t.f90", |count| {
        each(count, |n| {
            format!("subroutine s{n}\nuse m\n!$omp parallel\nx=1\n!$omp end parallel\nend\n")
        })
    }),
    ("many units for devices", "t.f90", |count| {
        let names = each(count, |n| format!("!$omp declare target(s{n})\n"));
        let units = each(count, |n| format!("subroutine s{n}\n!$omp barrier\nend\n"));
        format!("module m\n{names}contains\n{units}end module\n")
    }),
    ("many user regions", "t.f90", |count| {
        let begins = each(count, |n| format!("!$pomp inst begin(r{n})\n"));
        let ends = each(count, |n| format!("!$pomp inst end(r{n})\n"));
        in_program(&(begins + &ends))
    }),
    ("a long continuation", "t.f90", |count| {
        let names = each(count, |n| format!("!$omp& private(x{n}) &\n"));
        in_program(&format!("!$omp parallel do &\n{names}!$omp& if(x)\ndo i=1,2\nend do\n"))
    }),
    ("a long condition", "t.f90", |count| {
        let terms = "!$omp& x > 1 .and. &\n".repeat(count);
        in_program(&format!("!$omp parallel do simd if(&\n{terms}!$omp& y)\ndo i=1,2\nend do\n"))
    }),
    ("many #elif in Fortran", "t.F", |count| {
        let branches = each(count, |n| format!("#elif A{n}\n!$omp atomic\n      x=x+1\n"));
        in_program(&format!("#if A\n      x=1\n{branches}#endif\n"))
    }),
    ("many #if in Fortran", "t.F90", |count| {
        let group = "#ifdef A\n!$omp parallel\n#else\n!$omp parallel if(x)\n#endif\nx=1\n";
        in_program(&format!("{group}!$omp end parallel\n").repeat(count))
    }),
    ("deep #if in Fortran", "t.F", |count| {
        let open = "#if A\n      x=1\n#else\n".repeat(count);
        in_program(&format!("{open}!$omp barrier\n{}", "#endif\n".repeat(count)))
    }),
    ("#if that never ends in Fortran", "t.F90", |count| {
        each(count, |n| {
            format!("subroutine s{n}\n#if A\nuse m\n!$omp task\nx=1\n!$omp end task\nend\n")
        })
    }),
    ("many files", "t.f90", |count| {
        in_program(&each(count, |n| format!("# 1 \"file{n}.h\"\n!$omp barrier\n")))
    }),
    ("comments in fixed form", "t.f", |count| {
        in_program(&"      x=1\nc comment\n!$omp barrier\n".repeat(count))
    }),
];

fn each(count: usize, text: impl Fn(usize) -> String) -> String {
    (0..count).map(text).collect()
}

fn in_function(body: &str) -> String {
    format!("void f(void) {{\n{body}}}\n")
}

fn in_program(body: &str) -> String {
    format!("      program p\n{body}      end program\n")
}

//! The block before the first line.

use expect_test::{Expect, expect};
use pompeii_instrument::{Language, Options, instrument};

fn check(input: &str, options: &Options, expected: &Expect) {
    let outcome = instrument(input.as_bytes(), options).unwrap();
    let text = String::from_utf8(outcome.text).unwrap();
    let shown = text.lines().filter(|line| !line.contains("POMP_")).take(16);
    expected.assert_eq(&shown.map(|line| format!("{line}\n")).collect::<String>());
}

#[test]
fn of_c() {
    check(
        "#pragma omp barrier\n",
        &Options::new("a \"b\"\\c.c", Language::C),
        &expect![[r##"
            #ifndef _POMP
            #define _POMP 200110
            #endif
            struct ompregdescr;struct pomp_extension{const char*mark,*clauses;};
            struct pomp_region{const char*name,*sub_name;int num_sections;const char*file_name;int begin_line1,begin_lineN,end_line1,end_lineN;void*data;struct pomp_extension*next;};
            static struct pomp_extension pomp_x0={"pompeii 1",""};
            static struct pomp_region pomp_d1={"barrier","",0,"a \"b\"\\c.c",1,1,1,1,0,&pomp_x0};
            static __inline__ __attribute__((always_inline,unused))struct ompregdescr*pomp_1(void){return (struct ompregdescr*)&pomp_d1;}
            #line 1 "a \"b\"\\c.c"
            #line 1
            #pragma omp barrier
            #line 2
            /* pompeii undo 1: 14 af7a4abc12a541ea
               0+12e4,13+0,1+27
            */
        "##]],
    );
}

#[test]
fn of_cxx() {
    check(
        "#pragma omp barrier\n",
        &Options::new("t.cpp", Language::Cxx),
        &expect![[r##"
            #ifndef _POMP
            #define _POMP 200110
            #endif
            struct ompregdescr;struct pomp_extension{const char*mark,*clauses;};
            struct pomp_region{const char*name,*sub_name;int num_sections;const char*file_name;int begin_line1,begin_lineN,end_line1,end_lineN;void*data;struct pomp_extension*next;};
            extern "C" {
            }
            static struct pomp_extension pomp_x0={"pompeii 1",""};
            static struct pomp_region pomp_d1={"barrier","",0,"t.cpp",1,1,1,1,__null,&pomp_x0};
            static __inline__ __attribute__((always_inline,unused))struct ompregdescr*pomp_1(void){return reinterpret_cast<struct ompregdescr*>(&pomp_d1);}
            #line 1 "t.cpp"
            #line 1
            #pragma omp barrier
            #line 2
            /* pompeii undo 1: 14 af7a4abc12a541ea
               0+12fc,13+0,1+27
        "##]],
    );
}

#[test]
fn behind_a_byte_order_mark() {
    let options = Options { line_markers: false, ..Options::new("t.c", Language::C) };
    check(
        "\u{feff}#pragma omp barrier\n",
        &options,
        &expect![[r#"
            ﻿#ifndef _POMP
            #define _POMP 200110
            #endif
            struct ompregdescr;struct pomp_extension{const char*mark,*clauses;};
            struct pomp_region{const char*name,*sub_name;int num_sections;const char*file_name;int begin_line1,begin_lineN,end_line1,end_lineN;void*data;struct pomp_extension*next;};
            static struct pomp_extension pomp_x0={"pompeii 1",""};
            static struct pomp_region pomp_d1={"barrier","",0,"t.c",1,1,1,1,0,&pomp_x0};
            static __inline__ __attribute__((always_inline,unused))struct ompregdescr*pomp_1(void){return (struct ompregdescr*)&pomp_d1;}
            #pragma omp barrier
            /* pompeii undo 1: 17 8c98729735851fb8
               3+12bc,13+0,1+1f
            */
        "#]],
    );
}

#[test]
fn behind_the_start_of_a_module_unit() {
    let text = "// unit\nmodule;\n#include <x>\n#pragma omp barrier\n";
    check(
        text,
        &Options::new("t.cpp", Language::Cxx),
        &expect![[r#"
            // unit
            module;
            #ifndef _POMP
            #define _POMP 200110
            #endif
            struct ompregdescr;struct pomp_extension{const char*mark,*clauses;};
            struct pomp_region{const char*name,*sub_name;int num_sections;const char*file_name;int begin_line1,begin_lineN,end_line1,end_lineN;void*data;struct pomp_extension*next;};
            extern "C" {
            }
            static struct pomp_extension pomp_x0={"pompeii 1",""};
            static struct pomp_region pomp_d1={"barrier","",0,"t.cpp",4,4,4,4,__null,&pomp_x0};
            static __inline__ __attribute__((always_inline,unused))struct ompregdescr*pomp_1(void){return reinterpret_cast<struct ompregdescr*>(&pomp_d1);}
            #line 3 "t.cpp"
            #include <x>
            #line 4
            #pragma omp barrier
        "#]],
    );
}

#[test]
fn names_that_are_taken_are_avoided() {
    let text = "int pomp_d1;\n#pragma omp barrier\n";
    check(
        text,
        &Options::new("t.c", Language::C),
        &expect![[r##"
            #ifndef _POMP
            #define _POMP 200110
            #endif
            struct ompregdescr;struct pomp1_extension{const char*mark,*clauses;};
            struct pomp1_region{const char*name,*sub_name;int num_sections;const char*file_name;int begin_line1,begin_lineN,end_line1,end_lineN;void*data;struct pomp1_extension*next;};
            static struct pomp1_extension pomp1_x0={"pompeii 1",""};
            static struct pomp1_region pomp1_d1={"barrier","",0,"t.c",2,2,2,2,0,&pomp1_x0};
            static __inline__ __attribute__((always_inline,unused))struct ompregdescr*pomp1_1(void){return (struct ompregdescr*)&pomp1_d1;}
            #line 1 "t.c"
            int pomp_d1;
            #line 2
            #pragma omp barrier
            #line 3
            /* pompeii undo 1: 21 5a033ddf957053fe
               0+12b4,d+29,13+0,1+28
            */
        "##]],
    );
}

#[test]
fn without_directives_the_text_is_the_same() {
    for text in
        ["", "int omp;\n", "#pragma omp scan\n", "// comp\r\n#if 0\n#pragma omp barrier\n#endif"]
    {
        let outcome = instrument(text.as_bytes(), &Options::new("t.c", Language::C)).unwrap();
        assert_eq!(outcome.text, text.as_bytes());
    }
}

//! `pomp.h` declares what the library exports, no more and no less.

use std::collections::BTreeSet;

/// Names of the dynamic symbols that a shared library defines: the ELF tables, read by hand so that
/// the test needs no tool.
fn exported(library: &[u8]) -> BTreeSet<String> {
    const DYNAMIC_SYMBOLS: u32 = 11;
    let number = |at: usize, bytes: usize| {
        library[at..at + bytes].iter().rev().fold(0, |value, &byte| value << 8 | usize::from(byte))
    };
    let (table, entry_bytes, entries) = (number(0x28, 8), number(0x3a, 2), number(0x3c, 2));
    let section = |index: usize| {
        let at = table + index * entry_bytes;
        (number(at + 4, 4) as u32, number(at + 24, 8), number(at + 32, 8), number(at + 40, 4))
    };
    let symbols = (0..entries).map(section).find(|&(kind, ..)| kind == DYNAMIC_SYMBOLS);
    let (_, at, bytes, names) = symbols.expect("a table of dynamic symbols");
    let (_, names, ..) = section(names);
    (at..at + bytes)
        .step_by(24)
        .filter(|&symbol| number(symbol + 6, 2) != 0)
        .map(|symbol| {
            let name = &library[names + number(symbol, 4)..];
            let end = name.iter().position(|&byte| byte == 0).unwrap_or(0);
            String::from_utf8_lossy(&name[..end]).into_owned()
        })
        .collect()
}

fn declared(header: &str) -> BTreeSet<String> {
    let lines = header.lines().filter(|line| line.starts_with("void ") || line.starts_with("int "));
    let names = lines.filter_map(|line| line.split_once(' ')?.1.split_once('('));
    names.map(|(name, _)| name.to_owned()).collect()
}

#[test]
fn header_and_library_agree() {
    let test = std::env::current_exe().expect("the test's own path");
    let folder = test.parent().expect("the folder of tests and their libraries");
    let library = std::fs::read(folder.join("libpomp.so")).expect("libpomp.so beside the tests");
    let exported = exported(&library);
    let is_ours = |name: &&String| name.starts_with("POMP_");
    let declared = declared(include_str!("../../include/pomp.h"));
    assert!(declared.len() > 50);
    let ours: Vec<&String> = exported.iter().filter(is_ours).collect();
    assert_eq!(ours, declared.iter().collect::<Vec<_>>());
    assert!(exported.contains("omp_set_lock") && exported.contains("omp_set_lock_"));
}

//! Threads that the program has created: their call paths begin with the function of the thread.

use pompeii_live::{Definition, Key, LiveLocation, LiveProcess, RegionKind};
use pompeii_symbols::Frame;

use crate::nodes::ROOT;

/// The name of the function that the location's first thread begins with; `None` for a location
/// that is not of such threads.
pub fn function<'a>(live: &'a LiveProcess, location: &LiveLocation) -> Option<&'a str> {
    if location.parent.is_some() || location.index == 0 {
        return None;
    }
    let below_root = location.nodes.iter().filter(|node| node.parent == ROOT);
    let mut regions = below_root.filter_map(|node| match Key::decode(node.key) {
        Key::Region(region) => Some(region),
        _ => None,
    });
    regions.find_map(|region| {
        live.definitions.iter().find_map(|definition| match definition {
            Definition::Region { id, kind: RegionKind::ThreadStart, name, .. } if *id == region => {
                Some(name.as_str())
            }
            _ => None,
        })
    })
}

/// The function that a thread begins with, in the program's words.
pub fn start(frame: &Frame) -> Frame {
    match cpp_name(&frame.function) {
        // Its source is that of the library.
        Some(function) => Frame { function, file: String::new(), line: 0 },
        None => frame.clone(),
    }
}

/// What a thread of C++ was made of, by the library's function that it begins with; `None` for
/// another function. That of a local class has only the last part of its name.
fn cpp_name(function: &str) -> Option<String> {
    let of_cpp =
        function.strip_prefix("std::thread::_State_impl<std::thread::_Invoker<std::tuple<");
    let called = of_cpp.and_then(|rest| rest.strip_suffix("::_M_run"));
    // The ends of the state, of the invoker and of the tuple.
    let called = called.and_then(without_end).and_then(without_end).and_then(without_end);
    match called {
        Some(called) => Some(format!("std::thread({})", called.trim_end())),
        None => (function == "_M_run").then(|| "std::thread".to_owned()),
    }
}

/// The arguments of a template without the end of the outermost one.
fn without_end(arguments: &str) -> Option<&str> {
    arguments.trim_end().strip_suffix('>')
}

#[cfg(test)]
mod tests {
    use super::cpp_name;

    #[test]
    fn threads_of_cpp_are_named_by_what_they_call() {
        let name = |called: &str| {
            let state = format!("std::thread::_Invoker<std::tuple<{called}> >");
            cpp_name(&format!("std::thread::_State_impl<{state} >::_M_run")).unwrap()
        };
        assert_eq!(name("void (*)(int), int"), "std::thread(void (*)(int), int)");
        assert_eq!(name("main::{lambda()#1}"), "std::thread(main::{lambda()#1})");
        assert_eq!(name("f, std::vector<int> "), "std::thread(f, std::vector<int>)");
        assert_eq!(cpp_name("_M_run").as_deref(), Some("std::thread"));
        assert_eq!(cpp_name("worker"), None);
    }
}

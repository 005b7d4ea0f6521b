//! Circles of files in a crate: a file uses another one, which uses the first, perhaps through
//! further ones. Such files can be understood and changed only together, and therefore a crate is
//! built in floors. A module and its own children are one thing and may use each other. Circles of
//! few files are allowed. A call of a method has no path, so it does not count.

use std::collections::{BTreeMap, BTreeSet};

use super::Complaint;
use super::names::Names;

/// Files of a circle that needs no mending.
const FILES_MAX: usize = 3;

/// A module: its names from the root of its crate.
type Module = Vec<String>;

/// Complaints about the files: names from the project's folder, and texts.
pub(super) fn check(files: &[(String, String)]) -> Vec<Complaint> {
    let mut crates: BTreeMap<&str, BTreeMap<Module, File>> = BTreeMap::new();
    for (file, text) in files {
        if let Some((name, module)) = module(file) {
            let of_crate = crates.entry(name).or_default();
            of_crate.insert(module, File { file, names: Names::of(text) });
        }
    }
    let mut complaints = Vec::new();
    for files in crates.values() {
        let files = Crate { files };
        for circle in files.circles().iter().filter(|circle| circle.len() > FILES_MAX) {
            complaints.extend(circle.iter().map(|module| files.complaint(module, circle)));
        }
    }
    complaints
}

/// Crate and module of a source file; `None` for the root of a crate and for other files.
fn module(file: &str) -> Option<(&str, Module)> {
    let (folder, inner) = file.split_once("/src/")?;
    let path = inner.strip_suffix(".rs")?;
    let module = path.strip_suffix("/mod").unwrap_or(path);
    let name = folder.strip_prefix("crates/").unwrap_or(folder);
    let names = if matches!(module, "lib" | "main") { vec![] } else { split(module) };
    Some((name, names))
}

fn split(module: &str) -> Module {
    module.split('/').map(str::to_owned).collect()
}

struct File<'a> {
    file: &'a str,
    names: Names,
}

/// All files of a crate.
struct Crate<'a> {
    files: &'a BTreeMap<Module, File<'a>>,
}

impl Crate<'_> {
    /// Circles, longest possible ones: each file is in one at most.
    fn circles(&self) -> Vec<Vec<&Module>> {
        let uses: BTreeMap<&Module, BTreeSet<Module>> =
            self.files.keys().map(|module| (module, self.used_by(module))).collect();
        let reached: BTreeMap<&Module, BTreeSet<&Module>> =
            self.files.keys().map(|module| (module, reached(&uses, module))).collect();
        let circle = |(module, from): (&&Module, &BTreeSet<&_>)| -> Vec<&Module> {
            let keys = self.files.keys();
            keys.filter(|other| from.contains(other) && reached[other].contains(module)).collect()
        };
        let circles: BTreeSet<Vec<&Module>> = reached.iter().map(circle).collect();
        circles.into_iter().filter(|circle| !circle.is_empty()).collect()
    }

    /// The modules that a module uses, without its parents and its children.
    fn used_by(&self, module: &Module) -> BTreeSet<Module> {
        let Names { imports, paths } = &self.files[module].names;
        let paths = imports.iter().map(|(_, path)| path).chain(paths);
        let used = paths.filter_map(|path| self.target(module, path, 0));
        used.filter(|other| !other.starts_with(module) && !module.starts_with(other)).collect()
    }

    /// The module that has what a path in `module` names. A path through re-exports leads to the
    /// last one; `depth` counts them, because they may go round, too.
    fn target(&self, module: &Module, path: &[String], depth: usize) -> Option<Module> {
        const DEPTH_MAX: usize = 9;
        let (first, mut rest) = path.split_first()?;
        let mut at = match first.as_str() {
            "crate" => Module::new(),
            "self" => module.clone(),
            "super" => module.split_last()?.1.to_vec(),
            name if self.files.contains_key(&child(module, name)) => child(module, name),
            _ if depth < DEPTH_MAX => return self.imported(module, path, depth),
            _ => return None,
        };
        while let Some((name, further)) = rest.split_first() {
            if name == "super" {
                at.pop();
            } else if self.files.contains_key(&child(&at, name)) {
                at.push(name.clone());
            } else {
                break;
            }
            rest = further;
        }
        let has_name = at == *module || depth == DEPTH_MAX;
        let elsewhere = if has_name { None } else { self.imported(&at, rest, depth) };
        Some(elsewhere.unwrap_or(at))
    }

    /// The module of a path that begins with a name that `module` imports.
    fn imported(&self, module: &Module, path: &[String], depth: usize) -> Option<Module> {
        let (name, rest) = path.split_first()?;
        let imports = &self.files.get(module)?.names.imports;
        let is_it = |(known, from): &&(String, Vec<String>)| known == name && from.len() > 1;
        let (_, from) = imports.iter().find(is_it)?;
        let path: Vec<String> = from.iter().chain(rest).cloned().collect();
        self.target(module, &path, depth + 1)
    }

    fn complaint(&self, module: &Module, circle: &[&Module]) -> Complaint {
        let uses = self.used_by(module);
        let used: Vec<String> = uses
            .iter()
            .filter(|other| circle.contains(other))
            .map(|other| format!("`{}`", other.join("::")))
            .collect();
        let what = format!(
            "in a circle of {} files through {}, which it uses and which use it in turn: move what \
             both need to a file below them",
            circle.len(),
            used.join(", ")
        );
        Complaint { file: self.files[module].file.to_owned(), line: 0, what }
    }
}

/// All modules that a module uses, itself or through others.
fn reached<'a>(
    uses: &'a BTreeMap<&Module, BTreeSet<Module>>,
    from: &Module,
) -> BTreeSet<&'a Module> {
    let mut open: Vec<&Module> = uses[from].iter().collect();
    let mut reached = BTreeSet::new();
    while let Some(module) = open.pop() {
        if reached.insert(module) {
            open.extend(&uses[module]);
        }
    }
    reached
}

fn child(module: &[String], name: &str) -> Module {
    module.iter().cloned().chain([name.to_owned()]).collect()
}

#[cfg(test)]
mod tests {
    use super::check;

    const ROOT: (&str, &str) = ("lib.rs", "pub use d::D;\nuse a::A;");

    fn complaints(files: &[(&str, &str)]) -> Vec<String> {
        let files: Vec<(String, String)> = files
            .iter()
            .map(|(file, text)| (format!("crates/x/src/{file}"), (*text).to_owned()))
            .collect();
        let found = check(&files);
        found.into_iter().map(|c| format!("{}: {}", c.file, c.what)).collect()
    }

    fn files_of(files: &[(&str, &str)]) -> Vec<String> {
        let found = complaints(files);
        let name = |c: String| c.split(':').next().unwrap().replace("crates/x/src/", "");
        found.into_iter().map(name).collect()
    }

    #[test]
    fn a_circle_is_found_through_every_kind_of_path() {
        let circle = [
            ROOT,
            ("a.rs", "use crate::b::{B, Other as C};"),
            ("b/mod.rs", "mod inner;"),
            ("b/inner.rs", "use crate::c; fn f() { c::g() }"),
            ("c.rs", "fn g(d: crate::D) {}"),
            ("d.rs", "mod e;"),
            ("d/e.rs", "use super::super::a::A;"),
        ];
        // Children and parents are one, so that no path leads from `b` to `b::inner`.
        assert_eq!(files_of(&circle), [""; 0]);
        let mut through_inner = circle;
        through_inner[1].1 = "use crate::b::inner::B;";
        through_inner[5].1 = "use super::a::A;";
        assert_eq!(files_of(&through_inner), ["a.rs", "b/inner.rs", "c.rs", "d.rs"]);
    }

    #[test]
    fn short_circles_tests_and_children_are_none() {
        let short =
            [ROOT, ("a.rs", "use crate::b;"), ("b.rs", "use crate::c;"), ("c.rs", "use a;")];
        assert_eq!(files_of(&short), [""; 0]);
        let for_tests = [
            ROOT,
            ("a.rs", "use crate::b;"),
            ("b.rs", "use crate::c;"),
            ("c.rs", "use crate::d;"),
            ("d.rs", "#[cfg(test)]\nmod tests { use crate::a; }"),
        ];
        assert_eq!(files_of(&for_tests), [""; 0]);
        let mut in_code = for_tests;
        in_code[4].1 = "use crate::a;";
        assert_eq!(files_of(&in_code).len(), 4);
    }

    #[test]
    fn a_complaint_names_the_files_of_the_circle_that_a_file_uses() {
        let circle = [
            ("a.rs", "use crate::b;"),
            ("b.rs", "use crate::c;"),
            ("c.rs", "use crate::d;"),
            ("d.rs", "use crate::a;"),
        ];
        let found = complaints(&circle);
        assert_eq!(found.len(), 4);
        assert!(found[2].starts_with("crates/x/src/c.rs: in a circle of 4 files through `d`"));
    }
}

//! The files of the page, as they are in `web/`, and all of them as one style and one script. The
//! offline page has these inside, because modules cannot import each other in a page that was
//! opened from a disk. A server delivers them as two files: ninety modules that import each other
//! would be asked for in as many steps as they are deep, and the page would be seen later.

use std::collections::BTreeSet;
use std::sync::LazyLock;

/// A style or a module, by its path in `web/`.
#[derive(Clone, Copy, Debug)]
struct Asset {
    /// The path, with `/` between its parts.
    path: &'static str,
    /// The content.
    text: &'static str,
}

macro_rules! assets {
    ($($path:literal)*) => {
        &[$(Asset { path: $path, text: include_str!(concat!("../web/", $path)) }),*]
    };
}

/// The styles, in the order in which they apply.
const STYLES: &[Asset] = assets!(
    "theme.css"
    "tabs.css"
    "views/overview.css"
    "views/details.css"
    "views/tasks.css"
    "views/source.css"
    "trees/trees.css"
    "time/time.css"
);

/// The modules. A new one needs a line here.
const MODULES: &[Asset] = assets!(
    "colour.js"
    "dom.js"
    "format.js"
    "keys.js"
    "main.js"
    "order.js"
    "selftest.js"
    "source/cache.js"
    "source/decode.js"
    "source/edges.js"
    "source/embedded.js"
    "source/estimate.js"
    "source/moments.js"
    "source/pieces.js"
    "source/server.js"
    "source/source.js"
    "source/unpack.js"
    "state.js"
    "tabs.js"
    "theme.js"
    "time/axis.js"
    "time/commands.js"
    "time/crowd.js"
    "time/edges.js"
    "time/extra.js"
    "time/fields.js"
    "time/find.js"
    "time/followers.js"
    "time/ink.js"
    "time/latest.js"
    "time/leveldraw.js"
    "time/levels.js"
    "time/lit.js"
    "time/moments.js"
    "time/names.js"
    "time/overview.js"
    "time/paint.js"
    "time/pixels.js"
    "time/pointer.js"
    "time/raster.js"
    "time/rows.js"
    "time/select.js"
    "time/side.js"
    "time/start.js"
    "time/text.js"
    "time/timeline.js"
    "time/tools.js"
    "time/twin.js"
    "time/view.js"
    "time/words.js"
    "trees/address.js"
    "trees/bases.js"
    "trees/combine.js"
    "trees/data.js"
    "trees/external.js"
    "trees/find.js"
    "trees/flame.js"
    "trees/forms.js"
    "trees/menu.js"
    "trees/modes.js"
    "trees/outline.js"
    "trees/panes.js"
    "trees/severity.js"
    "trees/span.js"
    "trees/steps.js"
    "trees/tools.js"
    "trees/tree.js"
    "trees/values.js"
    "trees/view.js"
    "trees/window.js"
    "views/codetimes.js"
    "views/details.js"
    "views/difference.js"
    "views/findings.js"
    "views/help.js"
    "views/overview.js"
    "views/serial.js"
    "views/source.js"
    "views/tables.js"
    "views/taskfacts.js"
    "views/tasks.js"
    "views/top.js"
);

/// The module that starts the page.
const MAIN: &str = "main.js";

/// All styles as one.
pub static STYLE: LazyLock<String> =
    LazyLock::new(|| STYLES.iter().map(|style| style.text).collect());

/// All modules as one script.
pub static SCRIPT: LazyLock<String> = LazyLock::new(script);

/// Where a server has them.
pub const STYLE_PATH: &str = "/main.css";
/// The same of the script.
pub const SCRIPT_PATH: &str = "/main.js";

/// The frame of the page, with places for what differs: `{{NAME}}`.
pub(crate) const PAGE: &str = include_str!("../web/page.html");

/// The page for a server, which loads the style and the script by their paths. Its data come from
/// the server too.
pub fn served_page(title: &str) -> String {
    let style = format!("<link rel=\"stylesheet\" href=\"{STYLE_PATH}\">\n");
    // An empty icon, because browsers ask for one.
    let icon = "<link rel=\"icon\" href=\"data:,\">\n";
    PAGE.replace("{{POLICY}}", "")
        .replace("{{STYLES}}", &(style + icon))
        .replace("{{DATA}}", "")
        .replace("{{SCRIPT}}", &format!("<script defer src=\"{SCRIPT_PATH}\"></script>\n"))
        .replace("{{TITLE}}", &escape(title))
}

/// Text for an element of HTML.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// All modules as one script. Each is a function that returns its exports, so that names of one
/// module do not meet those of another; an import takes them out of `modules`.
fn script() -> String {
    let mut script = "\"use strict\";\n(() => {\nconst modules = {};\n".to_owned();
    let mut done = BTreeSet::new();
    add(MAIN, &mut done, &mut script);
    script + "})();\n"
}

/// Adds a module after those that it imports.
fn add(path: &'static str, done: &mut BTreeSet<&'static str>, script: &mut String) {
    let Some(module) = MODULES.iter().find(|module| module.path == path) else { return };
    if !done.insert(module.path) {
        return;
    }
    let parts = Parts::of(module);
    for import in &parts.imports {
        let imported = MODULES.iter().find(|other| other.path == import.path);
        imported.into_iter().for_each(|other| add(other.path, done, script));
    }
    *script += &format!("modules[\"{path}\"] = (() => {{\n");
    for Import { names, path } in &parts.imports {
        *script += &format!("const {{ {} }} = modules[\"{path}\"];\n", names.replace(" as ", ": "));
    }
    *script += &format!("{}return {{ {} }};\n}})();\n", parts.body, parts.exports.join(", "));
}

/// `import { NAMES } from "PATH";`, with the path in `web/`.
struct Import {
    names: String,
    path: String,
}

/// What a module consists of.
#[derive(Default)]
struct Parts {
    imports: Vec<Import>,
    exports: Vec<&'static str>,
    /// The rest, whose exports are plain declarations.
    body: String,
}

impl Parts {
    /// Imports and exports begin at the begin of a line; imports end with a semicolon.
    fn of(module: &Asset) -> Parts {
        let mut parts = Parts::default();
        let mut import = String::new();
        for line in module.text.lines() {
            if !import.is_empty() || line.starts_with("import ") {
                import += line;
                if line.ends_with(';') {
                    parts.imports.extend(parse_import(&import, module.path));
                    import.clear();
                }
                continue;
            }
            let declaration = line.strip_prefix("export ");
            parts.exports.extend(declaration.and_then(declared));
            parts.body += declaration.unwrap_or(line);
            parts.body.push('\n');
        }
        parts
    }
}

fn parse_import(text: &str, importer: &str) -> Option<Import> {
    let (names, from) = text.strip_prefix("import {")?.split_once("} from \"")?;
    let from = from.strip_suffix("\";")?;
    let mut folders: Vec<&str> = importer.split('/').collect();
    folders.pop();
    for part in from.split('/') {
        match part {
            "." => {}
            ".." => drop(folders.pop()),
            name => folders.push(name),
        }
    }
    let names = names.trim().trim_end_matches(',').to_owned();
    Some(Import { names, path: folders.join("/") })
}

/// The name that a declaration declares.
fn declared(declaration: &'static str) -> Option<&'static str> {
    let kinds = ["async function ", "function ", "class ", "const "];
    let rest = kinds.iter().find_map(|kind| declaration.strip_prefix(kind))?;
    rest.split(|c: char| !c.is_alphanumeric() && c != '_').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_are_joined_after_what_they_import() {
        let script = script();
        for module in MODULES {
            let begin = script.find(&format!("modules[\"{}\"] = ", module.path));
            let begin = begin.unwrap_or_else(|| panic!("{} is not used", module.path));
            for Import { path, .. } in Parts::of(module).imports {
                let imported = script.find(&format!("modules[\"{path}\"] = "));
                assert!(imported.is_some_and(|at| at < begin), "{} imports {path}", module.path);
            }
        }
    }

    #[test]
    fn the_joined_script_has_no_words_of_modules() {
        for line in script().lines() {
            assert!(!line.starts_with("import ") && !line.starts_with("export "), "{line}");
            assert!(!line.contains("} from \""), "{line}");
        }
    }

    #[test]
    fn exports_of_a_module_are_returned() {
        let text =
            "import { a, b as c } from \"../x/y.js\";\nexport const d = a;\nexport class E {\n}";
        let module = Asset { path: "z/w.js", text };
        let parts = Parts::of(&module);
        assert_eq!(parts.exports, ["d", "E"]);
        assert_eq!(parts.imports.first().unwrap().path, "x/y.js");
        assert_eq!(parts.imports.first().unwrap().names, "a, b as c");
        assert_eq!(parts.body, "const d = a;\nclass E {\n}\n");
    }

    #[test]
    fn the_served_page_names_its_files() {
        let page = served_page("<a>");
        assert!(page.contains("<title>&lt;a&gt;</title>"));
        assert!(page.contains("href=\"/main.css\"") && page.contains("src=\"/main.js\""));
        assert!(!page.contains("{{") && !page.contains("<style>"));
    }
}

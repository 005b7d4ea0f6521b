//! The functions that a preprocessed `mpi.h` declares. Declarations are looked for, not C: what
//! stands around them (attributes, markers of lines, whole other declarations) is passed over.

/// A declared function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prototype {
    /// Its name, without `MPI_`.
    pub name: String,
    /// Its type: `int`, a code of an error, for nearly all; `double`, a time, for the rest. What
    /// returns anything else only converts.
    pub result: String,
    /// Its parameters in order.
    pub parameters: Vec<Parameter>,
}

/// A parameter: the text in front of its name and behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// `const int`, `MPI_Request *`, `...`.
    pub before: String,
    /// `[]`, `[][3]`, mostly nothing.
    pub after: String,
}

impl Parameter {
    /// Its declaration with this name.
    pub fn named(&self, name: &str) -> String {
        if self.is_variable() {
            return "...".to_owned();
        }
        let space = if self.before.ends_with('*') { "" } else { " " };
        format!("{}{space}{name}{}", self.before, self.after)
    }

    /// Whether it stands for any number of arguments.
    pub fn is_variable(&self) -> bool {
        self.before == "..."
    }

    /// Whether it is an address.
    pub fn is_pointer(&self) -> bool {
        self.before.ends_with('*') || self.after.starts_with('[') || self.is_function()
    }

    /// Whether it is a function's address, by the name of its type.
    fn is_function(&self) -> bool {
        self.before.ends_with("_function") || self.before.ends_with("_fn")
    }

    /// The type without `const` where it is no address.
    pub fn value_type(&self) -> Option<&str> {
        let plain = self.before.strip_prefix("const ").unwrap_or(&self.before);
        (!self.is_pointer()).then_some(plain)
    }

    /// Whether it is a buffer of data of any type.
    pub fn is_buffer(&self) -> bool {
        self.before.ends_with("void *")
    }

    /// Whether it is text, or several, whose length a Fortran compiler hands over as well.
    pub fn is_text(&self) -> bool {
        self.is_pointer() && self.before.split(' ').any(|word| word == "char")
    }
}

/// All functions `MPI_...` that are declared, each once.
pub fn prototypes(header: &str) -> impl Iterator<Item = Prototype> {
    let text: String = header.lines().filter(|line| !line.trim_start().starts_with('#')).fold(
        String::with_capacity(header.len()),
        |mut text, line| {
            text += line;
            text.push('\n');
            text
        },
    );
    let mut known = std::collections::HashSet::new();
    let mut found = Vec::new();
    for declaration in text.split([';', '{', '}']) {
        if let Some(one) = prototype(declaration).filter(|one| known.insert(one.name.clone())) {
            found.push(one);
        }
    }
    found.into_iter()
}

/// The function that a declaration declares.
fn prototype(declaration: &str) -> Option<Prototype> {
    let declaration = without_attributes(declaration);
    if declaration.trim_start().starts_with("typedef") {
        return None;
    }
    let open = declaration.find('(')?;
    let (head, rest) = declaration.split_at(open);
    let inside = rest.strip_prefix('(')?.trim_end().strip_suffix(')')?;
    let mut words = head.split_whitespace();
    let name = words.next_back()?.strip_prefix("MPI_")?.to_owned();
    let result = words.filter(|word| *word != "extern").collect::<Vec<_>>().join(" ");
    let parameters = match inside.trim() {
        "" | "void" => Vec::new(),
        list => list.split(',').map(parameter).collect(),
    };
    // A comma inside of parentheses would have torn a parameter apart; MPI has names for the types
    // of functions instead.
    let is_result = matches!(result.as_str(), "int" | "double");
    (is_result && !inside.contains('(')).then_some(Prototype { name, result, parameters })
}

/// The text without `__attribute__((...))`.
fn without_attributes(text: &str) -> String {
    let mut rest = text;
    let mut plain = String::new();
    while let Some(at) = rest.find("__attribute__") {
        plain += &rest[..at];
        let behind = &rest[at..];
        let mut depth = 0;
        let end = behind.char_indices().find(|&(_, letter)| {
            depth += i32::from(letter == '(') - i32::from(letter == ')');
            letter == ')' && depth == 0
        });
        rest = end.map_or("", |(end, _)| &behind[end + 1..]);
    }
    plain + rest
}

/// Takes the name out of `const int displs[]`.
fn parameter(text: &str) -> Parameter {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let (declarator, after) = match text.find('[') {
        Some(at) => (text[..at].trim_end(), text[at..].to_owned()),
        None => (text.as_str(), String::new()),
    };
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let before = declarator.trim_end_matches(is_word);
    let is_named = before.contains('*')
        || before.split_whitespace().any(|word| !matches!(word, "const" | "struct" | "unsigned"));
    let before = if is_named { before } else { declarator };
    Parameter { before: before.trim_end().to_owned(), after }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn check(header: &str, expected: Expect) {
        let lines = prototypes(header).map(|one| {
            let parameters = one.parameters.iter().map(|parameter| parameter.named("x"));
            format!("{} {}({})", one.result, one.name, parameters.collect::<Vec<_>>().join(", "))
        });
        expected.assert_eq(&lines.collect::<Vec<_>>().join("\n"));
    }

    #[test]
    fn declarations_are_found_among_other_text() {
        check(
            r#"
# 12 "mpi.h" 3
typedef int MPI_Datatype;
typedef int (MPI_Copy_function)(MPI_Comm, int, void *);
extern int MPI_Init(int *argc, char ***argv) __attribute__((visibility("default")));
__attribute__((visibility("default"))) double MPI_Wtime(void);
int MPI_Group_range_excl(MPI_Group group, int n, int ranges[][3],
                         MPI_Group *newgroup) __attribute__((nonnull(3)));
int MPI_Pcontrol(const int level, ...);
int MPI_Nameless(const void *, int [], MPI_Comm, const char * const *);
int PMPI_Init(int *argc, char ***argv);
int MPI_Init(int *argc, char ***argv);
static inline int f(void) { return MPI_Finalize(); }
extern struct ompi_predefined_communicator_t ompi_mpi_comm_world;
"#,
            expect![[r#"
                int Init(int *x, char ***x)
                double Wtime()
                int Group_range_excl(MPI_Group x, int x, int x[][3], MPI_Group *x)
                int Pcontrol(const int x, ...)
                int Nameless(const void *x, int x[], MPI_Comm x, const char * const *x)"#]],
        );
    }

    #[test]
    fn a_parameter_says_what_it_is() {
        let value = |text: &str| parameter(text).value_type().map(str::to_owned);
        assert_eq!(value("const int level").as_deref(), Some("int"));
        assert_eq!(value("MPI_Comm comm").as_deref(), Some("MPI_Comm"));
        assert_eq!(value("int displs[]"), None);
        assert_eq!(value("MPI_User_function *function"), None);
        assert!(parameter("char *argv[]").is_text() && !parameter("char level").is_text());
    }
}

//! Names of C++ for people: a function of a template may have a name of several hundred
//! characters, because it contains all arguments of the template, also those with a default value.
//! The first arguments tell instances apart, and the rest is left out. Files keep the whole name.

use std::borrow::Cow;

/// Longer names lose arguments of templates, in characters.
const LONG: usize = 60;
/// How much of the arguments of one template is kept, in characters.
const KEPT: usize = 24;

/// `engine<unsigned int, ...>::next` for `engine<unsigned int, 32, 624, ...and so on>::next`. Names
/// that are not long, and those without arguments, stay as they are.
pub fn short_name(name: &str) -> Cow<'_, str> {
    match name.chars().count() > LONG {
        true => with_short_lists(name, KEPT).map_or(Cow::Borrowed(name), Cow::Owned),
        false => Cow::Borrowed(name),
    }
}

/// The name with `kept` characters of each list of arguments that is not inside another one.
/// Nothing if brackets do not match.
fn with_short_lists(name: &str, kept: usize) -> Option<String> {
    let mut short = String::new();
    let mut rest = name;
    while let Some(open) = next_list(rest) {
        let (before, list) = rest.split_at(open);
        let end = end_of_list(list)?;
        short += before;
        short += &short_list(&list[1..end], kept);
        rest = &list[end + 1..];
    }
    Some(short + rest)
}

/// Where the next list of arguments begins. The names of operators are not lists.
fn next_list(name: &str) -> Option<usize> {
    let is_list = |&(at, _): &(usize, &str)| {
        let operator = name[..at].trim_end_matches('<').ends_with("operator");
        !operator || name[..at].ends_with("<<")
    };
    name.match_indices('<').find(is_list).map(|(at, _)| at)
}

/// Where the list ends that the text begins with: the place of its `>`.
fn end_of_list(list: &str) -> Option<usize> {
    let (mut depth, mut last) = (0, ' ');
    for (at, character) in list.char_indices() {
        match character {
            '<' => depth += 1,
            '>' if last != '-' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at);
        }
        last = character;
    }
    None
}

/// The list with its brackets. The first argument stays, without what its own lists contain, and
/// so do those after it that fit.
fn short_list(list: &str, kept: usize) -> String {
    if list.chars().count() <= kept {
        return format!("<{list}>");
    }
    let mut short = String::new();
    for argument in arguments(list) {
        let argument = with_short_lists(argument, 0).unwrap_or_else(|| argument.to_owned());
        let length = short.chars().count() + argument.chars().count();
        if length > kept && !short.is_empty() || length > LONG {
            short += if short.is_empty() { "<...>" } else { ",...>" };
            return short;
        }
        short += if short.is_empty() { "<" } else { "," };
        short += &argument;
    }
    short + ">"
}

/// The arguments of a list, with the blanks around them.
fn arguments(list: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut last) = (0_i32, 0, ' ');
    let mut found = Vec::new();
    for (at, character) in list.char_indices() {
        match character {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if last == '-' => {}
            '>' | ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                found.push(&list[begin..at]);
                begin = at + 1;
            }
            _ => {}
        }
        last = character;
    }
    found.push(&list[begin..]);
    found
}

#[cfg(test)]
mod tests {
    use super::short_name;
    use expect_test::expect;

    #[test]
    fn long_lists_of_arguments_lose_their_end() {
        let names = [
            "PageRank<int>::iterate",
            "mesh::assemble_the_matrix_of_all_elements_and_their_neighbours_at_once",
            "std::engine<unsigned long, (unsigned long)32, (unsigned long)624>::_M_gen_rand",
            "Generator<int,int,int,unsigned_int,32,std::engine<unsigned_long,32,624,397,31>>::make",
            "Impl::ParallelFor<Flux<Mesh<double, 3>, Upwind>, Range<OpenMP>, OpenMP>::execute",
            "operator<< <char, std::char_traits<char>, std::allocator<char>, std::less<char> >",
            "std::operator<<char, std::char_traits<char>, std::allocator<char>, std::less<char>>",
            "apply<&Sea::operator->, std::vector<double, std::allocator<double>>, std::less<int>>",
            "unmatched<std::vector<double, std::allocator<double>>, std::less<int>, 7, 8, 9, 10",
            "a_function_with_a_name_of_its_own<and_an_argument_that_alone_is_as_long_as_a_whole_name>",
        ];
        let short: Vec<_> = names.iter().map(|name| short_name(name)).collect();
        expect![[r#"
            PageRank<int>::iterate
            mesh::assemble_the_matrix_of_all_elements_and_their_neighbours_at_once
            std::engine<unsigned long,...>::_M_gen_rand
            Generator<int,int,int,unsigned_int,...>::make
            Impl::ParallelFor<Flux<Mesh<double,...>,...>,...>::execute
            operator<< <char,...>
            std::operator<<char, std::char_traits<char>, std::allocator<char>, std::less<char>>
            apply<&Sea::operator->,...>
            unmatched<std::vector<double, std::allocator<double>>, std::less<int>, 7, 8, 9, 10
            a_function_with_a_name_of_its_own<and_an_argument_that_alone_is_as_long_as_a_whole_name>
        "#]]
        .assert_eq(&(short.join("\n") + "\n"));
    }
}

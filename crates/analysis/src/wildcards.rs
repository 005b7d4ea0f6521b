//! Names with `*` for any characters and `?` for one, as users choose regions.

/// Whether all of `text` fits the pattern.
pub(crate) fn fits(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    let (mut at, mut next) = (0, 0);
    // The last `*`, and the first character after those that it stands for.
    let mut star: Option<(usize, usize)> = None;
    while next < text.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, next));
                at += 1;
            }
            Some(&character) if character == '?' || character == text[next] => {
                at += 1;
                next += 1;
            }
            _ => {
                let Some((place, from)) = star else { return false };
                star = Some((place, from + 1));
                (at, next) = (place + 1, from + 1);
            }
        }
    }
    pattern[at..].iter().all(|&character| character == '*')
}

#[cfg(test)]
mod tests {
    use super::fits;

    #[test]
    fn stars_and_question_marks_stand_for_characters() {
        let yes = [("relax", "relax"), ("*", ""), ("re*x", "relax"), ("*ab", "aab"), ("?x", "äx")];
        assert!(yes.iter().all(|(pattern, text)| fits(pattern, text)));
        let no = [("relax", "relax2"), ("", "a"), ("re*x", "relay"), ("?", ""), ("a*b", "b")];
        assert!(!no.iter().any(|(pattern, text)| fits(pattern, text)));
    }
}

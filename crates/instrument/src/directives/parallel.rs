//! `parallel` and everything that is combined with it, and the constructs that are alone.

use super::Level;

/// The levels of a construct with events, outermost first; `None` if it has no level with events.
///
/// A composite (`for simd`, `taskloop simd`) is one level: it cannot be split.
pub fn levels(words: &[&str]) -> Option<Vec<Level>> {
    if let ["parallel", rest @ ..] = words {
        let inner = if rest.is_empty() { Vec::new() } else { inside_parallel(rest)? };
        return Some([vec![Level::Parallel], inner].concat());
    }
    let levels = inside_parallel(words).or_else(|| Some(vec![alone(words)?]))?;
    levels.iter().any(|level| level.stem(false).is_some()).then_some(levels)
}

/// What may follow `parallel` in one directive.
fn inside_parallel(words: &[&str]) -> Option<Vec<Level>> {
    Some(match words {
        ["for" | "do"] => vec![Level::Loop { simd: false }],
        ["for" | "do", "simd"] => vec![Level::Loop { simd: true }],
        ["sections"] => vec![Level::Sections],
        ["workshare"] => vec![Level::Workshare],
        ["single"] => vec![Level::Single],
        ["loop"] => vec![Level::LoopConstruct],
        ["master"] => vec![Level::Master],
        ["masked"] => vec![Level::Masked],
        ["master", rest @ ..] => vec![Level::Master, taskloop(rest)?],
        ["masked", rest @ ..] => vec![Level::Masked, taskloop(rest)?],
        _ => return None,
    })
}

fn taskloop(words: &[&str]) -> Option<Level> {
    match words {
        ["taskloop"] => Some(Level::Taskloop { simd: false }),
        ["taskloop", "simd"] => Some(Level::Taskloop { simd: true }),
        _ => None,
    }
}

fn alone(words: &[&str]) -> Option<Level> {
    Some(match words {
        ["single"] => Level::Single,
        ["critical"] => Level::Critical,
        ["atomic"] => Level::Atomic,
        ["barrier"] => Level::Barrier,
        ["task"] => Level::Task,
        ["taskwait"] => Level::Taskwait,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::levels;
    use expect_test::expect;

    #[test]
    fn levels_of_combined_constructs() {
        let names = [
            "parallel",
            "parallel do simd",
            "parallel masked taskloop simd",
            "master taskloop",
            "masked taskloop",
            "masked",
            "single",
            "distribute parallel for",
        ];
        let mut output = String::new();
        for name in names {
            let words: Vec<&str> = name.split(' ').collect();
            output += &format!("{name}: {:?}\n", levels(&words));
        }
        expect![[r#"
            parallel: Some([Parallel])
            parallel do simd: Some([Parallel, Loop { simd: true }])
            parallel masked taskloop simd: Some([Parallel, Masked, Taskloop { simd: true }])
            master taskloop: Some([Master, Taskloop { simd: false }])
            masked taskloop: None
            masked: None
            single: Some([Single])
            distribute parallel for: None
        "#]]
        .assert_eq(&output);
    }
}

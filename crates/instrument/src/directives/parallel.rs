//! Which levels a directive with events consists of: `parallel` and everything that is combined
//! with it, and the constructs that are alone.

use super::Level;
use crate::directive::Directive;

/// The levels of a construct with events, outermost first; `None` if it has no events.
///
/// A composite (`for simd`, `taskloop simd`, `distribute parallel for`) is one level: it cannot be
/// split. Neither are `teams` and `target` from what they are combined with: there is little to be
/// known between the two, and what runs inside of `target` is not for us.
pub fn levels(words: &[&str], directive: &Directive) -> Option<Vec<Level>> {
    if let ["parallel", rest @ ..] = words {
        let mut levels = Vec::with_capacity(words.len());
        levels.push(Level::Parallel);
        if !rest.is_empty() {
            levels.extend(inside_parallel(rest)?);
        }
        return Some(levels);
    }
    inside_parallel(words).or_else(|| Some(vec![alone(words, directive)?]))
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

/// What stands alone. The word of the other constructs is their whole name.
fn alone(words: &[&str], directive: &Directive) -> Option<Level> {
    Some(match words {
        ["ordered"] if directive.has("depend") || directive.has("doacross") => Level::Doacross,
        // `ordered simd` and `ordered threads simd` order the lanes of a simd loop.
        ["ordered"] if directive.has("simd") => return None,
        ["cancel", ..] => Level::Cancel,
        ["cancellation", ..] => Level::CancellationPoint,
        ["teams", rest @ ..] => Level::Teams { open: matches!(rest, [] | ["distribute"]) },
        ["distribute", rest @ ..] => Level::Distribute { open: rest.is_empty() },
        ["target", "data"] => Level::Target { open: true },
        ["target", "update"] | ["target", "enter" | "exit", "data"] => Level::TargetAlone,
        ["target", ..] => Level::Target { open: false },
        [word] => return taskloop(words).or_else(|| Level::of_word(word)),
        _ => return taskloop(words),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
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
            "teams distribute",
            "target teams loop",
            "target exit data",
            "cancellation point",
            "ordered",
            "scope",
            "taskloop",
            "taskyield",
            "taskyield taskyield",
            "simd",
        ];
        let mut output = String::new();
        for name in names {
            let words: Vec<&str> = name.split(' ').collect();
            let directive = Directive::parse(b"", Vec::new(), false);
            output += &format!("{name}: {:?}\n", levels(&words, &directive));
        }
        expect![[r#"
            parallel: Some([Parallel])
            parallel do simd: Some([Parallel, Loop { simd: true }])
            parallel masked taskloop simd: Some([Parallel, Masked, Taskloop { simd: true }])
            master taskloop: Some([Master, Taskloop { simd: false }])
            masked taskloop: Some([Masked, Taskloop { simd: false }])
            masked: Some([Masked])
            single: Some([Single])
            distribute parallel for: Some([Distribute { open: false }])
            teams distribute: Some([Teams { open: true }])
            target teams loop: Some([Target { open: false }])
            target exit data: Some([TargetAlone])
            cancellation point: Some([CancellationPoint])
            ordered: Some([Ordered])
            scope: Some([Scope])
            taskloop: Some([Taskloop { simd: false }])
            taskyield: Some([Taskyield])
            taskyield taskyield: None
            simd: None
        "#]]
        .assert_eq(&output);
    }
}

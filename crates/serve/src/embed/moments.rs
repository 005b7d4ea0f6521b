//! Which moments an offline page has: the worst one of each place first, because a reader follows
//! the findings from the first to the last; then more of them, the most severe first.

use std::collections::HashMap;

use serde_json::Value;

use super::Window;

/// Moments that are tried; each of them is drawn for that.
const TRIED_MAX: usize = 40;

/// The windows of the worst moments, each with a tenth on both sides. `instances` are in the order
/// of severity. Two that show nearly the same are one.
pub fn windows(instances: &[Value], length: u64) -> Vec<Window> {
    let mut seen: HashMap<(&str, &str), usize> = HashMap::new();
    let mut ranked: Vec<(usize, Window)> = instances
        .iter()
        .filter_map(|instance| {
            let text = |name: &str| instance[name].as_str().unwrap_or_default();
            let window = window(instance, length)?;
            let number = seen.entry((text("property"), text("path"))).or_default();
            *number += 1;
            Some((*number, window))
        })
        .collect();
    ranked.sort_by_key(|(number, _)| *number > 1);
    let mut windows: Vec<Window> = Vec::new();
    for (_, window) in ranked {
        if windows.len() < TRIED_MAX && !windows.iter().any(|other| is_alike(*other, window)) {
            windows.push(window);
        }
    }
    windows
}

fn window(instance: &Value, length: u64) -> Option<Window> {
    let (start, end) = (instance["start"].as_u64()?, instance["end"].as_u64()?);
    let room = (end.saturating_sub(start) / 10).max(1);
    let end = end.saturating_add(room).min(length);
    let start = start.saturating_sub(room).min(end.saturating_sub(1));
    (start < end).then_some((start, end))
}

/// Whether both windows have most of their time in common.
fn is_alike(one: Window, other: Window) -> bool {
    let common = one.1.min(other.1).saturating_sub(one.0.max(other.0));
    let longer = (one.1 - one.0).max(other.1 - other.0);
    common > longer / 2
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_worst_of_each_place_comes_first() {
        let instance = |property: &str, path: &str, start: u64, end: u64| json!({ "property": property, "path": path, "start": start, "end": end });
        let all = [
            instance("barrier", "a", 100, 200),
            instance("barrier", "a", 105, 200),
            instance("barrier", "a", 500, 600),
            instance("barrier", "b", 300, 400),
            instance("lock", "a", 0, 10),
            instance("lock", "c", 990, 1000),
            instance("lock", "c", 40, 30),
        ];
        let expected = [(90, 210), (290, 410), (0, 11), (989, 1000), (490, 610), (39, 40)];
        let mut found = windows(&all, 1000);
        // An instance that ends before it begins is one tick.
        let last = found.pop().unwrap();
        assert!(last.0 < last.1);
        assert_eq!(found, expected[..5]);
        assert_eq!(windows(&all, 0), []);
        let many: Vec<Value> = (0..100).map(|at| instance("p", "a", at * 9, at * 9 + 1)).collect();
        assert_eq!(windows(&many, 1000).len(), TRIED_MAX);
    }
}

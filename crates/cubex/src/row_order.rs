//! The order of rows in a data file. The index of a metric lists positions in an enumeration of the
//! call paths that depends on the metric's kind, not call path ids; the three enumerations live
//! here, for the writer and the reader alike.

use crate::ids::{CallPathId, Tree};
use crate::metric::MetricKind;

/// All call paths in the order in which a metric of this kind stores its rows.
///
/// * exclusive: depth first, parents before children;
/// * inclusive: a root, then for each node in depth-first order all of its children consecutively,
///   so that the rows needed to subtract the children from a parent lie side by side;
/// * simple: by id.
///
/// Derived metrics store nothing; they get the order of the kind they compute. Linear.
pub fn row_order<T>(call_paths: &Tree<CallPathId, T>, kind: MetricKind) -> Vec<CallPathId> {
    match kind {
        MetricKind::Inclusive | MetricKind::PreDerivedInclusive => children_together(call_paths),
        MetricKind::Exclusive | MetricKind::PostDerived | MetricKind::PreDerivedExclusive => {
            call_paths.preorder()
        }
        MetricKind::Simple => call_paths.ids().collect(),
    }
}

fn children_together<T>(call_paths: &Tree<CallPathId, T>) -> Vec<CallPathId> {
    let mut order = Vec::with_capacity(call_paths.len());
    let mut stack = Vec::new();
    for &root in call_paths.roots() {
        order.push(root);
        stack.push(root);
        while let Some(node) = stack.pop() {
            let children = call_paths.children(node);
            order.extend_from_slice(children);
            stack.extend(children.iter().rev());
        }
    }
    debug_assert_eq!(order.len(), call_paths.len());
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    /// One letter per call path, in order of definition, each preceded by its parent's letter.
    fn check(edges: &str, expect: Expect) {
        let mut tree = Tree::default();
        let mut names = std::collections::HashMap::from([('.', None)]);
        for edge in edges.split_whitespace() {
            let (parent, name) = (edge.chars().next().unwrap(), edge.chars().nth(1).unwrap());
            let id = tree.push(names[&parent], name);
            names.insert(name, Some(id));
        }
        let order =
            |kind| -> String { row_order(&tree, kind).iter().map(|&id| tree[id]).collect() };
        expect.assert_eq(&format!(
            "exclusive {} inclusive {} simple {}",
            order(MetricKind::Exclusive),
            order(MetricKind::Inclusive),
            order(MetricKind::Simple),
        ));
    }

    #[test]
    fn children_of_an_inclusive_node_lie_together() {
        check(".m ma ab mc", expect!["exclusive mabc inclusive macb simple mabc"]);
    }

    #[test]
    fn definition_order_is_not_tree_order() {
        check(".m ma mc ab", expect!["exclusive mabc inclusive macb simple macb"]);
    }

    #[test]
    fn roots_come_one_after_the_other() {
        check(".m .t tc ma ab", expect!["exclusive mabtc inclusive mabtc simple mtcab"]);
    }
}

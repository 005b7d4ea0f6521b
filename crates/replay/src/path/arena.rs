//! Paths that share their beginnings: a tree of nodes, each with a part of the path's time. A node
//! lives as long as something holds it: a location, a snapshot, or a longer path.

use crate::hash::Table;
use crate::path::Part;
use crate::totals::Totals;

/// A path. It is no copy type, because each value is a holder of its node; who is done with a path
/// gives it back with [`Arena::release`].
#[derive(Debug)]
pub struct Path(u32);

#[derive(Debug, Default)]
struct Node {
    parent: Option<Path>,
    /// The jump from another rank with which the path begins (`path/jumps.rs`).
    base: Option<u64>,
    /// Holders, longer paths included.
    holders: u32,
    ticks: Totals<Part>,
}

/// All nodes.
#[derive(Debug, Default)]
pub struct Arena {
    nodes: Vec<Node>,
    free: Vec<u32>,
}

impl Arena {
    fn node(&mut self, parent: Option<Path>, base: Option<u64>) -> Path {
        if let Some(place) = self.free.pop() {
            let node = &mut self.nodes[place as usize];
            (node.parent, node.base, node.holders) = (parent, base, 1);
            return Path(place);
        }
        self.nodes.push(Node { parent, base, holders: 1, ticks: Totals::default() });
        Path(self.nodes.len() as u32 - 1)
    }

    /// A node is free. Its memory is kept if it is little, because each wait needs a new node.
    fn free(&mut self, place: u32, mut ticks: Totals<Part>) {
        match ticks.is_small() {
            true => ticks.clear(),
            false => ticks = Totals::default(),
        }
        self.nodes[place as usize].ticks = ticks;
        self.free.push(place);
    }

    /// An empty path.
    pub fn root(&mut self) -> Path {
        self.node(None, None)
    }

    /// An empty path that begins with a jump.
    pub fn root_at(&mut self, jump: u64) -> Path {
        self.node(None, Some(jump))
    }

    /// The jump with which a path begins.
    pub fn base(&self, path: &Path) -> Option<u64> {
        self.nodes[path.0 as usize].base
    }

    /// A path that continues another one.
    pub fn child(&mut self, of: Path) -> Path {
        let base = self.base(&of);
        self.node(Some(of), base)
    }

    /// Another holder of the same path.
    pub fn share(&mut self, path: &Path) -> Path {
        self.nodes[path.0 as usize].holders += 1;
        Path(path.0)
    }

    /// The path, such that nothing else holds its last node: time can be added to it.
    pub fn own(&mut self, path: Path) -> Path {
        match self.nodes[path.0 as usize].holders {
            1 => path,
            _ => self.child(path),
        }
    }

    /// Adds time to the end of a path, which must be the only holder of its last node.
    pub fn add(&mut self, path: &Path, part: Part, ticks: i64) {
        if ticks != 0 {
            self.nodes[path.0 as usize].ticks.add(part, ticks);
        }
    }

    /// Gives a path back.
    pub fn release(&mut self, path: Path) {
        let mut next = Some(path);
        while let Some(Path(place)) = next.take() {
            let node = &mut self.nodes[place as usize];
            node.holders -= 1;
            if node.holders == 0 {
                next = node.parent.take();
                let ticks = std::mem::take(&mut node.ticks);
                self.free(place, ticks);
            }
        }
    }

    /// Merges nodes that only one longer path holds into it.
    pub fn compact(&mut self) {
        for place in 0..self.nodes.len() {
            while let Some(parent) = self.only_parent(place) {
                let Node { parent: above, mut ticks, .. } =
                    std::mem::take(&mut self.nodes[parent as usize]);
                let node = &mut self.nodes[place];
                // The smaller one goes into the larger one.
                if node.ticks.len() < ticks.len() {
                    std::mem::swap(&mut node.ticks, &mut ticks);
                }
                ticks.iter().for_each(|(part, more)| node.ticks.add(part, more));
                node.parent = above;
                self.free(parent, ticks);
            }
        }
    }

    /// The parent of a living node, if nothing else holds it.
    fn only_parent(&self, place: usize) -> Option<u32> {
        let node = self.nodes.get(place).filter(|node| node.holders > 0)?;
        let Path(parent) = node.parent.as_ref()?;
        (self.nodes[*parent as usize].holders == 1).then_some(*parent)
    }

    /// The time of a whole path.
    pub fn sum(&self, path: &Path) -> Table<Part, i64> {
        let mut sum: Table<Part, i64> = Table::default();
        let mut next = Some(path);
        while let Some(Path(place)) = next {
            let node = &self.nodes[*place as usize];
            for (part, ticks) in node.ticks.iter() {
                *sum.entry(part).or_default() += ticks;
            }
            next = node.parent.as_ref();
        }
        sum
    }

    /// Number of living nodes.
    #[cfg(test)]
    pub fn len(&self) -> usize {
        self.nodes.len() - self.free.len()
    }
}

#[cfg(test)]
mod tests {
    use pompeii_model::LocationId;

    use super::*;
    use crate::engine::tree::NodeId;

    const HERE: Part = (NodeId(1), LocationId(0));
    const THERE: Part = (NodeId(2), LocationId(1));

    #[test]
    fn paths_share_their_beginning_and_are_merged() {
        let mut arena = Arena::default();
        let first = arena.root();
        arena.add(&first, HERE, 5);
        let snapshot = arena.share(&first);
        let first = arena.own(first);
        arena.add(&first, HERE, 7);
        let second = arena.child(snapshot);
        arena.add(&second, THERE, 1);
        assert_eq!((arena.sum(&first)[&HERE], arena.sum(&second)[&HERE]), (12, 5));
        assert_eq!(arena.len(), 3);
        arena.compact();
        assert_eq!(arena.len(), 3, "both need the beginning");
        arena.release(second);
        arena.compact();
        assert_eq!((arena.len(), arena.sum(&first)[&HERE]), (1, 12));
        arena.release(first);
        assert_eq!(arena.len(), 0);
    }
}

//! The samples of one location, as a tree in a mapped file (`live/src/samples.rs`). It is written
//! in a signal handler: without locks and allocation, but with system calls where the file grows.

use std::cell::UnsafeCell;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use pompeii_live::{
    MapError, Mapped, NodeOffset, SAMPLE_PAGE_BYTES, SampleFrame, SampleHeader, SamplePlace,
    samples_file,
};

const FIRST_BYTES: usize = 16 << 10;
/// Different call paths of a program take far fewer bytes than these, unless it calls itself in
/// many ways; later samples then count for the frames that there are.
const MOST_BYTES: usize = 64 << 20;

/// Room for the tree of a process that may never have a file. Pages that are not used take no
/// memory.
const MEMORY_BYTES: usize = 4 << 20;

/// The frames of a location's samples.
pub struct Tree {
    is_used: AtomicBool,
    room: UnsafeCell<Room>,
}

/// Where the frames are.
enum Room {
    File(Mapped),
    /// [`MEMORY_BYTES`] from here on, zeroes at first.
    Memory(*mut u8),
}

impl Room {
    fn base(&self) -> *mut u8 {
        match self {
            Self::File(file) => file.base(),
            Self::Memory(base) => *base,
        }
    }

    /// Whether there is room for this number of bytes.
    fn has(&mut self, bytes: usize) -> bool {
        match self {
            Self::File(file) => file.ensure(bytes).is_ok(),
            Self::Memory(_) => bytes <= MEMORY_BYTES,
        }
    }
}

// SAFETY: who uses the room has set `is_used`.
unsafe impl Sync for Tree {}
// SAFETY: the memory belongs to the whole process.
unsafe impl Send for Tree {}

impl Tree {
    /// For the location with this index. It is never freed: a handler may run at any time.
    ///
    /// # Errors
    /// The system call that failed.
    pub fn create(folder: &Path, location: u32) -> Result<&'static Tree, MapError> {
        let file = Mapped::create(folder.join(samples_file(location)), FIRST_BYTES, MOST_BYTES)?;
        Ok(Self::new(Room::File(file)))
    }

    /// In memory, where no other process sees it; `None` if there is none.
    pub fn in_memory() -> Option<&'static Tree> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let null = std::ptr::null_mut();
        // SAFETY: a fresh mapping at an address of the system's choice.
        let base = unsafe { libc::mmap(null, MEMORY_BYTES, protection, flags, -1, 0) };
        (base != libc::MAP_FAILED).then(|| Self::new(Room::Memory(base.cast())))
    }

    fn new(room: Room) -> &'static Self {
        // SAFETY: the room is larger than its header, and no other thread knows it yet.
        unsafe { room.base().cast::<SampleHeader>().write(SampleHeader::new()) };
        let tree = Tree { is_used: AtomicBool::new(false), room: UnsafeCell::new(room) };
        Box::leak(Box::new(tree))
    }

    /// The number of its samples; 0 while a handler uses it.
    pub fn samples(&self) -> u64 {
        if self.is_used.swap(true, Acquire) {
            return 0;
        }
        // SAFETY: as above.
        let mut writer = Writer(unsafe { &mut *self.room.get() });
        let count = writer.header().frames.load(Relaxed);
        let sum = (1..count).map(|index| u64::from(writer.frame(index).samples)).sum();
        self.is_used.store(false, Release);
        sum
    }

    /// Adds the samples of a tree that no handler uses any more, all at this node. `place` is what
    /// a place of the other tree is called here.
    pub fn take(&self, other: &Tree, node: NodeOffset, place: impl Fn(u64) -> u64) {
        if other.is_used.swap(true, Acquire) {
            return;
        }
        // SAFETY: as above. It is never given back, so no handler writes there.
        let mut from = Writer(unsafe { &mut *other.room.get() });
        let count = from.header().frames.load(Relaxed);
        let mut places = Vec::new();
        for index in 1..count {
            let mut frame = *from.frame(index);
            let samples = frame.samples;
            places.clear();
            while frame.parent != 0 {
                places.push(place(frame.place));
                frame = *from.frame(frame.parent);
            }
            let is_whole = places.last() != Some(&SamplePlace::UNKNOWN);
            if samples > 0 {
                self.add(node, &places, (samples, is_whole));
            }
        }
    }

    /// Counts `weight` samples at a node of the call tree, below which these places of the code
    /// were being executed, the innermost one first; not `is_whole`: frames further outside are
    /// unknown.
    pub fn add(&self, node: NodeOffset, places: &[u64], (weight, is_whole): (u32, bool)) {
        // A thread may take the location over while the handler of another one is still at work.
        if self.is_used.swap(true, Acquire) {
            return;
        }
        // SAFETY: as above.
        let mut writer = Writer(unsafe { &mut *self.room.get() });
        let mut at = writer.child(0, node.into());
        let mut is_kept = is_whole && at != 0;
        if at != 0 {
            for &place in places.iter().rev() {
                let child = writer.child(at, place);
                if child == 0 {
                    is_kept = false;
                    break;
                }
                at = child;
            }
            let frame = writer.frame(at);
            frame.samples = frame.samples.saturating_add(weight);
        }
        if !is_kept {
            writer.header().incomplete.fetch_add(weight, Relaxed);
        }
        self.is_used.store(false, Release);
    }
}

struct Writer<'a>(&'a mut Room);

impl Writer<'_> {
    fn header(&mut self) -> &mut SampleHeader {
        // SAFETY: the file begins with it, and only the writer uses the file.
        unsafe { &mut *self.0.base().cast() }
    }

    fn place_of(&self, index: u32) -> *mut SampleFrame {
        let at = SAMPLE_PAGE_BYTES + index as usize * size_of::<SampleFrame>();
        self.0.base().wrapping_add(at).cast()
    }

    /// The frame with this index, which is below the number of frames.
    fn frame(&mut self, index: u32) -> &mut SampleFrame {
        // SAFETY: `make` has allocated it; frame 0 is in the file from the beginning, as zeroes.
        unsafe { &mut *self.place_of(index) }
    }

    /// The frame below `parent` at this place, made if it is new; 0 if it has no room.
    fn child(&mut self, parent: u32, place: u64) -> u32 {
        let mut at = self.frame(parent).first_child;
        while at != 0 && self.frame(at).place != place {
            at = self.frame(at).sibling;
        }
        if at == 0 { self.make(parent, place) } else { at }
    }

    fn make(&mut self, parent: u32, place: u64) -> u32 {
        let index = self.header().frames.load(Relaxed);
        let end = SAMPLE_PAGE_BYTES + (index as usize + 1) * size_of::<SampleFrame>();
        if !self.0.has(end) {
            return 0;
        }
        let sibling = self.frame(parent).first_child;
        let frame = SampleFrame { parent, first_child: 0, sibling, samples: 0, place };
        // SAFETY: `ensure` has allocated it.
        unsafe { self.place_of(index).write(frame) };
        // A reader of a killed process takes only frames below the count; links come afterwards.
        self.header().frames.store(index + 1, Release);
        self.frame(parent).first_child = index;
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree as a reader sees it: depth first, the frames of a list in the order of the list.
    fn shown(tree: &Tree) -> String {
        // SAFETY: no handler uses the tree of this test.
        let mut writer = Writer(unsafe { &mut *tree.room.get() });
        let mut text = format!("incomplete {}\n", *writer.header().incomplete.get_mut());
        let mut open = vec![(writer.frame(0).first_child, 0)];
        while let Some((at, depth)) = open.pop().filter(|(at, _)| *at != 0) {
            let SampleFrame { first_child, sibling, samples, place, .. } = *writer.frame(at);
            text += &format!("{}{place:x} {samples}\n", "  ".repeat(depth));
            open.extend([(sibling, depth), (first_child, depth + 1)].iter().filter(|it| it.0 != 0));
        }
        text
    }

    #[test]
    fn call_paths_share_their_outer_frames() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::create(folder.path(), 0).unwrap();
        tree.add(0x80, &[0xc, 0xb, 0xa], (1, true));
        tree.add(0x80, &[0xd, 0xb, 0xa], (2, true));
        tree.add(0x80, &[0xb, 0xa], (3, false));
        tree.add(0x100, &[], (1, true));
        tree.add(0x80, &[0xc, 0xb, 0xa], (4, true));
        let expected = "incomplete 3\n100 1\n80 0\n  a 0\n    b 3\n      d 2\n      c 5\n";
        assert_eq!(shown(tree), expected);
    }

    /// Samples come from memory into a file, with places of other names.
    #[test]
    fn a_tree_takes_the_samples_of_another() {
        let folder = tempfile::tempdir().unwrap();
        let (tree, other) = (Tree::create(folder.path(), 0).unwrap(), Tree::in_memory().unwrap());
        tree.add(0x80, &[0x1a], (1, true));
        other.add(0x40, &[0xb, 0xa], (2, true));
        other.add(0x40, &[], (3, true));
        other.add(0x40, &[0xc, SamplePlace::UNKNOWN], (4, false));
        assert_eq!(other.samples(), 9);
        let named = |place| if place == SamplePlace::UNKNOWN { place } else { place + 0x10 };
        tree.take(other, 0x80, named);
        let expected = "incomplete 4\n80 3\n  ffffffffffffffff 0\n    1c 4\n  1a 1\n    1b 2\n";
        assert_eq!(shown(tree), expected);
        other.add(0x40, &[0xb, 0xa], (5, true));
        tree.take(other, 0x80, named);
        assert_eq!(shown(tree), expected, "only once");
    }

    /// More frames than fit into the first blocks of the file.
    #[test]
    fn the_file_grows() {
        let folder = tempfile::tempdir().unwrap();
        let tree = Tree::create(folder.path(), 7).unwrap();
        for place in 1..5000 {
            tree.add(0x80, &[place, 0xa], (1, true));
        }
        let length = std::fs::metadata(folder.path().join("7.smp")).unwrap().len() as usize;
        assert!(length >= SAMPLE_PAGE_BYTES + 5001 * size_of::<SampleFrame>(), "{length}");
        assert_eq!(shown(tree).lines().count(), 1 + 2 + 4999);
    }
}

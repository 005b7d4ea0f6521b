//! The header of a task. Libgomp gets a function of ours in place of that of the task, and a block
//! of data that begins with this header; the user's data follow it. Libgomp owns the block, so
//! there is nothing to be freed or found again.
//!
//! Most tasks have few data, which are copied as bytes. Their block is on the creator's stack from
//! the beginning, with a header of three words ([`Compact`]): if the creator executes the task at
//! once, libgomp passes the block on, and copies nothing. All others have a [`Header`].
//!
//! Libgomp itself writes into the first words of a block: the event of a detached task, the first
//! and the last iteration of a task of a taskloop. And it reads the third one, if a taskloop has
//! reductions. So these words are free here, and go on to the user's data when the task begins.

use std::mem::{MaybeUninit, offset_of};

use crate::descriptor::Handle;

/// Blocks are aligned like this at least.
const ALIGN_MIN: usize = 16;

/// Of a task, in front of the user's data.
#[repr(C)]
pub struct Header {
    /// What libgomp writes and reads.
    pub words: [usize; 3],
    /// The user's function, data, how many bytes these have, and the function that copies them; 0
    /// if they are copied as bytes.
    pub function: usize,
    data: *const u8,
    size: usize,
    copy: usize,
    /// From the header to the user's data in a block.
    offset: usize,
    align: usize,
    /// The flags of the call.
    pub flags: usize,
    /// The construct.
    pub construct: &'static Handle,
    /// Its instance, or the taskloop that creates it.
    pub id: i64,
}

/// The block of a task with few data.
#[repr(C, align(16))]
pub struct Compact {
    /// The user's function.
    pub function: usize,
    /// The construct.
    pub construct: &'static Handle,
    /// Its instance.
    pub id: MaybeUninit<i64>,
    /// The function that the thread executes around it, while it executes the task.
    pub outer: MaybeUninit<usize>,
    data: CompactData,
}

/// The user's data, as many as there are.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct CompactData([MaybeUninit<u8>; COMPACT_BYTES]);

/// As many bytes as the data of eight variables have. The blocks of tasks that are executed at once
/// and create tasks in turn are on the stack at the same time.
const COMPACT_BYTES: usize = 64;

impl Compact {
    /// How the block is aligned.
    pub const ALIGN: usize = align_of::<Self>();

    /// Whether data of this size and alignment fit.
    #[inline(always)]
    pub fn has_room(size: usize, align: usize) -> bool {
        size <= COMPACT_BYTES && align <= Self::ALIGN
    }

    /// Makes the block of a task with these data, for which there is room. (In its place: all of it
    /// would be copied otherwise, whatever the size of the data. The construct is read after the
    /// data were copied, so that no register has to keep it meanwhile.)
    ///
    /// # Safety
    /// The data must be a task's.
    #[inline(always)]
    pub unsafe fn write(
        block: &mut MaybeUninit<Self>,
        (function, construct): (usize, &&'static Handle),
        (data, size): (usize, usize),
    ) {
        let block = block.as_mut_ptr();
        // SAFETY: fields of the block; the caller's promise, and there is room.
        unsafe {
            (&raw mut (*block).function).write(function);
            if size != 0 {
                let from = data as *const u8;
                Self::user_data(block).copy_from_nonoverlapping(from, size);
            }
            (&raw mut (*block).construct).write(*construct);
        }
    }

    /// As many bytes as the block has with data of this size.
    #[inline(always)]
    pub const fn size_with(size: usize) -> usize {
        offset_of!(Self, data) + size
    }

    /// Where the user's data are.
    ///
    /// # Safety
    /// `block` must begin with a header, and have as many data as libgomp has got.
    #[inline(always)]
    pub unsafe fn user_data(block: *mut Self) -> *mut u8 {
        // SAFETY: the caller's promise.
        unsafe { (&raw mut (*block).data).cast() }
    }
}

/// What libgomp gets of a task.
pub struct Block {
    /// The data, the header first.
    pub data: usize,
    /// What copies them; 0 for bytes.
    pub copy: usize,
    /// How long they are.
    pub size: usize,
    /// How they are aligned.
    pub align: usize,
}

impl Header {
    /// That of a task with these (function, data, copy, size, align). The last one is a power of
    /// two.
    #[inline(always)]
    pub fn new(of: [usize; 5], flags: usize, construct: &'static Handle) -> Self {
        let [function, data, copy, size, align] = of;
        let align = align.max(ALIGN_MIN);
        Self {
            words: [0; 3],
            function,
            data: data as *const u8,
            size,
            copy,
            offset: (size_of::<Self>() + align - 1) & !(align - 1),
            align,
            flags,
            construct,
            id: 0,
        }
    }

    /// The user's data of a task that executes. The first `count` of the words are theirs.
    ///
    /// # Safety
    /// `header` must be in front of such data.
    #[inline(always)]
    pub unsafe fn user_data(header: *mut Self, count: usize) -> usize {
        // SAFETY: the caller's promise; words that libgomp writes have a place in the user's data.
        unsafe {
            let data = header.byte_add((*header).offset).cast::<usize>();
            if (*header).size >= count * size_of::<usize>() {
                data.copy_from_nonoverlapping((*header).words.as_ptr(), count);
            }
            data as usize
        }
    }

    /// Makes a call with the block that libgomp gets. A task with a function that copies its data
    /// is not dropped by a cancellation once it is created. Therefore, if there may be one, and the
    /// user has no such function, header and data are together already.
    ///
    /// # Safety
    /// What the header was made of must be a task's. Libgomp may write into it meanwhile.
    pub unsafe fn hand_over<T>(
        header: *mut Self,
        is_cancellable: bool,
        call: impl FnOnce(&Block) -> T,
    ) -> T {
        // SAFETY: the caller's promise.
        unsafe {
            let (size, align) = ((*header).offset + (*header).size, (*header).align);
            if is_cancellable && (*header).copy == 0 {
                return Self::hand_over_together(header, size, align, call);
            }
            let (data, copy) = (header as usize, copy as *const () as usize);
            call(&Block { data, copy, size, align })
        }
    }

    /// A function of its own: the frame of the other way must be small, because tasks that are
    /// executed at once create tasks in turn.
    #[inline(never)]
    unsafe fn hand_over_together<T>(
        header: *const Self,
        size: usize,
        align: usize,
        call: impl FnOnce(&Block) -> T,
    ) -> T {
        let mut room = Room(MaybeUninit::uninit());
        let mut more: Vec<u8> = Vec::new();
        let start = if size + align <= size_of::<Room>() {
            (&raw mut room).cast::<u8>()
        } else {
            more.reserve(size + align);
            more.as_mut_ptr()
        };
        let start = start.wrapping_add(start.align_offset(align));
        // SAFETY: there is room for this number of bytes after the first place that is aligned.
        unsafe { copy(start.cast(), header) };
        call(&Block { data: start as usize, copy: 0, size, align })
    }
}

/// A place on the stack for the blocks of most tasks.
#[repr(align(64))]
struct Room(#[allow(dead_code, reason = "its address is used")] MaybeUninit<[u8; 512]>);

/// Makes a block of a header and the user's data.
unsafe extern "C" fn copy(to: *mut Header, from: *const Header) {
    // SAFETY: both are blocks of a task, and the user's data are where the header says.
    unsafe {
        to.copy_from_nonoverlapping(from, 1);
        let user = to.byte_add((*from).offset).cast::<u8>();
        match (*from).copy {
            0 if (*from).size == 0 => {}
            0 => user.copy_from_nonoverlapping((*from).data, (*from).size),
            copy => {
                type CopyBytes = unsafe extern "C" fn(*mut u8, *const u8);
                std::mem::transmute::<usize, CopyBytes>(copy)(user, (*from).data);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::site;
    use super::*;

    /// A construct that nothing looks at.
    fn nothing() -> &'static Handle {
        site::alone(0).construct
    }

    /// Adds one to each byte that it copies.
    unsafe extern "C" fn copy_more(to: *mut u8, from: *const u8) {
        for at in 0..24 {
            // SAFETY: the data of these tests are as long.
            unsafe { to.add(at).write(from.add(at).read() + 1) };
        }
    }

    /// What a task finds as its data, with `count` words from libgomp, which are 7, 8 and 9.
    fn found(copy_user: usize, align: usize, is_cancellable: bool, count: usize) -> Vec<u8> {
        let user: Vec<u8> = (1..=24).collect();
        let of = [1, user.as_ptr() as usize, copy_user, user.len(), align];
        let mut header = Header::new(of, 0, nothing());
        // SAFETY: as libgomp does: a block of its own, the words, the task.
        unsafe {
            Header::hand_over(&raw mut header, is_cancellable, |block| {
                let mut own = vec![0_u8; block.size + block.align];
                let start = own.as_mut_ptr();
                let start = start.wrapping_add(start.align_offset(block.align));
                match block.copy {
                    0 => start.copy_from_nonoverlapping(block.data as *const u8, block.size),
                    _ => copy(start.cast(), block.data as *const Header),
                }
                (*start.cast::<Header>()).words = [7, 8, 9];
                let data = Header::user_data(start.cast(), count);
                assert_eq!(data % align, 0);
                std::slice::from_raw_parts(data as *const u8, user.len()).to_vec()
            })
        }
    }

    #[test]
    fn a_task_finds_its_data() {
        let bytes: Vec<u8> = (1..=24).collect();
        for is_cancellable in [false, true] {
            for align in [1, 8, 64, 256, 8192] {
                assert_eq!(found(0, align, is_cancellable, 0), bytes);
            }
        }
    }

    #[test]
    fn words_of_libgomp_come_first() {
        let mut bytes: Vec<u8> = (1..=24).collect();
        bytes[..8].copy_from_slice(&7_usize.to_ne_bytes());
        assert_eq!(found(0, 8, false, 1), bytes);
        bytes[8..16].copy_from_slice(&8_usize.to_ne_bytes());
        assert_eq!(found(0, 8, true, 2), bytes);
    }

    #[test]
    fn functions_of_the_program_copy() {
        let more: Vec<u8> = (2..=25).collect();
        let copy_user = copy_more as *const () as usize;
        assert_eq!(found(copy_user, 16, false, 0), more);
        assert_eq!(found(copy_user, 16, true, 0), more);
    }

    #[test]
    fn few_data_are_in_the_block_from_the_beginning() {
        for size in [0, 1, 24, COMPACT_BYTES] {
            let user: Vec<u8> = (1..=64).take(size).collect();
            assert!(Compact::has_room(size, 16));
            // SAFETY: the data have this size, and the copy is as long as that of libgomp.
            unsafe {
                let data = (user.as_ptr() as usize, size);
                let mut block = MaybeUninit::uninit();
                Compact::write(&mut block, (7, &nothing()), data);
                let mut own = MaybeUninit::<Compact>::uninit();
                let bytes = Compact::size_with(size);
                own.as_mut_ptr()
                    .cast::<u8>()
                    .copy_from_nonoverlapping((&raw const block).cast(), bytes);
                let own = own.as_mut_ptr();
                assert_eq!((*own).function, 7);
                let found = std::slice::from_raw_parts(Compact::user_data(own), size);
                assert_eq!(found, user);
            }
        }
        assert!(!Compact::has_room(COMPACT_BYTES + 1, 1));
        assert!(!Compact::has_room(8, 32));
    }

    #[test]
    fn a_task_may_have_no_data() {
        let mut header = Header::new([1, 0, 0, 0, 1], 0, nothing());
        for is_cancellable in [false, true] {
            // SAFETY: a task without data.
            unsafe {
                Header::hand_over(&raw mut header, is_cancellable, |block| {
                    assert_eq!((block.size, block.align), (size_of::<Header>(), ALIGN_MIN));
                    assert_eq!(block.copy == 0, is_cancellable);
                });
            }
        }
    }
}

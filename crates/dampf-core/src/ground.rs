//! Where interned contents lie.
//!
//! Contents never change and are never freed before the table that names them, so all they need is memory that is taken
//! piece by piece and stays where it is. Usually that is the heap; where the contents of all states do not fit into
//! memory, a file.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;
use std::sync::Mutex;

/// Pieces begin at multiples of this: the size of a cache line.
pub const PIECE_ALIGNMENT: usize = 64;

/// Memory to put contents into.
///
/// # Safety
/// A piece is zeroed, begins at a multiple of [`PIECE_ALIGNMENT`], is nobody else's, can be read and written by all
/// threads, and stays where it is, with what was written into it, for as long as the ground is there.
pub unsafe trait Ground: Send + Sync {
    /// A new piece of this many bytes, which is more than none.
    fn piece(&self, bytes: usize) -> NonNull<u8>;
}

/// The heap as ground.
#[derive(Default)]
pub struct Heap {
    pieces: Mutex<Vec<(Address, Layout)>>,
}

struct Address(NonNull<u8>);

// SAFETY: the address is only kept in order to free what is there, once, when nobody else can know it any more.
unsafe impl Send for Address {}

// SAFETY: zeroed and aligned by the allocator, handed out once, freed when the ground is dropped.
unsafe impl Ground for Heap {
    fn piece(&self, bytes: usize) -> NonNull<u8> {
        let layout = Layout::from_size_align(bytes, PIECE_ALIGNMENT).expect("a piece fits the address space");
        // SAFETY: pieces are not empty.
        let Some(piece) = NonNull::new(unsafe { alloc_zeroed(layout) }) else { handle_alloc_error(layout) };
        self.pieces.lock().expect("nothing panics under this lock").push((Address(piece), layout));
        piece
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        for (Address(piece), layout) in self.pieces.get_mut().expect("nothing panics under this lock").drain(..) {
            // SAFETY: allocated with this layout in `piece`, and freed nowhere else.
            unsafe { dealloc(piece.as_ptr(), layout) };
        }
    }
}

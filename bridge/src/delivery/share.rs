//! The memory that a route holds: counted until nobody refers to it any more, which is later than
//! the answer to a sender who waited.

use std::cell::Cell;
use std::rc::Rc;

/// What one route holds.
#[derive(Debug, Default)]
pub struct Share {
    held: Cell<usize>,
}

impl Share {
    /// Bytes that are held.
    #[must_use]
    pub fn held(&self) -> usize {
        self.held.get()
    }
}

/// A part of a [`Share`], given back when it is dropped.
#[derive(Debug)]
pub struct Held {
    share: Rc<Share>,
    bytes: Cell<usize>,
}

impl Held {
    /// Holds nothing yet.
    #[must_use]
    pub fn of(share: &Rc<Share>) -> Self {
        Self {
            share: Rc::clone(share),
            bytes: Cell::new(0),
        }
    }

    /// Bytes of this part.
    #[must_use]
    pub fn get(&self) -> usize {
        self.bytes.get()
    }

    /// Holds so many bytes from now on.
    pub fn set(&self, bytes: usize) {
        let others = self.share.held.get() - self.bytes.replace(bytes);
        self.share.held.set(others + bytes);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.set(0);
    }
}

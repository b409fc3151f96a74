//! How much one evaluation may read and keep. A short expression can double a list with every step,
//! or read a large one again and again; beyond these limits its values are unknown.

use std::borrow::Cow;

use super::Val;

/// Most bytes of a value that an operation makes: twice the usual limit of a record. A list of this
/// many bytes may have as many elements, which take far more memory while they are looked at.
pub const LARGEST: usize = 2 << 20;
/// Most bytes that the operations of one evaluation read, make and copy.
const TOTAL: usize = 64 << 20;

/// What is left.
#[derive(Debug)]
pub struct Budget {
    left: usize,
}

impl Default for Budget {
    fn default() -> Self {
        Self { left: TOTAL }
    }
}

impl Budget {
    /// Counts bytes that are read or made; returns whether there was room for them.
    pub fn spend(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// Counts a value that an operation made; returns whether it may be kept.
    pub fn keep(&mut self, bytes: usize) -> bool {
        bytes <= LARGEST && self.spend(bytes)
    }

    /// A copy of a variable's value, if there is room for it.
    pub fn copy<'a>(&mut self, value: &Val<'a>) -> Option<Val<'a>> {
        match value {
            Val::Bytes(_, Cow::Owned(bytes)) | Val::Packed(_, Cow::Owned(bytes)) => {
                self.spend(bytes.len()).then(|| value.clone())
            }
            value => Some(value.clone()),
        }
    }
}

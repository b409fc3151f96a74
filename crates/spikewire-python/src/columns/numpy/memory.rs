//! The memory of an array and its mask that nobody else has seen yet.

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;

use super::layout::Layout;

/// A fresh array's bytes, and its mask's, row after row.
pub struct Memory {
    data: Block,
    mask: Option<Block>,
    /// The flags of one row, where no mask is kept.
    scratch: Vec<u8>,
}

impl Memory {
    /// Borrows the memory of arrays that were made for this.
    pub fn of<'py>(
        numpy: &Bound<'py, PyAny>,
        layout: &Layout,
        data: &Bound<'py, PyAny>,
        mask: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Self> {
        let block = |array, size| Block::of(numpy, array, size);
        let scratch = vec![0; if mask.is_none() { layout.mask_size } else { 0 }];
        let mask = mask.map(|mask| block(mask, layout.mask_size)).transpose()?;
        Ok(Self { data: block(data, layout.size)?, mask, scratch })
    }

    /// A row's bytes and its flags.
    #[inline]
    pub fn row(&mut self, row: usize) -> (&mut [u8], &mut [u8]) {
        let mask = match &mut self.mask {
            Some(mask) => mask.row(row),
            None => &mut self.scratch,
        };
        (self.data.row(row), mask)
    }
}

/// The bytes of a fresh, contiguous, one-dimensional array.
struct Block {
    buffer: PyBuffer<u8>,
    len: usize,
    /// Bytes in a row.
    size: usize,
}

impl Block {
    fn of(numpy: &Bound<'_, PyAny>, array: &Bound<'_, PyAny>, size: usize) -> PyResult<Self> {
        let bytes = array.call_method1("view", (numpy.getattr("uint8")?,))?;
        let buffer = PyBuffer::<u8>::get(&bytes)?;
        assert!(buffer.is_c_contiguous() && !buffer.readonly(), "a fresh array is one block");
        let len = buffer.len_bytes();
        Ok(Self { buffer, len, size })
    }

    #[inline]
    fn row(&mut self, row: usize) -> &mut [u8] {
        let start = row * self.size;
        assert!(start + self.size <= self.len, "the array has this row");
        // SAFETY: the range lies within the buffer, which is writable, contiguous and kept alive
        // by `self.buffer`; the array was made for this call and other code cannot reach it, and
        // `&mut self` rules out a second slice.
        unsafe {
            let base = self.buffer.buf_ptr().cast::<u8>();
            std::slice::from_raw_parts_mut(base.add(start), self.size)
        }
    }
}

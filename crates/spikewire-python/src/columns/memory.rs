//! The memory of a new array and its mask, which no Python code has seen yet.

#![expect(unsafe_code, reason = "NumPy's memory is reached by a pointer")]

use pyo3::buffer::PyBuffer;
use pyo3::prelude::*;
use pyo3::types::PySlice;

use super::layout::Layout;
use super::library::Library;

/// The bytes of a new array and of its mask, row by row.
pub struct ArrayMemory {
    rows: usize,
    data: Block,
    mask: Option<Block>,
    /// The flags of one row, if there is no mask.
    scratch: Vec<u8>,
}

impl ArrayMemory {
    /// Zeroed memory for this many rows, with or without a mask.
    pub fn new(
        py: Python<'_>,
        numpy: &Library,
        layout: &Layout,
        rows: usize,
        masked: bool,
    ) -> PyResult<Self> {
        let block = |size| Block::new(numpy.bytes(py, rows, size)?, size);
        let mask = masked.then(|| block(layout.mask_size)).transpose()?;
        let scratch = vec![0; if masked { 0 } else { layout.mask_size }];
        Ok(Self { rows, data: block(layout.size)?, mask, scratch })
    }

    /// The number of rows that fit.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Makes room for more rows.
    pub fn grow(
        &mut self,
        py: Python<'_>,
        numpy: &Library,
        layout: &Layout,
        rows: usize,
    ) -> PyResult<()> {
        let mut wider = Self::new(py, numpy, layout, rows, self.mask.is_some())?;
        for row in 0..self.rows {
            let (data, mask) = wider.row(row);
            let (old_data, old_mask) = self.row(row);
            data.copy_from_slice(old_data);
            mask.copy_from_slice(old_mask);
        }
        *self = wider;
        Ok(())
    }

    /// The bytes of a row, and its flags.
    #[inline]
    pub fn row(&mut self, row: usize) -> (&mut [u8], &mut [u8]) {
        let mask = match &mut self.mask {
            Some(mask) => mask.row(row),
            None => &mut self.scratch,
        };
        (self.data.row(row), mask)
    }

    /// The first rows, as the array for the caller.
    pub fn finish<'py>(
        self,
        dtype: &Bound<'py, PyAny>,
        numpy: &Library,
        layout: &Layout,
        rows: usize,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = dtype.py();
        let part = |block: Block| -> PyResult<Bound<'py, PyAny>> {
            let bytes = block.bytes.into_bound(py);
            if rows == self.rows {
                return Ok(bytes);
            }
            bytes.get_item(PySlice::new(py, 0, (rows * block.size) as isize, 1))
        };
        let data = part(self.data)?;
        let Some(mask) = self.mask else { return numpy.array(&data, dtype, rows, None) };
        // The names of a dtype can be assigned, which must not affect other arrays. Indexing with
        // all fields gives a new dtype.
        let flags = layout.masks.bind(py).get_item(&layout.fields)?;
        numpy.array(&data, dtype, rows, Some((&part(mask)?, &flags)))
    }
}

/// The bytes of a new, contiguous, one-dimensional array.
struct Block {
    bytes: Py<PyAny>,
    buffer: PyBuffer<u8>,
    len: usize,
    /// Bytes per row.
    size: usize,
}

impl Block {
    fn new(bytes: Bound<'_, PyAny>, size: usize) -> PyResult<Self> {
        let buffer = PyBuffer::<u8>::get(&bytes)?;
        assert!(buffer.is_c_contiguous() && !buffer.readonly(), "a fresh array is one block");
        let len = buffer.len_bytes();
        Ok(Self { bytes: bytes.unbind(), buffer, len, size })
    }

    #[inline]
    fn row(&mut self, row: usize) -> &mut [u8] {
        let start = row * self.size;
        assert!(start + self.size <= self.len, "the array has this row");
        // SAFETY: the range lies within the buffer, which is writable, contiguous and kept alive by
        // `self.buffer`. The array was created for this call and no other code can reach it, and
        // `&mut self` rules out a second slice.
        unsafe {
            let base = self.buffer.buf_ptr().cast::<u8>();
            std::slice::from_raw_parts_mut(base.add(start), self.size)
        }
    }
}

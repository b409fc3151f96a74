//! Structured NumPy arrays, plain and masked.

use std::sync::Arc;

use arrow_array::types::{ArrowPrimitiveType, Float16Type};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::{PyMapping, PySlice, PyTuple};

use super::{Piece, Pieces};
use crate::errors::{type_error, value_error};
use spikewire_columns::ColumnError;
use spikewire_columns::source::cell::unsigned;
use spikewire_columns::source::nested::Structs;
use spikewire_columns::source::{Cell, Cells};

type Float16 = <Float16Type as ArrowPrimitiveType>::Native;

/// The number of rows copied from the array at a time.
const ROWS: usize = 16_384;

/// How to interpret the memory of one field.
#[derive(Clone, Copy)]
enum FieldKind {
    Bool,
    Int,
    UInt,
    Float,
    Bytes,
    Text,
    /// Times: integers, one of which means "not a time".
    Time,
    Raw,
}

/// The positions of values in an array's memory: item `i` of groups of `group` items.
#[derive(Clone, Copy)]
struct Walk {
    row: usize,
    offset: usize,
    group: usize,
    step: usize,
}

impl Walk {
    fn at(&self, item: usize) -> usize {
        item / self.group * self.row + self.offset + item % self.group * self.step
    }
}

/// The layout of a field, for arrays of one dtype.
enum FieldLayout {
    Leaf {
        kind: FieldKind,
        size: usize,
        little: bool,
        data: Walk,
        mask: Option<Walk>,
    },
    /// Sub-arrays with this many items.
    List(Box<FieldLayout>, usize),
    Struct(Vec<(String, FieldLayout)>),
}

/// A dtype and where its values are; the same for its mask.
struct FieldPosition<'py> {
    dtype: Bound<'py, PyAny>,
    walk: Walk,
}

impl<'py> FieldPosition<'py> {
    fn field(&self, name: &str) -> PyResult<Self> {
        let fields = self.dtype.getattr("fields")?;
        let parts: Bound<'py, PyTuple> = fields.get_item(name)?.extract()?;
        let offset: usize = parts.get_item(1)?.extract()?;
        let walk = Walk { offset: self.walk.offset + offset, ..self.walk };
        Ok(Self { dtype: parts.get_item(0)?, walk })
    }

    /// The items of a sub-array, `group` of them.
    fn items(&self, group: usize) -> PyResult<Self> {
        let base = self.dtype.getattr("base")?;
        let step = base.getattr("itemsize")?.extract()?;
        Ok(Self { dtype: base, walk: Walk { group: group.max(1), step, ..self.walk } })
    }
}

/// Rows of a structured array.
pub struct StructuredRows {
    array: Py<PyAny>,
    mask: Option<Py<PyAny>>,
    columns: Vec<FieldLayout>,
    rows: usize,
    next: usize,
}

/// The fields of a structured array, each with the reason why it cannot be written, if there is
/// one.
pub fn fields(array: &Bound<'_, PyAny>) -> PyResult<Vec<(String, Result<(), ColumnError>)>> {
    let dtype = array.getattr("dtype")?;
    let names: Option<Vec<String>> = dtype.getattr("names")?.extract()?;
    let dimensions: usize = array.getattr("ndim")?.extract()?;
    let Some(names) = names.filter(|_| dimensions == 1) else {
        return Err(type_error(format!(
            "records must be a structured array of one dimension, not {dimensions} dimensions of \
             {}",
            dtype.str()?
        )));
    };
    let spot = whole(&dtype)?;
    let field = |name: String| {
        let check = match layout(&spot.field(&name)?, None) {
            Ok(_) => Ok(()),
            Err(error) if error.is_instance_of::<pyo3::exceptions::PyTypeError>(array.py()) => {
                Err(ColumnError::kind(error.value(array.py()).to_string()))
            }
            Err(error) => return Err(error),
        };
        Ok((name, check))
    };
    names.into_iter().map(field).collect()
}

fn whole<'py>(dtype: &Bound<'py, PyAny>) -> PyResult<FieldPosition<'py>> {
    let row = dtype.getattr("itemsize")?.extract()?;
    Ok(FieldPosition { dtype: dtype.clone(), walk: Walk { row, offset: 0, group: 1, step: 0 } })
}

impl StructuredRows {
    /// The named fields of an array.
    pub fn new(array: &Bound<'_, PyAny>, names: &[&str]) -> PyResult<Self> {
        let ma = array.py().import("numpy.ma")?;
        let masked = array.is_instance(&ma.getattr("MaskedArray")?)?;
        let mask = masked.then(|| ma.call_method1("getmaskarray", (array,))).transpose()?;
        let data = if masked { array.getattr("data")? } else { array.clone() };
        let spot = whole(&array.getattr("dtype")?)?;
        let hidden = mask.as_ref().map(|mask| whole(&mask.getattr("dtype")?)).transpose()?;
        let column = |name: &&str| {
            let hidden = hidden.as_ref().map(|hidden| hidden.field(name)).transpose()?;
            layout(&spot.field(name)?, hidden.as_ref())
        };
        let columns = names.iter().map(column).collect::<PyResult<_>>()?;
        let (rows, mask) = (array.len()?, mask.map(Bound::unbind));
        Ok(Self { array: data.unbind(), mask, columns, rows, next: 0 })
    }
}

/// The layout of a field and, if there is one, of its mask.
fn layout(spot: &FieldPosition<'_>, mask: Option<&FieldPosition<'_>>) -> PyResult<FieldLayout> {
    let dtype = &spot.dtype;
    let subarray: Option<(Bound<'_, PyAny>, Vec<usize>)> = dtype.getattr("subdtype")?.extract()?;
    if let Some((_, shape)) = subarray {
        if spot.walk.group > 1 {
            return Err(type_error(format!(
                "cannot store type {}: sub-arrays within sub-arrays",
                dtype.str()?
            )));
        }
        let group = shape.iter().product();
        let hidden = mask.map(|mask| mask.items(group)).transpose()?;
        let items = layout(&spot.items(group)?, hidden.as_ref())?;
        return Ok(shape
            .iter()
            .rev()
            .fold(items, |items, length| FieldLayout::List(Box::new(items), *length)));
    }
    if let Ok(fields) = dtype.getattr("fields")?.cast::<PyMapping>() {
        let mut parts = Vec::with_capacity(fields.len()?);
        let names: Vec<String> = dtype.getattr("names")?.extract()?;
        for name in names {
            let hidden = mask.map(|mask| mask.field(&name)).transpose()?;
            let part = layout(&spot.field(&name)?, hidden.as_ref())?;
            parts.push((name, part));
        }
        return Ok(FieldLayout::Struct(parts));
    }
    let letter: String = dtype.getattr("kind")?.extract()?;
    let size: usize = dtype.getattr("itemsize")?.extract()?;
    let kind = match letter.as_str() {
        "b" => FieldKind::Bool,
        "i" => FieldKind::Int,
        "u" => FieldKind::UInt,
        "f" if size <= 8 => FieldKind::Float,
        "S" => FieldKind::Bytes,
        "U" => FieldKind::Text,
        "M" | "m" => FieldKind::Time,
        "V" => FieldKind::Raw,
        "O" => {
            return Err(type_error(
                "cannot store a field of Python objects: give a list of dicts with their keys, \
                 or an Arrow table",
            ));
        }
        _ => return Err(type_error(format!("cannot store type {}", dtype.str()?))),
    };
    let native: bool = dtype.getattr("isnative")?.extract()?;
    let little = native == cfg!(target_endian = "little");
    Ok(FieldLayout::Leaf { kind, size, little, data: spot.walk, mask: mask.map(|mask| mask.walk) })
}

impl FieldLayout {
    /// The column over a piece of the array's memory.
    fn column(
        &self,
        data: &Arc<PyBackedBytes>,
        mask: Option<&Arc<PyBackedBytes>>,
    ) -> Box<dyn Cells> {
        match self {
            Self::Leaf { kind, size, little, data: walk, mask: hidden } => Box::new(Leaf {
                kind: *kind,
                size: *size,
                little: *little,
                data: (data.clone(), *walk),
                mask: mask.cloned().zip(*hidden),
            }),
            Self::List(items, length) => Box::new(Group {
                items: items.column(data, mask),
                length: *length,
                masked: mask.is_some(),
            }),
            Self::Struct(parts) => {
                let part = |(name, part): &(String, Self)| (name.clone(), part.column(data, mask));
                Box::new(Structs::new(parts.iter().map(part).collect(), None))
            }
        }
    }
}

impl Pieces for StructuredRows {
    fn next(&mut self) -> PyResult<Option<Piece>> {
        let rows = (self.rows - self.next).min(ROWS);
        if rows == 0 {
            return Ok(None);
        }
        let end = self.next + rows;
        let (data, mask) = Python::attach(|py| {
            let slice = PySlice::new(py, self.next as isize, end as isize, 1);
            let copy = |array: &Py<PyAny>| {
                let part = array.bind(py).get_item(&slice)?;
                let bytes: PyBackedBytes = part.call_method0("tobytes")?.extract()?;
                Ok::<_, PyErr>((part.len()?, part.getattr("itemsize")?.extract::<usize>()?, bytes))
            };
            let (len, size, data) = copy(&self.array)?;
            let mask = self.mask.as_ref().map(copy).transpose()?;
            // Another thread may have resized the array.
            if len != rows || data.len() != rows * size {
                return Err(value_error("the array changed while it was read"));
            }
            Ok::<_, PyErr>((Arc::new(data), mask.map(|(_, _, mask)| Arc::new(mask))))
        })?;
        self.next = end;
        let columns = self.columns.iter().map(|layout| layout.column(&data, mask.as_ref()));
        Ok(Some(Piece { rows, columns: columns.collect() }))
    }
}

/// A field of plain values.
struct Leaf {
    kind: FieldKind,
    size: usize,
    little: bool,
    data: (Arc<PyBackedBytes>, Walk),
    mask: Option<(Arc<PyBackedBytes>, Walk)>,
}

/// The number in `bytes`, in the low-order bits.
fn number(bytes: &[u8], little: bool) -> u64 {
    let mut wide = [0; 8];
    if little {
        wide[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(wide)
    } else {
        wide[8 - bytes.len()..].copy_from_slice(bytes);
        u64::from_be_bytes(wide)
    }
}

fn without_padding(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    &bytes[..end]
}

impl Cells for Leaf {
    fn cell(&self, row: usize) -> Result<Cell<'_>, ColumnError> {
        if let Some((mask, walk)) = &self.mask
            && mask[walk.at(row)] != 0
        {
            return Ok(Cell::Null);
        }
        let at = self.data.1.at(row);
        let bytes = &self.data.0[at..at + self.size];
        let wide = || number(bytes, self.little);
        let unused = 64 - 8 * self.size.min(8) as u32;
        Ok(match self.kind {
            FieldKind::Bool => Cell::Bool(bytes[0] != 0),
            FieldKind::Int => Cell::Int(((wide() << unused) as i64) >> unused),
            FieldKind::UInt => Cell::Int(unsigned(wide())?),
            FieldKind::Float => Cell::Float(match self.size {
                2 => Float16::from_bits(wide() as u16).into(),
                4 => f32::from_bits(wide() as u32).into(),
                _ => f64::from_bits(wide()),
            }),
            FieldKind::Bytes => Cell::Bytes(without_padding(bytes)),
            FieldKind::Text => Cell::Text(self.text(bytes)?.into()),
            FieldKind::Time => match wide() as i64 {
                i64::MIN => Cell::Null,
                time => Cell::Int(time),
            },
            FieldKind::Raw => Cell::Bytes(bytes),
        })
    }
}

impl Leaf {
    fn text(&self, bytes: &[u8]) -> Result<String, ColumnError> {
        let mut text = String::new();
        let mut zeros = 0;
        for sign in bytes.chunks_exact(4) {
            let code = number(sign, self.little) as u32;
            if code == 0 {
                // Padding, unless other bytes follow.
                zeros += 1;
                continue;
            }
            text.extend(std::iter::repeat_n('\0', std::mem::take(&mut zeros)));
            text.push(char::from_u32(code).ok_or_else(|| {
                ColumnError::value("the str cannot be written as UTF-8 (lone surrogates)")
            })?);
        }
        Ok(text)
    }
}

/// Sub-arrays as lists. A fully masked one counts as missing.
struct Group {
    items: Box<dyn Cells>,
    length: usize,
    masked: bool,
}

impl Cells for Group {
    fn cell(&self, row: usize) -> Result<Cell<'_>, ColumnError> {
        let mut rows = row * self.length..(row + 1) * self.length;
        let list = Cell::List(&*self.items, rows.clone());
        let is_null = |row| matches!(self.items.cell(row), Ok(Cell::Null));
        if self.masked && self.length > 0 && rows.all(is_null) { Ok(Cell::Null) } else { Ok(list) }
    }
}

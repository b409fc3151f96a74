//! How to fill a structured dtype: which field each bin goes to, and of which type it is.

use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use spikewire_columns::ExtraColumns;
use spikewire_columns::fixed::{Cell, CellKind, Field};

use super::library::Library;
use crate::bridge::cached::intern;
use crate::errors::{repr_of, type_error, value_error};

/// The maximum number of cached layouts.
const KEPT: usize = 64;

/// The dtype, taken apart.
#[pyclass(frozen, module = "spikewire._native")]
#[derive(Debug)]
pub struct Layout {
    /// The dtype's field names when the layout was created.
    names: Py<PyTuple>,
    /// The dtype of a mask, and the list of all of its fields.
    pub masks: Py<PyAny>,
    pub fields: Py<PyList>,
    /// Bytes per row, and bytes per row of the mask.
    pub size: usize,
    pub mask_size: usize,
    /// The fields that are filled from bins.
    pub bins: Vec<Field>,
    pub key: Option<Field>,
    pub generation: Option<Field>,
    pub ttl: Option<Field>,
}

impl Layout {
    /// The dtype that a value denotes, and its layout. Layouts are cached, because programs use the
    /// same few dtypes again and again.
    pub fn of<'py>(
        numpy: &Library,
        dtype: &Bound<'py, PyAny>,
        extra: &ExtraColumns,
    ) -> PyResult<(Bound<'py, PyAny>, Py<Self>)> {
        let py = dtype.py();
        if dtype.is_none() {
            // NumPy interprets None as float64, which is never meant here.
            return Err(type_error("dtype must be a structured dtype, not None"));
        }
        let class = numpy.dtype.bind(py);
        let dtype =
            if dtype.is_instance(class)? { dtype.clone() } else { class.call1((dtype,))? };
        let names = dtype.getattr(intern!(py, "names"))?;
        let Ok(names) = names.cast_into::<PyTuple>() else {
            return Err(value_error(format!(
                "dtype must be structured, with one field for each bin, such as [(\"age\", \
                 \"i4\")], not {}",
                repr_of(&dtype)
            )));
        };
        let (layouts, of) = (numpy.layouts.bind(py), (&dtype, extra.names()));
        if let Some(known) = layouts.get_item(of)?
            && let Ok(known) = known.cast_into::<Self>()
            // The names of a dtype can be assigned, and nothing else of it.
            && known.get().names.bind(py).eq(&names)?
        {
            return Ok((dtype, known.unbind()));
        }
        let layout = Py::new(py, Self::new(numpy, &dtype, &names, extra)?)?;
        if layouts.len() >= KEPT {
            layouts.clear();
        }
        layouts.set_item(of, &layout)?;
        Ok((dtype, layout))
    }

    fn new(
        numpy: &Library,
        dtype: &Bound<'_, PyAny>,
        names: &Bound<'_, PyTuple>,
        extra: &ExtraColumns,
    ) -> PyResult<Self> {
        let size: usize = dtype.getattr("itemsize")?.extract()?;
        if size == 0 {
            return Err(value_error(format!("dtype has no bytes: {}", repr_of(dtype))));
        }
        let masks = numpy.make_mask_descr.bind(dtype.py()).call1((dtype,))?;
        let (fields, mask_fields) = (dtype.getattr("fields")?, masks.getattr("fields")?);
        let mut layout = Self {
            mask_size: masks.getattr("itemsize")?.extract()?,
            names: names.clone().unbind(),
            masks: masks.unbind(),
            fields: names.to_list().unbind(),
            size,
            bins: Vec::with_capacity(names.len()),
            key: None,
            generation: None,
            ttl: None,
        };
        for name in names.iter() {
            let part = fields.get_item(&name)?;
            let mask = mask_fields.get_item(&name)?.get_item(1)?.extract()?;
            let name: String = name.extract()?;
            let field = field(&name, &part, mask)?;
            if extra.key.as_ref() == Some(&name) {
                if !field.shape.is_empty() {
                    return Err(type_error(format!(
                        "key: field {name:?} must hold one value, not {}",
                        field.type_name
                    )));
                }
                layout.key = Some(field);
            } else if extra.generation.as_ref() == Some(&name) {
                layout.generation = Some(number(field, "generation")?);
            } else if extra.ttl.as_ref() == Some(&name) {
                layout.ttl = Some(number(field, "ttl")?);
            } else {
                layout.bins.push(field);
            }
        }
        for (what, name) in extra.all() {
            if let Some(name) = name
                && !names.contains(name)?
            {
                return Err(value_error(format!("{what}: the dtype has no field {name:?}")));
            }
        }
        Ok(layout)
    }
}

/// Generation and TTL, which are numbers but not bins, need a numeric field.
fn number(field: Field, what: &str) -> PyResult<Field> {
    match field.cell.kind {
        CellKind::Int | CellKind::UInt | CellKind::Float | CellKind::Time
            if field.shape.is_empty() =>
        {
            Ok(field)
        }
        _ => Err(type_error(format!(
            "{what}: field {:?} must be a number, not {}",
            field.name, field.type_name
        ))),
    }
}

fn field(name: &str, part: &Bound<'_, PyAny>, mask: usize) -> PyResult<Field> {
    let whole = part.get_item(0)?;
    let offset = part.get_item(1)?.extract()?;
    let sub = whole.getattr("subdtype")?;
    let (base, shape) = if sub.is_none() {
        (whole.clone(), vec![])
    } else {
        (sub.get_item(0)?, sub.get_item(1)?.extract::<Vec<usize>>()?)
    };
    let count: usize = shape.iter().product();
    let cell = cell(name, &base)?;
    if count == 0 || cell.size == 0 {
        return Err(value_error(format!("field {name:?} of the dtype has no bytes")));
    }
    Ok(Field {
        name: name.to_owned(),
        type_name: whole.str()?.to_string(),
        offset,
        mask,
        cell,
        shape,
        count,
    })
}

fn cell(name: &str, base: &Bound<'_, PyAny>) -> PyResult<Cell> {
    let size: usize = base.getattr("itemsize")?.extract()?;
    let order: char = base.getattr("byteorder")?.extract()?;
    let letter: char = base.getattr("kind")?.extract()?;
    let structured = !base.getattr("names")?.is_none();
    let kind = match letter {
        'i' => CellKind::Int,
        'u' => CellKind::UInt,
        'f' if matches!(size, 4 | 8) => CellKind::Float,
        'b' => CellKind::Bool,
        'S' => CellKind::Bytes,
        'U' => CellKind::Text,
        'V' if !structured => CellKind::Raw,
        'M' | 'm' => {
            let data = base.py().import("numpy")?.call_method1("datetime_data", (base,))?;
            let data: Bound<'_, PyTuple> = data.cast_into()?;
            if data.get_item(0)?.extract::<String>()? == "generic" {
                return Err(value_error(format!(
                    "field {name:?}: {} needs a unit, such as {}[ms]",
                    base.str()?,
                    base.str()?
                )));
            }
            CellKind::Time
        }
        _ => {
            return Err(type_error(format!(
                "field {name:?}: no bin goes into {}; there are integers, float32, float64, \
                 bool, S, U, V, datetime64, timedelta64, and sub-arrays of them",
                base.str()?
            )));
        }
    };
    let native = if cfg!(target_endian = "little") { '<' } else { '>' };
    Ok(Cell { kind, size, swapped: !matches!(order, '=' | '|') && order != native })
}

//! Masked arrays, created without NumPy's own constructor code in Python.

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyType};

use crate::bridge::cached::intern;

/// Creates masked arrays from bytes and flags.
///
/// The finalizer of `MaskedArray` (`__array_finalize__`) is written in Python and takes longer than
/// reading a few dozen records. It is faster to create an array of a subclass without that
/// finalizer, change its class to `MaskedArray`, and set the same attributes.
pub struct Masked {
    class: Py<PyType>,
    /// `None` if the short way would not give the same result as NumPy's own.
    short: Option<ShortPath>,
}

struct ShortPath {
    /// `ndarray.__new__`
    new: Py<PyAny>,
    /// `MaskedArray` without its finalizer.
    unfinished: Py<PyType>,
    /// `object.__setattr__`: that of `MaskedArray` is written in Python.
    set: Py<PyAny>,
    /// Attributes with the same value in all new arrays.
    usual: Py<PyDict>,
}

/// Attributes with a separate value in every array: one dictionary under two names, and the mask.
const OWN: [&str; 3] = ["_optinfo", "_basedict", "_mask"];

impl Masked {
    /// Looks up what is needed of NumPy.
    pub fn new(numpy: &Bound<'_, PyAny>) -> PyResult<Self> {
        let class = numpy.getattr("ma")?.getattr("MaskedArray")?.cast_into::<PyType>()?;
        let masked = Self { class: class.clone().unbind(), short: None };
        let short = ShortPath::new(numpy, &class, &masked).ok().flatten();
        Ok(Self { short, ..masked })
    }

    /// Bytes as an array with this many rows of a dtype, masked by the array of flags.
    pub fn array<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        dtype: &Bound<'py, PyAny>,
        rows: usize,
        mask: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match &self.short {
            Some(short) => short.array(self.class.bind(data.py()), data, dtype, rows, mask),
            None => self.usual(data, dtype, mask),
        }
    }

    /// Does the same with NumPy's own means.
    ///
    /// NumPy's constructor, and a view of an array that already has the dtype, do work for every
    /// field, every time. A view of plain bytes does not, and neither does putting a mask directly
    /// where the array stores it.
    fn usual<'py>(
        &self,
        data: &Bound<'py, PyAny>,
        dtype: &Bound<'py, PyAny>,
        mask: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = data.py();
        let whole = data.call_method1(intern!(py, "view"), (dtype, &self.class))?;
        whole.setattr(intern!(py, "_mask"), mask)?;
        Ok(whole)
    }
}

impl ShortPath {
    /// `None` if an array created by NumPy has other attributes than one created here, or if
    /// changing an object's class stops all threads, as it does without a GIL.
    fn new(
        numpy: &Bound<'_, PyAny>,
        class: &Bound<'_, PyType>,
        masked: &Masked,
    ) -> PyResult<Option<Self>> {
        let py = numpy.py();
        let free = py
            .import("sysconfig")?
            .call_method1("get_config_var", ("Py_GIL_DISABLED",))?
            .is_truthy()?;
        if free {
            return Ok(None);
        }
        let plain = numpy.getattr("ndarray")?;
        let space = PyDict::new(py);
        space.set_item("__array_finalize__", plain.getattr("__array_finalize__")?)?;
        space.set_item("__module__", "spikewire._native")?;
        let unfinished = py.get_type::<PyType>().call1(("UnfinishedArray", (class,), space))?;
        let dtype = numpy.call_method1("dtype", (vec![("v", "i4")],))?;
        let masks = numpy.getattr("ma")?.call_method1("make_mask_descr", (&dtype,))?;
        let zeros = |size: usize| numpy.call_method1("zeros", (size, "u1"));
        let mask = zeros(2)?.call_method1("view", (masks,))?;
        let expected = masked.usual(&zeros(8)?, &dtype, &mask)?;
        let usual = attributes(&expected)?.copy()?;
        for name in OWN {
            usual.del_item(name)?;
        }
        let shared = |it: &Bound<'_, PyAny>| {
            it.is_none() || it.is_instance_of::<PyBool>() || it.is_instance_of::<PyType>()
        };
        if !usual.values().iter().all(|it| shared(&it)) {
            return Ok(None);
        }
        let short = Self {
            new: plain.getattr("__new__")?.unbind(),
            unfinished: unfinished.cast_into::<PyType>()?.unbind(),
            set: py.import("builtins")?.getattr("object")?.getattr("__setattr__")?.unbind(),
            usual: usual.unbind(),
        };
        let array = short.array(class, &zeros(8)?, &dtype, 2, &mask)?;
        // Arrays compare element by element, so they are left out of the comparison of
        // dictionaries.
        let expected = attributes(&expected)?.copy()?;
        let actual = attributes(&array)?.copy()?;
        let mut same = array.get_type().is(class);
        for of in [&expected, &actual] {
            same &= of.get_item("_mask")?.is_some_and(|it| it.is(&mask));
            of.del_item("_mask")?;
        }
        Ok((same && actual.eq(expected)?).then_some(short))
    }

    fn array<'py>(
        &self,
        class: &Bound<'py, PyType>,
        data: &Bound<'py, PyAny>,
        dtype: &Bound<'py, PyAny>,
        rows: usize,
        mask: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = data.py();
        let whole = self.new.bind(py).call1((&self.unfinished, (rows,), dtype, data))?;
        let attributes = attributes(&whole)?;
        attributes.update(self.usual.bind(py).as_mapping())?;
        let info = PyDict::new(py);
        attributes.set_item(intern!(py, "_optinfo"), &info)?;
        attributes.set_item(intern!(py, "_basedict"), info)?;
        attributes.set_item(intern!(py, "_mask"), mask)?;
        self.set.bind(py).call1((&whole, intern!(py, "__class__"), class))?;
        Ok(whole)
    }
}

fn attributes<'py>(of: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    Ok(of.getattr(intern!(of.py(), "__dict__"))?.cast_into::<PyDict>()?)
}

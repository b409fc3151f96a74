//! Registers the step classes of the blocking or the asyncio builder.

use pyo3::prelude::*;
use pyo3::types::PyType;

use super::home::StepKinds;
use super::plain::PlainBase;
use super::read::ReadBase;
use super::write::WriteBase;
use crate::errors::type_error;

#[pymethods]
impl StepKinds {
    /// The classes that read, write, delete, touch and ask for existence.
    #[new]
    fn new(one: Vec<Bound<'_, PyType>>, many: Vec<Py<PyType>>) -> PyResult<Self> {
        let [read, write, plain @ ..] = one.as_slice() else {
            return Err(type_error("there are five kinds of steps"));
        };
        if plain.len() != 3 || many.len() != 5 {
            return Err(type_error("there are five kinds of steps"));
        }
        let mut fits = read.is_subclass_of::<ReadBase>()? && write.is_subclass_of::<WriteBase>()?;
        for class in plain {
            fits &= class.is_subclass_of::<PlainBase>()?;
        }
        if !fits {
            return Err(type_error("the classes of steps extend others than those of steps"));
        }
        Ok(Self::new_checked(one.into_iter().map(Bound::unbind).collect(), many))
    }
}

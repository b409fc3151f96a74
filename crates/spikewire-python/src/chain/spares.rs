//! Steps on one key that are gone, kept to be filled again: most live for one call, and to make an
//! object of a Python class and take it apart was two thirds of what the builder costs.
//!
//! What is kept is empty. Without an interpreter lock nothing is.

use pyo3::prelude::*;

use super::home::Home;
use super::step::StepBase;
use super::verb::Verb;

#[cfg(not(Py_GIL_DISABLED))]
pub use self::with_gil::adopt;

/// A step on one key by itself.
#[inline]
pub fn begun<'py>(
    home: &Bound<'py, Home>,
    verb: Verb,
    key: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let kind = home.get().kinds().one(verb);
    #[cfg(not(Py_GIL_DISABLED))]
    if let Some(step) = with_gil::taken(home.py(), kind) {
        step.get().begin(home, verb, key);
        with_gil::show(&step);
        return Ok(step.into_any());
    }
    StepBase::made(kind.class.bind(home.py()), home, verb, key, true, None)
}

#[cfg(not(Py_GIL_DISABLED))]
#[expect(unsafe_code, reason = "objects are taken from the interpreter, and given back")]
mod with_gil {
    use std::ptr::{self, NonNull};
    use std::sync::OnceLock;

    use pyo3::ffi;
    use pyo3::prelude::*;
    use pyo3::types::{PyDict, PyTuple, PyType};

    use crate::chain::kept::Kind;
    use crate::chain::read::{Asked, ReadBase};
    use crate::chain::step::{Left, StepBase};
    use crate::chain::write::{WriteBase, Written};

    /// How the interpreter takes objects of Python classes apart.
    static USUAL: OnceLock<ffi::destructor> = OnceLock::new();

    /// How steps are. One address, whatever the compiler makes of the function.
    static GONE: ffi::destructor = gone;

    /// Has the objects of a class come here when they go. It is the class of one kind of steps.
    pub fn adopt(class: &Bound<'_, PyType>) -> PyResult<()> {
        let py = class.py();
        let bare = py.get_type::<PyType>().call1(("_", PyTuple::empty(py), PyDict::new(py)))?;
        let bare = bare.cast::<PyType>()?.as_type_ptr();
        // SAFETY: both classes are live. What is changed is how objects of this one are taken
        // apart, and only where that is what the interpreter does for a class of Python's whose
        // objects have nothing of their own beyond what a step has.
        unsafe {
            let class = class.as_type_ptr();
            let usual = USUAL.get_or_init(|| (*bare).tp_dealloc.expect("every class has one"));
            let is_bare = (*class).tp_dictoffset == 0
                && (*class).tp_weaklistoffset == 0
                && (*class).tp_itemsize == 0;
            if is_bare && is((*class).tp_dealloc, *usual) {
                (*class).tp_dealloc = Some(GONE);
            }
        }
        Ok(())
    }

    /// An empty step of this class, if there is one.
    #[inline]
    pub fn taken<'py>(py: Python<'py>, kind: &Kind) -> Option<Bound<'py, StepBase>> {
        let spare = kind.kept.take(py)?;
        // SAFETY: it is the memory of an object of this class, which is whole but for its header:
        // that is written anew.
        unsafe {
            let class = kind.class.bind(py).as_type_ptr();
            let step = ffi::PyObject_Init(spare.as_ptr(), class);
            Some(Bound::from_owned_ptr(py, step).cast_into_unchecked())
        }
    }

    /// Shows a step that was taken and filled to the garbage collector.
    #[inline]
    pub fn show(step: &Bound<'_, StepBase>) {
        // SAFETY: it is a live object, which the collector does not know: it was taken from it when
        // the step was kept.
        unsafe {
            if ffi::PyType_HasFeature(ffi::Py_TYPE(step.as_ptr()), ffi::Py_TPFLAGS_HAVE_GC) != 0 {
                ffi::PyObject_GC_Track(step.as_ptr().cast());
            }
        }
    }

    fn is(one: Option<ffi::destructor>, other: ffi::destructor) -> bool {
        one.is_some_and(|one| ptr::fn_addr_eq(one, other))
    }

    /// Keeps a step that nobody refers to any more, or takes it apart.
    unsafe extern "C" fn gone(step: *mut ffi::PyObject) {
        // SAFETY: the interpreter calls this once for a live object of a class of steps, or of one
        // that extends such a class, and this thread holds its lock. Nothing here makes a reference
        // to it. Where it is not kept, what its class inherits takes it apart, as ever.
        unsafe {
            let py = Python::assume_attached();
            let class = ffi::Py_TYPE(step);
            if is((*class).tp_dealloc, GONE) {
                if (*class).tp_finalize.is_some()
                    && ffi::PyObject_CallFinalizerFromDealloc(step) < 0
                {
                    return;
                }
                let held = Borrowed::from_ptr(py, step);
                if let Some(left) = StepBase::leave(held.cast_unchecked(), class) {
                    // What the classes of a face extend was looked at when they became that.
                    let more = match left.verb.kind() {
                        0 => More::Asked(held.cast_unchecked::<ReadBase>().get().leave(py)),
                        1 => More::Written(held.cast_unchecked::<WriteBase>().get().leave(py)),
                        _ => More::Nothing,
                    };
                    // The garbage collector sees it again when it is filled.
                    if ffi::PyType_HasFeature(class, ffi::Py_TPFLAGS_HAVE_GC) != 0 {
                        ffi::PyObject_GC_UnTrack(step.cast());
                    }
                    left.kind().kept.put(py, NonNull::new_unchecked(step));
                    ffi::Py_DECREF(class.cast());
                    let_go(py, left, more);
                    return;
                }
            }
            let mut base = class;
            while is((*base).tp_dealloc, GONE)
                || USUAL.get().is_some_and(|usual| is((*base).tp_dealloc, *usual))
            {
                base = (*base).tp_base;
            }
            if let Some(apart) = (*base).tp_dealloc {
                apart(step);
            }
        }
    }

    /// What a step of a class held besides.
    enum More {
        Nothing,
        Asked(Asked),
        Written(Written),
    }

    /// Lets go of what a step held. The interpreter calls from outside of what pyo3 knows, where it
    /// would keep references for later.
    fn let_go(py: Python<'_>, left: Left, more: More) {
        let Left { home, keys, options, verb: _ } = left;
        drop((home.into_bound(py), keys.map(|it| it.into_bound(py))));
        drop(options.map(|it| it.into_bound(py)));
        match more {
            More::Nothing => {}
            More::Asked(Asked { bins, ops }) => {
                drop((bins.map(|it| it.into_bound(py)), ops.map(|it| it.into_bound(py))));
            }
            More::Written(Written { bins, ops, ttl }) => {
                drop((bins.map(|it| it.into_bound(py)), ops.map(|it| it.into_bound(py))));
                drop(ttl.map(|it| it.into_bound(py)));
            }
        }
    }
}

//! Reuses the objects of steps on one key. Most of them live for a single call, and allocating and
//! deallocating objects of a Python class was two thirds of the builder's cost.
//!
//! Objects in a free list are empty. Without a GIL nothing is reused.

use pyo3::prelude::*;

use super::home::Home;
use super::step::StepBase;
use super::verb::Verb;

#[cfg(not(Py_GIL_DISABLED))]
pub use self::with_gil::adopt;

/// A step on a single key.
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

    /// The interpreter's usual deallocator for objects of Python classes.
    static USUAL: OnceLock<ffi::destructor> = OnceLock::new();

    /// The deallocator of steps. A static, so that its address is the same wherever the compiler
    /// uses it.
    static GONE: ffi::destructor = gone;

    /// Installs the deallocator of steps in a step class.
    pub fn adopt(class: &Bound<'_, PyType>) -> PyResult<()> {
        let py = class.py();
        let bare = py.get_type::<PyType>().call1(("_", PyTuple::empty(py), PyDict::new(py)))?;
        let bare = bare.cast::<PyType>()?.as_type_ptr();
        // SAFETY: both classes are live. Only the deallocator of this class is changed, and only if
        // it is the one that the interpreter uses for Python classes whose objects add nothing to
        // those of their base class.
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

    /// An empty step of this class, if the free list has one.
    #[inline]
    pub fn taken<'py>(py: Python<'py>, kind: &Kind) -> Option<Bound<'py, StepBase>> {
        let spare = kind.kept.take(py)?;
        // SAFETY: this is the memory of an object of this class, which is complete except for its
        // header. The header is written here.
        unsafe {
            let class = kind.class.bind(py).as_type_ptr();
            let step = ffi::PyObject_Init(spare.as_ptr(), class);
            Some(Bound::from_owned_ptr(py, step).cast_into_unchecked())
        }
    }

    /// Makes the garbage collector track a reused step, once it is filled.
    #[inline]
    pub fn show(step: &Bound<'_, StepBase>) {
        // SAFETY: this is a live object that the collector does not track, since it was untracked
        // when the step was put into the free list.
        unsafe {
            if ffi::PyType_HasFeature(ffi::Py_TYPE(step.as_ptr()), ffi::Py_TPFLAGS_HAVE_GC) != 0 {
                ffi::PyObject_GC_Track(step.as_ptr().cast());
            }
        }
    }

    fn is(one: Option<ffi::destructor>, other: ffi::destructor) -> bool {
        one.is_some_and(|one| ptr::fn_addr_eq(one, other))
    }

    /// Puts a step without references into the free list, or deallocates it.
    unsafe extern "C" fn gone(step: *mut ffi::PyObject) {
        // SAFETY: the interpreter calls this once for a live object of a step class, or of a
        // subclass of one, and this thread holds the GIL. Nothing here creates a reference to the
        // object. If it is not put into the free list, the deallocator of its base class frees it
        // as usual.
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
                    // The base classes were checked when the step classes were registered.
                    let more = match left.verb.kind() {
                        0 => More::Asked(held.cast_unchecked::<ReadBase>().get().leave(py)),
                        1 => More::Written(held.cast_unchecked::<WriteBase>().get().leave(py)),
                        _ => More::Nothing,
                    };
                    // Tracked again when the object is reused.
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

    /// The additional contents of a step, by its class.
    enum More {
        Nothing,
        Asked(Asked),
        Written(Written),
    }

    /// Drops the contents of a step. They are bound to the interpreter first: pyo3 does not know
    /// that this callback holds the GIL, and would defer the decrements.
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

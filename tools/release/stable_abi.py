"""Counts what Python's stable ABI (abi3) would cost where rows become Python objects.

    python tools/release/stable_abi.py

Builds one small extension module twice, with the whole C API and with the limited one, and counts
instructions per row in callgrind. The module does what `cql/fill.rs` of the binding does: fills the
tuples of a list, and fills one tuple again for each row, as in a loop over rows. It needs a C
compiler and valgrind (on Debian: `apt-get install valgrind`).
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

SOURCE = r"""
#include <Python.h>
#ifdef Py_LIMITED_API
#define SET PyTuple_SetItem
#define PUT PyList_SetItem
#else
#define SET PyTuple_SET_ITEM
#define PUT PyList_SET_ITEM
#endif

static PyObject *rows(PyObject *self, PyObject *count) {
    Py_ssize_t n = PyLong_AsSsize_t(count);
    PyObject *list = PyList_New(n);
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *row = PyTuple_New(5);
        SET(row, 0, PyLong_FromLongLong(i + 100000));
        SET(row, 1, PyUnicode_DecodeUTF8("some text here", 14, NULL));
        SET(row, 2, PyFloat_FromDouble(1.5 * i));
        SET(row, 3, PyBytes_FromStringAndSize("0123456789abcdef", 16));
        SET(row, 4, PyBool_FromLong(i & 1));
        PUT(list, i, row);
    }
    return list;
}

static PyObject *again(PyObject *self, PyObject *count) {
    Py_ssize_t n = PyLong_AsSsize_t(count);
    PyObject *row = PyTuple_New(5);
    for (int k = 0; k < 5; k++) { Py_INCREF(Py_None); SET(row, k, Py_None); }
    for (Py_ssize_t i = 0; i < n; i++) {
#ifdef Py_LIMITED_API
        Py_DECREF(row);
        row = PyTuple_New(5);
        for (int k = 0; k < 5; k++) { Py_INCREF(Py_True); SET(row, k, Py_True); }
#else
        for (int k = 0; k < 5; k++) {
            PyObject *former = PyTuple_GET_ITEM(row, k);
            Py_INCREF(Py_True);
            SET(row, k, Py_True);
            Py_DECREF(former);
        }
        if (!PyObject_GC_IsTracked(row)) PyObject_GC_Track(row);
#endif
    }
    return row;
}

static PyMethodDef methods[] = {{"rows", rows, METH_O, ""}, {"again", again, METH_O, ""}, {0}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "counted", "", -1, methods};
PyMODINIT_FUNC PyInit_counted(void) { return PyModule_Create(&module); }
"""


def count(folder: Path, function: str, rows: int) -> int:
    """The instructions of a process that calls a function once."""
    program = f"import gc, counted; gc.disable(); counted.{function}({rows})"
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    # Without a launcher in between, and with equal hashes in each run.
    command = [*valgrind, os.path.realpath(sys.executable), "-S", "-c", program]
    env = {**os.environ, "PYTHONHASHSEED": "0", "PYTHONPATH": str(folder)}
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    match = re.search(r"Collected : (\d+)", done.stderr)
    assert match, done.stderr
    return int(match[1])


def main() -> None:
    """Prints a table."""
    print(f"instructions per row of five items, CPython {sys.version.split()[0]}")
    with tempfile.TemporaryDirectory() as scratch:
        for name, flags in (("C API", []), ("limited C API", ["-DPy_LIMITED_API=0x030b0000"])):
            folder = Path(scratch, name.replace(" ", "-"))
            folder.mkdir()
            (folder / "counted.c").write_text(SOURCE)
            build = ["cc", "-O3", "-shared", "-fPIC", f"-I{sysconfig.get_path('include')}", *flags]
            library = folder / "counted.so"
            subprocess.run([*build, str(folder / "counted.c"), "-o", str(library)], check=True)
            for function, text in (("rows", "new tuples in a list"), ("again", "one tuple again")):
                per_row = (count(folder, function, 5000) - count(folder, function, 1000)) / 4000
                print(f"{name:<14} {text:<21} {per_row:7.0f}")


if __name__ == "__main__":
    main()

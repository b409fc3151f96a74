//! Says which Python it is built for, `Py_GIL_DISABLED`, `Py_3_14` and so on, and how Cargo compiles
//! it.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    spikewire_build::tell();
}

//! Says which Python it is built for, `Py_GIL_DISABLED`, `Py_3_14` and so on, and which profile of
//! Cargo's builds it.

include!("../spikewire-sync/profile.rs");

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    tell_profile("../../Cargo.toml");
}

//! Says which Python it is built for, `Py_GIL_DISABLED`, `Py_3_14` and so on, and which profile of
//! Cargo's builds it.

use std::env;
use std::path::Path;

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
    let out = env::var_os("OUT_DIR").expect("Cargo says where to write");
    println!("cargo::rustc-env=SPIKEWIRE_PROFILE={}", profile(Path::new(&out)));
}

/// The profile by its name. Cargo's `PROFILE` only tells release from debug, so it is read off the
/// folder of its artefacts: `<profile>/build/<package>/out`.
fn profile(out: &Path) -> &str {
    let named = out.ancestors().nth(3).and_then(Path::file_name);
    named.and_then(|name| name.to_str()).unwrap_or("unknown")
}

//! Records how Cargo compiles the engine, for `src/build.rs`, and the lab's programs: only what it
//! tells a build script, which leaves out link-time optimisation and codegen units.

use std::env;
use std::path::Path;

fn main() {
    let variable = |name| env::var(name).unwrap_or_default();
    // Cargo's own `PROFILE` is `release` for all profiles that inherit from it. The output folder,
    // `.../<profile>/build/.../out`, has the exact name.
    let out = variable("OUT_DIR");
    let build = Path::new(&out).ancestors().find(|folder| folder.ends_with("build"));
    let profile = build.and_then(Path::parent).and_then(Path::file_name);
    let profile = profile.map_or_else(|| variable("PROFILE"), |name| name.display().to_string());
    println!("cargo::rerun-if-env-changed=CARGO_ENCODED_RUSTFLAGS");
    println!("cargo::rustc-env=SPIKEWIRE_PROFILE={profile}");
    println!("cargo::rustc-env=SPIKEWIRE_OPT_LEVEL={}", variable("OPT_LEVEL"));
    // Cargo separates flags by a byte that no flag contains.
    let flags = variable("CARGO_ENCODED_RUSTFLAGS").replace('\x1f', " ");
    println!("cargo::rustc-env=SPIKEWIRE_RUSTFLAGS={flags}");
}

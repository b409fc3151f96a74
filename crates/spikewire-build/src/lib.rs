//! For build scripts: lets a crate report how Cargo compiled it. Two builds of one version may
//! differ in speed for that reason alone.
//!
//! Only what Cargo tells a build script is reported. That excludes link-time optimisation and
//! codegen units, which can be looked up in `Cargo.toml` by the profile's name and the commit.

#![forbid(unsafe_code)]

use std::env;
use std::path::Path;

/// Sets `SPIKEWIRE_PROFILE`, `SPIKEWIRE_OPT_LEVEL` and `SPIKEWIRE_RUSTFLAGS` for `env!` in the
/// crate whose build script calls this.
///
/// The flags are those of the environment and of Cargo's configuration (`RUSTFLAGS`,
/// `build.rustflags`), separated by spaces; empty if there are none.
pub fn tell() {
    let told = |name| env::var(name).unwrap_or_default();
    let (out, coarse) = (told("OUT_DIR"), told("PROFILE"));
    println!("cargo::rustc-env=SPIKEWIRE_PROFILE={}", profile(Path::new(&out), &coarse));
    println!("cargo::rustc-env=SPIKEWIRE_OPT_LEVEL={}", told("OPT_LEVEL"));
    println!("cargo::rustc-env=SPIKEWIRE_RUSTFLAGS={}", flags(&told("CARGO_ENCODED_RUSTFLAGS")));
}

/// The name of the profile. Cargo's own `PROFILE`, `coarse`, only distinguishes `release` from
/// `debug`, including all profiles that inherit from them. The output folder,
/// `.../<profile>/build/.../out`, has the exact name.
fn profile<'a>(out: &'a Path, coarse: &'a str) -> &'a str {
    let parts: Vec<_> = out.iter().collect();
    let build = parts.iter().rposition(|part| *part == "build");
    let folder = build.and_then(|at| parts[..at].last());
    folder.and_then(|part| part.to_str()).unwrap_or(coarse)
}

/// Cargo separates them by a byte that no flag contains.
fn flags(encoded: &str) -> String {
    encoded.replace('\x1f', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_is_read_off_the_folder_of_its_artefacts() {
        let of = |out: &str| profile(Path::new(out), "release").to_owned();
        assert_eq!(of("/build/target/dist/build/spikewire-node-1f/out"), "dist");
        assert_eq!(of("target/x86_64-unknown-linux-musl/release/build/a-1f/out"), "release");
        // The layout with a folder per package.
        assert_eq!(of("/target/profiling/build/spikewire-node/1f/out"), "profiling");
        assert_eq!(of("/elsewhere/out"), "release");
        assert_eq!(of("build/a-1f/out"), "release");
        assert_eq!(of(""), "release");
    }

    #[test]
    fn flags_are_set_apart_by_spaces() {
        assert_eq!(flags(""), "");
        assert_eq!(flags("-C\x1ftarget-cpu=native"), "-C target-cpu=native");
    }
}

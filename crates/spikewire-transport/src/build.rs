//! How Cargo compiled this crate: two builds of one version may differ in speed for that reason
//! alone. Recorded by the build script.

/// The name of Cargo's profile, such as `release` or `dist`.
pub const PROFILE: &str = env!("SPIKEWIRE_PROFILE");

/// The level of optimisation, such as `3`.
pub const OPT_LEVEL: &str = env!("SPIKEWIRE_OPT_LEVEL");

/// The flags of the environment and of Cargo's configuration (`RUSTFLAGS`, `build.rustflags`),
/// separated by spaces; empty if there are none.
pub const RUSTFLAGS: &str = env!("SPIKEWIRE_RUSTFLAGS");

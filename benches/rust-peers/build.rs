//! Says how Cargo compiles the programs.

include!("../../crates/spikewire-sync/profile.rs");

fn main() {
    tell_profile("Cargo.toml");
}

//! Records how Cargo compiles the programs.

fn main() {
    spikewire_build::tell();
}

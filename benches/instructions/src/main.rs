//! Microbenchmarks whose instructions are counted: `make bench-instructions`.
//!
//! ```text
//! spikewire-instructions            names the benchmarks
//! spikewire-instructions NAME       runs one, and prints how many operations it did
//! ```
//!
//! Callgrind counts only inside [`measured`], and only on the thread that entered it: setup and the
//! embedded cluster are not counted. `tools/instructions.py` divides by the number of operations
//! and compares with another commit.
//!
//! | module | what it holds |
//! |---|---|
//! | [`codec`] | encoding requests and decoding replies, without any I/O |
//! | [`cql`] | values of CQL, tokens and replicas, without any I/O |
//! | [`transport`] | commands through a socket, of a protocol without content |
//! | [`client`] | whole commands: from the call, through sockets, to the result |
//! | [`cql_client`] | whole statements for Cassandra, likewise |

#![forbid(unsafe_code)]

mod client;
mod codec;
mod cql;
mod cql_client;
mod transport;

use std::process::ExitCode;

/// One benchmark.
#[derive(Clone, Copy)]
struct Benchmark {
    /// Its name in the table, which identifies it in comparisons.
    name: &'static str,
    /// Sets up, calls [`measured`] once, and returns the number of operations in it.
    run: fn() -> u64,
}

/// Runs the work whose instructions are counted. Callgrind looks for this function by name.
#[inline(never)]
fn measured(work: &mut dyn FnMut()) {
    work();
}

/// Runs `work` a few times so that buffers have their final size, then `times` times while
/// measuring.
fn repeat(times: u64, mut work: impl FnMut()) -> u64 {
    (0..10).for_each(|_| work());
    measured(&mut || (0..times).for_each(|_| work()));
    times
}

fn main() -> ExitCode {
    let benchmarks = [
        codec::BENCHMARKS,
        cql::BENCHMARKS,
        transport::BENCHMARKS,
        client::BENCHMARKS,
        cql_client::BENCHMARKS,
    ]
    .concat();
    let Some(requested) = std::env::args().nth(1) else {
        benchmarks.iter().for_each(|benchmark| println!("{}", benchmark.name));
        return ExitCode::SUCCESS;
    };
    let Some(benchmark) = benchmarks.iter().find(|benchmark| benchmark.name == requested) else {
        eprintln!("spikewire-instructions: no benchmark is called {requested}");
        return ExitCode::FAILURE;
    };
    println!("{}", (benchmark.run)());
    ExitCode::SUCCESS
}

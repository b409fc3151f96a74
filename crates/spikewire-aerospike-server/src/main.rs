//! The embedded cluster as a program.

use std::io;
use std::process::ExitCode;
use std::sync::mpsc;

use clap::Parser;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use spikewire_aerospike_server::serve::{self, Arguments};

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("spikewire-aerospike-server: {error}");
            // As for arguments that cannot be parsed.
            let is_option = error.kind() == io::ErrorKind::InvalidInput;
            if is_option { ExitCode::from(2) } else { ExitCode::FAILURE }
        }
    }
}

fn run(arguments: &Arguments) -> io::Result<()> {
    let (end, ended) = mpsc::channel();
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let cluster = std::sync::Arc::new(serve::start(arguments)?);
    if arguments.control {
        let (cluster, end) = (cluster.clone(), end.clone());
        std::thread::spawn(move || {
            let _ = serve::control(&cluster, io::stdin().lock(), io::stdout());
            drop(cluster);
            let _ = end.send(());
        });
    }
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            let _ = end.send(());
        }
    });
    let _ = ended.recv();
    Ok(())
}

//! The program's options, and their execution.

use std::io::{self, Write};
use std::net::IpAddr;
use std::time::Duration;

use clap::Parser;

use crate::error::invalid;
use crate::{Cluster, Edition, NamespaceOptions, Options, TlsOptions, UserOptions};

/// An Aerospike-protocol cluster in one process, for development, tests and benchmarks.
#[derive(Debug, Clone, Parser)]
#[command(name = "spikewire-aerospike-server", version)]
pub struct Arguments {
    /// Nodes in the cluster.
    #[arg(long, default_value_t = 1)]
    pub nodes: usize,
    /// Port of the first node, the others follow; 0 takes free ports.
    #[arg(long, default_value_t = 3000)]
    pub port: u16,
    /// Address to listen on.
    #[arg(long, default_value = "127.0.0.1")]
    pub bind: IpAddr,
    /// Namespace; give it several times for several. [default: test]
    #[arg(long)]
    pub namespace: Vec<String>,
    /// Copies of every record.
    #[arg(long, default_value_t = 2)]
    pub replication_factor: usize,
    /// Default TTL in seconds; 0 = never expire.
    #[arg(long, default_value_t = 0)]
    pub default_ttl: u32,
    /// Seconds between two checks for expired records; 0 rejects TTLs.
    #[arg(long, default_value_t = 1)]
    pub nsup_period: u32,
    /// Largest record in bytes.
    #[arg(long, default_value_t = 1 << 20)]
    pub max_record_size: usize,
    /// Set with an index of all its records, so that a scan of it meets no others; give it several
    /// times for several.
    #[arg(long)]
    pub indexed_set: Vec<String>,
    /// Name of the cluster.
    #[arg(long, default_value = "spikewire")]
    pub cluster_name: String,
    /// Threads that serve connections, for all nodes together; for each there is another one that
    /// sends long replies.
    #[arg(long, default_value_t = 1)]
    pub threads: usize,
    /// Server version to report, whose features the nodes have: one, such as 8.2, or one for each
    /// node, separated by commas.
    #[arg(long, default_value = "8.1.2.0")]
    pub build: String,
    /// Edition of the server: community or enterprise.
    #[arg(long, default_value = "community")]
    pub edition: String,
    /// With --edition enterprise: strongly consistent namespaces, which transactions need.
    #[arg(long)]
    pub strong_consistency: bool,
    /// With --strong-consistency: records may be deleted without durability.
    #[arg(long, requires = "strong_consistency")]
    pub strong_consistency_allow_expunge: bool,
    /// Rack of each node, separated by commas.
    #[arg(long, value_delimiter = ',')]
    pub racks: Vec<u32>,
    /// Milliseconds to pause after each partition that is copied.
    #[arg(long, default_value_t = 0)]
    pub migration_pause: u64,
    /// Milliseconds for which a node of 8.2 or later that is started again answers nothing.
    #[arg(long, default_value_t = 50)]
    pub sync_time: u64,
    /// CPU time limit of a call of a user-defined function, in milliseconds.
    #[arg(long, default_value_t = 1000)]
    pub udf_time: u64,
    /// User with all privileges, as NAME:PASSWORD; can be repeated. Clients must then log in.
    #[arg(long, value_name = "NAME:PASSWORD")]
    pub user: Vec<String>,
    /// Roles of a user instead of all privileges, as NAME:ROLE,ROLE.
    #[arg(long, value_name = "NAME:ROLES")]
    pub roles: Vec<String>,
    /// With --user: roles may have quotas.
    #[arg(long, requires = "user")]
    pub quotas: bool,
    /// Seconds for which those who logged in may open connections before they must log in again.
    #[arg(long, default_value_t = 86_400)]
    pub session_ttl: u64,
    /// Accept only TLS connections; the paths of the files for clients are printed to standard
    /// error.
    #[arg(long)]
    pub tls: bool,
    /// With --tls: name of all nodes, which their certificate is for.
    #[arg(long, default_value = "spikewire", requires = "tls")]
    pub tls_name: String,
    /// With --tls: ask clients for a certificate, too.
    #[arg(long, requires = "tls")]
    pub client_certificates: bool,
    /// Take commands from standard input, one per line: kill N, restart N, truncate NAMESPACE,
    /// truncate NAMESPACE SET, wait, quit. Each is answered with one line. The end of the input ends
    /// the program.
    #[arg(long)]
    pub control: bool,
}

impl Arguments {
    /// Converts the arguments to cluster options.
    pub fn options(&self) -> io::Result<Options> {
        let names =
            if self.namespace.is_empty() { vec!["test".into()] } else { self.namespace.clone() };
        let namespace = |name| NamespaceOptions {
            name,
            replication_factor: self.replication_factor,
            default_ttl: self.default_ttl,
            nsup_period: self.nsup_period,
            max_record_size: self.max_record_size,
            indexed_sets: self.indexed_set.clone(),
            strong_consistency: self.strong_consistency,
            strong_consistency_allow_expunge: self.strong_consistency_allow_expunge,
        };
        Ok(Options {
            nodes: self.nodes,
            port: self.port,
            bind: self.bind,
            namespaces: names.into_iter().map(namespace).collect(),
            cluster_name: self.cluster_name.clone(),
            threads: self.threads,
            build: self.build.clone(),
            edition: Edition::parse(&self.edition)
                .map_err(|error| invalid(error.message().to_owned()))?,
            racks: self.racks.clone(),
            migration_pause: Duration::from_millis(self.migration_pause),
            sync_time: Duration::from_millis(self.sync_time),
            udf_time: Duration::from_millis(self.udf_time),
            users: self.users()?,
            quotas: self.quotas,
            session_ttl: Duration::from_secs(self.session_ttl),
            tls: self.tls.then(|| TlsOptions {
                name: self.tls_name.clone(),
                client_certificates: self.client_certificates,
            }),
        })
    }

    fn users(&self) -> io::Result<Vec<UserOptions>> {
        let mut users = Vec::new();
        for user in &self.user {
            let (name, password) = user
                .split_once(':')
                .ok_or_else(|| invalid("--user takes NAME:PASSWORD".to_owned()))?;
            users.push(UserOptions::new(name, password));
        }
        for argument in &self.roles {
            let (name, roles) = argument.rsplit_once(':').ok_or_else(|| {
                invalid(format!("--roles takes NAME:ROLE,ROLE, not {argument:?}"))
            })?;
            let user = users.iter_mut().find(|user| user.name == name);
            let user = user.ok_or_else(|| invalid(format!("--roles: no --user {name:?}")))?;
            user.roles = roles.split(',').map(str::to_owned).collect();
        }
        Ok(users)
    }
}

/// The line printed when the cluster is ready: `ready host:port,host:port`.
pub fn ready_line(cluster: &Cluster) -> String {
    let seeds: Vec<String> = cluster.seeds().iter().map(ToString::to_string).collect();
    format!("ready {}", seeds.join(","))
}

/// Starts the cluster and prints the ready line to standard output.
pub fn start(arguments: &Arguments) -> io::Result<Cluster> {
    let cluster = Cluster::start(arguments.options()?)?;
    if let Some(files) = cluster.certificates() {
        eprintln!("authority {}", files.ca.display());
        eprintln!("certificate {}, key {}", files.certificate.display(), files.key.display());
    }
    let mut out = io::stdout().lock();
    writeln!(out, "{}", ready_line(&cluster))?;
    out.flush()?;
    Ok(cluster)
}

/// Executes commands from `input`, one per line, until `quit` or the end of the input.
pub fn control(
    cluster: &Cluster,
    input: impl io::BufRead,
    mut output: impl Write,
) -> io::Result<()> {
    for line in input.lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let number = |word: &str| word.parse::<usize>().map_err(io::Error::other);
        let outcome = match words.as_slice() {
            ["quit"] => return Ok(()),
            ["kill", node] => number(node).and_then(|node| cluster.kill(node)),
            ["restart", node] => number(node).and_then(|node| cluster.restart(node)),
            ["truncate", namespace] => cluster.truncate(namespace, None),
            ["truncate", namespace, set] => cluster.truncate(namespace, Some(set)),
            ["wait"] if cluster.wait_settled(Duration::from_secs(30)) => Ok(()),
            ["wait"] => Err(io::Error::other("still migrating after 30 s")),
            _ => Err(io::Error::other("unknown command")),
        };
        match outcome {
            Ok(()) => writeln!(output, "ok")?,
            Err(error) => writeln!(output, "error {error}")?,
        }
        output.flush()?;
    }
    Ok(())
}

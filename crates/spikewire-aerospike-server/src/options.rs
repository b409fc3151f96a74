//! Options of a cluster.

use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use spikewire_aerospike_protocol::features::Build;
use spikewire_options::{InvalidArgument, OptionValue, parse};

use crate::bounds::BOUNDS;
use crate::error::invalid;
use crate::security::options::UserOptions;
use crate::storage::options::NamespaceOptions;
use crate::tls::options::TlsOptions;

/// Which edition of the server the nodes behave like.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Edition {
    /// The Community Edition.
    #[default]
    Community,
    /// The Enterprise Edition, as far as it is known: durable deletes, strongly consistent
    /// namespaces, transactions, compressed messages.
    Enterprise,
}

impl Edition {
    /// Those with a name.
    pub const NAMES: [(&str, Self); 2] =
        [("community", Self::Community), ("enterprise", Self::Enterprise)];

    /// The edition with this name.
    pub fn parse(text: &str) -> Result<Self, InvalidArgument> {
        parse::named("edition", &Self::NAMES, text)
    }

    /// What nodes report.
    pub fn title(self) -> &'static str {
        match self {
            Self::Community => "Aerospike Community Edition",
            Self::Enterprise => "Aerospike Enterprise Edition",
        }
    }

    /// Whether it is the Enterprise Edition.
    pub fn is_enterprise(self) -> bool {
        self == Self::Enterprise
    }
}

/// Options of a cluster.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Number of nodes.
    pub nodes: usize,
    /// Port of the first node; the others use the following ports. 0 chooses free ports.
    pub port: u16,
    /// The address all nodes listen on.
    pub bind: IpAddr,
    /// The namespaces, the same on every node.
    pub namespaces: Vec<NamespaceOptions>,
    /// The cluster's name, which clients can require.
    pub cluster_name: String,
    /// Number of threads that serve connections of all nodes; each has another thread that sends
    /// long replies.
    pub threads: usize,
    /// The server version that the nodes report and whose features they have: `8.1.2.0`, or one for
    /// each node, separated by commas.
    pub build: String,
    /// The edition of the server.
    pub edition: Edition,
    /// The rack of each node; empty for no racks.
    pub racks: Vec<u32>,
    /// Pause after each copied partition, to make migrations last.
    pub migration_pause: Duration,
    /// How long a node of 8.2 or later that starts while the cluster runs accepts connections and
    /// answers nothing: until its indexes, modules and users are in sync.
    pub sync_time: Duration,
    /// CPU time limit of a call of a user-defined function.
    pub udf_time: Duration,
    /// Users; if empty, security is disabled.
    pub users: Vec<UserOptions>,
    /// Whether roles may have quotas.
    pub quotas: bool,
    /// Lifetime of sessions: after that, clients have to log in again to open connections.
    pub session_ttl: Duration,
    /// Encrypts all connections.
    pub tls: Option<TlsOptions>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            nodes: 1,
            port: 0,
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            namespaces: vec![NamespaceOptions::default()],
            cluster_name: "spikewire".to_owned(),
            threads: 1,
            build: "8.1.2.0".to_owned(),
            edition: Edition::default(),
            racks: Vec::new(),
            migration_pause: Duration::ZERO,
            sync_time: Duration::from_millis(50),
            udf_time: Duration::from_secs(1),
            users: Vec::new(),
            quotas: false,
            session_ttl: Duration::from_secs(24 * 60 * 60),
            tls: None,
        }
    }
}

/// Maximum number of namespaces, which clients rely on.
const MAX_NAMESPACES: usize = 32;

impl Options {
    /// The names of all options; those of [`NamespaceOptions::NAMES`] beside them are for every
    /// namespace.
    pub const NAMES: [&str; 16] = [
        "bind",
        "build",
        "cluster_name",
        "edition",
        "migration_pause",
        "namespaces",
        "nodes",
        "port",
        "quotas",
        "racks",
        "session_ttl",
        "sync_time",
        "threads",
        "tls",
        "udf_time",
        "users",
    ];

    /// Reads options by name from a host.
    pub fn read<V: OptionValue>(value: &V) -> Result<Self, V::Error> {
        let mut options = Self::default();
        let (mut each, mut namespaces) = (NamespaceOptions::default(), None);
        let names = [&Self::NAMES[..], &NamespaceOptions::NAMES].concat();
        for (name, value) in value.options("options", "unknown cluster option", &names)? {
            let count = || BOUNDS.count(name, &value);
            match name {
                "nodes" => options.nodes = count()? as usize,
                "port" => options.port = count()? as u16,
                "threads" => options.threads = count()? as usize,
                "cluster_name" => options.cluster_name = value.text(name)?,
                "build" => options.build = value.text(name)?,
                "edition" => options.edition = Edition::parse(&value.text(name)?)?,
                "bind" => {
                    let invalid = |_| value.wrong_value("bind must be an IP address");
                    options.bind = value.text(name)?.parse().map_err(invalid)?;
                }
                "namespaces" => namespaces = Some(value),
                "racks" => options.racks = value.counts(name, "racks, one per node", "a rack")?,
                "udf_time" => options.udf_time = BOUNDS.span(name, &value)?,
                "migration_pause" => options.migration_pause = value.span(name)?,
                "sync_time" => options.sync_time = value.span(name)?,
                "tls" => options.tls = TlsOptions::read(name, &value)?,
                "users" => options.users = UserOptions::read(name, &value)?,
                "quotas" => options.quotas = value.flag(name)?,
                "session_ttl" => options.session_ttl = value.seconds(name)?,
                _ => each.set(name, name, &value)?,
            }
        }
        options.namespaces = match namespaces {
            Some(value) => NamespaceOptions::read("namespaces", &value, &each)?,
            None => vec![each],
        };
        Ok(options)
    }

    /// The version of each node.
    pub fn builds(&self) -> io::Result<Vec<Build>> {
        let parse = |text: &str| {
            let build = Build::parse_short(text.trim());
            build.ok_or_else(|| invalid(format!("build: {text:?} is no version like 8.1.2.0")))
        };
        let builds: Vec<Build> = self.build.split(',').map(parse).collect::<io::Result<_>>()?;
        match builds[..] {
            [one] => Ok(vec![one; self.nodes]),
            _ if builds.len() == self.nodes => Ok(builds),
            _ => Err(invalid("build: one version, or one for each node".to_owned())),
        }
    }

    /// Validates the options.
    pub fn check(&self) -> io::Result<()> {
        let fail = |text: &str| Err(invalid(text.to_owned()));
        BOUNDS.check_count("nodes", self.nodes as u64)?;
        if self.port != 0 && usize::from(self.port) + self.nodes - 1 > usize::from(u16::MAX) {
            return fail("port: the last node's port would be above 65535");
        }
        BOUNDS.check_count("threads", self.threads as u64)?;
        BOUNDS.check_span("udf_time", self.udf_time)?;
        if !self.racks.is_empty() && self.racks.len() != self.nodes {
            return fail("racks: give one per node, or none");
        }
        BOUNDS.check_span("session_ttl", self.session_ttl)?;
        if let Some(tls) = &self.tls {
            tls.check()?;
        }
        UserOptions::check(&self.users)?;
        if self.namespaces.is_empty() || self.namespaces.len() > MAX_NAMESPACES {
            return fail("namespaces: 1 to 32");
        }
        self.builds()?;
        let strong = self.namespaces.iter().find(|namespace| namespace.strong_consistency);
        if let Some(namespace) = strong.filter(|_| !self.edition.is_enterprise()) {
            let name = &namespace.name;
            return Err(invalid(format!(
                "namespace {name:?}: strong_consistency needs edition 'enterprise'"
            )));
        }
        NamespaceOptions::check(&self.namespaces)
    }
}

#[cfg(test)]
mod tests {
    use spikewire_options::InvalidArgumentClass::{self, Type, Value};
    use spikewire_options::Literal;

    use super::*;

    fn read(options: impl Into<Literal>) -> io::Result<Options> {
        let options = Options::read(&options.into())?;
        options.check()?;
        Ok(options)
    }

    #[test]
    fn options_of_every_namespace_and_of_one() {
        let one = Literal::from([
            ("a", Literal::from([("default_ttl", 5)])),
            ("b", Literal::Map(vec![])),
        ]);
        let options = read([("nsup_period", 3.into()), ("namespaces", one)]).unwrap();
        let ttls = options.namespaces.iter().map(|it| (&*it.name, it.nsup_period, it.default_ttl));
        assert_eq!(ttls.collect::<Vec<_>>(), [("a", 3, 5), ("b", 3, 0)]);
        let options = read([("max_record_size", 300)]).unwrap();
        assert_eq!(
            (&*options.namespaces[0].name, options.namespaces[0].max_record_size),
            ("test", 300)
        );
        let options = read([("tls", true)]).unwrap();
        assert_eq!(options.tls, Some(TlsOptions::default()));
        let options = read([("users", [("app", "secret")])]).unwrap();
        assert_eq!(options.users, [UserOptions::new("app", "secret")]);
    }

    #[test]
    fn versions_are_those_of_all_nodes_or_of_each() {
        let builds = |text: &str| {
            let options = read([("build", Literal::from(text)), ("nodes", 2.into())])?;
            Ok::<_, io::Error>(options.builds()?.iter().map(Build::to_string).collect::<Vec<_>>())
        };
        assert_eq!(builds("8.2").unwrap(), ["8.2.0.0", "8.2.0.0"]);
        assert_eq!(builds("8.2, 8.1.2.0").unwrap(), ["8.2.0.0", "8.1.2.0"]);
        let error = |text| builds(text).unwrap_err().to_string();
        assert_eq!(error("new"), "build: \"new\" is no version like 8.1.2.0");
        assert_eq!(error("8.2,8.2,8.2"), "build: one version, or one for each node");
    }

    #[test]
    fn invalid_values() {
        let of = |name: &str, option: &str, value: Literal| -> Literal {
            [(name, Literal::from([(option, value)]))].into()
        };
        let cases: [(&str, Literal, InvalidArgumentClass, &str); 14] = [
            ("nodes", 0.into(), Value, "nodes must be from 1 to 128, got 0"),
            ("port", 65_536.into(), Value, "port must be from 0 to 65535, got 65536"),
            ("bind", "here".into(), Value, "bind must be an IP address, got \"here\""),
            (
                "namespaces",
                5.into(),
                Type,
                "namespaces must be a list of names, or a map of names and options, not number",
            ),
            (
                "namespaces",
                Literal::list([5]),
                Type,
                "namespaces: a namespace must be a string, not number",
            ),
            (
                "namespaces",
                of("a", "default_ttl", (-1).into()),
                Value,
                "namespace \"a\": default_ttl must be from 0 to 315360000, got -1",
            ),
            (
                "namespaces",
                of("a", "nodes", 1.into()),
                Type,
                "namespace \"a\": unknown option \"nodes\"; there are: default_ttl, indexed_sets, max_record_size, nsup_period, replication_factor, strong_consistency, strong_consistency_allow_expunge",
            ),
            (
                "indexed_sets",
                "a".into(),
                Type,
                "indexed_sets must be a list of names of sets, not string",
            ),
            ("racks", "a".into(), Type, "racks must be a list of racks, one per node, not string"),
            ("tls", "a".into(), Type, "tls must be boolean or a map, not string"),
            ("tls", [("name", 1)].into(), Type, "tls: name must be a string, not number"),
            (
                "users",
                [("app", 1)].into(),
                Type,
                "user \"app\": password must be a string, not number",
            ),
            (
                "users",
                of("app", "role", 1.into()),
                Type,
                "user \"app\": unknown option \"role\"; there are: external, password, roles",
            ),
            ("node", 1.into(), Type, "unknown cluster option \"node\"; there are: bind, build, "),
        ];
        for (name, value, class, expected) in cases {
            let error = Options::read(&Literal::from([(name, value)])).unwrap_err();
            assert_eq!(error.class(), class, "{error}");
            assert!(error.message().starts_with(expected), "{error}");
        }
        for (name, value, expected) in [
            ("udf_time", 0.0, "udf_time must be at least 0.000001 s, got 0 s"),
            ("session_ttl", 0.5, "session_ttl must be from 1 to 864000 s, got 0.5 s"),
        ] {
            assert_eq!(read([(name, value)]).unwrap_err().to_string(), expected);
        }
    }
}

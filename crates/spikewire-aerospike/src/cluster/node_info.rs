//! What a host reports about itself before it is added, and whether it is acceptable.

use spikewire_aerospike_protocol::info;
use spikewire_aerospike_protocol::peers::{self, Address, Peers};

use super::address::Addressing;
use super::build::{Build, OLDEST};
use super::node_error::NodeError;

/// A host's reply to [`Requirements::commands`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NodeInfo {
    /// Its node id.
    pub node: String,
    pub build: Build,
    /// Whether it is the Enterprise Edition.
    pub is_enterprise: bool,
    pub partition_generation: i64,
    /// Whether it knows other nodes.
    pub has_peers: bool,
    /// Its own addresses, as it advertises them.
    pub services: Vec<Address>,
}

/// Requirements on a host.
#[derive(Debug, Clone, Default)]
pub(super) struct Requirements {
    /// The node id it must have, if it is known from elsewhere.
    pub node: Option<String>,
    /// The name its cluster must have.
    pub cluster_name: Option<String>,
}

impl Requirements {
    /// The commands whose replies [`Requirements::validate`] checks.
    pub fn commands(&self, addressing: &Addressing) -> Vec<&'static str> {
        let mut commands = vec!["node", "build", "edition", "partition-generation"];
        commands.extend([addressing.peers_command(), addressing.services_command()]);
        commands.extend(self.cluster_name.is_some().then_some("cluster-name"));
        commands
    }

    /// Parses the reply; the error is why the host is not acceptable.
    pub fn validate(&self, answer: &str, addressing: &Addressing) -> Result<NodeInfo, NodeError> {
        let node = info::value(answer, "node")?;
        if node.is_empty() {
            return Err(NodeError::Unusable("the node has no id".to_owned()));
        }
        if let Some(expected) = self.node.as_ref().filter(|expected| *expected != node) {
            return Err(NodeError::OtherNode {
                actual: node.to_owned(),
                expected: expected.clone(),
            });
        }
        if let Some(expected) = &self.cluster_name {
            let actual = info::value(answer, "cluster-name")?;
            if actual != expected {
                return Err(NodeError::OtherCluster {
                    actual: actual.to_owned(),
                    expected: expected.clone(),
                });
            }
        }
        let text = info::value(answer, "build")?;
        let build = Build::parse(text)
            .ok_or_else(|| NodeError::Unusable(format!("build {text:?} is not a version")))?;
        if build < OLDEST {
            return Err(NodeError::TooOld(build));
        }
        // Those that do not say it are taken for the edition that can do less.
        let is_enterprise =
            info::value(answer, "edition").is_ok_and(|text| text.contains("Enterprise"));
        let generation = partition_generation(answer)?;
        if generation < 0 {
            return Err(NodeError::NotClustered(generation));
        }
        let peers = Peers::parse(info::value(answer, addressing.peers_command())?)?;
        // A host that does not report its own addresses is used at the address where it was found.
        let services = info::value(answer, addressing.services_command())
            .ok()
            .and_then(|list| peers::services(list).ok())
            .unwrap_or_default();
        Ok(NodeInfo {
            node: node.to_owned(),
            build,
            is_enterprise,
            partition_generation: generation,
            has_peers: !peers.peers.is_empty(),
            services,
        })
    }
}

/// The value of `partition-generation`.
pub(super) fn partition_generation(answer: &str) -> Result<i64, NodeError> {
    let text = info::value(answer, "partition-generation")?;
    text.parse()
        .map_err(|_| NodeError::Unusable(format!("partition-generation {text:?} is not a number")))
}

/// The value of a non-negative generation counter.
pub(super) fn generation(answer: &str, command: &str) -> Result<u64, NodeError> {
    let text = info::value(answer, command)?;
    text.parse().map_err(|_| NodeError::Unusable(format!("{command} {text:?} is not a number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: [(&str, &str); 7] = [
        ("node", "A1"),
        ("build", "8.1.2.0"),
        ("edition", "Aerospike Community Edition"),
        ("partition-generation", "7"),
        ("cluster-name", "blue"),
        ("peers-clear-std", "4,3000,[[A2,,[10.0.0.2]]]"),
        ("service-clear-std", "10.0.0.1:3000"),
    ];

    /// A valid reply with one value changed.
    fn validate(
        requirements: &Requirements,
        name: &str,
        value: &str,
    ) -> Result<NodeInfo, NodeError> {
        let lines = GOOD.map(|(n, v)| format!("{n}\t{}\n", if n == name { value } else { v }));
        requirements.validate(&lines.concat(), &Addressing::default())
    }

    #[test]
    fn a_node_with_the_expected_name_and_cluster_is_accepted() {
        let requirements =
            Requirements { node: Some("A1".into()), cluster_name: Some("blue".into()) };
        let actual = validate(&requirements, "", "").unwrap();
        assert!(actual.has_peers && actual.node == "A1" && actual.services.len() == 1);
        let lonely = validate(&requirements, "peers-clear-std", "0,3000,[]").unwrap();
        assert!(!lonely.has_peers);
        let shy = validate(&requirements, "service-clear-std", "ERROR:4:odd").unwrap();
        assert_eq!(shy.services, []);
    }

    #[test]
    fn the_edition_is_part_of_what_a_node_reports() {
        let edition = |text| validate(&Requirements::default(), "edition", text).unwrap();
        assert!(edition("Aerospike Enterprise Edition").is_enterprise);
        assert!(!edition("Aerospike Community Edition").is_enterprise);
        assert!(!edition("ERROR:4:unrecognized command").is_enterprise);
    }

    #[test]
    fn rejected_hosts_name_the_reason() {
        let requirements =
            Requirements { node: Some("A1".into()), cluster_name: Some("blue".into()) };
        let cases = [
            ("node", "B1", "node B1 answers there, not A1"),
            ("cluster-name", "red", "wrong cluster name 'red', expected 'blue'"),
            ("build", "4.5.0.1", "server build 4.5.0.1 is too old"),
            ("build", "new", "build \"new\" is not a version"),
            ("partition-generation", "-1", "has not joined a cluster yet"),
            ("partition-generation", "x", "is not a number"),
            ("peers-clear-std", "junk", "malformed peers list"),
            ("node", "", "the node has no id"),
            ("node", "ERROR:80:not authenticated", "not authenticated"),
        ];
        for (name, value, expected) in cases {
            let text = validate(&requirements, name, value).unwrap_err().to_string();
            assert!(text.contains(expected), "{name} {value:?}: {text}");
        }
    }

    #[test]
    fn the_cluster_name_is_requested_only_when_it_matters() {
        let addressing = Addressing::default();
        let named = Requirements { node: None, cluster_name: Some("blue".into()) };
        assert!(named.commands(&addressing).contains(&"cluster-name"));
        assert!(!Requirements::default().commands(&addressing).contains(&"cluster-name"));
    }
}

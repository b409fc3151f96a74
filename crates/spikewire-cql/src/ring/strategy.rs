//! How a keyspace is replicated.

use std::collections::BTreeMap;

/// How a keyspace is replicated. Keyspaces with equal strategies share their [`Replicas`].
///
/// [`Replicas`]: super::Replicas
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Strategy {
    /// This many nodes, regardless of location.
    Simple(Factor),
    /// This many nodes in each of these datacenters, in as many racks as possible.
    NetworkTopology(BTreeMap<String, Factor>),
    /// Every node has its own data, or all have the same: any node will do.
    Anywhere,
}

/// The number of replicas.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Factor {
    /// The total number.
    pub all: u32,
    /// How many of them are transient: they hold only data that is not repaired yet.
    pub transient: u32,
}

/// A keyspace's replication that is not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidStrategy {
    /// An unknown class.
    #[error("the replication strategy {0:?} is not known")]
    Class(String),
    /// The class is missing.
    #[error("a replication without a class")]
    NoClass,
    /// An invalid number of replicas.
    #[error("{text:?} is not a replication factor ({key})")]
    Factor {
        /// The option's name.
        key: String,
        /// The option's value.
        text: String,
    },
}

impl Factor {
    /// Parses `3`, or `3/1` if one of three is transient.
    pub fn parse(text: &str) -> Option<Self> {
        let (all, transient) = text.split_once('/').unwrap_or((text, "0"));
        let (all, transient) = (all.trim().parse().ok()?, transient.trim().parse().ok()?);
        (transient < all || transient == 0).then_some(Self { all, transient })
    }

    /// How many replicas hold all data.
    pub fn full(self) -> u32 {
        self.all - self.transient.min(self.all)
    }
}

impl From<u32> for Factor {
    fn from(all: u32) -> Self {
        Self { all, transient: 0 }
    }
}

impl Strategy {
    /// Parses the column `replication` of `system_schema.keyspaces`.
    pub fn parse<K, V>(
        replication: impl IntoIterator<Item = (K, V)>,
    ) -> Result<Self, InvalidStrategy>
    where
        K: AsRef<str>,
        V: AsRef<str>,
    {
        let mut class = None;
        let mut factors = BTreeMap::new();
        for (key, value) in replication {
            let (key, value) = (key.as_ref(), value.as_ref());
            match key {
                "class" => class = Some(value.rsplit('.').next().unwrap_or(value).to_owned()),
                key => drop(factors.insert(key.to_owned(), value.to_owned())),
            }
        }
        let factor = |key: &str, text: &str| {
            Factor::parse(text).ok_or_else(|| InvalidStrategy::Factor {
                key: key.to_owned(),
                text: text.to_owned(),
            })
        };
        match class.as_deref() {
            Some("SimpleStrategy") => {
                let key = "replication_factor";
                let text = factors.get(key).map_or("", String::as_str);
                factor(key, text).map(Self::Simple)
            }
            Some("NetworkTopologyStrategy") => factors
                .iter()
                .map(|(dc, text)| Ok((dc.clone(), factor(dc, text)?)))
                .collect::<Result<_, _>>()
                .map(Self::NetworkTopology),
            Some("LocalStrategy" | "EverywhereStrategy") => Ok(Self::Anywhere),
            Some(other) => Err(InvalidStrategy::Class(other.to_owned())),
            None => Err(InvalidStrategy::NoClass),
        }
    }
}

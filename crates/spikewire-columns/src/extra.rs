//! Columns that do not come from bins.

/// The names of these columns, if they are wanted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ExtraColumns {
    /// Column of user keys.
    pub key: Option<String>,
    /// Column of generations.
    pub generation: Option<String>,
    /// Column of remaining times to live, in seconds.
    pub ttl: Option<String>,
}

impl ExtraColumns {
    /// Columns with these names, which must be different ones. The error is a sentence.
    pub fn new(
        key: Option<String>,
        generation: Option<String>,
        ttl: Option<String>,
    ) -> Result<Self, String> {
        let extra = Self { key, generation, ttl };
        match extra.repeated() {
            None => Ok(extra),
            Some(name) => Err(format!(
                "key, generation and ttl must be different columns, not {name:?} twice"
            )),
        }
    }

    /// Just the names.
    pub fn names(&self) -> (Option<&String>, Option<&String>, Option<&String>) {
        (self.key.as_ref(), self.generation.as_ref(), self.ttl.as_ref())
    }

    /// Each name with its kind.
    pub fn all(&self) -> [(&'static str, Option<&String>); 3] {
        [
            ("key", self.key.as_ref()),
            ("generation", self.generation.as_ref()),
            ("ttl", self.ttl.as_ref()),
        ]
    }

    /// A name that is used twice.
    fn repeated(&self) -> Option<&String> {
        let names: Vec<&String> = self.all().into_iter().filter_map(|(_, name)| name).collect();
        names
            .iter()
            .enumerate()
            .find(|(at, name)| names[..*at].contains(name))
            .map(|(_, name)| *name)
    }
}

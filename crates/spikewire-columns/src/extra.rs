//! The columns that do not come from bins.

/// The names of such columns, where they are wanted.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct ExtraColumns {
    /// Holds the user keys.
    pub key: Option<String>,
    /// Holds the generations.
    pub generation: Option<String>,
    /// Holds how many seconds records have left.
    pub ttl: Option<String>,
}

impl ExtraColumns {
    /// The names alone.
    pub fn names(&self) -> (Option<&String>, Option<&String>, Option<&String>) {
        (self.key.as_ref(), self.generation.as_ref(), self.ttl.as_ref())
    }

    /// Each with the word for it.
    pub fn all(&self) -> [(&'static str, Option<&String>); 3] {
        [
            ("key", self.key.as_ref()),
            ("generation", self.generation.as_ref()),
            ("ttl", self.ttl.as_ref()),
        ]
    }

    /// A name that is there twice.
    pub fn repeated(&self) -> Option<&String> {
        let names: Vec<&String> = self.all().into_iter().filter_map(|(_, name)| name).collect();
        names
            .iter()
            .enumerate()
            .find(|(at, name)| names[..*at].contains(name))
            .map(|(_, name)| *name)
    }
}

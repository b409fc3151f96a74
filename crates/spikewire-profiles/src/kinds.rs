//! Kinds of operations: the verbs, the options of each that a profile may set, and the sections that
//! apply to it.

/// The consistency mode of a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Without strong consistency.
    Available,
    /// With strong consistency.
    Strong,
}

impl Mode {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Available, Self::Strong];

    /// The last part of the sections for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Strong => "strong",
        }
    }
}

/// The sections that apply to a call, from the general to the specific. A section is written with
/// dots, as in `read.many`; the empty one is the profile itself.
pub type Route = &'static [&'static str];

/// A verb. One with operations is two: for operations that read, and for those of which one writes.
#[derive(Debug)]
pub struct Verb {
    /// Its name in Python and Rust.
    pub name: &'static str,
    /// Whether it is the one for operations that write.
    pub writing: bool,
    /// Its sections for any mode.
    pub route: Route,
    /// The options that it takes from a profile.
    groups: &'static [&'static [&'static str]],
    /// Options that it takes, with another meaning than in other verbs: they are not the profile's.
    pub apart: &'static [&'static str],
}

const READ: Route = &["", "read", "read.point"];
const READ_MANY: Route = &["", "read", "read.many"];
const WRITE: Route = &["", "write", "write.point", "write.retryable"];
const WRITE_ONCE: Route = &["", "write", "write.point", "write.not_retryable"];
const WRITE_MANY: Route = &["", "write", "write.many", "write.retryable"];
const WRITE_MANY_ONCE: Route = &["", "write", "write.many", "write.not_retryable"];
/// The rows of a batch are reads and writes of many records.
const BATCH: Route = &["", "read", "read.many", "write", "write.many", "batch"];
const QUERY: Route = &["", "query"];
const JOB: Route = &["", "job"];

const RETRIES: &[&str] = &[
    "timeout",
    "max_retries",
    "sleep_between_retries",
    "sleep_multiplier",
    "max_sleep_between_retries",
    "sleep_jitter",
    "error_details",
    "replica",
];
const LIMITS: &[&str] = &["priority", "compress", "commit_level", "retry_in_doubt"];
const OF_READS: &[&str] = &["priority", "compress", "read_mode", "read_touch"];
const POINT: &[&str] = &["hedge", "share_reads"];
const MANY: &[&str] = &["deadline"];
const BUFFERS: &[&str] = &["buffers"];
const OF_WRITES: &[&str] = &["ttl", "exists", "durable", "send_key"];
const OF_ROWS: &[&str] = &["read_mode", "read_touch"];
const SEND_KEY: &[&str] = &["send_key"];
const OF_QUERIES: &[&str] =
    &["socket_timeout", "page_size", "records_per_second", "concurrent_nodes"];
const OF_JOBS: &[&str] = &["timeout", "records_per_second"];

const PUT: &[&[&str]] = &[RETRIES, LIMITS, OF_WRITES];
const DELETE: &[&[&str]] = &[RETRIES, LIMITS, &["durable"]];
const APPLY: &[&[&str]] = &[RETRIES, LIMITS, &["ttl", "durable", "send_key"]];
const NO: &[&str] = &[];

const fn verb(
    name: &'static str,
    route: Route,
    groups: &'static [&'static [&'static str]],
) -> Verb {
    Verb { name, writing: false, route, groups, apart: NO }
}

/// All verbs.
pub const VERBS: [Verb; 25] = [
    verb("get", READ, &[RETRIES, OF_READS, POINT, BUFFERS]),
    verb("exists", READ, &[RETRIES, OF_READS, POINT]),
    verb("get_many", READ_MANY, &[RETRIES, OF_READS, MANY, BUFFERS]),
    verb("get_numpy", READ_MANY, &[RETRIES, OF_READS, MANY]),
    verb("exists_many", READ_MANY, &[RETRIES, OF_READS, MANY]),
    verb("put", WRITE, PUT),
    Verb { apart: SEND_KEY, ..verb("delete", WRITE, DELETE) },
    verb("touch", WRITE, &[RETRIES, LIMITS, &["ttl", "send_key"]]),
    verb("add", WRITE_ONCE, PUT),
    verb("append", WRITE_ONCE, PUT),
    verb("prepend", WRITE_ONCE, PUT),
    verb("apply", WRITE_ONCE, APPLY),
    verb("put_many", WRITE_MANY, PUT),
    Verb { apart: SEND_KEY, ..verb("delete_many", WRITE_MANY, DELETE) },
    verb("apply_many", WRITE_MANY_ONCE, APPLY),
    verb("operate", READ, &[RETRIES, OF_READS, POINT]),
    Verb { writing: true, ..verb("operate", WRITE_ONCE, PUT) },
    verb("operate_many", READ_MANY, &[RETRIES, OF_READS, MANY]),
    Verb { writing: true, ..verb("operate_many", WRITE_MANY_ONCE, PUT) },
    verb("batch", BATCH, &[RETRIES, LIMITS, OF_WRITES, OF_ROWS, MANY]),
    verb("query", QUERY, &[RETRIES, OF_QUERIES]),
    verb("operate_all", JOB, &[OF_JOBS, &["ttl", "durable"]]),
    verb("delete_all", JOB, &[OF_JOBS, &["durable"]]),
    verb("touch_all", JOB, &[OF_JOBS, &["ttl"]]),
    verb("apply_all", JOB, &[OF_JOBS]),
];

/// Options that determine how a call is made, rather than its subject: those that a profile may set.
pub const OPTIONS: [&str; 26] = [
    "timeout",
    "socket_timeout",
    "max_retries",
    "sleep_between_retries",
    "sleep_multiplier",
    "max_sleep_between_retries",
    "sleep_jitter",
    "retry_in_doubt",
    "priority",
    "compress",
    "error_details",
    "commit_level",
    "hedge",
    "share_reads",
    "deadline",
    "replica",
    "read_mode",
    "read_touch",
    "buffers",
    "ttl",
    "exists",
    "durable",
    "send_key",
    "page_size",
    "records_per_second",
    "concurrent_nodes",
];

/// All sections.
pub const SECTIONS: [&str; 22] = [
    "",
    "batch",
    "batch.available",
    "batch.strong",
    "job",
    "job.available",
    "job.strong",
    "query",
    "query.available",
    "query.strong",
    "read",
    "read.available",
    "read.many",
    "read.point",
    "read.strong",
    "write",
    "write.available",
    "write.many",
    "write.not_retryable",
    "write.point",
    "write.retryable",
    "write.strong",
];

impl Verb {
    /// Whether a profile may set an option of it.
    pub fn takes(&self, option: &str) -> bool {
        self.groups.iter().any(|group| group.contains(&option))
    }

    /// The sections that apply to it, from the general to the specific, if the namespace has this
    /// mode.
    pub fn sections(&self, mode: Option<Mode>) -> Vec<&'static str> {
        let mut sections = self.route.to_vec();
        let Some(mode) = mode else { return sections };
        let end = format!(".{}", mode.name());
        for kind in self.route.iter().filter(|it| !it.is_empty() && !it.contains('.')) {
            let name = |it: &&&str| it.strip_prefix(kind) == Some(&end);
            sections.extend(SECTIONS.iter().find(name));
        }
        sections
    }

    /// Whether an option in a section of it applies to it.
    pub fn holds(&self, section: &str, option: &str) -> bool {
        if section.is_empty() {
            // Like the client's, a timeout for all verbs does not apply to queries. A deadline does
            // not apply to batches, which may write, unless it is set for them.
            return !matches!((self.name, option), ("query", "timeout") | ("batch", "deadline"));
        }
        // Options of reads and writes apply to the rows of a batch; others apply to the batch.
        match (self.name, section.split('.').next()) {
            ("batch", Some("read")) => OF_ROWS.contains(&option),
            ("batch", Some("write")) => OF_WRITES.contains(&option),
            _ => true,
        }
    }
}

/// Whether any verb of a section takes an option from it.
pub fn is_option(section: &str, option: &str) -> bool {
    VERBS.iter().any(|verb| {
        let has_section = || {
            let modes = [None, Some(Mode::Available), Some(Mode::Strong)];
            modes.iter().any(|mode| verb.sections(*mode).contains(&section))
        };
        verb.takes(option) && verb.holds(section, option) && has_section()
    })
}

/// The sections of a section, by their last parts.
pub fn children(section: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    SECTIONS.iter().filter_map(move |child| {
        let (parent, name) = child.rsplit_once('.').unwrap_or(("", child));
        (!name.is_empty() && parent == section).then_some((name, *child))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_and_options_are_those_of_verbs() {
        for section in SECTIONS {
            let is_used = |verb: &Verb| {
                Mode::ALL.iter().any(|mode| verb.sections(Some(*mode)).contains(&section))
            };
            assert!(VERBS.iter().any(is_used), "{section}");
        }
        for option in OPTIONS {
            assert!(VERBS.iter().any(|verb| verb.takes(option)), "{option}");
        }
        for verb in VERBS {
            assert!(verb.route.iter().all(|section| SECTIONS.contains(section)), "{}", verb.name);
            let options = verb.groups.concat();
            assert!(options.iter().all(|it| OPTIONS.contains(it)), "{}", verb.name);
            assert!(options.iter().all(|it| !verb.apart.contains(it)), "{}", verb.name);
        }
        let names: Vec<_> = children("").map(|it| it.0).collect();
        assert_eq!(names, ["batch", "job", "query", "read", "write"]);
    }

    #[test]
    fn options_have_their_sections() {
        assert!(is_option("", "ttl") && is_option("write.many", "ttl"));
        assert!(!is_option("read", "ttl") && !is_option("read.strong", "ttl"));
        assert!(is_option("batch", "deadline") && !is_option("batch", "page_size"));
        assert!(is_option("query.strong", "page_size") && !is_option("job", "page_size"));
        assert!(is_option("read.many", "deadline") && !is_option("read.point", "deadline"));
    }
}

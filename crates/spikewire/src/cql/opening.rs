//! Opening sessions from URLs and environment variables.

use spikewire_cassandra::{Result, URL_SCHEME, UrlChecks};
use spikewire_options::Literal;
use spikewire_options::opening::{Host, TextType, read};

use super::blocking::Session;
use super::builder::Builder;
use crate::setting_text::text_of;

/// The options of this crate, and those of other languages.
const HOST: Host = Host {
    own: &[
        ("address_translator", TextType::Object),
        ("authenticator", TextType::Object),
        ("threads", TextType::Whole),
    ],
    others: &["integers", "maps", "submit_limit"],
    argument: "an argument",
};

/// What a session is opened with, from a URL and from environment variables, and where each option
/// comes from.
///
/// ```no_run
/// use spikewire::cql::Opening;
///
/// let opening = Opening::from_url("cassandra://db1,db2:9042/shop?consistency=quorum")?;
/// let session = opening.builder().connect(opening.contact_points())?;
/// # Ok::<(), spikewire::cql::Error>(())
/// ```
///
/// Options of the URL take precedence over variables such as `SPIKEWIRE_CQL_TIMEOUT`; what is set on
/// the builder takes precedence over both.
#[derive(Debug, Clone)]
pub struct Opening {
    contact_points: String,
    keyspace: Option<String>,
    builder: Builder,
    explanation: String,
}

impl Opening {
    /// Reads a URL, such as `cassandra://user:password@db1:9042,db2/keyspace?timeout=5s`, and the
    /// environment variables for options that it does not have. Every option is checked. Errors name
    /// the part of the URL or the variable.
    pub fn from_url(url: &str) -> Result<Self> {
        Self::read(Some(url), URL_SCHEME.process_variables()?)
    }

    /// Reads environment variables: the URL is that of `SPIKEWIRE_CQL_URL`, or else the contact point
    /// is `127.0.0.1:9042`.
    pub fn from_environment() -> Result<Self> {
        Self::read(None, URL_SCHEME.process_variables()?)
    }

    /// The same with other variables than those of the process.
    pub fn read(
        url: Option<&str>,
        variables: impl IntoIterator<Item = (String, String)>,
    ) -> Result<Self> {
        let opening = read::<Literal>(&URL_SCHEME, &HOST, &UrlChecks, url, variables, Vec::new())?;
        let mut builder = Builder::default();
        for used in &opening.options {
            builder.set(&used.name, used.value.literal())?;
        }
        builder.clone().finish(&opening.seeds)?;
        let explanation = opening.explain(URL_SCHEME.path, |_, value| text_of(value.literal()));
        let keyspace = opening.path.map(|(keyspace, _)| keyspace);
        Ok(Self { contact_points: opening.seeds, keyspace, builder, explanation })
    }

    /// The contact points, separated by commas; empty with a `secure_connect_bundle`.
    pub fn contact_points(&self) -> &str {
        &self.contact_points
    }

    /// The keyspace of the URL.
    pub fn keyspace(&self) -> Option<&str> {
        self.keyspace.as_deref()
    }

    /// A builder with the options.
    pub fn builder(&self) -> Builder {
        self.builder.clone()
    }

    /// The settings and their sources, one per line, without secrets.
    pub fn explain(&self) -> &str {
        &self.explanation
    }
}

impl Session {
    /// Connects to the cluster of a URL; see [`Opening::from_url`].
    pub fn from_url(url: &str) -> Result<Self> {
        let opening = Opening::from_url(url)?;
        opening.builder().connect(opening.contact_points())
    }

    /// Connects to the cluster of the environment; see [`Opening::from_environment`].
    pub fn from_environment() -> Result<Self> {
        let opening = Opening::from_environment()?;
        opening.builder().connect(opening.contact_points())
    }
}

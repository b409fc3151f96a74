//! Opening clients from URLs and environment variables.

use spikewire_aerospike::{URL_SCHEME, UrlChecks};
use spikewire_options::Literal;
use spikewire_options::opening::{Host, TextType, read};

use super::blocking::Client;
use super::builder::Builder;
use crate::Result;
use crate::setting_text::text_of;

/// The options of this crate, and those of other languages.
const HOST: Host = Host {
    own: &[("threads", TextType::Whole)],
    others: &["codec", "doubles", "integers", "maps", "submit_limit"],
    argument: "an argument",
};

/// What a client is opened with, from a URL and from environment variables, and where each option
/// comes from.
///
/// ```no_run
/// use spikewire::Opening;
///
/// let opening = Opening::from_url("aerospike://db1:3000,db2/test?timeout=250ms&max_retries=3")?;
/// println!("{}", opening.explain());
/// let client = opening.builder().send_key(true).connect(opening.seeds())?;
/// let users = client.dataset(opening.namespace().unwrap_or("test"), "users")?;
/// # Ok::<(), spikewire::Error>(())
/// ```
///
/// Options of the URL take precedence over variables such as `SPIKEWIRE_AEROSPIKE_TIMEOUT`; what is
/// set on the builder takes precedence over both.
#[derive(Debug, Clone)]
pub struct Opening {
    seeds: String,
    namespace: Option<String>,
    builder: Builder,
    explanation: String,
}

impl Opening {
    /// Reads a URL, such as `aerospike://user:password@db1:3000,db2/namespace?timeout=250ms`, and the
    /// environment variables for options that it does not have. Every option is checked. Errors name
    /// the part of the URL or the variable.
    pub fn from_url(url: &str) -> Result<Self> {
        Self::read(Some(url), URL_SCHEME.process_variables()?)
    }

    /// Reads environment variables: the URL is that of `SPIKEWIRE_AEROSPIKE_URL`, or else the seed is
    /// `127.0.0.1:3000`.
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
        let namespace = opening.path.map(|(namespace, _)| namespace);
        Ok(Self { seeds: opening.seeds, namespace, builder, explanation })
    }

    /// The seeds, separated by commas.
    pub fn seeds(&self) -> &str {
        &self.seeds
    }

    /// The namespace of the URL.
    pub fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
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

impl Client {
    /// Connects to the cluster of a URL; see [`Opening::from_url`].
    pub fn from_url(url: &str) -> Result<Self> {
        let opening = Opening::from_url(url)?;
        opening.builder().connect(opening.seeds())
    }

    /// Connects to the cluster of the environment; see [`Opening::from_environment`].
    pub fn from_environment() -> Result<Self> {
        let opening = Opening::from_environment()?;
        opening.builder().connect(opening.seeds())
    }
}

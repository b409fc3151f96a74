//! Opening clients from URLs, environment variables and arguments: which settings are used, and
//! where each comes from. `docs/opening.md` has the rules.
//!
//! | module | contents |
//! |---|---|
//! | here | what differs between databases and host languages |
//! | `settings` | the settings, with their sources |
//! | `read` | the order of precedence |
//! | `url` | the parts of a URL |
//! | `text` | the text of an option as a value of its type |
//! | `encryption` | the entries of `tls`, each an option of its own |

mod encryption;
mod read;
mod settings;
#[cfg(test)]
mod tests;
mod text;
mod url;

pub use read::read;
pub use settings::{Opening, Setting, Used};
pub use text::{TextType, is_secret, quoted};

use crate::{InvalidArgument, Literal};

/// What the URLs and variables of a database look like.
#[derive(Debug)]
pub struct Scheme {
    /// The scheme of its URLs; with an `s` at the end, connections are encrypted.
    pub name: &'static str,
    /// What its environment variables begin with.
    pub prefix: &'static str,
    /// What stands behind the hosts.
    pub path: &'static str,
    /// The default port.
    pub port: u16,
    /// What hosts are, except addresses of IPv6.
    pub seed: &'static str,
    /// The options, each with what its text means.
    pub options: &'static [(&'static str, TextType)],
    /// Options that take the place of seeds.
    pub instead: &'static [&'static str],
}

impl Scheme {
    /// The seed if there is no other.
    pub fn default_seed(&self) -> String {
        format!("127.0.0.1:{}", self.port)
    }

    /// The environment variable of an option.
    pub fn variable(&self, option: &str) -> String {
        format!("{}{}", self.prefix, option.to_uppercase())
    }

    /// The variables of the process that are its own.
    pub fn process_variables(&self) -> Result<Vec<(String, String)>, InvalidArgument> {
        let own = std::env::vars_os().filter_map(|(name, text)| {
            let name = name.into_string().ok()?;
            name.starts_with(self.prefix).then_some((name, text))
        });
        own.map(|(name, text)| match text.into_string() {
            Ok(text) => Ok((name, text)),
            Err(_) => {
                Err(InvalidArgument::of_value(format!("the variable {name}: it is not UTF-8")))
            }
        })
        .collect()
    }

    /// Whether the path of a URL is an option.
    fn has_path_option(&self) -> bool {
        self.options.iter().any(|(name, _)| *name == self.path)
    }
}

/// What the clients of one language have besides the options of the engine.
#[derive(Debug, Clone, Copy)]
pub struct Host {
    /// Options of that language alone.
    pub own: &'static [(&'static str, TextType)],
    /// Options that only other languages, or other clients of this one, have: their variables are
    /// ignored, because programs of several languages may share an environment.
    pub others: &'static [&'static str],
    /// What the arguments of a call are called, such as "a keyword".
    pub argument: &'static str,
}

/// The checks of an engine.
pub trait Check {
    /// Rejects an invalid host.
    fn seed(&self, host: &str) -> Result<(), InvalidArgument>;
    /// Rejects an invalid path, if it is no option.
    fn path(&self, path: &str) -> Result<(), InvalidArgument>;
    /// Rejects an invalid option, on its own.
    fn option(&self, name: &str, value: &Literal) -> Result<(), InvalidArgument>;
}

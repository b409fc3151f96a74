//! How a client logs in, as configured by the lab; the Python counterpart is `spikewire_lab/access`.
//! Nothing here implements `Debug`, so that passwords are not printed.

use serde::Deserialize;

/// A user and TLS, if any.
#[derive(Clone, Default, Deserialize)]
pub struct Access {
    pub user: String,
    pub password: String,
    /// `internal`, `external`, `external-insecure`, `pki`; empty without a login.
    pub auth: String,
    pub tls: Option<Tls>,
}

/// Paths of PEM files; empty if not given.
#[derive(Clone, Deserialize)]
pub struct Tls {
    /// The authorities to trust, instead of the system's.
    pub ca: String,
    pub certificate: String,
    pub key: String,
    /// The name in the certificate of each seed; empty: its host.
    pub names: Vec<String>,
}

impl Access {
    /// Seeds in the format of both crates, with TLS names for encrypted connections.
    pub fn seeds(&self, seeds: &[(String, u16)]) -> String {
        let texts = seeds.iter().enumerate().map(|(at, (host, port))| match &self.tls {
            None => format!("{host}:{port}"),
            Some(tls) => {
                let name = tls.names.get(at).filter(|name| !name.is_empty()).unwrap_or(host);
                format!("{host}:{name}:{port}")
            }
        });
        texts.collect::<Vec<_>>().join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_have_the_names_of_certificates_where_there_is_tls() {
        let seeds = [("a".to_owned(), 1), ("b".to_owned(), 2)];
        assert_eq!(Access::default().seeds(&seeds), "a:1,b:2");
        let tls = r#"{"ca": "", "certificate": "", "key": "", "names": ["", "db"]}"#;
        let access = Access { tls: serde_json::from_str(tls).unwrap(), ..Access::default() };
        assert_eq!(access.seeds(&seeds), "a:a:1,b:db:2");
    }
}

//! Login options.

use spikewire_options::{InvalidArgument, check_credentials, parse};
use spikewire_transport::tls::Tls;

use super::Secret;

/// How a client logs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Auth {
    /// With an internal user of the cluster. The password is sent as a hash, which is equivalent to
    /// the password for an eavesdropper: use this without TLS only on trusted networks.
    #[default]
    Internal,
    /// With an external user (LDAP). The password is sent in plaintext, so this requires TLS.
    External,
    /// The same without TLS: an eavesdropper gets the password.
    ExternalInsecure,
    /// With the client's certificate, which names the user. Requires TLS.
    Pki,
}

impl Auth {
    /// All methods, by name.
    pub const ALL: [(&'static str, Self); 4] = [
        ("internal", Self::Internal),
        ("external", Self::External),
        ("external-insecure", Self::ExternalInsecure),
        ("pki", Self::Pki),
    ];

    /// The method with this name.
    pub fn parse(name: &str) -> Result<Self, InvalidArgument> {
        parse::named("auth", &Self::ALL, name)
    }
}

/// Login options. By default, there is no login.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Login {
    /// The user's name.
    pub user: Option<String>,
    /// The user's password.
    pub password: Option<Secret>,
    /// The method; `None`: [`Auth::Internal`] if there is a user.
    pub auth: Option<Auth>,
}

impl Login {
    /// The login method, if any; rejects contradictory options.
    pub fn check(&self, tls: Option<&Tls>) -> Result<Option<Auth>, InvalidArgument> {
        let invalid = |why: &str| Err(InvalidArgument::of_value(why));
        let Self { user, password, auth } = self;
        if *auth == Some(Auth::Pki) {
            return match tls {
                _ if user.is_some() || password.is_some() => invalid(
                    "auth \"pki\" takes the user from the client's certificate: leave out user \
                     and password",
                ),
                Some(tls) if tls.has_identity() => Ok(Some(Auth::Pki)),
                _ => invalid(
                    "auth \"pki\" logs in with the client's certificate: name certificate and \
                     private key in the option tls",
                ),
            };
        }
        if check_credentials(user.as_deref(), password.as_ref())?.is_none() {
            if auth.is_some() {
                return invalid("auth says how a user logs in: give user and password, too");
            }
            return Ok(None);
        }
        let auth = auth.unwrap_or_default();
        if auth == Auth::External && tls.is_none() {
            return invalid(
                "auth \"external\" sends the password as it is, so it needs the option tls; \
                 \"external-insecure\" goes without",
            );
        }
        Ok(Some(auth))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(user: Option<&str>, password: Option<&str>, auth: Option<Auth>) -> Login {
        Login { user: user.map(str::to_owned), password: password.map(Secret::from), auth }
    }

    #[test]
    fn valid_logins_select_an_auth_mode() {
        assert_eq!(Login::default().check(None), Ok(None));
        let plain = login(Some("app"), Some("secret"), None);
        assert_eq!(plain.check(None), Ok(Some(Auth::Internal)));
        let insecure = login(Some("app"), Some(""), Some(Auth::ExternalInsecure));
        assert_eq!(insecure.check(None), Ok(Some(Auth::ExternalInsecure)));
    }

    #[test]
    fn invalid_logins_are_rejected() {
        for (login, expected) in [
            (login(Some("app"), None, None), "user and password go together"),
            (login(None, Some("x"), None), "user and password go together"),
            (login(None, None, Some(Auth::Internal)), "give user and password, too"),
            (login(Some(""), Some("x"), None), "user must not be empty"),
            (login(Some("a\0"), Some("x"), None), "zero character"),
            (login(Some("a"), Some("x\0y"), None), "zero character"),
            (login(Some("a"), Some("x"), Some(Auth::External)), "needs the option tls"),
            (login(Some("a"), Some("x"), Some(Auth::Pki)), "leave out user and password"),
            (login(None, None, Some(Auth::Pki)), "name certificate and private key"),
        ] {
            let error = login.check(None).unwrap_err();
            assert!(error.message().contains(expected), "{error}");
            assert!(!error.message().contains("x\0y"));
        }
    }

    #[test]
    fn auth_modes_parse_by_name() {
        for (name, auth) in Auth::ALL {
            assert_eq!(Auth::parse(name), Ok(auth));
        }
        let error = Auth::parse("ldap").unwrap_err();
        assert_eq!(
            error.message(),
            "auth must be 'internal', 'external', 'external-insecure' or 'pki', got \"ldap\""
        );
    }

    #[test]
    fn passwords_are_not_printed() {
        let login = login(Some("app"), Some("opensesame"), None);
        let text = format!("{login:?}");
        assert!(text.contains("app") && !text.contains("opensesame"), "{text}");
    }
}

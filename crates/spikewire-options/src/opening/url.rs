//! The parts of a URL: `scheme://user:password@host:port,host2/path?option=value&...`.

use super::text::quoted;
use super::{Check, Scheme};
use crate::InvalidArgument;

/// The parts of a URL, decoded.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Parts {
    pub seeds: Option<String>,
    pub path: Option<String>,
    /// `user` and `password`.
    pub login: Vec<(&'static str, String)>,
    pub options: Vec<(String, String)>,
    /// Whether the scheme says so.
    pub is_encrypted: bool,
}

type Result<T> = std::result::Result<T, InvalidArgument>;

fn wrong<T>(message: String) -> Result<T> {
    Err(InvalidArgument::of_value(message))
}

/// Parses a URL. Messages contain nothing that could be a password.
pub(super) fn parse(url: &str, scheme: &Scheme, check: &impl Check, source: &str) -> Result<Parts> {
    if let Some(char) = url.chars().find(|char| *char <= ' ' || *char == '\x7f') {
        let display = quoted(&char.to_string());
        let code = char as u32;
        return wrong(format!("{source} contains {display}, which must be written %{code:02X}"));
    }
    let (plain, encrypted) = (scheme.name, format!("{}s", scheme.name));
    let name = url.split_once("://").map(|(name, rest)| (name.to_lowercase(), rest));
    let Some((name, rest)) = name.filter(|(name, _)| *name == plain || *name == encrypted) else {
        return wrong(format!(
            "{source} must begin with {plain}://, or with {encrypted}:// for encrypted connections"
        ));
    };
    if url.contains('#') {
        return wrong(format!(
            "{source} has a fragment, '#...': a '#' inside a part is written %23"
        ));
    }
    let (rest, query) = split(rest, '?');
    let (authority, path) = split(rest, '/');
    let (login, hosts) = match authority.rsplit_once('@') {
        Some((login, hosts)) => (Some(login), hosts),
        None => (None, authority),
    };
    if login.is_none() && url.contains('@') {
        return wrong(format!(
            "{source} has an '@' after its hosts: in a user or password, '/' is written %2F, '?' \
             %3F and '@' %40"
        ));
    }
    Ok(Parts {
        seeds: seeds(hosts, scheme, check, source)?,
        path: path.map_or(Ok(None), |path| path_of(path, scheme, source))?,
        login: login.map_or(Ok(Vec::new()), |login| login_of(login, source))?,
        options: query.map_or(Ok(Vec::new()), |query| options(query, source))?,
        is_encrypted: name == encrypted,
    })
}

fn split(text: &str, at: char) -> (&str, Option<&str>) {
    text.split_once(at).map_or((text, None), |(first, rest)| (first, Some(rest)))
}

fn seeds(hosts: &str, scheme: &Scheme, check: &impl Check, source: &str) -> Result<Option<String>> {
    if hosts.is_empty() {
        return Ok(None);
    }
    let seeds = decoded(hosts, source, "hosts")?;
    for (at, host) in seeds.split(',').enumerate() {
        if !is_host(host, check) {
            // What looks like a port may be a password.
            let name = quoted(split(host, ':').0);
            let number = at + 1;
            return wrong(format!(
                "{source}, host {number} ({name}): it must be {} or [IPv6 address]:port, with a \
                 port from 1 to 65535",
                scheme.seed
            ));
        }
    }
    Ok(Some(seeds))
}

/// What the engine would take for a TLS name may be a password without its '@', so a port must
/// follow.
fn is_host(host: &str, check: &impl Check) -> bool {
    let name = host.rsplit_once(']').map_or(host, |(_, port)| port);
    let has_port = name
        .rsplit_once(':')
        .is_none_or(|(_, port)| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit()));
    has_port && check.seed(host).is_ok()
}

fn login_of(login: &str, source: &str) -> Result<Vec<(&'static str, String)>> {
    let (user, password) = split(login, ':');
    if user.is_empty() {
        return wrong(format!("{source} has an '@' without a user before it"));
    }
    let mut options = vec![("user", decoded(user, source, "user")?)];
    if let Some(password) = password {
        options.push(("password", decoded(password, source, "password")?));
    }
    Ok(options)
}

fn path_of(path: &str, scheme: &Scheme, source: &str) -> Result<Option<String>> {
    if path.is_empty() {
        return Ok(None);
    }
    if path.contains('/') {
        let (what, path) = (scheme.path, quoted(path));
        return wrong(format!("{source}, path: it must be one {what}, not {path}"));
    }
    decoded(path, source, scheme.path).map(Some)
}

fn options(query: &str, source: &str) -> Result<Vec<(String, String)>> {
    let mut options: Vec<(String, String)> = Vec::new();
    for (at, item) in query.split('&').enumerate() {
        let number = at + 1;
        let (name, text) = split(item, '=');
        let name = decoded(name, source, &format!("option {number}"))?;
        let Some(text) = text.filter(|_| !name.is_empty()) else {
            return wrong(format!("{source}, option {number}: it must be name=value"));
        };
        if options.iter().any(|(known, _)| *known == name) {
            return wrong(format!("{source}, option {name}: it is given twice"));
        }
        let text = decoded(text, source, &format!("option {name}"))?;
        options.push((name, text));
    }
    Ok(options)
}

fn decoded(text: &str, source: &str, part: &str) -> Result<String> {
    let problem = || {
        let why = "a '%' must be followed by two hexadecimal digits, of UTF-8";
        InvalidArgument::of_value(format!("{source}, {part}: {why}"))
    };
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |at: usize| after.get(at).and_then(|it| char::from(*it).to_digit(16));
        let (high, low) = (digit(0).ok_or_else(problem)?, digit(1).ok_or_else(problem)?);
        bytes.push((high * 16 + low) as u8);
        rest = &after[2..];
    }
    String::from_utf8(bytes).map_err(|_| problem())
}

//! Which settings a client is opened with, and where each comes from: arguments take precedence
//! over the URL, then come environment variables, then defaults.

use super::encryption::{TLS, alone, merge, texts};
use super::settings::{Level, Opening, Setting, Used};
use super::text::{Known, convert};
use super::{Check, Host, Scheme, url};
use crate::{InvalidArgument, InvalidArgumentClass, Literal, OptionValue};

type Result<T> = std::result::Result<T, InvalidArgument>;

/// Reads the settings of a client. Every option of the URL and of variables is checked, including
/// those that another source overrides; the arguments, and what must be checked together, are left
/// to the host. Without a URL, it is that of a variable.
pub fn read<V: OptionValue>(
    scheme: &Scheme,
    host: &Host,
    check: &impl Check,
    url: Option<&str>,
    variables: impl IntoIterator<Item = (String, String)>,
    arguments: Vec<(String, V)>,
) -> Result<Opening<V>> {
    let options = scheme.options.iter().filter(|(name, _)| !host.others.contains(name));
    let options = texts(options.chain(host.own).copied());
    let known = Known { options, argument: host.argument };
    let has_set = |variable: &(String, String)| {
        variable.0.starts_with(scheme.prefix) && !variable.1.is_empty()
    };
    let variables: Vec<_> = variables.into_iter().filter(has_set).collect();
    let mut level: Level<V> = Vec::new();
    let mut by_variable = None;
    for (variable, text) in variables {
        let name = variable[scheme.prefix.len()..].to_lowercase();
        let source = format!("the variable {variable}");
        if name == "url" {
            by_variable = Some((text, source));
        } else if !host.others.contains(&name.as_str()) {
            let value = convert(&name, &text, &known, &source)?;
            level.push(Used { name, value: Setting::Text(value), source });
        }
    }
    for used in &level {
        checked(check, used, &used.source)?;
    }
    let mut opening = Opening {
        seeds: scheme.default_seed(),
        seeds_source: "the default".to_owned(),
        path: None,
        options: Vec::new(),
    };
    let mut levels = vec![level];
    let url = url.map(|url| (url.to_owned(), "the URL".to_owned())).or(by_variable);
    if let Some((url, source)) = url {
        levels.push(of_url(scheme, check, &known, &url, &source, &mut opening)?);
    }
    let source = host.argument;
    let argument =
        |(name, value)| Used { name, value: Setting::Argument(value), source: source.to_owned() };
    levels.push(arguments.into_iter().map(argument).collect());
    opening.options = merge(levels)?;
    let has_other = opening.options.iter().any(|it| scheme.instead.contains(&it.name.as_str()));
    if has_other && opening.seeds_source == "the default" {
        opening.seeds.clear();
    }
    Ok(opening)
}

fn of_url<V: OptionValue>(
    scheme: &Scheme,
    check: &impl Check,
    known: &Known,
    url: &str,
    source: &str,
    opening: &mut Opening<V>,
) -> Result<Level<V>> {
    let parts = url::parse(url, scheme, check, source)?;
    if let Some(seeds) = parts.seeds {
        (opening.seeds, opening.seeds_source) = (seeds, source.to_owned());
    }
    let mut level: Level<V> = Vec::new();
    let used = |name: &str, value: Literal| Used {
        name: name.to_owned(),
        value: Setting::Text(value),
        source: source.to_owned(),
    };
    for (name, text) in &parts.options {
        let value = convert(name, text, known, &format!("{source}, option {name}"))?;
        level.push(used(name, value));
    }
    for option in &level {
        checked(check, option, &format!("{source}, option {}", option.name))?;
    }
    let mut rest: Level<V> = Vec::new();
    for (name, text) in parts.login {
        rest.push(used(name, Literal::Text(text)));
    }
    if let Some(path) = parts.path {
        if scheme.has_path_option() {
            rest.push(used(scheme.path, Literal::Text(path.clone())));
        } else if let Err(error) = check.path(&path) {
            return Err(InvalidArgument::of_value(format!("{source}, {}: {error}", scheme.path)));
        }
        opening.path = Some((path, source.to_owned()));
    }
    let encrypts = level
        .iter()
        .any(|it| it.name == TLS && matches!(it.value, Setting::Text(Literal::Flag(true))));
    if parts.is_encrypted && !encrypts {
        rest.push(used(TLS, Literal::Flag(true)));
    }
    if let Some(both) = rest.iter().find(|it| level.iter().any(|other| other.name == it.name)) {
        let name = &both.name;
        return Err(InvalidArgument::of_value(format!(
            "{source}, option {name}: another part of the URL sets it, too"
        )));
    }
    level.extend(rest);
    Ok(level)
}

/// Lets the engine check an option, so that the message can name its source.
fn checked<V>(check: &impl Check, used: &Used<V>, place: &str) -> Result<()> {
    let Setting::Text(value) = &used.value else { return Ok(()) };
    let Some((name, value)) = alone(&used.name, value) else { return Ok(()) };
    check.option(&name, &value).map_err(|error| {
        let message = format!("{place}: {error}");
        match error.class() {
            InvalidArgumentClass::Type => InvalidArgument::of_type(message),
            InvalidArgumentClass::Value => InvalidArgument::of_value(message),
        }
    })
}

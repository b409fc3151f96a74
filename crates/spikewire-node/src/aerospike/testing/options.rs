//! Options of the embedded cluster.

use std::time::Duration;

use spikewire_aerospike_server::{NamespaceOptions, Options, TlsOptions, UserOptions};

use crate::arguments::{count, flag, span, text};
use crate::errors::{describe, kind_name};
use crate::js::{Failure, Result, Type, Value};

/// Parses options of a cluster from an object. Options of a namespace apply to all namespaces,
/// unless `namespaces` is an object with options per namespace.
pub fn parse(value: Value<'_>) -> Result<Options> {
    let mut options = Options::default();
    let mut each = NamespaceOptions::default();
    let mut namespaces = None;
    for_each(value, "options", |name, value| {
        let number = |min, max| count(name, value, (min, max));
        match name {
            "nodes" => options.nodes = number(1, 128)? as usize,
            "port" => options.port = number(0, 65_535)? as u16,
            "threads" => options.threads = number(1, 64)? as usize,
            "clusterName" => options.cluster_name = text(name, value)?,
            "build" => options.build = text(name, value)?,
            "bind" => {
                let parsed = text(name, value)?.parse();
                options.bind = parsed.map_err(|_| {
                    Failure::of_range(format!(
                        "bind must be an IP address, got {}",
                        describe(value)
                    ))
                })?;
            }
            "namespaces" => namespaces = Some(value),
            "racks" => {
                options.racks = list(name, "whole numbers, one per node", value, |rack| {
                    Ok(count("a rack", rack, (0, u64::from(u32::MAX)))? as u32)
                })?;
            }
            "udfTime" => options.udf_time = span(name, value)?,
            "migrationPause" => options.migration_pause = span(name, value)?,
            "tls" => options.tls = tls(value)?,
            "users" => options.users = users(value)?,
            "quotas" => options.quotas = flag(name, value)?,
            "sessionTtl" => {
                let seconds = number(1, u64::from(u32::MAX))?;
                options.session_ttl = Duration::from_secs(seconds);
            }
            _ if of_namespace(&mut each, name, value)? => {}
            _ => {
                return Err(Failure::of_type(format!(
                    "unknown option {name} of the embedded cluster; there are: bind, build, \
                     clusterName, migrationPause, namespaces, nodes, port, quotas, racks, \
                     sessionTtl, threads, tls, udfTime, users; for namespaces: {NAMESPACE}"
                )));
            }
        }
        Ok(())
    })?;
    if let Some(value) = namespaces {
        options.namespaces = namespaces_of(value, &each)?;
    } else {
        options.namespaces = vec![each];
    }
    Ok(options)
}

const NAMESPACE: &str = "defaultTtl, indexedSets, maxRecordSize, nsupPeriod, replicationFactor";

/// Sets an option of a namespace; returns `false` for other names.
fn of_namespace(each: &mut NamespaceOptions, name: &str, value: Value<'_>) -> Result<bool> {
    let number = |min, max| count(name, value, (min, max));
    match name {
        "replicationFactor" => each.replication_factor = number(1, 128)? as usize,
        "defaultTtl" => each.default_ttl = number(0, u64::from(u32::MAX))? as u32,
        "nsupPeriod" => each.nsup_period = number(0, u64::from(u32::MAX))? as u32,
        "maxRecordSize" => each.max_record_size = number(256, 128 << 20)? as usize,
        "indexedSets" => {
            each.indexed_sets = list(name, "names of sets", value, |set| text("a set", set))?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// An array of names, or an object of names and options.
fn namespaces_of(value: Value<'_>, each: &NamespaceOptions) -> Result<Vec<NamespaceOptions>> {
    if value.is_array() {
        return list("namespaces", "names", value, |name| {
            Ok(NamespaceOptions { name: text("a namespace", name)?, ..each.clone() })
        });
    }
    if value.kind() != Type::Object {
        return Err(Failure::of_type(format!(
            "namespaces must be an array of names, or an object of names and options, not {}",
            kind_name(value)
        )));
    }
    let mut all = Vec::new();
    for_each(value, "namespaces", |namespace, options| {
        let mut own = NamespaceOptions { name: namespace.to_owned(), ..each.clone() };
        let what = format!("namespace {namespace:?}");
        for_each(options, &what, |name, value| {
            let known = of_namespace(&mut own, name, value).map_err(|failure| failure.about(&what));
            if known? {
                return Ok(());
            }
            Err(Failure::of_type(format!("{what}: unknown option {name}; there are: {NAMESPACE}")))
        })?;
        all.push(own);
        Ok(())
    })?;
    Ok(all)
}

/// A boolean, or an object with TLS options.
fn tls(value: Value<'_>) -> Result<Option<TlsOptions>> {
    if value.kind() == Type::Boolean {
        return Ok(flag("tls", value)?.then(TlsOptions::default));
    }
    let mut tls = TlsOptions::default();
    for_each(value, "tls", |name, value| {
        match name {
            "name" => tls.name = text("name of tls", value)?,
            "clientCertificates" => tls.client_certificates = flag("clientCertificates", value)?,
            _ => {
                return Err(Failure::of_type(format!(
                    "unknown entry {name} of tls; there are: name, clientCertificates"
                )));
            }
        }
        Ok(())
    })?;
    Ok(Some(tls))
}

/// Users by name: a password each, or an object.
fn users(value: Value<'_>) -> Result<Vec<UserOptions>> {
    let mut users = Vec::new();
    for_each(value, "users", |name, value| {
        let what = format!("user {name:?}");
        let mut user = UserOptions::new(name, "");
        if value.kind() == Type::String {
            user.password = text(&what, value)?;
        } else {
            for_each(value, &what, |option, value| {
                match option {
                    "password" => user.password = text("password", value)?,
                    "roles" => {
                        user.roles =
                            list(option, "names of roles", value, |it| text("a role", it))?;
                    }
                    "external" => user.external = flag(option, value)?,
                    _ => {
                        return Err(Failure::of_type(format!(
                            "{what}: unknown option {option}; there are: password, roles, external"
                        )));
                    }
                }
                Ok(())
            })?;
        }
        users.push(user);
        Ok(())
    })?;
    Ok(users)
}

/// Calls `take` with every property of an object that is not `undefined`.
pub fn for_each<'e>(
    value: Value<'e>,
    what: &str,
    mut take: impl FnMut(&str, Value<'e>) -> Result<()>,
) -> Result<()> {
    if value.kind() == Type::Undefined {
        return Ok(());
    }
    if value.kind() != Type::Object || value.is_array() {
        return Err(Failure::of_type(format!(
            "{what} must be an object, not {}",
            kind_name(value)
        )));
    }
    let names = value.own_names()?;
    for at in 0..names.len()? {
        let name = names.element(at)?;
        let value = value.get(name)?;
        if value.kind() != Type::Undefined {
            take(&text("an option", name)?, value)?;
        }
    }
    Ok(())
}

fn list<'e, T>(
    name: &str,
    what: &str,
    value: Value<'e>,
    each: impl Fn(Value<'e>) -> Result<T>,
) -> Result<Vec<T>> {
    if !value.is_array() {
        return Err(Failure::of_type(format!(
            "{name} must be an array of {what}, not {}",
            kind_name(value)
        )));
    }
    let elements = (0..value.len()?).map(|at| each(value.element(at)?));
    elements.collect::<Result<_>>().map_err(|failure| failure.about(name))
}

/// A two-element array: a count, and milliseconds.
pub fn pair(name: &str, value: Value<'_>) -> Result<(u64, Duration)> {
    if !value.is_array() || value.len()? != 2 {
        return Err(Failure::of_type(format!(
            "{name} must be [bytes, milliseconds between pieces], not {}",
            kind_name(value)
        )));
    }
    let bytes = count(name, value.element(0)?, (1, 1 << 30))?;
    Ok((bytes, span(name, value.element(1)?)?))
}

//! Where advertised addresses are reached.

use std::collections::HashMap;
use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use rustc_hash::FxHashMap;
use spikewire_transport::resolve::Resolver;

use crate::address_translator::AddressTranslator;
use crate::error::{Error, Kind, Result};
use crate::options::{Host, Options};

/// Translates advertised addresses.
#[derive(Debug)]
pub(super) enum Addresses {
    /// By a table; empty if addresses are reached as they are.
    Table(FxHashMap<String, (IpAddr, Option<u16>)>),
    /// By a function, which may return names, to be looked up within this time.
    Translator(Arc<dyn AddressTranslator>, Duration),
}

impl Addresses {
    /// As the options say.
    pub fn new(options: &Options) -> Result<Self> {
        match &options.address_translator {
            Some(translator) => Ok(Self::Translator(translator.clone(), options.connect_timeout)),
            None => table(&options.address_map).map(Self::Table),
        }
    }

    /// Where this address is reached. Looks up names until `closed` is set.
    pub fn reach(&self, advertised: SocketAddr, closed: &AtomicBool) -> Result<SocketAddr> {
        match self {
            Self::Table(table) => Ok(in_table(table, advertised)),
            Self::Translator(translator, within) => {
                translated(&**translator, *within, advertised, closed)
            }
        }
    }
}

/// Parses the map: keys are `address` or `address:port`, and so are values. A value without a port
/// keeps the advertised one.
fn table(map: &HashMap<String, String>) -> Result<FxHashMap<String, (IpAddr, Option<u16>)>> {
    let bad = |key: &str, why: &str| Error::invalid(format!("address_map entry {key:?}: {why}"));
    let read = |(from, to): (&String, &String)| {
        let host = |text: &str| Host::parse(text, 0xffff).map_err(|why| bad(from, &why));
        let key = host(from)?;
        let has_port = |text: &str, host: &Host| {
            text.len() != host.name.len() && text.ends_with(&host.port.to_string())
        };
        let key = if has_port(from, &key) { key.to_string() } else { key.name };
        let target = host(to)?;
        let ip = target.name.parse().map_err(|_| bad(from, "its value must be an IP address"))?;
        Ok((key, (ip, has_port(to, &target).then_some(target.port))))
    };
    map.iter().map(read).collect()
}

fn in_table(
    table: &FxHashMap<String, (IpAddr, Option<u16>)>,
    advertised: SocketAddr,
) -> SocketAddr {
    if table.is_empty() {
        return advertised;
    }
    let host = Host { name: advertised.ip().to_string(), port: advertised.port() };
    let entry = table.get(&host.to_string()).or_else(|| table.get(&host.name));
    match entry {
        Some((ip, port)) => SocketAddr::new(*ip, port.unwrap_or(advertised.port())),
        None => advertised,
    }
}

fn translated(
    translator: &dyn AddressTranslator,
    within: Duration,
    advertised: SocketAddr,
    closed: &AtomicBool,
) -> Result<SocketAddr> {
    let bad = |why: &dyn fmt::Display| {
        Error::new(Kind::Connection, format!("the address {advertised} has no translation: {why}"))
    };
    let text = translator.translate(advertised).map_err(|why| bad(&why))?;
    let host = Host::parse(&text, advertised.port()).map_err(|why| bad(&why))?;
    if let Ok(ip) = host.name.parse() {
        return Ok(SocketAddr::new(ip, host.port));
    }
    let names = [(host.name.as_str(), host.port)].into_iter();
    let looked_up = Resolver::default().start(names, within).finish(closed).into_iter().next();
    let addresses = looked_up.transpose().map_err(|error| bad(&error))?.unwrap_or_default();
    // Of the kind that is advertised, if there is one.
    let alike = addresses.iter().find(|address| address.is_ipv4() == advertised.is_ipv4());
    let first = alike.or(addresses.first()).copied();
    first.ok_or_else(|| bad(&format!("{text:?} has no address")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Fixed(Result<&'static str, &'static str>);

    impl AddressTranslator for Fixed {
        fn translate(&self, _: SocketAddr) -> Result<String, String> {
            self.0.map(str::to_owned).map_err(str::to_owned)
        }
    }

    #[test]
    fn a_translator_returns_addresses_with_or_without_a_port_and_names() {
        let advertised: SocketAddr = ([10, 0, 0, 1], 9042).into();
        let reach = |answer| {
            let mut options = Options::new(Vec::new());
            options.address_translator = Some(Arc::new(Fixed(answer)));
            Addresses::new(&options).unwrap().reach(advertised, &AtomicBool::new(false))
        };
        assert_eq!(reach(Ok("1.2.3.4")).unwrap(), ([1, 2, 3, 4], 9042).into());
        assert_eq!(reach(Ok("1.2.3.4:5")).unwrap(), ([1, 2, 3, 4], 5).into());
        assert_eq!(reach(Ok("[::1]:5")).unwrap().to_string(), "[::1]:5");
        assert_eq!(reach(Ok("localhost")).unwrap(), ([127, 0, 0, 1], 9042).into());
        for (answer, why) in [(Err("not today"), "not today"), (Ok(""), "10.0.0.1:9042")] {
            let error = reach(answer).unwrap_err();
            assert!(error.message().contains(why), "{error}");
        }
    }

    #[test]
    fn addresses_are_mapped_with_and_without_ports() {
        let entries =
            [("10.0.0.1", "127.0.0.1"), ("10.0.0.2:9042", "127.0.0.1:19042"), ("fe80::1", "::1")];
        let map = entries.map(|(from, to)| (from.to_owned(), to.to_owned())).into();
        let map = table(&map).unwrap();
        let reach = |text: &str| in_table(&map, text.parse().unwrap()).to_string();
        assert_eq!(reach("10.0.0.1:9042"), "127.0.0.1:9042");
        assert_eq!(reach("10.0.0.2:9042"), "127.0.0.1:19042");
        assert_eq!(reach("10.0.0.2:9043"), "10.0.0.2:9043");
        assert_eq!(reach("[fe80::1]:7"), "[::1]:7");
        for (from, to) in [("", "::1"), ("a b", "::1"), ("10.0.0.1", "db.example")] {
            let error = table(&[(from.to_owned(), to.to_owned())].into()).unwrap_err();
            assert!(error.message().contains("address_map entry"), "{error}");
        }
    }
}

//! Modules of functions that the cluster runs, in Lua: registering, listing, removing.

use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use sha1::{Digest as _, Sha1};

use spikewire_protocol::result_code::ResultCode;

use crate::face::{Face, field};
use crate::query::sleep;
use crate::{Client, Error, Kind, Result};

/// Longest source, as servers limit it.
const LONGEST: usize = 1 << 20;
/// How often a node is asked whether it has a module.
const PAUSE: Duration = Duration::from_millis(20);

/// A registered module.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Module {
    /// Its file name, such as `counters.lua`; calls name it without the ending.
    pub name: String,
    /// 40 hex digits that change with the source.
    pub hash: String,
}

/// The modules of functions of a client's cluster; from [`Client::modules`] and
/// [`AsyncClient::modules`](crate::AsyncClient::modules).
///
/// ```
/// # use spikewire::{Client, Value};
/// # use std::time::Duration;
/// # let cluster = spikewire_server::Cluster::start(Default::default()).unwrap();
/// # let client = Client::connect(cluster.seeds())?;
/// let source = "
///     function visit(rec, times)
///         rec['visits'] = (rec['visits'] or 0) + times
///         if aerospike:exists(rec) then aerospike:update(rec) else aerospike:create(rec) end
///         return rec['visits']
///     end";
/// client.modules().register("counters.lua", source, Duration::from_secs(10))?;
///
/// let users = client.dataset("test", "users")?;
/// users.apply("alice", "counters", "visit", &[1.into()])?;
/// assert_eq!(users.apply("alice", "counters", "visit", &[2.into()])?, Value::Int(3));
/// # Ok::<(), spikewire::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Modules<C = Client>(pub(crate) C);

impl<C: Face> Modules<C> {
    /// Registers a module under a file name such as `counters.lua`, in place of one of that name,
    /// and waits until every node has it; zero: without a limit.
    ///
    /// Fails with the line when the source does not compile, with [`Kind::Timeout`] when a node
    /// does not get it in time.
    pub fn register(&self, name: &str, source: &str, limit: Duration) -> C::Answer<()> {
        let composed = Registration::new(name, source);
        self.0.work(move |tools, wanted| {
            let Registration { command, module } = composed?;
            let start = Instant::now();
            check(&tools.ask_one(&command)?)?;
            for node in tools.nodes()? {
                while !listed(&tools.ask(&node, "udf-list")?).any(|own| own == module) {
                    if !limit.is_zero() && start.elapsed() >= limit {
                        let name = &module.name;
                        let message =
                            format!("module {name} did not reach every node within {limit:?}");
                        return Err(Error::new(Kind::Timeout, message));
                    }
                    if !wanted() {
                        return Ok(());
                    }
                    sleep(PAUSE, wanted);
                }
            }
            Ok(())
        })
    }

    /// The registered modules, sorted by name.
    pub fn list(&self) -> C::Answer<Vec<Module>> {
        self.0.work(|tools, _| {
            let answer = tools.ask_one("udf-list")?;
            let mut found: Vec<Module> = listed(&answer).collect();
            found.sort();
            Ok(found)
        })
    }

    /// The source of a module; fails if there is none of that name.
    pub fn source(&self, name: &str) -> C::Answer<String> {
        let command = file_name(name).map(|name| format!("udf-get:filename={name}"));
        self.0.work(move |tools, _| {
            let answer = tools.ask_one(&command?)?;
            check(&answer)?;
            let content = field(&answer, ';', "content").unwrap_or_default();
            let bytes = STANDARD.decode(content).ok().and_then(|it| String::from_utf8(it).ok());
            bytes.ok_or_else(|| Error::new(Kind::Malformed, "the source is not base64 text"))
        })
    }

    /// Removes a module; does nothing if there is none of that name.
    pub fn remove(&self, name: &str) -> C::Answer<()> {
        let command = file_name(name).map(|name| format!("udf-remove:filename={name};"));
        self.0.work(move |tools, _| check(&tools.ask_one(&command?)?))
    }
}

/// A module on its way to every node.
struct Registration {
    command: String,
    module: Module,
}

impl Registration {
    fn new(name: &str, source: &str) -> Result<Self> {
        let name = file_name(name)?.to_owned();
        if source.is_empty() || source.len() > LONGEST {
            return Err(Error::invalid(format!(
                "source must have from 1 to {LONGEST} bytes, not {}",
                source.len()
            )));
        }
        let content = STANDARD.encode(source);
        let length = content.len();
        let command =
            format!("udf-put:filename={name};content={content};content-len={length};udf-type=LUA;");
        // What servers keep of it, which is what they hash.
        let kept = format!(r#"{{"content64": "{content}", "type": "LUA", "name": "{name}"}}"#);
        let hash = Sha1::digest(kept.as_bytes());
        let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
        let hash = hash.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect();
        Ok(Self { command, module: Module { name, hash } })
    }
}

fn file_name(name: &str) -> Result<&str> {
    let parts = name.rsplit_once('.');
    let odd = |sign| matches!(sign, ';' | ':' | '=' | ',' | '/' | '\\' | '"' | '\n');
    match parts {
        Some((stem, ending)) if !stem.is_empty() && !ending.is_empty() && !name.contains(odd) => {
            Ok(name)
        }
        _ => Err(Error::invalid(format!(
            "a module is named like a file, such as \"counters.lua\", not {name:?}"
        ))),
    }
}

fn listed(answer: &str) -> impl Iterator<Item = Module> {
    answer.split(';').filter(|entry| !entry.is_empty()).map(|entry| {
        let part = |name| field(entry, ',', name).unwrap_or_default().to_owned();
        Module { name: part("filename"), hash: part("hash") }
    })
}

/// An answer that says `error=` is one.
fn check(answer: &str) -> Result<()> {
    let part = |name| field(answer, ';', name);
    let Some(error) = part("error") else { return Ok(()) };
    let Some(said) = part("message") else {
        let code = Kind::Server(ResultCode::PARAMETER);
        return Err(Error::new(code, error.replace('_', " ")));
    };
    let said = STANDARD.decode(said).unwrap_or_default();
    let message = format!(
        "{}:{}: {}",
        part("file").unwrap_or("?"),
        part("line").unwrap_or("?"),
        String::from_utf8_lossy(&said)
    );
    Err(Error::new(Kind::Server(ResultCode::UDF), message))
}

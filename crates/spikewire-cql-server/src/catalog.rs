//! Keyspaces, tables and prepared statements, shared by all connections.

use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use spikewire_cql::response::ServerError;
use spikewire_cql::response::error::{Code, Details};
use spikewire_cql::response::schema::{Change, SchemaChange, Target};
use spikewire_cql::value::Value;
use spikewire_sync::RwLock;

use crate::shards::Shards;
use crate::statement::{Prepared, id_of, insert, select};
use crate::system::{self, Facts};
use crate::table::Table;
use crate::text::{CreateTable, Name, Statement};

/// The result of reading a statement.
pub(crate) enum Read {
    /// A statement to execute.
    Prepared(Arc<Prepared>),
    /// A schema change that was made, if it changed anything.
    Changed(Option<SchemaChange>),
    /// The new keyspace of the connection.
    Use(String),
}

/// Keyspaces, tables and prepared statements.
pub(crate) struct Catalog {
    address: SocketAddr,
    /// Number of rows in replies with more than one.
    rows: usize,
    shards: Option<Shards>,
    system: Vec<Arc<Table>>,
    state: RwLock<State>,
    schema_version: AtomicU64,
    served: AtomicU64,
}

#[derive(Default)]
struct State {
    keyspaces: BTreeMap<String, BTreeMap<String, Arc<Table>>>,
    prepared: HashMap<[u8; 16], Arc<Prepared>>,
}

/// The error for an invalid statement.
pub(crate) fn invalid(message: impl Into<String>) -> ServerError {
    error(Code::Invalid, message)
}

/// An error without details.
pub(crate) fn error(code: Code, message: impl Into<String>) -> ServerError {
    ServerError { code, message: message.into(), details: Details::None }
}

impl Catalog {
    /// An empty catalog of a node at this address.
    pub(crate) fn new(address: SocketAddr, rows: usize, shards: Option<Shards>) -> Self {
        Self {
            address,
            rows,
            shards,
            system: system::tables(),
            state: RwLock::default(),
            schema_version: AtomicU64::new(1),
            served: AtomicU64::new(0),
        }
    }

    /// Its shards, if it has any.
    pub(crate) fn shards(&self) -> Option<&Shards> {
        self.shards.as_ref()
    }

    /// The schema version, which changes with each schema change.
    pub(crate) fn schema_version(&self) -> u64 {
        self.schema_version.load(Ordering::Acquire)
    }

    /// Adds to the number of statements executed on user tables.
    pub(crate) fn count(&self, statements: u64) {
        self.served.fetch_add(statements, Ordering::Relaxed);
    }

    /// Number of statements executed on user tables.
    pub(crate) fn served(&self) -> u64 {
        self.served.load(Ordering::Relaxed)
    }

    /// Reads a statement, and makes the schema changes in it.
    pub(crate) fn read(&self, text: &str, keyspace: Option<&str>) -> Result<Read, ServerError> {
        let statement = crate::text::parse(text).map_err(|why| error(Code::Syntax, why))?;
        match statement {
            Statement::Use(name) => {
                self.check_keyspace(&name)?;
                Ok(Read::Use(name))
            }
            Statement::CreateKeyspace { name, if_not_exists } => {
                self.create_keyspace(name, if_not_exists)
            }
            Statement::CreateTable(create) => self.create_table(create, keyspace),
            Statement::DropKeyspace { name, if_exists } => self.drop_keyspace(name, if_exists),
            Statement::DropTable { name, if_exists } => self.drop_table(&name, keyspace, if_exists),
            Statement::Truncate(name) => {
                self.table(&name, keyspace)?;
                Ok(Read::Changed(None))
            }
            Statement::Select(statement) => {
                let table = self.table(&statement.from, keyspace)?;
                let read = select(table, &statement, self.rows).map_err(invalid)?;
                Ok(Read::Prepared(Arc::new(read)))
            }
            Statement::Insert { into, columns, using } => {
                let table = self.table(&into, keyspace)?;
                let read = insert(table, &columns, &using).map_err(invalid)?;
                Ok(Read::Prepared(Arc::new(read)))
            }
        }
    }

    /// Prepares a statement. The id is the same for the same text in the same keyspace.
    pub(crate) fn prepare(
        &self,
        text: &str,
        keyspace: Option<&str>,
    ) -> Result<([u8; 16], Arc<Prepared>), ServerError> {
        let id = id_of(format!("{} {text}", keyspace.unwrap_or_default()).as_bytes());
        if let Some(known) = self.prepared(&id) {
            return Ok((id, known));
        }
        match self.read(text, keyspace)? {
            Read::Prepared(prepared) => {
                self.state.write().prepared.insert(id, prepared.clone());
                Ok((id, prepared))
            }
            _ => Err(invalid("only SELECT and INSERT are prepared here")),
        }
    }

    /// The prepared statement with this id.
    pub(crate) fn prepared(&self, id: &[u8]) -> Option<Arc<Prepared>> {
        self.state.read().prepared.get(id).cloned()
    }

    /// All rows of a system table.
    pub(crate) fn system_rows(&self, table: &Table) -> Vec<Vec<Value>> {
        let state = self.state.read();
        let tables = state.keyspaces.values().flat_map(BTreeMap::values);
        let facts = Facts {
            address: self.address,
            schema_version: self.schema_version(),
            keyspaces: state.keyspaces.keys().map(String::as_str).collect(),
            tables: tables.map(|table| &**table).collect(),
            served: self.served(),
        };
        system::rows(table, &facts)
    }

    fn table(&self, name: &Name, keyspace: Option<&str>) -> Result<Arc<Table>, ServerError> {
        let keyspace = resolve(name, keyspace)?;
        let is_it = |one: &&Arc<Table>| *one.keyspace == *keyspace && *one.name == *name.table;
        if let Some(table) = self.system.iter().find(is_it) {
            return Ok(table.clone());
        }
        let state = self.state.read();
        let tables = state.keyspaces.get(keyspace);
        let table = tables.and_then(|tables| tables.get(&name.table)).cloned();
        table.ok_or_else(|| match tables {
            Some(_) => invalid(format!("table {} does not exist", name.table)),
            None => invalid(format!("keyspace {keyspace} does not exist")),
        })
    }

    fn check_keyspace(&self, name: &str) -> Result<(), ServerError> {
        let is_system = self.system.iter().any(|table| *table.keyspace == *name);
        if is_system || self.state.read().keyspaces.contains_key(name) {
            return Ok(());
        }
        Err(invalid(format!("Keyspace '{name}' does not exist")))
    }

    fn changed(&self, change: Change, keyspace: &str, target: Target) -> Read {
        self.schema_version.fetch_add(1, Ordering::AcqRel);
        Read::Changed(Some(SchemaChange { change, keyspace: keyspace.to_owned(), target }))
    }

    fn create_keyspace(&self, name: String, if_not_exists: bool) -> Result<Read, ServerError> {
        let keyspaces = &mut self.state.write().keyspaces;
        if keyspaces.contains_key(&name) {
            return exists(if_not_exists, &name, "");
        }
        keyspaces.insert(name.clone(), BTreeMap::new());
        Ok(self.changed(Change::Created, &name, Target::Keyspace))
    }

    fn create_table(
        &self,
        create: CreateTable,
        keyspace: Option<&str>,
    ) -> Result<Read, ServerError> {
        let keyspace = resolve(&create.name, keyspace)?.to_owned();
        let (name, if_not_exists) = (create.name.table.clone(), create.if_not_exists);
        let tables = &mut self.state.write().keyspaces;
        let Some(tables) = tables.get_mut(&keyspace) else {
            return Err(invalid(format!("keyspace {keyspace} does not exist")));
        };
        if tables.contains_key(&name) {
            return exists(if_not_exists, &keyspace, &name);
        }
        let table = Table::created(&keyspace, create).map_err(invalid)?;
        tables.insert(name.clone(), Arc::new(table));
        Ok(self.changed(Change::Created, &keyspace, Target::Table(name)))
    }

    fn drop_keyspace(&self, name: String, if_exists: bool) -> Result<Read, ServerError> {
        let mut state = self.state.write();
        if state.keyspaces.remove(&name).is_none() {
            return missing(if_exists, &name);
        }
        state.prepared.retain(|_, prepared| *prepared.table.keyspace != *name);
        Ok(self.changed(Change::Dropped, &name, Target::Keyspace))
    }

    fn drop_table(
        &self,
        name: &Name,
        keyspace: Option<&str>,
        if_exists: bool,
    ) -> Result<Read, ServerError> {
        let keyspace = resolve(name, keyspace)?;
        let mut state = self.state.write();
        let tables = state.keyspaces.get_mut(keyspace);
        let Some(dropped) = tables.and_then(|tables| tables.remove(&name.table)) else {
            return missing(if_exists, &name.table);
        };
        state.prepared.retain(|_, prepared| !Arc::ptr_eq(&prepared.table, &dropped));
        Ok(self.changed(Change::Dropped, keyspace, Target::Table(name.table.clone())))
    }
}

fn resolve<'a>(name: &'a Name, keyspace: Option<&'a str>) -> Result<&'a str, ServerError> {
    let keyspace = name.keyspace.as_deref().or(keyspace);
    keyspace.ok_or_else(|| invalid("No keyspace has been specified"))
}

fn exists(is_fine: bool, keyspace: &str, table: &str) -> Result<Read, ServerError> {
    if is_fine {
        return Ok(Read::Changed(None));
    }
    let message = format!("Cannot add already existing {keyspace} {table}");
    let (keyspace, table) = (keyspace.to_owned(), table.to_owned());
    Err(ServerError {
        code: Code::AlreadyExists,
        message,
        details: Details::AlreadyExists { keyspace, table },
    })
}

fn missing(is_fine: bool, name: &str) -> Result<Read, ServerError> {
    if is_fine { Ok(Read::Changed(None)) } else { Err(invalid(format!("{name} does not exist"))) }
}

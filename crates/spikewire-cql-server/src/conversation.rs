//! A connection without its socket: bytes in, replies out.

use std::collections::HashMap;
use std::sync::Arc;

use spikewire_cql::dialect::Extensions;
use spikewire_cql::envelope::{Header, Prefix, UnsealResult};
use spikewire_cql::notation::{Malformed, Reader, Result as ReadResult};
use spikewire_cql::request::batch;
use spikewire_cql::request::statement::{Execute, Prepare, Query};
use spikewire_cql::request::{Message as RequestMessage, Parameters, Request, Values};
use spikewire_cql::response::error::{Code, Details};
use spikewire_cql::response::rows::Cells;
use spikewire_cql::response::{
    Message, Prepared as PreparedReply, QueryResult, Response, Rows, ServerError, Supported,
};
use spikewire_cql::sealing::Sealing;
use spikewire_cql::tablet::Tablet;
use spikewire_cql::version::Version;

use crate::canned::put;
use crate::catalog::{Catalog, Read, error, invalid};
use crate::shards::Shards;
use crate::statement::{Answer, Prepared};

/// A connection: its negotiated protocol and its prepared statements.
pub(crate) struct Conversation {
    catalog: Arc<Catalog>,
    /// The shard that it leads to.
    shard: Option<u16>,
    sealing: Sealing,
    /// The version of the STARTUP; `None` before it.
    version: Option<Version>,
    /// The extensions that its client has taken.
    extensions: Extensions,
    /// The tablet to name in the next reply.
    tablet: Option<Tablet>,
    keyspace: Option<String>,
    /// Prepared statements that were looked up, valid for `schema_version`.
    known: HashMap<[u8; 16], Arc<Prepared>>,
    schema_version: u64,
    plain: Vec<u8>,
    cells: Vec<u8>,
    /// Where the replies begin that are not sealed yet.
    unsealed: usize,
}

impl Conversation {
    pub(crate) fn new(catalog: Arc<Catalog>, shard: Option<u16>) -> Self {
        Self {
            schema_version: catalog.schema_version(),
            catalog,
            shard,
            sealing: Sealing::Bare,
            version: None,
            extensions: Extensions::default(),
            tablet: None,
            keyspace: None,
            known: HashMap::new(),
            plain: Vec::new(),
            cells: Vec::new(),
            unsealed: 0,
        }
    }

    /// Takes the envelope or segment at the beginning of `sealed`, once it is complete, and appends
    /// the replies to its contents. Returns its length; `None` if it is incomplete. After an error
    /// the connection must be closed.
    pub(crate) fn take(
        &mut self,
        sealed: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<Option<usize>, Malformed> {
        self.unsealed = out.len();
        let opened = self.open(sealed, out);
        if let Err(malformed) = &opened {
            let rejection = error(Code::Protocol, malformed.to_string());
            self.reply(out, 0, Message::Error(rejection));
        }
        self.seal(out);
        opened
    }

    fn open(&mut self, sealed: &[u8], out: &mut Vec<u8>) -> ReadResult<Option<usize>> {
        let mut plain = std::mem::take(&mut self.plain);
        let opened = self.sealing.open(sealed, &mut plain)?;
        let mut at = 0;
        while let Some(header) = Header::read(&plain[at..])? {
            let Some(envelope) = plain.get(at..at + header.envelope_len()) else { break };
            self.answer(&header, &envelope[spikewire_cql::envelope::HEADER_LEN..], out);
            at += header.envelope_len();
        }
        plain.drain(..at);
        self.plain = plain;
        Ok(match opened {
            UnsealResult::Took(len) => Some(len),
            UnsealResult::Awaits(_) => None,
        })
    }

    fn seal(&mut self, out: &mut Vec<u8>) {
        self.sealing.seal(out, self.unsealed);
        self.unsealed = out.len();
    }

    fn reply(&self, out: &mut Vec<u8>, stream: i16, message: Message<'_>) {
        let version = self.version.unwrap_or(Version::V5);
        let tablet = self.tablet.as_ref().map(Tablet::to_payload);
        let payload = tablet.iter().map(|(name, bytes)| (*name, Some(&bytes[..]))).collect();
        let response = Response { prefix: Prefix { payload, ..Prefix::default() }, message };
        let dialect = self.extensions.dialect(version);
        if let Err(too_long) = response.write(out, dialect, stream) {
            let message = Message::Error(error(Code::Server, too_long.to_string()));
            let response = Response { prefix: Prefix::default(), message };
            // It is short, so it cannot fail.
            let _ = response.write(out, version, stream);
        }
    }

    fn answer(&mut self, header: &Header, body: &[u8], out: &mut Vec<u8>) {
        let stream = header.stream;
        let known = Version::from_number(header.version);
        let speaks = |version: &Version| self.versions().len() > 1 || *version == Version::V4;
        let Some(version) = known.filter(speaks) else {
            let message = format!(
                "Invalid or unsupported protocol version ({}); supported versions are ({})",
                header.version,
                self.versions().join(", ")
            );
            return self.reply(out, stream, Message::Error(error(Code::Protocol, message)));
        };
        if self.version.is_some_and(|agreed| agreed != version) {
            let rejection = error(Code::Protocol, "Invalid message version");
            return self.reply(out, stream, Message::Error(rejection));
        }
        let request = match Request::parse_with(header, body, &self.extensions) {
            Ok(request) => request,
            Err(malformed) => {
                let rejection = error(Code::Protocol, malformed.to_string());
                return self.reply(out, stream, Message::Error(rejection));
            }
        };
        let done = match request.message {
            RequestMessage::Options => self.options(out, version, stream),
            RequestMessage::Startup(options) => self.startup(&options, version, out, stream),
            _ if self.version.is_none() => Err(error(Code::Protocol, "a request before STARTUP")),
            RequestMessage::AuthResponse(_) => {
                Err(error(Code::Protocol, "no password was asked for"))
            }
            RequestMessage::Register(_) => {
                self.reply(out, stream, Message::Ready);
                Ok(())
            }
            RequestMessage::Query(query) => self.query(&query, out, stream),
            RequestMessage::Prepare(prepare) => self.prepare(&prepare, out, stream),
            RequestMessage::Execute(execute) => self.execute(&execute, out, stream),
            RequestMessage::Batch(batch) => self.batch(&batch, out, stream),
        };
        if let Err(rejection) = done {
            self.reply(out, stream, Message::Error(rejection));
        }
    }

    fn options(&self, out: &mut Vec<u8>, version: Version, stream: i16) -> Result<(), ServerError> {
        let of_shards = self.catalog.shards().zip(self.shard);
        let of_shards = of_shards.map_or_else(Vec::new, |(shards, shard)| shards.options(shard));
        let mut options = vec![
            ("CQL_VERSION", vec!["3.4.7"]),
            ("COMPRESSION", vec!["lz4"]),
            ("PROTOCOL_VERSIONS", self.versions()),
        ];
        options.extend(of_shards.iter().map(|(key, value)| (key.as_str(), vec![value.as_str()])));
        let message = Message::Supported(Supported(options));
        let response = Response { prefix: Prefix::default(), message };
        let written = response.write(out, version, stream);
        written.map_err(|too_long| error(Code::Server, too_long.to_string()))
    }

    /// The versions that it speaks: Scylla has no other than 4.
    fn versions(&self) -> Vec<&'static str> {
        if self.offered() == Extensions::default() { vec!["4/v4", "5/v5"] } else { vec!["4/v4"] }
    }

    fn offered(&self) -> Extensions {
        self.catalog.shards().map(Shards::extensions).unwrap_or_default()
    }

    /// Negotiates version and compression. The reply is still sealed as before.
    fn startup(
        &mut self,
        options: &[(&str, &str)],
        version: Version,
        out: &mut Vec<u8>,
        stream: i16,
    ) -> Result<(), ServerError> {
        if self.version.is_some() {
            return Err(error(Code::Protocol, "a second STARTUP"));
        }
        let mut compression =
            options.iter().filter(|(key, _)| key.eq_ignore_ascii_case("COMPRESSION"));
        let lz4 = match compression.next() {
            None => false,
            Some((_, name)) if name.eq_ignore_ascii_case("lz4") => true,
            Some((_, name)) => {
                return Err(error(
                    Code::Protocol,
                    format!("Unknown compression algorithm: {name}"),
                ));
            }
        };
        self.version = Some(version);
        self.extensions = self.offered().in_startup(options);
        self.sealing = Sealing::during_startup(version, lz4);
        self.reply(out, stream, Message::Ready);
        self.seal(out);
        self.sealing = Sealing::after_startup(version, lz4);
        Ok(())
    }

    fn query(
        &mut self,
        query: &Query<'_>,
        out: &mut Vec<u8>,
        stream: i16,
    ) -> Result<(), ServerError> {
        let keyspace = query.parameters.keyspace.or(self.keyspace.as_deref());
        match self.catalog.read(query.text, keyspace)? {
            Read::Prepared(prepared) => {
                let parameters = Parameters { skip_metadata: false, ..query.parameters };
                self.run(&prepared, None, &query.values, &parameters, out, stream)
            }
            Read::Changed(change) => {
                let result = change.map_or(QueryResult::Void, QueryResult::SchemaChange);
                self.reply(out, stream, Message::Result(result));
                Ok(())
            }
            Read::Use(name) => {
                self.reply(out, stream, Message::Result(QueryResult::SetKeyspace(&name)));
                self.keyspace = Some(name);
                Ok(())
            }
        }
    }

    fn prepare(
        &mut self,
        prepare: &Prepare<'_>,
        out: &mut Vec<u8>,
        stream: i16,
    ) -> Result<(), ServerError> {
        let keyspace = prepare.keyspace.or(self.keyspace.as_deref());
        let (id, prepared) = self.catalog.prepare(prepare.text, keyspace)?;
        let reply = PreparedReply {
            id: &id,
            metadata_id: &prepared.metadata_id,
            flags: 0,
            markers: prepared.markers.clone(),
            partition_key: prepared.partition_key.clone(),
            result: prepared.result.clone(),
        };
        self.reply(out, stream, Message::Result(QueryResult::Prepared(reply)));
        Ok(())
    }

    /// The prepared statement with this id, or the error if there is none.
    fn prepared(&mut self, id: &[u8]) -> Result<Arc<Prepared>, ServerError> {
        let version = self.catalog.schema_version();
        if version != self.schema_version {
            self.schema_version = version;
            self.known.clear();
        }
        if let Some(known) = self.known.get(id) {
            return Ok(known.clone());
        }
        let Some(prepared) = self.catalog.prepared(id) else {
            return Err(ServerError {
                code: Code::Unprepared,
                message: "a prepared statement that is not known here".to_owned(),
                details: Details::Unprepared(id.to_vec()),
            });
        };
        if let Ok(id) = <[u8; 16]>::try_from(id) {
            self.known.insert(id, prepared.clone());
        }
        Ok(prepared)
    }

    fn execute(
        &mut self,
        execute: &Execute<'_>,
        out: &mut Vec<u8>,
        stream: i16,
    ) -> Result<(), ServerError> {
        let prepared = self.prepared(execute.id)?;
        if let (Some(shards), Some(shard)) = (self.catalog.shards(), self.shard)
            && let Some(token) = prepared.token(&execute.values).map_err(invalid)?
        {
            shards.count(shard, token);
            shards.check_limit(matches!(prepared.answer, Answer::Done), &self.extensions)?;
            self.tablet = shards.tablet_for(shard, token, &self.extensions, execute.tablet_block);
        }
        let has_ids = self.extensions.metadata_id || self.version == Some(Version::V5);
        let known = has_ids.then_some(execute.metadata_id);
        let ran = self.run(&prepared, known, &execute.values, &execute.parameters, out, stream);
        self.tablet = None;
        ran
    }

    /// `known` is the id of the result metadata that a client has, if it sends ids.
    fn run(
        &mut self,
        prepared: &Prepared,
        known: Option<&[u8]>,
        values: &Values<'_>,
        parameters: &Parameters<'_>,
        out: &mut Vec<u8>,
        stream: i16,
    ) -> Result<(), ServerError> {
        let (Some(metadata), false) = (&prepared.result, matches!(prepared.answer, Answer::Done))
        else {
            prepared.check(values).map_err(invalid)?;
            self.catalog.count(1);
            self.reply(out, stream, Message::Result(QueryResult::Void));
            return Ok(());
        };
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        let mut next_page = None;
        let (count, cells_sent) = match &prepared.answer {
            Answer::Done => (0, &cells[..]),
            Answer::Row(row) => {
                let bound = prepared.bound(values).map_err(invalid)?;
                row.iter().for_each(|cell| cells.extend_from_slice(cell.bytes(&bound)));
                (1, &cells[..])
            }
            Answer::Page(page) => {
                prepared.check(values).map_err(invalid)?;
                let from = page_start(parameters)?.min(page.rows());
                let size = parameters.page_size.and_then(|size| usize::try_from(size).ok());
                let to =
                    size.map_or(page.rows(), |size| page.rows().min(from.saturating_add(size)));
                next_page = (to < page.rows()).then(|| (to as u32).to_be_bytes());
                (to - from, page.cells(from, to))
            }
            Answer::System { columns, filters } => {
                let bound = prepared.bound(values).map_err(invalid)?;
                let count = self.system_rows(prepared, columns, filters, &bound, &mut cells)?;
                (count, &cells[..])
            }
        };
        if !prepared.table.is_system {
            self.catalog.count(1);
        }
        let changed = known.is_some_and(|known| *known != prepared.metadata_id);
        let skipped = parameters.skip_metadata && !changed;
        let rows = Rows {
            paging_state: next_page.as_ref().map(|state| &state[..]),
            metadata_id: changed.then_some(&prepared.metadata_id[..]),
            metadata: (!skipped).then(|| metadata.clone()),
            columns: metadata.columns.len(),
            count,
            cells: Cells(Reader(cells_sent)),
        };
        self.reply(out, stream, Message::Result(QueryResult::Rows(rows)));
        self.cells = cells;
        Ok(())
    }

    fn system_rows(
        &self,
        prepared: &Prepared,
        columns: &[usize],
        filters: &[(usize, crate::statement::Cell)],
        bound: &[&[u8]],
        cells: &mut Vec<u8>,
    ) -> Result<usize, ServerError> {
        let table = &prepared.table;
        let mut count = 0;
        let mut cell = Vec::new();
        for row in self.catalog.system_rows(table) {
            let mut matches = true;
            for (column, filter) in filters {
                cell.clear();
                put(&table.columns[*column].0.ty, &row[*column], &mut cell).map_err(invalid)?;
                matches &= cell == filter.bytes(bound);
            }
            if matches {
                count += 1;
                for column in columns {
                    put(&table.columns[*column].0.ty, &row[*column], cells).map_err(invalid)?;
                }
            }
        }
        Ok(count)
    }

    fn batch(
        &mut self,
        batch: &batch::Batch<'_>,
        out: &mut Vec<u8>,
        stream: i16,
    ) -> Result<(), ServerError> {
        for (statement, values) in &batch.statements {
            let prepared = match statement {
                batch::Statement::Prepared(id) => self.prepared(id)?,
                batch::Statement::Text(text) => {
                    match self.catalog.read(text, self.keyspace.as_deref())? {
                        Read::Prepared(prepared) => prepared,
                        _ => return Err(invalid("a batch can only have writes")),
                    }
                }
            };
            if !matches!(prepared.answer, Answer::Done) {
                return Err(invalid("a batch can only have writes"));
            }
            prepared.check(values).map_err(invalid)?;
        }
        self.catalog.count(batch.statements.len() as u64);
        self.reply(out, stream, Message::Result(QueryResult::Void));
        Ok(())
    }
}

/// The row at which a page begins.
fn page_start(parameters: &Parameters<'_>) -> Result<usize, ServerError> {
    let Some(state) = parameters.paging_state else { return Ok(0) };
    let state = <[u8; 4]>::try_from(state);
    let start = state.map_err(|_| error(Code::Protocol, "Invalid value for the paging state"))?;
    Ok(u32::from_be_bytes(start) as usize)
}

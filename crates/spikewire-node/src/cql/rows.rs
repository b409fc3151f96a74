//! Results of statements as JavaScript values.

use std::sync::Arc;

use spikewire_cassandra::execution::Answer;
use spikewire_cassandra::statement::Shape;
use spikewire_cql::notation::Reader;
use spikewire_cql::response::rows::Cells;
use spikewire_cql::value::decode;

use super::value::{CqlDecodeOptions, CqlDecoder, uuid_text};
use crate::environment::Environment;
use crate::environment::columns::{Columns, WIDEST};
use crate::js::scope::inner_with;
use crate::js::{Env, Result, Value};

/// The rows of one reply.
#[derive(Debug)]
pub struct Page {
    /// Their columns, which may change from page to page.
    pub shape: Arc<Shape>,
    /// Their cells.
    pub cells: Vec<u8>,
    /// The number of rows.
    pub count: usize,
}

/// Information about a result besides its rows.
#[derive(Debug, Default)]
pub struct ResponseMeta {
    node: String,
    attempts: u32,
    agreed: bool,
    warnings: Vec<String>,
    tracing_ids: Vec<[u8; 16]>,
    payload: Vec<(String, Option<Vec<u8>>)>,
}

impl ResponseMeta {
    /// Adds the information of another reply.
    pub fn add(&mut self, answer: &Answer<'_>) {
        self.node = answer.node.to_string();
        self.attempts += answer.attempts.count;
        self.agreed = answer.agreed;
        let prefix = &answer.prefix;
        self.warnings.extend(prefix.warnings.iter().map(|warning| (*warning).to_owned()));
        self.tracing_ids.extend(prefix.tracing_id);
        for (name, bytes) in &prefix.payload {
            self.payload.push(((*name).to_owned(), bytes.map(<[u8]>::to_vec)));
        }
    }

    /// Warnings, trace ids, and the payload as names and bytes, alternating; `null` if all are
    /// empty.
    fn extras<'e>(&self, env: Env<'e>) -> Result<Value<'e>> {
        if self.warnings.is_empty() && self.tracing_ids.is_empty() && self.payload.is_empty() {
            return env.null();
        }
        let payload = env.array(0)?;
        for (at, (name, bytes)) in self.payload.iter().enumerate() {
            let bytes = bytes.as_ref().map_or_else(|| env.null(), |bytes| env.buffer(bytes))?;
            payload.set_element(2 * at as u32, env.string(name)?)?;
            payload.set_element(2 * at as u32 + 1, bytes)?;
        }
        let ids = self.tracing_ids.iter().map(|id| env.ascii(&uuid_text(*id)));
        let parts = [
            env.array_of(self.warnings.iter().map(|warning| env.string(warning))),
            env.array_of(ids),
            Ok(payload),
        ];
        env.array_of(parts.into_iter())
    }
}

/// A result whose rows have not been converted yet.
#[derive(Debug)]
pub struct ResultPages {
    /// The columns of the last page.
    pub shape: Option<Arc<Shape>>,
    pub pages: Vec<Page>,
    /// The paging state of the next page.
    pub state: Option<Vec<u8>>,
    pub meta: ResponseMeta,
}

/// The result for JavaScript.
pub fn result<'e>(
    env: Env<'e>,
    environment: &Environment,
    decode_options: CqlDecodeOptions,
    result: &ResultPages,
) -> Result<Value<'e>> {
    let hooks = environment.hooks()?.cql()?;
    let ResultPages { shape, pages, state, meta } = result;
    let rows = env.array(0)?;
    for page in pages {
        let columns = environment.columns.of(env, hooks, &page.shape)?;
        add_rows(env, environment, decode_options, page, &columns, rows)?;
    }
    let object = match shape {
        Some(shape) => environment.columns.of(env, hooks, shape)?.object.get(env)?,
        None => env.null()?,
    };
    let state = state.as_ref().map_or_else(|| env.null(), |state| env.buffer(state))?;
    let arguments = [
        object,
        rows,
        state,
        env.string(&meta.node)?,
        env.uint32(meta.attempts)?,
        env.boolean(meta.agreed)?,
        meta.extras(env)?,
    ];
    hooks.make_rows.call(env, &arguments)
}

/// Makes the rows of a page, several per call.
fn add_rows(
    env: Env<'_>,
    environment: &Environment,
    decode_options: CqlDecodeOptions,
    page: &Page,
    columns: &Columns,
    rows: Value<'_>,
) -> Result<()> {
    let mut cells = Cells(Reader(&page.cells));
    let mut left = page.count;
    while left > 0 {
        let some = if left >= columns.together { columns.together } else { 1 };
        let function = if some > 1 { &columns.many } else { &columns.one };
        let cells = &mut cells;
        inner_with(env, [rows], |env, [rows]| {
            let decoder = CqlDecoder::new(env, environment, decode_options)?;
            let mut arguments = Vec::with_capacity(some * page.shape.columns.len() + 1);
            arguments.push(rows);
            for _ in 0..some {
                for column in &*page.shape.columns {
                    arguments.push(decode(&column.ty, cells.cell()?, &decoder)?);
                }
            }
            if page.shape.columns.len() > WIDEST {
                let values = env.array_of(arguments.drain(1..).map(Ok))?;
                arguments.push(values);
            }
            function.call(env, &arguments).map(drop)
        })?;
        left -= some;
    }
    Ok(())
}

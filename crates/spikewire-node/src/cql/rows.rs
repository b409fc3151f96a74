//! Results of statements as JavaScript values.

use std::sync::Arc;

use smallvec::SmallVec;
use spikewire_cassandra::statement::Shape;
use spikewire_cassandra::statement_job::{self, Extras, ResultPages};
use spikewire_columns::cql::Table;
use spikewire_cql::notation::Reader;
use spikewire_cql::response::rows::Cells;
use spikewire_cql::value::decode;

use super::job::StatementResult;
use super::statement::prepared_object;
use super::value::{CqlDecodeOptions, CqlDecoder, uuid_text};
use crate::environment::Environment;
use crate::environment::columns::{Columns, WIDEST};
use crate::js::scope::{inner, inner_with};
use crate::js::{Env, Failure, Result, Value};
use crate::tables::failure::row_failure;
use crate::tables::stream::stream;

/// The rows of one reply.
type Page = statement_job::Page<Vec<u8>>;

/// The result of a job for JavaScript.
pub fn result<'e>(
    env: Env<'e>,
    environment: &Environment,
    decode_options: CqlDecodeOptions,
    result: &StatementResult,
) -> Result<Value<'e>> {
    match result {
        StatementResult::Prepared(known) => {
            prepared_object(env, environment, known, decode_options.conversion)
        }
        StatementResult::Pages(pages) => pages_result(env, environment, decode_options, pages),
        StatementResult::Success => env.undefined(),
    }
}

fn pages_result<'e>(
    env: Env<'e>,
    environment: &Environment,
    decode_options: CqlDecodeOptions,
    result: &ResultPages<Vec<u8>>,
) -> Result<Value<'e>> {
    let hooks = environment.hooks()?.cql()?;
    let ResultPages { shape, pages, paging_state, meta } = result;
    let rows = env.array(0)?;
    if decode_options.as_stream {
        rows.set_element(0, as_stream(env, shape.as_deref(), pages)?)?;
    }
    let conversion = decode_options.conversion;
    // The columns may change from page to page; those of the last one are the result's.
    let mut last = shape.as_ref();
    for page in pages {
        last = page.other.as_ref().or(shape.as_ref());
        let Some(shape) = last.filter(|_| !decode_options.as_stream) else { continue };
        let columns = environment.columns.of(env, hooks, shape, conversion)?;
        add_rows(env, environment, decode_options, (shape, page), &columns, rows)?;
    }
    let object = match last {
        Some(shape) => environment.columns.of(env, hooks, shape, conversion)?.object.get(env)?,
        None => env.null()?,
    };
    let state = paging_state.as_ref().map_or_else(|| env.null(), |state| env.buffer(state))?;
    let arguments = [
        object,
        rows,
        state,
        env.uint32(environment.node_names.number(env, hooks, meta.node.as_deref())?)?,
        env.uint32(meta.attempts)?,
        env.boolean(meta.schema_agreed)?,
        extras(env, meta.extras.as_deref(), decode_options.sent.map(|sent| (sent, meta.bytes)))?,
    ];
    hooks.make_rows.call(env, &arguments)
}

/// Whether a result can be settled by [`settle_usual`]: no rows or one row, with nothing besides.
pub fn is_usual(result: &ResultPages<Vec<u8>>, decode_options: CqlDecodeOptions) -> bool {
    let ResultPages { shape, pages, paging_state, meta } = result;
    let has_usual_rows = match (shape, pages.as_slice()) {
        (None, []) => true,
        (Some(shape), [page]) => page.count == 1 && shape.columns.len() <= WIDEST,
        _ => false,
    };
    let has_more = paging_state.is_some()
        || meta.extras.is_some()
        || decode_options.as_stream
        || decode_options.sent.is_some();
    has_usual_rows && !has_more && meta.attempts == 1 && meta.schema_agreed
}

/// Settles the promise of a slot with a usual result, in one call of JavaScript or a share of one.
/// If it fails, the promise is not settled.
pub fn settle_usual(
    env: Env<'_>,
    environment: &Environment,
    slot: u32,
    decode_options: CqlDecodeOptions,
    result: &ResultPages<Vec<u8>>,
) -> Result<()> {
    let hooks = environment.hooks()?.cql()?;
    let node = environment.node_names.number(env, hooks, result.meta.node.as_deref())?;
    let (Some(shape), [page]) = (&result.shape, result.pages.as_slice()) else {
        environment.done_by(env, Some(node), slot);
        return Ok(());
    };
    inner(env, |env| {
        let columns = environment.columns.of(env, hooks, shape, decode_options.conversion)?;
        let decoder = CqlDecoder::new(env, environment, decode_options)?;
        let mut cells = Cells(Reader(&page.cells));
        let mut arguments = SmallVec::<[Value<'_>; 10]>::new();
        arguments.push(env.uint32(slot)?);
        arguments.push(env.uint32(node)?);
        for column in &*shape.columns {
            arguments.push(decode(&column.ty, cells.cell()?, &decoder)?);
        }
        columns.alone.call(env, &arguments).map(drop)
    })
}

/// All rows as an Arrow IPC stream.
fn as_stream<'e>(env: Env<'e>, shape: Option<&Shape>, pages: &[Page]) -> Result<Value<'e>> {
    let columns = shape.map_or_else(|| Arc::from([]), |shape| shape.columns.clone());
    let mut table = Table::new(columns, pages.iter().map(|page| page.count).sum());
    for page in pages {
        if page.other.is_some() {
            let message = "the table was changed meanwhile: its pages have different columns";
            return Err(Failure::of_range(message));
        }
        table.append(Cells(Reader(&page.cells)), page.count).map_err(row_failure)?;
    }
    let table = table.finish().map_err(|error| Failure::of_range(error.to_string()))?;
    stream(env, &table)
}

/// Makes the rows of a page, several per call.
fn add_rows(
    env: Env<'_>,
    environment: &Environment,
    decode_options: CqlDecodeOptions,
    (shape, page): (&Shape, &Page),
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
            let mut arguments = Vec::with_capacity(some * shape.columns.len() + 1);
            arguments.push(rows);
            for _ in 0..some {
                for column in &*shape.columns {
                    arguments.push(decode(&column.ty, cells.cell()?, &decoder)?);
                }
            }
            if shape.columns.len() > WIDEST {
                let values = env.array_of(arguments.drain(1..).map(Ok))?;
                arguments.push(values);
            }
            function.call(env, &arguments).map(drop)
        })?;
        left -= some;
    }
    Ok(())
}

/// Warnings, ids of traces, the payload as names and bytes, alternating, and the lengths of the
/// request and its replies if they are to be told; `null` if there are none.
fn extras<'e>(
    env: Env<'e>,
    extras: Option<&Extras>,
    lengths: Option<(u32, usize)>,
) -> Result<Value<'e>> {
    let none = Extras::default();
    let Some(extras) = extras.or_else(|| lengths.is_some().then_some(&none)) else {
        return env.null();
    };
    let Extras { warnings, tracing_ids, payload: entries } = extras;
    let payload = env.array(0)?;
    for (at, (name, bytes)) in entries.iter().enumerate() {
        let bytes = bytes.as_ref().map_or_else(|| env.null(), |bytes| env.buffer(bytes))?;
        payload.set_element(2 * at as u32, env.string(name)?)?;
        payload.set_element(2 * at as u32 + 1, bytes)?;
    }
    let ids = tracing_ids.iter().map(|id| env.ascii(&uuid_text(*id)));
    let parts = [
        env.array_of(warnings.iter().map(|warning| env.string(warning))),
        env.array_of(ids),
        Ok(payload),
    ];
    let all = env.array_of(parts.into_iter())?;
    if let Some((sent, received)) = lengths {
        let lengths = [env.uint32(sent), env.uint32(received as u32)];
        all.set_element(3, env.array_of(lengths.into_iter())?)?;
    }
    Ok(all)
}

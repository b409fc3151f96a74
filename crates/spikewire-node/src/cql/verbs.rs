//! The verbs of sessions; their first arguments are `(session, slot, ...)`.

use std::rc::Rc;
use std::sync::Arc;

use spikewire_cassandra::many::{self, ManyOptions};
use spikewire_cassandra::statement::{Prepared, StatementOptions};
use spikewire_cassandra::statement_job::{BatchEntry, Goal, ParameterEncoder as _};
use spikewire_cql::request::BatchKind;

use super::job::{NodeHost, Source, Statement, StatementJob, Values};
use super::session::Session;
use super::statement::{BoundStatement, is_set, options, read_statement};
use super::value::CqlDecodeOptions;
use crate::arguments::{OptionArgument, flag, text};
use crate::binding::Call;
use crate::errors::{describe, kind_name};
use crate::hooks::cql::Hooks;
use crate::js::{Failure, Result, Type, Value};

fn hooks<'a>(call: &'a Call<'_>) -> Result<&'a Hooks> {
    call.host.environment.hooks()?.cql()
}

/// Starts a job that settles the promise of a slot.
#[inline]
pub fn run(
    call: &Call<'_>,
    session: &Session,
    (goal, statement): (Goal, Statement),
    values: Option<Values<'_>>,
    options: Option<Box<StatementOptions>>,
) -> Result<()> {
    run_as(call, session, session.decode_options, (goal, statement), values, options)
}

/// Starts a job whose result has a form of its own.
fn run_as(
    call: &Call<'_>,
    session: &Session,
    decode_options: CqlDecodeOptions,
    (goal, statement): (Goal, Statement),
    values: Option<Values<'_>>,
    options: Option<Box<StatementOptions>>,
) -> Result<()> {
    let engine = &session.engine;
    let started = StatementJob::start((NodeHost, ()), engine, goal, statement, values, options)?;
    session.run(call, call.index(1)?, decode_options, started);
    Ok(())
}

/// All rows, or one page of them, as objects or as an Arrow IPC stream.
fn goal(call: &Call<'_>, session: &Session) -> Result<(Goal, CqlDecodeOptions)> {
    let (form, decode_options) = (call.argument(2), session.decode_options);
    let as_stream = CqlDecodeOptions { as_stream: true, ..decode_options };
    if form.kind() == Type::String {
        return match text("page", form)?.as_str() {
            "arrow" => Ok((Goal::All, as_stream)),
            _ => Ok((Goal::Page, as_stream)),
        };
    }
    Ok((if is_set("page", form)? { Goal::Page } else { Goal::All }, decode_options))
}

/// `cqlExecute(session, slot, page, statement, options, array, ...values)`: executes a statement
/// and returns all rows, or one page of them; if `page` is `"arrow"` or `"arrowPage"`, as an Arrow IPC
/// stream in the place of the rows. The statement is text, or the number of a prepared
/// one. Values are in the array or, if that is `undefined`, in the remaining arguments.
pub fn execute<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let session = Session::of(call)?;
    let (goal, decode_options) = goal(call, &session)?;
    let statement = read_statement(&call.host.environment, call.argument(3))?;
    let options = options(&session.engine, call.argument(4))?;
    let values = match &statement {
        Statement::Prepared(_) => {
            let source = match call.argument(5).present() {
                None => Source::Arguments(call, 6),
                Some(array) => Source::Elements(array, 0, array.len()?),
            };
            Some(Values { hooks: hooks(call)?, source })
        }
        _ => None,
    };
    run_as(call, &session, decode_options, (goal, statement), values, options)?;
    Ok(None)
}

/// `cqlHowMany(concurrency, errors, results, deadline)`: validates the options of `executeMany`; returns
/// whether errors are returned among the results.
pub fn how_many<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (rows, errors) = (call.argument(0), text("errors", call.argument(1))?);
    let results = flag("results", call.argument(2))?;
    let Some(number) = rows.number() else {
        return Err(Failure::of_type(format!(
            "concurrency must be a number, not {}",
            kind_name(rows)
        )));
    };
    let whole = (number.fract() == 0.0 && number >= 0.0).then_some(number as usize);
    let how =
        ManyOptions::read(whole, &describe(rows), &errors, results).map_err(Failure::of_range)?;
    many::deadline(&OptionArgument(call.argument(3)), results)?;
    call.env.boolean(how.returns_errors).map(Some)
}

/// `cqlBind(statement, array)`: binds a prepared statement; returns the number of the bound one.
pub fn bind_values<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let environment = &call.host.environment;
    let Statement::Prepared(known) = read_statement(environment, call.argument(0))? else {
        return Err(Failure::of_type("only prepared statements are bound"));
    };
    let (array, known, mut values) = (call.argument(1), known.latest(), Vec::new());
    let source = Source::Elements(array, 0, array.len()?);
    NodeHost::encode(&known, Some(Values { hooks: hooks(call)?, source }), &mut values)?;
    let bound = BoundStatement { known, values: values.into() };
    call.env.uint32(environment.resources.add(Rc::new(bound))).map(Some)
}

/// `cqlExecuteBound(session, slot, page, bound, options)`: `cqlExecute` for a bound statement.
pub fn execute_bound<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let session = Session::of(call)?;
    let (goal, decode_options) = goal(call, &session)?;
    let bound = BoundStatement::read(&call.host.environment, call.argument(3))?;
    let options = options(&session.engine, call.argument(4))?;
    let statement = Statement::Bound(bound.known.clone(), bound.values.clone());
    run_as(call, &session, decode_options, (goal, statement), None, options)?;
    Ok(None)
}

/// `cqlPrepare(session, slot, text, options)`: prepares a statement.
pub fn prepare<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let session = Session::of(call)?;
    let text = text("a statement", call.argument(2))?;
    let options = options(&session.engine, call.argument(3))?;
    run(call, &session, (Goal::Prepared, Statement::Text(text.into())), None, options)?;
    Ok(None)
}

/// `cqlRenew(session, slot, statement)`: asks a node what a prepared statement is now.
pub fn renew<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let session = Session::of(call)?;
    let statement = read_statement(&call.host.environment, call.argument(2))?;
    if let Statement::Text(_) = statement {
        return Err(Failure::of_type("only prepared statements are renewed"));
    }
    run(call, &session, (Goal::Prepared, statement), None, None)?;
    Ok(None)
}

/// The count for a statement of a batch that is already bound.
const BOUND: u32 = u32::MAX;

/// A statement of a batch.
enum BatchPart {
    Text(Arc<str>),
    Bound(Rc<BoundStatement>),
    /// With the index of its first value, and their number.
    Prepared(Arc<Prepared>, u32, u32),
}

/// `cqlBatch(session, slot, kind, options, statements, counts, values)`: several statements in one
/// request. `counts` has the number of values of each statement, [`BOUND`] for a bound one.
pub fn batch<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (session, slot) = (Session::of(call)?, call.index(1)?);
    let kind = BatchKind::ALL.get(call.index(2)? as usize).copied();
    let kind = kind.ok_or_else(|| Failure::of_range("there is no such kind of batch"))?;
    let options = options(&session.engine, call.argument(3))?.unwrap_or_default();
    let (statements, counts, values) = (call.argument(4), call.argument(5), call.argument(6));
    let (hooks, environment) = (hooks(call)?, &call.host.environment);
    let count = statements.len()?;
    let (mut parts, mut from) = (Vec::with_capacity(count as usize), 0);
    for at in 0..count {
        let (statement, count) = (statements.element(at)?, counts.element(at)?.index()?);
        if count == BOUND {
            parts.push(BatchPart::Bound(BoundStatement::read(environment, statement)?));
            continue;
        }
        match read_statement(environment, statement)? {
            Statement::Prepared(known) => parts.push(BatchPart::Prepared(known, from, count)),
            Statement::Text(text) => parts.push(BatchPart::Text(text)),
            Statement::Bound(..) | Statement::Batch(_) => {}
        }
        from += count;
    }
    let entries = parts.iter().map(|part| match part {
        BatchPart::Text(text) => BatchEntry::Text(text),
        BatchPart::Bound(bound) => BatchEntry::Bound(&bound.known, &bound.values),
        BatchPart::Prepared(known, from, count) => {
            let source = Source::Elements(values, *from, *count);
            BatchEntry::Unbound(known, Values { hooks, source })
        }
    });
    let engine = &session.engine;
    let (job, request) = StatementJob::start_batch(NodeHost, engine, kind, entries, &options)?;
    session.send(call.env, slot, job, request);
    Ok(None)
}

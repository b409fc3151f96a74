//! The verbs of sessions; their first arguments are `(session, slot, ...)`.

use std::rc::Rc;
use std::sync::Arc;

use spikewire_cassandra::many::HowMany;
use spikewire_cassandra::session::Preparation;
use spikewire_cassandra::statement::{BatchBuilder, Prepared, StatementOptions};
use spikewire_cql::request::{BatchKind, values_with};

use super::bind::bind;
use super::job::{Goal, StatementJob};
use super::session::Session;
use super::statement::{BoundStatement, Statement, is_set, options, prepared_object};
use crate::arguments::{flag, text};
use crate::binding::Call;
use crate::errors::{describe, kind_name};
use crate::hooks::cql::Hooks;
use crate::js::{Failure, Result, Value};

fn hooks<'a>(call: &'a Call<'_>) -> Result<&'a Hooks> {
    call.host.environment.hooks()?.cql()
}

/// `cqlExecute(session, slot, page, statement, options, array, ...values)`: executes a statement
/// and returns all rows, or one page of them. The statement is text, or the number of a prepared
/// one. Values are in the array or, if that is `undefined`, in the remaining arguments.
pub fn execute<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (session, slot): (Rc<Session>, _) = (Session::of(call)?, call.index(1)?);
    let goal = if is_set("page", call.argument(2))? { Goal::Page } else { Goal::All };
    let statement = Statement::read(&call.host.environment, call.argument(3))?;
    let options = options(&session.engine, call.argument(4))?;
    let engine = &session.engine;
    let (job, request) = match statement {
        Statement::Text(text) => StatementJob::text(engine, goal, text, options)?,
        Statement::Prepared(known) => {
            let hooks = hooks(call)?;
            StatementJob::prepared(engine, goal, known, options, |known, out| {
                match call.argument(5).present() {
                    None => bind(hooks, known, call.rest(6).map(Ok), out),
                    Some(array) => bind(hooks, known, elements(array, 0, array.len()?), out),
                }
            })?
        }
    };
    session.send(call.env, slot, job, request);
    Ok(None)
}

/// `cqlHowMany(concurrency, errors, results)`: validates the options of `executeMany`; returns
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
    let how = HowMany::read(whole, &describe(rows), &errors, results).map_err(Failure::of_range)?;
    call.env.boolean(how.returns_errors).map(Some)
}

/// `cqlBind(statement, array)`: binds a prepared statement; returns the number of the bound one.
pub fn bind_values<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let environment = &call.host.environment;
    let Statement::Prepared(known) = Statement::read(environment, call.argument(0))? else {
        return Err(Failure::of_type("only prepared statements are bound"));
    };
    let (array, mut values) = (call.argument(1), Vec::new());
    bind(hooks(call)?, &known, elements(array, 0, array.len()?), &mut values)?;
    let number = environment.resources.add(Rc::new(BoundStatement { known, values }));
    call.env.uint32(number).map(Some)
}

/// `cqlExecuteBound(session, slot, page, bound, options)`: `cqlExecute` for a bound statement.
pub fn execute_bound<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (session, slot): (Rc<Session>, _) = (Session::of(call)?, call.index(1)?);
    let goal = if is_set("page", call.argument(2))? { Goal::Page } else { Goal::All };
    let bound = BoundStatement::read(&call.host.environment, call.argument(3))?;
    let options = options(&session.engine, call.argument(4))?;
    // It was renewed if it is stale; otherwise this fails.
    let known = bound.known.for_bound_values()?;
    let (job, request) =
        StatementJob::prepared(&session.engine, goal, known, options, |_, out| {
            out.extend_from_slice(&bound.values);
            Ok(())
        })?;
    session.send(call.env, slot, job, request);
    Ok(None)
}

/// The count for a statement of a batch that is already bound.
const BOUND: u32 = u32::MAX;

/// Some elements of an array.
fn elements(
    array: Value<'_>,
    from: u32,
    count: u32,
) -> impl ExactSizeIterator<Item = Result<Value<'_>>> {
    // Not a range of u32, which is not an ExactSizeIterator on every platform.
    (0..count as usize).map(move |at| array.element(from + at as u32))
}

/// `cqlPrepare(session, slot, text, options)`: prepares a statement.
pub fn prepare<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (session, slot) = (Session::of(call)?, call.index(1)?);
    let text = text("a statement", call.argument(2))?;
    let options = options(&session.engine, call.argument(3))?;
    match session.engine.prepare(&text, &options)? {
        Preparation::Known(known) => {
            let environment = &call.host.environment;
            let object = prepared_object(call.env, environment, &known);
            environment.settle(call.env, slot, object);
        }
        Preparation::Ask(request) => {
            session.send(call.env, slot, StatementJob::new(&session.engine), *request);
        }
    }
    Ok(None)
}

/// `cqlRenew(session, slot, statement)`: what a prepared statement is now: a node is asked, unless
/// another one was since the schema changed.
pub fn renew<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (session, slot) = (Session::of(call)?, call.index(1)?);
    let environment = &call.host.environment;
    let Statement::Prepared(known) = Statement::read(environment, call.argument(2))? else {
        return Err(Failure::of_type("only prepared statements are renewed"));
    };
    let options = StatementOptions::default();
    let renewed = if known.is_stale() {
        session.engine.renew(&known, &options)?
    } else {
        Preparation::Ask(session.engine.prepare_anew(&known, &options)?)
    };
    match renewed {
        Preparation::Known(known) => {
            let object = prepared_object(call.env, environment, &known);
            environment.settle(call.env, slot, object);
        }
        Preparation::Ask(request) => {
            session.send(call.env, slot, StatementJob::new(&session.engine), *request);
        }
    }
    Ok(None)
}

/// `cqlBatch(session, slot, kind, options, statements, counts, values)`: several statements in one
/// request. `counts` has the number of values of each statement, [`BOUND`] for a bound one.
pub fn batch<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (session, slot) = (Session::of(call)?, call.index(1)?);
    let kind = BatchKind::ALL.get(call.index(2)? as usize).copied();
    let kind = kind.ok_or_else(|| Failure::of_range("there is no such kind of batch"))?;
    let options = options(&session.engine, call.argument(3))?;
    let (statements, counts, values) = (call.argument(4), call.argument(5), call.argument(6));
    let (hooks, environment) = (hooks(call)?, &call.host.environment);
    let mut batch = session.engine.batch(kind, &options)?;
    let mut from = 0;
    for at in 0..statements.len()? {
        let count = counts.element(at)?.index()?;
        let statement = statements.element(at)?;
        if count == BOUND {
            let bound = BoundStatement::read(environment, statement)?;
            let known = bound.known.for_bound_values()?;
            let added = add(&mut batch, &known, |out| {
                out.extend_from_slice(&bound.values);
                Ok(())
            });
            added.map_err(|failure| failure.about(format_args!("statement {at}")))?;
            continue;
        }
        let added = match Statement::read(environment, statement)? {
            Statement::Text(text) => batch.add_text(&text).map_err(Failure::from),
            Statement::Prepared(known) => add(&mut batch, &known, |out| {
                bind(hooks, &known, elements(values, from, count), out)
            }),
        };
        added.map_err(|failure| failure.about(format_args!("statement {at}")))?;
        from += count;
    }
    let request = session.engine.run_batch(batch, &options)?;
    session.send(call.env, slot, StatementJob::new(&session.engine), request);
    Ok(None)
}

/// Adds a prepared statement, whose values `bind` appends.
fn add(
    batch: &mut BatchBuilder,
    known: &Arc<Prepared>,
    bind: impl FnOnce(&mut Vec<u8>) -> Result<()>,
) -> Result<()> {
    let values = values_with::<Failure>(known.parameters.len(), false, bind);
    if known.is_stale() {
        // JavaScript has it prepared again, and tries once more.
        return Err(known.outdated().into());
    }
    batch.add(known, values)
}

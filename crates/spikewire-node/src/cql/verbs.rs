//! What is done with statements: `(session, slot, ...)`.

use std::rc::Rc;

use spikewire_cassandra::session::Preparation;
use spikewire_cql::request::{BatchKind, values_with};

use super::bind::bind;
use super::hooks::Hooks;
use super::job::{Goal, Job};
use super::session::Session;
use super::statement::{Statement, is_set, options, shown_prepared};
use crate::arguments::text;
use crate::binding::Call;
use crate::call::settle;
use crate::js::{Failure, Result, Value};

fn hooks<'a>(call: &'a Call<'_>) -> Result<&'a Hooks> {
    call.host.environment.hooks()?.cql()
}

/// `cqlExecute(session, slot, page, statement, options, array, ...values)`: rows; one page of them, or
/// all. A statement is text, or the number of a prepared one. Values are in an array, or, where that is
/// `undefined`, behind it.
pub fn execute<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (session, slot): (Rc<Session>, _) = (Session::of(call)?, call.index(1)?);
    let goal = if is_set("page", call.argument(2))? { Goal::Page } else { Goal::All };
    let statement = Statement::read(&call.host.environment, call.argument(3))?;
    let options = options(&session.engine, call.argument(4))?;
    let engine = &session.engine;
    let (job, request) = match statement {
        Statement::Text(text) => Job::text(engine, goal, text, options)?,
        Statement::Prepared(known) => {
            let hooks = hooks(call)?;
            Job::prepared(engine, goal, known, options, |known, out| {
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

/// So many elements of an array.
fn elements(
    array: Value<'_>,
    from: u32,
    count: u32,
) -> impl ExactSizeIterator<Item = Result<Value<'_>>> {
    // A range of u32 is no ExactSizeIterator on every platform; one of usize is.
    (0..count as usize).map(move |at| array.element(from + at as u32))
}

/// `cqlPrepare(session, slot, text, options)`: a prepared statement.
pub fn prepare<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (session, slot) = (Session::of(call)?, call.index(1)?);
    let text = text("a statement", call.argument(2))?;
    let options = options(&session.engine, call.argument(3))?;
    match session.engine.prepare(&text, &options)? {
        Preparation::Known(known) => {
            let environment = &call.host.environment;
            let made = shown_prepared(call.env, environment, &known);
            settle(call.env, environment, slot, made);
        }
        Preparation::Ask(request) => {
            session.send(call.env, slot, Job::new(&session.engine), *request);
        }
    }
    Ok(None)
}

/// `cqlBatch(session, slot, kind, options, statements, counts, values)`: several statements in one
/// request; how many of the values belong to each of them.
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
        let added = match Statement::read(environment, statements.element(at)?)? {
            Statement::Text(text) => batch.add_text(&text).map_err(Failure::from),
            Statement::Prepared(known) => {
                let values = values_with::<Failure>(known.parameters.len(), false, |out| {
                    bind(hooks, &known, elements(values, from, count), out)
                });
                known.check()?;
                batch.add(&known, values)
            }
        };
        added.map_err(|failure| failure.about(format_args!("statement {at}")))?;
        from += count;
    }
    let request = session.engine.run_batch(batch, &options)?;
    session.send(call.env, slot, Job::new(&session.engine), request);
    Ok(None)
}

//! Tables as the parameters of many executions.

use std::rc::Rc;
use std::sync::Arc;

use spikewire_cassandra::statement::Prepared;
use spikewire_cassandra::statement_job::Goal;
use spikewire_columns::cql::ArrowValue;
use spikewire_columns::source::choice::parameter_columns;
use spikewire_cql::value::encode_bound;

use super::job::Statement;
use super::session::Session;
use super::statement::{options, read_statement};
use super::verbs::run;
use crate::binding::Call;
use crate::environment::resources::Resource;
use crate::js::{Failure, Result, Value};
use crate::tables::Table;
use crate::tables::failure::column_failure;

/// A table whose columns are the parameters of a statement.
struct BoundTable {
    known: Arc<Prepared>,
    table: Rc<Table>,
    /// The column of each parameter.
    columns: Vec<usize>,
}

impl Resource for BoundTable {}

/// `cqlTable(statement, table)`: matches columns and parameters by name; returns the number of the
/// two.
pub fn bind<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let environment = &call.host.environment;
    let Statement::Prepared(known) = read_statement(environment, call.argument(0))? else {
        return Err(Failure::of_type("only prepared statements take tables"));
    };
    let (known, table) = (known.latest(), Table::of(call, 1)?);
    let parameters: Vec<&str> = known.parameters.iter().map(|parameter| &*parameter.name).collect();
    let columns = parameter_columns(&parameters, &table.names()).map_err(column_failure)?;
    let bound = BoundTable { known, table, columns };
    call.env.uint32(environment.resources.add(Rc::new(bound))).map(Some)
}

/// `cqlExecuteRow(session, slot, table, row, options)`: executes the statement of a table with one of
/// its rows.
pub fn execute<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let session = Session::of(call)?;
    let bound: Rc<BoundTable> = call.host.environment.resources.get(call.index(2)?)?;
    let row = call.index(3)? as usize;
    let options = options(&session.engine, call.argument(4))?;
    let (batch, at) = bound.table.locate(row)?;
    let mut values = Vec::with_capacity(16 * bound.columns.len());
    for (parameter, column) in bound.known.parameters.iter().zip(&bound.columns) {
        let value = ArrowValue::<Failure>::new(&**batch.column(*column), at);
        encode_bound(&parameter.name, &parameter.ty, &value, &mut values)
            .map_err(|failure| failure.about(format_args!("row {row} of the table")))?;
    }
    let statement = Statement::Bound(bound.known.clone(), values.into());
    run(call, &session, (Goal::All, statement), None, options)?;
    Ok(None)
}

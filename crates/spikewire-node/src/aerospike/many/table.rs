//! Writes the rows of a table, encoded directly from the memory of its columns.

use spikewire_aerospike::command::batch::{BatchBuilder, ResultFlags};
use spikewire_aerospike::command::{CommandSpec, check_bin_name};
use spikewire_aerospike_protocol::batch::Kind;
use spikewire_aerospike_protocol::message::op;
use spikewire_columns::ColumnError;
use spikewire_columns::source::choice::{RecordColumns, record_columns};
use spikewire_columns::source::{Cell, Cells};

use super::gather::{at_row, send_batch};
use crate::aerospike::arguments::{self, Options};
use crate::aerospike::batch::RowReader;
use crate::aerospike::client::Client;
use crate::arguments::{flag, text};
use crate::binding::Call;
use crate::js::{Env, Failure, Result, Value};
use crate::tables::Table;
use crate::tables::failure::column_failure;

/// The maximum number of rows in a window, so that three nodes get about one full request each.
const ROWS: usize = 16_384;
/// The number of encoded bytes after which a window is closed.
const BYTES: usize = 16 << 20;

/// The columns of a table, as selected by a call.
struct Chosen {
    key: String,
    columns: RecordColumns,
    /// Whether a null removes its bin.
    removes: bool,
}

/// `putTable(client, slot, space, table, key, bins, removes, from, options)`: writes some rows of a
/// table from row `from` on. `bins` has columns and bins, alternating. Returns the keys of the rows
/// that are sent.
pub fn put<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (client, slot) = (Client::of(call)?, call.index(1)?);
    let set = call.host.environment.space(call.argument(2))?;
    let table = Table::of(call, 3)?;
    let chosen = choose(call, &table)?;
    let from = call.index(7)? as usize;
    let options = arguments::write_options(&Options::new(call.argument(8)))?;
    let spec = CommandSpec::write(&client.defaults, &options)?;

    let mut rows = BatchBuilder::default();
    let mut keys = Vec::new();
    let (mut bytes, mut first) = (0, 0);
    for batch in &table.batches {
        let (start, end) = (first, first + batch.num_rows());
        first = end;
        if end <= from || keys.len() >= ROWS || bytes >= BYTES {
            continue;
        }
        let cells = table.cells(batch, &chosen.columns.numbers)?;
        for row in from.max(start)..end {
            if keys.len() >= ROWS || bytes >= BYTES {
                break;
            }
            let at = row - start;
            let key = cells[0].cell(at).map_err(|error| wrong(error, row, &chosen.key))?;
            let user = key.key().map_err(|error| wrong(error, row, &chosen.key))?;
            let stored = rows.stored_key(&set, &user, spec.send_key);
            rows.row(&spec, &set, stored.as_deref(), false, |out| {
                bins(out, &chosen, &cells[1..], row, at)?;
                bytes += out.as_bytes().len();
                Result::Ok(())
            })
            .map_err(|failure| if from == 0 { failure } else { after(failure, from) })?;
            keys.push(user_key(call.env, &key)?);
        }
    }
    let plan =
        RowReader { answered: ResultFlags::None, decode_options: client.decode_options.get() };
    let batch = rows.finish(spec.policy, |_, _| ());
    send_batch(call, &client, slot, batch, Box::new(plan))?;
    call.env.array_of(keys.into_iter().map(Ok)).map(Some)
}

fn choose(call: &Call<'_>, table: &Table) -> Result<Chosen> {
    let key = text("key", call.argument(4))?;
    let pair = |at| -> Result<(String, String)> {
        let flat = call.argument(5);
        let column = text("each column in bins", flat.element(at)?)?;
        Ok((column, text("a bin name", flat.element(at + 1)?)?))
    };
    let selected = call
        .argument(5)
        .present()
        .map(|flat| (0..flat.len()?).step_by(2).map(pair).collect::<Result<Vec<_>>>())
        .transpose()?;
    let check = |column: &str, bin: &str| {
        check_bin_name(bin).map_err(|error| {
            let failure = Failure::from(error).about(format_args!("column {column:?}"));
            Wrong::Name(failure)
        })
    };
    let columns = record_columns(&table.names(), &key, selected, check);
    let columns = columns.map_err(|wrong| match wrong {
        Wrong::Column(error) => column_failure(error),
        Wrong::Name(failure) => failure,
    })?;
    Ok(Chosen { key, columns, removes: flag("removes", call.argument(6))? })
}

/// Why columns cannot be selected.
enum Wrong {
    Column(ColumnError),
    Name(Failure),
}

impl From<ColumnError> for Wrong {
    fn from(error: ColumnError) -> Self {
        Self::Column(error)
    }
}

fn wrong(error: ColumnError, row: usize, column: &str) -> Failure {
    column_failure(error.within(&format!("row {row}, column {column:?}")))
}

fn after(failure: Failure, sent: usize) -> Failure {
    failure.about(format_args!("after {sent} rows were sent"))
}

/// Appends the bins of a row, which is number `at` of its batch.
fn bins(
    out: &mut Kind,
    chosen: &Chosen,
    cells: &[Box<dyn Cells>],
    row: usize,
    at: usize,
) -> Result<()> {
    for ((column, bin), cells) in chosen.columns.bins.iter().zip(cells) {
        let cell = cells.cell(at).map_err(|error| wrong(error, row, column))?;
        if matches!(cell, Cell::Null) && !chosen.removes {
            continue;
        }
        out.op_with(op::WRITE, bin.as_bytes(), |out| cell.particle(out))
            .map_err(|error| wrong(error, row, column))?;
    }
    if out.ops() == 0 {
        let message = "every bin is null, so there is nothing to write; leave such rows out, or \
                       remove their bins by nulls: 'remove'";
        return Err(at_row(Failure::of_range(message), row as u32));
    }
    Ok(())
}

/// A key for JavaScript.
fn user_key<'e>(env: Env<'e>, cell: &Cell<'_>) -> Result<Value<'e>> {
    match cell {
        Cell::Int(int) => env.integer(*int),
        Cell::Text(text) => env.string(text),
        Cell::Bytes(bytes) => env.buffer(bytes),
        _ => env.null(),
    }
}

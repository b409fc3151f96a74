//! Rejects combinations of arguments that are valid individually.

use super::ArgumentConverter;
use crate::bits::resize;
use crate::cdt::{By, ListOp, MapOp, return_type as returns};
use crate::expression::Fault;
use crate::hll::{self, Precision};

/// The "create only" and "update only" flags, whose numbers are the same in every family.
const CONTRARY: i64 = 3;

/// Rejects mutually exclusive flags.
pub fn exclusive(flags: i64) -> Result<i64, Fault> {
    if flags & CONTRARY == CONTRARY {
        return Err(Fault::of_value("create_only and update_only exclude each other"));
    }
    Ok(flags)
}

/// Rejects mutually exclusive resize flags.
pub fn one_way(how: i64) -> Result<i64, Fault> {
    let both = resize::GROW_ONLY | resize::SHRINK_ONLY;
    if how & both == both {
        return Err(Fault::of_value("grow_only and shrink_only exclude each other"));
    }
    Ok(how)
}

/// The precision of a sketch.
pub fn precision(index: Option<i64>, minhash: Option<i64>) -> Result<Precision, Fault> {
    let index = index.unwrap_or(hll::UNSET.index);
    let minhash = minhash.unwrap_or(hll::UNSET.minhash);
    if matches!(minhash, 1..=3) {
        let why = format!("minhash_bits must be 0 or from 4 to 51, got {minhash}");
        return Err(Fault::of_value(why));
    }
    if minhash > 0 && index < 0 {
        return Err(Fault::of_value("minhash_bits needs index_bits"));
    }
    if index + minhash > 64 {
        let why = "index_bits and minhash_bits must not be more than 64 together";
        return Err(Fault::of_value(why));
    }
    Ok(Precision { index, minhash })
}

/// Rejects list operations that servers cannot answer.
pub fn list<A: ArgumentConverter>(_: &A, op: &ListOp<A::Value, A::Number>) -> Result<(), Fault> {
    match op {
        ListOp::GetBy(returning, _) | ListOp::RemoveBy(returning, _) => inverted_range(*returning),
        _ => Ok(()),
    }
}

/// Rejects map operations that servers cannot answer.
pub fn map<A: ArgumentConverter>(
    arguments: &A,
    op: &MapOp<A::Value, A::Number>,
) -> Result<(), Fault> {
    let (MapOp::GetBy(returning, by) | MapOp::RemoveBy(returning, by)) = op else {
        return Ok(());
    };
    inverted_range(*returning)?;
    inverted_nothing(arguments, *returning, by)
}

fn inverted_range(returning: i64) -> Result<(), Fault> {
    let ranges = returns::INDEX_RANGE..=returns::REVERSE_RANK_RANGE;
    if returning & returns::INVERTED != 0 && ranges.contains(&(returning & !returns::INVERTED)) {
        return Err(Fault::of_value("a range has no inversion: use returning='index' or 'rank'"));
    }
    Ok(())
}

/// Inverting a selection by an empty list selects all entries, and servers up to 8.1.2 crash when
/// asked to return them.
fn inverted_nothing<A: ArgumentConverter>(
    arguments: &A,
    returning: i64,
    by: &By<A::Value, A::Number>,
) -> Result<(), Fault> {
    let (By::KeyList(list) | By::ValueList(list)) = by else { return Ok(()) };
    let gives = !matches!(returning & !returns::INVERTED, returns::NONE | returns::COUNT);
    if returning & returns::INVERTED != 0 && gives && arguments.is_empty(list) {
        let what = if matches!(by, By::KeyList(_)) { "keys" } else { "values" };
        return Err(Fault::of_value(format!(
            "{what}: an empty list, inverted, means every entry: choose them by index, from 0 on"
        )));
    }
    Ok(())
}

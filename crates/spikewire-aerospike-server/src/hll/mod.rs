//! `HyperLogLog` operations.
//!
//! | module | what it holds |
//! |---|---|
//! | [`sketch`] | the registers: layout, hashing, folding, union |
//! | [`estimate`] | counts and similarity |

pub mod estimate;
pub mod sketch;

use spikewire_aerospike_protocol::cdt::elements;
use spikewire_aerospike_protocol::error_details::subcode;
use spikewire_aerospike_protocol::hll::{HllOp, Precision, write};
use spikewire_aerospike_protocol::msgpack::{self, Reader, Token};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_protocol::value::particle;

use self::sketch::Sketch;
use crate::cdt::item;
use crate::outcome::{ModifyResult, Old, Outcome, ReplyValue};
use crate::reason;

const MALFORMED: ResultCode = ResultCode::PARAMETER;
const NOT_APPLICABLE: ResultCode = ResultCode::OP_NOT_APPLICABLE;

fn open(old: (u8, &[u8])) -> Result<Sketch, ResultCode> {
    if old.0 != particle::HLL {
        return Err(ResultCode::BIN_TYPE);
    }
    Sketch::parse(old.1).ok_or(MALFORMED)
}

/// Runs a read operation on an existing bin.
pub fn read(old: (u8, &[u8]), payload: &[u8]) -> Result<Option<ReplyValue>, ResultCode> {
    let op = HllOp::decode(payload).map_err(|_| MALFORMED)?;
    if op.modifies() {
        return Err(MALFORMED);
    }
    let own = open(old)?;
    let with = |sketches: &[u8]| -> Result<Vec<Sketch>, ResultCode> {
        let mut all = self::sketches(sketches)?;
        all.push(own.clone());
        Ok(all)
    };
    Ok(Some(match op {
        HllOp::Count => ReplyValue::int(estimate::count(&own)),
        HllOp::Union(others) => {
            let value = sketch::union(&with(others)?).to_bytes();
            ReplyValue { particle: particle::HLL, value }
        }
        HllOp::UnionCount(others) => {
            ReplyValue::int(estimate::count(&sketch::union(&with(others)?)))
        }
        HllOp::IntersectCount(others) => {
            ReplyValue::int(estimate::intersection(&comparable(with(others)?)?))
        }
        HllOp::Similarity(others) => {
            let similarity = estimate::similarity(&comparable(with(others)?)?);
            ReplyValue { particle: particle::FLOAT, value: similarity.to_be_bytes().to_vec() }
        }
        HllOp::Describe => {
            let mut value = Vec::new();
            msgpack::array(&mut value, 2);
            msgpack::uint(&mut value, u64::from(own.index_bits));
            msgpack::uint(&mut value, u64::from(own.minhash_bits));
            ReplyValue { particle: particle::LIST, value }
        }
        HllOp::MayContain(values) => {
            let mut all = true;
            for value in self::values(values)? {
                all &= own.may_contain(&value);
            }
            ReplyValue::int(i64::from(all))
        }
        _ => return Err(MALFORMED),
    }))
}

/// Runs a modify operation.
pub fn modify(old: Old<'_>, payload: &[u8]) -> ModifyResult {
    let op = HllOp::decode(payload).map_err(|_| MALFORMED)?;
    let make = write::CREATE_ONLY | write::UPDATE_ONLY | write::NO_FAIL;
    let (flags, allowed) = match op {
        HllOp::Init(_, flags) => (flags, make),
        HllOp::Add { flags, .. } => (flags, write::CREATE_ONLY | write::NO_FAIL),
        HllOp::SetUnion(_, flags) => (flags, make | write::ALLOW_FOLD),
        HllOp::RefreshCount | HllOp::Fold(_) => (0, 0),
        _ => return Err(MALFORMED),
    };
    if flags & !allowed != 0 {
        return Err(MALFORMED);
    }
    if let HllOp::Init(precision, _) | HllOp::Add { precision, .. } = op {
        check(precision)?;
    }
    let old = old.map(open).transpose()?;
    let needs_bin = matches!(op, HllOp::RefreshCount | HllOp::Fold(_));
    let rejection = match old {
        Some(_) if flags & write::CREATE_ONLY != 0 => Some(ResultCode::BIN_EXISTS),
        None if needs_bin => Some(reason::of(subcode::HLL_MISSING)),
        None if flags & write::UPDATE_ONLY != 0 => Some(ResultCode::BIN_NOT_FOUND),
        _ => None,
    };
    match rejection {
        Some(_) if flags & write::NO_FAIL != 0 => return Ok(Outcome::default()),
        Some(code) => return Err(code),
        None => {}
    }
    match op {
        HllOp::Init(precision, _) => Ok(stored(&fresh(old.as_ref(), precision)?, None)),
        HllOp::Add { values, precision, .. } => {
            let values = self::values(values)?;
            let is_new = old.is_none();
            let mut sketch = match old {
                Some(sketch) => sketch,
                None => fresh(None, precision)?,
            };
            let changed = values.iter().filter(|value| sketch.add(value)).count();
            if changed == 0 && !is_new {
                return Ok(Outcome { bin: None, result: Some(ReplyValue::int(0)) });
            }
            Ok(stored(&sketch, Some(ReplyValue::count(changed))))
        }
        HllOp::SetUnion(others, _) => {
            let mut all = sketches(others)?;
            if let Some(own) = old {
                let reduces = all.iter().any(|other| {
                    let other_minhash = own.minhash_bits > 0 && other.minhash_bits > 0;
                    other.index_bits < own.index_bits
                        || other.minhash_bits < own.minhash_bits
                        || other_minhash && other.minhash_bits != own.minhash_bits
                });
                if reduces && flags & write::ALLOW_FOLD == 0 {
                    let fewer = all.iter().any(|other| other.index_bits < own.index_bits);
                    let why = if fewer {
                        subcode::HLL_REDUCE_INDEX
                    } else {
                        subcode::HLL_REDUCE_MIN_HASH
                    };
                    return Err(reason::of(why));
                }
                if !reduces {
                    let (index, minhash) = (own.index_bits, own.minhash_bits);
                    all = all.iter().map(|other| other.reduced(index, minhash)).collect();
                }
                all.push(own);
            }
            Ok(stored(&sketch::union(&all), None))
        }
        _ => {
            let Some(mut sketch) = old else { return Err(ResultCode::BIN_NOT_FOUND) };
            if let HllOp::Fold(bits) = op {
                let bits = u8::try_from(bits).ok().filter(|bits| (4..=16).contains(bits));
                let bits = bits.ok_or(MALFORMED)?;
                if sketch.minhash_bits > 0 {
                    return Err(reason::of(subcode::HLL_FOLD_MIN_HASH));
                }
                if bits > sketch.index_bits {
                    return Err(reason::of(subcode::HLL_FOLD_INDEX));
                }
                return Ok(stored(&sketch.reduced(bits, 0), None));
            }
            let count = estimate::count(&sketch);
            sketch.cached = count as u64;
            Ok(stored(&sketch, Some(ReplyValue::int(count))))
        }
    }
}

fn stored(sketch: &Sketch, result: Option<ReplyValue>) -> Outcome {
    Outcome { bin: Some((particle::HLL, sketch.to_bytes())), result }
}

/// Rejects invalid numbers of bits.
fn check(precision: Precision) -> Result<(), ResultCode> {
    let Precision { index, minhash } = precision;
    let known = matches!(index, -1 | 4..=16) && matches!(minhash, -1 | 0 | 4..=51);
    if known && index.max(0) + minhash.max(0) <= 64 { Ok(()) } else { Err(MALFORMED) }
}

/// An empty sketch; unspecified bits are taken from the old one.
fn fresh(old: Option<&Sketch>, precision: Precision) -> Result<Sketch, ResultCode> {
    let index = match (precision.index, old) {
        (-1, None) => return Err(reason::of(subcode::HLL_INDEX_BITS)),
        (-1, Some(old)) => old.index_bits,
        (bits, _) => bits as u8,
    };
    let minhash = match (precision.minhash, old) {
        (-1, old) => old.map_or(0, |old| old.minhash_bits),
        (bits, _) => bits as u8,
    };
    let bits = check(Precision { index: i64::from(index), minhash: i64::from(minhash) });
    bits.map_err(|code| if old.is_some() { NOT_APPLICABLE } else { code })?;
    Ok(Sketch::new(index, minhash))
}

/// Values in the form in which they are hashed: scalars in their shortest encoding.
fn values(list: &[u8]) -> Result<Vec<Vec<u8>>, ResultCode> {
    let values = elements(list).ok().flatten().filter(|values| !values.is_empty());
    let values =
        values.ok_or(MALFORMED)?.into_iter().map(|value| match Reader::new(value).next() {
            Ok(Token::Array(_) | Token::Map(_)) | Err(_) => Err(MALFORMED),
            Ok(_) => item::stored(value),
        });
    values.collect()
}

/// The sketches of a list, or a single sketch.
fn sketches(argument: &[u8]) -> Result<Vec<Sketch>, ResultCode> {
    let items = elements(argument).map_err(|_| MALFORMED)?;
    let items = items.unwrap_or_else(|| vec![argument]);
    if items.is_empty() {
        return Err(MALFORMED);
    }
    let one = |item: &[u8]| match Reader::new(item).next() {
        Ok(Token::Bytes(_, bytes)) => Sketch::parse(bytes),
        _ => None,
    };
    items.into_iter().map(|item| one(item).ok_or(MALFORMED)).collect()
}

/// Checks that the intersection of sketches can be estimated, with the bin's last: more than two
/// others must have the same number of minhash bits as each other and the bin.
fn comparable(sketches: Vec<Sketch>) -> Result<Vec<Sketch>, ResultCode> {
    if let Some((own, others)) = sketches.split_last()
        && others.len() > 2
    {
        match sketch::common_minhash(others) {
            0 => return Err(MALFORMED),
            bits if bits != own.minhash_bits => {
                return Err(reason::of(subcode::HLL_INTERSECT));
            }
            _ => {}
        }
    }
    Ok(sketches)
}

#[cfg(test)]
mod tests;

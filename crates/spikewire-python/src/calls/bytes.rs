//! Bit and sketch operations by their Python names.

use pyo3::prelude::*;

use spikewire_protocol::bits::{Area, BitOp, Combine, integer, resize, write};
use spikewire_protocol::hll::{self, HllOp, Precision};

use super::Source;
use super::cdt::exclusive;
use crate::arguments::count;
use crate::errors::value_error;

const OVERFLOWS: [(&str, i64); 3] =
    [("fail", 0), ("saturate", integer::SATURATE), ("wrap", integer::WRAP)];

fn area<'py, S: Source<'py>>(s: &mut S) -> PyResult<Area<S::Number>> {
    Ok(Area { offset: s.number("offset")?, size: s.number("size")? })
}

/// The bit operation of that name.
pub fn bit<'py, S: Source<'py>>(
    name: &str,
    source: &mut S,
) -> PyResult<BitOp<S::Value, S::Number>> {
    let s = source;
    let create_only = ("create_only", write::CREATE_ONLY);
    let update_only = ("update_only", write::UPDATE_ONLY);
    let no_fail = ("no_fail", write::NO_FAIL);
    let whole = [create_only, update_only, no_fail];
    let in_place = [update_only, no_fail, ("partial", write::PARTIAL)];
    let number = [update_only, no_fail];
    let op = match name {
        "resize" => {
            let size = s.number("size")?;
            let how = s.flags(&[
                ("from_front", resize::FROM_FRONT),
                ("grow_only", resize::GROW_ONLY),
                ("shrink_only", resize::SHRINK_ONLY),
            ])?;
            if how & 6 == 6 {
                return Err(value_error("grow_only and shrink_only exclude each other"));
            }
            BitOp::Resize { size, flags: exclusive(s.flags(&whole)?)?, how }
        }
        "insert" => {
            let (offset, bytes) = (s.number("offset")?, s.bytes("data")?);
            BitOp::Insert { offset, bytes, flags: exclusive(s.flags(&whole)?)? }
        }
        "remove" => {
            let (offset, size) = (s.number("offset")?, s.number("size")?);
            BitOp::Remove { offset, size, flags: s.flags(&in_place)? }
        }
        "set" | "or_" | "xor" | "and_" => {
            let how = match name {
                "set" => Combine::Set,
                "or_" => Combine::Or,
                "xor" => Combine::Xor,
                _ => Combine::And,
            };
            let (area, bytes) = (area(s)?, s.bytes("data")?);
            BitOp::Combine { how, area, bytes, flags: s.flags(&in_place)? }
        }
        "not_" => BitOp::Not { area: area(s)?, flags: s.flags(&in_place)? },
        "lshift" | "rshift" => {
            let (area, by) = (area(s)?, s.number("by")?);
            BitOp::Shift { right: name == "rshift", area, by, flags: s.flags(&in_place)? }
        }
        "add" | "subtract" => {
            let (area, value) = (area(s)?, s.number("value")?);
            let signed = s.flags(&[("signed", integer::SIGNED)])?;
            let how = signed | s.word("overflow", &OVERFLOWS, false)?;
            let flags = s.flags(&number)?;
            BitOp::Add { subtract: name == "subtract", area, value, flags, how }
        }
        "set_int" => {
            let (area, value) = (area(s)?, s.number("value")?);
            BitOp::SetInt { area, value, flags: s.flags(&number)? }
        }
        "get" => BitOp::Get(area(s)?),
        "count" => BitOp::Count(area(s)?),
        "lscan" | "rscan" => {
            let area = area(s)?;
            BitOp::Scan { right: name == "rscan", area, bit: s.flag("bit")? }
        }
        "get_int" => {
            BitOp::GetInt { area: area(s)?, how: s.flags(&[("signed", integer::SIGNED)])? }
        }
        _ => return Err(value_error(format!("unknown bit operation {name:?}"))),
    };
    s.end()?;
    Ok(op)
}

/// The sketch operation of that name.
pub fn sketch<'py, S: Source<'py>>(name: &str, source: &mut S) -> PyResult<HllOp<S::Value>> {
    let s = source;
    let create_only = ("create_only", hll::write::CREATE_ONLY);
    let update_only = ("update_only", hll::write::UPDATE_ONLY);
    let no_fail = ("no_fail", hll::write::NO_FAIL);
    let op = match name {
        "init" => {
            let precision = precision(s)?;
            HllOp::Init(precision, exclusive(s.flags(&[create_only, update_only, no_fail])?)?)
        }
        "add" => {
            let (values, precision) = (s.list("values")?, precision(s)?);
            HllOp::Add { values, precision, flags: s.flags(&[create_only, no_fail])? }
        }
        "set_union" => {
            let sketches = s.sketches("sketches")?;
            let allow_fold = ("allow_fold", hll::write::ALLOW_FOLD);
            let flags = s.flags(&[create_only, update_only, no_fail, allow_fold])?;
            HllOp::SetUnion(sketches, exclusive(flags)?)
        }
        "refresh_count" => HllOp::RefreshCount,
        "fold" => {
            let bits = s.cursor().take("index_bits")?;
            HllOp::Fold(count("index_bits", &bits, 4, 16)? as i64)
        }
        "get_count" => HllOp::Count,
        "get_union" => HllOp::Union(s.sketches("sketches")?),
        "get_union_count" => HllOp::UnionCount(s.sketches("sketches")?),
        "get_intersect_count" => HllOp::IntersectCount(s.sketches("sketches")?),
        "get_similarity" => HllOp::Similarity(s.sketches("sketches")?),
        "describe" => HllOp::Describe,
        "may_contain" => HllOp::MayContain(s.list("values")?),
        _ => return Err(value_error(format!("unknown sketch operation {name:?}"))),
    };
    s.end()?;
    Ok(op)
}

fn precision<'py, S: Source<'py>>(s: &mut S) -> PyResult<Precision> {
    let index = match s.cursor().optional("index_bits")? {
        Some(bits) => count("index_bits", &bits, 4, 16)? as i64,
        None => hll::NOT_GIVEN.index,
    };
    let minhash = match s.cursor().optional("minhash_bits")? {
        Some(bits) => count("minhash_bits", &bits, 0, 51)? as i64,
        None => hll::NOT_GIVEN.minhash,
    };
    if matches!(minhash, 1..=3) {
        return Err(value_error(format!("minhash_bits must be 0 or from 4 to 51, got {minhash}")));
    }
    if minhash > 0 && index < 0 {
        return Err(value_error("minhash_bits needs index_bits"));
    }
    if index + minhash > 64 {
        return Err(value_error("index_bits and minhash_bits must not be more than 64 together"));
    }
    Ok(Precision { index, minhash })
}

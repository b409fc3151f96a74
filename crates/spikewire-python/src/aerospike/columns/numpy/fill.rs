//! Fills one row of the array from one record on the wire.

use pyo3::prelude::*;
use spikewire_columns::RowError;
use spikewire_columns::fixed::Field;

use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::message::{Header, Walk};
use spikewire_aerospike_protocol::void_time;

use super::super::rows::with_key;
use crate::columns::Layout;
use spikewire_columns::WireValue;

/// How to write records into the array.
#[derive(Debug, Clone, Copy)]
pub struct Fill<'a> {
    pub layout: &'a Layout,
    /// Whether a missing value is an error.
    pub strict: bool,
    /// The time, in seconds since 1970.
    pub now: u64,
}

impl Fill<'_> {
    /// Writes the user key. The other functions write the other flags of the row.
    pub fn key(
        &self,
        user: &Bound<'_, PyAny>,
        row: usize,
        data: &mut [u8],
        mask: &mut [u8],
    ) -> PyResult<Result<(), RowError>> {
        if self.layout.key.is_none() {
            return Ok(Ok(()));
        }
        with_key(user, |item| self.key_item(item.as_ref(), row, data, mask))
    }

    /// Like `key`, with the key as a value. Writes nothing if only the digest is known.
    pub fn key_item(
        &self,
        item: Option<&WireValue<'_>>,
        row: usize,
        data: &mut [u8],
        mask: &mut [u8],
    ) -> Result<(), RowError> {
        let Some(field) = &self.layout.key else { return Ok(()) };
        if let Some(item) = item {
            return put(field, item, row, data, mask);
        }
        mask[field.mask] = 1;
        if self.strict { Err(RowError::NoValue(row, field.name.clone())) } else { Ok(()) }
    }

    /// Flags everything except the key as missing.
    pub fn hide(&self, mask: &mut [u8]) {
        let key = self.layout.key.as_ref().map(|field| (field.mask, mask[field.mask]));
        mask.fill(1);
        if let Some((at, flag)) = key {
            mask[at] = flag;
        }
    }

    /// Writes a record, going through all of its bins. Fields without a bin are flagged as missing.
    pub fn record(
        &self,
        header: &Header,
        walk: &mut Walk<'_>,
        row: usize,
        data: &mut [u8],
        mask: &mut [u8],
    ) -> Result<(), RowError> {
        self.hide(mask);
        if let Some(field) = &self.layout.generation {
            put(field, &WireValue::Int(header.generation.into()), row, data, mask)?;
        }
        if let Some(field) = &self.layout.ttl
            && header.ttl != 0
            && let Some(left) = void_time::seconds_left(header.ttl, self.now)
        {
            put(field, &WireValue::Int(left.into()), row, data, mask)?;
        }
        let bins = &self.layout.bins;
        let mut next = 0;
        let broken = |error: Malformed| RowError::Bad(row, String::new(), error.into());
        while let Some(op) = walk.next().map_err(broken)? {
            // Bins usually arrive in the same order in every row.
            let at = match bins.get(next) {
                Some(field) if field.name.as_bytes() == op.name => next,
                _ => match bins.iter().position(|field| field.name.as_bytes() == op.name) {
                    Some(at) => at,
                    None => continue,
                },
            };
            next = if at + 1 == bins.len() { 0 } else { at + 1 };
            let field = &bins[at];
            match WireValue::of_bin(op.particle, op.value) {
                Ok(WireValue::Nil) => {}
                Ok(item) => put(field, &item, row, data, mask)?,
                Err(error) => return Err(RowError::Bad(row, field.name.clone(), error.into())),
            }
        }
        if self.strict && mask.contains(&1) { Err(self.gap(row, mask)) } else { Ok(()) }
    }

    /// The error that names the first field without a value.
    fn gap(&self, row: usize, mask: &[u8]) -> RowError {
        let layout = self.layout;
        let fields = layout.bins.iter().chain(&layout.generation).chain(&layout.ttl);
        let open = |field: &&Field| mask[field.mask..field.mask + field.count].contains(&1);
        RowError::NoValue(row, fields.clone().find(open).map_or(String::new(), |f| f.name.clone()))
    }
}

#[inline]
fn put(
    field: &Field,
    item: &WireValue<'_>,
    row: usize,
    data: &mut [u8],
    mask: &mut [u8],
) -> Result<(), RowError> {
    field.write(item, data, mask).map_err(|error| RowError::Bad(row, field.name.clone(), error))
}

//! Writing lists into sub-arrays of the same shape.

use spikewire_aerospike_protocol::msgpack::Reader;

use super::{CellKind, Field};
use crate::error::ColumnError;
use crate::wire_value::{self, WireValue};

impl Field {
    /// Writes a value into the field's bytes and flags. There is one flag per element, 1 for a
    /// missing one.
    #[inline]
    pub fn write(
        &self,
        item: &WireValue<'_>,
        data: &mut [u8],
        mask: &mut [u8],
    ) -> Result<(), ColumnError> {
        let data = &mut data[self.offset..self.offset + self.count * self.cell.size];
        let mask = &mut mask[self.mask..self.mask + self.count];
        if self.shape.is_empty() {
            mask[0] = 0;
            return self.cell.write(item, &self.type_name, data);
        }
        self.sub_array(item, data, mask)
    }

    fn sub_array(
        &self,
        item: &WireValue<'_>,
        data: &mut [u8],
        mask: &mut [u8],
    ) -> Result<(), ColumnError> {
        let of_numbers = matches!(
            self.cell.kind,
            CellKind::Int | CellKind::UInt | CellKind::Float | CellKind::Time
        );
        match *item {
            WireValue::PackedList(bytes) => {
                let (head, mut reader) = wire_value::open(bytes)?;
                let mut at = 0;
                self.axis(&head, &mut reader, 0, &mut at, data, mask)?;
                Ok(wire_value::close(&reader)?)
            }
            WireValue::Bytes(bytes) if of_numbers => {
                if bytes.len() != data.len() {
                    return Err(ColumnError::value(format!(
                        "{} bytes do not fill {}, which has {}",
                        bytes.len(),
                        self.type_name,
                        data.len()
                    )));
                }
                data.copy_from_slice(bytes);
                mask.fill(0);
                Ok(())
            }
            _ => Err(ColumnError::kind(format!(
                "{} does not go into {}",
                item.name(),
                self.type_name
            ))),
        }
    }

    /// Writes the list `item` along one axis, and the lists in it along the next ones.
    fn axis(
        &self,
        item: &WireValue<'_>,
        reader: &mut Reader<'_>,
        axis: usize,
        at: &mut usize,
        data: &mut [u8],
        mask: &mut [u8],
    ) -> Result<(), ColumnError> {
        let expected = self.shape[axis];
        let WireValue::List(count) = *item else {
            return Err(ColumnError::value(format!(
                "{} where axis {axis} of {} needs a list of {expected}",
                item.name(),
                self.type_name
            )));
        };
        if count as usize != expected {
            return Err(ColumnError::value(format!(
                "a list of {count} where axis {axis} of {} has {expected}",
                self.type_name
            )));
        }
        for index in 0..expected {
            let item = WireValue::next(reader)?;
            if axis + 1 < self.shape.len() {
                self.axis(&item, reader, axis + 1, at, data, mask)
            } else {
                self.element(&item, *at, data, mask).inspect(|()| *at += 1)
            }
            .map_err(|error| error.within(&format!("[{index}]")))?;
        }
        Ok(())
    }

    fn element(
        &self,
        item: &WireValue<'_>,
        at: usize,
        data: &mut [u8],
        mask: &mut [u8],
    ) -> Result<(), ColumnError> {
        let out = &mut data[at * self.cell.size..(at + 1) * self.cell.size];
        mask[at] = u8::from(matches!(item, WireValue::Nil));
        if mask[at] == 1 {
            out.fill(0);
            return Ok(());
        }
        self.cell.write(item, &self.type_name, out)
    }
}

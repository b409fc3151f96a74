//! Writing a value into one element.

use super::{Cell, CellKind};
use crate::error::ColumnError;
use crate::wire_value::WireValue;

impl Cell {
    /// Writes a value into the element's bytes, which are `self.size` long.
    #[inline]
    pub fn write(
        &self,
        item: &WireValue<'_>,
        type_name: &str,
        out: &mut [u8],
    ) -> Result<(), ColumnError> {
        match (self.kind, *item) {
            (CellKind::Int, WireValue::Int(int)) => self.int(int, type_name, out),
            (CellKind::Float, WireValue::Float(float)) => self.float(float, type_name, out),
            _ => self.other(item, type_name, out),
        }
    }

    fn other(
        &self,
        item: &WireValue<'_>,
        type_name: &str,
        out: &mut [u8],
    ) -> Result<(), ColumnError> {
        match (self.kind, *item) {
            (CellKind::UInt, WireValue::Int(int)) => match u64::try_from(int) {
                Ok(int) => self.uint(int, type_name, out),
                Err(_) => Err(beyond(int, type_name)),
            },
            (CellKind::UInt, WireValue::UInt(int)) => self.uint(int, type_name, out),
            (CellKind::Int | CellKind::Time, WireValue::UInt(int)) => Err(beyond(int, type_name)),
            (CellKind::Time, WireValue::Int(i64::MIN)) => Err(ColumnError::overflow(format!(
                "{} means \"not a time\" in {type_name}",
                i64::MIN
            ))),
            (CellKind::Time, WireValue::Int(int)) => self.int(int, type_name, out),
            (CellKind::Float, WireValue::Int(int)) => self.whole(i128::from(int), type_name, out),
            (CellKind::Float, WireValue::UInt(int)) => self.whole(i128::from(int), type_name, out),
            (CellKind::Bool, WireValue::Bool(flag)) => {
                out[0] = u8::from(flag);
                Ok(())
            }
            (CellKind::Bytes, WireValue::Text(text) | WireValue::GeoJson(text)) => {
                if !text.is_ascii() {
                    return Err(ColumnError::value(format!(
                        "text that is not ASCII does not go into {type_name}: use a U field"
                    )));
                }
                self.bytes(text, type_name, out)
            }
            (CellKind::Bytes, WireValue::Bytes(bytes) | WireValue::Hll(bytes)) => {
                self.bytes(bytes, type_name, out)
            }
            (CellKind::Text, WireValue::Text(text) | WireValue::GeoJson(text)) => {
                self.text(text, type_name, out)
            }
            (CellKind::Raw, WireValue::Bytes(bytes) | WireValue::Hll(bytes)) => {
                if bytes.len() != self.size {
                    return Err(ColumnError::value(format!(
                        "{} bytes do not fill {type_name}, which has {}",
                        bytes.len(),
                        self.size
                    )));
                }
                out.copy_from_slice(bytes);
                Ok(())
            }
            _ => Err(ColumnError::kind(format!("{} does not go into {type_name}", item.name()))),
        }
    }

    #[inline]
    fn int(&self, int: i64, type_name: &str, out: &mut [u8]) -> Result<(), ColumnError> {
        let fits = match self.size {
            8 => true,
            4 => i32::try_from(int).is_ok(),
            2 => i16::try_from(int).is_ok(),
            _ => i8::try_from(int).is_ok(),
        };
        if !fits {
            return Err(beyond(int, type_name));
        }
        self.put(int as u64, out);
        Ok(())
    }

    #[inline]
    fn uint(&self, int: u64, type_name: &str, out: &mut [u8]) -> Result<(), ColumnError> {
        if self.size < 8 && int >> (8 * self.size) != 0 {
            return Err(beyond(int, type_name));
        }
        self.put(int, out);
        Ok(())
    }

    #[inline]
    fn float(&self, float: f64, type_name: &str, out: &mut [u8]) -> Result<(), ColumnError> {
        if self.size == 8 {
            self.put(float.to_bits(), out);
            return Ok(());
        }
        let short = float as f32;
        if short.is_infinite() && float.is_finite() {
            return Err(beyond(float, type_name));
        }
        self.put(u64::from(short.to_bits()), out);
        Ok(())
    }

    /// Writes an integer into a float field, which must represent it exactly.
    fn whole(&self, int: i128, type_name: &str, out: &mut [u8]) -> Result<(), ColumnError> {
        let exact = if self.size == 8 { int as f64 as i128 } else { int as f32 as i128 };
        if exact != int {
            return Err(ColumnError::overflow(format!("{int} is not exact in {type_name}")));
        }
        self.float(int as f64, type_name, out)
    }

    fn bytes(&self, bytes: &[u8], type_name: &str, out: &mut [u8]) -> Result<(), ColumnError> {
        if bytes.len() > self.size {
            return Err(ColumnError::value(format!(
                "{} bytes are too many for {type_name}, which has {}",
                bytes.len(),
                self.size
            )));
        }
        if bytes.last() == Some(&0) {
            return Err(nul(type_name));
        }
        let (head, rest) = out.split_at_mut(bytes.len());
        head.copy_from_slice(bytes);
        rest.fill(0);
        Ok(())
    }

    fn text(&self, text: &[u8], type_name: &str, out: &mut [u8]) -> Result<(), ColumnError> {
        let text = std::str::from_utf8(text)
            .map_err(|_| ColumnError::value("text that is not valid UTF-8"))?;
        if text.ends_with('\0') {
            return Err(nul(type_name));
        }
        let mut chars = text.chars();
        for at in out.chunks_exact_mut(4) {
            let code = chars.next().map_or(0, u32::from);
            let code = if self.swapped { code.swap_bytes() } else { code };
            at.copy_from_slice(&code.to_ne_bytes());
        }
        match chars.next() {
            None => Ok(()),
            Some(_) => Err(ColumnError::value(format!(
                "text of {} characters is too long for {type_name}, which has {}",
                text.chars().count(),
                self.size / 4
            ))),
        }
    }

    /// Writes the low bytes of a number.
    #[inline]
    fn put(&self, bits: u64, out: &mut [u8]) {
        match (self.size, self.swapped) {
            (8, false) => out.copy_from_slice(&bits.to_ne_bytes()),
            (4, false) => out.copy_from_slice(&(bits as u32).to_ne_bytes()),
            (2, false) => out.copy_from_slice(&(bits as u16).to_ne_bytes()),
            (8, true) => out.copy_from_slice(&bits.swap_bytes().to_ne_bytes()),
            (4, true) => out.copy_from_slice(&(bits as u32).swap_bytes().to_ne_bytes()),
            (2, true) => out.copy_from_slice(&(bits as u16).swap_bytes().to_ne_bytes()),
            _ => out[0] = bits as u8,
        }
    }
}

fn beyond(number: impl std::fmt::Display, type_name: &str) -> ColumnError {
    ColumnError::overflow(format!("{number} does not fit {type_name}"))
}

fn nul(type_name: &str) -> ColumnError {
    ColumnError::value(format!(
        "{type_name} would lose the NUL at the end of the value: use a V field"
    ))
}

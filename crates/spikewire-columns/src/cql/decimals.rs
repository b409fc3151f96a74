//! Arbitrary-precision integers and decimals, kept in wire form until it is known which type holds
//! all of them.

use arrow_array::ArrayRef;
use arrow_array::array::{Decimal128Array, Decimal256Array, StringArray};
use arrow_buffer::{NullBuffer, i256};
use arrow_schema::ArrowError;
use spikewire_cql::value::{Varint, shortest};
use std::sync::Arc;

/// Maximum number of digits of 128-bit and 256-bit decimals.
const NARROW: u8 = 38;
const WIDE: u8 = 76;

/// Digits × 10^-scale.
#[derive(Debug, Default)]
pub(super) struct DecimalValues {
    scales: Vec<i32>,
    ends: Vec<usize>,
    /// All digits in two's complement, big-endian.
    digits: Vec<u8>,
}

impl DecimalValues {
    pub fn push(&mut self, scale: i32, digits: &[u8]) {
        self.scales.push(scale);
        self.digits.extend_from_slice(shortest(digits));
        self.ends.push(self.digits.len());
    }

    fn each(&self) -> impl Iterator<Item = (i32, &[u8])> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let spans = starts.zip(&self.ends).map(|(start, end)| &self.digits[start..*end]);
        self.scales.iter().copied().zip(spans)
    }

    /// Decimals of 38 or 76 digits with the largest scale of the values, or text if those cannot
    /// hold all of them.
    pub fn finish(self, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        let is_null = |row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        let values = || self.each().enumerate().filter(|(row, _)| !is_null(*row));
        let scale = values().map(|(_, (scale, _))| scale).max().unwrap_or(0).max(0);
        let Some(wide) = self.unscaled(scale, is_null) else {
            let text = self.each().enumerate().map(|(row, (scale, digits))| {
                (!is_null(row)).then(|| decimal_text(scale, &Varint::from_bytes(digits)))
            });
            return Ok(Arc::new(text.collect::<StringArray>()));
        };
        // `unscaled` ensures that the scale fits.
        let scale = scale as i8;
        let most = i256::from_i128(10_i128.pow(NARROW.into()));
        let fits = |value: &i256| *value < most && *value > -most;
        if u8::try_from(scale).is_ok_and(|scale| scale <= NARROW) && wide.iter().all(fits) {
            let narrow = wide.iter().map(|value| value.to_i128().unwrap_or_default());
            let decimals = Decimal128Array::new(narrow.collect(), nulls);
            return Ok(Arc::new(decimals.with_precision_and_scale(NARROW, scale)?));
        }
        let decimals = Decimal256Array::new(wide.into(), nulls);
        Ok(Arc::new(decimals.with_precision_and_scale(WIDE, scale)?))
    }

    /// All values × 10^scale, unless one would have more than 76 digits.
    fn unscaled(&self, scale: i32, is_null: impl Fn(usize) -> bool) -> Option<Vec<i256>> {
        u8::try_from(scale).ok().filter(|scale| *scale <= WIDE)?;
        let most = power(WIDE.into())?;
        let values = self.each().enumerate().map(|(row, (own, digits))| {
            let value = wide(digits)?;
            if is_null(row) || value == i256::ZERO {
                return Some(i256::ZERO);
            }
            let zeros = u32::try_from(i64::from(scale) - i64::from(own)).ok()?;
            let value = value.checked_mul(power(zeros)?)?;
            (value < most && value > -most).then_some(value)
        });
        values.collect()
    }
}

fn power(zeros: u32) -> Option<i256> {
    (zeros <= WIDE.into()).then(|| i256::from_i128(10).checked_pow(zeros)).flatten()
}

fn wide(digits: &[u8]) -> Option<i256> {
    let negative = digits.first().is_some_and(|first| first >> 7 == 1);
    let mut bytes = if negative { [0xff; 32] } else { [0; 32] };
    bytes.get_mut(32_usize.checked_sub(digits.len())?..)?.copy_from_slice(digits);
    Some(i256::from_be_bytes(bytes))
}

/// All digits, with an exponent for the decimal point unless the scale is zero.
fn decimal_text(scale: i32, digits: &Varint) -> String {
    let digits = digits.to_string();
    if scale == 0 { digits } else { format!("{digits}E{}", -i64::from(scale)) }
}

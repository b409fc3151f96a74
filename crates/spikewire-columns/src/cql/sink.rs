//! The sink that decodes values into columns.

use std::cell::{Cell, RefCell};
use std::io::Write;
use std::net::IpAddr;

use arrow_buffer::IntervalMonthDayNano;
use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::{Duration, Elements, MapEntries, Sink};

use super::column::{Column, Store, push_null};
use crate::error::ColumnError;

/// All columns, one of which takes the next value.
#[derive(Debug, Default)]
pub(super) struct Columns {
    pub all: RefCell<Vec<Column>>,
    /// The column that takes the next value.
    pub at: Cell<usize>,
}

type Done = Result<(), ColumnError>;

/// The error for a value in a column of another type. Never happens, since columns are created from
/// the types with which they are filled.
#[cold]
fn wrong_type(ty: &Type) -> ColumnError {
    ColumnError::kind(format!("another value than {ty}"))
}

/// Adds a value to the next column, whose store has to match `$store`, by `$add`.
macro_rules! add {
    ($self:ident, $store:pat => $add:expr) => {{
        let mut all = $self.all.borrow_mut();
        let column = &mut all[$self.at.get()];
        let $store = &mut column.store else { return Err(wrong_type(&column.ty)) };
        $add;
        column.valid.append_non_null();
        $self.at.set(column.next);
        Ok(())
    }};
}

impl Columns {
    #[inline]
    fn bytes(&self, value: &[u8]) -> Done {
        add!(self, Store::Bytes(ends, data) => {
            data.extend_from_slice(value);
            ends.push(data.len());
        })
    }

    /// Enters the column's children with `inside`, and records that there is a value.
    fn container(
        &self,
        child: impl FnOnce(&Store) -> Option<usize>,
        inside: impl FnOnce() -> Done,
    ) -> Done {
        let at = self.at.get();
        {
            let all = self.all.borrow();
            let column = &all[at];
            match child(&column.store) {
                Some(child) => self.at.set(child),
                None => return Err(wrong_type(&column.ty)),
            }
        }
        inside()?;
        let mut all = self.all.borrow_mut();
        let end = match &all[at].store {
            Store::List(_, child) | Store::Map(_, [child, _]) => all[*child].len(),
            _ => 0,
        };
        let column = &mut all[at];
        if let Store::List(ends, _) | Store::Map(ends, _) = &mut column.store {
            ends.push(end);
        }
        column.valid.append_non_null();
        self.at.set(column.next);
        Ok(())
    }

    /// Adds the elements of a vector, which are [plain numbers](Self::has_numbers), from their bytes.
    fn add_numbers(&self, bytes: &[u8]) {
        fn each<const N: usize, T>(
            bytes: &[u8],
            of: impl Fn([u8; N]) -> T,
        ) -> impl Iterator<Item = T> {
            let (numbers, _) = bytes.as_chunks::<N>();
            numbers.iter().map(move |number| of(*number))
        }
        let mut columns = self.all.borrow_mut();
        let column = &mut columns[self.at.get()];
        let count = match &mut column.store {
            Store::F32(values) => {
                values.extend(each(bytes, f32::from_be_bytes));
                bytes.len() / 4
            }
            Store::F64(values) => {
                values.extend(each(bytes, f64::from_be_bytes));
                bytes.len() / 8
            }
            Store::I32(values) => {
                values.extend(each(bytes, i32::from_be_bytes));
                bytes.len() / 4
            }
            Store::I64(values) => {
                values.extend(each(bytes, i64::from_be_bytes));
                bytes.len() / 8
            }
            _ => return,
        };
        column.valid.append_n_non_nulls(count);
    }

    /// Whether the elements of the next vector are plain numbers.
    fn has_numbers(&self) -> bool {
        let all = self.all.borrow();
        matches!(
            all[self.at.get()].store,
            Store::F32(_) | Store::F64(_) | Store::I32(_) | Store::I64(_)
        )
    }

    fn first_field(store: &Store, at: usize) -> Option<usize> {
        match store {
            // Without fields, no column is looked up.
            Store::Struct(fields) => Some(fields.first().copied().unwrap_or(at)),
            _ => None,
        }
    }
}

impl Sink for Columns {
    type Value = ();
    type Error = ColumnError;

    #[inline]
    fn null(&self) -> Done {
        let mut all = self.all.borrow_mut();
        let at = self.at.get();
        push_null(&mut all, at);
        self.at.set(all[at].next);
        Ok(())
    }

    fn boolean(&self, value: bool) -> Done {
        add!(self, Store::Boolean(flags) => flags.append(value))
    }

    fn tinyint(&self, value: i8) -> Done {
        add!(self, Store::I8(values) => values.push(value))
    }

    fn smallint(&self, value: i16) -> Done {
        add!(self, Store::I16(values) => values.push(value))
    }

    #[inline]
    fn int(&self, value: i32) -> Done {
        add!(self, Store::I32(values) => values.push(value))
    }

    #[inline]
    fn bigint(&self, value: i64) -> Done {
        add!(self, Store::I64(values) => values.push(value))
    }

    #[inline]
    fn float(&self, value: f32) -> Done {
        add!(self, Store::F32(values) => values.push(value))
    }

    #[inline]
    fn double(&self, value: f64) -> Done {
        add!(self, Store::F64(values) => values.push(value))
    }

    // All text of a column is validated at once when the array is made.
    #[inline]
    fn utf8(&self, _: &Type, value: &[u8]) -> Done {
        self.bytes(value)
    }

    fn text(&self, value: &str) -> Done {
        self.bytes(value.as_bytes())
    }

    #[inline]
    fn blob(&self, value: &[u8]) -> Done {
        self.bytes(value)
    }

    fn varint(&self, value: &[u8]) -> Done {
        self.decimal(0, value)
    }

    fn decimal(&self, scale: i32, digits: &[u8]) -> Done {
        add!(self, Store::DecimalValues(decimals) => decimals.push(scale, digits))
    }

    fn uuid(&self, value: [u8; 16]) -> Done {
        add!(self, Store::Uuid(data) => data.extend_from_slice(&value))
    }

    fn inet(&self, value: IpAddr) -> Done {
        add!(self, Store::Bytes(ends, data) => {
            // Writing to a vector cannot fail.
            let _ = write!(data, "{value}");
            ends.push(data.len());
        })
    }

    fn timestamp(&self, milliseconds: i64) -> Done {
        add!(self, Store::I64(values) => values.push(milliseconds))
    }

    fn date(&self, days: i32) -> Done {
        add!(self, Store::I32(values) => values.push(days))
    }

    fn time(&self, nanoseconds: i64) -> Done {
        add!(self, Store::I64(values) => values.push(nanoseconds))
    }

    fn duration(&self, value: Duration) -> Done {
        let Duration { months, days, nanoseconds } = value;
        add!(self, Store::Duration(values) => values.push(IntervalMonthDayNano::new(months, days, nanoseconds)))
    }

    fn list<I: Elements<(), ColumnError>>(&self, _: &Type, items: &mut I) -> Done {
        let child = |store: &Store| match store {
            Store::List(_, child) => Some(*child),
            _ => None,
        };
        self.container(child, || items.try_for_each(|item| item))
    }

    fn set<I: Elements<(), ColumnError>>(&self, element: &Type, items: &mut I) -> Done {
        self.list(element, items)
    }

    fn vector<I: Elements<(), ColumnError>>(&self, _: &Type, items: &mut I) -> Done {
        let child = |store: &Store| match store {
            Store::Vector(_, child) => Some(*child),
            _ => None,
        };
        self.container(child, || {
            if self.has_numbers()
                && let Some(bytes) = items.take_fixed()
            {
                self.add_numbers(bytes);
            }
            items.try_for_each(|item| item)
        })
    }

    fn map<I: MapEntries<(), ColumnError>>(&self, _: &Type, _: &Type, entries: &mut I) -> Done {
        let child = |store: &Store| match store {
            Store::Map(_, [key, _]) => Some(*key),
            _ => None,
        };
        self.container(child, || entries.try_for_each(|entry| entry.map(drop)))
    }

    fn tuple<I: Elements<(), ColumnError>>(&self, _: &[Type], components: &mut I) -> Done {
        let at = self.at.get();
        let child = |store: &Store| Self::first_field(store, at);
        self.container(child, || components.try_for_each(|item| item))
    }

    fn udt<I: Elements<(), ColumnError>>(&self, _: &Udt, fields: &mut I) -> Done {
        let at = self.at.get();
        let child = |store: &Store| Self::first_field(store, at);
        self.container(child, || fields.try_for_each(|item| item))
    }
}

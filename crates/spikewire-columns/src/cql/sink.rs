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
fn other(ty: &Type) -> ColumnError {
    ColumnError::kind(format!("another value than {ty}"))
}

macro_rules! push {
    ($self:ident, $store:ident, $value:expr) => {{
        let mut all = $self.all.borrow_mut();
        let column = &mut all[$self.at.get()];
        let Store::$store(values) = &mut column.store else { return Err(other(&column.ty)) };
        values.push($value);
        column.valid.append_non_null();
        $self.at.set(column.next);
        Ok(())
    }};
}

impl Columns {
    #[inline]
    fn bytes(&self, value: &[u8]) -> Done {
        let mut all = self.all.borrow_mut();
        let column = &mut all[self.at.get()];
        let Store::Bytes(ends, data) = &mut column.store else { return Err(other(&column.ty)) };
        data.extend_from_slice(value);
        ends.push(data.len());
        column.valid.append_non_null();
        self.at.set(column.next);
        Ok(())
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
                None => return Err(other(&column.ty)),
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

    /// Takes the elements of a vector from their bytes; `false` unless they are plain numbers.
    fn numbers(&self, bytes: &[u8]) -> bool {
        fn each<const N: usize, T>(
            bytes: &[u8],
            of: impl Fn([u8; N]) -> T,
        ) -> impl Iterator<Item = T> {
            let (numbers, _) = bytes.as_chunks::<N>();
            numbers.iter().map(move |number| of(*number))
        }
        let mut all = self.all.borrow_mut();
        let column = &mut all[self.at.get()];
        let count = match &mut column.store {
            Store::F32(all) => {
                all.extend(each(bytes, f32::from_be_bytes));
                bytes.len() / 4
            }
            Store::F64(all) => {
                all.extend(each(bytes, f64::from_be_bytes));
                bytes.len() / 8
            }
            Store::I32(all) => {
                all.extend(each(bytes, i32::from_be_bytes));
                bytes.len() / 4
            }
            Store::I64(all) => {
                all.extend(each(bytes, i64::from_be_bytes));
                bytes.len() / 8
            }
            _ => return false,
        };
        column.valid.append_n_non_nulls(count);
        true
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
        let mut all = self.all.borrow_mut();
        let column = &mut all[self.at.get()];
        let Store::Boolean(flags) = &mut column.store else { return Err(other(&column.ty)) };
        flags.append(value);
        column.valid.append_non_null();
        self.at.set(column.next);
        Ok(())
    }

    fn tinyint(&self, value: i8) -> Done {
        push!(self, I8, value)
    }

    fn smallint(&self, value: i16) -> Done {
        push!(self, I16, value)
    }

    #[inline]
    fn int(&self, value: i32) -> Done {
        push!(self, I32, value)
    }

    #[inline]
    fn bigint(&self, value: i64) -> Done {
        push!(self, I64, value)
    }

    #[inline]
    fn float(&self, value: f32) -> Done {
        push!(self, F32, value)
    }

    #[inline]
    fn double(&self, value: f64) -> Done {
        push!(self, F64, value)
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
        let mut all = self.all.borrow_mut();
        let column = &mut all[self.at.get()];
        let Store::DecimalValues(decimals) = &mut column.store else {
            return Err(other(&column.ty));
        };
        decimals.push(scale, digits);
        column.valid.append_non_null();
        self.at.set(column.next);
        Ok(())
    }

    fn uuid(&self, value: [u8; 16]) -> Done {
        let mut all = self.all.borrow_mut();
        let column = &mut all[self.at.get()];
        let Store::Uuid(data) = &mut column.store else { return Err(other(&column.ty)) };
        data.extend_from_slice(&value);
        column.valid.append_non_null();
        self.at.set(column.next);
        Ok(())
    }

    fn inet(&self, value: IpAddr) -> Done {
        let mut all = self.all.borrow_mut();
        let column = &mut all[self.at.get()];
        let Store::Bytes(ends, data) = &mut column.store else { return Err(other(&column.ty)) };
        // Writing to a vector cannot fail.
        let _ = write!(data, "{value}");
        ends.push(data.len());
        column.valid.append_non_null();
        self.at.set(column.next);
        Ok(())
    }

    fn timestamp(&self, milliseconds: i64) -> Done {
        push!(self, I64, milliseconds)
    }

    fn date(&self, days: i32) -> Done {
        push!(self, I32, days)
    }

    fn time(&self, nanoseconds: i64) -> Done {
        push!(self, I64, nanoseconds)
    }

    fn duration(&self, value: Duration) -> Done {
        let Duration { months, days, nanoseconds } = value;
        push!(self, Duration, IntervalMonthDayNano::new(months, days, nanoseconds))
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
                self.numbers(bytes);
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

//! BATCH, composed row by row.

use std::borrow::BorrowMut;

use super::parameters::Parameters;
use super::values::{Values, WriteValues, put_values};
use super::{RequestError, compose};
use crate::envelope::{self, Extras, Opcode};
use crate::notation::{
    Malformed, Reader, Result as ReadResult, TooLong, put_long_string, put_short_bytes,
};
use crate::version::Version;

/// What holds a batch together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum BatchKind {
    /// All of it is applied sooner or later, or none.
    #[default]
    Logged = 0,
    /// Nothing: each partition by itself.
    Unlogged = 1,
    /// Nothing; for counters.
    Counter = 2,
}

impl BatchKind {
    /// All of them, by their numbers.
    pub const ALL: [Self; 3] = [Self::Logged, Self::Unlogged, Self::Counter];
}

const MOST_STATEMENTS: usize = u16::MAX as usize;

/// Composes a BATCH in bytes of its own (`Vec<u8>`) or behind the caller's (`&mut Vec<u8>`), of which
/// nothing is of use before [`BatchWriter::finish`].
#[derive(Debug)]
pub struct BatchWriter<B: BorrowMut<Vec<u8>>> {
    out: B,
    start: usize,
    /// Where the number of statements stands.
    count_at: usize,
    count: usize,
    version: Version,
}

impl<B: BorrowMut<Vec<u8>>> BatchWriter<B> {
    /// Begins a batch.
    pub fn new(
        mut out: B,
        version: Version,
        kind: BatchKind,
        extras: &Extras<'_>,
    ) -> Result<Self, RequestError> {
        let bytes = out.borrow_mut();
        let start = bytes.len();
        compose(bytes, version, Opcode::Batch, extras, |bytes| {
            bytes.push(kind as u8);
            Ok::<(), RequestError>(())
        })?;
        let count_at = bytes.len();
        bytes.extend_from_slice(&[0; 2]);
        Ok(Self { out, start, count_at, count: 0, version })
    }

    /// How many statements it holds.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Bytes so far.
    pub fn size(&self) -> usize {
        let out: &Vec<u8> = self.out.borrow();
        out.len() - self.start
    }

    /// The bytes so far.
    pub fn written(&self) -> &[u8] {
        let out: &Vec<u8> = self.out.borrow();
        &out[self.start..]
    }

    /// Adds the text of a statement and its values, which have no names. The batch stays as it was
    /// where that fails.
    pub fn query<V: WriteValues>(&mut self, text: &str, values: V) -> Result<(), V::Error> {
        self.add(values, |out| {
            out.push(0);
            put_long_string(out, "the text of a statement", text)
        })
    }

    /// Adds a prepared statement and its values, which have no names. The batch stays as it was where
    /// that fails.
    pub fn prepared<V: WriteValues>(&mut self, id: &[u8], values: V) -> Result<(), V::Error> {
        self.add(values, |out| {
            out.push(1);
            put_short_bytes(out, "the id of a prepared statement", id)
        })
    }

    fn add<V: WriteValues>(
        &mut self,
        values: V,
        put: impl FnOnce(&mut Vec<u8>) -> Result<(), TooLong>,
    ) -> Result<(), V::Error> {
        if values.named() {
            return Err(RequestError::NotInBatch("names of values").into());
        }
        let (what, most) = ("statements of a batch", MOST_STATEMENTS);
        if self.count == most {
            return Err(RequestError::TooLong(TooLong { what, len: most + 1, most }).into());
        }
        let out = self.out.borrow_mut();
        let before = out.len();
        let put = put(out).map_err(|error| V::Error::from(RequestError::TooLong(error)));
        let put = put.and_then(|()| put_values(out, values)).and_then(|()| {
            let (what, len) = ("a message", out.len() - self.start - envelope::HEADER_LEN);
            let most = envelope::MAX_BODY;
            if len > most {
                return Err(RequestError::TooLong(TooLong { what, len, most }).into());
            }
            Ok(())
        });
        match put {
            Ok(()) => self.count += 1,
            Err(_) => out.truncate(before),
        }
        put
    }

    /// Completes the batch and returns what it was written to; nothing is left of it where that
    /// fails.
    pub fn finish(mut self, parameters: &Parameters<'_>) -> Result<B, RequestError> {
        let out = self.out.borrow_mut();
        let count = (self.count as u16).to_be_bytes();
        out[self.count_at..self.count_at + 2].copy_from_slice(&count);
        let written = parameters.write_batch(out, self.version);
        let finished = written.and_then(|()| Ok(envelope::finish(out, self.start)?));
        if let Err(error) = finished {
            out.truncate(self.start);
            return Err(error);
        }
        Ok(self.out)
    }
}

/// A BATCH.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch<'a> {
    /// What holds it together.
    pub kind: BatchKind,
    /// Its rows.
    pub statements: Vec<(Statement<'a>, Values<'a>)>,
    /// What goes with it.
    pub parameters: Parameters<'a>,
}

/// A statement of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statement<'a> {
    /// Its text.
    Text(&'a str),
    /// The id of a prepared one.
    Prepared(&'a [u8]),
}

impl<'a> Batch<'a> {
    pub(super) fn read(version: Version, reader: &mut Reader<'a>) -> ReadResult<Self> {
        let kind = reader.byte()?;
        let kind = BatchKind::ALL.get(usize::from(kind)).copied();
        let kind = kind.ok_or_else(|| Malformed::new("a batch of an unknown kind"))?;
        let statements = (0..reader.short()?).map(|_| {
            let statement = match reader.byte()? {
                0 => Statement::Text(reader.long_string()?),
                1 => Statement::Prepared(reader.short_bytes()?),
                kind => return Err(Malformed(format!("a statement of the kind {kind}"))),
            };
            let count = reader.short()?.into();
            Ok((statement, Values::read(count, false, reader)?))
        });
        let statements = statements.collect::<ReadResult<_>>()?;
        let (parameters, _) = Parameters::read(version, reader)?;
        Ok(Self { kind, statements, parameters })
    }
}

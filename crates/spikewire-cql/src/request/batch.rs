//! BATCH, composed statement by statement.

use std::borrow::BorrowMut;

use super::parameters::Parameters;
use super::values::{Values, WriteValues, put_values};
use super::{RequestError, compose};
use crate::envelope::{self, Extras, Opcode};
use crate::notation::{
    Malformed, Reader, Result as ReadResult, TooLong, put_long_string, put_short_bytes,
};
use crate::version::Version;

/// The guarantees of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u8)]
pub enum BatchKind {
    /// All of it is eventually applied, or none.
    #[default]
    Logged = 0,
    /// No guarantee beyond each partition.
    Unlogged = 1,
    /// No guarantee; for counters.
    Counter = 2,
}

impl BatchKind {
    /// All kinds, in numerical order.
    pub const ALL: [Self; 3] = [Self::Logged, Self::Unlogged, Self::Counter];
}

const MOST_STATEMENTS: usize = u16::MAX as usize;

/// Composes a BATCH in its own buffer (`Vec<u8>`) or appends it to the caller's (`&mut Vec<u8>`).
/// The bytes are not valid before [`BatchWriter::finish`].
#[derive(Debug)]
pub struct BatchWriter<B: BorrowMut<Vec<u8>>> {
    out: B,
    start: usize,
    /// Position of the number of statements.
    count_at: usize,
    count: usize,
    version: Version,
}

impl<B: BorrowMut<Vec<u8>>> BatchWriter<B> {
    /// Starts a batch.
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

    /// Number of statements.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no statements.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Number of bytes written so far.
    pub fn size(&self) -> usize {
        let out: &Vec<u8> = self.out.borrow();
        out.len() - self.start
    }

    /// The bytes written so far.
    pub fn written(&self) -> &[u8] {
        let out: &Vec<u8> = self.out.borrow();
        &out[self.start..]
    }

    /// Adds a statement as text and its values, which have no names. On an error the batch is
    /// unchanged.
    pub fn query<V: WriteValues>(&mut self, text: &str, values: V) -> Result<(), V::Error> {
        self.add(values, |out| {
            out.push(0);
            put_long_string(out, "the text of a statement", text)
        })
    }

    /// Adds a prepared statement and its values, which have no names. On an error the batch is
    /// unchanged.
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

    /// Completes the batch and returns its buffer. On an error, nothing of the batch is left in it.
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
    /// Its kind.
    pub kind: BatchKind,
    /// Its statements.
    pub statements: Vec<(Statement<'a>, Values<'a>)>,
    /// Its parameters.
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

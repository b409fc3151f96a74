//! Records as JavaScript objects: one factory function per list of bin names, called with the
//! values as arguments. Setting properties from here would cost several times as much.

use std::rc::Rc;

use spikewire_aerospike::Error;
use spikewire_aerospike::command::{Sink, read_bins};
use spikewire_aerospike_protocol::message::{Message, Op};
use spikewire_aerospike_protocol::query::Row;
use spikewire_aerospike_protocol::value::particle::{BLOB, NULL};
use spikewire_aerospike_protocol::void_time;

use crate::aerospike::value::decode::{Decoder, particle};
use crate::environment::factories::{Factories, Factory};
use crate::js::{Env, Failure, Result, Value};

/// The maximum number of bins of a factory.
pub const WIDEST: usize = 64;

/// Bytes of at least this length have memory of their own. A power of two; offset and length share a
/// number of 32 bits.
pub const SHARED: usize = 128;
/// Set in the length of a bin's name if the value is a number that stands for bytes of the memory
/// that records share. Names are shorter.
const IS_SHARED: u8 = 0x80;

/// The arguments for a record's factory.
#[derive(Debug)]
pub struct RecordParts<'e> {
    factory: Option<Rc<Factory>>,
    generation: Value<'e>,
    ttl: Value<'e>,
    names: Vec<String>,
    values: Vec<Value<'e>>,
    results: Option<Vec<Value<'e>>>,
}

/// An array of names from a key in which each is preceded by its length.
pub fn name_array<'e>(env: Env<'e>, key: &[u8]) -> Result<Value<'e>> {
    env.array_of(names_in(key).iter().map(|name| env.string(name)))
}

/// For each name in a key, whether its value is in the memory that records share.
fn shared_in(mut key: &[u8]) -> impl Iterator<Item = bool> + '_ {
    std::iter::from_fn(move || {
        let (len, rest) = key.split_first()?;
        key = &rest[usize::from(*len & !IS_SHARED)..];
        Some(len & IS_SHARED != 0)
    })
}

/// Whether any value of a key is in the memory that records share.
#[inline]
pub fn shares(key: &[u8]) -> bool {
    shared_in(key).any(|shared| shared)
}

/// For each name in a key, whether its value is in the memory that records share; `null` if none is.
pub fn shared_array<'e>(env: Env<'e>, key: &[u8]) -> Result<Value<'e>> {
    if !shares(key) {
        return env.null();
    }
    let flags: Vec<_> = shared_in(key).map(|shared| env.boolean(shared)).collect();
    env.array_of(flags.into_iter())
}

fn names_in(mut key: &[u8]) -> Vec<String> {
    let mut names = Vec::new();
    while let Some((len, rest)) = key.split_first() {
        let (name, rest) = rest.split_at(usize::from(*len & !IS_SHARED));
        names.push(String::from_utf8_lossy(name).into_owned());
        key = rest;
    }
    names
}

/// Bins and results decoded from the wire.
pub struct RecordSink<'m, 'e, 'a> {
    pub decoder: &'m Decoder<'e, 'a>,
    /// The names of the bins, each preceded by its length.
    pub key: Vec<u8>,
    pub values: Vec<Value<'e>>,
    pub results: Vec<Value<'e>>,
    /// Memory that small bytes of several records share, if they do.
    pub shared: Option<Vec<u8>>,
}

impl<'m, 'e, 'a> RecordSink<'m, 'e, 'a> {
    pub fn new(decoder: &'m Decoder<'e, 'a>, room: usize) -> Self {
        let (key, values) = (Vec::with_capacity(64), Vec::with_capacity(room));
        Self { decoder, key, values, results: Vec::new(), shared: None }
    }

    /// The arguments for the record's factory.
    fn finish(
        self,
        factories: &Factories,
        generation: u32,
        void_time: u32,
        has_results: bool,
    ) -> Result<RecordParts<'e>> {
        let Self { decoder, key, values, results, .. } = self;
        let env = decoder.env;
        let generation = env.uint32(generation)?;
        let ttl = match void_time::ttl(void_time) {
            Some(seconds) => env.uint32(seconds)?,
            None => env.null()?,
        };
        let factory = if !has_results && values.len() <= WIDEST {
            factories.of(&key, || {
                decoder.hooks.make_factory.call(decoder.env, &[name_array(decoder.env, &key)?])
            })?
        } else {
            None
        };
        let names = if factory.is_some() { Vec::new() } else { names_in(&key) };
        let results = has_results.then_some(results);
        Ok(RecordParts { factory, generation, ttl, names, values, results })
    }

    /// Copies bytes to the shared memory, if they are small and records share one. Returns the number
    /// that stands for them: their offset and length.
    #[inline]
    fn share(&mut self, particle: u8, bytes: &[u8]) -> Option<u32> {
        let shared = self.shared.as_mut()?;
        if particle != BLOB || bytes.len() >= SHARED {
            return None;
        }
        let at = shared.len() * SHARED + bytes.len();
        shared.extend_from_slice(bytes);
        Some(at as u32)
    }

    #[inline]
    fn add(&mut self, name: &[u8], value: Value<'e>) {
        // The wire has no longer names than that.
        self.key.push(name.len() as u8);
        self.key.extend_from_slice(name);
        self.values.push(value);
    }
}

impl Sink for RecordSink<'_, '_, '_> {
    type Error = Failure;

    fn result(&mut self, answer: Option<Op<'_>>) -> Result<()> {
        let Some(answer) = answer else {
            self.results.push(self.decoder.env.null()?);
            return Ok(());
        };
        let value = particle(self.decoder, answer.particle, answer.value)?;
        if answer.particle != NULL && !answer.name.is_empty() {
            self.add(answer.name, value);
        }
        self.results.push(value);
        Ok(())
    }

    #[inline]
    fn bin(&mut self, answer: Op<'_>) -> Result<()> {
        // A query that counts records has a reply about every requested bin, also if it is missing.
        if answer.particle == NULL {
            return Ok(());
        }
        if let Some(at) = self.share(answer.particle, answer.value) {
            let value = self.decoder.env.uint32(at)?;
            self.add(answer.name, value);
            if let Some(len) = self.key.len().checked_sub(answer.name.len() + 1) {
                self.key[len] |= IS_SHARED;
            }
            return Ok(());
        }
        let value = particle(self.decoder, answer.particle, answer.value)?;
        self.add(answer.name, value);
        Ok(())
    }
}

/// Decodes a record from a message. For `operate`, `answered` tells which operations have a result
/// of their own.
pub fn parts<'e>(
    decoder: &Decoder<'e, '_>,
    factories: &Factories,
    message: &Message<'_>,
    answered: Option<&[bool]>,
) -> Result<RecordParts<'e>> {
    let mut sink = RecordSink::new(decoder, 8);
    read_bins(message, answered.unwrap_or_default(), &mut sink)?;
    let header = &message.header;
    sink.finish(factories, header.generation, header.ttl, answered.is_some())
}

/// Decodes a record from a row of a query: its bins, or the results of operations.
pub fn row_parts<'e>(
    decoder: &Decoder<'e, '_>,
    factories: &Factories,
    row: &Row<'_>,
    has_results: bool,
) -> Result<RecordParts<'e>> {
    let mut sink = RecordSink::new(decoder, 8);
    if has_results {
        row.ops().try_for_each(|answer| sink.result(Some(answer)))?;
    } else {
        row.ops().try_for_each(|bin| sink.bin(bin))?;
    }
    sink.finish(factories, row.generation, row.void_time, has_results)
}

impl<'e> RecordParts<'e> {
    /// Makes the record.
    pub fn record(self, decoder: &Decoder<'e, '_>) -> Result<Value<'e>> {
        let env = decoder.env;
        let Some(factory) = self.factory else {
            let names = env.array_of(self.names.iter().map(|name| env.string(name)))?;
            let values = env.array_of(self.values.into_iter().map(Ok))?;
            let results = match self.results {
                Some(results) => env.array_of(results.into_iter().map(Ok))?,
                None => env.null()?,
            };
            let arguments = [self.generation, self.ttl, names, values, results];
            return decoder.hooks.make_record.call(env, &arguments);
        };
        let mut arguments = Vec::with_capacity(self.values.len() + 2);
        arguments.extend([self.generation, self.ttl]);
        arguments.extend(self.values);
        factory.0.call(env, &arguments)
    }
}

/// Parses a reply's body.
pub fn message(body: &[u8]) -> Result<Message<'_>> {
    Ok(Message::parse(body).map_err(Error::from)?.0)
}

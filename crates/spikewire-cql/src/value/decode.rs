//! Decoding of values. No input makes this panic, and hosts are never told of more elements than
//! there are.

use std::net::IpAddr;

use super::sink::{Elements, Entry, MapEntries, Sink};
use super::vint::{read_duration, read_unsigned_vint};
use crate::notation::{Malformed, Reader};
use crate::types::{Type, Udt, Vector};

/// Decodes the bytes of a cell; `None` is null.
#[inline]
pub fn decode<K: Sink + ?Sized>(
    ty: &Type,
    bytes: Option<&[u8]>,
    sink: &K,
) -> Result<K::Value, K::Error> {
    let Some(bytes) = bytes else { return sink.null() };
    match ty {
        Type::Text => sink.utf8(ty, bytes),
        Type::Int if !bytes.is_empty() => sink.int(i32::from_be_bytes(exactly(ty, bytes)?)),
        Type::Bigint if !bytes.is_empty() => sink.bigint(i64::from_be_bytes(exactly(ty, bytes)?)),
        Type::Double if !bytes.is_empty() => sink.double(f64::from_be_bytes(exactly(ty, bytes)?)),
        Type::Float if !bytes.is_empty() => sink.float(f32::from_be_bytes(exactly(ty, bytes)?)),
        Type::Boolean if !bytes.is_empty() => sink.boolean(exactly::<1>(ty, bytes)? != [0]),
        Type::Blob => sink.blob(bytes),
        _ => decode_any(ty, bytes, sink),
    }
}

/// The less frequent types, kept out of line.
#[inline(never)]
fn decode_any<K: Sink + ?Sized>(ty: &Type, bytes: &[u8], sink: &K) -> Result<K::Value, K::Error> {
    match ty {
        Type::Text | Type::Ascii => sink.utf8(ty, bytes),
        Type::Blob => sink.blob(bytes),
        Type::Custom(class) => sink.custom(class, bytes),
        Type::Tuple(types) => tuple(ty, types, bytes, sink),
        Type::Udt(fields) => udt(ty, fields, bytes, sink),
        _ if bytes.is_empty() => sink.empty(ty),
        Type::Int => sink.int(i32::from_be_bytes(exactly(ty, bytes)?)),
        Type::Bigint => sink.bigint(i64::from_be_bytes(exactly(ty, bytes)?)),
        Type::Counter => sink.counter(i64::from_be_bytes(exactly(ty, bytes)?)),
        Type::Boolean => sink.boolean(exactly::<1>(ty, bytes)? != [0]),
        Type::Smallint => sink.smallint(i16::from_be_bytes(exactly(ty, bytes)?)),
        Type::Tinyint => sink.tinyint(i8::from_be_bytes(exactly(ty, bytes)?)),
        Type::Float => sink.float(f32::from_be_bytes(exactly(ty, bytes)?)),
        Type::Double => sink.double(f64::from_be_bytes(exactly(ty, bytes)?)),
        Type::Timestamp => sink.timestamp(i64::from_be_bytes(exactly(ty, bytes)?)),
        Type::Time => sink.time(i64::from_be_bytes(exactly(ty, bytes)?)),
        Type::Date => {
            let days = u32::from_be_bytes(exactly(ty, bytes)?);
            sink.date((days ^ (1 << 31)).cast_signed())
        }
        Type::Uuid => sink.uuid(exactly(ty, bytes)?),
        Type::Timeuuid => sink.timeuuid(exactly(ty, bytes)?),
        Type::Inet => sink.inet(address(bytes)?),
        Type::Varint => sink.varint(bytes),
        Type::Decimal => match bytes.split_first_chunk() {
            Some((scale, digits)) => sink.decimal(i32::from_be_bytes(*scale), digits),
            None => Err(of_length(ty, bytes.len()).into()),
        },
        Type::Duration => sink.duration(read_duration(bytes)?),
        Type::List(element) => {
            collection(ty, element, bytes, |items| sink.list(element, items), sink)
        }
        Type::Set(element) => {
            collection(ty, element, bytes, |items| sink.set(element, items), sink)
        }
        Type::Map(entry) => map(ty, &entry.0, &entry.1, bytes, sink),
        Type::Vector(elements) => vector(ty, elements, bytes, sink),
    }
}

#[inline]
fn exactly<const N: usize>(ty: &Type, bytes: &[u8]) -> Result<[u8; N], Malformed> {
    bytes.try_into().map_err(|_| of_length(ty, bytes.len()))
}

#[cold]
fn of_length(ty: &Type, len: usize) -> Malformed {
    Malformed(format!("{ty} of {len} bytes"))
}

#[cold]
fn surplus(ty: &Type, len: usize) -> Malformed {
    Malformed(format!("{len} bytes behind the last element of {ty}"))
}

fn address(bytes: &[u8]) -> Result<IpAddr, Malformed> {
    if let Ok(octets) = <[u8; 4]>::try_from(bytes) {
        Ok(octets.into())
    } else {
        exactly::<16>(&Type::Inet, bytes).map(IpAddr::from)
    }
}

/// The number of elements of a list, set or map, each of which takes at least `least` bytes.
fn count(ty: &Type, reader: &mut Reader<'_>, least: usize) -> Result<usize, Malformed> {
    let (count, left) = (reader.count()?, reader.rest().len());
    if count > left / least {
        return Err(Malformed(format!("{count} elements of {ty} announced in {left} bytes")));
    }
    Ok(count)
}

/// Checks that nothing is left after the last element. A host may stop early.
fn finished<T>(value: T, ty: &Type, left: usize, reader: &Reader<'_>) -> Result<T, Malformed> {
    match reader.rest().len() {
        0 => Ok(value),
        _ if left > 0 => Ok(value),
        len => Err(surplus(ty, len)),
    }
}

fn collection<'a, K: Sink + ?Sized>(
    ty: &Type,
    element: &'a Type,
    bytes: &'a [u8],
    make: impl FnOnce(&mut Items<'a, K>) -> Result<K::Value, K::Error>,
    sink: &'a K,
) -> Result<K::Value, K::Error> {
    let mut reader = Reader(bytes);
    let left = count(ty, &mut reader, 4)?;
    let mut items = Items { ty: element, reader, left, sink };
    let value = make(&mut items)?;
    Ok(finished(value, ty, items.left, &items.reader)?)
}

fn map<K: Sink + ?Sized>(
    ty: &Type,
    key: &Type,
    value: &Type,
    bytes: &[u8],
    sink: &K,
) -> Result<K::Value, K::Error> {
    let mut reader = Reader(bytes);
    let left = count(ty, &mut reader, 8)?;
    let mut entries = Entries { key, value, reader, left, sink };
    let decoded = sink.map(key, value, &mut entries)?;
    Ok(finished(decoded, ty, entries.left, &entries.reader)?)
}

fn tuple<K: Sink + ?Sized>(
    ty: &Type,
    types: &[Type],
    bytes: &[u8],
    sink: &K,
) -> Result<K::Value, K::Error> {
    let mut parts = Parts { types: types.iter(), reader: Reader(bytes), sink };
    let value = sink.tuple(types, &mut parts)?;
    Ok(finished(value, ty, parts.len(), &parts.reader)?)
}

fn udt<K: Sink + ?Sized>(
    ty: &Type,
    udt: &Udt,
    bytes: &[u8],
    sink: &K,
) -> Result<K::Value, K::Error> {
    let types = udt.fields.iter().map(|(_, ty)| ty);
    let mut parts = Parts { types, reader: Reader(bytes), sink };
    let value = sink.udt(udt, &mut parts)?;
    Ok(finished(value, ty, parts.len(), &parts.reader)?)
}

fn vector<K: Sink + ?Sized>(
    ty: &Type,
    vector: &Vector,
    bytes: &[u8],
    sink: &K,
) -> Result<K::Value, K::Error> {
    let Vector { element, dimension } = vector;
    let mut reader = Reader(bytes);
    if let Some(width) = element.width_in_vector().filter(|width| *width > 0) {
        if width.checked_mul(*dimension) != Some(bytes.len()) {
            return Err(of_length(ty, bytes.len()).into());
        }
        let mut fixed = FixedElements { ty: element, width, reader, sink };
        return sink.vector(element, &mut fixed);
    }
    // An element's length takes at least one byte.
    if *dimension > bytes.len() {
        return Err(of_length(ty, bytes.len()).into());
    }
    reader.0 = bytes;
    let mut elements = VariableElements { ty: element, left: *dimension, reader, sink };
    let value = sink.vector(element, &mut elements)?;
    Ok(finished(value, ty, elements.left, &elements.reader)?)
}

/// The elements of a list or set.
struct Items<'a, K: Sink + ?Sized> {
    ty: &'a Type,
    reader: Reader<'a>,
    left: usize,
    sink: &'a K,
}

impl<K: Sink + ?Sized> Items<'_, K> {
    #[inline]
    fn element<S: Sink + ?Sized>(&mut self, sink: &S) -> Option<Result<S::Value, S::Error>> {
        self.left = self.left.checked_sub(1)?;
        let item = match self.reader.bytes() {
            Ok(bytes) => decode(self.ty, bytes, sink),
            Err(malformed) => Err(malformed.into()),
        };
        if item.is_err() {
            self.left = 0;
        }
        Some(item)
    }
}

impl<K: Sink + ?Sized> Iterator for Items<'_, K> {
    type Item = Result<K::Value, K::Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.element(self.sink)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<K: Sink + ?Sized> ExactSizeIterator for Items<'_, K> {}
impl<K: Sink + ?Sized> Elements<K::Value, K::Error> for Items<'_, K> {
    fn next_by<S: Sink + ?Sized>(&mut self, sink: &S) -> Option<Result<S::Value, S::Error>> {
        self.element(sink)
    }
}

/// The entries of a map.
struct Entries<'a, K: Sink + ?Sized> {
    key: &'a Type,
    value: &'a Type,
    reader: Reader<'a>,
    left: usize,
    sink: &'a K,
}

impl<S: Sink + ?Sized> Entries<'_, S> {
    #[inline]
    fn entry<K, V>(&mut self, keys: &K, values: &V) -> Result<(K::Value, V::Value), K::Error>
    where
        K: Sink + ?Sized,
        V: Sink<Error = K::Error> + ?Sized,
    {
        let key = decode(self.key, self.reader.bytes()?, keys)?;
        Ok((key, decode(self.value, self.reader.bytes()?, values)?))
    }

    #[inline]
    fn checked<K, V>(&mut self, keys: &K, values: &V) -> Option<Entry<K, V>>
    where
        K: Sink + ?Sized,
        V: Sink<Error = K::Error> + ?Sized,
    {
        self.left = self.left.checked_sub(1)?;
        let entry = self.entry(keys, values);
        if entry.is_err() {
            self.left = 0;
        }
        Some(entry)
    }
}

impl<K: Sink + ?Sized> Iterator for Entries<'_, K> {
    type Item = Result<(K::Value, K::Value), K::Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.checked(self.sink, self.sink)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<K: Sink + ?Sized> ExactSizeIterator for Entries<'_, K> {}
impl<S: Sink + ?Sized> MapEntries<S::Value, S::Error> for Entries<'_, S> {
    fn next_by<K, V>(&mut self, keys: &K, values: &V) -> Option<Entry<K, V>>
    where
        K: Sink + ?Sized,
        V: Sink<Error = K::Error> + ?Sized,
    {
        self.checked(keys, values)
    }
}

/// The components of a tuple, or the fields of a user-defined type.
struct Parts<'a, T, K: Sink + ?Sized> {
    types: T,
    reader: Reader<'a>,
    sink: &'a K,
}

impl<'a, T, K> Parts<'_, T, K>
where
    T: ExactSizeIterator<Item = &'a Type>,
    K: Sink + ?Sized,
{
    #[inline]
    fn part<S: Sink + ?Sized>(&mut self, sink: &S) -> Option<Result<S::Value, S::Error>> {
        let ty = self.types.next()?;
        if self.reader.is_empty() {
            return Some(sink.absent());
        }
        Some(match self.reader.bytes() {
            Ok(bytes) => decode(ty, bytes, sink),
            Err(malformed) => Err(malformed.into()),
        })
    }
}

impl<'a, T, K> Iterator for Parts<'_, T, K>
where
    T: ExactSizeIterator<Item = &'a Type>,
    K: Sink + ?Sized,
{
    type Item = Result<K::Value, K::Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.part(self.sink)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.types.size_hint()
    }
}

impl<'a, T, K> ExactSizeIterator for Parts<'_, T, K>
where
    T: ExactSizeIterator<Item = &'a Type>,
    K: Sink + ?Sized,
{
}

impl<'a, T, K> Elements<K::Value, K::Error> for Parts<'_, T, K>
where
    T: ExactSizeIterator<Item = &'a Type>,
    K: Sink + ?Sized,
{
    fn next_by<S: Sink + ?Sized>(&mut self, sink: &S) -> Option<Result<S::Value, S::Error>> {
        self.part(sink)
    }
}

/// The elements of a vector if all have the same size.
struct FixedElements<'a, K: Sink + ?Sized> {
    ty: &'a Type,
    width: usize,
    reader: Reader<'a>,
    sink: &'a K,
}

impl<K: Sink + ?Sized> Iterator for FixedElements<'_, K> {
    type Item = Result<K::Value, K::Error>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.next_by(self.sink)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.reader.rest().len() / self.width;
        (left, Some(left))
    }
}

impl<K: Sink + ?Sized> ExactSizeIterator for FixedElements<'_, K> {}

impl<K: Sink + ?Sized> Elements<K::Value, K::Error> for FixedElements<'_, K> {
    fn take_fixed(&mut self) -> Option<&[u8]> {
        Some(std::mem::take(&mut self.reader.0))
    }

    fn next_by<S: Sink + ?Sized>(&mut self, sink: &S) -> Option<Result<S::Value, S::Error>> {
        let (bytes, rest) = self.reader.0.split_at_checked(self.width)?;
        self.reader.0 = rest;
        Some(decode(self.ty, Some(bytes), sink))
    }
}

/// The elements of a vector if they are length-prefixed.
struct VariableElements<'a, K: Sink + ?Sized> {
    ty: &'a Type,
    left: usize,
    reader: Reader<'a>,
    sink: &'a K,
}

impl<K: Sink + ?Sized> VariableElements<'_, K> {
    fn element<S: Sink + ?Sized>(&mut self, sink: &S) -> Result<S::Value, S::Error> {
        let len = read_unsigned_vint(&mut self.reader)?;
        let bytes = self.reader.take(usize::try_from(len).unwrap_or(usize::MAX))?;
        decode(self.ty, Some(bytes), sink)
    }
}

impl<K: Sink + ?Sized> Iterator for VariableElements<'_, K> {
    type Item = Result<K::Value, K::Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_by(self.sink)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl<K: Sink + ?Sized> ExactSizeIterator for VariableElements<'_, K> {}
impl<K: Sink + ?Sized> Elements<K::Value, K::Error> for VariableElements<'_, K> {
    fn next_by<S: Sink + ?Sized>(&mut self, sink: &S) -> Option<Result<S::Value, S::Error>> {
        self.left = self.left.checked_sub(1)?;
        let element = self.element(sink);
        if element.is_err() {
            self.left = 0;
        }
        Some(element)
    }
}

//! Encoding of values. Everything that the server would reject is rejected here, with its place.

use std::net::IpAddr;

use super::calendar::DAY;
use super::encode_error::{EncodeError, Problem, Step};
use super::number::shortest;
use super::source::{Accept, AcceptEntries, Presence, Source, Unfit};
use super::vint::{put_duration, put_unsigned_vint};
use crate::types::{Type, Udt, Vector};

const NULL: [u8; 4] = (-1_i32).to_be_bytes();
const UNSET: [u8; 4] = (-2_i32).to_be_bytes();
const EMPTY: [u8; 4] = [0; 4];

/// Appends a `[value]`: its length and bytes, null, or "not set". Appends nothing on an error.
#[inline]
pub fn encode<S: Source + ?Sized>(ty: &Type, value: &S, out: &mut Vec<u8>) -> Result<(), S::Error> {
    let start = out.len();
    top_level(ty, value, out).map_err(|unfit| {
        out.truncate(start);
        raise(unfit, None)
    })
}

/// Like [`encode`], for the bind marker with this name, with which an error's place begins.
#[inline]
pub fn encode_bound<S: Source + ?Sized>(
    name: &str,
    ty: &Type,
    value: &S,
    out: &mut Vec<u8>,
) -> Result<(), S::Error> {
    let start = out.len();
    top_level(ty, value, out).map_err(|unfit| {
        out.truncate(start);
        raise(unfit, Some(name))
    })
}

#[cold]
fn raise<E: From<EncodeError>>(unfit: Unfit<E>, name: Option<&str>) -> E {
    let unfit = match name {
        Some(name) => unfit.within(|| Step::Column(name.to_owned())),
        None => unfit,
    };
    match unfit {
        Unfit::Encode(error) => (*error).into(),
        Unfit::Host(error) => error,
        // The traversal has already added a type to these.
        Unfit::Kind | Unfit::Range | Unfit::Invalid(_) => EncodeError::new(
            Type::Blob,
            Problem::Kind { value: "a value of another kind".to_owned() },
        )
        .into(),
    }
}

#[inline]
fn top_level<S: Source + ?Sized>(
    ty: &Type,
    value: &S,
    out: &mut Vec<u8>,
) -> Result<(), Unfit<S::Error>> {
    match value.presence() {
        Presence::Value => framed(ty, value, out),
        Presence::Null => {
            out.extend_from_slice(&NULL);
            Ok(())
        }
        Presence::Unset => {
            out.extend_from_slice(&UNSET);
            Ok(())
        }
        Presence::Empty => empty(ty, out),
    }
}

/// Appends the `[bytes]` of a value within another.
fn nested<S: Source + ?Sized>(
    ty: &Type,
    value: &S,
    nullable: bool,
    out: &mut Vec<u8>,
) -> Result<(), Unfit<S::Error>> {
    match value.presence() {
        Presence::Value => framed(ty, value, out),
        Presence::Null if nullable => {
            out.extend_from_slice(&NULL);
            Ok(())
        }
        Presence::Null => Err(Unfit::encode_error(ty, Problem::Null)),
        Presence::Unset => Err(Unfit::encode_error(ty, Problem::Unset)),
        Presence::Empty => empty(ty, out),
    }
}

fn empty<E>(ty: &Type, out: &mut Vec<u8>) -> Result<(), Unfit<E>> {
    if !ty.allows_empty() {
        return Err(Unfit::encode_error(ty, Problem::Empty));
    }
    out.extend_from_slice(&EMPTY);
    Ok(())
}

/// Appends the length-prefixed bytes of a value.
#[inline]
fn framed<S: Source + ?Sized>(
    ty: &Type,
    value: &S,
    out: &mut Vec<u8>,
) -> Result<(), Unfit<S::Error>> {
    let written = match ty {
        Type::Int => value.integer().and_then(narrow::<i32, _>).map(|n| put(out, n.to_be_bytes())),
        Type::Bigint => value.integer().map(|n| put(out, n.to_be_bytes())),
        Type::Double => value.double().map(|n| put(out, n.to_be_bytes())),
        _ => return framed_any(ty, value, out),
    };
    written.map_err(|unfit| unfit.of(ty, || value.describe()))
}

/// Appends the length-prefixed bytes of a fixed-size type.
#[inline]
fn put<const N: usize>(out: &mut Vec<u8>, bytes: [u8; N]) {
    out.reserve(4 + N);
    out.extend_from_slice(&(N as i32).to_be_bytes());
    out.extend_from_slice(&bytes);
}

/// The less frequent types, kept out of line.
fn framed_any<S: Source + ?Sized>(
    ty: &Type,
    value: &S,
    out: &mut Vec<u8>,
) -> Result<(), Unfit<S::Error>> {
    let start = out.len();
    out.extend_from_slice(&EMPTY);
    body(ty, value, out)?;
    let len = out.len() - start - 4;
    let Ok(announced) = i32::try_from(len) else {
        return Err(Unfit::encode_error(ty, Problem::TooLong { len }));
    };
    out[start..start + 4].copy_from_slice(&announced.to_be_bytes());
    Ok(())
}

/// Appends the bytes of a value without their length.
#[inline]
fn body<S: Source + ?Sized>(
    ty: &Type,
    value: &S,
    out: &mut Vec<u8>,
) -> Result<(), Unfit<S::Error>> {
    write(ty, value, out).map_err(|unfit| unfit.of(ty, || value.describe()))
}

fn write<S: Source + ?Sized>(
    ty: &Type,
    value: &S,
    out: &mut Vec<u8>,
) -> Result<(), Unfit<S::Error>> {
    match ty {
        Type::Int => {
            out.extend_from_slice(&narrow::<i32, _>(value.integer()?)?.to_be_bytes());
        }
        Type::Bigint | Type::Counter => out.extend_from_slice(&value.integer()?.to_be_bytes()),
        Type::Text => value.text(out)?,
        Type::Ascii => {
            let start = out.len();
            value.text(out)?;
            if !out[start..].is_ascii() {
                return Err(Unfit::encode_error(ty, Problem::NotAscii));
            }
        }
        Type::Blob | Type::Custom(_) => value.bytes(out)?,
        Type::Boolean => out.push(value.boolean()?.into()),
        Type::Smallint => {
            out.extend_from_slice(&narrow::<i16, _>(value.integer()?)?.to_be_bytes());
        }
        Type::Tinyint => out.extend_from_slice(&narrow::<i8, _>(value.integer()?)?.to_be_bytes()),
        Type::Float => out.extend_from_slice(&value.float()?.to_be_bytes()),
        Type::Double => out.extend_from_slice(&value.double()?.to_be_bytes()),
        Type::Varint => {
            let start = out.len();
            value.varint(out)?;
            shorten(out, start);
        }
        Type::Decimal => {
            let start = out.len();
            out.extend_from_slice(&[0; 4]);
            let scale = value.decimal(out)?;
            out[start..start + 4].copy_from_slice(&scale.to_be_bytes());
            shorten(out, start + 4);
        }
        Type::Uuid => out.extend_from_slice(&value.uuid()?),
        Type::Timeuuid => {
            let uuid = value.uuid()?;
            if uuid[6] >> 4 != 1 {
                return Err(Unfit::Invalid("a UUID of version 1 is needed".into()));
            }
            out.extend_from_slice(&uuid);
        }
        Type::Inet => match value.inet()? {
            IpAddr::V4(address) => out.extend_from_slice(&address.octets()),
            IpAddr::V6(address) => out.extend_from_slice(&address.octets()),
        },
        Type::Timestamp => out.extend_from_slice(&value.timestamp()?.to_be_bytes()),
        Type::Date => {
            let days = narrow::<i32, _>(value.date()?)?;
            out.extend_from_slice(&(days.cast_unsigned() ^ (1 << 31)).to_be_bytes());
        }
        Type::Time => match value.time()? {
            time @ 0..DAY => out.extend_from_slice(&time.to_be_bytes()),
            _ => return Err(Unfit::Range),
        },
        Type::Duration => {
            let duration = value.duration()?;
            if !duration.has_one_sign() {
                let why = "months, days and nanoseconds must have the same sign";
                return Err(Unfit::Invalid(why.into()));
            }
            put_duration(duration, out);
        }
        Type::List(element) | Type::Set(element) => {
            counted(ty, out, |out, count| value.items(ty, &mut List { element, out, count }))?;
        }
        Type::Map(entry) => counted(ty, out, |out, count| {
            value.entries(&mut Map { key: &entry.0, value: &entry.1, out, count })
        })?,
        Type::Tuple(components) => tuple(ty, components, value, out)?,
        Type::Udt(udt) => fields(ty, udt, value, out)?,
        Type::Vector(vector) => elements(ty, vector, value, out)?,
    }
    Ok(())
}

#[inline]
fn narrow<T: TryFrom<i64>, E>(wide: i64) -> Result<T, Unfit<E>> {
    T::try_from(wide).map_err(|_| Unfit::Range)
}

/// Removes redundant leading bytes of an arbitrary-precision integer.
fn shorten(out: &mut Vec<u8>, start: usize) {
    if out.len() == start {
        out.push(0);
    }
    let needless = out.len() - start - shortest(&out[start..]).len();
    if needless > 0 {
        out.drain(start..start + needless);
    }
}

/// Appends elements preceded by their number.
fn counted<E>(
    ty: &Type,
    out: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>, &mut usize) -> Result<(), Unfit<E>>,
) -> Result<(), Unfit<E>> {
    let (start, mut count) = (out.len(), 0);
    out.extend_from_slice(&EMPTY);
    write(out, &mut count)?;
    let Ok(announced) = i32::try_from(count) else {
        return Err(Unfit::encode_error(ty, Problem::TooLong { len: count }));
    };
    out[start..start + 4].copy_from_slice(&announced.to_be_bytes());
    Ok(())
}

fn tuple<S: Source + ?Sized>(
    ty: &Type,
    components: &[Type],
    value: &S,
    out: &mut Vec<u8>,
) -> Result<(), Unfit<S::Error>> {
    let mut parts = Tuple { components, out, count: 0, is_short: false };
    value.items(ty, &mut parts)?;
    let (count, expected) = (parts.count, components.len());
    if count > expected {
        return Err(Unfit::encode_error(ty, Problem::Count { count, expected }));
    }
    if !parts.is_short {
        (count..expected).for_each(|_| out.extend_from_slice(&NULL));
    }
    Ok(())
}

fn fields<S: Source + ?Sized>(
    ty: &Type,
    udt: &Udt,
    value: &S,
    out: &mut Vec<u8>,
) -> Result<(), Unfit<S::Error>> {
    if let Some(name) = value.unknown_field(udt)? {
        return Err(Unfit::encode_error(ty, Problem::UnknownField { name }));
    }
    for (index, (name, ty)) in udt.fields.iter().enumerate() {
        let start = out.len();
        value.field(index, name, &mut Field { name, ty, start, out })?;
        if out.len() == start {
            out.extend_from_slice(&NULL);
        }
    }
    Ok(())
}

fn elements<S: Source + ?Sized>(
    ty: &Type,
    vector: &Vector,
    value: &S,
    out: &mut Vec<u8>,
) -> Result<(), Unfit<S::Error>> {
    let fixed = vector.element.width_in_vector().is_some();
    let mut elements = Elements { vector, fixed, out, count: 0 };
    value.items(ty, &mut elements)?;
    let (count, expected) = (elements.count, vector.dimension);
    if count != expected {
        return Err(Unfit::encode_error(ty, Problem::Count { count, expected }));
    }
    Ok(())
}

struct List<'a> {
    element: &'a Type,
    out: &'a mut Vec<u8>,
    count: &'a mut usize,
}

impl<E: From<EncodeError>> Accept<E> for List<'_> {
    #[inline]
    fn item<S: Source<Error = E> + ?Sized>(&mut self, item: &S) -> Result<(), Unfit<E>> {
        let index = *self.count;
        *self.count += 1;
        nested(self.element, item, false, self.out)
            .map_err(|unfit| unfit.within(|| Step::Index(index)))
    }
}

struct Map<'a> {
    key: &'a Type,
    value: &'a Type,
    out: &'a mut Vec<u8>,
    count: &'a mut usize,
}

impl<E: From<EncodeError>> AcceptEntries<E> for Map<'_> {
    #[inline]
    fn entry<K, V>(&mut self, key: &K, value: &V) -> Result<(), Unfit<E>>
    where
        K: Source<Error = E> + ?Sized,
        V: Source<Error = E> + ?Sized,
    {
        *self.count += 1;
        let inside = |unfit: Unfit<E>| unfit.within(|| Step::Key(key.describe()));
        nested(self.key, key, false, self.out).map_err(inside)?;
        nested(self.value, value, false, self.out).map_err(inside)
    }
}

struct Tuple<'a> {
    components: &'a [Type],
    out: &'a mut Vec<u8>,
    count: usize,
    is_short: bool,
}

impl<E: From<EncodeError>> Accept<E> for Tuple<'_> {
    fn leave_rest(&mut self) {
        self.is_short = true;
    }

    fn item<S: Source<Error = E> + ?Sized>(&mut self, item: &S) -> Result<(), Unfit<E>> {
        let index = self.count;
        self.count += 1;
        // Surplus elements are counted, for the error.
        let Some(ty) = self.components.get(index) else { return Ok(()) };
        nested(ty, item, true, self.out).map_err(|unfit| unfit.within(|| Step::Index(index)))
    }
}

struct Field<'a> {
    name: &'a str,
    ty: &'a Type,
    start: usize,
    out: &'a mut Vec<u8>,
}

impl<E: From<EncodeError>> Accept<E> for Field<'_> {
    fn item<S: Source<Error = E> + ?Sized>(&mut self, item: &S) -> Result<(), Unfit<E>> {
        // If there are several, the last one wins.
        self.out.truncate(self.start);
        nested(self.ty, item, true, self.out)
            .map_err(|unfit| unfit.within(|| Step::Field(self.name.to_owned())))
    }
}

struct Elements<'a> {
    vector: &'a Vector,
    fixed: bool,
    out: &'a mut Vec<u8>,
    count: usize,
}

impl Elements<'_> {
    fn element<S: Source + ?Sized>(&mut self, item: &S) -> Result<(), Unfit<S::Error>> {
        let ty = &self.vector.element;
        match item.presence() {
            Presence::Value if self.fixed => body(ty, item, self.out),
            Presence::Value => {
                let start = self.out.len();
                body(ty, item, self.out)?;
                put_unsigned_vint((self.out.len() - start) as u64, self.out, start);
                Ok(())
            }
            Presence::Empty if !self.fixed && ty.allows_empty() => {
                self.out.push(0);
                Ok(())
            }
            Presence::Null => Err(Unfit::encode_error(ty, Problem::Null)),
            Presence::Unset => Err(Unfit::encode_error(ty, Problem::Unset)),
            Presence::Empty => Err(Unfit::encode_error(ty, Problem::Empty)),
        }
    }
}

impl<E: From<EncodeError>> Accept<E> for Elements<'_> {
    #[inline]
    fn item<S: Source<Error = E> + ?Sized>(&mut self, item: &S) -> Result<(), Unfit<E>> {
        let index = self.count;
        self.count += 1;
        if index >= self.vector.dimension {
            return Ok(());
        }
        self.element(item).map_err(|unfit| unfit.within(|| Step::Index(index)))
    }
}

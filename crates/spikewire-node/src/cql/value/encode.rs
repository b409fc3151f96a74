//! Encodes JavaScript values as values of statements.

use std::net::IpAddr;

use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::{
    Accept, AcceptEntries, Duration, Presence, Source, Unfit, Uuid, single,
};

use super::{date, sort};
use crate::errors::{describe, kind_name, number_text};
use crate::hooks::cql::Hooks;
use crate::js::create::MAX_SAFE;
use crate::js::{Failure, Type as Kind, Value};

/// A JavaScript value.
pub struct HostValue<'e, 'a> {
    hooks: &'a Hooks,
    value: Value<'e>,
    kind: Kind,
}

type Result<T> = std::result::Result<T, Unfit<Failure>>;

/// Range errors of the binding are reported with the place of the value.
fn unfit(failure: Failure) -> Unfit<Failure> {
    match failure {
        Failure::Range(why) => Unfit::Invalid(why.into()),
        other => Unfit::Host(other),
    }
}

fn invalid<T>(why: impl Into<String>) -> Result<T> {
    Err(Unfit::Invalid(why.into().into()))
}

impl<'e, 'a> HostValue<'e, 'a> {
    /// A value.
    #[inline]
    pub fn new(hooks: &'a Hooks, value: Value<'e>) -> Self {
        Self { hooks, value, kind: value.kind() }
    }

    fn other(&self, value: Value<'e>) -> Self {
        Self::new(self.hooks, value)
    }

    /// The kind of an object.
    fn sort(&self) -> Result<u32> {
        let classified = self.hooks.classify.call(self.value.env(), &[self.value]);
        classified.and_then(Value::index).map_err(unfit)
    }

    /// The content of an object of this kind.
    fn content(&self, sort: u32) -> Result<Value<'e>> {
        if self.kind != Kind::Object || self.sort()? != sort {
            return Err(Unfit::Kind);
        }
        self.unwrapped()
    }

    fn unwrapped(&self) -> Result<Value<'e>> {
        self.hooks.unwrap.call(self.value.env(), &[self.value]).map_err(unfit)
    }

    /// What a `Proxy` stands for.
    fn behind_proxy(&self) -> Result<Self> {
        let content = self.other(self.unwrapped()?);
        if content.kind == Kind::String { invalid(content.string()?) } else { Ok(content) }
    }

    fn string(&self) -> Result<String> {
        if self.kind != Kind::String {
            return Err(Unfit::Kind);
        }
        self.value.text().map_err(unfit)?.ok_or(Unfit::Kind)
    }

    /// Passes on the elements of an array.
    fn elements<A: Accept<Failure>>(&self, array: Value<'e>, into: &mut A) -> Result<()> {
        for at in 0..array.len().map_err(unfit)? {
            into.item(&self.other(array.element(at).map_err(unfit)?))?;
        }
        Ok(())
    }
}

impl Source for HostValue<'_, '_> {
    type Error = Failure;

    #[inline]
    fn presence(&self) -> Presence {
        match self.kind {
            Kind::Null => Presence::Null,
            Kind::Symbol => match self.sort() {
                Ok(sort::UNSET) => Presence::Unset,
                Ok(sort::EMPTY) => Presence::Empty,
                _ => Presence::Value,
            },
            _ => Presence::Value,
        }
    }

    fn describe(&self) -> String {
        let (value, kind) = (describe(self.value), kind_name(self.value));
        if value == kind || self.kind == Kind::BigInt {
            return value;
        }
        format!("{value} ({kind})")
    }

    fn boolean(&self) -> Result<bool> {
        self.value.boolean().ok_or(Unfit::Kind)
    }

    #[inline]
    fn integer(&self) -> Result<i64> {
        match self.kind {
            Kind::Number => whole(self.value.number().unwrap_or(f64::NAN)),
            Kind::BigInt => match self.value.bigint() {
                Some(Ok(int)) => Ok(int),
                _ => Err(Unfit::Range),
            },
            _ => Err(Unfit::Kind),
        }
    }

    fn float(&self) -> Result<f32> {
        single(self.double()?)
    }

    #[inline]
    fn double(&self) -> Result<f64> {
        if self.kind == Kind::Number {
            self.value.number().ok_or(Unfit::Kind)
        } else {
            Err(Unfit::Kind)
        }
    }

    #[inline]
    fn text(&self, out: &mut Vec<u8>) -> Result<()> {
        if self.value.append_text(out).map_err(unfit)? { Ok(()) } else { Err(Unfit::Kind) }
    }

    fn bytes(&self, out: &mut Vec<u8>) -> Result<()> {
        let appended = self.value.with_bytes(|bytes| {
            out.extend_from_slice(bytes);
            bytes.len()
        });
        match appended {
            None => Err(Unfit::Kind),
            Some(0) if self.value.is_detached() => {
                invalid(format!("the {} is detached: it has no memory", kind_name(self.value)))
            }
            Some(_) => Ok(()),
        }
    }

    fn varint(&self, out: &mut Vec<u8>) -> Result<()> {
        if self.kind == Kind::BigInt {
            let bytes = self.value.bigint_bytes().ok_or(Unfit::Kind)?;
            out.extend_from_slice(&bytes);
        } else {
            out.extend_from_slice(&self.integer()?.to_be_bytes());
        }
        Ok(())
    }

    fn decimal(&self, digits: &mut Vec<u8>) -> Result<i32> {
        if self.kind != Kind::Object {
            self.varint(digits)?;
            return Ok(0);
        }
        let content = self.content(sort::DECIMAL)?;
        let part = |at| content.element(at).map_err(unfit).map(|part| self.other(part));
        part(0)?.varint(digits)?;
        i32::try_from(part(1)?.integer()?).map_err(|_| Unfit::Range)
    }

    fn uuid(&self) -> Result<[u8; 16]> {
        let text = self.string()?;
        match text.parse::<Uuid>() {
            Ok(uuid) if text.len() == 36 => Ok(uuid.0),
            _ => invalid(format!(
                "{} is no UUID, such as 123e4567-e89b-12d3-a456-426614174000",
                describe(self.value)
            )),
        }
    }

    fn inet(&self) -> Result<IpAddr> {
        let text = self.string()?;
        match text.parse() {
            Ok(address) => Ok(address),
            Err(_) => invalid(format!("{} is no IP address", describe(self.value))),
        }
    }

    fn timestamp(&self) -> Result<i64> {
        match self.value.date() {
            Some(at) if at.is_nan() => invalid("an invalid Date"),
            Some(at) => Ok(at as i64),
            None => self.integer(),
        }
    }

    fn date(&self) -> Result<i64> {
        let text = self.string()?;
        date::days(&text).map_or_else(
            || invalid(format!("{} is no day, such as 2024-02-29", describe(self.value))),
            Ok,
        )
    }

    fn time(&self) -> Result<i64> {
        self.other(self.content(sort::TIME)?).integer()
    }

    fn duration(&self) -> Result<Duration> {
        let content = self.content(sort::DURATION)?;
        let part =
            |at| content.element(at).map_err(unfit).and_then(|part| self.other(part).integer());
        Duration::of(part(0)?, part(1)?, part(2)?).ok_or(Unfit::Range)
    }

    fn items<A: Accept<Failure>>(&self, ty: &Type, into: &mut A) -> Result<()> {
        if self.value.is_array() {
            return self.elements(self.value, into);
        }
        if self.kind != Kind::Object {
            return Err(Unfit::Kind);
        }
        if matches!(ty, Type::Vector(_))
            && let Some(numbers) = self.value.typed_numbers()
        {
            return numbers.iter().try_for_each(|number| into.item(&Number(*number)));
        }
        match (self.sort()?, ty) {
            (sort::SET, Type::Set(_)) => self.elements(self.unwrapped()?, into),
            (sort::SHORT_TUPLE, Type::Tuple(_)) => {
                into.leave_rest();
                self.elements(self.unwrapped()?, into)
            }
            (sort::PROXY, _) => self.behind_proxy()?.items(ty, into),
            _ => Err(Unfit::Kind),
        }
    }

    fn entries<A: AcceptEntries<Failure>>(&self, into: &mut A) -> Result<()> {
        if self.kind != Kind::Object || self.value.is_array() {
            return Err(Unfit::Kind);
        }
        let plain = self.value.is_plain_object().map_err(unfit)?;
        let sort = if plain { sort::OTHER } else { self.sort()? };
        if sort == sort::PROXY {
            return self.behind_proxy()?.entries(into);
        }
        if plain || sort == sort::OTHER && self.value.has_no_prototype().map_err(unfit)? {
            let names = self.value.own_names().map_err(unfit)?;
            for at in 0..names.len().map_err(unfit)? {
                let name = names.element(at).map_err(unfit)?;
                let value = self.value.get(name).map_err(unfit)?;
                into.entry(&self.other(name), &self.other(value))?;
            }
            return Ok(());
        }
        if sort != sort::MAP {
            return Err(Unfit::Kind);
        }
        let flat = self.unwrapped()?;
        for at in (0..flat.len().map_err(unfit)?).step_by(2) {
            let key = self.other(flat.element(at).map_err(unfit)?);
            let value = self.other(flat.element(at + 1).map_err(unfit)?);
            into.entry(&key, &value)?;
        }
        Ok(())
    }

    fn field<A: Accept<Failure>>(&self, _: usize, name: &str, into: &mut A) -> Result<()> {
        let value = self.value.env().string(name).and_then(|name| self.value.get(name));
        let value = value.map_err(unfit)?;
        // A missing field is null.
        if value.kind() == Kind::Undefined { Ok(()) } else { into.item(&self.other(value)) }
    }

    fn unknown_field(&self, udt: &Udt) -> Result<Option<String>> {
        let may_have_fields = self.kind == Kind::Object
            && !self.value.is_array()
            && !self.value.is_date()
            && self.value.with_bytes(|_| ()).is_none();
        let sort = if may_have_fields { self.sort()? } else { sort::MAP };
        match sort {
            sort::OTHER => {}
            sort::PROXY => return self.behind_proxy()?.unknown_field(udt),
            _ => return Err(Unfit::Kind),
        }
        let names = self.value.own_names().map_err(unfit)?;
        for at in 0..names.len().map_err(unfit)? {
            let name = names.element(at).map_err(unfit)?;
            let Some(name) = name.text().map_err(unfit)? else {
                return Ok(Some("a symbol".into()));
            };
            if !udt.has_field(&name) {
                return Ok(Some(name));
            }
        }
        Ok(None)
    }
}

/// An element of a typed array.
struct Number(f64);

impl Source for Number {
    type Error = Failure;

    fn presence(&self) -> Presence {
        Presence::Value
    }

    fn describe(&self) -> String {
        format!("{} (number)", number_text(self.0))
    }

    fn integer(&self) -> Result<i64> {
        whole(self.0)
    }

    fn float(&self) -> Result<f32> {
        single(self.0)
    }

    fn double(&self) -> Result<f64> {
        Ok(self.0)
    }
}

/// An integer; numbers beyond 2^53 are rejected as inexact.
#[inline]
fn whole(number: f64) -> Result<i64> {
    if number.fract() != 0.0 || !number.is_finite() {
        return Err(Unfit::Kind);
    }
    if number.abs() > MAX_SAFE as f64 {
        return invalid(format!("{} is not exact as a number: use a bigint", number_text(number)));
    }
    Ok(number as i64)
}

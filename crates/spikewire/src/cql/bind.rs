//! Values bound to the parameters of a statement, by position and by name.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use spikewire_cassandra::{Error, Result};
use spikewire_cql::response::{Column, check_count};
use spikewire_cql::value::EncodeError;

use super::value::ToValue;

/// Values for the parameters of a statement.
///
/// | Rust | bound |
/// |---|---|
/// | `()` | nothing |
/// | tuples of [`ToValue`] | by position |
/// | `[T; N]`, `&[T]`, `Vec<T>`, where `T` may be `&dyn ToValue` | by position |
/// | [`named!`](crate::named), `HashMap<_, T>`, `BTreeMap<_, T>` | by name; upper and lower case matter only where both are used |
///
/// There must be as many values as parameters.
pub trait Values: Send + Sync {
    /// Appends the values of these parameters, in their order.
    fn bind(&self, parameters: &[Column], out: &mut Vec<u8>) -> Result<()>;

    /// Whether there are no values: a text is then sent as it is, without preparing it.
    fn is_empty(&self) -> bool;
}

impl<V: Values + ?Sized> Values for &V {
    fn bind(&self, parameters: &[Column], out: &mut Vec<u8>) -> Result<()> {
        (**self).bind(parameters, out)
    }

    fn is_empty(&self) -> bool {
        (**self).is_empty()
    }
}

#[inline]
fn put(parameter: &Column, value: &(impl ToValue + ?Sized), out: &mut Vec<u8>) -> Result<()> {
    value.bind(&parameter.name, &parameter.ty, out).map_err(encode_error)
}

#[cold]
fn encode_error(error: EncodeError) -> Error {
    Error::invalid(error.to_string())
}

#[inline]
fn check(parameters: &[Column], count: usize) -> Result<()> {
    check_count(parameters, count).map_err(Error::invalid)
}

macro_rules! tuples {
    ($($count:literal ($($part:ident $at:tt)*))*) => {
        $(impl<$($part: ToValue),*> Values for ($($part,)*) {
            #[inline]
            fn bind(&self, parameters: &[Column], out: &mut Vec<u8>) -> Result<()> {
                check(parameters, $count)?;
                $(put(&parameters[$at], &self.$at, out)?;)*
                let _ = out;
                Ok(())
            }

            fn is_empty(&self) -> bool {
                $count == 0
            }
        })*
    };
}

tuples! { 0 () }
super::tuples::each_tuple!(tuples);

impl ToValue for &dyn ToValue {
    fn bind(
        &self,
        name: &str,
        ty: &spikewire_cql::types::Type,
        out: &mut Vec<u8>,
    ) -> std::result::Result<(), EncodeError> {
        (**self).bind(name, ty, out)
    }
}

impl<T: ToValue> Values for [T] {
    fn bind(&self, parameters: &[Column], out: &mut Vec<u8>) -> Result<()> {
        check(parameters, self.len())?;
        parameters.iter().zip(self).try_for_each(|(parameter, value)| put(parameter, value, out))
    }

    fn is_empty(&self) -> bool {
        <[T]>::is_empty(self)
    }
}

macro_rules! slices {
    ($([$($generics:tt)*] $list:ty)*) => {
        $(impl<T: ToValue, $($generics)*> Values for $list {
            fn bind(&self, parameters: &[Column], out: &mut Vec<u8>) -> Result<()> {
                Values::bind(self.as_slice(), parameters, out)
            }

            fn is_empty(&self) -> bool {
                Values::is_empty(self.as_slice())
            }
        })*
    };
}

slices! {
    [] Vec<T>
    [const N: usize] [T; N]
}

/// Values by name, created by [`named!`](crate::named).
#[derive(Clone, Copy)]
pub struct Named<'a>(pub &'a [(&'a str, &'a dyn ToValue)]);

impl std::fmt::Debug for Named<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.0.iter().map(|(name, _)| *name).collect();
        f.debug_tuple("Named").field(&names).finish()
    }
}

/// Values of different types by parameter name. Parameters are named after their columns, or by
/// `:name`.
///
/// ```
/// # use spikewire::named;
/// let values = named! { "id" => 7, "name" => "pear", "price" => None::<f64> };
/// # assert_eq!(values.0.len(), 3);
/// ```
#[macro_export]
macro_rules! named {
    ($($name:expr => $value:expr),* $(,)?) => {
        $crate::cql::Named(&[$(($name, &$value as &dyn $crate::cql::ToValue)),*])
    };
}

/// Binds by name: each parameter must have a value, and each value a parameter. A name that is not
/// a parameter's may differ in upper and lower case, as CQL takes names without quotes.
fn by_name<'a, T: ToValue + ?Sized + 'a>(
    parameters: &[Column],
    names: impl Iterator<Item = &'a str> + Clone,
    find: impl Fn(&str) -> Option<&'a T>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let is_known = |name: &str| {
        parameters.iter().any(|parameter| *parameter.name == *name)
            || parameters.iter().any(|parameter| {
                parameter.name.eq_ignore_ascii_case(name) && find(&parameter.name).is_none()
            })
    };
    let mut strangers = names.clone().filter(|name| !is_known(name));
    if let Some(name) = strangers.next() {
        let known: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
        return Err(Error::invalid(format!(
            "the statement has no parameter {name:?}; it has {}",
            if known.is_empty() { "none".to_owned() } else { known.join(", ") }
        )));
    }
    parameters.iter().try_for_each(|parameter| {
        let value = match find(&parameter.name) {
            Some(value) => value,
            None => written_otherwise(parameter, names.clone(), &find)?,
        };
        put(parameter, value, out)
    })
}

/// The value of the one name that is a parameter's apart from upper and lower case.
#[cold]
fn written_otherwise<'a, T: ToValue + ?Sized + 'a>(
    parameter: &Column,
    names: impl Iterator<Item = &'a str>,
    find: impl Fn(&str) -> Option<&'a T>,
) -> Result<&'a T> {
    let mut same = names.filter(|name| name.eq_ignore_ascii_case(&parameter.name));
    let value = match (same.next(), same.next()) {
        (Some(one), Some(other)) => {
            let name = &parameter.name;
            let message = format!("{one} and {other} both name the parameter {name:?}");
            return Err(Error::invalid(message));
        }
        (one, _) => one.and_then(find),
    };
    value.ok_or_else(|| {
        Error::invalid(format!("there is no value for the parameter {:?}", parameter.name))
    })
}

impl Values for Named<'_> {
    fn bind(&self, parameters: &[Column], out: &mut Vec<u8>) -> Result<()> {
        let find = |parameter: &str| {
            self.0.iter().find(|(name, _)| *name == parameter).map(|(_, value)| *value)
        };
        by_name(parameters, self.0.iter().map(|(name, _)| *name), find, out)
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

macro_rules! maps {
    ($([$($generics:tt)*] [$($bounds:tt)*] $map:ty)*) => {
        $(impl<T: ToValue, $($generics)*> Values for $map
        where
            $($bounds)*
        {
            fn bind(&self, parameters: &[Column], out: &mut Vec<u8>) -> Result<()> {
                let names = self.keys().map(AsRef::as_ref);
                let find = |parameter: &str| {
                    self.iter().find(|(name, _)| (*name).as_ref() == parameter).map(|(_, value)| value)
                };
                by_name(parameters, names, find, out)
            }

            fn is_empty(&self) -> bool {
                Self::is_empty(self)
            }
        })*
    };
}

maps! {
    [N, H] [N: AsRef<str> + Send + Sync, H: BuildHasher + Send + Sync] HashMap<N, T, H>
    [N] [N: AsRef<str> + Send + Sync] BTreeMap<N, T>
}

//! Values bound to the parameters of a statement, by position and by name.

use std::collections::{BTreeMap, HashMap};
use std::hash::BuildHasher;

use spikewire_cassandra::{Error, Result};
use spikewire_cql::response::{Column, NamedValues, bind_by_name, check_count, check_names};
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

/// Values by name, from what finds one and from all names.
struct ByName<F, N> {
    find: F,
    names: N,
}

impl<'a, T, F, N, S> NamedValues for ByName<F, N>
where
    T: ToValue + ?Sized + 'a,
    F: Fn(&str) -> Option<&'a T>,
    N: Iterator<Item = &'a S> + Clone,
    S: AsRef<str> + ?Sized + 'a,
{
    type Value = &'a T;
    type Error = Error;

    fn get(&self, name: &str) -> Result<Option<&'a T>> {
        Ok((self.find)(name))
    }

    fn each_name(&self, visit: impl FnMut(&str) -> Result<()>) -> Result<()> {
        self.names.clone().map(AsRef::as_ref).try_for_each(visit)
    }

    fn invalid(message: String) -> Error {
        Error::invalid(message)
    }
}

/// Binds by name: each parameter must have a value, and each value a parameter.
fn by_name<'a, T: ToValue + ?Sized + 'a>(
    parameters: &[Column],
    values: &impl NamedValues<Value = &'a T, Error = Error>,
    out: &mut Vec<u8>,
) -> Result<()> {
    check_names(parameters, values)?;
    bind_by_name(parameters, values, |parameter, value| put(parameter, value, out))
}

impl Values for Named<'_> {
    fn bind(&self, parameters: &[Column], out: &mut Vec<u8>) -> Result<()> {
        let find = |parameter: &str| {
            self.0.iter().find(|(name, _)| *name == parameter).map(|(_, value)| *value)
        };
        by_name(parameters, &ByName { find, names: self.0.iter().map(|(name, _)| *name) }, out)
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
                let find = |parameter: &str| {
                    self.iter().find(|(name, _)| (*name).as_ref() == parameter).map(|(_, value)| value)
                };
                by_name(parameters, &ByName { find, names: self.keys() }, out)
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

//! Reading columns as options, lists, sets, maps and tuples.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{BuildHasher, Hash};
use std::net::IpAddr;

use spikewire_cql::types::{Type, Udt};
use spikewire_cql::value::{Duration, Elements, MapEntries};

use super::from_value::{As, FromValue, ReadResult};
use super::unreadable::Unreadable;

macro_rules! options {
    ($($method:ident($($argument:ident: $ty:ty),*))*) => {
        $(
            #[inline]
            fn $method($($argument: $ty),*) -> ReadResult<Self> {
                T::$method($($argument),*).map(Some)
            }
        )*
    };
}

impl<T: FromValue> FromValue for Option<T> {
    fn null() -> ReadResult<Self> {
        Ok(None)
    }

    /// Types with a value for it use that; otherwise it is `None`.
    fn empty(ty: &Type) -> ReadResult<Self> {
        match T::empty(ty) {
            Ok(value) => Ok(Some(value)),
            Err(Unreadable::Null) => Ok(None),
            Err(error) => Err(error),
        }
    }

    options! {
        boolean(value: bool) tinyint(value: i8) smallint(value: i16)
        int(value: i32) bigint(value: i64) counter(value: i64) float(value: f32)
        double(value: f64) text(value: &str) ascii(value: &str) blob(value: &[u8])
        varint(value: &[u8]) decimal(scale: i32, digits: &[u8]) uuid(value: [u8; 16])
        timeuuid(value: [u8; 16]) inet(value: IpAddr) timestamp(milliseconds: i64)
        date(days: i32) time(nanoseconds: i64) duration(value: Duration)
        custom(class: &str, value: &[u8])
    }

    fn list<S, I: Elements<S, Unreadable>>(items: &mut I) -> ReadResult<Self> {
        T::list(items).map(Some)
    }
    fn set<S, I: Elements<S, Unreadable>>(items: &mut I) -> ReadResult<Self> {
        T::set(items).map(Some)
    }
    fn vector<S, I: Elements<S, Unreadable>>(items: &mut I) -> ReadResult<Self> {
        T::vector(items).map(Some)
    }
    fn map<S, I: MapEntries<S, Unreadable>>(entries: &mut I) -> ReadResult<Self> {
        T::map(entries).map(Some)
    }
    fn tuple<S, I: Elements<S, Unreadable>>(components: &mut I) -> ReadResult<Self> {
        T::tuple(components).map(Some)
    }
    fn udt<S, I: Elements<S, Unreadable>>(udt: &Udt, fields: &mut I) -> ReadResult<Self> {
        T::udt(udt, fields).map(Some)
    }
}

/// The elements of a list, as `T`s.
fn all<S, T: FromValue, C: FromIterator<T>>(
    items: &mut impl Elements<S, Unreadable>,
) -> ReadResult<C> {
    std::iter::from_fn(|| items.next_by(&As::<T>::VALUE)).collect()
}

impl<T: FromValue> FromValue for Vec<T> {
    fn list<S, I: Elements<S, Unreadable>>(items: &mut I) -> ReadResult<Self> {
        let mut list = Self::with_capacity(items.len());
        while let Some(item) = items.next_by(&As::<T>::VALUE) {
            list.push(item?);
        }
        Ok(list)
    }
}

impl<T: FromValue, const N: usize> FromValue for [T; N] {
    fn list<S, I: Elements<S, Unreadable>>(items: &mut I) -> ReadResult<Self> {
        Vec::list(items)?.try_into().map_err(|items: Vec<T>| {
            Unreadable::Invalid(format!("it has {} elements", items.len()).into())
        })
    }
}

impl<T: FromValue + Eq + Hash, H: BuildHasher + Default> FromValue for HashSet<T, H> {
    fn set<S, I: Elements<S, Unreadable>>(items: &mut I) -> ReadResult<Self> {
        all::<S, T, Self>(items)
    }
}

impl<T: FromValue + Ord> FromValue for BTreeSet<T> {
    fn set<S, I: Elements<S, Unreadable>>(items: &mut I) -> ReadResult<Self> {
        all::<S, T, Self>(items)
    }
}

/// The entries of a map.
fn entries<S, K: FromValue, V: FromValue, C: FromIterator<(K, V)>>(
    entries: &mut impl MapEntries<S, Unreadable>,
) -> ReadResult<C> {
    std::iter::from_fn(|| entries.next_by(&As::<K>::VALUE, &As::<V>::VALUE)).collect()
}

impl<K, V, H> FromValue for HashMap<K, V, H>
where
    K: FromValue + Eq + Hash,
    V: FromValue,
    H: BuildHasher + Default,
{
    fn map<S, I: MapEntries<S, Unreadable>>(all: &mut I) -> ReadResult<Self> {
        entries::<S, K, V, Self>(all)
    }
}

impl<K: FromValue + Ord, V: FromValue> FromValue for BTreeMap<K, V> {
    fn map<S, I: MapEntries<S, Unreadable>>(all: &mut I) -> ReadResult<Self> {
        entries::<S, K, V, Self>(all)
    }
}

macro_rules! tuples {
    ($($count:literal ($($part:ident)+))*) => {
        $(impl<$($part: FromValue),+> FromValue for ($($part,)+) {
            fn tuple<Z, I: Elements<Z, Unreadable>>(components: &mut I) -> ReadResult<Self> {
                let count = components.len();
                if count != $count {
                    return Err(Unreadable::Invalid(format!("it has {count} components").into()));
                }
                Ok(($(components.next_by(&As::<$part>::VALUE).ok_or(Unreadable::Null)??,)+))
            }
        })*
    };
}

tuples! {
    1 (A)
    2 (A B)
    3 (A B C)
    4 (A B C D)
    5 (A B C D E)
    6 (A B C D E F)
    7 (A B C D E F G)
    8 (A B C D E F G H)
}

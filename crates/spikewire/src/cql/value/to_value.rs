//! Types that can be bound to a statement.

use spikewire_cql::types::Type;
use spikewire_cql::value::{EncodeError, Source, encode_bound};

/// Types that can be bound to a statement.
///
/// | Rust | CQL |
/// |---|---|
/// | `i8` to `i128`, `u16` to `u128` | every type of integer that has room for it; `varint`, `decimal` |
/// | `f32` | `float`, `double` |
/// | `f64` | `double` |
/// | `bool` | `boolean` |
/// | `&str`, `String` | `text`, `ascii` |
/// | `&[u8]`, `Vec<u8>`, `[u8; N]` | `blob` |
/// | [`Uuid`](crate::cql::Uuid), `[u8; 16]` | `uuid`, `timeuuid` |
/// | `IpAddr`, `Ipv4Addr`, `Ipv6Addr` | `inet` |
/// | [`Timestamp`](crate::cql::Timestamp), [`Date`](crate::cql::Date), [`Time`](crate::cql::Time), [`Duration`](crate::cql::Duration) | the types of these names |
/// | [`Varint`](crate::cql::Varint), [`Decimal`](crate::cql::Decimal) | the types of these names, of any size |
/// | `Vec<T>`, `&[T]`, `[T; N]`, `VecDeque<T>`, `HashSet<T>`, `BTreeSet<T>` | `list`, `set`, `vector` |
/// | `HashMap<K, V>`, `BTreeMap<K, V>` | `map` |
/// | tuples | tuples |
/// | `Option<T>` | `None` is null |
/// | [`Unset`](crate::cql::Unset) | what the column holds stays |
/// | [`Value`](crate::cql::Value) | anything, user-defined types included |
///
/// The parameter types of the statement decide: an unsuitable value is an error that names its
/// position, before anything is sent; values are never rounded or truncated. References, `Box`,
/// `Arc` and `Cow` of these types can be bound, too. Other types implement [`Source`].
pub trait ToValue: Send + Sync {
    /// Appends it as a value of this type for the parameter with this name.
    fn bind(&self, name: &str, ty: &Type, out: &mut Vec<u8>) -> Result<(), EncodeError>;
}

impl<S: Source<Error = EncodeError> + Send + Sync + ?Sized> ToValue for S {
    #[inline]
    fn bind(&self, name: &str, ty: &Type, out: &mut Vec<u8>) -> Result<(), EncodeError> {
        encode_bound(name, ty, self, out)
    }
}

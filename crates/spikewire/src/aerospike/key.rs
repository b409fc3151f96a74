//! User keys.

use std::borrow::Cow;

use spikewire_aerospike_protocol::key::{Digest, UserKey};

/// The user key of a record within its set: a 64-bit integer, a string, or bytes.
///
/// Verbs accept anything that converts to a key, so this type is rarely named. The type is part of
/// the key: the integer `1`, the string `"1"` and the bytes `b"1"` identify three different
/// records.
///
/// ```
/// use spikewire::Key;
///
/// assert_eq!(Key::from(7), Key::Int(7));
/// assert_eq!(Key::from("alice"), Key::Str("alice".into()));
/// assert_eq!(Key::from(&[1, 2, 3]), Key::Bytes(vec![1, 2, 3].into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Key<'a> {
    /// A 64-bit signed integer.
    Int(i64),
    /// Text.
    Str(Cow<'a, str>),
    /// Raw bytes.
    Bytes(Cow<'a, [u8]>),
    /// Only the digest of the key.
    Digest([u8; 20]),
}

impl Key<'_> {
    /// The key as an owned value.
    pub fn into_owned(self) -> Key<'static> {
        match self {
            Self::Int(int) => Key::Int(int),
            Self::Str(text) => Key::Str(Cow::Owned(text.into_owned())),
            Self::Bytes(bytes) => Key::Bytes(Cow::Owned(bytes.into_owned())),
            Self::Digest(digest) => Key::Digest(digest),
        }
    }

    /// The key to be hashed; fails for a digest.
    pub(crate) fn user(&self) -> Result<UserKey<'_>, Digest> {
        match self {
            Self::Int(int) => Ok(UserKey::Int(*int)),
            Self::Str(text) => Ok(UserKey::Str(text)),
            Self::Bytes(bytes) => Ok(UserKey::Bytes(bytes)),
            Self::Digest(digest) => Err(Digest(*digest)),
        }
    }
}

macro_rules! from {
    ($($(#[$meta:meta])* $source:ty => $make:expr;)*) => {
        $(impl<'a> From<$source> for Key<'a> {
            fn from(key: $source) -> Self {
                let make: fn($source) -> Key<'a> = $make;
                make(key)
            }
        })*
    };
}

from! {
    i64 => Key::Int;
    i32 => |key| Key::Int(key.into());
    i16 => |key| Key::Int(key.into());
    i8 => |key| Key::Int(key.into());
    u32 => |key| Key::Int(key.into());
    u16 => |key| Key::Int(key.into());
    u8 => |key| Key::Int(key.into());
    &'a str => |key| Key::Str(Cow::Borrowed(key));
    &'a String => |key| Key::Str(Cow::Borrowed(key));
    String => |key| Key::Str(Cow::Owned(key));
    Cow<'a, str> => Key::Str;
    &'a [u8] => |key| Key::Bytes(Cow::Borrowed(key));
    &'a Vec<u8> => |key| Key::Bytes(Cow::Borrowed(key));
    Vec<u8> => |key| Key::Bytes(Cow::Owned(key));
    Cow<'a, [u8]> => Key::Bytes;
}

impl<'a, const N: usize> From<&'a [u8; N]> for Key<'a> {
    fn from(key: &'a [u8; N]) -> Self {
        Key::Bytes(Cow::Borrowed(key))
    }
}

impl<'a> From<&'a Key<'_>> for Key<'a> {
    fn from(key: &'a Key<'_>) -> Self {
        match key {
            Key::Int(int) => Key::Int(*int),
            Key::Str(text) => Key::Str(Cow::Borrowed(text)),
            Key::Bytes(bytes) => Key::Bytes(Cow::Borrowed(bytes)),
            Key::Digest(digest) => Key::Digest(*digest),
        }
    }
}

//! User keys and digests from JavaScript.

use std::sync::Arc;

use spikewire_aerospike::command::SetRef;
use spikewire_aerospike_protocol::key::{Digest, UserKey};

use crate::binding::Call;
use crate::errors::{kind_name, number_text};
use crate::js::create::MAX_SAFE;
use crate::js::{Failure, Result, Type, Value};

/// The key of a record.
#[derive(Debug)]
pub struct Address<'e> {
    pub space: Arc<SetRef>,
    pub digest: Digest,
    key: Value<'e>,
}

impl<'e> Address<'e> {
    /// The key for a user key, or for a digest, which is passed alone in an array.
    #[inline]
    pub fn new(space: Arc<SetRef>, key: Value<'e>) -> Result<Self> {
        let digest = match with_user_key(key, |user| space.digest(&user))? {
            Some(digest) => digest,
            None if key.element(0)?.with_bytes(|_| ()).is_none() => {
                return Err(Failure::of_type(
                    "a key must be a number, bigint, string or Buffer, not an array of one: pass \
                     the key alone, or several to getMany",
                ));
            }
            None => digest_of(key)?,
        };
        Ok(Self { space, digest, key })
    }

    /// The user key in the form stored with the record; `None` if only the digest is known.
    pub fn stored_key(&self) -> Result<Option<Vec<u8>>> {
        with_user_key(self.key, |user| user.stored())
    }
}

/// The digest in a one-element array.
pub fn digest_of(key: Value<'_>) -> Result<Digest> {
    let value = key.element(0)?;
    let digest = value.with_bytes(|bytes| <[u8; 20]>::try_from(bytes).map_err(|_| bytes.len()));
    match digest {
        Some(Ok(bytes)) => Ok(Digest(bytes)),
        Some(Err(len)) => Err(Failure::of_range(format!("a digest has 20 bytes, not {len}"))),
        None => {
            let other = kind_name(value);
            Err(Failure::of_type(format!("a digest must be a Buffer, not {other}")))
        }
    }
}

/// A number as an integer user key.
#[inline]
pub fn whole(number: f64) -> Result<i64> {
    if number.fract() == 0.0 && number.abs() <= MAX_SAFE as f64 {
        return Ok(number as i64);
    }
    Err(Failure::of_range(format!(
        "a key must be a whole number up to 2^53 - 1, or a bigint, not {}",
        number_text(number)
    )))
}

/// Calls `read` with a user key; `None` for a digest.
#[inline]
pub fn with_user_key<R>(key: Value<'_>, read: impl FnOnce(UserKey<'_>) -> R) -> Result<Option<R>> {
    let kind = key.kind();
    match kind {
        Type::Number => {
            let number = whole(key.number().unwrap_or(f64::NAN))?;
            Ok(Some(read(UserKey::Int(number))))
        }
        Type::String => {
            let mut text = Vec::new();
            key.append_text(&mut text).map_err(|failure| failure.about("key"))?;
            // Node-API writes valid UTF-8.
            let text = String::from_utf8_lossy(&text);
            Ok(Some(read(UserKey::Str(&text))))
        }
        Type::BigInt => match key.bigint() {
            Some(Ok(int)) => Ok(Some(read(UserKey::Int(int)))),
            _ => Err(Failure::of_range("the key does not fit an integer of 64 bits signed")),
        },
        Type::Object if key.is_array() && key.len()? == 1 => Ok(None),
        _ => {
            let mut read = Some(read);
            let result =
                key.with_bytes(|bytes| read.take().map(|read| read(UserKey::Bytes(bytes))));
            match result.flatten() {
                Some(result) => Ok(Some(result)),
                None => Err(Failure::of_type(format!(
                    "a key must be a number, bigint, string or Buffer, not {}",
                    kind_name(key)
                ))),
            }
        }
    }
}

/// `digest(space, key)`: the digest of a record; also validates the key.
pub fn digest<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let space = call.host.environment.space(call.argument(0))?;
    let address = Address::new(space, call.argument(1))?;
    call.env.buffer(&address.digest.0).map(Some)
}

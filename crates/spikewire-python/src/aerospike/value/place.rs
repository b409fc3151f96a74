//! The position of a value, for error messages.

use super::Codec;
use crate::errors::LazyRepr;

/// The position of a value.
pub type Place<'a> = spikewire_aerospike_protocol::Place<'a, LazyRepr<'a, 'a>, Codec>;

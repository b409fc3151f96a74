//! Positions of values, for messages.

use std::fmt;

use crate::errors::describe;
use crate::js::Value;

/// The position of a value.
pub type Place<'a> = spikewire_aerospike_protocol::Place<'a, Described<'a>>;

/// The key of a map, as shown in messages.
#[derive(Debug)]
pub struct Described<'a>(pub Value<'a>);

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&describe(self.0))
    }
}

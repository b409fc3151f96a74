//! Results of list, map, bit and HLL operations.

use spikewire_aerospike_protocol::result_code::ResultCode;

/// A bin's particle type and value, if the bin exists.
pub type Old<'a> = Option<(u8, &'a [u8])>;

/// A value for the reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyValue {
    /// Particle type.
    pub particle: u8,
    /// Particle bytes.
    pub value: Vec<u8>,
}

impl ReplyValue {
    /// An integer.
    pub fn int(int: i64) -> Self {
        let value = int.to_be_bytes().to_vec();
        Self { particle: spikewire_aerospike_protocol::value::particle::INTEGER, value }
    }

    /// A count.
    pub fn count(count: usize) -> Self {
        Self::int(count as i64)
    }
}

/// The result of a successful modify operation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The new bin: particle type and value; `None` if unchanged.
    pub bin: Option<(u8, Vec<u8>)>,
    /// The result.
    pub result: Option<ReplyValue>,
}

/// An [`Outcome`], or the code of the rejection.
pub type ModifyResult = Result<Outcome, ResultCode>;

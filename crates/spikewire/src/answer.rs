//! What replies become.

use spikewire_engine::transport::Reply;
use spikewire_engine::{Error, Kind, Result};
use spikewire_protocol::Malformed;
use spikewire_protocol::message::Header;
use spikewire_protocol::result_code::ResultCode;

use crate::record::Record;

/// What a verb answers.
pub trait Answer: Sized {
    /// What is needed besides the reply to read it.
    type Plan: Send + Unpin + 'static;

    /// Whether a record that is not there is an answer, not an error.
    const MISS: bool;

    /// Reads the body of a reply, whose code is OK or one that [`Answer::MISS`] allows.
    fn read(body: &[u8], found: bool, plan: &Self::Plan) -> std::result::Result<Self, Malformed>;
}

impl Answer for Option<Record> {
    type Plan = ();
    const MISS: bool = true;

    fn read(body: &[u8], found: bool, (): &()) -> std::result::Result<Self, Malformed> {
        found.then(|| Record::decode(body)).transpose()
    }
}

impl Answer for Record {
    type Plan = Vec<bool>;
    const MISS: bool = false;

    fn read(body: &[u8], _: bool, answered: &Vec<bool>) -> std::result::Result<Self, Malformed> {
        Record::decode_results(body, answered)
    }
}

impl Answer for bool {
    type Plan = ();
    const MISS: bool = true;

    fn read(_: &[u8], found: bool, (): &()) -> std::result::Result<Self, Malformed> {
        Ok(found)
    }
}

impl Answer for () {
    type Plan = ();
    const MISS: bool = false;

    fn read(_: &[u8], _: bool, (): &()) -> std::result::Result<Self, Malformed> {
        Ok(())
    }
}

/// Whether a reply is an answer to a verb, or else its error.
pub(crate) fn check(reply: &Reply<'_>, miss: bool) -> Result<()> {
    match reply.code() {
        ResultCode::OK => Ok(()),
        ResultCode::NOT_FOUND if miss => Ok(()),
        _ => Err(reply.error()),
    }
}

/// Reads the body of a reply that passed [`check`].
pub(crate) fn read<A: Answer>(body: &[u8], plan: &A::Plan) -> Result<A> {
    let found = Header::result_of(body) == ResultCode::OK;
    A::read(body, found, plan).map_err(|error| Error::new(Kind::Malformed, error.to_string()))
}

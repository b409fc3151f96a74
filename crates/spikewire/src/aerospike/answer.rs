//! Converts replies to the results of verbs.

use spikewire_aerospike::Result;
use spikewire_aerospike::command::{CachedReply, Judgement, ResponseKind};
use spikewire_aerospike::transport::Reply;
use spikewire_aerospike_protocol::Malformed;
use spikewire_aerospike_protocol::message::Header;

use crate::aerospike::record::Record;

/// The result of a verb.
pub trait Answer: Sized {
    /// What is needed in addition to the reply to decode it.
    type Plan: Send + Unpin + 'static;

    /// Which replies are results and not errors.
    const KIND: ResponseKind;

    /// Decodes the body of a successful reply; `exists`: whether there is a record.
    fn read(body: &[u8], exists: bool, plan: &Self::Plan) -> std::result::Result<Self, Malformed>;
}

impl Answer for Option<Record> {
    type Plan = ();
    const KIND: ResponseKind = ResponseKind::Record(());

    fn read(body: &[u8], exists: bool, (): &()) -> std::result::Result<Self, Malformed> {
        exists.then(|| Record::decode(body, &[])).transpose()
    }
}

impl Answer for Record {
    type Plan = Vec<bool>;
    const KIND: ResponseKind = ResponseKind::Results(());

    fn read(body: &[u8], _: bool, answered: &Vec<bool>) -> std::result::Result<Self, Malformed> {
        Record::decode(body, answered)
    }
}

impl Answer for bool {
    type Plan = ();
    const KIND: ResponseKind = ResponseKind::Presence;

    fn read(_: &[u8], exists: bool, (): &()) -> std::result::Result<Self, Malformed> {
        Ok(exists)
    }
}

impl Answer for () {
    type Plan = ();
    const KIND: ResponseKind = ResponseKind::Done;

    fn read(_: &[u8], _: bool, (): &()) -> std::result::Result<Self, Malformed> {
        Ok(())
    }
}

/// Checks whether a reply is a result of a verb; otherwise returns its error.
pub(crate) fn check(reply: &Reply<'_>, kind: ResponseKind) -> Result<()> {
    match kind.judge(reply.code()) {
        Judgement::Failed => Err(reply.error()),
        Judgement::Present | Judgement::Absent => Ok(()),
    }
}

/// Decodes a reply that the near cache had.
#[cold]
pub(crate) fn known<A: Answer>(known: &CachedReply, plan: &A::Plan) -> Result<A> {
    let reply = known.reply();
    check(&reply, A::KIND)?;
    read(reply.body, plan).map_err(|error| error.on(known.node().to_string()))
}

/// Decodes the body of a reply that passed [`check`].
pub(crate) fn read<A: Answer>(body: &[u8], plan: &A::Plan) -> Result<A> {
    let exists = A::KIND.judge(Header::result_of(body)) == Judgement::Present;
    Ok(A::read(body, exists, plan)?)
}

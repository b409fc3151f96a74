//! Interprets replies to single-record commands, and passes their bins to the host.

use spikewire_aerospike_protocol::message::{Message, Op};
use spikewire_aerospike_protocol::result_code::ResultCode;

/// The kind of result of a command, with what a host keeps until the reply: `D` about the default
/// of a read, `O` about operations, `F` about the function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseKind<D = (), O = (), F = ()> {
    /// A record. If it is missing or filtered out: the default, or an error if there is none.
    Record(D),
    /// Whether the record exists, or existed, and passes the filter.
    Presence,
    /// None: it succeeds or fails. A record that is missing or filtered out is an error.
    Done,
    /// A record with the results of operations, one each.
    Results(O),
    /// The return value of a function.
    Returned(F),
}

/// The meaning of a reply's result code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// Success.
    Present,
    /// The record does not exist or was filtered out, which is a valid result here.
    Absent,
    /// An error.
    Failed,
}

/// What a reply is to the caller of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseOutcome {
    /// A record, perhaps with the results of operations.
    Record,
    /// Whether the record exists.
    Presence(bool),
    /// A success without a value.
    Done,
    /// The return value of a function.
    Returned,
    /// There is no such record: an error unless the caller has a default.
    Absent,
    /// An error.
    Failed,
}

impl<D, O, F> ResponseKind<D, O, F> {
    /// Interprets a result code.
    #[inline]
    pub fn outcome(&self, code: ResultCode) -> ResponseOutcome {
        match (self.judge(code), self) {
            (Judgement::Failed, _) => ResponseOutcome::Failed,
            (judgement, Self::Presence) => {
                ResponseOutcome::Presence(judgement == Judgement::Present)
            }
            (Judgement::Absent, _) => ResponseOutcome::Absent,
            (Judgement::Present, Self::Record(_) | Self::Results(_)) => ResponseOutcome::Record,
            (Judgement::Present, Self::Done) => ResponseOutcome::Done,
            (Judgement::Present, Self::Returned(_)) => ResponseOutcome::Returned,
        }
    }

    /// Classifies a result code.
    #[inline]
    pub fn judge(&self, code: ResultCode) -> Judgement {
        match code {
            ResultCode::OK => Judgement::Present,
            ResultCode::NOT_FOUND | ResultCode::FILTERED_OUT
                if matches!(self, Self::Record(_) | Self::Presence) =>
            {
                Judgement::Absent
            }
            _ => Judgement::Failed,
        }
    }
}

/// Classifies the result code of a batch row: for every kind of row the record may be absent.
#[inline]
pub fn judge_row(code: ResultCode) -> Judgement {
    <ResponseKind>::Record(()).judge(code)
}

/// Receives the bins of a record directly from the wire.
pub trait Sink {
    /// The host's error for a value that it cannot represent.
    type Error;

    /// Receives the result of one operation; `None` if it has none.
    fn result(&mut self, answer: Option<Op<'_>>) -> Result<(), Self::Error>;

    /// Receives a bin that does not belong to an operation.
    fn bin(&mut self, bin: Op<'_>) -> Result<(), Self::Error>;
}

/// Passes a message's bins to a sink. For `operate`, `answered` says which operations have results.
#[inline]
pub fn read_bins<S: Sink>(
    message: &Message<'_>,
    answered: &[bool],
    sink: &mut S,
) -> Result<(), S::Error> {
    let mut answers = message.ops();
    for answered in answered {
        sink.result(if *answered { answers.next() } else { None })?;
    }
    answers.try_for_each(|bin| sink.bin(bin))
}

#[cfg(test)]
mod tests {
    use super::*;
    use spikewire_aerospike_protocol::message::{Header, op, write_op};

    #[derive(Default)]
    struct Names(Vec<String>);

    impl Sink for Names {
        type Error = ();

        fn result(&mut self, answer: Option<Op<'_>>) -> Result<(), ()> {
            let name = answer.map_or("-".to_owned(), |op| format!("{:?}", op.value[0]));
            self.0.push(name);
            Ok(())
        }

        fn bin(&mut self, bin: Op<'_>) -> Result<(), ()> {
            self.0.push(String::from_utf8_lossy(bin.name).into_owned());
            Ok(())
        }
    }

    #[test]
    fn operation_results_precede_the_bins() {
        let mut bytes = Header { ops: 3, ..Header::default() }.to_bytes().to_vec();
        for (name, value) in [(&b"a"[..], 1), (b"b", 2), (b"c", 3)] {
            write_op(&mut bytes, op::READ, name, 4, &[value]);
        }
        let (message, _) = Message::parse(&bytes).unwrap();
        let mut names = Names::default();
        read_bins(&message, &[true, false, true], &mut names).unwrap();
        assert_eq!(names.0, ["1", "-", "2", "c"]);
        let mut names = Names::default();
        read_bins(&message, &[true; 5], &mut names).unwrap();
        assert_eq!(names.0, ["1", "2", "3", "-", "-"]);
    }

    #[test]
    fn what_a_reply_is() {
        let ok = |kind: ResponseKind| kind.outcome(ResultCode::OK);
        assert_eq!(ok(ResponseKind::Record(())), ResponseOutcome::Record);
        assert_eq!(ok(ResponseKind::Results(())), ResponseOutcome::Record);
        assert_eq!(ok(ResponseKind::Presence), ResponseOutcome::Presence(true));
        assert_eq!(ok(ResponseKind::Done), ResponseOutcome::Done);
        assert_eq!(ok(ResponseKind::Returned(())), ResponseOutcome::Returned);
        let missing = |kind: ResponseKind| kind.outcome(ResultCode::NOT_FOUND);
        assert_eq!(missing(ResponseKind::Record(())), ResponseOutcome::Absent);
        assert_eq!(missing(ResponseKind::Presence), ResponseOutcome::Presence(false));
        assert_eq!(missing(ResponseKind::Done), ResponseOutcome::Failed);
    }

    #[test]
    fn absence_answers_reads_only() {
        for code in [ResultCode::NOT_FOUND, ResultCode::FILTERED_OUT] {
            assert_eq!(<ResponseKind>::Record(()).judge(code), Judgement::Absent);
            assert_eq!(<ResponseKind>::Presence.judge(code), Judgement::Absent);
            assert_eq!(<ResponseKind>::Done.judge(code), Judgement::Failed);
            assert_eq!(<ResponseKind>::Results(()).judge(code), Judgement::Failed);
            assert_eq!(judge_row(code), Judgement::Absent);
        }
        assert_eq!(judge_row(ResultCode::TIMEOUT), Judgement::Failed);
    }
}

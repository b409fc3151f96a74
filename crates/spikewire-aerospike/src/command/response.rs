//! What a reply to a command on one record means, and its bins on their way to a host's values.

use spikewire_aerospike_protocol::message::{Message, Op};
use spikewire_aerospike_protocol::result_code::ResultCode;

/// What a command answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseKind {
    /// A record, or none.
    Record,
    /// Whether the record is there, or was.
    Presence,
    /// Nothing: it succeeds or fails.
    Done,
    /// A record with the results of operations, one each.
    Results,
    /// What a function returned.
    Returned,
}

/// What a reply with a certain code is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    /// What was asked for.
    Present,
    /// There is no such record, or the filter left it out; and that is an answer.
    Absent,
    /// An error.
    Failed,
}

impl ResponseKind {
    /// What a reply with this code is.
    #[inline]
    pub fn judge(self, code: ResultCode) -> Judgement {
        match code {
            ResultCode::OK => Judgement::Present,
            ResultCode::NOT_FOUND | ResultCode::FILTERED_OUT
                if matches!(self, Self::Record | Self::Presence) =>
            {
                Judgement::Absent
            }
            _ => Judgement::Failed,
        }
    }
}

/// What a row of a batch with this code is: every kind of row may find no record.
#[inline]
pub fn judge_row(code: ResultCode) -> Judgement {
    ResponseKind::Record.judge(code)
}

/// Takes the bins of a record straight from the wire.
pub trait Sink {
    /// What the host raises for a value that it cannot hold.
    type Error;

    /// Takes the result of one operation; `None` where it gives none.
    fn result(&mut self, answer: Option<Op<'_>>) -> Result<(), Self::Error>;

    /// Takes a bin that comes as it is, without an operation of its own.
    fn bin(&mut self, bin: Op<'_>) -> Result<(), Self::Error>;
}

/// Hands a message's bins to a sink. For `operate`, `answered` says which operations are answered.
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
    fn a_result_for_each_operation_then_the_bins() {
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
    fn absence_answers_reads_only() {
        for code in [ResultCode::NOT_FOUND, ResultCode::FILTERED_OUT] {
            assert_eq!(ResponseKind::Record.judge(code), Judgement::Absent);
            assert_eq!(ResponseKind::Presence.judge(code), Judgement::Absent);
            assert_eq!(ResponseKind::Done.judge(code), Judgement::Failed);
            assert_eq!(ResponseKind::Results.judge(code), Judgement::Failed);
            assert_eq!(judge_row(code), Judgement::Absent);
        }
        assert_eq!(judge_row(ResultCode::TIMEOUT), Judgement::Failed);
    }
}

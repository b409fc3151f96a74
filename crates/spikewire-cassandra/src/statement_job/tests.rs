//! Jobs of a host whose parameters are one text, against handwritten replies.

use super::*;
use crate::cluster::sample;
use crate::error::Kind;
use crate::execution::ExecutionAction;
use crate::execution::tests::{error_frame, frame, node, reply, session, void};

/// A host; its parameters can be encoded later or only at once.
#[derive(Debug)]
struct Sample<const WAITS: bool>;

#[derive(Debug, PartialEq)]
enum Outcome {
    Prepared,
    /// The cells of each page, and the attempts of all.
    Pages(Vec<Vec<u8>>, u32),
    Success,
}

impl<const WAITS: bool> ParameterEncoder for Sample<WAITS> {
    type Parameters<'a> = &'a str;
    type Error = Error;

    const CAN_WAIT: bool = WAITS;

    fn encode(prepared: &Prepared, text: Option<&str>, out: &mut Vec<u8>) -> Result<(), Error> {
        let Some(text) = text else { return Ok(()) };
        let value = match prepared.parameters[0].ty {
            spikewire_cql::types::Type::Int => {
                let int: i32 = text.parse().map_err(|_| Error::invalid("no number"))?;
                int.to_be_bytes().to_vec()
            }
            _ => text.as_bytes().to_vec(),
        };
        out.extend_from_slice(&(value.len() as i32).to_be_bytes());
        out.extend_from_slice(&value);
        Ok(())
    }

    fn may_be_outdated(error: &Error) -> bool {
        error.kind() == Kind::Invalid
    }

    fn in_batch(error: Error, at: usize) -> Error {
        Error::invalid(format!("statement {at}: {}", error.message()))
    }
}

impl<const WAITS: bool> StatementHost for Sample<WAITS> {
    type Access<'a> = ();
    type OwnedParameters = String;
    type Cells = Vec<u8>;
    type Output<'a> = Outcome;

    fn copy_parameters(text: &str) -> Result<String, Error> {
        assert!(WAITS, "parameters are owned that cannot be");
        Ok(text.to_owned())
    }

    fn borrow_parameters<'k, 'a: 'k>((): Self::Access<'a>, owned: &'k String) -> &'k str {
        owned
    }

    fn copy_cells((): (), cells: &[u8]) -> Vec<u8> {
        cells.to_vec()
    }

    fn output<'a>(
        &self,
        (): Self::Access<'a>,
        result: JobResult<Vec<u8>>,
    ) -> Result<Self::Output<'a>, Error> {
        Ok(match result {
            JobResult::Prepared(_) => Outcome::Prepared,
            JobResult::Success => Outcome::Success,
            JobResult::Pages(ResultPages { pages, meta, .. }) => {
                let cells = pages.into_iter().map(|page| page.cells).collect();
                Outcome::Pages(cells, meta.attempts)
            }
        })
    }
}

const PREPARE: u8 = 9;
const EXECUTE: u8 = 10;
const BATCH: u8 = 13;
const SELECT: &str = "SELECT v FROM t WHERE v = ?";
const INSERT: &str = "INSERT INTO t (v) VALUES (?)";
const INT: u8 = 9;
const TEXT: u8 = 13;

/// A column `t.v` in the keyspace `k`, after the flag of a shared table.
fn column(ty: u8) -> Vec<u8> {
    [&b"\0\x01k\0\x01t\0\x01v\0"[..], &[ty]].concat()
}

/// The reply to preparing a statement with one parameter of this type.
fn prepared(ty: u8) -> Vec<u8> {
    let parameters = b"\0\0\0\x01\0\0\0\x01\0\0\0\0";
    frame(
        8,
        &[b"\0\0\0\x04\0\x02id", &parameters[..], &column(ty), &[0, 0, 0, 4, 0, 0, 0, 0]].concat(),
    )
}

/// Rows of one integer; more follow if there is a paging state.
fn rows(value: u8, state: Option<&[u8]>) -> Vec<u8> {
    let mut body = vec![0, 0, 0, 2, 0, 0, 0, if state.is_some() { 3 } else { 1 }, 0, 0, 0, 1];
    if let Some(state) = state {
        body.extend_from_slice(&(state.len() as i32).to_be_bytes());
        body.extend_from_slice(state);
    }
    body.extend_from_slice(&column(INT));
    body.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 4, 0, 0, 0, value]);
    frame(8, &body)
}

/// A job, with the request that is in flight.
struct Running<const WAITS: bool> {
    session: Arc<Session>,
    job: StatementJob<Sample<WAITS>>,
    call: Call,
}

impl<const WAITS: bool> Running<WAITS> {
    fn start(
        session: &Arc<Session>,
        goal: Goal,
        statement: Statement<String>,
        parameters: Option<&str>,
    ) -> Result<Self, Error> {
        match StatementJob::start((Sample, ()), session, goal, statement, parameters, None)? {
            Start::Send(job, call) => Ok(Self { session: session.clone(), job, call }),
            Start::Done(result) => panic!("{result:?} without a request"),
        }
    }

    /// Opcode and bytes of the request in flight.
    fn opcode(&self) -> u8 {
        self.call.bytes[4]
    }

    fn has(&self, bytes: &[u8]) -> bool {
        self.call.bytes.windows(bytes.len()).any(|window| window == bytes)
    }

    /// Answers it. Returns the result, unless another request follows.
    fn answer(mut self, body: &[u8]) -> Result<Result<Outcome, Self>, Error> {
        let there = node(&self.session, 0);
        let (_, mut execution) = self.call.split();
        let ExecutionAction::Done(answer) = execution.on_outcome(reply(body, &there)) else {
            panic!("the execution goes on");
        };
        Ok(match self.job.on_reply((), answer)? {
            JobStep::Done(result) => Ok(result),
            JobStep::Send(call) => Err(Self { call, ..self }),
        })
    }

    /// Answers it; another request must follow, of this kind.
    fn follow(self, body: &[u8], opcode: u8) -> Self {
        let next = self.answer(body).unwrap().expect_err("the job is done");
        assert_eq!(next.opcode(), opcode);
        next
    }

    fn done(self, body: &[u8]) -> Outcome {
        self.answer(body).unwrap().unwrap_or_else(|next| panic!("{} follows", next.opcode()))
    }

    fn fails(self, body: &[u8]) -> Error {
        self.answer(body).unwrap_err()
    }
}

impl<const WAITS: bool> fmt::Debug for Running<WAITS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.job.fmt(f)
    }
}

type Job = Running<true>;

/// Has a text prepared, with a parameter of this type.
fn known(session: &Arc<Session>, text: &str, ty: u8) -> Arc<Prepared> {
    if let Ok(Preparation::Ask(call)) = session.prepare(text, &PLAIN) {
        let there = node(session, 0);
        let (_, mut execution) = call.split();
        execution.on_outcome(reply(&prepared(ty), &there));
    }
    match session.prepare(text, &PLAIN) {
        Ok(Preparation::Known(known)) => known,
        _ => panic!("it is unknown"),
    }
}

fn text(text: &str) -> Statement<String> {
    Statement::Text(text.into())
}

#[test]
fn text_with_parameters_is_prepared_once() {
    let session = session();
    let job = Job::start(&session, Goal::Done, text(INSERT), Some("5")).unwrap();
    assert_eq!(job.opcode(), PREPARE);
    let job = job.follow(&prepared(INT), EXECUTE);
    assert!(job.has(&[0, 0, 0, 4, 0, 0, 0, 5]));
    assert_eq!(job.done(&void()), Outcome::Success);
    let job = Job::start(&session, Goal::Done, text(INSERT), Some("6")).unwrap();
    assert_eq!(job.opcode(), EXECUTE);
    // Preparing it is done at once, unless what it is now is to be found out.
    let goal = Goal::Prepared;
    let started =
        StatementJob::start((Sample::<true>, ()), &session, goal, text(INSERT), None, None);
    assert!(matches!(started, Ok(Start::Done(Outcome::Prepared))));
    let statement = Statement::Prepared(known(&session, INSERT, INT));
    let job = Job::start(&session, goal, statement, None).unwrap();
    assert_eq!(job.opcode(), PREPARE);
    assert_eq!(job.done(&prepared(INT)), Outcome::Prepared);
}

#[test]
fn a_statement_is_prepared_anew_if_values_do_not_fit() {
    let session = session();
    let start = |value| {
        let statement = Statement::Prepared(known(&session, INSERT, INT));
        Job::start(&session, Goal::Done, statement, Some(value)).unwrap()
    };
    // Its parameters are as before.
    let job = start("pear");
    assert_eq!(job.opcode(), PREPARE);
    assert_eq!(job.fails(&prepared(INT)).message(), "no number");
    // It cannot be prepared.
    let error = start("pear").fails(&error_frame(0x2200, "no table", &[]));
    assert_eq!(error.message(), "no number");
    // They have changed.
    let job = start("pear").follow(&prepared(TEXT), EXECUTE);
    assert!(job.has(b"\0\0\0\x04pear"));
    assert_eq!(job.done(&void()), Outcome::Success);
}

#[test]
fn a_text_that_was_just_prepared_is_not_prepared_again() {
    let session = session();
    let job = Job::start(&session, Goal::Done, text(INSERT), Some("pear")).unwrap();
    assert_eq!(job.fails(&prepared(INT)).message(), "no number");
}

#[test]
fn stale_statements_are_renewed() {
    let session = session();
    let prepared_statement = known(&session, INSERT, INT);
    let bound = || Statement::Bound(prepared_statement.clone(), (*b"\0\0\0\x04\0\0\0\x07").into());
    sample::change_schema(session.cluster());
    let job = Job::start(&session, Goal::Done, bound(), None).unwrap();
    assert_eq!(job.opcode(), PREPARE);
    let job = job.follow(&prepared(INT), EXECUTE);
    assert!(job.has(&[0, 0, 0, 4, 0, 0, 0, 7]));
    // Parameters are encoded as they are needed now, bound values are not sent if they would be
    // misread.
    sample::change_schema(session.cluster());
    let statement = Statement::Prepared(prepared_statement.clone());
    let job = Job::start(&session, Goal::Done, statement, Some("7")).unwrap();
    let job = job.follow(&prepared(TEXT), EXECUTE);
    assert!(job.has(b"\0\0\0\x017"));
    let error = Job::start(&session, Goal::Done, bound(), None).unwrap_err();
    assert!(error.message().contains("bind them again"), "{error}");
}

#[test]
fn pages_are_fetched_with_the_same_values() {
    let session = session();
    let statement = || Statement::Prepared(known(&session, SELECT, INT));
    let job = Job::start(&session, Goal::All, statement(), Some("8")).unwrap();
    let job = job.follow(&rows(1, Some(b"state")), EXECUTE);
    assert!(job.has(&[0, 0, 0, 4, 0, 0, 0, 8]) && job.has(b"\0\0\0\x05state"));
    let cells = |value| vec![0, 0, 0, 4, 0, 0, 0, value];
    assert_eq!(job.done(&rows(2, None)), Outcome::Pages(vec![cells(1), cells(2)], 2));
    // One page is the result if that is the goal.
    let job = Job::start(&session, Goal::Page, statement(), Some("8")).unwrap();
    let page = job.done(&rows(1, Some(b"state")));
    assert_eq!(page, Outcome::Pages(vec![cells(1)], 1));
}

#[test]
fn the_statements_of_a_batch_are_prepared_one_after_the_other() {
    let session = session();
    let bound = known(&session, SELECT, INT);
    let batch = |value: &str| {
        let statements = vec![
            BatchStatement::Text("DELETE FROM t".into()),
            BatchStatement::Unprepared(INSERT.into(), value.to_owned()),
            BatchStatement::Bound(bound.clone(), (*b"\0\0\0\x04\0\0\0\x07").into()),
        ];
        let statements = statements.into_iter().map(Arc::new).collect();
        let content = BatchContent { kind: BatchKind::Logged, statements };
        Job::start(&session, Goal::All, Statement::Batch(content), None)
    };
    sample::change_schema(session.cluster());
    let job = batch("5").unwrap();
    assert!(job.opcode() == PREPARE && job.has(INSERT.as_bytes()));
    let job = job.follow(&prepared(INT), PREPARE);
    assert!(job.has(SELECT.as_bytes()));
    let job = job.follow(&prepared(INT), BATCH);
    assert!(job.has(&[0, 0, 0, 4, 0, 0, 0, 5]) && job.has(&[0, 0, 0, 4, 0, 0, 0, 7]));
    assert_eq!(job.done(&void()), Outcome::Pages(Vec::new(), 1));
    assert_eq!(batch("5").unwrap().opcode(), BATCH);
    // Values that do not fit.
    let job = batch("pear").unwrap();
    assert_eq!(job.opcode(), PREPARE);
    assert_eq!(job.fails(&prepared(INT)).message(), "statement 1: no number");
    let error = batch("pear").unwrap().fails(&error_frame(0x2200, "no table", &[]));
    assert_eq!(error.message(), "statement 1: no number");
    batch("pear").unwrap().follow(&prepared(TEXT), BATCH);
}

#[test]
fn parameters_that_cannot_wait_are_never_kept() {
    let session = session();
    let prepared_statement = known(&session, INSERT, INT);
    let start = |value| {
        let statement = Statement::Prepared(prepared_statement.clone());
        Running::<false>::start(&session, Goal::Done, statement, Some(value))
    };
    let batch = || {
        let entries = [BatchEntry::Unbound(&prepared_statement, "5")].into_iter();
        let kind = BatchKind::Logged;
        StatementJob::start_batch(Sample::<false>, &session, kind, entries, &PLAIN)
    };
    assert_eq!(start("pear").unwrap_err().message(), "no number");
    assert_eq!(batch().unwrap().1.bytes[4], BATCH);
    sample::change_schema(session.cluster());
    for error in [start("5").unwrap_err(), batch().unwrap_err()] {
        assert!(error.message().contains("the schema was changed"), "{error}");
    }
    // Nobody was asked to renew it on their behalf.
    let statement = Statement::Prepared(prepared_statement.clone());
    let job = Running::<false>::start(&session, Goal::Prepared, statement, None).unwrap();
    assert!(job.opcode() == PREPARE && !job.call.execution.waits());
    assert_eq!(job.done(&prepared(INT)), Outcome::Prepared);
    assert_eq!(start("5").unwrap().opcode(), EXECUTE);
}

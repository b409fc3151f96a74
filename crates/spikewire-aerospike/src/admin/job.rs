//! Background jobs: changes that the nodes make to every record of a query.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::error_details::{self, DetailLevel};
use spikewire_aerospike_protocol::features::Features;
use spikewire_aerospike_protocol::query::{Query, Task};
use spikewire_aerospike_protocol::result_code::ResultCode;

use super::{
    AdminAction, InfoCommand, MessageRequest, NodeAnswer, POLL_INTERVAL, Procedure, Recipients,
    TimeLimit,
};
use crate::clock::Tick;
use crate::cluster::info_command::field;
use crate::cluster::{CounterScope, Node, Tally};
use crate::model::{Error, Kind, Result};

/// The longest interval between two polls of a job; the first one is short.
const MAX_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A started job.
#[derive(Debug, Clone)]
pub struct RunningJob {
    /// Its id on every node.
    pub id: u64,
    /// The nodes on which it was started: those that know the set.
    pub nodes: Vec<Arc<Node>>,
    counter_scope: Option<CounterScope>,
}

impl RunningJob {
    /// A job with this id, whoever has started it, on any of these nodes.
    pub fn of_id(id: u64, nodes: Vec<Arc<Node>>) -> Self {
        Self { id, nodes, counter_scope: None }
    }
}

/// Starts a job on one node after the other. A node that never had a record of the set does not
/// know it, and has nothing to do. If a node fails, others may be running the job: the error then
/// names them and is in doubt.
#[derive(Debug)]
pub struct StartJob {
    id: u64,
    frame: Arc<[u8]>,
    /// What nodes get that can say more about errors, if they are to.
    asking: Option<Arc<[u8]>>,
    waiting: VecDeque<Arc<Node>>,
    started: Vec<Arc<Node>>,
    timeout: Duration,
    limit: Option<TimeLimit>,
    counter_scope: Option<CounterScope>,
    tally: Option<Tally>,
}

impl StartJob {
    /// A job on `nodes`, which must all start it within `timeout`; zero: no limit.
    pub(crate) fn new(
        nodes: Vec<Arc<Node>>,
        (id, query): (u64, &Query),
        task: &Task<'_>,
        timeout: Duration,
        details: DetailLevel,
        counter_scope: Option<CounterScope>,
    ) -> Result<Self> {
        let mut frame = Vec::new();
        query.write_task(id, task, &mut frame)?;
        let asking = (details != DetailLevel::Off).then(|| {
            let mut asking = frame.clone();
            error_details::ask(&mut asking, details);
            asking.into()
        });
        let (frame, waiting, started) = (frame.into(), nodes.into(), Vec::new());
        let (limit, tally) = (None, None);
        Ok(Self { id, frame, asking, waiting, started, timeout, limit, counter_scope, tally })
    }

    fn failed(&self, node: &Node, error: &Error) -> Error {
        let (id, why, began) = (self.id, error.message(), !self.started.is_empty());
        let mut message = format!("job {id} could not be started on node {node}: {why}");
        if began {
            let names: Vec<&str> = self.started.iter().map(|node| node.name.as_str()).collect();
            let names = names.join(", ");
            let _ = write!(message, "; it runs already on {names}, until it is done or aborted");
        }
        let doubt = began || error.in_doubt();
        let failed = Error::new(error.kind(), message).with_details_of(error);
        failed.on(node.to_string()).after(1, doubt)
    }
}

impl Procedure for StartJob {
    type Output = RunningJob;

    fn next(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<RunningJob> {
        begin(&mut self.tally, self.counter_scope.as_ref(), "job_start");
        let action = self.step(answers, now);
        match (&action, &mut self.tally) {
            (AdminAction::Send(_), Some(tally)) => tally.parts += 1,
            (AdminAction::Done(outcome), Some(tally)) => tally.ended(outcome),
            _ => {}
        }
        action
    }
}

impl StartJob {
    fn step(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<RunningJob> {
        let limit = *self.limit.get_or_insert_with(|| TimeLimit::starting(self.timeout, now));
        for NodeAnswer { node, answer, .. } in answers {
            match answer {
                Ok(_) => self.started.push(node),
                Err(error) if error.kind() == Kind::Server(ResultCode::NOT_FOUND) => {}
                Err(error) => return AdminAction::Done(Err(self.failed(&node, &error))),
            }
        }
        if let Some(node) = self.waiting.pop_front() {
            let has_details = node.features.has(Features::ERROR_DETAILS);
            let frame = self.asking.as_ref().filter(|_| has_details).unwrap_or(&self.frame).clone();
            return AdminAction::Send(MessageRequest { node, frame, deadline: limit.ends });
        }
        let nodes = std::mem::take(&mut self.started);
        let (id, counter_scope) = (self.id, self.counter_scope.take());
        AdminAction::Done(Ok(RunningJob { id, nodes, counter_scope }))
    }
}

/// Starts the tally with the first action.
fn begin(tally: &mut Option<Tally>, counter_scope: Option<&CounterScope>, operation: &'static str) {
    if tally.is_none()
        && let Some(counter_scope) = counter_scope
    {
        tally.insert(Tally::new(counter_scope.clone(), operation)).begin();
    }
}

/// The progress of a job over all nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JobProgress {
    /// Whether it has ended on every node.
    pub done: bool,
    /// Whether it was aborted.
    pub aborted: bool,
    /// Progress from 0 to 100.
    pub percent: f64,
    /// Records that were changed.
    pub succeeded: u64,
    /// Records that could not be changed.
    pub failed: u64,
    /// Records that did not pass the filter.
    pub filtered: u64,
}

impl JobProgress {
    /// The sum over all nodes. A node that no longer knows the job has finished it long ago, and
    /// counts nothing.
    fn of(answers: Vec<NodeAnswer>) -> Result<Self> {
        let mut sum =
            Self { done: true, aborted: false, percent: 0.0, succeeded: 0, failed: 0, filtered: 0 };
        let count = answers.len().max(1) as f64;
        for answer in answers {
            match known(answer.answer)? {
                Some(state) => sum.add(&state),
                None => sum.percent += 100.0,
            }
        }
        sum.percent = if sum.done { 100.0 } else { sum.percent / count };
        Ok(sum)
    }

    fn add(&mut self, state: &str) {
        let part = |name| field(state, ':', name);
        let count = |name| part(name).and_then(|count| count.parse::<u64>().ok()).unwrap_or(0);
        let status = part("status").unwrap_or("done");
        self.done &= !status.starts_with("active");
        self.aborted |= status.contains("abort");
        self.percent += part("job-progress").and_then(|part| part.parse().ok()).unwrap_or(0.0);
        self.succeeded += count("recs-succeeded");
        self.failed += count("recs-failed");
        self.filtered += count("recs-filtered-meta") + count("recs-filtered-bins");
    }
}

/// A node's information about a job; `None` if it does not know its id (any more).
fn known(answer: Result<String>) -> Result<Option<String>> {
    match answer {
        Err(error) if error.kind() == Kind::Server(ResultCode::NOT_FOUND) => Ok(None),
        other => other.map(Some),
    }
}

/// Polls a job once, or until it has ended.
#[derive(Debug)]
pub struct WatchJob {
    job: Arc<RunningJob>,
    /// How long to wait for its end; zero: no limit; `None`: poll once.
    wait: Option<Duration>,
    limit: Option<TimeLimit>,
    pause: Duration,
    is_sent: bool,
    tally: Option<Tally>,
}

impl WatchJob {
    /// Polls once.
    pub fn progress(job: Arc<RunningJob>) -> Self {
        let pause = POLL_INTERVAL;
        Self { job, wait: None, limit: None, pause, is_sent: false, tally: None }
    }

    /// Waits until it has ended on every node; zero: no limit.
    pub fn wait(job: Arc<RunningJob>, limit: Duration) -> Self {
        Self { wait: Some(limit), ..Self::progress(job) }
    }

    fn pause(&mut self, progress: JobProgress, limit: &TimeLimit, now: Tick) -> Result<Tick> {
        limit.check(now, |seconds| {
            let (id, percent) = (self.job.id, progress.percent);
            format!("job {id} was {percent:.0} % done after {seconds} s")
        })?;
        let pause = self.pause;
        self.pause = pause.mul_f64(1.5).min(MAX_POLL_INTERVAL);
        Ok(limit.pause(pause, now))
    }
}

impl Procedure for WatchJob {
    type Output = JobProgress;

    fn next(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<JobProgress> {
        // Polling once needs no time limit beyond that of its requests.
        if self.wait.is_some() {
            begin(&mut self.tally, self.job.counter_scope.as_ref(), "job_wait");
        }
        let action = self.step(answers, now);
        if let (AdminAction::Done(outcome), Some(tally)) = (&action, &mut self.tally) {
            tally.records = outcome.as_ref().map_or(0, |progress| progress.succeeded);
            tally.parts = self.job.nodes.len() as u64;
            tally.ended(outcome);
        }
        action
    }
}

impl WatchJob {
    fn step(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<JobProgress> {
        let span = self.wait.unwrap_or_default();
        let limit = *self.limit.get_or_insert_with(|| TimeLimit::starting(span, now));
        if !self.job.nodes.is_empty() && !std::mem::replace(&mut self.is_sent, true) {
            let command = InfoCommand::of_names(format!("query-show:id={}", self.job.id));
            return AdminAction::Ask(Recipients::These(self.job.nodes.clone()), command);
        }
        self.is_sent = false;
        let progress = match JobProgress::of(answers) {
            Ok(progress) if progress.done || self.wait.is_none() => {
                return AdminAction::Done(Ok(progress));
            }
            Ok(progress) => progress,
            Err(error) => return AdminAction::Done(Err(error)),
        };
        match self.pause(progress, &limit, now) {
            Ok(until) => AdminAction::Sleep(until),
            Err(error) => AdminAction::Done(Err(error)),
        }
    }
}

/// Aborts a job on every node; does nothing where it has ended.
#[derive(Debug)]
pub struct AbortJob {
    job: Option<Arc<RunningJob>>,
}

impl AbortJob {
    /// Aborts this job.
    pub fn new(job: Arc<RunningJob>) -> Self {
        Self { job: Some(job) }
    }
}

impl Procedure for AbortJob {
    type Output = ();

    fn next(&mut self, answers: Vec<NodeAnswer>, _now: Tick) -> AdminAction<()> {
        if let Some(job) = self.job.take().filter(|job| !job.nodes.is_empty()) {
            let command = InfoCommand::of_names(format!("query-abort:id={}", job.id));
            return AdminAction::Ask(Recipients::These(job.nodes.clone()), command);
        }
        let mut answers = answers.into_iter();
        AdminAction::Done(answers.try_for_each(|answer| known(answer.answer).map(drop)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{command_of, done, node, server_error, sleeps, text_replies};
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn running() -> Arc<RunningJob> {
        Arc::new(RunningJob { id: 7, nodes: vec![node(0), node(1)], counter_scope: None })
    }

    fn starting(timeout: Duration) -> StartJob {
        let task = Task::Operations { info2: 0, info3: 0, ttl: 0 };
        let details = DetailLevel::Off;
        let query = &Query::default();
        StartJob::new(vec![node(0), node(1)], (7, query), &task, timeout, details, None).unwrap()
    }

    fn sent(action: AdminAction<RunningJob>) -> MessageRequest {
        match action {
            AdminAction::Send(request) => request,
            other => panic!("sends nothing: {other:?}"),
        }
    }

    #[test]
    fn a_job_is_started_on_one_node_after_the_other() {
        let mut start = starting(Duration::from_secs(1));
        let first = sent(start.next(Vec::new(), Tick(5)));
        let second = sent(start.next(text_replies(&[""]), Tick(9)));
        assert_eq!((&*first.node.name, &*second.node.name), ("N0", "N1"));
        assert_eq!(first.frame, second.frame);
        let deadline = Tick(5).after(Duration::from_secs(1));
        assert_eq!((first.deadline, second.deadline), (deadline, deadline));
        let job = done(start.next(text_replies(&[""]), Tick(9))).unwrap();
        assert_eq!(job.nodes.len(), 2);
        assert_eq!(sent(starting(Duration::ZERO).next(Vec::new(), Tick(5))).deadline, Tick::NEVER);
    }

    #[test]
    fn a_server_error_is_in_doubt_once_a_node_may_have_started() {
        let mut start = starting(Duration::ZERO);
        start.next(Vec::new(), Tick(0));
        let error = done(start.next(server_error(ResultCode::PARAMETER), Tick(0))).unwrap_err();
        assert_eq!((error.in_doubt(), error.attempts()), (false, 1), "the first refused it");
        assert!(error.message().contains("could not be started on node N0"), "{error}");
        let mut start = starting(Duration::ZERO);
        start.next(Vec::new(), Tick(0));
        start.next(text_replies(&[""]), Tick(0));
        let error = done(start.next(server_error(ResultCode::PARAMETER), Tick(0))).unwrap_err();
        assert!(error.in_doubt() && error.message().contains("runs already on N0"), "{error}");
        let mut start = starting(Duration::ZERO);
        start.next(Vec::new(), Tick(0));
        let late = Error::new(Kind::Timeout, "no answer").after(1, true);
        let late = vec![NodeAnswer::text(node(0), Err(late))];
        assert!(done(start.next(late, Tick(0))).unwrap_err().in_doubt());
    }

    fn unknown_set(number: u32) -> Vec<NodeAnswer> {
        vec![NodeAnswer::text(node(number), Err(Error::server(ResultCode::NOT_FOUND)))]
    }

    /// Nodes know only the sets of which they have had records.
    #[test]
    fn a_node_that_does_not_know_the_set_has_nothing_to_do() {
        for first_knows in [false, true] {
            let mut start = starting(Duration::ZERO);
            start.next(Vec::new(), Tick(0));
            let (first, second) =
                (text_replies(&[""]), vec![NodeAnswer::text(node(1), Ok(String::new()))]);
            let (first, second) =
                if first_knows { (first, unknown_set(1)) } else { (unknown_set(0), second) };
            sent(start.next(first, Tick(0)));
            let job = done(start.next(second, Tick(0))).unwrap();
            let runs: Vec<&str> = job.nodes.iter().map(|node| node.name.as_str()).collect();
            assert_eq!(runs, if first_knows { ["N0"] } else { ["N1"] });
        }
    }

    #[test]
    fn a_job_on_no_node_is_done_at_once() {
        let mut start = starting(Duration::ZERO);
        start.next(Vec::new(), Tick(0));
        start.next(unknown_set(0), Tick(0));
        let job = Arc::new(done(start.next(unknown_set(1), Tick(0))).unwrap());
        assert!(job.nodes.is_empty());
        for mut watch in [WatchJob::progress(job.clone()), WatchJob::wait(job.clone(), LONG)] {
            let progress = done(watch.next(Vec::new(), Tick(0))).unwrap();
            assert!(progress.done && !progress.aborted && progress.succeeded == 0, "{progress:?}");
            assert!(progress.percent > 99.9, "{progress:?}");
        }
        done(AbortJob::new(job).next(Vec::new(), Tick(0))).unwrap();
    }

    /// A node that does not know the set changes nothing about what the others' failures mean.
    #[test]
    fn a_failure_after_a_node_without_the_set_is_not_in_doubt() {
        let mut start = starting(Duration::ZERO);
        start.next(Vec::new(), Tick(0));
        start.next(unknown_set(0), Tick(0));
        let rejection = Err(Error::server(ResultCode::PARAMETER));
        let answer = vec![NodeAnswer::text(node(1), rejection)];
        let error = done(start.next(answer, Tick(0))).unwrap_err();
        assert!(!error.in_doubt() && error.message().contains("on node N1"), "{error}");
    }

    #[test]
    fn progress_is_the_sum_of_all_nodes() {
        let mut look = WatchJob::progress(running());
        assert_eq!(command_of(look.next(Vec::new(), Tick(0))).1, "query-show:id=7");
        let active = "status=active(ok):job-progress=40.5:recs-succeeded=3:recs-failed=1:\
                      recs-filtered-meta=2:recs-filtered-bins=5";
        let over = "status=done(user-aborted):job-progress=100:recs-succeeded=10";
        let progress = done(look.next(text_replies(&[active, over]), Tick(0))).unwrap();
        let expected = JobProgress {
            done: false,
            aborted: true,
            percent: 70.25,
            succeeded: 13,
            failed: 1,
            filtered: 7,
        };
        assert_eq!(progress, expected);
        let mut look = WatchJob::progress(running());
        look.next(Vec::new(), Tick(0));
        let forgotten = done(look.next(server_error(ResultCode::NOT_FOUND), Tick(0))).unwrap();
        assert!(forgotten.done && forgotten.percent > 99.9);
        let mut look = WatchJob::progress(running());
        look.next(Vec::new(), Tick(0));
        done(look.next(server_error(ResultCode::PARAMETER), Tick(0))).unwrap_err();
    }

    #[test]
    fn pauses_grow_until_the_job_has_ended() {
        let mut wait = WatchJob::wait(running(), Duration::ZERO);
        let mut last = Duration::ZERO;
        for _ in 0..20 {
            wait.next(Vec::new(), Tick(0));
            let pause =
                sleeps(wait.next(text_replies(&["status=active(ok)"]), Tick(0))).since(Tick(0));
            assert!(pause > last || pause == MAX_POLL_INTERVAL, "{pause:?}");
            last = pause;
        }
        wait.next(Vec::new(), Tick(0));
        assert!(done(wait.next(text_replies(&["status=done(ok)"]), Tick(0))).unwrap().done);
    }

    #[test]
    fn waiting_for_a_job_times_out() {
        let mut wait = WatchJob::wait(running(), Duration::from_millis(5));
        wait.next(Vec::new(), Tick(0));
        let until = sleeps(wait.next(text_replies(&["status=active(ok)"]), Tick(0)));
        assert_eq!(until, Tick(5_000_000), "no longer than the limit");
        wait.next(Vec::new(), until);
        let error = done(wait.next(text_replies(&["status=active(ok)"]), until)).unwrap_err();
        assert_eq!(error.kind(), Kind::Timeout);
        assert_eq!(error.message(), "job 7 was 0 % done after 0.005 s");
    }

    #[test]
    fn aborting_a_finished_job_is_no_error() {
        let mut abort = AbortJob::new(running());
        assert_eq!(command_of(abort.next(Vec::new(), Tick(0))).1, "query-abort:id=7");
        done(abort.next(server_error(ResultCode::NOT_FOUND), Tick(0))).unwrap();
    }
}

//! Common parts of commands for users and roles: one request to one node, which forwards it to the
//! others.

use std::fmt;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use spikewire_aerospike_protocol::auth::{NO_PASSWORD, hash_password};
use spikewire_aerospike_protocol::limits;
use spikewire_aerospike_protocol::manage::{Hash, MOST, Request, Row};
use spikewire_sync::Mutex;

use super::{AdminAction, ManageRequest, NodeAnswer, Procedure, TimeLimit};
use crate::clock::Tick;
use crate::model::Secret;
use crate::model::{Error, Kind, Result};

/// Number of significant bytes of a password.
const LONGEST_PASSWORD: usize = 72;

/// The hash of a new password. Equivalent to the password, so debug output does not show it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPassword(pub(super) Hash);

impl NewPassword {
    /// Hashes a password, which takes about 50 ms of CPU time.
    pub fn new(password: &Secret) -> Result<Self> {
        let text = password.reveal();
        if text.len() > LONGEST_PASSWORD || text.contains('\0') {
            return Err(Error::invalid(format!(
                "a password has at most {LONGEST_PASSWORD} bytes, because no more of it would count, \
                 and no zero character; this one has {} bytes",
                text.len()
            )));
        }
        Ok(Self(hash_password(text).into()))
    }

    /// For a user without a password, who logs in with a certificate.
    pub fn none() -> Self {
        Self(NO_PASSWORD.to_owned().into())
    }
}

/// How often a driver checks whether a password has been hashed.
const HASHED_YET: Duration = Duration::from_millis(5);

/// A procedure that needs a password's hash, which another thread computes first, so that the
/// driver is not blocked.
pub struct WithPassword<P> {
    state: PasswordStage<P>,
}

enum PasswordStage<P> {
    Begins(Secret, BuildProcedure<P>),
    Hashes(HashSlot, BuildProcedure<P>),
    Goes(P),
    Over,
}

type HashSlot = Arc<Mutex<Option<Result<NewPassword>>>>;
type BuildProcedure<P> = Box<dyn FnOnce(NewPassword) -> Result<P> + Send>;

impl<P: Procedure> WithPassword<P> {
    /// Creates the procedure once the password has been hashed.
    pub fn new(
        password: Secret,
        make: impl FnOnce(NewPassword) -> Result<P> + Send + 'static,
    ) -> Self {
        Self { state: PasswordStage::Begins(password, Box::new(make)) }
    }

    fn goes(
        &mut self,
        hashed: Result<NewPassword>,
        make: BuildProcedure<P>,
        now: Tick,
    ) -> AdminAction<P::Output> {
        match hashed.and_then(make) {
            Ok(mut procedure) => {
                let action = procedure.next(Vec::new(), now);
                self.state = PasswordStage::Goes(procedure);
                action
            }
            Err(error) => AdminAction::Done(Err(error)),
        }
    }
}

impl<P: Procedure> Procedure for WithPassword<P> {
    type Output = P::Output;

    fn next(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<P::Output> {
        match std::mem::replace(&mut self.state, PasswordStage::Over) {
            PasswordStage::Begins(password, make) => {
                let slot = HashSlot::default();
                let shared = slot.clone();
                let own = password.clone();
                let thread = thread::Builder::new().name("spikewire-hash".to_owned());
                match thread.spawn(move || *shared.lock() = Some(NewPassword::new(&own))) {
                    Ok(_) => {
                        self.state = PasswordStage::Hashes(slot, make);
                        AdminAction::Sleep(now.after(HASHED_YET))
                    }
                    // Blocking the driver is better than failing the call.
                    Err(_) => self.goes(NewPassword::new(&password), make, now),
                }
            }
            PasswordStage::Hashes(slot, make) => {
                let hashed = slot.lock().take();
                if let Some(hashed) = hashed {
                    self.goes(hashed, make, now)
                } else {
                    self.state = PasswordStage::Hashes(slot, make);
                    AdminAction::Sleep(now.after(HASHED_YET))
                }
            }
            PasswordStage::Goes(mut procedure) => {
                let action = procedure.next(answers, now);
                self.state = PasswordStage::Goes(procedure);
                action
            }
            PasswordStage::Over => AdminAction::Done(Err(Error::closed())),
        }
    }
}

/// Does not print the password.
impl<P> fmt::Debug for WithPassword<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WithPassword").finish_non_exhaustive()
    }
}

type Read<T> = Box<dyn FnMut(Vec<Row>) -> Result<T> + Send>;

/// A change of users or roles, or a list of them.
pub struct Manage<T> {
    /// `None` once sent.
    frame: Option<Arc<[u8]>>,
    is_question: bool,
    limit: Duration,
    read: Read<T>,
}

impl<T> Manage<T> {
    /// Sends the request to one node, with a time limit; zero: no limit.
    pub(super) fn new(
        request: &Request,
        limit: Duration,
        read: impl FnMut(Vec<Row>) -> Result<T> + Send + 'static,
    ) -> Self {
        let mut frame = Vec::new();
        request.encode(&mut frame);
        let is_question = request.is_question();
        Self { frame: Some(frame.into()), is_question, limit, read: Box::new(read) }
    }
}

impl Manage<()> {
    /// A request whose reply has no content.
    pub(super) fn change(request: &Request, limit: Duration) -> Self {
        Self::new(request, limit, |_| Ok(()))
    }
}

impl<T> Procedure for Manage<T> {
    type Output = T;

    fn next(&mut self, answers: Vec<NodeAnswer>, now: Tick) -> AdminAction<T> {
        if let Some(frame) = self.frame.take() {
            let (is_question, limit) = (self.is_question, self.limit);
            let deadline = TimeLimit::starting(limit, now).ends;
            return AdminAction::Manage(ManageRequest { frame, is_question, limit, deadline });
        }
        let outcome = match answers.into_iter().next() {
            Some(NodeAnswer { answer, rows, .. }) => answer.and_then(|_| (self.read)(rows)),
            None => Err(Error::new(Kind::NoNode, "no node of the cluster is reachable now")),
        };
        AdminAction::Done(outcome)
    }
}

/// Does not print the request, which may contain a password hash.
impl<T> fmt::Debug for Manage<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manage").field("is_question", &self.is_question).finish_non_exhaustive()
    }
}

/// Validates the name of a user or a role (`what`), which is embedded in messages and commands. The
/// cluster decides about its other contents.
pub(super) fn name(what: &str, name: &str) -> Result<String> {
    if name.len() > limits::USER_NAME || name.contains('\0') {
        return Err(Error::invalid(format!(
            "{what} must have at most {} bytes and no zero character; got {name:?}",
            limits::USER_NAME
        )));
    }
    Ok(name.to_owned())
}

/// Validates the names of roles.
pub(super) fn role_names(roles: &[impl AsRef<str>]) -> Result<Vec<String>> {
    few("roles", roles.len())?;
    roles.iter().map(|role| name("a role", role.as_ref())).collect()
}

/// Checks that a message has room for this many.
pub(super) fn few(what: &str, count: usize) -> Result<()> {
    if count > MOST {
        return Err(Error::invalid(format!("at most {MOST} {what} at a time, not {count}")));
    }
    Ok(())
}

#[cfg(test)]
pub(super) mod testing {
    use spikewire_aerospike_protocol::frame::HEADER_LEN;

    use super::super::testing::node;
    use super::*;

    /// The request that is sent, and its deadline.
    pub fn sent<T: fmt::Debug>(action: AdminAction<T>) -> (Request, Tick) {
        match action {
            AdminAction::Manage(request) => {
                let sent = Request::parse(&request.frame[HEADER_LEN..]).unwrap().unwrap();
                assert_eq!(sent.is_question(), request.is_question);
                (sent, request.deadline)
            }
            other => panic!("sends nothing: {other:?}"),
        }
    }

    pub fn listed(rows: Vec<Row>) -> Vec<NodeAnswer> {
        vec![NodeAnswer::rows(node(0), Ok(rows))]
    }
}

#[cfg(test)]
mod tests {
    use spikewire_aerospike_protocol::result_code::ResultCode;

    use super::super::testing::{done, server_error};
    use super::testing::{listed, sent};
    use super::*;

    #[test]
    fn a_change_sends_one_request_with_a_deadline() {
        let request = Request::DropUser { user: "app".to_owned() };
        let start = Tick(7);
        let mut change = Manage::change(&request, Duration::from_secs(2));
        let (frame, deadline) = sent(change.next(Vec::new(), start));
        assert_eq!((frame, deadline), (request.clone(), start.after(Duration::from_secs(2))));
        done(change.next(listed(Vec::new()), start)).unwrap();

        let mut change = Manage::change(&request, Duration::ZERO);
        assert_eq!(sent(change.next(Vec::new(), start)).1, Tick::NEVER);
        let error = done(change.next(server_error(ResultCode::INVALID_USER), start)).unwrap_err();
        assert_eq!(error.kind(), Kind::Server(ResultCode::INVALID_USER));
    }

    #[test]
    fn passwords_and_names_that_would_be_cut_are_rejected() {
        assert!(NewPassword::new(&Secret::from("x".repeat(72))).is_ok());
        for odd in ["x".repeat(73), "a\0b".to_owned()] {
            let error = NewPassword::new(&Secret::from(odd.clone())).unwrap_err();
            assert!(!error.message().contains(&odd), "{error}");
        }
        assert!(name("user", &"x".repeat(63)).is_ok());
        assert!(name("user", &"x".repeat(64)).is_err() && name("user", "a\0").is_err());
        assert!(role_names(&["r"; 255]).is_ok() && role_names(&["r"; 256]).is_err());
    }

    #[test]
    fn a_password_is_hashed_beside_the_driver() {
        let secret = || Secret::from("opensesame");
        let change = |password: NewPassword| {
            let user = "app".to_owned();
            let request = Request::SetPassword { user, password: password.0 };
            Ok(Manage::change(&request, Duration::ZERO))
        };
        let mut procedure = WithPassword::new(secret(), change);
        assert!(!format!("{procedure:?}").contains("opensesame"));
        let mut action = procedure.next(Vec::new(), Tick(0));
        while matches!(action, AdminAction::Sleep(_)) {
            thread::sleep(HASHED_YET);
            action = procedure.next(Vec::new(), Tick(0));
        }
        let password = NewPassword::new(&secret()).unwrap().0;
        assert_eq!(sent(action).0, Request::SetPassword { user: "app".to_owned(), password });
        done(procedure.next(listed(Vec::new()), Tick(0))).unwrap();

        let mut change = WithPassword::new(Secret::from("x".repeat(73)), change);
        let mut action = change.next(Vec::new(), Tick(0));
        while matches!(action, AdminAction::Sleep(_)) {
            thread::sleep(HASHED_YET);
            action = change.next(Vec::new(), Tick(0));
        }
        assert_eq!(done(action).unwrap_err().kind(), Kind::Invalid);
    }

    #[test]
    fn debug_output_hides_password_hashes() {
        let password = NewPassword::new(&Secret::from("opensesame")).unwrap();
        let user = "app".to_owned();
        let request = Request::SetPassword { user, password: password.0.clone() };
        let mut change = Manage::change(&request, Duration::ZERO);
        let text = format!("{password:?} {change:?} {:?}", change.next(Vec::new(), Tick(0)));
        assert!(!text.contains("$2a$") && !text.contains("opensesame"), "{text}");
    }
}

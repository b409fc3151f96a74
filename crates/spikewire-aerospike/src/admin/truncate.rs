//! Truncation: deletes all records of a set or a namespace at once.

use std::fmt::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use spikewire_aerospike_protocol::limits;

use super::{AdminAction, InfoCommand, NodeAnswer, Procedure, Recipients, single};
use crate::clock::Tick;
use crate::cluster::info_command::known_namespace;
use crate::model::Name;
use crate::model::{Error, Result};

/// Deletes all records of a set or a namespace that are older than a given time.
#[derive(Debug)]
pub struct Truncate {
    namespace: Name,
    command: InfoCommand,
    stage: Stage,
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    Begin,
    Namespaces,
    Truncate,
}

impl Truncate {
    /// Validates the parameters. `set`: `None` for the whole namespace. `before`: records last
    /// updated before this time are deleted; `None`: the time at which the node gets the command.
    pub fn new(namespace: &str, set: Option<&str>, before: Option<SystemTime>) -> Result<Self> {
        let namespace = Name::new("namespace", namespace, limits::NAMESPACE_NAME)?;
        let mut command = match set {
            None => format!("truncate-namespace:namespace={namespace}"),
            Some(set) => {
                let set = Name::new("set", set, limits::SET_NAME)?;
                format!("truncate:namespace={namespace};set={set}")
            }
        };
        if let Some(before) = before {
            let since = before.duration_since(UNIX_EPOCH + Duration::from_secs(limits::EPOCH_2010));
            if since.is_err() || before > SystemTime::now() {
                return Err(Error::invalid(
                    "before must be a moment from the year 2010 on that is not in the future",
                ));
            }
            let nanoseconds = before.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
            let _ = write!(command, ";lut={nanoseconds}");
        }
        let command = InfoCommand::of_names(command);
        Ok(Self { namespace, command, stage: Stage::Begin })
    }
}

impl Procedure for Truncate {
    type Output = ();

    fn next(&mut self, answers: Vec<NodeAnswer>, _now: Tick) -> AdminAction<()> {
        match self.stage {
            Stage::Begin => {
                self.stage = Stage::Namespaces;
                let command = InfoCommand::of_names("namespaces".to_owned());
                AdminAction::Ask(Recipients::Any, command)
            }
            Stage::Namespaces => {
                // Nodes accept the command for unknown namespaces.
                let known = single(answers).and_then(|all| known_namespace(&self.namespace, &all));
                if let Err(error) = known {
                    return AdminAction::Done(Err(error));
                }
                self.stage = Stage::Truncate;
                AdminAction::Ask(Recipients::Any, self.command.clone())
            }
            Stage::Truncate => AdminAction::Done(single(answers).map(drop)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{command_of, done, text_replies};
    use super::*;
    use crate::model::Kind;

    #[test]
    fn a_namespace_that_is_there_is_truncated() {
        let mut whole = Truncate::new("test", None, None).unwrap();
        assert_eq!(command_of(whole.next(Vec::new(), Tick(0))), (false, "namespaces".to_owned()));
        let command = command_of(whole.next(text_replies(&["bar;test"]), Tick(0))).1;
        assert_eq!(command, "truncate-namespace:namespace=test");
        done(whole.next(text_replies(&["ok"]), Tick(0))).unwrap();

        let mut unknown = Truncate::new("tests", None, None).unwrap();
        unknown.next(Vec::new(), Tick(0));
        let error = done(unknown.next(text_replies(&["bar;test"]), Tick(0))).unwrap_err();
        assert_eq!(error.kind(), Kind::NoNamespace);
    }

    #[test]
    fn a_set_is_truncated_before_a_time() {
        let at = UNIX_EPOCH + Duration::from_millis(1_600_000_000_123);
        let mut set = Truncate::new("test", Some("users"), Some(at)).unwrap();
        set.next(Vec::new(), Tick(0));
        let command = command_of(set.next(text_replies(&["test"]), Tick(0))).1;
        assert_eq!(command, "truncate:namespace=test;set=users;lut=1600000000123000000");
    }

    #[test]
    fn odd_names_and_moments_are_rejected() {
        let odd = "x;\ntruncate-namespace:namespace=test";
        assert!(Truncate::new(odd, None, None).is_err());
        assert!(Truncate::new("test", Some(odd), None).is_err());
        assert!(Truncate::new("test", Some(""), None).is_err());
        let future = SystemTime::now() + Duration::from_secs(60);
        for at in [UNIX_EPOCH, UNIX_EPOCH + Duration::from_secs(limits::EPOCH_2010 - 1), future] {
            assert!(Truncate::new("test", None, Some(at)).is_err(), "{at:?}");
        }
    }
}

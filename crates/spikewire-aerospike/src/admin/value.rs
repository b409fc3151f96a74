//! The results of all procedures as one type, for hosts that convert them in one place.

use super::index::ListedIndex;
use super::job::{JobProgress, RunningJob};
use super::module::Module;
use super::role::Role;
use super::user::User;

macro_rules! admin_values {
    ($($(#[$doc:meta])* $variant:ident($value:ty),)*) => {
        /// The result of any administrative command.
        #[derive(Debug)]
        pub enum AdminValue {
            $($(#[$doc])* $variant($value),)*
        }

        $(impl From<$value> for AdminValue {
            fn from(value: $value) -> Self {
                Self::$variant(value)
            }
        })*
    };
}

admin_values! {
    /// The command was executed.
    Nothing(()),
    /// The text of a node's reply, a name, or a module's source.
    Text(String),
    /// Indexes, sorted by name.
    Indexes(Vec<ListedIndex>),
    /// Modules, sorted by name.
    Modules(Vec<Module>),
    /// A user.
    User(User),
    /// Users, sorted by name.
    Users(Vec<User>),
    /// A role.
    Role(Role),
    /// Roles, sorted by name.
    Roles(Vec<Role>),
    /// The progress of a job.
    Progress(JobProgress),
    /// A started job.
    Job(RunningJob),
}

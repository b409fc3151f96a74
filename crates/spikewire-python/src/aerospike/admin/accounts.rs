//! Users and roles: converts arguments, runs the engine's procedure and converts its result.

use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use spikewire_aerospike::admin::role::{
    LARGEST_QUOTA, Privilege, Role, create_role, drop_role, get_role, grant_privileges, list_roles,
    privilege, revoke_privileges, set_allowed, set_quotas,
};
use spikewire_aerospike::admin::user::{
    ChangePassword, NewPassword, create_user, drop_user, get_user, grant_roles, list_users,
    revoke_roles,
};
use spikewire_aerospike::admin::{AdminValue, Procedure};
use spikewire_aerospike::{Result, Secret};

use super::origin;
use crate::aerospike::task::{AdminTask, Origin, limit};
use crate::arguments::{count, text};
use crate::errors::{to_python, type_error, type_name};

/// The hash of a new password, or of none; shows nothing.
#[pyclass(frozen, module = "spikewire._native")]
pub struct PasswordHash(NewPassword);

#[pymethods]
impl PasswordHash {
    /// Hashes a password, in some 50 ms; `None`: the user logs in with a certificate.
    #[new]
    fn new(py: Python<'_>, password: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        let Some(password) = password else { return Ok(Self(NewPassword::none())) };
        let secret = Secret::from(text("password", password)?);
        let hashed = py.detach(|| NewPassword::new(&secret));
        hashed.map(Self).map_err(|error| to_python(py, &error, None))
    }
}

/// The users and roles of a client's cluster, for `spikewire.users` and `spikewire.roles`.
#[pyclass(frozen, module = "spikewire._native")]
pub struct Accounts {
    origin: Origin,
    /// Keeps the client alive, and so prevents its warning that it was not closed.
    _client: Py<PyAny>,
}

impl Accounts {
    fn task<P: Procedure<Output: Into<AdminValue>> + Send + 'static>(
        &self,
        py: Python<'_>,
        procedure: Result<P>,
    ) -> PyResult<AdminTask> {
        AdminTask::of(py, &self.origin, procedure)
    }
}

#[pymethods]
impl Accounts {
    #[new]
    fn new(client: &Bound<'_, PyAny>) -> PyResult<Self> {
        Ok(Self { origin: origin(client)?, _client: client.clone().unbind() })
    }

    /// Creates a user.
    fn create_user(
        &self,
        py: Python<'_>,
        user: &Bound<'_, PyAny>,
        password: &PasswordHash,
        roles: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let (roles, limit) = (texts("roles", roles)?, limit(timeout)?);
        self.task(py, create_user(text("name", user)?, password.0.clone(), &roles, limit))
    }

    /// Drops a user.
    fn drop_user(
        &self,
        py: Python<'_>,
        user: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        self.task(py, drop_user(text("name", user)?, limit(timeout)?))
    }

    /// Sets the password of any user.
    fn set_password(
        &self,
        user: &Bound<'_, PyAny>,
        password: &PasswordHash,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let user = text("name", user)?.to_owned();
        let (password, limit) = (password.0.clone(), limit(timeout)?);
        Ok(AdminTask::new(self.origin.clone(), move |cluster| {
            ChangePassword::of(&user, password, cluster.credentials(), limit)
        }))
    }

    /// Changes the password of the client's own user.
    fn change_password(
        &self,
        password: &PasswordHash,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let (password, limit) = (password.0.clone(), limit(timeout)?);
        Ok(AdminTask::new(self.origin.clone(), move |cluster| {
            ChangePassword::own(password, cluster.credentials(), limit)
        }))
    }

    /// Gives a user more roles.
    fn grant_roles(
        &self,
        py: Python<'_>,
        user: &Bound<'_, PyAny>,
        roles: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let (roles, limit) = (texts("roles", roles)?, limit(timeout)?);
        self.task(py, grant_roles(text("name", user)?, &roles, limit))
    }

    /// Takes roles from a user.
    fn revoke_roles(
        &self,
        py: Python<'_>,
        user: &Bound<'_, PyAny>,
        roles: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let (roles, limit) = (texts("roles", roles)?, limit(timeout)?);
        self.task(py, revoke_roles(text("name", user)?, &roles, limit))
    }

    /// The users, sorted by name.
    fn list_users(&self, py: Python<'_>, timeout: &Bound<'_, PyAny>) -> PyResult<AdminTask> {
        self.task(py, Ok(list_users(limit(timeout)?)))
    }

    /// The user of this name.
    fn get_user(
        &self,
        py: Python<'_>,
        user: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        self.task(py, get_user(text("name", user)?, limit(timeout)?))
    }

    /// Creates a role.
    #[allow(clippy::too_many_arguments)] // a keyword is an argument
    fn create_role(
        &self,
        py: Python<'_>,
        role: &Bound<'_, PyAny>,
        privileges: &Bound<'_, PyAny>,
        allow: &Bound<'_, PyAny>,
        read_quota: &Bound<'_, PyAny>,
        write_quota: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let role = Role {
            name: text("name", role)?.to_owned(),
            privileges: self::privileges(privileges)?,
            allow: texts("allow", allow)?,
            read_quota: quota("read_quota", read_quota)?,
            write_quota: quota("write_quota", write_quota)?,
        };
        self.task(py, create_role(&role, limit(timeout)?))
    }

    /// Drops a role.
    fn drop_role(
        &self,
        py: Python<'_>,
        role: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        self.task(py, drop_role(text("name", role)?, limit(timeout)?))
    }

    /// Adds privileges to a role.
    fn grant_privileges(
        &self,
        py: Python<'_>,
        role: &Bound<'_, PyAny>,
        privileges: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let (privileges, limit) = (self::privileges(privileges)?, limit(timeout)?);
        self.task(py, grant_privileges(text("name", role)?, privileges, limit))
    }

    /// Takes privileges from a role.
    fn revoke_privileges(
        &self,
        py: Python<'_>,
        role: &Bound<'_, PyAny>,
        privileges: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let (privileges, limit) = (self::privileges(privileges)?, limit(timeout)?);
        self.task(py, revoke_privileges(text("name", role)?, privileges, limit))
    }

    /// Sets where the users of a role may come from.
    fn set_allowed(
        &self,
        py: Python<'_>,
        role: &Bound<'_, PyAny>,
        allow: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let (allow, limit) = (texts("allow", allow)?, limit(timeout)?);
        self.task(py, set_allowed(text("name", role)?, &allow, limit))
    }

    /// Sets how much the users of a role may do in a second; `None`: as until now.
    fn set_quotas(
        &self,
        py: Python<'_>,
        role: &Bound<'_, PyAny>,
        read_quota: Option<&Bound<'_, PyAny>>,
        write_quota: Option<&Bound<'_, PyAny>>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        let read = read_quota.map(|it| quota("read", it)).transpose()?;
        let write = write_quota.map(|it| quota("write", it)).transpose()?;
        self.task(py, set_quotas(text("name", role)?, read, write, limit(timeout)?))
    }

    /// The roles, sorted by name.
    fn list_roles(&self, py: Python<'_>, timeout: &Bound<'_, PyAny>) -> PyResult<AdminTask> {
        self.task(py, Ok(list_roles(limit(timeout)?)))
    }

    /// The role of this name.
    fn get_role(
        &self,
        py: Python<'_>,
        role: &Bound<'_, PyAny>,
        timeout: &Bound<'_, PyAny>,
    ) -> PyResult<AdminTask> {
        self.task(py, get_role(text("name", role)?, limit(timeout)?))
    }
}

/// A list of strings. A single `str` is refused: iterated, it would be a list of its characters.
fn texts(what: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    each(what, value, |item| text(&format!("each of {what}"), item).map(str::to_owned))
}

fn each<T>(
    what: &str,
    value: &Bound<'_, PyAny>,
    read: impl Fn(&Bound<'_, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let items = if value.is_instance_of::<PyString>() { None } else { value.try_iter().ok() };
    let Some(items) = items else {
        return Err(type_error(format!("{what} must be a list, not {}", type_name(value))));
    };
    items.map(|item| read(&item?)).collect()
}

/// Privileges: names, or tuples of a name, a namespace and a set.
fn privileges(value: &Bound<'_, PyAny>) -> PyResult<Vec<Privilege>> {
    if value.is_instance_of::<PyTuple>() && value.hasattr("namespace")? {
        return Err(type_error("privileges must be a list, not one privilege"));
    }
    each("privileges", value, |item| {
        let invalid_argument = || {
            type_error(format!(
                "each of privileges must be str or spikewire.roles.Privilege, not {}",
                type_name(item)
            ))
        };
        let (kind, namespace, set) = if item.is_instance_of::<PyString>() {
            (item.clone(), None, None)
        } else {
            let parts = item.cast::<PyTuple>().map_err(|_| invalid_argument())?;
            if parts.len() != 3 {
                return Err(invalid_argument());
            }
            let part = |at| Ok::<_, PyErr>(Some(parts.get_item(at)?).filter(|it| !it.is_none()));
            (parts.get_item(0)?, part(1)?, part(2)?)
        };
        let namespace = namespace.as_ref().map(|it| text("namespace", it)).transpose()?;
        let set = set.as_ref().map(|it| text("set", it)).transpose()?;
        let result = privilege(text("a privilege", &kind)?, namespace, set);
        result.map_err(|error| to_python(item.py(), &error, None))
    })
}

fn quota(what: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    Ok(count(what, value, 0, LARGEST_QUOTA.into())? as u32)
}

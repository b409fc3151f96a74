//! Roles: creating, changing, listing, dropping.

use spikewire_aerospike::admin::role::{
    LARGEST_QUOTA, Privilege, Role, create_role, drop_role, get_role, grant_privileges, list_roles,
    privilege, revoke_privileges, set_allowed, set_quotas,
};

use super::{begin, elements, limit, optional_text, texts};
use crate::arguments::{count, text};
use crate::binding::Call;
use crate::errors::kind_name;
use crate::js::{Failure, Result, Type, Value};

/// `roleCreate(client, slot, name, privileges, allow, readQuota, writeQuota, timeout)`
pub fn create<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let role = Role {
        allow: texts("allow", call.argument(4))?,
        read_quota: quota("readQuota", call.argument(5))?.unwrap_or(0),
        write_quota: quota("writeQuota", call.argument(6))?.unwrap_or(0),
        ..Role::new(name(call)?, privileges(call.argument(3))?)
    };
    begin(call, create_role(&role, limit(call.argument(7))?)?)
}

/// `roleDrop(client, slot, name, timeout)`
pub fn drop<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    begin(call, drop_role(&name(call)?, limit(call.argument(3))?)?)
}

/// `roleGrant(client, slot, name, privileges, timeout)`
pub fn grant<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let privileges = privileges(call.argument(3))?;
    begin(call, grant_privileges(&name(call)?, privileges, limit(call.argument(4))?)?)
}

/// `roleRevoke(client, slot, name, privileges, timeout)`
pub fn revoke<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let privileges = privileges(call.argument(3))?;
    begin(call, revoke_privileges(&name(call)?, privileges, limit(call.argument(4))?)?)
}

/// `roleSetAllowed(client, slot, name, allow, timeout)`
pub fn allow<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let allow = texts("allow", call.argument(3))?;
    begin(call, set_allowed(&name(call)?, &allow, limit(call.argument(4))?)?)
}

/// `roleSetQuotas(client, slot, name, read, write, timeout)`: an absent quota stays as it is.
pub fn quotas<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (read, write) = (quota("read", call.argument(3))?, quota("write", call.argument(4))?);
    begin(call, set_quotas(&name(call)?, read, write, limit(call.argument(5))?)?)
}

/// `roleGet(client, slot, name, timeout)`
pub fn get<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    begin(call, get_role(&name(call)?, limit(call.argument(3))?)?)
}

/// `roleList(client, slot, timeout)`: the roles, sorted by name.
pub fn list<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    begin(call, list_roles(limit(call.argument(2))?))
}

fn name(call: &Call<'_>) -> Result<String> {
    text("name", call.argument(2))
}

fn quota(what: &str, value: Value<'_>) -> Result<Option<u32>> {
    value
        .present()
        .map(|value| count(what, value, (0, LARGEST_QUOTA.into())).map(|it| it as u32))
        .transpose()
}

/// Privileges: names, and objects with a kind, a namespace and a set.
fn privileges(value: Value<'_>) -> Result<Vec<Privilege>> {
    elements("privileges", value, |item| {
        if item.kind() == Type::String {
            return Ok(privilege(&text("a privilege", item)?, None, None)?);
        }
        if item.kind() != Type::Object {
            return Err(Failure::of_type(format!(
                "a privilege must be a string or an object, not {}",
                kind_name(item)
            )));
        }
        let kind = text("kind", item.named(c"kind")?)?;
        let namespace = optional_text("namespace", item.named(c"namespace")?)?;
        let set = optional_text("set", item.named(c"set")?)?;
        Ok(privilege(&kind, namespace.as_deref(), set.as_deref())?)
    })
}

//! Users: creating, changing, listing, dropping.

use spikewire_aerospike::Secret;
use spikewire_aerospike::admin::user::{
    ChangePassword, NewPassword, WithPassword, create_user, drop_user, get_user, grant_roles,
    list_users, revoke_roles,
};

use super::{begin, limit, texts};
use crate::aerospike::client::Client;
use crate::arguments::text;
use crate::binding::Call;
use crate::js::{Result, Value};

/// `userCreate(client, slot, name, password, roles, timeout)`: without a password, the user logs in
/// with a certificate.
pub fn create<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (name, roles) = (name(call)?, texts("roles", call.argument(4))?);
    let limit = limit(call.argument(5))?;
    let create = move |password| create_user(&name, password, &roles, limit);
    match call.argument(3).present() {
        None => begin(call, create(NewPassword::none())?),
        Some(password) => begin(call, WithPassword::new(secret(password)?, create)),
    }
}

/// `userDrop(client, slot, name, timeout)`
pub fn drop<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    begin(call, drop_user(&name(call)?, limit(call.argument(3))?)?)
}

/// `userSetPassword(client, slot, name, password, timeout)`: of any user.
pub fn set_password<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (name, password) = (name(call)?, secret(call.argument(3))?);
    let limit = limit(call.argument(4))?;
    let own = Client::of(call)?.cluster.credentials();
    let set = move |password| ChangePassword::of(&name, password, own, limit);
    begin(call, WithPassword::new(password, set))
}

/// `userChangePassword(client, slot, password, timeout)`: of the client's own user.
pub fn change_password<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (password, limit) = (secret(call.argument(2))?, limit(call.argument(3))?);
    let own = Client::of(call)?.cluster.credentials();
    let change = move |password| ChangePassword::own(password, own, limit);
    begin(call, WithPassword::new(password, change))
}

/// `userGrant(client, slot, name, roles, timeout)`
pub fn grant<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let roles = texts("roles", call.argument(3))?;
    begin(call, grant_roles(&name(call)?, &roles, limit(call.argument(4))?)?)
}

/// `userRevoke(client, slot, name, roles, timeout)`
pub fn revoke<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let roles = texts("roles", call.argument(3))?;
    begin(call, revoke_roles(&name(call)?, &roles, limit(call.argument(4))?)?)
}

/// `userGet(client, slot, name, timeout)`
pub fn get<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    begin(call, get_user(&name(call)?, limit(call.argument(3))?)?)
}

/// `userList(client, slot, timeout)`: the users, sorted by name.
pub fn list<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    begin(call, list_users(limit(call.argument(2))?))
}

fn name(call: &Call<'_>) -> Result<String> {
    text("name", call.argument(2))
}

fn secret(value: Value<'_>) -> Result<Secret> {
    Ok(Secret::from(text("password", value)?))
}

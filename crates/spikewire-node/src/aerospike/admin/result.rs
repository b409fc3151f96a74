//! Results of administrative commands as JavaScript values.

use std::rc::Rc;
use std::sync::Arc;

use spikewire_aerospike::admin::AdminValue;
use spikewire_aerospike::admin::index::ListedIndex;
use spikewire_aerospike::admin::job::RunningJob;
use spikewire_aerospike::admin::role::Role;
use spikewire_aerospike::admin::user::User;

use crate::environment::Environment;
use crate::environment::resources::Resource;
use crate::js::{Env, Result, Value};
use crate::outbox::Settle;

/// A started job.
pub struct BackgroundJob(pub Arc<RunningJob>);

impl Resource for BackgroundJob {}

impl Settle for AdminValue {
    fn settle<'e>(self: Box<Self>, env: Env<'e>, environment: &Environment) -> Result<Value<'e>> {
        match *self {
            Self::Nothing(()) => env.undefined(),
            Self::Text(text) => env.string(&text),
            Self::Indexes(all) => env.array_of(all.iter().map(|one| index(env, one))),
            Self::Modules(all) => env.array_of(all.iter().map(|one| {
                let object = env.object()?;
                object.set_named(c"name", env.string(&one.name)?)?;
                object.set_named(c"hash", env.string(&one.hash)?)?;
                Ok(object)
            })),
            Self::User(one) => user(env, &one),
            Self::Users(all) => env.array_of(all.iter().map(|one| user(env, one))),
            Self::Role(one) => role(env, &one),
            Self::Roles(all) => env.array_of(all.iter().map(|one| role(env, one))),
            Self::Job(job) => {
                let id = env.bigint_unsigned(job.id)?;
                let number = environment.resources.add(Rc::new(BackgroundJob(Arc::new(job))));
                env.array_of([env.uint32(number), Ok(id)].into_iter())
            }
            Self::Progress(it) => {
                let counts = [it.succeeded, it.failed, it.filtered];
                let counts = counts.map(|count| env.number(count as f64));
                let first = [env.boolean(it.done), env.boolean(it.aborted), env.number(it.percent)];
                env.array_of(first.into_iter().chain(counts).collect::<Vec<_>>().into_iter())
            }
        }
    }
}

/// A `User` object, see `node/src/aerospike/admin/users.ts`.
fn user<'e>(env: Env<'e>, one: &User) -> Result<Value<'e>> {
    let texts = |all: &[String]| env.array_of(all.iter().map(|text| env.string(text)));
    let numbers = |all: &[u32]| env.array_of(all.iter().map(|number| env.uint32(*number)));
    let object = env.object()?;
    object.set_named(c"name", env.string(&one.name)?)?;
    object.set_named(c"roles", texts(&one.roles)?)?;
    object.set_named(c"readInfo", numbers(&one.read_info)?)?;
    object.set_named(c"writeInfo", numbers(&one.write_info)?)?;
    object.set_named(c"connections", env.uint32(one.connections)?)?;
    Ok(object)
}

/// A `Role` object, see `node/src/aerospike/admin/roles.ts`.
fn role<'e>(env: Env<'e>, one: &Role) -> Result<Value<'e>> {
    let optional = |text: &str| if text.is_empty() { env.null() } else { env.string(text) };
    let privileges = env.array_of(one.privileges.iter().map(|privilege| {
        let object = env.object()?;
        object.set_named(c"kind", env.string(&privilege.kind.to_string())?)?;
        object.set_named(c"namespace", optional(&privilege.namespace)?)?;
        object.set_named(c"set", optional(&privilege.set)?)?;
        Ok(object)
    }))?;
    let object = env.object()?;
    object.set_named(c"name", env.string(&one.name)?)?;
    object.set_named(c"privileges", privileges)?;
    object.set_named(c"allow", env.array_of(one.allow.iter().map(|text| env.string(text)))?)?;
    object.set_named(c"readQuota", env.uint32(one.read_quota)?)?;
    object.set_named(c"writeQuota", env.uint32(one.write_quota)?)?;
    Ok(object)
}

/// An `Index` object, see `node/src/aerospike/admin/indexes.ts`.
fn index<'e>(env: Env<'e>, one: &ListedIndex) -> Result<Value<'e>> {
    let optional = |text: Option<&String>| text.map_or_else(|| env.null(), |text| env.string(text));
    let object = env.object()?;
    object.set_named(c"name", env.string(&one.name)?)?;
    object.set_named(c"namespace", env.string(&one.namespace)?)?;
    object.set_named(c"set", optional(one.set.as_ref())?)?;
    object.set_named(c"bin", optional(one.bin.as_ref())?)?;
    object.set_named(c"kind", env.string(&one.kind)?)?;
    object.set_named(c"of", env.string(&one.collection)?)?;
    object.set_named(c"ready", env.boolean(one.ready)?)?;
    Ok(object)
}

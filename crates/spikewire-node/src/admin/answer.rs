//! Results of administrative commands as JavaScript values.

use spikewire_aerospike::admin::index::ListedIndex;
use spikewire_aerospike::admin::module::Module;

use crate::environment::Environment;
use crate::js::{Env, Result, Value};
use crate::outbox::Settle;

/// The result of an administrative command.
#[derive(Debug)]
pub enum Answer {
    Nothing,
    Text(String),
    Indexes(Vec<ListedIndex>),
    Modules(Vec<Module>),
}

impl From<()> for Answer {
    fn from((): ()) -> Self {
        Self::Nothing
    }
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<ListedIndex>> for Answer {
    fn from(indexes: Vec<ListedIndex>) -> Self {
        Self::Indexes(indexes)
    }
}

impl From<Vec<Module>> for Answer {
    fn from(modules: Vec<Module>) -> Self {
        Self::Modules(modules)
    }
}

impl Settle for Answer {
    fn settle<'e>(self: Box<Self>, env: Env<'e>, _: &Environment) -> Result<Value<'e>> {
        match *self {
            Self::Nothing => env.undefined(),
            Self::Text(text) => env.string(&text),
            Self::Indexes(all) => env.array_of(all.iter().map(|one| index(env, one))),
            Self::Modules(all) => env.array_of(all.iter().map(|one| {
                let object = env.object()?;
                object.set_named(c"name", env.string(&one.name)?)?;
                object.set_named(c"hash", env.string(&one.hash)?)?;
                Ok(object)
            })),
        }
    }
}

/// An `Index` object, see `node/src/indexes.ts`.
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

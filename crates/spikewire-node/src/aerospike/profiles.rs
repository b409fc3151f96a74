//! Profiles: their settings, and which of them a call has.

use spikewire_options::{Form, OptionValue};
use spikewire_profiles::calls::{Presence, Source, explain, resolve};
use spikewire_profiles::file::{self, Format};
use spikewire_profiles::kinds::{OPTIONS, VERBS, Verb};
use spikewire_profiles::profile::compile;

use super::arguments;
use super::client::Client;
use super::operation;
use crate::arguments::{OptionArgument, text};
use crate::binding::Call;
use crate::js::{Failure, Result, Value};
use crate::opening::{literal, spelled};

/// The name of a verb in JavaScript.
fn verb_name(verb: &str) -> String {
    // Columns are what NumPy has there.
    if verb == "get_numpy" { "getColumns".to_owned() } else { spelled(verb) }
}

/// A value of an option as its verbs check it.
fn check(name: &str, value: &OptionArgument<'_>) -> Result<()> {
    match name {
        "ttl" if value.has_value() => arguments::ttl(value.0).map(drop),
        "buffers" => {
            Err(Failure::of_range("buffers is an option of Python; here, bytes are Buffers"))
        }
        name => spikewire_profiles::check(name, value),
    }
}

/// `profileCompile(sections)`: the settings of a profile. Returns the place of a mistake and what is
/// wrong, or two nulls; and the settings, four elements each: section, option, place, value.
pub fn compiled<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let env = call.env;
    let check = |name: &str, value: &OptionArgument<'e>| {
        check(name, value).map_err(|failure| match failure {
            Failure::Type(message) | Failure::Range(message) => message,
            Failure::Engine(error) => error.message().to_owned(),
            _ => {
                let _ = env.take_exception();
                "it cannot be read".to_owned()
            }
        })
    };
    let parts = match compile(OptionArgument(call.argument(0)), check)? {
        Err(mistake) => {
            let place = env.string(&mistake.place.join("."))?;
            [place, env.string(&mistake.message)?, env.array(0)?]
        }
        Ok(settings) => {
            let mut flat = Vec::new();
            for it in settings {
                let sections = it.section.split('.').filter(|part| !part.is_empty());
                let place: Vec<String> = sections.chain([it.option]).map(spelled).collect();
                flat.push(env.string(it.section)?);
                flat.push(env.string(it.option)?);
                flat.push(env.string(&place.join("."))?);
                flat.push(it.value.0);
            }
            [env.null()?, env.null()?, env.array_of(flat.into_iter().map(Ok))?]
        }
    };
    env.array_of(parts.into_iter().map(Ok)).map(Some)
}

/// `profileFile(bytes, name)`: the profiles of a file. Returns a mistake, line and key, or three
/// nulls; and the profiles, name and settings in turn: section, option, place, value, source.
pub fn file<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let env = call.env;
    let name = text("the file", call.argument(1))?;
    let Some(format) = Format::of(&name) else {
        let endings = Format::ENDINGS.join(", ");
        return Err(Failure::of_range(format!("'{name}' must end in {endings}")));
    };
    let read = call.argument(0).with_bytes(|bytes| file::read(bytes, format, &name));
    let parts = match read.ok_or_else(|| Failure::of_type("the file must be bytes"))? {
        Err(error) => {
            let line = error.line.map_or_else(|| env.null(), |line| env.number(line as f64))?;
            [env.string(&error.message)?, line, env.string(&error.key)?, env.array(0)?]
        }
        Ok(profiles) => {
            let mut flat = Vec::new();
            for profile in profiles {
                let mut settings = Vec::new();
                for it in profile.settings {
                    let sections = it.section.split('.').filter(|part| !part.is_empty());
                    let place: Vec<String> = sections.chain([it.option]).map(spelled).collect();
                    settings.push(env.string(it.section)?);
                    settings.push(env.string(it.option)?);
                    settings.push(env.string(&place.join("."))?);
                    settings.push(literal(env, &it.value.value)?);
                    settings.push(env.string(&it.value.source)?);
                }
                flat.push(env.string(&profile.name)?);
                flat.push(env.array_of(settings.into_iter().map(Ok))?);
            }
            [env.null()?, env.null()?, env.null()?, env.array_of(flat.into_iter().map(Ok))?]
        }
    };
    env.array_of(parts.into_iter().map(Ok)).map(Some)
}

/// `profileCalls(places)`: which settings each kind of call has. Places are sections and options in
/// turn. Returns four elements each: the verb, whether its operations write, the mode of the
/// namespace or null, and the numbers of its settings.
pub fn calls<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let env = call.env;
    let names = texts("a place", call.argument(0))?;
    let places: Vec<(&str, &str)> = names.chunks_exact(2).map(|it| (&*it[0], &*it[1])).collect();
    let mut flat = Vec::new();
    for it in resolve(&places) {
        flat.push(env.string(&verb_name(it.verb))?);
        flat.push(env.boolean(it.writing)?);
        flat.push(it.mode.map_or_else(|| env.null(), |mode| env.string(mode.name()))?);
        // A file may set options that only another language has.
        let settings = it.settings.iter().filter(|at| places[**at].1 != "buffers");
        let settings: Vec<u32> = settings.map(|at| *at as u32).collect();
        flat.push(env.array_of(settings.into_iter().map(|at| env.uint32(at)))?);
    }
    env.array_of(flat.into_iter().map(Ok)).map(Some)
}

/// `profileExplain(verb, writing, valued, empty, ofProfile, ofClient)`: what a call would use. The
/// names of options: those that the call sets, those that it sets to no value, those that the profile
/// and the client set. Returns three elements each: the option, its source (0: the call, 1: the
/// profile, 2: the client, 3: the default), and its default. Null: there is no such verb.
pub fn explained<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let env = call.env;
    let verb = text("the verb", call.argument(0))?;
    let Some(verb) = VERBS.iter().find(|it| verb_name(it.name) == verb) else {
        return env.null().map(Some);
    };
    let writing = call.argument(1).boolean().unwrap_or_default();
    let names = |at| texts("an option", call.argument(at));
    let (valued, empty, of_profile, of_client) = (names(2)?, names(3)?, names(4)?, names(5)?);
    let has = |names: &[String], option: &str| names.contains(&spelled(option));
    let of_call = |option: &str| {
        if has(&valued, option) {
            Presence::Value
        } else if has(&empty, option) {
            Presence::Empty
        } else {
            Presence::Absent
        }
    };
    let profile =
        |option: &str| if has(&of_profile, option) { Presence::Value } else { Presence::Absent };
    let client = |option: &str| has(&of_client, option);
    let used = explain(verb.name, writing, of_call, profile, client).unwrap_or_default();
    let mut flat = Vec::new();
    for (option, source) in used.into_iter().filter(|it| it.0 != "buffers") {
        flat.push(env.string(&spelled(option))?);
        flat.push(env.uint32(match source {
            Source::Call => 0,
            Source::Profile => 1,
            Source::Client => 2,
            Source::Default(_) => 3,
        })?);
        flat.push(match source {
            Source::Default(value) => literal(env, &value)?,
            _ => env.undefined()?,
        });
    }
    env.array_of(flat.into_iter().map(Ok)).map(Some)
}

/// `profileCheck(verb, option, value)`: throws for an option that a verb does not take, and for an
/// invalid value.
pub fn checked<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let verb = text("the verb", call.argument(0))?;
    let name = text("the option", call.argument(1))?;
    let is_known = |option: &&'static str| {
        let has = |it: &Verb| it.takes(option) || it.apart.contains(option);
        *option != "buffers" && VERBS.iter().any(|it| verb_name(it.name) == verb && has(it))
    };
    let known: Vec<&'static str> = OPTIONS.into_iter().filter(is_known).collect();
    let Some(option) = known.iter().find(|option| spelled(option) == name) else {
        let names: Vec<String> = known.iter().map(|option| spelled(option)).collect();
        let names = names.join(", ");
        return Err(Failure::of_type(format!(
            "{verb}() takes no option '{name}'; it takes: {names}"
        )));
    };
    let value = OptionArgument(call.argument(2));
    if value.form() != Form::None {
        check(option, &value)?;
    }
    Ok(None)
}

/// `operationsWrite(operations)`: whether any of the operations writes.
pub fn operations_write<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let steps = operation::steps(call.argument(0))?;
    call.env.boolean(steps.iter().any(|step| !step.as_sent().reads())).map(Some)
}

/// `isStrong(client, namespace)`: whether a namespace is strongly consistent; null if the cluster has
/// no such namespace, as far as the client knows.
pub fn is_strong<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let env = call.env;
    let namespace = text("a namespace", call.argument(1))?;
    let snapshot = Client::of(call)?.cluster.snapshot();
    let map = snapshot.namespaces.get(namespace.as_str());
    map.map_or_else(|| env.null(), |map| env.boolean(map.strong)).map(Some)
}

fn texts(what: &str, array: Value<'_>) -> Result<Vec<String>> {
    (0..array.len()?).map(|at| text(what, array.element(at)?)).collect()
}

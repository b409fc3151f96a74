//! Which settings a client or session is opened with, from a URL, variables and arguments.

use spikewire_aerospike::ClientOptions;
use spikewire_cassandra::SessionOptions;
use spikewire_options::opening::{Host, Opening, Setting, TextType, Used, read};
use spikewire_options::{Literal, OptionValue};

use crate::arguments::{OptionArgument, text};
use crate::binding::Call;
use crate::cql::options::OWN;
use crate::js::failure::camel;
use crate::js::{Env, Failure, Result, Value};

const INTEGERS: TextType = TextType::Word(&["auto", "bigint"]);
const MAPS: TextType = TextType::Word(&["auto", "map"]);

/// The options of the package's clients, and those of other languages.
const CLIENT: Host = Host {
    own: &[
        ("integers", INTEGERS),
        ("doubles", TextType::Word(&["number", "double"])),
        ("maps", MAPS),
        ("signal", TextType::Object),
    ],
    others: &["codec", "submit_limit", "threads"],
    argument: "an argument",
};
const SESSION: Host = Host {
    own: &[
        ("integers", INTEGERS),
        ("maps", MAPS),
        ("authenticator", TextType::Object),
        ("address_translator", TextType::Object),
        ("signal", TextType::Object),
    ],
    others: &["submit_limit", "threads"],
    argument: "an argument",
};

/// `openingRead(database, url, variables, names, values, whole)`: the settings of a client. The
/// variables are names and texts in turn, the names of options the engine's. `whole`: also checks
/// what opening would check, which may read certificates. Returns the seeds, their source, the path
/// of the URL and its source or null; names, values and sources of the options.
pub fn opening<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let is_session = text("the database", call.argument(0))? == "cassandra";
    let url = call.argument(1).present().map(|url| text("the URL", url)).transpose()?;
    let variables = call.argument(2);
    let mut environment = Vec::new();
    for at in 0..variables.len()? / 2 {
        let part = |at| text("a variable", variables.element(at)?);
        environment.push((part(2 * at)?, part(2 * at + 1)?));
    }
    let (names, values) = (call.argument(3), call.argument(4));
    let mut arguments = Vec::new();
    for at in 0..names.len()? {
        let name = text("an option", names.element(at)?)?;
        arguments.push((name, OptionArgument(values.element(at)?)));
    }
    let url = url.as_deref();
    let opening = if is_session {
        let (scheme, checks) = (&spikewire_cassandra::URL_SCHEME, &spikewire_cassandra::UrlChecks);
        read(scheme, &SESSION, checks, url, environment, arguments)
    } else {
        let (scheme, checks) = (&spikewire_aerospike::URL_SCHEME, &spikewire_aerospike::UrlChecks);
        read(scheme, &CLIENT, checks, url, environment, arguments)
    };
    // The names in messages are those of URLs and variables, the same in every language.
    let opening = opening.map_err(|error| match error.class() {
        spikewire_options::InvalidArgumentClass::Type => Failure::of_type(error.message()),
        spikewire_options::InvalidArgumentClass::Value => Failure::of_range(error.message()),
    })?;
    if call.argument(5).boolean() == Some(true) {
        if is_session { check_session(&opening)? } else { check_client(&opening)? }
    }
    parts(call.env, &opening).map(Some)
}

/// Whether an option is none of the engine's.
fn is_own(host: &Host, name: &str) -> bool {
    host.own.iter().any(|(own, _)| *own == name)
}

fn check_client(opening: &Opening<OptionArgument<'_>>) -> Result<()> {
    let mut options = ClientOptions::default();
    for Used { name, value, .. } in &opening.options {
        if is_own(&CLIENT, name) {
            continue;
        }
        match value {
            Setting::Text(value) => options.set(name, value, &[])?,
            Setting::Argument(value) => options.set(name, value, &[])?,
        }
    }
    options.set_seeds(&opening.seeds)?;
    options.finish()?;
    Ok(())
}

fn check_session(opening: &Opening<OptionArgument<'_>>) -> Result<()> {
    let mut options = SessionOptions::default();
    for Used { name, value, .. } in &opening.options {
        if is_own(&SESSION, name) {
            continue;
        }
        match value {
            Setting::Text(value) => options.set(name, value, &[])?,
            // Its names are JavaScript's.
            Setting::Argument(value) => options.set(&camel(name), value, &OWN)?,
        }
    }
    options.set_contact_points(&opening.seeds)?;
    options.finish()?;
    Ok(())
}

fn parts<'e>(env: Env<'e>, opening: &Opening<OptionArgument<'e>>) -> Result<Value<'e>> {
    let optional = |text: Option<&String>| text.map_or_else(|| env.null(), |it| env.string(it));
    let path = opening.path.as_ref();
    let options = &opening.options;
    let value = |used: &Used<OptionArgument<'e>>| match &used.value {
        Setting::Argument(value) => Ok(value.0),
        Setting::Text(Literal::Map(entries)) if used.name == "tls" => {
            let object = env.object()?;
            for (name, value) in entries {
                object.set(env.string(tls_name(name))?, literal(env, value)?)?;
            }
            Ok(object)
        }
        Setting::Text(value) => literal(env, value),
    };
    let parts = [
        env.string(&opening.seeds)?,
        env.string(&opening.seeds_source)?,
        optional(path.map(|it| &it.0))?,
        optional(path.map(|it| &it.1))?,
        env.array_of(options.iter().map(|it| env.string(&camel(&it.name))))?,
        env.array_of(options.iter().map(value))?,
        env.array_of(options.iter().map(|it| env.string(&it.source)))?,
    ];
    env.array_of(parts.into_iter().map(Ok))
}

/// The name of an entry of `tls`, as in `tls.connect`.
fn tls_name(name: &str) -> &str {
    match name {
        "certificate" => "cert",
        "private_key" => "key",
        "private_key_password" => "passphrase",
        "crls" => "crl",
        "crl_check" => "crlCheck",
        "server_name" => "servername",
        "system_ca" => "systemCa",
        "verify" => "rejectUnauthorized",
        "verify_hostname" => "verifyHostname",
        name => name,
    }
}

/// A value of a URL, a variable or a file; durations are in milliseconds.
pub fn literal<'e>(env: Env<'e>, value: &Literal) -> Result<Value<'e>> {
    match value {
        Literal::None => env.null(),
        Literal::Flag(flag) => env.boolean(*flag),
        Literal::Number(number) => env.number(*number),
        // Seconds are rarely exact in binary: 0.057 * 1000 is not 57.
        Literal::Span(seconds) => env.number((seconds * 1e9).round() / 1e6),
        Literal::Text(text) => env.string(text),
        Literal::List(elements) => {
            env.array_of(elements.iter().map(|element| literal(env, element)))
        }
        Literal::Map(entries) => {
            let object = env.object()?;
            for (name, value) in entries {
                object.set(env.string(name)?, literal(env, value)?)?;
            }
            Ok(object)
        }
    }
}

/// The names of options in JavaScript.
pub fn spelled(name: &str) -> String {
    OptionArgument::spelling(name).into_owned()
}

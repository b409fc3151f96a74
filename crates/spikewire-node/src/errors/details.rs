//! What a server said about a failure beyond its code, as an object: `ErrorDetails` in
//! `node/src/aerospike/model/errors.ts`.

use std::ffi::CStr;

use spikewire_aerospike::{Error, ErrorDetails};
use spikewire_aerospike_protocol::error_details::trace::{Language, Outcome, Phase, Trace};

use crate::js::{Env, Result, Value};

/// The details of an error.
#[cold]
pub fn object<'e>(env: Env<'e>, error: &Error, details: &ErrorDetails) -> Result<Value<'e>> {
    let object = Fields::new(env)?;
    object.number(c"subcode", details.subcode)?;
    object.text(c"subcodeName", error.subcode_name())?;
    object.text(c"message", details.message.as_deref())?;
    let trace = details.trace.as_deref();
    object.set(c"trace", trace.map_or_else(|| env.null(), |trace| trace_object(env, trace))?)?;
    Ok(object.0)
}

fn trace_object<'e>(env: Env<'e>, trace: &Trace) -> Result<Value<'e>> {
    let object = Fields::new(env)?;
    object.text(c"phase", trace.phase.map(Phase::name))?;
    object.number(c"offset", trace.offset)?;
    object.text(c"op", trace.op.as_deref())?;
    object.number(c"depth", trace.depth)?;
    object.texts(c"path", &trace.path)?;
    object.text(c"snippet", trace.snippet.as_deref())?;
    object.text(c"outcome", trace.outcome.map(Outcome::name))?;
    object.text(c"language", Some(trace.language.unwrap_or(Language::Msgpack).name()))?;
    object.number(c"textOffset", trace.text_offset)?;
    object.number(c"textLength", trace.text_length)?;
    object.number(c"line", trace.line)?;
    object.number(c"column", trace.column)?;
    object.texts(c"operands", &trace.operands)?;
    Ok(object.0)
}

/// An object that gets its properties; what is not known is `null`.
struct Fields<'e>(Value<'e>);

impl<'e> Fields<'e> {
    fn new(env: Env<'e>) -> Result<Self> {
        env.object().map(Self)
    }

    fn set(&self, name: &CStr, value: Value<'e>) -> Result<()> {
        self.0.set_named(name, value)
    }

    fn number(&self, name: &CStr, number: Option<u32>) -> Result<()> {
        let env = self.0.env();
        self.set(name, number.map_or_else(|| env.null(), |number| env.uint32(number))?)
    }

    fn text(&self, name: &CStr, text: Option<&str>) -> Result<()> {
        let env = self.0.env();
        self.set(name, text.map_or_else(|| env.null(), |text| env.string(text))?)
    }

    fn texts(&self, name: &CStr, texts: &[String]) -> Result<()> {
        let env = self.0.env();
        self.set(name, env.array_of(texts.iter().map(|text| env.string(text)))?)
    }
}

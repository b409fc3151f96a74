//! Recordings of a client's calls. `node/src/aerospike/recording.ts` wraps them in a class.

use std::io;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use spikewire_aerospike::recording::{RecordError, RecordOptions, Recording, RecordingSummary};

use crate::aerospike::client::Client;
use crate::arguments::{Options, count, text};
use crate::binding::Call;
use crate::environment::resources::Resource;
use crate::errors::{describe, kind_name};
use crate::js::{Env, Failure, Result, Value, work};

/// A recording that JavaScript refers to by number.
struct RecordingResource(Arc<Recording>);

impl Resource for RecordingResource {
    fn end(&self) {
        self.0.stop_soon();
    }
}

/// `recordingStart(client, path, options)`: the number of a recording that has begun; or what
/// [`error_value`] returns.
pub fn start<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let client = Client::of(call)?;
    let path = text("path", call.argument(1))?;
    let options = read(&Options::new(call.argument(2)))?;
    let started = Recording::start(&client.cluster, Path::new(&path), options);
    let value = match started {
        Ok(recording) => {
            let resource = Rc::new(RecordingResource(Arc::new(recording)));
            call.env.uint32(call.host.environment.resources.add(resource))
        }
        Err(error) => error_value(call.env, error),
    };
    value.map(Some)
}

fn read(options: &Options<'_>) -> Result<RecordOptions> {
    let mut read = RecordOptions::default();
    if let Some(share) = options.get(c"share")? {
        let number = share.number().ok_or_else(|| {
            Failure::of_type(format!("share must be a number, not {}", kind_name(share)))
        })?;
        if !(number > 0.0 && number <= 1.0) {
            let share = describe(share);
            return Err(Failure::of_range(format!(
                "share must be above 0 and at most 1, got {share}"
            )));
        }
        read.share = number;
    }
    if let Some(max_bytes) = options.get(c"maxBytes")? {
        read.max_bytes = count("maxBytes", max_bytes, (RecordOptions::LEAST_BYTES, 1 << 50))?;
    }
    if let Some(overwrite) = options.flag(c"overwrite")? {
        read.overwrite = overwrite;
    }
    Ok(read)
}

/// `recordingSummary(recording)`: state, calls, dropped calls, bytes, seconds.
pub fn summary<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    fields(call.env, &of_call(call)?.summary()).map(Some)
}

/// `recordingStop(recording, slot)`: settles with the summary, once the file is complete; or with
/// what [`error_value`] returns.
pub fn stop<'e>(call: &Call<'e>) -> Result<Option<Value<'e>>> {
    let (recording, slot) = (of_call(call)?, call.index(1)?);
    let environment = call.host.environment.clone();
    let stop = move || recording.stop();
    work::spawn(call.env, "spikewire.recording", stop, move |env, stopped| {
        let panicked = || Err(io::Error::other("the recording panicked").into());
        let value = match stopped.unwrap_or_else(|_| panicked()) {
            Ok(summary) => fields(env, &summary),
            Err(error) => error_value(env, error),
        };
        environment.settle(env, slot, value);
    })?;
    Ok(None)
}

/// The recording in a call's first argument.
fn of_call(call: &Call<'_>) -> Result<Arc<Recording>> {
    let resources = &call.host.environment.resources;
    Ok(resources.get::<RecordingResource>(call.index(0)?)?.0.clone())
}

fn fields<'e>(env: Env<'e>, summary: &RecordingSummary) -> Result<Value<'e>> {
    let RecordingSummary { state, calls, dropped, bytes, seconds, .. } = *summary;
    let number = |number| env.number(number);
    let [calls, dropped, bytes] = [calls, dropped, bytes].map(|count| number(count as f64));
    let fields = [env.string(state.name()), calls, dropped, bytes, number(seconds)];
    env.array_of(fields.into_iter())
}

/// What becomes of a failure: an exception of the package, or `[the system's error name, message]`
/// if it is the file's.
fn error_value(env: Env<'_>, error: RecordError) -> Result<Value<'_>> {
    let error = match error {
        RecordError::Client(error) => return Err(error.into()),
        RecordError::File(error) => error,
    };
    let code = match error.kind() {
        io::ErrorKind::AlreadyExists => "EEXIST",
        io::ErrorKind::NotFound => "ENOENT",
        io::ErrorKind::PermissionDenied => "EACCES",
        io::ErrorKind::IsADirectory => "EISDIR",
        io::ErrorKind::StorageFull => "ENOSPC",
        _ => "EIO",
    };
    let parts = [env.string(code), env.string(&error.to_string())];
    env.array_of(parts.into_iter())
}

//! Faults of nodes.

use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_server::{Drip, Faults, Refuse};

use super::options::{for_each, pair};
use crate::arguments::{count, flag, span, text};
use crate::errors::{describe, kind_name};
use crate::js::{Failure, Result, Value};

/// Parses faults from an object.
pub fn parse(value: Value<'_>) -> Result<Faults> {
    if value.is_absent() {
        return Err(Failure::of_type(format!(
            "faults must be an object, not {}",
            kind_name(value)
        )));
    }
    let mut faults = Faults::default();
    for_each(value, "faults", |name, value| fault(&mut faults, name, value))?;
    Ok(faults)
}

fn fault(faults: &mut Faults, name: &str, value: Value<'_>) -> Result<()> {
    let share = || {
        let Some(share) = value.number() else {
            return Err(Failure::of_type(format!(
                "{name} must be a share from 0 to 1, not {}",
                kind_name(value)
            )));
        };
        if (0.0..=1.0).contains(&share) {
            return Ok(share);
        }
        let got = describe(value);
        Err(Failure::of_range(format!("{name} must be a share from 0 to 1, got {got}")))
    };
    match name {
        "delay" => faults.delay = span(name, value)?,
        "lateEnd" => faults.late_end = span(name, value)?,
        "drop" => faults.drop = share()?,
        "dropReply" => faults.drop_reply = share()?,
        "cut" => faults.cut = share()?,
        "error" => faults.error = share()?,
        "code" => faults.code = ResultCode(count(name, value, (1, 255))? as u8),
        "info" => faults.info = flag(name, value)?,
        "seed" => faults.seed = count(name, value, (0, u64::MAX))?,
        "drip" => {
            let (bytes, every) = pair(name, value)?;
            faults.drip = Some(Drip { bytes: bytes as usize, every });
        }
        "refuse" => {
            faults.refuse = match text(name, value)?.as_str() {
                "never" => Refuse::Never,
                "close" => Refuse::Close,
                "port" => Refuse::Port,
                _ => {
                    return Err(Failure::of_range(format!(
                        "refuse must be 'never', 'close' or 'port', got {}",
                        describe(value)
                    )));
                }
            };
        }
        _ => {
            return Err(Failure::of_type(format!(
                "unknown fault {name}; there are: delay, lateEnd, drop, dropReply, cut, error, code, \
                 refuse, drip, info, seed"
            )));
        }
    }
    Ok(())
}

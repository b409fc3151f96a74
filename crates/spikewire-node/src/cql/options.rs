//! Options of sessions, read from JavaScript.

use spikewire_cassandra::SessionOptions;
use spikewire_options::OptionValue;

use super::value::CqlDecodeOptions;
use crate::arguments::{OptionArgument, text};
use crate::js::{Result, Value};

/// The options of this package: how values are converted, and what cancels opening.
pub const OWN: [&str; 5] = ["address_translator", "authenticator", "integers", "maps", "signal"];

/// Parses contact points, and options as two arrays of names and values.
pub fn read(
    points: Value<'_>,
    names: Value<'_>,
    values: Value<'_>,
) -> Result<(SessionOptions, CqlDecodeOptions)> {
    let (mut session, mut decode_options) =
        (SessionOptions::default(), CqlDecodeOptions::default());
    let points = text("contact points", points)?;
    for at in 0..names.len()? {
        let (name, value) = (text("an option", names.element(at)?)?, values.element(at)?);
        let value = OptionArgument(value);
        match name.as_str() {
            "integers" => {
                let words = [("auto", false), ("bigint", true)];
                decode_options.bigints = value.word(&name, &words)?;
            }
            "maps" => {
                decode_options.maps = value.word(&name, &[("auto", false), ("map", true)])?;
            }
            // Of a drop-in, not of programs: no option that they name is spelled so.
            "(conversion)" => decode_options.conversion = value.0.index()?,
            "(lengths)" => decode_options.sent = Some(0),
            // What answers for them is passed beside the options.
            "authenticator" | "addressTranslator" => {}
            name => session.set(name, &value, &OWN)?,
        }
    }
    session.set_contact_points(&points)?;
    Ok((session, decode_options))
}

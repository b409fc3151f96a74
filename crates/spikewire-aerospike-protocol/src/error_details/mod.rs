//! Why a command failed, beyond its result code: servers from 8.2 on say so in a field of the reply
//! if the request asks for it.
//!
//! | module | what it holds |
//! |---|---|
//! | here | what is asked for, and the field |
//! | [`trace`] | where in an expression a failure happened |
//! | [`subcode`] | what the numbers below a result code mean |

pub mod subcode;
pub mod trace;

use crate::frame;
use crate::message::info4;
use crate::msgpack::{self, Reader, Token, take};
pub use subcode::Subcode;
pub use trace::{Language, Outcome, Phase, Trace};

/// The longest value of the field that servers send.
pub const LONGEST: usize = 1024;
/// The longest message in it.
pub const MESSAGE: usize = 1009;
/// Where a message frame has its fourth info byte.
const INFO4_AT: usize = frame::HEADER_LEN + 4;
/// Flags of that byte which say that the message is a step of a transaction's end, which is no
/// command of a user.
const STEPS: u8 = info4::VERIFY_READ | info4::ROLL_FORWARD | info4::ROLL_BACK;

/// How much a request asks for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum DetailLevel {
    /// Nothing: the reply is what it always was.
    #[default]
    Off = 0,
    /// The subcode.
    Subcode = 1,
    /// The subcode and a message.
    Message = 2,
    /// Both, and where in an expression the failure happened.
    Trace = 3,
}

impl DetailLevel {
    /// Those with a name.
    pub const NAMES: [(&str, Self); 4] = [
        ("off", Self::Off),
        ("subcode", Self::Subcode),
        ("message", Self::Message),
        ("trace", Self::Trace),
    ];

    /// The level with this number; higher ones are the highest.
    pub const fn of_number(number: u8) -> Self {
        match number {
            0 => Self::Off,
            1 => Self::Subcode,
            2 => Self::Message,
            _ => Self::Trace,
        }
    }

    /// The level in a request's fourth info byte.
    pub const fn of_flags(info4: u8) -> Self {
        Self::of_number((info4 & info4::ERROR_DETAILS) >> info4::ERROR_DETAILS.trailing_zeros())
    }

    /// Its bits of the fourth info byte.
    pub const fn flags(self) -> u8 {
        (self as u8) << info4::ERROR_DETAILS.trailing_zeros()
    }
}

/// Makes a complete message frame ask for this much, unless it is a step of a transaction's end.
pub fn ask(frame: &mut [u8], level: DetailLevel) {
    if let Some(flags) = frame.get_mut(INFO4_AT)
        && *flags & STEPS == 0
    {
        *flags = *flags & !info4::ERROR_DETAILS | level.flags();
    }
}

/// Why a command failed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ErrorDetails {
    /// A number that says more than the result code, and means something together with it only.
    pub subcode: Option<u32>,
    /// The server's message.
    pub message: Option<String>,
    /// Where in an expression it happened.
    pub trace: Option<Box<Trace>>,
}

/// Keys of the field's map.
mod key {
    pub const SUBCODE: i64 = 1;
    pub const MESSAGE: i64 = 2;
    pub const TRACE: i64 = 3;
}

impl ErrorDetails {
    /// Reads the field of a reply. `None` if it says nothing, or nothing that can be read: a failure
    /// is not made another one by what was to explain it. Keys that are not known are skipped, and
    /// so are values of other types than they should be.
    pub fn read(field: &[u8]) -> Option<Self> {
        let mut details = Self::default();
        each_pair(field, |key, value| match key {
            key::SUBCODE => details.subcode = number(value).filter(|number| *number > 0),
            key::MESSAGE => details.message = text(value).filter(|text| !text.is_empty()),
            key::TRACE => details.trace = Trace::read(value).map(Box::new),
            _ => {}
        })?;
        (details != Self::default()).then_some(details)
    }

    /// Encodes what this level has; too much is left out in the server's order. `None` if nothing is
    /// left.
    pub fn write(&self, level: DetailLevel) -> Option<Vec<u8>> {
        let subcode = self.subcode.filter(|_| level >= DetailLevel::Subcode);
        let message = self.message.as_deref().filter(|_| level >= DetailLevel::Message);
        let message = message.map(|message| cut(message, MESSAGE));
        let mut trace = self.trace.as_deref().filter(|_| level >= DetailLevel::Trace).cloned();
        loop {
            let field = encode(subcode, message, trace.as_ref())?;
            if field.len() <= LONGEST {
                return Some(field);
            }
            // Without a trace there is a message of bounded length, which fits.
            trace = trace.and_then(Trace::shortened);
        }
    }

    /// What the subcode means below this result code.
    pub fn name(&self, code: u8) -> Option<&'static str> {
        self.subcode.and_then(|number| subcode::find(code, number)).map(|known| known.name)
    }

    /// The details in brackets, for the text of an error with this result code.
    pub fn brackets(&self, code: u8) -> String {
        let subcode = self.subcode.map(|number| match self.name(code) {
            Some(name) => format!("{name} {number}"),
            None => format!("subcode {number}"),
        });
        let trace = self.trace.as_deref().map(Trace::summary).filter(|text| !text.is_empty());
        let what = match (subcode, &self.message) {
            (Some(subcode), Some(message)) => Some(format!("{subcode}: {message}")),
            (Some(subcode), None) => Some(subcode),
            (None, message) => message.clone(),
        };
        let parts: Vec<String> = what.into_iter().chain(trace).collect();
        format!("[{}]", parts.join("; "))
    }
}

fn encode(subcode: Option<u32>, message: Option<&str>, trace: Option<&Trace>) -> Option<Vec<u8>> {
    let count =
        u32::from(subcode.is_some()) + u32::from(message.is_some()) + u32::from(trace.is_some());
    if count == 0 {
        return None;
    }
    let mut out = Vec::new();
    msgpack::map(&mut out, count);
    if let Some(subcode) = subcode {
        pair(&mut out, key::SUBCODE, |out| msgpack::int(out, subcode.into()));
    }
    if let Some(message) = message {
        pair(&mut out, key::MESSAGE, |out| msgpack::raw(out, message.as_bytes()));
    }
    if let Some(trace) = trace {
        pair(&mut out, key::TRACE, |out| trace.write(out));
    }
    Some(out)
}

fn pair(out: &mut Vec<u8>, key: i64, write: impl FnOnce(&mut Vec<u8>)) {
    msgpack::int(out, key);
    write(out);
}

/// The beginning of a text of at most so many bytes.
fn cut(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    &text[..end.unwrap_or(0)]
}

/// Passes on the pairs of a map whose keys are integers. `None` if it is no map, or ends too early;
/// what has been passed on by then counts for nothing.
fn each_pair<'a>(bytes: &'a [u8], mut take_pair: impl FnMut(i64, &'a [u8])) -> Option<()> {
    let mut reader = Reader::new(bytes);
    let Ok(Token::Map(count)) = reader.next() else { return None };
    for _ in 0..count {
        let key = take(&mut reader).ok()?;
        let value = take(&mut reader).ok()?;
        if let Ok(Token::Int(key)) = Reader::new(key).next() {
            take_pair(key, value);
        }
    }
    Some(())
}

fn number(value: &[u8]) -> Option<u32> {
    match Reader::new(value).next() {
        Ok(Token::Int(number)) => u32::try_from(number).ok(),
        _ => None,
    }
}

/// A text, which has no particle type in front.
fn text(value: &[u8]) -> Option<String> {
    let Ok(Token::Bytes(..)) = Reader::new(value).next() else { return None };
    let start = match value.first()? {
        0xa0..=0xbf => 1,
        0xc4 | 0xd9 => 2,
        0xc5 | 0xda => 3,
        _ => 5,
    };
    value.get(start..).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
}

#[cfg(test)]
mod tests;

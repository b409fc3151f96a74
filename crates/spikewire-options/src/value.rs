//! The value of an option in a host language.

use std::borrow::Cow;
use std::fmt::Display;
use std::time::Duration;

use crate::{InvalidArgument, parse};

/// What sort of value it is, for options that take several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// No value: the option is unset.
    None,
    /// True or false.
    Flag,
    /// A string.
    Text,
    /// A list.
    List,
    /// Values by name.
    Map,
    /// Anything else.
    Other,
}

/// The value of an option in a host language. A binding implements it once for all its options;
/// engines read their options with it. Names are for error messages.
pub trait OptionValue: Sized {
    /// The error for an invalid value.
    type Error: From<InvalidArgument>;
    /// What a list is called, such as "a list".
    const LIST: &'static str;
    /// What values by name are called.
    const MAP: &'static str;

    /// The host's spelling of an option's name.
    fn spelling(name: &str) -> Cow<'_, str> {
        Cow::Borrowed(name)
    }

    /// What sort of value it is.
    fn form(&self) -> Form;
    /// Its type, for messages.
    fn kind(&self) -> String;
    /// The value itself, for messages.
    fn describe(&self) -> impl Display;
    /// The same for a duration, with its unit if numbers are not seconds.
    fn describe_span(&self) -> impl Display {
        self.describe()
    }

    /// True or false.
    fn flag(&self, name: &str) -> Result<bool, Self::Error>;
    /// An integer within bounds; see [`parse::count`].
    fn count(&self, name: &str, bounds: (u64, u64)) -> Result<u64, Self::Error>;
    /// Any integer of 64 bits; `None` if it is something else.
    fn integer(&self) -> Option<i64>;
    /// Any number; `None` if it is something else.
    fn number(&self) -> Option<f64>;
    /// A duration, in the unit of the host; see [`parse::seconds`].
    fn span(&self, name: &str) -> Result<Duration, Self::Error>;
    /// A duration that is in seconds for every host, as servers have it.
    fn seconds(&self, name: &str) -> Result<Duration, Self::Error> {
        self.span(name)
    }
    /// A string.
    fn text(&self, name: &str) -> Result<String, Self::Error>;
    /// Bytes, as `read` takes them.
    fn bytes<T>(&self, name: &str, read: impl FnOnce(&[u8]) -> T) -> Result<T, Self::Error>;
    /// The elements of a list.
    fn elements(&self, name: &str) -> Result<Vec<Self>, Self::Error>;
    /// The values of a map with their names.
    fn entries(&self, name: &str) -> Result<Vec<(String, Self)>, Self::Error>;

    /// Whether there is a value, for options that can be unset.
    fn has_value(&self) -> bool {
        self.form() != Form::None
    }

    /// The value, for options that can be unset.
    fn optional<T>(
        &self,
        read: impl FnOnce(&Self) -> Result<T, Self::Error>,
    ) -> Result<Option<T>, Self::Error> {
        if self.has_value() { read(self).map(Some) } else { Ok(None) }
    }

    /// The error for a value of the wrong type.
    fn wrong_type(&self, expected: impl Display) -> Self::Error {
        InvalidArgument::of_type(format!("{expected}, not {}", self.kind())).into()
    }

    /// The error for a value of the right type.
    fn wrong_value(&self, expected: impl Display) -> Self::Error {
        InvalidArgument::of_value(format!("{expected}, got {}", self.describe())).into()
    }

    /// A number within bounds; `what` describes it, such as "a share".
    fn number_within(
        &self,
        name: &str,
        what: &str,
        (least, most): (f64, f64),
    ) -> Result<f64, Self::Error> {
        let expected = || format!("{name} must be {what} from {least} to {most}");
        match self.number() {
            Some(number) if (least..=most).contains(&number) => Ok(number),
            Some(_) => Err(self.wrong_value(expected())),
            None => Err(self.wrong_type(expected())),
        }
    }

    /// One of some words.
    fn word<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<T, Self::Error> {
        Ok(parse::named(name, words, &self.text(name)?)?)
    }

    /// A list; `of` says of what.
    fn list(&self, name: &str, of: &str) -> Result<Vec<Self>, Self::Error> {
        match self.form() {
            Form::List => self.elements(name),
            _ => Err(self.wrong_type(format_args!("{name} must be {} of {of}", Self::LIST))),
        }
    }

    /// A list of strings, each of them `each`.
    fn texts(&self, name: &str, of: &str, each: &str) -> Result<Vec<String>, Self::Error> {
        let each = format!("{name}: {each}");
        self.list(name, of)?.iter().map(|text| text.text(&each)).collect()
    }

    /// A list of counts up to 32 bits, each of them `each`.
    fn counts(&self, name: &str, of: &str, each: &str) -> Result<Vec<u32>, Self::Error> {
        let (each, bounds) = (format!("{name}: {each}"), (0, u32::MAX.into()));
        let counts = self.list(name, of)?;
        counts.iter().map(|count| Ok(count.count(&each, bounds)? as u32)).collect()
    }

    /// Values by name; `of` says of what.
    fn map(&self, name: &str, of: &str) -> Result<Vec<(String, Self)>, Self::Error> {
        match self.form() {
            Form::Map => self.entries(name),
            _ => Err(self.wrong_type(format_args!("{name} must be {} of {of}", Self::MAP))),
        }
    }

    /// Strings by name, sorted.
    fn text_map(&self, name: &str, of: &str) -> Result<Vec<(String, String)>, Self::Error> {
        let entries = self.map(name, of)?.into_iter();
        let texts = entries.map(|(key, text)| {
            let text = text.text(&format!("{name}: {key:?}"))?;
            Ok((key, text))
        });
        let mut texts: Vec<_> = texts.collect::<Result<_, Self::Error>>()?;
        texts.sort();
        Ok(texts)
    }

    /// Options by the engine's names; `what` is the beginning of the message for an unknown one.
    fn options(
        &self,
        name: &str,
        what: &str,
        names: &[&'static str],
    ) -> Result<Vec<(&'static str, Self)>, Self::Error> {
        if self.form() != Form::Map {
            return Err(self.wrong_type(format_args!("{name} must be {}", Self::MAP)));
        }
        let entries = self.entries(name)?.into_iter();
        entries.map(|(name, value)| Ok((Self::engine_name(&name, what, names)?, value))).collect()
    }

    /// The engine's name of an option; `what` is the beginning of the message for an unknown one.
    fn engine_name(
        name: &str,
        what: &str,
        names: &[&'static str],
    ) -> Result<&'static str, InvalidArgument> {
        let known = names.iter().find(|known| Self::spelling(known) == name);
        known.copied().ok_or_else(|| parse::unknown(what, name, names))
    }
}

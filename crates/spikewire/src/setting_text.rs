//! Settings of clients as text, for both databases.

use spikewire_options::opening::is_secret;
use spikewire_options::{Literal, OptionValue};

/// The value of a setting, without secrets.
pub(crate) fn text_of(value: &Literal) -> String {
    match value {
        Literal::None => "none".to_owned(),
        Literal::List(elements) => {
            format!("[{}]", elements.iter().map(text_of).collect::<Vec<_>>().join(", "))
        }
        Literal::Map(entries) => {
            let entry = |(name, value): &(String, Literal)| {
                let value = if is_secret(name) { "'***'".to_owned() } else { text_of(value) };
                format!("{name}: {value}")
            };
            format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
        }
        Literal::Span(seconds) => format!("{seconds} s"),
        value => value.describe().to_string(),
    }
}

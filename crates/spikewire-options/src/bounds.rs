//! Bounds of options by name.

use std::time::Duration;

use crate::{InvalidArgument, OptionValue, parse};

/// The bounds of the options of a client, a session or a call: they are the same whether a host
/// sets an option by name or a program sets the field. A name may say first what it is about, as in
/// `namespace "test": default_ttl`.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// Least and most of integers.
    pub counts: &'static [(&'static str, (u64, u64))],
    /// Least and most of durations; those without bounds are not listed.
    pub spans: &'static [(&'static str, (Duration, Duration))],
}

impl Bounds {
    /// The integer that a host set.
    pub fn count<V: OptionValue>(&self, name: &str, value: &V) -> Result<u64, V::Error> {
        value.count(name, self.of_count(name))
    }

    /// The duration that a host set.
    pub fn span<V: OptionValue>(&self, name: &str, value: &V) -> Result<Duration, V::Error> {
        let span = value.span(name)?;
        self.check_span(name, span)?;
        Ok(span)
    }

    /// Rejects an integer out of bounds.
    pub fn check_count(&self, name: &str, count: u64) -> Result<(), InvalidArgument> {
        parse::count(name, Some(count), self.of_count(name), count).map(drop)
    }

    /// Rejects a duration out of bounds.
    pub fn check_span(&self, name: &str, span: Duration) -> Result<(), InvalidArgument> {
        let bounds = bounds_of(self.spans, name);
        let Some((least, most)) = bounds.filter(|(least, most)| span < *least || span > *most)
        else {
            return Ok(());
        };
        let (least, span) = (least.as_secs_f64(), span.as_secs_f64());
        Err(InvalidArgument::of_value(if most == Duration::MAX {
            format!("{name} must be at least {least} s, got {span} s")
        } else {
            format!("{name} must be from {least} to {} s, got {span} s", most.as_secs_f64())
        }))
    }

    fn of_count(&self, name: &str) -> (u64, u64) {
        bounds_of(self.counts, name).unwrap_or((0, u64::MAX))
    }
}

/// The bounds of an option, without what its name is about. Names of options have no spaces, which
/// are cheaper to find than `": "`: calls with options of their own look here.
fn bounds_of<T: Copy>(all: &[(&str, (T, T))], name: &str) -> Option<(T, T)> {
    let option = &name[name.bytes().rposition(|byte| byte == b' ').map_or(0, |at| at + 1)..];
    all.iter().find(|(known, _)| *known == option).map(|(_, bounds)| *bounds)
}

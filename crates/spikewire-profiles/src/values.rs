//! The check of an option's value, as the verbs check it.

use spikewire_aerospike::CommitLevel;
use spikewire_aerospike::Hedge;
use spikewire_aerospike::command::batch::deadline_of;
use spikewire_aerospike::command::{MAX_RETRIES, ReadTouch, Ttl, multiplier_of, parse};
use spikewire_aerospike::query::QuerySpec;
use spikewire_options::{Form, OptionValue};
use spikewire_transport::Priority;

/// Checks the value of an option of a profile. No value stands for the client's own option, except
/// for flags that a client does not have.
pub fn check<V: OptionValue + Clone>(name: &str, value: &V) -> Result<(), V::Error> {
    if !value.has_value() && !matches!(name, "durable" | "buffers") {
        return Ok(());
    }
    match name {
        "timeout" | "socket_timeout" | "sleep_between_retries" | "max_sleep_between_retries" => {
            value.span(name)?;
        }
        "max_retries" => {
            value.count(name, MAX_RETRIES)?;
        }
        "sleep_multiplier" => {
            multiplier_of(name, value)?;
        }
        "sleep_jitter" | "retry_in_doubt" | "compress" | "buffers" | "durable" | "send_key" => {
            value.flag(name)?;
        }
        "priority" => {
            Priority::parse(&value.text(name)?)?;
        }
        "error_details" => {
            parse::error_details(&value.text(name)?)?;
        }
        "commit_level" => {
            CommitLevel::parse(&value.text(name)?)?;
        }
        "hedge" => {
            Hedge::of(name, value)?;
        }
        "share_reads" => {
            parse::share_reads(&value.text(name)?)?;
        }
        "deadline" => {
            deadline_of(value)?;
        }
        "replica" => {
            parse::replica(&value.text(name)?)?;
        }
        "read_mode" => {
            parse::read_mode(&value.text(name)?)?;
        }
        "read_touch" => {
            let expected =
                || value.wrong_type(format_args!("{name} must be a whole number of percent"));
            ReadTouch::percent(value.integer().ok_or_else(expected)?, value.describe())?;
        }
        "ttl" => ttl(name, value)?,
        "exists" => {
            parse::exists(&value.text(name)?)?;
        }
        _ => {
            let own = |it: &str| Ok((it == name).then(|| value.clone()));
            QuerySpec::new("", "").read(own)?;
        }
    }
    Ok(())
}

fn ttl<V: OptionValue>(name: &str, value: &V) -> Result<(), V::Error> {
    const FORMS: &str = "whole seconds, 'default', 'never' or 'unchanged'";
    if value.form() == Form::Text {
        let word = value.text(name)?;
        return match parse::ttl(&word) {
            Some(_) => Ok(()),
            None => Err(value.wrong_value(format_args!("{name} must be {FORMS}"))),
        };
    }
    let expected = || value.wrong_type(format_args!("{name} must be {FORMS}"));
    Ttl::seconds(value.integer().ok_or_else(expected)?, value.describe())?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use spikewire_options::Literal;

    use super::*;
    use crate::kinds::OPTIONS;

    #[test]
    fn every_option_is_checked() {
        for option in OPTIONS {
            let error = check(option, &Literal::Map(Vec::new())).unwrap_err();
            assert!(error.message().starts_with(&format!("{option} must be ")), "{error}");
            let nothing = check(option, &Literal::None);
            assert_eq!(nothing.is_ok(), !matches!(option, "durable" | "buffers"), "{option}");
        }
    }

    #[test]
    fn values_have_the_bounds_of_the_verbs() {
        for (name, value, message) in [
            ("timeout", "soon".into(), "timeout must be seconds as a number, not string"),
            ("replica", "near".into(), "replica must be 'master', "),
            ("ttl", 0.into(), "ttl must be from 1 to "),
            ("ttl", "soon".into(), "ttl must be whole seconds, 'default', "),
            ("page_size", 0.into(), "page_size must be from 1 to 1000000, got 0"),
            ("records_per_second", 0.into(), "records_per_second must be from 1 to "),
            ("concurrent_nodes", 0.into(), "concurrent_nodes must be from 1 to 10000"),
            ("read_touch", 101.into(), "read_touch must be a percentage"),
            ("deadline", 0.into(), "deadline must be positive"),
            ("durable", 1.into(), "durable must be boolean, not number"),
        ] {
            let value: Literal = value;
            let error = check(name, &value).unwrap_err();
            assert!(error.message().starts_with(message), "{error}");
        }
        for (name, value) in
            [("hedge", Literal::from("p99")), ("ttl", "never".into()), ("socket_timeout", 0.into())]
        {
            check(name, &value).unwrap();
        }
    }
}

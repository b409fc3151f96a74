//! Which settings of a profile a call has, and what it would use in all.

use spikewire_options::Literal;

use crate::kinds::{Mode, OPTIONS, VERBS, Verb};

/// The settings of a profile for one kind of call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallSettings {
    /// The verb.
    pub verb: &'static str,
    /// Whether its operations write.
    pub writing: bool,
    /// The mode of the namespace; `None`: it is not known.
    pub mode: Option<Mode>,
    /// Its settings, by their places in the profile.
    pub settings: Vec<usize>,
}

/// The settings of every kind of call, of a profile with settings at these places: section and
/// option.
pub fn resolve(places: &[(&str, &str)]) -> Vec<CallSettings> {
    let mut calls = Vec::new();
    for verb in &VERBS {
        for mode in [None, Some(Mode::Available), Some(Mode::Strong)] {
            let settings = settings_of(verb, mode, places);
            let (name, writing) = (verb.name, verb.writing);
            calls.push(CallSettings { verb: name, writing, mode, settings });
        }
    }
    calls
}

fn settings_of(verb: &Verb, mode: Option<Mode>, places: &[(&str, &str)]) -> Vec<usize> {
    let mut settings: Vec<usize> = Vec::new();
    for section in verb.sections(mode) {
        for (at, (place, option)) in places.iter().enumerate() {
            if *place == section && verb.takes(option) && verb.holds(section, option) {
                // The more specific section takes precedence.
                settings.retain(|other| places[*other].1 != *option);
                settings.push(at);
            }
        }
    }
    settings
}

/// Where an option of a call comes from.
#[derive(Debug, Clone, PartialEq)]
pub enum Source {
    /// The call itself.
    Call,
    /// The profile.
    Profile,
    /// The client.
    Client,
    /// Its default.
    Default(Literal),
}

/// What a call knows about an option.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// It is not set.
    Absent,
    /// It is set to no value, which stands for the client's own.
    Empty,
    /// It has a value.
    Value,
}

/// The options that a call would use, and where they come from: the call, then the profile, then the
/// client, then the default. `None`: there is no such verb. `of_client` says which options were set
/// for the client.
pub fn explain(
    verb: &str,
    writing: bool,
    of_call: impl Fn(&str) -> Presence,
    of_profile: impl Fn(&str) -> Presence,
    of_client: impl Fn(&str) -> bool,
) -> Option<Vec<(&'static str, Source)>> {
    let is_it = |it: &&Verb| it.name == verb && it.writing == writing;
    let is_so = |it: &&Verb| it.name == verb;
    let verb = VERBS.iter().find(is_it).or_else(|| VERBS.iter().find(is_so))?;
    let has = |option: &str| {
        verb.takes(option) || verb.apart.contains(&option) || of_call(option) != Presence::Absent
    };
    let source = |option: &str| {
        if of_call(option) == Presence::Value {
            return Source::Call;
        }
        if of_call(option) == Presence::Absent && of_profile(option) == Presence::Value {
            return Source::Profile;
        }
        if let Some(own) = own_default(verb.name, option) {
            return Source::Default(own);
        }
        match inherited(option) {
            Some(_) if of_client(option) => Source::Client,
            _ if (verb.name, option) == ("query", "socket_timeout") => {
                Source::Default(Literal::Span(30.0))
            }
            Some(default) => Source::Default(default),
            None if matches!(option, "durable" | "buffers") => Source::Default(false.into()),
            None => Source::Default(Literal::None),
        }
    };
    let options = OPTIONS.into_iter().filter(|option| has(option));
    Some(options.map(|option| (option, source(option))).collect())
}

/// The default of an option that a call inherits from its client.
fn inherited(option: &str) -> Option<Literal> {
    Some(match option {
        "timeout" => Literal::Span(1.0),
        "socket_timeout" | "sleep_between_retries" | "max_sleep_between_retries" | "hedge" => {
            Literal::Span(0.0)
        }
        "max_retries" => 2.into(),
        "sleep_multiplier" => 1.into(),
        "sleep_jitter" | "compress" | "retry_in_doubt" | "send_key" => false.into(),
        "priority" => "interactive".into(),
        "error_details" | "share_reads" => "off".into(),
        "commit_level" => "all".into(),
        "replica" => "sequence".into(),
        "read_mode" => "one".into(),
        _ => return None,
    })
}

/// The default of an option that a verb does not inherit.
fn own_default(verb: &str, option: &str) -> Option<Literal> {
    Some(match (verb, option) {
        ("query", "timeout") => Literal::Span(0.0),
        ("delete" | "delete_many", "send_key") => false.into(),
        ("put_many" | "delete_many" | "apply_many", "priority") => "background".into(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use Presence::{Absent, Empty, Value};

    fn timeout(verb: &str, writing: bool, mode: Option<Mode>) -> Option<&'static str> {
        const SECTIONS: [&str; 9] = [
            "",
            "read",
            "read.many",
            "write",
            "write.many",
            "write.not_retryable",
            "read.strong",
            "write.strong",
            "job",
        ];
        let places = SECTIONS.map(|section| (section, "timeout"));
        let calls = resolve(&places);
        let call = calls.iter().find(|it| (it.verb, it.writing, it.mode) == (verb, writing, mode));
        match call.unwrap().settings[..] {
            [] => None,
            [at] => Some(SECTIONS[at]),
            _ => panic!("several"),
        }
    }

    #[test]
    fn the_more_specific_section_counts() {
        let strong = Some(Mode::Strong);
        for (verb, writing, mode, section) in [
            ("get", false, None, Some("read")),
            ("get", false, strong, Some("read.strong")),
            ("get", false, Some(Mode::Available), Some("read")),
            ("get_many", false, None, Some("read.many")),
            ("put", false, None, Some("write")),
            ("put_many", false, None, Some("write.many")),
            ("add", false, None, Some("write.not_retryable")),
            ("add", false, strong, Some("write.strong")),
            ("operate", false, None, Some("read")),
            ("operate", true, None, Some("write.not_retryable")),
            ("batch", false, None, Some("")),
            ("query", false, None, None),
            ("touch_all", false, None, Some("job")),
        ] {
            assert_eq!(timeout(verb, writing, mode), section, "{verb} {writing} {mode:?}");
        }
    }

    #[test]
    fn a_call_before_the_profile_before_the_client_before_the_default() {
        let explained = |verb: &str, option: &str, of_call, of_profile, of_client: bool| {
            let absent = |value: Presence| {
                let option = option.to_owned();
                move |it: &str| if it == option { value } else { Absent }
            };
            let used =
                explain(verb, false, absent(of_call), absent(of_profile), |_| of_client).unwrap();
            used.into_iter().find(|it| it.0 == option).unwrap().1
        };
        assert_eq!(explained("get", "timeout", Value, Value, true), Source::Call);
        assert_eq!(explained("get", "timeout", Absent, Value, true), Source::Profile);
        assert_eq!(explained("get", "timeout", Empty, Value, true), Source::Client);
        assert_eq!(explained("get", "timeout", Absent, Empty, true), Source::Client);
        let default = Source::Default(Literal::Span(1.0));
        assert_eq!(explained("get", "timeout", Absent, Absent, false), default);
        let none = Source::Default(Literal::Span(0.0));
        assert_eq!(explained("query", "timeout", Absent, Absent, true), none);
        let quiet = Source::Default(Literal::Span(30.0));
        assert_eq!(explained("query", "socket_timeout", Absent, Absent, false), quiet);
        assert_eq!(
            explained("delete", "send_key", Absent, Absent, true),
            Source::Default(false.into())
        );
        assert!(explain("fetch", false, |_| Absent, |_| Absent, |_| true).is_none());
    }
}

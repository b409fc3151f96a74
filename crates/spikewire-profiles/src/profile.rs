//! The sections of a profile, checked: its settings.

use spikewire_options::{Form, OptionValue};

use crate::kinds::{OPTIONS, children, is_option};

/// An option that a profile sets.
#[derive(Debug, Clone, PartialEq)]
pub struct Setting<V> {
    /// Its section, such as `read.many`; empty for the profile itself.
    pub section: &'static str,
    /// Its name.
    pub option: &'static str,
    /// Its value.
    pub value: V,
}

/// Why a profile is rejected.
#[derive(Debug)]
pub struct Mistake {
    /// The section or option, as it is written in the profile.
    pub place: Vec<String>,
    /// What is wrong.
    pub message: String,
}

/// Reads the sections of a profile, of values by name. `check` checks the value of an option and says
/// what is wrong with it.
pub fn compile<V: OptionValue>(
    sections: V,
    check: impl Fn(&str, &V) -> Result<(), String>,
) -> Result<Result<Vec<Setting<V>>, Mistake>, V::Error> {
    let mut compiler = Compiler { settings: Vec::new(), check, place: Vec::new() };
    let read = compiler.read("", sections)?;
    Ok(read.map(|()| compiler.settings))
}

struct Compiler<V, C> {
    settings: Vec<Setting<V>>,
    check: C,
    place: Vec<String>,
}

impl<V: OptionValue, C: Fn(&str, &V) -> Result<(), String>> Compiler<V, C> {
    fn read(&mut self, section: &'static str, values: V) -> Result<Result<(), Mistake>, V::Error> {
        if values.form() != Form::Map {
            let kind = values.kind();
            return Ok(self.wrong(format!("it must be a section of options, not {kind}")));
        }
        for (key, value) in values.entries("a profile")? {
            let child = children(section).find(|(name, _)| V::spelling(name) == key);
            let option = OPTIONS.into_iter().find(|name| V::spelling(name) == key);
            let option = option.filter(|name| is_option(section, name));
            self.place.push(key);
            let read = match (child, option) {
                (Some((_, child)), _) => self.read(child, value)?,
                (None, Some(option)) => match (self.check)(option, &value) {
                    Ok(()) => {
                        self.settings.push(Setting { section, option, value });
                        Ok(())
                    }
                    Err(message) => self.wrong(message),
                },
                (None, None) => self.wrong(self.unknown(section)),
            };
            if read.is_err() {
                return Ok(read);
            }
            self.place.pop();
        }
        Ok(Ok(()))
    }

    fn wrong(&self, message: String) -> Result<(), Mistake> {
        Err(Mistake { place: self.place.clone(), message })
    }

    fn unknown(&self, section: &str) -> String {
        let key = self.place.last().map(String::as_str).unwrap_or_default();
        let mut options: Vec<_> =
            OPTIONS.iter().filter(|it| is_option(section, it)).map(|it| V::spelling(it)).collect();
        options.sort();
        let options = options.join(", ");
        let sections: Vec<_> = children(section).map(|(name, _)| V::spelling(name)).collect();
        let sections = if sections.is_empty() {
            String::new()
        } else {
            format!("; sections: {}", sections.join(", "))
        };
        format!("there is no option or section '{key}' here; options: {options}{sections}")
    }
}

/// The settings of a profile, completed with those of the one that it derives from.
pub fn derive<V: Clone>(own: &[Setting<V>], base: &[Setting<V>]) -> Vec<Setting<V>> {
    let is_own = |it: &Setting<V>| {
        own.iter().any(|other| (other.section, other.option) == (it.section, it.option))
    };
    let mut settings: Vec<Setting<V>> = base.iter().filter(|it| !is_own(it)).cloned().collect();
    settings.extend_from_slice(own);
    settings
}

#[cfg(test)]
mod tests {
    use spikewire_options::Literal;

    use super::*;

    fn compiled(sections: Literal) -> Result<Vec<Setting<Literal>>, String> {
        let check = |name: &str, value: &Literal| {
            crate::check(name, value).map_err(|error| error.message().to_owned())
        };
        let compiled = compile(sections, check).unwrap();
        compiled.map_err(|it| format!("{}: {}", it.place.join("."), it.message))
    }

    #[test]
    fn sections_are_settings() {
        let many = Literal::from([("timeout", 0.5)]);
        let read = Literal::from([("replica", Literal::from("any")), ("many", many)]);
        let settings = compiled([("timeout", Literal::from(1)), ("read", read)].into()).unwrap();
        let places: Vec<_> = settings.iter().map(|it| (it.section, it.option)).collect();
        assert_eq!(places, [("", "timeout"), ("read", "replica"), ("read.many", "timeout")]);
    }

    #[test]
    fn a_mistake_names_section_and_option() {
        let section = |name: &str, inner: Literal| Literal::from([(name, inner)]);
        for (sections, message) in [
            (section("timeout", "soon".into()), "timeout: timeout must be seconds as a number"),
            (
                section("speed", 1.into()),
                "speed: there is no option or section 'speed' here; options: buffers, ",
            ),
            (section("read", 1.into()), "read: it must be a section of options, not number"),
            (section("read", section("ttl", 1.into())), "read.ttl: there is no option"),
            (
                section("read", section("retryable", Literal::Map(Vec::new()))),
                "read.retryable: there is no option or section",
            ),
            (
                section("read", section("point", section("replica", "near".into()))),
                "read.point.replica: replica must be 'master'",
            ),
            (section("write", section("durable", Literal::None)), "write.durable: durable must"),
        ] {
            let error = compiled(sections).unwrap_err();
            assert!(error.starts_with(message), "{error}");
        }
        let error = compiled(section("job", section("x", 1.into()))).unwrap_err();
        assert!(error.ends_with("; sections: available, strong"), "{error}");
    }

    #[test]
    fn a_derived_profile_adds_or_overrides() {
        let set = |option, value| Setting { section: "", option, value };
        let settings = derive(&[set("timeout", 2)], &[set("timeout", 1), set("ttl", 3)]);
        assert_eq!(settings, [set("ttl", 3), set("timeout", 2)]);
    }
}

//! Values for the parameters of a statement, by position or by name.

use super::metadata::Column;

/// Checks the number of values for these parameters. The error is a sentence.
#[inline]
pub fn check_count(parameters: &[Column], count: usize) -> Result<(), String> {
    if parameters.len() == count { Ok(()) } else { Err(wrong_count(parameters, count)) }
}

#[cold]
fn wrong_count(parameters: &[Column], count: usize) -> String {
    let (expected, names) = (parameters.len(), names(parameters));
    match expected {
        0 => format!("the statement takes no values, and {count} were given"),
        1 => format!("the statement takes 1 value ({names}), not {count}"),
        _ => format!("the statement takes {expected} values ({names}), not {count}"),
    }
}

fn names(parameters: &[Column]) -> String {
    let names: Vec<&str> = parameters.iter().map(|parameter| &*parameter.name).collect();
    names.join(", ")
}

/// A host's values by name.
pub trait NamedValues {
    /// A value.
    type Value;
    /// The host's error.
    type Error;

    /// The value with exactly this name.
    fn get(&self, name: &str) -> Result<Option<Self::Value>, Self::Error>;

    /// Calls `visit` with each name.
    fn each_name(
        &self,
        visit: impl FnMut(&str) -> Result<(), Self::Error>,
    ) -> Result<(), Self::Error>;

    /// The error for values that are not those of the parameters, which this sentence describes.
    fn invalid(message: String) -> Self::Error;
}

/// Calls `bind` with each parameter and its value, in order. A name that is not a parameter's may
/// differ in upper and lower case, as CQL takes names without quotes.
#[inline]
pub fn bind_by_name<V: NamedValues>(
    parameters: &[Column],
    values: &V,
    mut bind: impl FnMut(&Column, V::Value) -> Result<(), V::Error>,
) -> Result<(), V::Error> {
    parameters.iter().try_for_each(|parameter| {
        let value = match values.get(&parameter.name)? {
            Some(value) => value,
            None => in_other_case(parameter, values)?,
        };
        bind(parameter, value)
    })
}

/// Checks that each name is that of a parameter.
#[inline]
pub fn check_names<V: NamedValues>(parameters: &[Column], values: &V) -> Result<(), V::Error> {
    values.each_name(|name| {
        if parameters.iter().any(|parameter| *parameter.name == *name) {
            return Ok(());
        }
        match parameters.iter().find(|parameter| parameter.name.eq_ignore_ascii_case(name)) {
            Some(parameter) if values.get(&parameter.name)?.is_none() => Ok(()),
            _ => Err(V::invalid(match &*names(parameters) {
                "" => format!("no parameter {name:?}: the statement takes no values"),
                known => format!("no parameter {name:?}; there are: {known}"),
            })),
        }
    })
}

/// The value of the one name that is a parameter's apart from upper and lower case.
#[cold]
fn in_other_case<V: NamedValues>(parameter: &Column, values: &V) -> Result<V::Value, V::Error> {
    let name = &*parameter.name;
    let mut same: Option<String> = None;
    values.each_name(|other| {
        if !other.eq_ignore_ascii_case(name) {
            return Ok(());
        }
        same.replace(other.to_owned()).map_or(Ok(()), |one| {
            Err(V::invalid(format!("{one} and {other} both name the parameter {name:?}")))
        })
    })?;
    let value = same.map_or(Ok(None), |same| values.get(&same))?;
    value.ok_or_else(|| V::invalid(format!("no value for parameter {name:?}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::Type;

    struct Pairs(&'static [(&'static str, i32)]);

    impl NamedValues for Pairs {
        type Value = i32;
        type Error = String;

        fn get(&self, name: &str) -> Result<Option<i32>, String> {
            Ok(self.0.iter().find(|(other, _)| *other == name).map(|(_, value)| *value))
        }

        fn each_name(&self, visit: impl FnMut(&str) -> Result<(), String>) -> Result<(), String> {
            self.0.iter().map(|(name, _)| *name).try_for_each(visit)
        }

        fn invalid(message: String) -> String {
            message
        }
    }

    fn values(pairs: &'static [(&'static str, i32)]) -> Result<Vec<i32>, String> {
        let of = |name: &str| Column {
            keyspace: "k".into(),
            table: "t".into(),
            name: name.into(),
            ty: Type::Int,
        };
        let (parameters, mut values) = ([of("id"), of("theKey")], Vec::new());
        check_names(&parameters, &Pairs(pairs))?;
        bind_by_name(&parameters, &Pairs(pairs), |_, value| {
            values.push(value);
            Ok(())
        })?;
        Ok(values)
    }

    #[test]
    fn names_are_matched_exactly_or_else_without_regard_to_case() {
        assert_eq!(values(&[("theKey", 2), ("id", 1)]), Ok(vec![1, 2]));
        assert_eq!(values(&[("ID", 1), ("thekey", 2)]), Ok(vec![1, 2]));
        for (pairs, error) in [
            (&[("id", 1)][..], "no value for parameter \"theKey\""),
            (&[("id", 1), ("theKey", 2), ("x", 3)], "no parameter \"x\"; there are: id, theKey"),
            (&[("id", 1), ("theKey", 2), ("ID", 3)], "no parameter \"ID\"; there are: id, theKey"),
            (
                &[("id", 1), ("THEKEY", 2), ("thekey", 3)],
                "THEKEY and thekey both name the parameter \"theKey\"",
            ),
        ] {
            assert_eq!(values(pairs).unwrap_err(), error);
        }
    }
}

//! The arguments of functions and methods: their names and their order.

use std::ops::Range;

use super::{ParseResult, Parser, Word, faulty};
use crate::expression::text::TextError;
use crate::expression::{Expression, Fault};
use crate::strings::regex;
use crate::value::Value;

/// An argument as it is written.
pub struct Argument<'a> {
    /// Its name, if it has one.
    pub name: Option<&'a str>,
    pub value: Expression,
    /// Flags of a pattern.
    pub how: i64,
}

/// Puts arguments into the order of the parameters with these names.
pub fn in_order(
    name: &str,
    parameters: &[&str],
    arguments: Vec<Argument<'_>>,
) -> Result<Vec<Expression>, Fault> {
    let mut places: Vec<Option<Expression>> = Vec::new();
    let mut named = false;
    for argument in arguments {
        let at = match argument.name {
            None if named => {
                return Err(Fault::of_value(format!(
                    "{name}() has an argument without a name behind one that has a name"
                )));
            }
            None => places.len(),
            Some(label) => {
                named = true;
                parameters.iter().position(|known| *known == label).ok_or_else(|| {
                    let known = match parameters {
                        [] => "none of its arguments has a name".to_owned(),
                        known => format!("its arguments are {}", known.join(", ")),
                    };
                    Fault::of_value(format!("{name}() has no argument {label:?}: {known}"))
                })?
            }
        };
        if places.len() <= at {
            places.resize(at + 1, None);
        }
        if places[at].replace(argument.value).is_some() {
            let label = parameters.get(at).unwrap_or(&"");
            return Err(Fault::of_value(format!("{name}() has the argument {label:?} twice")));
        }
    }
    if let Some(at) = places.iter().position(Option::is_none) {
        let label = parameters.get(at).unwrap_or(&"");
        return Err(Fault::of_value(format!("{name}() lacks the argument {label:?}")));
    }
    Ok(places.into_iter().flatten().collect())
}

/// The pattern of `regexReplace`, with its flags.
pub fn pattern<'a>(text: String, letters: &str, at: &Range<usize>) -> ParseResult<Argument<'a>> {
    let mut how = 0;
    for letter in letters.chars() {
        how |= match letter {
            'i' => regex::IGNORE_CASE,
            'm' => regex::MULTILINE,
            's' => regex::DOT_ALL,
            'g' => regex::ALL,
            _ => {
                let why = format!("this pattern has the flags i, m, s and g, not {letter:?}");
                return Err(TextError::new(at.clone(), why));
            }
        };
    }
    let value = Value::from(text.as_str());
    let value = faulty(at, Expression::try_from(&value))?;
    Ok(Argument { name: Some("pattern"), value, how })
}

impl<'a> Parser<'a> {
    /// What is in the parentheses of a call, up to the closing one, with the names that are written.
    pub(super) fn arguments(&mut self, depth: usize) -> ParseResult<Vec<Argument<'a>>> {
        let mut all = Vec::new();
        while !self.is(")") {
            if !all.is_empty() {
                self.expect(",")?;
            }
            let name = match self.word {
                Word::Name(name) => {
                    let next = self.lexer.clone().next();
                    matches!(next, Ok((Word::Sign(":"), _))).then_some(name)
                }
                _ => None,
            };
            if name.is_some() {
                self.advance()?;
            }
            if name == Some("pattern") {
                // The pattern is not a token, so it is read directly after the colon.
                let (source, letters, place) = self.lexer.pattern()?;
                self.at = place.clone();
                self.advance()?;
                all.push(pattern(source, letters, &place)?);
                continue;
            }
            if name.is_some() {
                self.expect(":")?;
            }
            all.push(Argument { name, value: self.expression(0, depth)?.0, how: 0 });
        }
        self.expect(")")?;
        Ok(all)
    }
}

//! CQL spelling of types, in both directions: `map<text, frozen<list<int>>>`.

use std::fmt;
use std::sync::Arc;

use super::data_type::{DEEPEST, NATIVE, Type, Udt};

/// Maximum nesting in CQL spelling, where `frozen<…>` is a level of its own.
const DEEPEST_SPELLED: usize = 2 * DEEPEST;

/// A text that is not a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a CQL type: {problem}")]
pub struct InvalidType {
    /// The text.
    pub text: String,
    /// What is wrong with it.
    pub problem: String,
}

impl Type {
    /// Parses a type in CQL spelling. User-defined types are unknown; see [`Type::parse_with`].
    pub fn parse(text: &str) -> Result<Self, InvalidType> {
        Self::parse_with(text, |_, _| None)
    }

    /// Parses a type in CQL spelling. User-defined types are looked up by keyspace (if given) and
    /// name.
    pub fn parse_with(
        text: &str,
        find: impl Fn(Option<&str>, &str) -> Option<Arc<Udt>>,
    ) -> Result<Self, InvalidType> {
        let mut words = Words { rest: text, find: &find };
        let parsed = words.ty(DEEPEST_SPELLED).and_then(|ty| match words.rest.trim() {
            "" => Ok(ty),
            more => Err(format!("unexpected {more:?}")),
        });
        parsed.map_err(|problem| InvalidType { text: text.to_owned(), problem })
    }
}

type Find<'a> = &'a dyn Fn(Option<&str>, &str) -> Option<Arc<Udt>>;

struct Words<'a> {
    rest: &'a str,
    find: Find<'a>,
}

impl Words<'_> {
    fn ty(&mut self, depth: usize) -> Result<Type, String> {
        let depth = depth
            .checked_sub(1)
            .ok_or_else(|| format!("nested more than {DEEPEST_SPELLED} deep"))?;
        if self.token('\'') {
            return Ok(Type::of_class(&self.quoted('\'')?));
        }
        let (name, quoted) = self.name()?;
        if quoted {
            return self.user_defined(name);
        }
        if let Some((ty, ..)) = NATIVE.iter().find(|(_, native, ..)| *native == name) {
            return Ok(ty.clone());
        }
        if !self.rest.trim_start().starts_with('<') {
            return if name == "varchar" { Ok(Type::Text) } else { self.user_defined(name) };
        }
        self.expect('<')?;
        let ty = match &*name {
            "frozen" => self.ty(depth)?,
            "list" => Type::list(self.ty(depth)?),
            "set" => Type::set(self.ty(depth)?),
            "map" => {
                let key = self.ty(depth)?;
                self.expect(',')?;
                Type::map(key, self.ty(depth)?)
            }
            "tuple" => {
                let mut components = vec![self.ty(depth)?];
                while self.token(',') {
                    components.push(self.ty(depth)?);
                }
                Type::tuple(components)
            }
            "vector" => {
                let element = self.ty(depth)?;
                self.expect(',')?;
                Type::vector(element, self.dimension()?)
            }
            other => return Err(format!("{other} takes no parameters")),
        };
        self.expect('>')?;
        Ok(ty)
    }

    fn user_defined(&mut self, name: String) -> Result<Type, String> {
        let (keyspace, name) =
            if self.token('.') { (Some(name), self.name()?.0) } else { (None, name) };
        match (self.find)(keyspace.as_deref(), &name) {
            Some(udt) => Ok(Type::Udt(udt)),
            None => Err(format!("unknown type {name:?}")),
        }
    }

    /// A name, and whether it was quoted.
    fn name(&mut self) -> Result<(String, bool), String> {
        if self.token('"') {
            return Ok((self.quoted('"')?, true));
        }
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        if end == 0 {
            return Err("a type is missing".to_owned());
        }
        self.rest = &rest[end..];
        Ok((rest[..end].to_lowercase(), false))
    }

    /// Everything up to the closing quote; a doubled quote stands for one.
    fn quoted(&mut self, quote: char) -> Result<String, String> {
        let mut name = String::new();
        loop {
            let (part, rest) = self.rest.split_once(quote).ok_or("a quote is not closed")?;
            name.push_str(part);
            self.rest = rest;
            if !self.rest.starts_with(quote) {
                return Ok(name);
            }
            self.rest = &rest[1..];
            name.push(quote);
        }
    }

    fn dimension(&mut self) -> Result<usize, String> {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let dimension = rest[..end].parse().ok().filter(|dimension| *dimension > 0);
        self.rest = &rest[end..];
        dimension.ok_or_else(|| "a vector must have at least 1 element".to_owned())
    }

    fn token(&mut self, token: char) -> bool {
        match self.rest.trim_start().strip_prefix(token) {
            Some(rest) => self.rest = rest,
            None => return false,
        }
        true
    }

    fn expect(&mut self, token: char) -> Result<(), String> {
        if self.token(token) { Ok(()) } else { Err(format!("{token:?} is missing")) }
    }
}

/// CQL spelling. Collections within another type are frozen.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List(element) => write!(f, "list<{}>", Inner(element)),
            Self::Set(element) => write!(f, "set<{}>", Inner(element)),
            Self::Map(entry) => write!(f, "map<{}, {}>", Inner(&entry.0), Inner(&entry.1)),
            Self::Tuple(components) => {
                f.write_str("tuple<")?;
                for (index, component) in components.iter().enumerate() {
                    let comma = if index == 0 { "" } else { ", " };
                    write!(f, "{comma}{}", Inner(component))?;
                }
                f.write_str(">")
            }
            Self::Udt(udt) => write!(f, "{}", Name(&udt.name)),
            Self::Vector(vector) => {
                write!(f, "vector<{}, {}>", Inner(&vector.element), vector.dimension)
            }
            Self::Custom(class) => write!(f, "'{}'", class.replace('\'', "''")),
            native => f.write_str(native.native_name().unwrap_or("blob")),
        }
    }
}

/// A type within another.
struct Inner<'a>(&'a Type);

impl fmt::Display for Inner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Type::List(_) | Type::Set(_) | Type::Map(_) | Type::Tuple(_) | Type::Udt(_) => {
                write!(f, "frozen<{}>", self.0)
            }
            other => other.fmt(f),
        }
    }
}

/// A name, quoted if necessary.
struct Name<'a>(&'a str);

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        let native = NATIVE.iter().any(|(_, name, ..)| *name == self.0) || self.0 == "varchar";
        if self.0.starts_with(|c: char| c.is_ascii_lowercase())
            && self.0.chars().all(plain)
            && !native
        {
            f.write_str(self.0)
        } else {
            write!(f, "\"{}\"", self.0.replace('"', "\"\""))
        }
    }
}

//! Class names of the server, in both directions: `VectorType(FloatType , 3)`, `UserType(…)`.

use std::fmt::Write;
use std::sync::Arc;

use super::data_type::{DEEPEST, NATIVE, Type, Udt};

const PACKAGE: &str = "org.apache.cassandra.db.marshal.";

impl Type {
    /// The type for a class name of the server. Classes without a CQL equivalent, and names that
    /// cannot be parsed, become [`Type::Custom`]: their values stay opaque bytes.
    pub fn of_class(class: &str) -> Self {
        let mut names = Names { rest: class };
        match names.ty(DEEPEST) {
            Some(ty) if names.rest.trim().is_empty() => ty,
            _ => Self::Custom(class.into()),
        }
    }

    /// The server's class name.
    pub fn class_name(&self) -> String {
        let mut name = String::new();
        self.write_class(&mut name);
        name
    }

    fn write_class(&self, out: &mut String) {
        let (class, inner): (&str, &[&Self]) = match self {
            Self::List(element) => ("ListType", &[element]),
            Self::Set(element) => ("SetType", &[element]),
            Self::Map(entry) => ("MapType", &[&entry.0, &entry.1]),
            Self::Tuple(components) => ("TupleType", &components.iter().collect::<Vec<_>>()),
            Self::Udt(udt) => return write_udt(udt, out),
            Self::Vector(vector) => {
                let _ = write!(out, "{PACKAGE}VectorType(");
                vector.element.write_class(out);
                let _ = write!(out, " , {})", vector.dimension);
                return;
            }
            Self::Custom(class) => return out.push_str(class),
            native => {
                let known = NATIVE.iter().find(|(ty, ..)| ty == native);
                (known.map_or("BytesType", |(.., class)| class), &[])
            }
        };
        out.push_str(PACKAGE);
        out.push_str(class);
        if inner.is_empty() && !matches!(self, Self::Tuple(_)) {
            return;
        }
        out.push('(');
        for (index, ty) in inner.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            ty.write_class(out);
        }
        out.push(')');
    }
}

fn write_udt(udt: &Udt, out: &mut String) {
    let _ = write!(out, "{PACKAGE}UserType({},{}", udt.keyspace, hex(&udt.name));
    for (name, ty) in &udt.fields {
        let _ = write!(out, ",{}:", hex(name));
        ty.write_class(out);
    }
    out.push(')');
}

fn hex(text: &str) -> String {
    text.bytes().fold(String::with_capacity(2 * text.len()), |mut hex, byte| {
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

fn unhex(hex: &str) -> Option<String> {
    if !hex.len().is_multiple_of(2) || !hex.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let bytes = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16));
    String::from_utf8(bytes.collect::<Result<_, _>>().ok()?).ok()
}

/// A parser of class names.
struct Names<'a> {
    rest: &'a str,
}

impl<'a> Names<'a> {
    fn ty(&mut self, depth: usize) -> Option<Type> {
        let depth = depth.checked_sub(1)?;
        let start = self.rest.trim_start();
        let class = self.word();
        let short = class.strip_prefix(PACKAGE).unwrap_or(class);
        if let Some((ty, ..)) = NATIVE.iter().find(|(.., class)| *class == short) {
            return Some(ty.clone());
        }
        Some(match short {
            "DateType" => Type::Timestamp,
            "FrozenType" | "ReversedType" => self.nested(|names| names.ty(depth))?,
            "ListType" => Type::list(self.nested(|names| names.ty(depth))?),
            "SetType" => Type::set(self.nested(|names| names.ty(depth))?),
            "MapType" => self.nested(|names| {
                let key = names.ty(depth)?;
                names.token(',')?;
                Some(Type::map(key, names.ty(depth)?))
            })?,
            "TupleType" => self.nested(|names| {
                let mut components = Vec::new();
                while !names.rest.trim_start().starts_with(')') {
                    if !components.is_empty() {
                        names.token(',')?;
                    }
                    components.push(names.ty(depth)?);
                }
                Some(Type::tuple(components))
            })?,
            "VectorType" => self.nested(|names| {
                let element = names.ty(depth)?;
                names.token(',')?;
                let dimension = names.word().parse().ok().filter(|dimension| *dimension > 0)?;
                Some(Type::vector(element, dimension))
            })?,
            "UserType" => self.nested(|names| names.udt(depth))?,
            "" => return None,
            _ => {
                self.skip_arguments()?;
                let len = start.len() - self.rest.len();
                Type::Custom(start[..len].trim_end().into())
            }
        })
    }

    fn udt(&mut self, depth: usize) -> Option<Type> {
        let keyspace = self.word().to_owned();
        self.token(',')?;
        let name = unhex(self.word())?;
        let mut fields = Vec::new();
        while self.token(',').is_some() {
            let field = unhex(self.word())?;
            self.token(':')?;
            fields.push((field, self.ty(depth)?));
        }
        Some(Type::Udt(Arc::new(Udt { keyspace, name, fields })))
    }

    /// Parses the contents of parentheses.
    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        self.token('(')?;
        let inner = read(self)?;
        self.token(')')?;
        Some(inner)
    }

    /// Everything up to the next punctuation mark.
    fn word(&mut self) -> &'a str {
        let rest = self.rest.trim_start();
        let end = rest.find(['(', ')', ',', ':']).unwrap_or(rest.len());
        self.rest = &rest[end..];
        rest[..end].trim_end()
    }

    fn token(&mut self, token: char) -> Option<()> {
        self.rest = self.rest.trim_start().strip_prefix(token)?;
        Some(())
    }

    /// Skips the arguments of an unknown class, if it has any.
    fn skip_arguments(&mut self) -> Option<()> {
        if !self.rest.starts_with('(') {
            return Some(());
        }
        let mut open = 0_usize;
        for (at, mark) in self.rest.char_indices() {
            match mark {
                '(' => open += 1,
                ')' => open -= 1,
                _ => {}
            }
            if open == 0 {
                self.rest = &self.rest[at + 1..];
                return Some(());
            }
        }
        None
    }
}

//! Types as JSON, with all that a conversion of the program's side needs to know: the fields of
//! user-defined types, which the CQL notation leaves out.

use std::fmt::Write as _;

use spikewire_cql::types::Type;

/// A type for JavaScript: in CQL notation or, for a conversion, as JSON.
pub fn type_text(ty: &Type, conversion: u32) -> String {
    if conversion == 0 { ty.to_string() } else { type_json(ty) }
}

/// A type as JSON: `"int"`, `["list", T]`, `["map", K, V]`, `["tuple", T, ...]`, `["vector", T, n]`,
/// `["udt", keyspace, name, [[field, T], ...]]`, `["custom", class]`.
fn type_json(ty: &Type) -> String {
    let mut out = String::new();
    write_type(ty, &mut out);
    out
}

fn write_type(ty: &Type, out: &mut String) {
    match ty {
        Type::List(element) => write_all("list", std::iter::once(&**element), out),
        Type::Set(element) => write_all("set", std::iter::once(&**element), out),
        Type::Map(entry) => write_all("map", [&entry.0, &entry.1].into_iter(), out),
        Type::Tuple(components) => write_all("tuple", components.iter(), out),
        Type::Vector(vector) => {
            out.push_str("[\"vector\",");
            write_type(&vector.element, out);
            let _ = write!(out, ",{}]", vector.dimension);
        }
        Type::Udt(udt) => {
            out.push_str("[\"udt\",");
            write_string(&udt.keyspace, out);
            out.push(',');
            write_string(&udt.name, out);
            out.push_str(",[");
            for (at, (name, ty)) in udt.fields.iter().enumerate() {
                out.push_str(if at == 0 { "[" } else { ",[" });
                write_string(name, out);
                out.push(',');
                write_type(ty, out);
                out.push(']');
            }
            out.push_str("]]");
        }
        Type::Custom(class) => {
            out.push_str("[\"custom\",");
            write_string(class, out);
            out.push(']');
        }
        native => write_string(&native.to_string(), out),
    }
}

fn write_all<'t>(kind: &str, types: impl Iterator<Item = &'t Type>, out: &mut String) {
    out.push('[');
    write_string(kind, out);
    for ty in types {
        out.push(',');
        write_type(ty, out);
    }
    out.push(']');
}

fn write_string(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if control < ' ' => {
                let _ = write!(out, "\\u{:04x}", u32::from(control));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use spikewire_cql::types::{Type, Udt};

    use super::type_json;

    #[test]
    fn types_as_json_have_the_fields_of_user_defined_types() {
        let udt = Type::Udt(Arc::new(Udt {
            keyspace: "ks".into(),
            name: "a\"b".into(),
            fields: vec![("x".into(), Type::vector(Type::Float, 3))],
        }));
        let map = Type::map(Type::Text, Type::list(udt));
        let expected =
            r#"["map","text",["list",["udt","ks","a\"b",[["x",["vector","float",3]]]]]]"#;
        assert_eq!(type_json(&map), expected);
        assert_eq!(type_json(&Type::tuple([Type::Int])), r#"["tuple","int"]"#);
        assert_eq!(type_json(&Type::Custom("a.B".into())), r#"["custom","a.B"]"#);
    }
}

//! `[option]`: types on the wire, in both directions.

use std::sync::Arc;

use super::data_type::{DEEPEST, NATIVE, Type, Udt};
use crate::notation::{Malformed, Reader, Result, TooLong, put_short, put_string};
use crate::version::Version;

const CUSTOM: u16 = 0x00;
/// The id of text in protocol versions 1 and 2.
const OLD_TEXT: u16 = 0x0a;
const LIST: u16 = 0x20;
const MAP: u16 = 0x21;
const SET: u16 = 0x22;
const UDT: u16 = 0x30;
const TUPLE: u16 = 0x31;

impl Type {
    /// Reads an `[option]`. Classes without a CQL spelling become [`Type::Custom`].
    pub fn read(reader: &mut Reader<'_>) -> Result<Self> {
        read(reader, DEEPEST)
    }

    /// Appends an `[option]`, as in this protocol version.
    pub fn write(&self, out: &mut Vec<u8>, version: Version) -> std::result::Result<(), TooLong> {
        let id = |out: &mut Vec<u8>, id: u16| out.extend_from_slice(&id.to_be_bytes());
        match self {
            Self::List(element) => {
                id(out, LIST);
                element.write(out, version)
            }
            Self::Set(element) => {
                id(out, SET);
                element.write(out, version)
            }
            Self::Map(entry) => {
                id(out, MAP);
                entry.0.write(out, version)?;
                entry.1.write(out, version)
            }
            Self::Tuple(components) => {
                id(out, TUPLE);
                put_short(out, "components of a tuple", components.len())?;
                components.iter().try_for_each(|component| component.write(out, version))
            }
            Self::Udt(udt) => {
                id(out, UDT);
                put_string(out, "keyspace", &udt.keyspace)?;
                put_string(out, "name of a type", &udt.name)?;
                put_short(out, "fields of a type", udt.fields.len())?;
                udt.fields.iter().try_for_each(|(name, ty)| {
                    put_string(out, "name of a field", name)?;
                    ty.write(out, version)
                })
            }
            // Version 4 has no id for durations.
            Self::Duration if version == Version::V4 => self.write_custom(out),
            Self::Vector(_) | Self::Custom(_) => self.write_custom(out),
            native => {
                let known = NATIVE.iter().find(|(ty, ..)| ty == native);
                id(out, known.map_or(CUSTOM, |(_, _, id, _)| *id));
                Ok(())
            }
        }
    }

    fn write_custom(&self, out: &mut Vec<u8>) -> std::result::Result<(), TooLong> {
        out.extend_from_slice(&CUSTOM.to_be_bytes());
        put_string(out, "class of a type", &self.class_name())
    }
}

fn read(reader: &mut Reader<'_>, depth: usize) -> Result<Type> {
    let Some(depth) = depth.checked_sub(1) else {
        return Err(Malformed(format!("a type nested more than {DEEPEST} deep")));
    };
    Ok(match reader.short()? {
        CUSTOM => Type::of_class(reader.string()?),
        OLD_TEXT => Type::Text,
        LIST => Type::list(read(reader, depth)?),
        SET => Type::set(read(reader, depth)?),
        MAP => {
            let key = read(reader, depth)?;
            Type::map(key, read(reader, depth)?)
        }
        TUPLE => {
            let components: Result<_> = (0..reader.short()?).map(|_| read(reader, depth)).collect();
            Type::Tuple(components?)
        }
        UDT => {
            let keyspace = reader.string()?.to_owned();
            let name = reader.string()?.to_owned();
            let fields: Result<_> = (0..reader.short()?)
                .map(|_| Ok((reader.string()?.to_owned(), read(reader, depth)?)))
                .collect();
            Type::Udt(Arc::new(Udt { keyspace, name, fields: fields? }))
        }
        id => match NATIVE.iter().find(|(_, _, known, _)| *known == id) {
            Some((ty, ..)) => ty.clone(),
            None => return Err(Malformed(format!("a type with the unknown id {id:#06x}"))),
        },
    })
}

//! `bytes`: a growable byte array.

use std::rc::Rc;

use mlua::{Error, Lua, MetaMethod, Result, Table, UserData, UserDataMethods, UserDataRef};

use super::{callable, place};
use crate::bounds::Bounds;
use crate::value::Bytes;

impl Bytes {
    /// Reads `N` bytes from `at`, if there are that many.
    fn read<const N: usize>(&self, at: Option<i64>) -> Option<[u8; N]> {
        let bytes = self.0.inner.borrow();
        bytes.get(place(at)?..)?.first_chunk().copied()
    }

    /// Writes bytes at a position, from 1; gaps are filled with zeros.
    fn write(&self, at: Option<i64>, data: &[u8]) -> Result<bool> {
        let Some(at) = place(at) else { return Ok(false) };
        let end = at.checked_add(data.len()).filter(|end| *end <= 1 << 30);
        let end = end.ok_or_else(|| Error::runtime("the bytes would be too long"))?;
        let len = self.len();
        if end > len {
            self.0.grow(end - len)?;
            self.0.inner.borrow_mut().resize(end, 0);
        }
        self.0.inner.borrow_mut()[at..end].copy_from_slice(data);
        Ok(true)
    }

    fn append(&self, data: &[u8]) -> Result<bool> {
        self.write(Some(self.len() as i64 + 1), data)
    }
}

impl UserData for Bytes {
    fn add_methods<M: UserDataMethods<Self>>(methods: &mut M) {
        methods.add_meta_method(MetaMethod::Index, |lua, this, index: mlua::Value| {
            if let mlua::Value::String(_) = index {
                return lua.globals().get::<Table>("bytes")?.raw_get(index);
            }
            let byte = this.read::<1>(index.as_integer());
            Ok(byte.map_or(mlua::Value::Nil, |[byte]| mlua::Value::Integer(byte.into())))
        });
        methods.add_meta_method(
            MetaMethod::NewIndex,
            |_, this, (index, byte): (Option<i64>, u8)| {
                if this.write(index, &[byte])? {
                    return Ok(());
                }
                Err(Error::runtime("a bytes index is an integer from 1"))
            },
        );
        methods.add_meta_method(MetaMethod::Len, |_, this, ()| Ok(this.len()));
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| {
            let bytes = this.to_vec();
            let shown: Vec<String> = bytes.iter().map(|byte| format!("{byte:02X}")).collect();
            Ok(shown.join(" "))
        });
    }
}

type Of = UserDataRef<Bytes>;

/// The functions for integers of one width and byte order.
macro_rules! integers {
    ($lua:expr, $table:expr, $($name:literal $int:ty, $from:ident, $to:ident;)*) => {
        $(
            $table.set(concat!("get_", $name), $lua.create_function(|_, (bytes, at): (Of, _)| {
                Ok(bytes.read(at).map(|bytes| i64::from(<$int>::$from(bytes))))
            })?)?;
            $table.set(concat!("set_", $name), $lua.create_function(
                |_, (bytes, at, int): (Of, _, i64)| bytes.write(at, &(int as $int).$to())
            )?)?;
            $table.set(concat!("append_", $name), $lua.create_function(
                |_, (bytes, int): (Of, i64)| bytes.append(&(int as $int).$to())
            )?)?;
        )*
    };
}

pub fn register(lua: &Lua, bounds: &Rc<Bounds>) -> Result<()> {
    let bytes = lua.create_table()?;
    let own = bounds.clone();
    // The size is only a capacity: the array is empty until something is written to it.
    let make = move |_: &Lua, _: mlua::MultiValue| Bytes::new(vec![], &own);
    callable(lua, &bytes, lua.create_function(make)?)?;
    integers! { lua, bytes,
        "byte" u8, from_be_bytes, to_be_bytes;
        "int16" i16, from_be_bytes, to_be_bytes;
        "int16_be" i16, from_be_bytes, to_be_bytes;
        "int16_le" i16, from_le_bytes, to_le_bytes;
        "int32" i32, from_be_bytes, to_be_bytes;
        "int32_be" i32, from_be_bytes, to_be_bytes;
        "int32_le" i32, from_le_bytes, to_le_bytes;
        "int64" i64, from_be_bytes, to_be_bytes;
        "int64_be" i64, from_be_bytes, to_be_bytes;
        "int64_le" i64, from_le_bytes, to_le_bytes;
    }
    bytes.set("size", lua.create_function(|_, bytes: Of| Ok(bytes.len()))?)?;
    let resize = |_: &Lua, (bytes, size): (Of, usize)| {
        let len = bytes.len();
        if size > len {
            return bytes.write(Some(size as i64), &[0]);
        }
        bytes.0.inner.borrow_mut().truncate(size);
        bytes.0.shrink(len - size);
        Ok(true)
    };
    bytes.set("set_size", lua.create_function(resize)?)?;
    let part = |bytes: &Bytes, at: Option<i64>, len: usize| {
        let bytes = bytes.0.inner.borrow();
        let from = place(at)?;
        bytes.get(from..from.saturating_add(len).min(bytes.len())).map(<[u8]>::to_vec)
    };
    let text = move |lua: &Lua, (bytes, at, len): (Of, _, _)| {
        part(&bytes, at, len).map(|bytes| lua.create_string(bytes)).transpose()
    };
    bytes.set("get_string", lua.create_function(text)?)?;
    let cut = move |_: &Lua, (bytes, at, len): (Of, _, _)| {
        part(&bytes, at, len).map(|part| Bytes::new(part, &bytes.0.bounds)).transpose()
    };
    bytes.set("get_bytes", lua.create_function(cut)?)?;
    let set = |_: &Lua, (bytes, at, text, len): (Of, _, mlua::LuaString, Option<usize>)| {
        let text = text.as_bytes();
        bytes.write(at, &text[..len.unwrap_or(text.len()).min(text.len())])
    };
    bytes.set("set_string", lua.create_function(set)?)?;
    let append = |_: &Lua, (bytes, text, len): (Of, mlua::LuaString, Option<usize>)| {
        let text = text.as_bytes();
        bytes.append(&text[..len.unwrap_or(text.len()).min(text.len())])
    };
    bytes.set("append_string", lua.create_function(append)?)?;
    let set = |_: &Lua, (bytes, at, other, len): (Of, _, Of, Option<usize>)| {
        let other = other.to_vec();
        bytes.write(at, &other[..len.unwrap_or(other.len()).min(other.len())])
    };
    bytes.set("set_bytes", lua.create_function(set)?)?;
    let append = |_: &Lua, (bytes, other, len): (Of, Of, Option<usize>)| {
        let other = other.to_vec();
        bytes.append(&other[..len.unwrap_or(other.len()).min(other.len())])
    };
    bytes.set("append_bytes", lua.create_function(append)?)?;
    lua.globals().set("bytes", bytes)
}

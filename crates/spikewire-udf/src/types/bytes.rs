//! `bytes`: a growable byte array.

use std::fmt::Write as _;
use std::rc::Rc;

use mlua::{Error, Lua, MetaMethod, Result, Table, UserData, UserDataMethods, UserDataRef};

use super::{callable, place};
use crate::bounds::Bounds;
use crate::pace::keep_pace;
use crate::value::Bytes;

/// Work counted for a byte that is written as text.
const SHOWN: usize = 8;

/// At most `len` bytes from a position, from 1.
fn slice(bytes: &[u8], at: Option<i64>, len: usize) -> Option<&[u8]> {
    let from = place(at)?;
    bytes.get(from..from.saturating_add(len).min(bytes.len()))
}

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
        self.0.bounds.work(data.len())?;
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

    /// Writes the first bytes of another value, or of this one as it was.
    fn write_from(&self, at: Option<i64>, other: &Self, len: Option<usize>) -> Result<bool> {
        let len = len.unwrap_or(usize::MAX).min(other.len());
        if self.0.address() != other.0.address() {
            return self.write(at, &other.0.inner.borrow()[..len]);
        }
        let copy = self.part(Some(1), len)?.map_or_else(Vec::new, |copy| copy.to_vec());
        self.write(at, &copy)
    }

    /// A copy of some bytes, counted before it is made; `None` beyond the end.
    fn part(&self, at: Option<i64>, len: usize) -> Result<Option<Self>> {
        let bytes = self.0.inner.borrow();
        let Some(slice) = slice(&bytes, at, len) else { return Ok(None) };
        let part = Self::new(vec![], &self.0.bounds)?;
        part.append(slice)?;
        Ok(Some(part))
    }

    /// As text: two digits for each byte.
    fn show(&self) -> Result<String> {
        let (bytes, bounds) = (self.0.inner.borrow(), &self.0.bounds);
        let (len, most) = (bytes.len().saturating_mul(3), bounds.limits().memory);
        if len > most {
            return Err(Error::runtime(format!(
                "the text of {} bytes takes more than {most} bytes",
                bytes.len()
            )));
        }
        let mut text = String::with_capacity(len);
        for byte in &*bytes {
            bounds.work(SHOWN)?;
            let separator = if text.is_empty() { "" } else { " " };
            // Writing to a string does not fail.
            let _ = write!(text, "{separator}{byte:02X}");
        }
        Ok(text)
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
        methods.add_meta_method(MetaMethod::ToString, |_, this, ()| this.show());
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
    let text = |lua: &Lua, (bytes, at, len): (Of, _, _)| {
        let (inner, bounds) = (bytes.0.inner.borrow(), &bytes.0.bounds);
        let Some(slice) = slice(&inner, at, len) else { return Ok(None) };
        bounds.work(slice.len())?;
        let text = lua.create_string(slice)?;
        keep_pace(lua, bounds)?;
        Ok(Some(text))
    };
    bytes.set("get_string", lua.create_function(text)?)?;
    let cut = |_: &Lua, (bytes, at, len): (Of, _, _)| bytes.part(at, len);
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
        bytes.write_from(at, &other, len)
    };
    bytes.set("set_bytes", lua.create_function(set)?)?;
    let append = |_: &Lua, (bytes, other, len): (Of, Of, Option<usize>)| {
        bytes.write_from(Some(bytes.len() as i64 + 1), &other, len)
    };
    bytes.set("append_bytes", lua.create_function(append)?)?;
    lua.globals().set("bytes", bytes)
}

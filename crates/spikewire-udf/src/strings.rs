//! The `string` functions whose work is not bounded by the length of their arguments.

use std::rc::Rc;

use mlua::{Error, Lua, LuaString, MultiValue, Result, Table, Value};

use crate::bounds::Bounds;
use crate::pace::keep_pace;
use crate::pattern::{CaptureValue, Matcher};

/// Bytes with a special meaning in patterns.
const SPECIAL: &[u8] = b"^$*+?.([%-";

/// Replaces Lua's own functions with these.
pub fn register(lua: &Lua, bounds: &Rc<Bounds>) -> Result<()> {
    let string: Table = lua.globals().get("string")?;
    let own = bounds.clone();
    let find = move |lua: &Lua, args: MultiValue| search(lua, &own, &args, "find");
    string.set("find", lua.create_function(find)?)?;
    let own = bounds.clone();
    let matching = move |lua: &Lua, args: MultiValue| search(lua, &own, &args, "match");
    string.set("match", lua.create_function(matching)?)?;
    let own = bounds.clone();
    let all = move |lua: &Lua, args: MultiValue| each(lua, &own, &args);
    string.set("gmatch", lua.create_function(all)?)?;
    let own = bounds.clone();
    let replace = move |lua: &Lua, args: MultiValue| replace(lua, &own, &args);
    string.set("gsub", lua.create_function(replace)?)?;
    let own = bounds.clone();
    let repeat = move |lua: &Lua, args: MultiValue| repeat(lua, &own, &args);
    string.set("rep", lua.create_function(repeat)?)?;
    // All strings share one metatable, and with it one table of methods, which scripts must not
    // change.
    if let Some(meta) = lua.type_metatable::<LuaString>() {
        meta.set("__metatable", false)?;
    }
    Ok(())
}

/// Lua's error for a wrong argument.
pub fn bad(number: usize, function: &str, expected: &str, actual: Option<&Value>) -> Error {
    let actual = match actual {
        None => "no value",
        Some(Value::Integer(_)) => "number",
        Some(actual) => actual.type_name(),
    };
    Error::runtime(format!(
        "bad argument #{number} to '{function}' ({expected} expected, got {actual})"
    ))
}

/// A string argument, counted from 1; numbers are converted to text.
pub fn text(lua: &Lua, args: &MultiValue, number: usize, function: &str) -> Result<LuaString> {
    let value = args.get(number - 1);
    let wrong = || bad(number, function, "string", value);
    lua.coerce_string(value.ok_or_else(wrong)?.clone())?.ok_or_else(wrong)
}

/// An integer argument, counted from 1; `None` if it is missing.
pub fn integer(lua: &Lua, args: &MultiValue, number: usize, function: &str) -> Result<Option<i64>> {
    match args.get(number - 1) {
        None | Some(Value::Nil) => Ok(None),
        value @ Some(argument) => match lua.coerce_integer(argument.clone())? {
            None if matches!(argument, Value::Number(_)) => Err(Error::runtime(format!(
                "bad argument #{number} to '{function}' (number has no integer representation)"
            ))),
            argument => argument.map(Some).ok_or_else(|| bad(number, function, "number", value)),
        },
    }
}

/// Where a search starts, from 0; `None` beyond the end.
fn start(init: Option<i64>, len: usize) -> Option<usize> {
    let init = init.unwrap_or(1);
    let from = match init {
        1.. => init as u64 - 1,
        0 => 0,
        _ => (len as u64).saturating_sub(init.unsigned_abs()),
    };
    usize::try_from(from).ok().filter(|from| *from <= len)
}

/// `string.find` and `string.match`.
fn search(lua: &Lua, bounds: &Bounds, args: &MultiValue, function: &str) -> Result<MultiValue> {
    bounds.check_time()?;
    let (subject, pattern) = (text(lua, args, 1, function)?, text(lua, args, 2, function)?);
    let (subject, pattern) = (&*subject.as_bytes(), &*pattern.as_bytes());
    let nothing = || Ok(MultiValue::from_vec(vec![Value::Nil]));
    let Some(from) = start(integer(lua, args, 3, function)?, subject.len()) else {
        return nothing();
    };
    let finds = function == "find";
    let is_plain =
        args.get(3).is_some_and(|plain| !matches!(plain, Value::Nil | Value::Boolean(false)));
    if finds && (is_plain || !pattern.iter().any(|byte| SPECIAL.contains(byte))) {
        let Some(at) = memchr::memmem::find(&subject[from..], pattern) else { return nothing() };
        let at = (from + at) as i64;
        return Ok(MultiValue::from_vec(vec![
            Value::Integer(at + 1),
            Value::Integer(at + pattern.len() as i64),
        ]));
    }
    let anchored = pattern.first() == Some(&b'^');
    let mut matcher = Matcher::new(subject, &pattern[usize::from(anchored)..], bounds);
    for at in from..=subject.len() {
        if let Some(end) = matcher.match_at(at)? {
            let mut values = Vec::new();
            if finds {
                values.push(Value::Integer(at as i64 + 1));
                values.push(Value::Integer(end as i64));
            }
            let whole = usize::from(!finds && matcher.capture_count() == 0);
            for number in 0..matcher.capture_count().max(whole) {
                values.push(captured(lua, subject, matcher.capture(number, (at, end))?)?);
            }
            return Ok(MultiValue::from_vec(values));
        }
        if anchored {
            break;
        }
    }
    nothing()
}

fn captured(lua: &Lua, subject: &[u8], capture: CaptureValue) -> Result<Value> {
    Ok(match capture {
        CaptureValue::Range(start, end) => Value::String(lua.create_string(&subject[start..end])?),
        CaptureValue::Position(at) => Value::Integer(at as i64 + 1),
    })
}

/// All captures of a match, or the whole match.
fn all_captured(
    lua: &Lua,
    subject: &[u8],
    matcher: &Matcher<'_>,
    whole: (usize, usize),
) -> Result<MultiValue> {
    let count = matcher.capture_count().max(1);
    let captures: Result<Vec<Value>> =
        (0..count).map(|number| captured(lua, subject, matcher.capture(number, whole)?)).collect();
    captures.map(MultiValue::from_vec)
}

/// `string.gmatch`.
fn each(lua: &Lua, bounds: &Rc<Bounds>, args: &MultiValue) -> Result<mlua::Function> {
    let (subject, pattern) = (text(lua, args, 1, "gmatch")?, text(lua, args, 2, "gmatch")?);
    let from = start(integer(lua, args, 3, "gmatch")?, subject.as_bytes().len());
    let from = std::cell::Cell::new(from);
    let last = std::cell::Cell::new(None);
    let bounds = bounds.clone();
    lua.create_function(move |lua, _: MultiValue| {
        bounds.check_time()?;
        let (subject, pattern) = (&*subject.as_bytes(), &*pattern.as_bytes());
        let mut matcher = Matcher::new(subject, pattern, &bounds);
        let Some(first) = from.get() else { return Ok(MultiValue::from_vec(vec![Value::Nil])) };
        for at in first..=subject.len() {
            let Some(end) = matcher.match_at(at)? else { continue };
            // The same end again is an empty match right after the last one.
            if last.get() == Some(end) {
                continue;
            }
            from.set(Some(end));
            last.set(Some(end));
            return all_captured(lua, subject, &matcher, (at, end));
        }
        from.set(None);
        Ok(MultiValue::from_vec(vec![Value::Nil]))
    })
}

/// Text whose size is limited by the available memory.
pub struct Output<'a> {
    bytes: Vec<u8>,
    bounds: &'a Bounds,
}

impl<'a> Output<'a> {
    /// Empty text.
    pub fn new(bounds: &'a Bounds) -> Self {
        Self { bytes: Vec::new(), bounds }
    }

    /// The text so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Appends; fails if memory is used up.
    pub fn push(&mut self, bytes: &[u8]) -> Result<()> {
        if self.bytes.len().saturating_add(bytes.len()) > self.bounds.limits().memory {
            return Err(Error::MemoryError("not enough memory".to_owned()));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

/// `string.gsub`.
fn replace(lua: &Lua, bounds: &Rc<Bounds>, args: &MultiValue) -> Result<(LuaString, i64)> {
    bounds.check_time()?;
    let (subject, pattern) = (text(lua, args, 1, "gsub")?, text(lua, args, 2, "gsub")?);
    let (subject, pattern) = (&*subject.as_bytes(), &*pattern.as_bytes());
    let new = match args.get(2) {
        Some(number @ (Value::Integer(_) | Value::Number(_))) => {
            Value::String(text(lua, &MultiValue::from_vec(vec![number.clone()]), 1, "gsub")?)
        }
        Some(new @ (Value::String(_) | Value::Table(_) | Value::Function(_))) => new.clone(),
        other => return Err(bad(3, "gsub", "string/function/table", other)),
    };
    let most = integer(lua, args, 4, "gsub")?.unwrap_or(i64::MAX);
    let anchored = pattern.first() == Some(&b'^');
    let mut matcher = Matcher::new(subject, &pattern[usize::from(anchored)..], bounds);
    let mut out = Output::new(bounds);
    let (mut at, mut last, mut count) = (0, None, 0);
    while count < most {
        let end = matcher.match_at(at)?.filter(|end| last != Some(*end));
        if let Some(end) = end {
            count += 1;
            replacement(lua, &new, subject, &matcher, (at, end), &mut out)?;
            at = end;
            last = Some(end);
        } else if at < subject.len() {
            out.push(&subject[at..=at])?;
            at += 1;
        } else {
            break;
        }
        if anchored {
            break;
        }
    }
    out.push(&subject[at..])?;
    let text = lua.create_string(out.bytes())?;
    keep_pace(lua, bounds)?;
    Ok((text, count))
}

/// Appends the replacement for a match.
fn replacement(
    lua: &Lua,
    new: &Value,
    subject: &[u8],
    matcher: &Matcher<'_>,
    whole: (usize, usize),
    out: &mut Output<'_>,
) -> Result<()> {
    let value: Value = match new {
        Value::String(template) => return fill(&template.as_bytes(), subject, matcher, whole, out),
        Value::Table(table) => table.get(captured(lua, subject, matcher.capture(0, whole)?)?)?,
        Value::Function(function) => function.call(all_captured(lua, subject, matcher, whole)?)?,
        _ => Value::Nil,
    };
    match value {
        Value::Nil | Value::Boolean(false) => out.push(&subject[whole.0..whole.1]),
        Value::String(_) | Value::Integer(_) | Value::Number(_) => {
            let text = text(lua, &MultiValue::from_vec(vec![value]), 1, "gsub")?;
            out.push(&text.as_bytes())
        }
        other => {
            let what = other.type_name();
            Err(Error::runtime(format!("invalid replacement value (a {what})")))
        }
    }
}

/// Appends a template with its `%0` to `%9` filled in.
fn fill(
    template: &[u8],
    subject: &[u8],
    matcher: &Matcher<'_>,
    whole: (usize, usize),
    out: &mut Output<'_>,
) -> Result<()> {
    let mut rest = template;
    while let Some(at) = memchr::memchr(b'%', rest) {
        out.push(&rest[..at])?;
        match rest.get(at + 1) {
            Some(b'%') => out.push(b"%")?,
            Some(b'0') => out.push(&subject[whole.0..whole.1])?,
            Some(digit @ b'1'..=b'9') => {
                match matcher.capture(usize::from(digit - b'1'), whole)? {
                    CaptureValue::Range(start, end) => out.push(&subject[start..end])?,
                    CaptureValue::Position(at) => out.push((at + 1).to_string().as_bytes())?,
                }
            }
            _ => return Err(Error::runtime("invalid use of '%' in replacement string")),
        }
        rest = &rest[at + 2..];
    }
    out.push(rest)
}

/// `string.rep`.
fn repeat(lua: &Lua, bounds: &Rc<Bounds>, args: &MultiValue) -> Result<LuaString> {
    bounds.check_time()?;
    let unit = text(lua, args, 1, "rep")?;
    let count =
        integer(lua, args, 2, "rep")?.ok_or_else(|| bad(2, "rep", "number", args.get(1)))?;
    let between = match args.get(2) {
        None | Some(Value::Nil) => lua.create_string("")?,
        Some(_) => text(lua, args, 3, "rep")?,
    };
    let (unit, between) = (&*unit.as_bytes(), &*between.as_bytes());
    let each = unit.len() + between.len();
    if count < 1 || each == 0 {
        return lua.create_string("");
    }
    let len = usize::try_from(count).ok().and_then(|count| count.checked_mul(each));
    let len = len.filter(|len| isize::try_from(*len).is_ok());
    let len = len.ok_or_else(|| Error::runtime("resulting string too large"))?;
    if len > bounds.limits().memory {
        return Err(Error::MemoryError("not enough memory".to_owned()));
    }
    let mut bytes = [unit, between].concat().repeat(count as usize);
    bytes.truncate(len - between.len());
    let text = lua.create_string(&bytes)?;
    keep_pace(lua, bounds)?;
    Ok(text)
}

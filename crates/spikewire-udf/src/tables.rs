//! The `table` functions that loop over as many elements as a table claims to have, written in Lua
//! so that they can be interrupted.

use std::rc::Rc;

use mlua::{Error, Function, Lua, LuaString, MultiValue, Result, Table, Value};

use crate::bounds::Bounds;
use crate::pace::keep_pace;
use crate::strings;

const SOURCE: &str = "
local sort, error, math_type, tointeger, tonumber, select, type = ...

local function container(t, name)
    local kind = type(t)
    if kind ~= 'table' and kind ~= 'userdata' then
        error(\"bad argument #1 to '\" .. name .. \"' (table expected, got \" .. kind .. ')', 3)
    end
end

local function integer(value, number, name)
    local number_value = value
    if math_type(number_value) ~= 'integer' then number_value = tointeger(tonumber(value) or 0.5) end
    if not number_value then
        local kind = type(value)
        local what = kind == 'number' and 'number has no integer representation'
            or 'number expected, got ' .. kind
        error('bad argument #' .. number .. \" to '\" .. name .. \"' (\" .. what .. ')', 3)
    end
    return number_value
end

local function outside(name)
    error(\"bad argument #2 to '\" .. name .. \"' (position out of bounds)\", 3)
end

local function insert(t, ...)
    container(t, 'insert')
    local count, last = select('#', ...), #t + 1
    if count == 1 then
        t[last] = (...)
        return
    end
    if count ~= 2 then error(\"wrong number of arguments to 'insert'\", 2) end
    local at, value = ...
    at = integer(at, 2, 'insert')
    if at < 1 or at > last then outside('insert') end
    for place = last, at + 1, -1 do t[place] = t[place - 1] end
    t[at] = value
end

local function remove(t, at)
    container(t, 'remove')
    local size = #t
    if at == nil then at = size else at = integer(at, 2, 'remove') end
    if at ~= size and (at < 1 or at > size + 1) then outside('remove') end
    local value = t[at]
    while at < size do
        t[at] = t[at + 1]
        at = at + 1
    end
    t[at] = nil
    return value
end

local function move(from, first, last, to, target)
    container(from, 'move')
    if target == nil then target = from else container(target, 'move') end
    first, last = integer(first, 2, 'move'), integer(last, 3, 'move')
    to = integer(to, 4, 'move')
    if last >= first then
        if not (first > 0 or last < math.maxinteger + first) then
            error(\"bad argument #3 to 'move' (too many elements to move)\", 2)
        end
        if to > math.maxinteger - (last - first) then
            error(\"bad argument #4 to 'move' (destination wrap around)\", 2)
        end
        if to > last or to <= first or target ~= from then
            for at = 0, last - first do target[to + at] = from[first + at] end
        else
            for at = last - first, 0, -1 do target[to + at] = from[first + at] end
        end
    end
    return target
end

local function less(a, b) return a < b end

local function sorted(t, before)
    container(t, 'sort')
    if before == nil then
        before = less
    elseif type(before) ~= 'function' then
        error(\"bad argument #2 to 'sort' (function expected, got \" .. type(before) .. ')', 2)
    end
    -- Each comparison runs some Lua code, whatever the function is.
    sort(t, function(a, b) return (before(a, b)) end)
end

return { insert = insert, remove = remove, move = move, sort = sorted }
";

/// Replaces Lua's own functions with these.
pub fn register(lua: &Lua, bounds: &Rc<Bounds>) -> Result<()> {
    let globals = lua.globals();
    let (table, math): (Table, Table) = (globals.get("table")?, globals.get("math")?);
    let environment = lua.create_table()?;
    environment.set("math", lua.create_table_from([("maxinteger", i64::MAX)])?)?;
    let chunk = lua.load(SOURCE).set_name("=table").set_environment(environment);
    let functions: Table = chunk.call((
        table.get::<Function>("sort")?,
        globals.get::<Function>("error")?,
        math.get::<Function>("type")?,
        math.get::<Function>("tointeger")?,
        globals.get::<Function>("tonumber")?,
        globals.get::<Function>("select")?,
        globals.get::<Function>("type")?,
    ))?;
    for name in ["insert", "remove", "move", "sort"] {
        table.set(name, functions.get::<Function>(name)?)?;
    }
    let own = bounds.clone();
    let concat = move |lua: &Lua, args: MultiValue| concat(lua, &own, &args);
    table.set("concat", lua.create_function(concat)?)
}

/// `table.concat`.
fn concat(lua: &Lua, bounds: &Rc<Bounds>, args: &MultiValue) -> Result<LuaString> {
    let Some(Value::Table(table)) = args.front() else {
        return Err(strings::bad(1, "concat", "table", args.front()));
    };
    let between = match args.get(1) {
        None | Some(Value::Nil) => lua.create_string("")?,
        Some(_) => strings::text(lua, args, 2, "concat")?,
    };
    let first = strings::integer(lua, args, 3, "concat")?.unwrap_or(1);
    let last = strings::integer(lua, args, 4, "concat")?;
    let last = last.map_or_else(|| table.len(), Ok)?;
    let mut out = strings::Output::new(bounds);
    for at in first..=last {
        if at.wrapping_sub(first) % 256 == 0 {
            bounds.check_time()?;
        }
        if at > first {
            out.push(&between.as_bytes())?;
        }
        match table.get(at)? {
            value @ (Value::String(_) | Value::Integer(_) | Value::Number(_)) => {
                out.push(
                    &strings::text(lua, &MultiValue::from_vec(vec![value]), 1, "concat")?
                        .as_bytes(),
                )?;
            }
            other => {
                let what = other.type_name();
                let text = format!("invalid value ({what}) at index {at} in table for 'concat'");
                return Err(Error::runtime(text));
            }
        }
    }
    let text = lua.create_string(out.bytes())?;
    keep_pace(lua, bounds)?;
    Ok(text)
}

//! The replacements of Lua's own functions return what Lua's own return.

use std::sync::Arc;
use std::time::Duration;

use mlua::Lua;
use spikewire_aerospike_protocol::value::Value;
use spikewire_udf::{Library, Limits, Machine, Record};

/// The results of a call, as text.
const SHOW: &str = "
local function show(...)
    local text = ''
    for i = 1, select('#', ...) do text = text .. tostring((select(i, ...))) .. ';' end
    return text
end
local function try(name, ...)
    local result = show(pcall(...))
    result = result:gsub('^false;[%w:%.%[%]=/ -]-:%d+: ', 'false;')
    return (result:gsub(\"to '%w+%.\", \"to '\"))
end
";

struct Both {
    lua: Lua,
    machine: Machine,
}

impl Both {
    fn new(body: &str) -> Self {
        let lua = Lua::new();
        let source = format!("{SHOW} function f(rec, a, b, c) {body} end");
        lua.load(&source).exec().unwrap();
        let mut library = Library::default();
        library.put("m.lua", &source);
        let limits = Limits { time: Duration::from_secs(100), ..Limits::default() };
        Self { lua, machine: Machine::new(Arc::new(library), limits).unwrap() }
    }

    fn agree(&self, texts: [&str; 3]) {
        let f: mlua::Function = self.lua.globals().get("f").unwrap();
        let expected: String = f.call((mlua::Value::Nil, texts[0], texts[1], texts[2])).unwrap();
        let values = texts.map(|text| Value::Str(text.to_owned()));
        let (_, result) = self.machine.apply("m", "f", Record::default(), &values);
        assert_eq!(result, Ok(Value::Str(expected)), "{values:?}");
    }
}

/// A pseudo-random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end
    }

    fn text(&mut self, parts: &[&str], most: usize) -> String {
        (0..self.below(most + 1)).map(|_| parts[self.below(parts.len())]).collect()
    }
}

#[test]
fn patterns_match_as_luas_own() {
    let both = Both::new(
        "local all = {}
        for x, y in (function() local ok, f = pcall(string.gmatch, a, b)
            return ok and function() local r = table.pack(pcall(f))
                if not r[1] then return nil end
                return table.unpack(r, 2) end or function() end end)() do
            all[#all + 1] = show(x, y)
        end
        return show(
            try('', string.find, a, b), try('', string.match, a, b), try('', string.find, a, b, 3),
            try('', string.match, a, b, -3), try('', string.gsub, a, b, c),
            try('', string.gsub, a, b, c, 2), try('', string.find, a, b, 2, true),
            try('', string.gsub, a, b, {a = 1, b = false, ab = 'x'}),
            try('', string.gsub, a, b, function(x, y) return y end), table.concat(all, '|'))",
    );
    let subjects =
        ["a", "b", "ab", "(", ")", "1", " ", "%", "x", "A", "-", "]", "\t", "\u{7f}", "\0"];
    let patterns = [
        "a", "b", ".", "%a", "%d", "%s", "%w", "%p", "%A", "%S", "[ab]", "[^a]", "[a-c]", "[%a-]",
        "[]]", "[^]]", "*", "+", "-", "?", "(", ")", "()", "(a)", "(.-)", "^", "$", "%b()", "%bxx",
        "%f[%w]", "%f[^a]", "%1", "%2", "%%", "%(", "x", "%x", "%u", "%l", "%c", "%g", "[a%]]",
        "[", "%", "%f", "%b", "%z", "1",
    ];
    let templates = ["%0", "%1", "%2", "%%", "x", "-", "%", "%x", ""];
    let mut random = Random(7);
    for _ in 0..4_000 {
        let subject = random.text(&subjects, 12);
        let pattern = random.text(&patterns, 5);
        let template = random.text(&templates, 3);
        both.agree([&subject, &pattern, &template]);
    }
}

#[test]
fn tables_and_texts_are_as_luas_own() {
    let both = Both::new(
        "local n, m = tonumber(a) or a, tonumber(b) or b
        local function of(change, ...)
            local t = {5, 3, 9, 1, 7}
            local result = try('', change, t, ...)
            return result .. try('', table.concat, t, ',')
        end
        return show(
            of(table.insert, n), of(table.insert, n, m), of(table.insert, n, m, 1),
            of(table.remove), of(table.remove, n), of(table.concat), of(table.concat, c),
            of(table.concat, c, n), of(table.concat, c, n, m), of(table.sort),
            of(table.sort, function(x, y) return x > y end), of(table.sort, n),
            of(function(t) return #table.move(t, n, m, 2) end),
            of(function(t) return table.concat(table.move(t, n, m, 1, {})) end),
            try('', string.rep, a, m), try('', string.rep, a, m, c))",
    );
    let numbers = ["0", "1", "2", "3", "5", "6", "7", "-1", "2.0", "2.5", "x", ""];
    for first in numbers {
        for second in numbers {
            for third in ["", ",", "12"] {
                both.agree([first, second, third]);
            }
        }
    }
}

#[test]
fn wrong_arguments_are_named() {
    let source = "function f(r)
        local messages = list()
        for _, call in ipairs {
            function() string.find() end, function() ('x'):find({}) end,
            function() ('x'):rep() end, function() ('x'):gsub('x', true) end,
            function() table.concat(1) end, function() table.concat({{}}) end,
            function() table.insert(nil, 1) end, function() table.sort({}, 1) end,
        } do
            local _, text = pcall(call)
            list.append(messages, (tostring(text):gsub('^m.lua:%d+: ', ''):gsub('\\n.*', '')))
        end
        return messages
    end";
    let mut library = Library::default();
    library.put("m.lua", source);
    let machine = Machine::new(Arc::new(library), Limits::default()).unwrap();
    let expected = [
        "bad argument #1 to 'find' (string expected, got no value)",
        "bad argument #2 to 'find' (string expected, got table)",
        "bad argument #2 to 'rep' (number expected, got no value)",
        "bad argument #3 to 'gsub' (string/function/table expected, got boolean)",
        "bad argument #1 to 'concat' (table expected, got number)",
        "invalid value (table) at index 1 in table for 'concat'",
        "bad argument #1 to 'insert' (table expected, got nil)",
        "bad argument #2 to 'sort' (function expected, got number)",
    ];
    let expected = expected.iter().map(|text| Value::Str((*text).to_owned())).collect();
    assert_eq!(machine.apply("m", "f", Record::default(), &[]).1, Ok(Value::List(expected)));
}

//! Attempts to escape the limits: code that no hook sees, values that grow when they are copied,
//! and modules that interfere with each other.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use spikewire_aerospike_protocol::value::Value;
use spikewire_udf::{Failure, Library, Limits, Machine, Record, Side, check};

fn machine(modules: &[(&str, &str)]) -> Machine {
    timed(modules, Duration::from_millis(100))
}

/// A machine whose functions have as much time as a slow build needs.
fn patient(source: &str) -> Machine {
    timed(&[("m.lua", source)], Duration::from_secs(100))
}

fn timed(modules: &[(&str, &str)], time: Duration) -> Machine {
    let mut library = Library::default();
    for (file, source) in modules {
        library.put(file, source);
    }
    let limits = Limits { time, memory: 8 << 20 };
    Machine::new(Arc::new(library), limits).unwrap()
}

fn call(machine: &Machine, package: &str) -> Result<Value, Failure> {
    machine.apply(package, "f", Record::default(), &[]).1
}

/// Checks that the body fails with this text, and that the machine stays usable.
fn fails(body: &str, text: &str) {
    let source = format!("function f(r) {body} end function g() return 1 end");
    let machine = machine(&[("m.lua", &source)]);
    match call(&machine, "m") {
        Err(Failure::Raised(raised)) => assert!(raised.contains(text), "{body}: {raised}"),
        other => panic!("{body}: {other:?}"),
    }
    assert_eq!(machine.apply("m", "g", Record::default(), &[]).1, Ok(Value::Int(1)), "{body}");
}

#[test]
fn functions_of_the_libraries_end_with_their_time() {
    let late = "ran for longer than 100 ms";
    let pattern = "(('a-'):rep(40) .. 'b')";
    for body in [
        &format!("return string.find(('a'):rep(40), {pattern})"),
        &format!("return string.match(('a'):rep(40), {pattern})"),
        &format!("return string.gsub(('a'):rep(40), {pattern}, '')"),
        &format!("for x in string.gmatch(('a'):rep(40), {pattern}) do end"),
        "return string.find(('a'):rep(3000000), ('.-'):rep(20) .. 'b')",
        "return string.find(('a'):rep(100000), ('%1'):rep(9))" as &str,
        "return table.move({}, 1, math.maxinteger - 1, 1)",
        "return table.concat(setmetatable({}, {__index = table.concat}), '', 1, math.maxinteger)",
        "table.insert(setmetatable({}, {__len = function() return 1 << 60 end}), 1, 1)",
        "table.remove(setmetatable({}, {__len = function() return 1 << 60 end}), 1)",
        "table.sort(setmetatable({}, {__len = function() return 1 << 30 end}), rawequal)",
        "xpcall(function() while true do end end, function() while true do end end)",
        "return tostring(setmetatable({}, {__tostring = function() while true do end end}))",
    ] {
        if body.contains("%1") {
            fails(body, "invalid capture index");
        } else {
            fails(body, late);
        }
    }
}

#[test]
fn huge_string_repetitions_are_rejected() {
    let machine = machine(&[("m.lua", "function f() return #string.rep('', 1 << 62) end")]);
    assert_eq!(call(&machine, "m"), Ok(Value::Int(0)));
    fails("return ('x'):rep(1 << 40)", "memory");
    fails("return ('x'):rep(1 << 62, 'yy')", "too large");
    fails("return ('xx'):gsub('', ('y'):rep(5000000))", "memory");
}

#[test]
fn code_cannot_have_finalizers() {
    let gc = "{__gc = function() while true do end end}";
    fails(&format!("setmetatable({{}}, {gc})"), "__gc");
    // Set later, it has no effect.
    let source = "function f()
        local meta = {}
        setmetatable({}, meta)
        meta.__gc = function() while true do end end
        for i = 1, 100000 do local t = {i} end
        return 1
    end";
    assert_eq!(call(&machine(&[("m.lua", source)]), "m"), Ok(Value::Int(1)));
}

/// Code that runs while an error unwinds could declare more of the same, and so outlive every limit.
#[test]
fn close_metamethods_and_variables_are_rejected() {
    let close = "setmetatable({}, {__close = function() while true do end end})";
    fails(close, "a metatable with __close is not available");
    // A variable that would be closed does not compile, wherever it is.
    let declared = "function f() return 1 end
        local function nested()
            for i = 1, 3 do
                local function inner()
                    local text = 'a long one, of more than 40 bytes, so that it is stored as such'
                    local x <const>, y <close> = 1.5, nil
                end
            end
        end";
    let text = "m.lua:6: to-be-closed variables (<close>) are not available to functions";
    match call(&machine(&[("m.lua", declared)]), "m") {
        Err(Failure::Raised(raised)) => assert_eq!(raised, text),
        other => panic!("{other:?}"),
    }
    let error = check("m.lua", declared).unwrap_err();
    assert_eq!((error.line, &*error.message), (6, text.split_once(": ").unwrap().1));
    // A loop does not close its fourth value, even if the metatable got the handler later.
    let source = "local closed = 0
        function f()
            local meta = {}
            local guard = setmetatable({}, meta)
            rawset(meta, '__close', function() closed = closed + 1 end)
            local sum = 0
            for n in function(_, last) if last < 5 then return last + 1 end end, nil, 0, guard do
                for _, v in ipairs({10, 20}) do sum = sum + v end
                for _, v in pairs({a = n}) do sum = sum + v end
                if n == 4 then break end
            end
            pcall(function()
                for n in function() return 1 end, nil, 0, guard do error('out') end
            end)
            return sum * 100 + closed
        end";
    assert_eq!(call(&machine(&[("m.lua", source)]), "m"), Ok(Value::Int(13000)));
}

/// A function whose time is over, called before running code would be checked.
#[test]
fn functions_whose_work_grows_look_at_the_clock_first() {
    let over = |body: &str| {
        let source = format!("function f(r) {body} return 1 end");
        call(&timed(&[("m.lua", &source)], Duration::ZERO), "m")
    };
    assert_eq!(over("local s = 'x' .. 1"), Ok(Value::Int(1)));
    for body in [
        "('x'):upper()",
        "('x'):lower()",
        "('x'):reverse()",
        "('x'):sub(1)",
        "('x'):byte()",
        "('x'):format()",
        "string.char(1)",
        "string.pack('z', 'x')",
        "string.packsize('i')",
        "string.unpack('z', 'x\\0')",
        "tonumber('1')",
        "rawequal('a', 'b')",
        "unpack({})",
        "table.unpack({})",
        "utf8.len('x')",
        "utf8.char(1)",
        "utf8.codepoint('x')",
        "utf8.offset('x', 1)",
        "utf8.codes('x')",
        "local a = '1' + 1",
        "local a = 1 * '1'",
        "local a = -'1'",
        "local a = '7' // 2 ^ '3' % '5' - '1' / '2'",
    ] {
        match over(body) {
            Err(Failure::Raised(raised)) => assert!(raised.contains("ran for longer"), "{raised}"),
            other => panic!("{body}: {other:?}"),
        }
    }
}

/// What these functions make is counted piece by piece, not when it is complete.
#[test]
fn values_are_counted_while_they_are_created() {
    // The last item fails, but the limit is reached before.
    let items = "local s, t = ('x'):rep(1000000), {} for i = 1, 20 do t[i] = s end t[21] = f";
    fails(&format!("{items} return list(t)"), "take more than");
    fails(&format!("{items} local m = map(t)"), "take more than");
    fails(
        "local b = bytes() bytes.set_size(b, 4000000) return #tostring(b)",
        "the text of 4000000",
    );
    let source = "function f()
        local b = bytes() bytes.append_string(b, 'a\\0\\255') return tostring(b) .. tostring(bytes())
    end";
    assert_eq!(call(&machine(&[("m.lua", source)]), "m"), Ok(Value::Str("61 00 FF".into())));
    fails("return string.pack(('x'):rep(2000))", "the format is longer than 1024 bytes");
    fails("return ('x'):upper(nil, string.rep)  .. string.upper()", "#1 to 'upper'");
}

/// Copies that are counted first are the same as those counted afterwards.
#[test]
fn containers_can_be_their_own_arguments() {
    let source = "function f()
        local l = list {1, 2}
        list.concat(l, l)
        local merged = list.merge(l, l)
        local b = bytes() bytes.append_string(b, 'abc')
        bytes.append_bytes(b, b, 2)
        bytes.set_bytes(b, 2, b)
        local m = map {a = 1, b = 2}
        local both = map.merge(m, m, function(x, y) m.a = 7 return x + y end)
        local only = map.diff(m, map {b = 1, c = 3})
        return tostring(l) .. #merged .. tostring(b) .. tostring(both) .. tostring(only)
    end";
    let expected = "List([Int(1), Int(2), Int(1), Int(2)])861 61 62 63 61 62\
                    Map([(Str(\"a\"), Int(2)), (Str(\"b\"), Int(4))])\
                    Map([(Str(\"a\"), Int(7)), (Str(\"c\"), Int(3))])";
    let got = call(&patient(source), "m");
    assert_eq!(got, Ok(Value::Str(expected.into())));
}

#[test]
fn shared_lists_count_in_each_of_their_places() {
    let bomb = "local l = list() list.append(l, 1)
        for i = 1, 40 do local m = list() list.append(m, l) list.append(m, l) l = m end";
    let big = "in each of its places";
    fails(&format!("{bomb} return l"), big);
    fails(&format!("{bomb} return tostring(l)"), big);
    fails(&format!("{bomb} return list.tostring(l)"), big);
    fails(&format!("{bomb} r.b = l aerospike:create(r)"), big);
    fails(&format!("{bomb} local m = map() m.a = l return m"), big);
    // Each bin alone would fit.
    let bins = "local s = list() for i = 1, 20000 do list.append(s, i) end
        local l = list {s, s, s, s}
        for i = 1, 8 do r['b' .. i] = l end
        aerospike:create(r)";
    fails(bins, big);
    // Sharing something small is fine.
    let source = "function f() local l = list {1} return list {l, l} end";
    let one = Value::List(vec![Value::Int(1)]);
    let twice = Value::List(vec![one.clone(), one]);
    assert_eq!(call(&machine(&[("m.lua", source)]), "m"), Ok(twice));
}

#[test]
fn no_container_contains_itself() {
    for body in [
        "local l = list() list.append(l, l)",
        "local l = list {1} l[1] = l",
        "local l = list() local m = list {l} list.append(l, m)",
        "local l = list() local m = map() m.a = l list.prepend(l, m)",
        "local m = map() m.a = m",
        "local l = list() local m = list {list {map {a = l}}} list.insert(l, 1, m)",
        "local l = list() local m = list {l} list.concat(l, list {m})",
    ] {
        fails(body, "cannot contain itself");
    }
    // A list may be in many places.
    let source = "function f()
        local l = list {1} local m = list {l, l} list.append(m, list {m}[1][1]) list.append(l, 2)
        return #m + #m[3]
    end";
    assert_eq!(call(&machine(&[("m.lua", source)]), "m"), Ok(Value::Int(5)));
}

#[test]
fn deep_nesting_ends_without_a_crash() {
    let source = "function f()
        local l = list()
        for i = 1, 60000 do l = list {l} end
        l = nil
        return 1
    end";
    let machine = patient(source);
    for _ in 0..3 {
        assert_eq!(call(&machine, "m"), Ok(Value::Int(1)));
    }
}

#[test]
fn memory_that_is_free_again_can_be_used_again() {
    let source = "function f()
        for i = 1, 10 do
            local b = bytes() bytes.set_size(b, 1000000)
            for k = 1, 10 do bytes.set_size(b, 1) bytes.set_size(b, 1000000) end
        end
        local l, m = list(), map()
        for i = 1, 20 do
            for k = 1, 5000 do list.append(l, 'xxxxxxxxxxxxxxxxxxxx') end
            list.trim(l, 1)
            for k = 1, 1000 do m.a = 'xxxxxxxxxxxxxxxxxxxx' .. k end
            m.a = nil
        end
        return 1
    end";
    let machine = patient(source);
    for _ in 0..3 {
        assert_eq!(call(&machine, "m"), Ok(Value::Int(1)));
    }
    assert!(!machine.is_nearly_full());
}

#[test]
fn all_memory_is_counted() {
    let much = "take more than";
    fails("local s = ('x'):rep(1000000) for i = 1, 100 do r['b' .. i] = s end", much);
    fails(
        "local s, d = ('x'):rep(1000000), record.digest(r)
         for i = 1, 100 do bytes.append_string(d, s) end",
        much,
    );
    let hoard = "hoarded = {} function f() for i = 1, 60000 do hoarded[#hoarded + 1] = {i} end end";
    let machine = patient(hoard);
    assert!(!machine.is_nearly_full());
    let _ = call(&machine, "m");
    assert!(machine.is_nearly_full());
}

#[test]
fn modules_do_not_share_libraries() {
    let harm = "_G.tostring = nil  pcall = nil  string.upper = nil  table.insert = nil
        list.append = nil  math.sum = nil  _G._G = nil  os.time = nil
        getmetatable('').x = 1
        function f() return 1 end";
    let harm = harm.replace("getmetatable('').x = 1", "assert(getmetatable('') == false)");
    let other = "function f()
        local l = list() list.append(l, 1)
        local t = {} table.insert(t, 1)
        assert(pcall(os.time) and _G.tostring)
        return tostring(7) .. ('x'):upper() .. math.sum(1, #l + #t)
    end";
    let machine = machine(&[("m.lua", &harm), ("other.lua", other)]);
    assert_eq!(call(&machine, "m"), Ok(Value::Int(1)));
    assert_eq!(call(&machine, "other"), Ok(Value::Str("7X3".into())));
}

#[test]
fn a_caller_ends_what_runs_for_it() {
    let source = "
        local function spin(a, b) while true do end end
        local function one(rec) return rec end
        function f(stream) return stream : reduce(spin) end
        function g(stream) while true do end end";
    let mut library = Library::default();
    library.put("m.lua", source);
    let limits = Limits { time: Duration::from_secs(1000), memory: 8 << 20 };
    let machine = Machine::new(Arc::new(library), limits).unwrap();
    let run = |function: &str, deadline: Option<Instant>, interrupted: &dyn Fn() -> bool| {
        machine.watched(deadline, interrupted, || {
            let mut pipeline = machine.stream("m", function, &[], Side::Client)?;
            let mut out = Vec::new();
            pipeline.value(&Value::Int(1), &mut out)?;
            pipeline.value(&Value::Int(2), &mut out)?;
            pipeline.finish(&mut out)
        })
    };
    let soon = || Some(Instant::now() + Duration::from_millis(20));
    for function in ["f", "g"] {
        assert_eq!(run(function, soon(), &|| false).unwrap(), Err(Failure::TimedOut));
        let checks = Cell::new(0);
        let third = || {
            checks.set(checks.get() + 1);
            checks.get() == 3
        };
        assert_eq!(run(function, None, &third).unwrap(), Err(Failure::Interrupted));
        assert_eq!(checks.get(), 3);
    }
    // Later calls are not affected.
    let quick = run("nothing", soon(), &|| false).unwrap();
    assert_eq!(quick, Err(Failure::NoFunction("nothing".into())));
}

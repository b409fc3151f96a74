//! Functions on records, and the limits of the sandbox.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use spikewire_aerospike_protocol::value::Value;
use spikewire_udf::record::Change;
use spikewire_udf::{Failure, Library, Limits, Machine, Record, check};

fn machine(source: &str) -> Machine {
    check("m.lua", source).unwrap();
    let mut library = Library::default();
    library.put("m.lua", source);
    let limits = Limits { time: Duration::from_millis(100), memory: 4 << 20 };
    Machine::new(Arc::new(library), limits).unwrap()
}

fn record(bins: &[(&str, Value)]) -> Record {
    let bins: BTreeMap<_, _> =
        bins.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Record { exists: !bins.is_empty(), bins, generation: 3, ttl: 60, ..Record::default() }
}

fn run(
    source: &str,
    bins: &[(&str, Value)],
    arguments: &[Value],
) -> (Record, Result<Value, Failure>) {
    machine(source).apply("m", "f", record(bins), arguments)
}

#[test]
fn a_function_reads_changes_and_returns_bins() {
    let source = "function f(rec, by)
        rec.n = rec.n + by
        aerospike:update(rec)
        return rec['n']
    end";
    let (record, result) = run(source, &[("n", Value::Int(40))], &[Value::Int(2)]);
    assert_eq!(result, Ok(Value::Int(42)));
    assert_eq!(record.bins["n"], Value::Int(42));
    assert_eq!(
        record.change,
        Some(Change::Write { bins: vec!["n".into()], ttl: None, drop_key: false })
    );
}

#[test]
fn changes_without_an_update_are_not_stored() {
    let (record, _) = run("function f(rec) rec.n = 1 end", &[("n", Value::Int(40))], &[]);
    assert_eq!((record.bins["n"].clone(), record.change), (Value::Int(40), None));
}

#[test]
fn create_fails_on_an_existing_record() {
    let source = "function f(rec)
        if aerospike:exists(rec) then return aerospike:create(rec) end
        rec.a = 'x'
        record.set_ttl(rec, 5)
        local first = aerospike:create(rec)
        return list { first, aerospike:update(rec), aerospike:create(rec) }
    end";
    let (record, result) = run(source, &[], &[]);
    assert_eq!(result, Ok(Value::List(vec![Value::Int(0), Value::Int(0), Value::Int(1)])));
    assert_eq!(
        record.change,
        Some(Change::Write { bins: vec!["a".into()], ttl: Some(5), drop_key: false })
    );
    assert_eq!(run(source, &[("a", Value::Int(1))], &[]).1, Ok(Value::Int(1)));
}

#[test]
fn a_function_removes_its_record() {
    let source = "function f(rec) return aerospike:remove(rec) end";
    let (record, result) = run(source, &[("a", Value::Int(1))], &[]);
    assert_eq!((result, record.change), (Ok(Value::Int(0)), Some(Change::Remove)));
    assert_eq!(run(source, &[], &[]).1, Ok(Value::Int(1)));
    let (record, _) =
        run("function f(r) r.a = nil; aerospike:update(r) end", &[("a", Value::Int(1))], &[]);
    assert_eq!(record.change, Some(Change::Remove));
}

#[test]
fn every_type_goes_in_and_out() {
    let values = [
        Value::Nil,
        Value::Bool(true),
        Value::Int(i64::MIN),
        Value::Float(0.5),
        Value::Str("grüße".into()),
        Value::Bytes(vec![0, 255]),
        Value::List(vec![Value::Int(1), Value::List(vec![Value::Nil])]),
        Value::Map(vec![
            (Value::Int(1), Value::Str("a".into())),
            (Value::Str("k".into()), Value::Map(vec![])),
            (Value::Bytes(vec![7]), Value::Float(2.0)),
        ]),
        Value::GeoJson("{\"type\":\"Point\",\"coordinates\":[1,2]}".into()),
        Value::Hll(vec![1, 2, 3]),
    ];
    for value in values {
        let (stored, result) = run(
            "function f(rec, v) rec.b = v; rec.other = 1; aerospike:create(rec); return rec.b end",
            &[],
            std::slice::from_ref(&value),
        );
        assert_eq!(result.as_ref(), Ok(&value));
        assert_eq!(stored.bins.get("b"), (value != Value::Nil).then_some(&value));
    }
}

#[test]
fn lists_maps_and_bytes_have_their_functions() {
    let source = "function f(rec)
        local l = list { 1, 2, 3 }
        list.append(l, 4); list.prepend(l, 0); list.insert(l, 2, 9); list.remove(l, 1)
        l[2] = 7
        local m = map { a = 1 }
        m.b = l
        m.a = nil
        list.append(m.b, 'end')
        local keys, sum = 0, 0
        for k, v in map.pairs(m) do keys = keys + 1 end
        for v in list.iterator(list.take(l, 4)) do sum = sum + v end
        local b = bytes(4)
        bytes.append_int32_le(b, 258); bytes.append_string(b, 'xy'); b[1] = 255
        return list { l, m, keys, sum, #l, list.drop(l, 4), b, bytes.get_int16(b, 1),
            map.size(map.merge(m, map { c = 1 })), tostring(b), bytes.get_string(b, 5, 9) }
    end";
    let (_, result) = run(source, &[], &[]);
    let int = Value::Int;
    let l = Value::List(vec![int(9), int(7), int(2), int(3), int(4), Value::Str("end".into())]);
    let expected = vec![
        l.clone(),
        Value::Map(vec![(Value::Str("b".into()), l)]),
        int(1),
        int(9 + 7 + 2 + 3),
        int(6),
        Value::List(vec![int(4), Value::Str("end".into())]),
        Value::Bytes(vec![255, 1, 0, 0, b'x', b'y']),
        int(-255),
        int(2),
        Value::Str("FF 01 00 00 78 79".into()),
        Value::Str("xy".into()),
    ];
    assert_eq!(result, Ok(Value::List(expected)));
}

#[test]
fn lua_errors_name_file_and_line() {
    let raised = |source: &str| match run(source, &[], &[]).1 {
        Err(Failure::Raised(text)) => text,
        other => panic!("{other:?}"),
    };
    assert_eq!(raised("function f(rec)\n error('no luck')\nend"), "m.lua:2: no luck");
    assert!(
        raised("function f(rec) return nothing.x end").starts_with("m.lua:1: attempt to index")
    );
    assert_eq!(
        raised("function f(r)\n\n r.b = {} end"),
        "m.lua:3: bin \"b\": a table (use list or map) cannot be stored"
    );
    let unknown = machine("function f() end");
    assert_eq!(
        unknown.apply("m", "g", Record::default(), &[]).1,
        Err(Failure::NoFunction("g".into()))
    );
    assert_eq!(
        unknown.apply("x", "f", Record::default(), &[]).1,
        Err(Failure::NoModule("x".into()))
    );
}

#[test]
fn compile_errors_name_their_line() {
    let error = check("bad.lua", "function f()\n  return 1 +\nend").unwrap_err();
    assert_eq!(error.line, 3);
    assert!(error.message.contains("unexpected symbol"), "{error:?}");
    assert!(check("bad.lua", "\u{1b}Lua").is_err());
}

#[test]
fn endless_code_is_ended_and_the_machine_lives() {
    for body in [
        "while true do end",
        "while true do pcall(function() while true do end end) end",
        "local function g() return pcall(g) end while true do g() end",
        "local l = list() while true do list.append(l, 'xxxxxxxxxxxxxxxxxxxxxxxx') end",
        "local m = map() local i = 0 while true do i = i + 1 m[i] = m end",
        "local t = {} while true do t[#t + 1] = string.rep('x', 1000) end",
        "local s = 'x' while true do s = s .. s end",
        "local b = bytes() bytes.set_size(b, 1000000000)",
        "local l = list() l[100000000000] = 1",
        "local l = list() list.append(l, l) return l",
    ] {
        let machine = machine(&format!("function f(r) {body} end function g() return 1 end"));
        let (_, result) = machine.apply("m", "f", Record::default(), &[]);
        assert!(matches!(result, Err(Failure::Raised(_))), "{body}: {result:?}");
        assert_eq!(machine.apply("m", "g", Record::default(), &[]).1, Ok(Value::Int(1)), "{body}");
    }
}

#[test]
fn files_processes_and_loaders_are_unavailable() {
    for name in [
        "io",
        "debug",
        "package",
        "require",
        "load",
        "dofile",
        "loadfile",
        "os.execute",
        "os.getenv",
        "os.exit",
    ] {
        let (_, result) = run(&format!("function f(r) return type({name}) end"), &[], &[]);
        assert_eq!(
            result,
            Ok(Value::Str(if name == "debug" { "function" } else { "nil" }.into())),
            "{name}"
        );
    }
}

#[test]
fn modules_do_not_share_globals() {
    let mut library = Library::default();
    library.put("a.lua", "counter = 0 function f() counter = counter + 1 return counter end");
    library.put("b.lua", "function f() return counter end");
    let machine = Machine::new(Arc::new(library), Limits::default()).unwrap();
    assert_eq!(machine.apply("a", "f", Record::default(), &[]).1, Ok(Value::Int(1)));
    assert_eq!(machine.apply("a", "f", Record::default(), &[]).1, Ok(Value::Int(2)));
    assert_eq!(machine.apply("b", "f", Record::default(), &[]).1, Ok(Value::Nil));
}

//! User-defined functions on the wire.

mod wire;

use std::io::Read as _;
use std::time::Duration;

use base64::Engine as _;
use spikewire_aerospike_protocol::message::{field, info1, info2, info3};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_server::{Cluster, Options};
use wire::{Reply, Request, ResultBin, Wire, cluster};

/// No arguments, as MessagePack.
const NONE: &[u8] = &[0x90];

fn register(wire: &mut Wire, file: &str, source: &str) {
    let content = base64::engine::general_purpose::STANDARD.encode(source);
    let len = content.len();
    let command =
        format!("udf-put:filename={file};content={content};content-len={len};udf-type=LUA;");
    assert_eq!(wire.info(&command), "ok");
}

fn apply(module: &str, function: &str, arguments: &[u8]) -> Request {
    Request::new(wire::SET, "k")
        .info2(info2::WRITE)
        .field(field::UDF_PACKAGE, module.as_bytes())
        .field(field::UDF_FUNCTION, function.as_bytes())
        .field(field::UDF_ARGUMENTS, arguments)
}

/// The code and what came as `SUCCESS` or `FAILURE`.
fn outcome(reply: &Reply) -> (u8, &str, String) {
    let [ResultBin { name, value, .. }] = &reply.bins[..] else { panic!("{reply:?}") };
    (reply.code(), name.as_str(), String::from_utf8_lossy(value).into_owned())
}

#[test]
fn limits_hold_in_what_functions_call() {
    let options = Options { udf_time: Duration::from_millis(100), ..Options::default() };
    let cluster = Cluster::start(options).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    let source = "
        function pattern() return string.find(('a'):rep(40), ('a-'):rep(40) .. 'b') end
        function gc() setmetatable({}, {__gc = function() while true do end end}) end
        function bomb()
            local l = list() list.append(l, 1)
            for i = 1, 40 do local m = list() list.append(m, l) list.append(m, l) l = m end
            return l
        end
        function globals() _G.tostring = nil _G.pcall = nil return 'done' end
        function keep() hoard = hoard or {} for i = 1, 1e9 do hoard[#hoard + 1] = {i} end end";
    register(&mut wire, "m.lua", source);
    register(&mut wire, "other.lua", "function g() return tostring(7) end");
    let mut fails = |function: &str, text: &str| {
        let reply = wire.ask(apply("m", function, NONE));
        let (code, bin, raised) = outcome(&reply);
        assert_eq!((code, bin), (ResultCode::UDF.0, "FAILURE"), "{function}: {raised}");
        assert!(raised.contains(text), "{function}: {raised}");
    };
    fails("pattern", "longer than 100 ms");
    fails("gc", "__gc");
    // Its memory or its time, whichever ends first.
    fails("bomb", "");
    fails("keep", "");
    let reply = wire.ask(apply("m", "globals", NONE));
    assert_eq!(outcome(&reply), (0, "SUCCESS", "done".to_owned()));
    let reply = wire.ask(apply("other", "g", NONE));
    assert_eq!(outcome(&reply), (0, "SUCCESS", "7".to_owned()));
}

#[test]
fn an_empty_argument_field_means_no_arguments() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let source = "function f(r, ...) return 'with ' .. select('#', ...) end
        local function one() return 1 end
        local function add(a, b) return a + b end
        function count(stream, ...) return stream : map(one) : reduce(add) end";
    register(&mut wire, "m.lua", source);
    let reply = wire.ask(apply("m", "f", b""));
    assert_eq!(outcome(&reply), (0, "SUCCESS", "with 0".to_owned()));
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    let aggregate = Request::bare()
        .info1(info1::READ)
        .field(field::NAMESPACE, b"test")
        .field(field::SET, wire::SET.as_bytes())
        .field(field::UDF_OP, &[1])
        .field(field::UDF_PACKAGE, b"m")
        .field(field::UDF_FUNCTION, b"count")
        .field(field::UDF_ARGUMENTS, b"");
    wire.send(&aggregate.bytes());
    let first = wire.reply().unwrap();
    assert_eq!(first.bins, [ResultBin::int(1, "SUCCESS", 1)]);
    let last = wire.reply().unwrap();
    assert_eq!((last.code(), last.header.info3 & info3::LAST), (0, info3::LAST));
}

#[test]
fn servers_from_8_2_on_limit_the_nesting_of_arguments() {
    let arguments = |levels: usize| [&vec![0x91; levels][..], &[0x90]].concat();
    for (build, expected) in [("8.1.2.0", [0, 0]), ("8.2.0.0", [0, 4])] {
        let options = Options { build: build.to_owned(), ..Options::default() };
        let cluster = Cluster::start(options).unwrap();
        let mut wire = Wire::to(&cluster, 0);
        register(&mut wire, "m.lua", "function one(rec) return 1 end");
        let codes = [64, 65].map(|levels| wire.code(apply("m", "one", &arguments(levels))));
        assert_eq!(codes, expected, "{build}");
    }
}

#[test]
fn functions_may_have_more_time_and_end_with_the_cluster() {
    let options = Options { udf_time: Duration::from_secs(10_000), ..Options::default() };
    let cluster = Cluster::start(options).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    let source = "function busy()
            local from = os.clock()
            while os.clock() - from < 0.3 do end
            return 'done'
        end
        function endless() while true do end end";
    register(&mut wire, "m.lua", source);
    let reply = wire.ask(apply("m", "busy", NONE));
    assert_eq!(outcome(&reply), (0, "SUCCESS", "done".to_owned()));
    wire.send(&apply("m", "endless", NONE).bytes());
    wire.0.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    assert!(wire.0.read(&mut [0]).is_err(), "it runs");
    cluster.stop();
    assert!(Cluster::start(Options { udf_time: Duration::ZERO, ..Options::default() }).is_err());
}

//! Functions that run for long hold up nobody: neither other connections, nor commands on the same
//! partition, nor scans, nor the cluster's own work.

mod wire;

use std::io::{ErrorKind, Read as _};
use std::time::{Duration, Instant};

use base64::Engine as _;
use spikewire_aerospike_protocol::message::{field, info1, info2, info3};
use spikewire_aerospike_protocol::query::{Answer, Query, Share};
use spikewire_aerospike_protocol::result_code::ResultCode;
use spikewire_aerospike_server::{Cluster, Options};
use wire::{LONG, Reply, Request, ResultBin, SET, Wire, eventually};

/// No arguments, as MessagePack.
const NONE: &[u8] = &[0x90];

const SOURCE: &str = "
    local function busy(seconds)
        local from = os.clock()
        while os.clock() - from < seconds do end
    end
    local function save(r)
        if aerospike:exists(r) then aerospike:update(r) else aerospike:create(r) end
    end
    function second(r) busy(1) r.a = (r.a or 0) + 1 save(r) return r.a end
    function tenth(r) busy(0.1) r.a = (r.a or 0) + 1 save(r) return r.a end
    function quick(r) return 'quick' end
    function endless() while true do end end
    function sum(stream)
        return stream : map(function(r) busy(1) return 1 end) : reduce(function(a, b) return a + b end)
    end";

fn start(options: Options) -> (Cluster, Wire) {
    let options = Options { udf_time: Duration::from_secs(1000), ..options };
    let cluster = Cluster::start(options).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    let content = base64::engine::general_purpose::STANDARD.encode(SOURCE);
    let len = content.len();
    let command =
        format!("udf-put:filename=m.lua;content={content};content-len={len};udf-type=LUA;");
    assert_eq!(wire.info(&command), "ok");
    (cluster, wire)
}

fn call(request: Request, function: &str) -> Request {
    request
        .field(field::UDF_PACKAGE, b"m")
        .field(field::UDF_FUNCTION, function.as_bytes())
        .field(field::UDF_ARGUMENTS, NONE)
}

fn apply(key: &str, function: &str) -> Request {
    call(Request::new(SET, key).info2(info2::WRITE), function)
}

fn aggregate() -> Request {
    let request = Request::bare().info1(info1::READ).field(field::NAMESPACE, b"test");
    call(request.field(field::SET, SET.as_bytes()).field(field::UDF_OP, &[1]), "sum")
}

fn success(reply: &Reply) -> i64 {
    let [ResultBin { name, value, .. }] = &reply.bins[..] else { panic!("{reply:?}") };
    assert_eq!((reply.code(), name.as_str()), (0, "SUCCESS"));
    i64::from_be_bytes(value[..].try_into().unwrap())
}

/// Whether nothing has arrived yet.
fn waits(wire: &mut Wire) -> bool {
    wire.0.set_nonblocking(true).unwrap();
    let read = wire.0.peek(&mut [0]);
    wire.0.set_nonblocking(false).unwrap();
    read.is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
}

/// Requests of every kind are answered while `running` gets no reply.
fn others_are_answered(cluster: &Cluster, running: &mut Wire) {
    let mut other = Wire::to(cluster, 0);
    // On the record of the function, too.
    for key in ["k", "other"] {
        other.ask(Request::get(key));
    }
    assert_eq!(other.code(Request::put("other", 7)), 0);
    let reply = other.ask(apply("other", "quick"));
    assert_eq!(reply.bins[0].value, b"quick");
    assert!(other.info("statistics").contains("cluster_size=1"));
    assert_eq!(scan(&mut other), ResultCode::OK);
    assert!(waits(running), "the function has ended before the others were answered");
}

/// Scans the set; returns the code at the end.
fn scan(wire: &mut Wire) -> ResultCode {
    let query = Query { namespace: "test".to_owned(), set: SET.to_owned(), ..Query::default() };
    let partitions: Vec<u16> = (0..4096).collect();
    let share = Share { id: 0, patience: 0, partitions: &partitions, points: &[], limit: 0 };
    let mut out = Vec::new();
    query.write(&share, &mut out).unwrap();
    wire.send(&out);
    loop {
        let (_, body) = wire.frame().unwrap();
        let mut rest = &body[..];
        while !rest.is_empty() {
            let (answer, used) = Answer::parse(rest).unwrap();
            if let Answer::End(code) = answer {
                return code;
            }
            rest = &rest[used..];
        }
    }
}

#[test]
fn others_are_answered_while_a_function_runs() {
    let (cluster, mut wire) = start(Options::default());
    let before = cluster.stats(0).unwrap().counters;
    wire.send(&apply("k", "second").bytes());
    others_are_answered(&cluster, &mut wire);
    // Functions run side by side.
    let mut second = Wire::to(&cluster, 0);
    second.send(&apply("other", "second").bytes());
    assert_eq!(success(&wire.reply().unwrap()), 1);
    assert_eq!(success(&second.reply().unwrap()), 8);
    let after = cluster.stats(0).unwrap().counters;
    // Two long calls, a put and a quick call: each counts once.
    assert_eq!(after.writes - before.writes, 4);
    // The connection serves further requests.
    assert_eq!(success(&wire.ask(apply("k", "tenth"))), 2);
}

#[test]
fn others_are_answered_while_an_aggregation_runs() {
    let (cluster, mut wire) = start(Options::default());
    for key in ["k", "l"] {
        assert_eq!(wire.code(Request::put(key, 1)), 0);
    }
    wire.send(&aggregate().bytes());
    others_are_answered(&cluster, &mut wire);
    let mut sum = 0;
    loop {
        let reply = wire.reply().unwrap();
        if reply.header.info3 & info3::LAST != 0 {
            assert_eq!(reply.code(), 0);
            break;
        }
        sum += success(&reply);
    }
    assert!(sum >= 2);
}

/// As if the function had run after the other write, which was acknowledged first.
#[test]
fn a_write_during_a_function_is_not_lost() {
    let (cluster, mut wire) = start(Options::default());
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    wire.send(&apply("k", "tenth").bytes());
    std::thread::sleep(Duration::from_millis(30));
    let mut other = Wire::to(&cluster, 0);
    assert_eq!(other.code(Request::put("k", 10)), 0);
    let started = waits(&mut wire);
    let result = success(&wire.reply().unwrap());
    assert!(result == 11 || !started, "{result}");
    // A record that never stays the same does not keep the function from ending.
    let stop = Instant::now() + LONG;
    wire.send(&apply("k", "tenth").bytes());
    let mut n = 100;
    while waits(&mut wire) {
        assert_eq!(other.code(Request::put("k", n)), 0);
        n += 1;
        assert!(Instant::now() < stop);
    }
    assert!(success(&wire.reply().unwrap()) > 100);
}

#[test]
fn a_function_without_end_holds_up_neither_faults_nor_kills_nor_the_end() {
    let (cluster, mut wire) = start(Options { nodes: 2, ..Options::default() });
    wire.send(&apply("k", "endless").bytes());
    wire.0.set_read_timeout(Some(Duration::from_millis(100))).unwrap();
    assert!(wire.0.read(&mut [0]).is_err(), "it runs");
    let start = Instant::now();
    cluster.inject(1, spikewire_aerospike_server::Faults::default()).unwrap();
    cluster.kill(0).unwrap();
    assert!(wire.is_closed());
    let mut other = Wire::to(&cluster, 1);
    assert_eq!(other.code(Request::put("k", 1)), 0);
    other.send(&apply("k", "endless").bytes());
    std::thread::sleep(Duration::from_millis(50));
    cluster.stop();
    assert!(start.elapsed() < LONG);
}

/// A background job whose function has no end is one of them: indexes are built meanwhile.
#[test]
fn indexes_are_built_while_a_background_job_runs() {
    let (cluster, mut wire) = start(Options::default());
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    let job = call(
        Request::bare()
            .info2(info2::WRITE)
            .field(field::NAMESPACE, b"test")
            .field(field::SET, SET.as_bytes())
            .field(field::UDF_OP, &[2]),
        "endless",
    );
    assert_eq!(wire.code(job), 0);
    assert_eq!(wire.info("sindex-create:ns=test;indexname=i;bin=a;type=numeric"), "ok");
    eventually("the index is built", || {
        wire.info("sindex-stat:ns=test;indexname=i").contains("load_pct=100")
    });
    cluster.stop();
}

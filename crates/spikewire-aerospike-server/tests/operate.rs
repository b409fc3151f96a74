//! Many operations in one command: what they do and what comes back.

mod wire;

use spikewire_aerospike_protocol::message::{info1, info2, op};
use spikewire_aerospike_protocol::value::particle;
use spikewire_aerospike_server::{Cluster, Options};
use wire::{Request, ResultBin, Wire, cluster, hex};

#[test]
fn results_without_respond_all() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let all = Request::write("k")
        .info1(info1::READ)
        .int(op::WRITE, "a", 1)
        .bin("a")
        .int(op::ADD, "a", 4)
        .bin("none")
        .text(op::APPEND, "s", "mid")
        .text(op::PREPEND, "s", "<")
        .bin("s")
        .bin("a")
        .op(op::WRITE, "s", 0, b"")
        .bin("s");
    let reply = wire.ask(all);
    let expected =
        [ResultBin::int(1, "a", 1), ResultBin::text(1, "s", "<mid"), ResultBin::int(1, "a", 5)];
    assert_eq!((reply.head(), reply.bins.as_slice()), ((0, 1, 0), &expected[..]));
}

#[test]
fn results_with_respond_all() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 0)), 0);
    let all = Request::write("k")
        .info1(info1::READ)
        .info2(info2::RESPOND_ALL_OPS)
        .op(op::TOUCH, "", 0, b"")
        .int(op::WRITE, "a", 1)
        .bin("a")
        .int(op::ADD, "a", 4)
        .bin("none")
        .text(op::APPEND, "s", "mid")
        .text(op::PREPEND, "s", "<")
        .op(op::WRITE, "s", 0, b"")
        .op(op::DELETE, "", 0, b"")
        .int(op::WRITE, "z", 3);
    let expected = [
        ResultBin::null(2, "a"),
        ResultBin::int(1, "a", 1),
        ResultBin::null(5, "a"),
        ResultBin::null(1, "none"),
        ResultBin::null(9, "s"),
        ResultBin::null(10, "s"),
        ResultBin::null(2, "s"),
        ResultBin::null(14, ""),
        ResultBin::null(2, "z"),
    ];
    assert_eq!(wire.ask(all).bins, expected);
    assert_eq!(wire.ask(Request::get("k")).bins, [ResultBin::int(1, "z", 3)]);
}

#[test]
fn read_all_shows_the_record_as_it_then_is() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
    let all = Request::write("k").info1(info1::READ | info1::GET_ALL);
    let reply = wire.ask(all.int(op::ADD, "a", 1).int(op::WRITE, "b", 7).bin(""));
    assert_eq!(reply.bins, [ResultBin::int(1, "a", 2), ResultBin::int(1, "b", 7)]);
    // Results of a command that deletes the record come without generation.
    let last = Request::write("k").info1(info1::READ).bin("b").op(op::DELETE, "", 0, b"");
    let reply = wire.ask(last);
    assert_eq!((reply.head(), reply.bins), ((0, 0, 0), vec![ResultBin::int(1, "b", 7)]));
}

#[test]
fn add_works_on_numbers_of_one_type_only() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let mut add = |name: &str, particle: u8, value: &[u8]| {
        wire.code(Request::write("k").op(op::ADD, name, particle, value))
    };
    let float = |float: f64| float.to_be_bytes();
    assert_eq!(add("i", particle::INTEGER, &i64::MAX.to_be_bytes()), 0);
    assert_eq!(add("i", particle::INTEGER, &[2]), 0);
    assert_eq!(add("i", particle::FLOAT, &float(1.0)), 12);
    assert_eq!(add("i", particle::STRING, b"1"), 12);
    assert_eq!(add("i", particle::INTEGER, &[1, 2, 3]), 4);
    // What cannot be stored is refused before types are compared.
    for (of, code) in [(0, 4), (5, 4), (6, 4), (13, 4), (15, 4), (21, 4), (24, 4), (16, 12)] {
        assert_eq!(add("i", of, b""), code, "type {of}");
        for other in [op::APPEND, op::PREPEND] {
            let request = Request::write("k").op(other, "i", of, b"");
            assert_eq!(Wire::to(&cluster, 0).code(request), code, "operation {other}, type {of}");
        }
    }
    assert_eq!(add("f", particle::FLOAT, &float(1.5)), 0);
    assert_eq!(add("f", particle::FLOAT, &float(2.25)), 0);
    assert_eq!(add("f", particle::INTEGER, &[1]), 12);
    assert_eq!(add("s", particle::STRING, b"text"), 0);
    assert_eq!(add("s", particle::STRING, b"text"), 12);
    assert_eq!(add("n", particle::NULL, b""), 4);
    let bins = wire.ask(Request::get("k")).bins;
    assert_eq!(bins[0], ResultBin::int(1, "i", i64::MIN + 1));
    assert_eq!(bins[1].value, float(3.75));
    assert_eq!(bins[2], ResultBin::text(1, "s", "text"));
}

#[test]
fn append_and_prepend_work_on_strings_and_blobs() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let geo = br#"xxx{"type":"Point","coordinates":[1,2]}"#;
    let geo = [&[0, 0, 0], &geo[3..]].concat();
    for code in [op::APPEND, op::PREPEND] {
        wire.ask(Request::delete("k"));
        let mut run = |name: &str, particle: u8, value: &[u8]| {
            wire.code(Request::write("k").op(code, name, particle, value))
        };
        assert_eq!(run("s", particle::STRING, b"one"), 0);
        assert_eq!(run("s", particle::STRING, b"two"), 0);
        assert_eq!(run("s", particle::BLOB, b"x"), 12);
        assert_eq!(run("b", particle::BLOB, b"\x01"), 0);
        assert_eq!(run("b", particle::BLOB, b"\x02"), 0);
        assert_eq!(run("b", 9, b"x"), 12, "another blob tag is another type");
        assert_eq!(run("p", 9, b"x"), 0);
        assert_eq!(run("p", 9, b"y"), 0);
        assert_eq!(run("i", particle::INTEGER, &[7]), 0);
        assert_eq!(run("i", particle::INTEGER, &[7]), 12);
        assert_eq!(run("l", particle::LIST, &[0x91, 1]), 0);
        assert_eq!(run("l", particle::LIST, &[0x91, 1]), 12);
        assert_eq!(run("t", particle::BOOL, &[1]), 0);
        assert_eq!(run("g", particle::GEOJSON, &geo), 0);
        assert_eq!(run("g", particle::GEOJSON, &geo), 1);
        assert_eq!(run("n", particle::NULL, b""), 4);
        let bins = wire.ask(Request::get("k")).bins;
        let (text, bytes) =
            if code == op::APPEND { ("onetwo", [1, 2]) } else { ("twoone", [2, 1]) };
        assert_eq!(bins[0], ResultBin::text(1, "s", text));
        assert_eq!(bins[1].value, bytes);
    }
}

#[test]
fn values_come_back_as_they_are_stored() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    let mut back = |particle: u8, value: &[u8]| -> Result<Vec<u8>, u8> {
        let code = wire.code(Request::write("k").op(op::WRITE, "v", particle, value));
        if code != 0 {
            return Err(code);
        }
        let bins = wire.ask(Request::get("k")).bins;
        assert_eq!(bins[0].particle, particle);
        Ok(bins[0].value.clone())
    };
    assert_eq!(back(particle::INTEGER, &[0xFE]).unwrap(), 254_i64.to_be_bytes());
    assert_eq!(back(particle::INTEGER, &[]), Err(4));
    assert_eq!(back(particle::FLOAT, &[0; 7]), Err(4));
    assert_eq!(back(particle::BOOL, &[1]).unwrap(), [1]);
    assert_eq!(back(particle::BOOL, &[2]), Err(4));
    assert_eq!(back(particle::STRING, &[0xFF, 0]).unwrap(), [0xFF, 0]);
    assert_eq!(back(particle::MAP, &[0x82, 2, 1, 1, 2]).unwrap(), [0x82, 1, 2, 2, 1]);
    for broken in [&[][..], &[0x92, 1], &[0x91, 1, 1], &[0x80]] {
        assert_eq!(back(particle::LIST, broken), Err(1), "{broken:02x?}");
    }
    for broken in [&[][..], &[0x82, 1, 1, 1, 2], &[0x90], &[0x83, 0xc7, 0, 1, 0xc0, 2, 1, 1, 1]] {
        assert_eq!(back(particle::MAP, broken), Err(1), "{broken:02x?}");
    }
    let point = br#"{"type":"Point","coordinates":[1,2]}"#;
    let with_cell = [&[9, 0, 1, 8, 8, 8, 8, 8, 8, 8, 8], &point[..]].concat();
    assert_eq!(back(particle::GEOJSON, &with_cell).unwrap(), [&[0, 0, 0], &point[..]].concat());
    assert_eq!(back(particle::GEOJSON, b"\0\0\0{}"), Err(160));
    assert_eq!(back(particle::GEOJSON, b"\0"), Err(160));
    assert_eq!(back(particle::GEOJSON, b"\0\0\x09x"), Err(160));
    assert_eq!(back(particle::HLL, &[0, 4, 0]), Err(4));
    for unknown in [5, 6, 13, 14, 15, 21, 22, 24, 255] {
        assert_eq!(back(unknown, b"x"), Err(4), "type {unknown}");
    }
    for opaque in [7, 8, 9, 10, 11, 12, 16] {
        assert_eq!(back(opaque, b"x").unwrap(), b"x");
    }
}

/// Each operation alone is within the limits; the bins of one command grew without bound.
#[test]
fn the_bins_of_a_command_are_bounded() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    // Resize to 16 MiB: number, size, no flags, no direction.
    let resize = [0x94, 0, 0xce, 1, 0, 0, 0, 0, 0];
    let grown = |bins: usize| {
        (0..bins).fold(Request::write("k"), |request, at| {
            request.op(op::BITS_MODIFY, &format!("b{at}"), particle::BLOB, &resize)
        })
    };
    // The record would be too big, and that is found at the end or on the way.
    assert_eq!(wire.code(grown(2)), 13);
    assert_eq!(wire.code(grown(2000)), 13);
    assert_eq!(wire.code(Request::put("k", 1)), 0);
}

#[test]
fn newer_operations_are_parameter_errors_on_older_servers() {
    let cluster = cluster(1);
    let mut wire = Wire::to(&cluster, 0);
    assert_eq!(wire.code(Request::put("k", 5)), 0);
    for (code, value) in [
        (op::STRING_READ, "91 00"),
        (op::TO_STRING, ""),
        (op::CDT_READ, "91 1c"),
        (op::BITS_READ, "91 37"),
        (op::EXP_READ, "92 95 7f 02 03 91 00 93 51 03 a161 00"),
        (op::EXP_READ, "92 92 63 93 51 02 a161 00"),
    ] {
        for flags in [0, info2::RESPOND_ALL_OPS] {
            let read = Request::read("k").info2(flags).op(code, "a", particle::STRING, &hex(value));
            assert_eq!(wire.code(read), 4, "{code} {value}");
        }
    }
    let modify = Request::write("k").op(op::STRING_MODIFY, "a", particle::STRING, &hex("92 38 00"));
    assert_eq!(wire.code(modify), 4);
    let filtered = Request::get("k").field(43, &hex("93 03 95 7f 02 03 91 00 93 51 03 a161 03"));
    assert_eq!(wire.code(filtered), 4);
}

#[test]
fn servers_from_8_2_on_limit_nesting() {
    let deep = |levels: usize| [&vec![0x91; levels - 1][..], &[0x90]].concat();
    for (build, expected) in [("8.1.2.0", [0, 0, 0, 0]), ("8.2.0.0", [0, 1, 0, 4])] {
        let options = Options { build: build.to_owned(), ..Options::default() };
        let cluster = Cluster::start(options).unwrap();
        let mut wire = Wire::to(&cluster, 0);
        let mut put = |levels| {
            wire.code(Request::write("k").op(op::WRITE, "l", particle::LIST, &deep(levels)))
        };
        assert_eq!([put(64), put(65)], expected[..2], "{build}");
        let mut append = |levels| {
            let call = [&[0x92, 1][..], &deep(levels)].concat();
            wire.code(Request::write("m").op(op::CDT_MODIFY, "m", particle::BLOB, &call))
        };
        assert_eq!([append(64), append(66)], expected[2..], "{build}");
    }
}

//! Rows that call functions.

use std::time::Duration;

use base64::Engine as _;
use spikewire_aerospike_protocol::message::field;
use spikewire_aerospike_server::{Cluster, Options};

use crate::rows::{ALL, Batch, Row};
use crate::wire::{ResultBin, Wire};

const SOURCE: &str = "
    function busy(r)
        local from = os.clock()
        while os.clock() - from < 0.1 do end
        r.a = (r.a or 0) + 1
        if aerospike:exists(r) then aerospike:update(r) else aerospike:create(r) end
        return r.a
    end";

fn call() -> Row {
    Row::write()
        .field(field::UDF_PACKAGE, b"m")
        .field(field::UDF_FUNCTION, b"busy")
        .field(field::UDF_ARGUMENTS, &[0x90])
}

#[test]
fn rows_around_a_long_function_are_run_once_and_in_order() {
    let options = Options { udf_time: Duration::from_secs(1000), ..Options::default() };
    let cluster = Cluster::start(options).unwrap();
    let mut wire = Wire::to(&cluster, 0);
    let content = base64::engine::general_purpose::STANDARD.encode(SOURCE);
    let len = content.len();
    let command =
        format!("udf-put:filename=m.lua;content={content};content-len={len};udf-type=LUA;");
    assert_eq!(wire.info(&command), "ok");
    let batch = Batch::new(ALL)
        .row("k", &Row::put(5))
        .row("k", &call())
        .row("k", &Row::get())
        .row("k", &call())
        .row("k", &Row::get())
        .row("none", &Row::get());
    let before = cluster.stats(0).unwrap().counters;
    let answers = wire.batch(&batch);
    assert_eq!((answers.indexes(), answers.code), ((0..6).collect(), 0));
    assert_eq!(answers.codes(), [0, 0, 0, 0, 0, 2]);
    let values = answers.rows.iter().map(|(_, reply)| reply.bins.clone()).collect::<Vec<_>>();
    let int = |name: &str, value| vec![ResultBin::int(1, name, value)];
    assert_eq!(
        values,
        [vec![], int("SUCCESS", 6), int("a", 6), int("SUCCESS", 7), int("a", 7), vec![]]
    );
    let after = cluster.stats(0).unwrap().counters;
    let counts = (
        after.requests - before.requests,
        after.writes - before.writes,
        after.reads - before.reads,
    );
    assert_eq!(counts, (1, 3, 3));
}

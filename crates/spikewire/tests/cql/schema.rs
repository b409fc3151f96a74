//! Schema changes while statements are in use.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering::SeqCst};
use std::thread;

use futures::executor::block_on;
use futures::future::try_join_all;
use spikewire::cql::{
    Batch, Change, ColumnKind, Kind, TableOption, Target, UserAggregate, UserFunction,
};

use crate::support::{eventually, place};

#[test]
fn a_statement_learns_of_the_change() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY");
    let result = session.execute(format!("ALTER TABLE {table} ADD name text"), ()).unwrap();
    let change = result.schema_change().unwrap();
    assert_eq!(
        (&change.change, &change.keyspace, &change.target),
        (&Change::Updated, &place.keyspace, &Target::Table(table))
    );
    assert!(result.schema_agreed());
}

#[test]
fn prepared_statements_go_on_after_others_changed_their_table() {
    let place = place!();
    for version in spikewire::cql::Version::ALL {
        let session = place.builder().version(version).connect(&place.at).unwrap();
        assert_eq!(session.version(), version);
        let table = place.table(&session, "id int PRIMARY KEY, a text");
        let insert = session.prepare(format!("INSERT INTO {table} (id, a) VALUES (?, ?)")).unwrap();
        let select = session.prepare(format!("SELECT * FROM {table} WHERE id = ?")).unwrap();
        session.execute(&insert, (1, "x")).unwrap();
        let columns = |count: usize| {
            let result = session.execute(&select, (1,)).unwrap();
            assert_eq!(result.columns().len(), count, "{version}");
            let row = result.row(0).unwrap();
            assert_eq!(row.get::<String>("a").unwrap(), "x");
            row
        };
        columns(2);
        let other = place.session();
        other.execute(format!("ALTER TABLE {table} ADD b int"), ()).unwrap();
        assert_eq!(columns(3).get::<Option<i32>>("b").unwrap(), None);
        // A batch is prepared again as well, since the node has forgotten its statement too.
        let mut batch = Batch::unlogged();
        batch.add(&insert, (1, "x")).unwrap();
        session.batch(&batch).unwrap();
        if version.number() == 5 {
            assert_eq!(select.columns().len(), 3);
        }
        other.execute(format!("INSERT INTO {table} (id, a, b) VALUES (1, 'x', 7)"), ()).unwrap();
        assert_eq!(columns(3).get::<i32>("b").unwrap(), 7);
        other.execute(format!("ALTER TABLE {table} DROP b"), ()).unwrap();
        columns(2);
        // A table that is dropped and created again: none of its statements are prepared any more.
        other.execute(format!("DROP TABLE {table}"), ()).unwrap();
        session.execute(&insert, (1, "x")).unwrap_err();
        other.execute(format!("CREATE TABLE {table} (id int PRIMARY KEY, a text)"), ()).unwrap();
        session.execute(&insert, (1, "x")).unwrap();
        columns(2);
    }
}

#[test]
fn statements_survive_schema_changes_under_load() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY, a text");
    let insert = session.prepare(format!("INSERT INTO {table} (id, a) VALUES (?, ?)")).unwrap();
    let select = session.prepare(format!("SELECT * FROM {table} WHERE id = ?")).unwrap();
    let (over, rounds) = (AtomicBool::new(false), AtomicU32::new(0));
    thread::scope(|scope| {
        for worker in 0..4 {
            let (session, insert, select) = (&session, &insert, &select);
            let (over, rounds) = (&over, &rounds);
            scope.spawn(move || {
                while !over.load(SeqCst) {
                    session.execute(insert, (worker, "x")).unwrap();
                    let row = session.execute(select, (worker,)).unwrap().row(0).unwrap();
                    assert_eq!(row.get::<String>("a").unwrap(), "x");
                    for (at, column) in row.columns().iter().enumerate() {
                        assert!(matches!(&*column.name, "id" | "a" | "b0" | "b1" | "b2"));
                        if column.name.starts_with('b') {
                            assert_eq!(row.get::<Option<i32>>(at).unwrap(), None);
                        }
                    }
                    rounds.fetch_add(1, SeqCst);
                }
            });
        }
        let other = place.session();
        for column in ["b0", "b1", "b2"] {
            let before = rounds.load(SeqCst);
            other.execute(format!("ALTER TABLE {table} ADD {column} int"), ()).unwrap();
            eventually("some rounds", || rounds.load(SeqCst) >= before + 8);
            if column != "b2" {
                other.execute(format!("ALTER TABLE {table} DROP {column}"), ()).unwrap();
            }
        }
        over.store(true, SeqCst);
    });
    assert_eq!(session.execute(&select, (0,)).unwrap().columns().len(), 3);
}

#[test]
fn many_calls_at_once_find_that_their_statement_is_forgotten() {
    let place = place!();
    block_on(async {
        let session = place.builder().connect_async(&place.at).await.unwrap();
        let other = place.session();
        let table = place.table(&other, "id int PRIMARY KEY, a text");
        let insert = format!("INSERT INTO {table} (id, a) VALUES (?, ?)");
        let insert = session.prepare(insert).await.unwrap();
        for round in 0..2 {
            other.execute(format!("ALTER TABLE {table} ADD b{round} int"), ()).unwrap();
            let calls = (0..300).map(|id| session.execute(&insert, (id, "x")));
            try_join_all(calls).await.unwrap();
        }
        let count = session.execute(format!("SELECT count(*) FROM {table}"), ()).await.unwrap();
        assert_eq!(count.first::<(i64,)>().unwrap(), Some((300,)));
    });
}

#[test]
fn a_recreated_table_with_other_types_is_noticed() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY, a int");
    let text = format!("INSERT INTO {table} (id, a) VALUES (?, ?)");
    let insert = session.prepare(&text).unwrap();
    session.execute(&insert, (1, 1)).unwrap();
    let other = place.session();
    other.execute(format!("DROP TABLE {table}"), ()).unwrap();
    other.execute(format!("CREATE TABLE {table} (id int PRIMARY KEY, a text)"), ()).unwrap();
    // Four bytes are a valid text, too: only the client would notice.
    for _ in 0..2 {
        let error = session.execute(&insert, (1, 1)).unwrap_err();
        assert_eq!(error.kind(), Kind::Invalid);
    }
    session.execute(&insert, (1, "pear")).unwrap();
    session.execute(&text, (2, "plum")).unwrap();
}

/// What a session knows of the types is asked for again before a value is rejected.
#[test]
fn values_of_other_types_are_accepted_at_once_when_a_table_comes_again() {
    let place = place!();
    let session = place.session();
    let future_session = block_on(place.builder().connect_async(&place.at)).unwrap();
    let table = place.table(&session, "id int PRIMARY KEY, a int");
    let text = format!("INSERT INTO {table} (id, a) VALUES (?, ?)");
    let insert = session.prepare(&text).unwrap();
    let other = place.session();
    let again = |kind: &str| {
        other.execute(format!("DROP TABLE {table}"), ()).unwrap();
        let columns = format!("(id int PRIMARY KEY, a {kind})");
        other.execute(format!("CREATE TABLE {table} {columns}"), ()).unwrap();
    };
    session.execute(&text, (1, 1)).unwrap();
    block_on(future_session.execute(&text, (1, 1))).unwrap();
    again("text");
    session.execute(&insert, (1, "pear")).unwrap();
    block_on(future_session.execute(&text, (1, "pear"))).unwrap();
    again("double");
    block_on(future_session.execute(&insert, (1, 0.5))).unwrap();
    let mut batch = Batch::unlogged();
    batch.add_text(&text, (1, 0.5));
    session.batch(&batch).unwrap();
    again("boolean");
    block_on(future_session.batch(Batch::logged().add_text(&text, (1, true)))).unwrap();
    let result = session.execute(format!("SELECT a FROM {table} WHERE id = ?"), (1,)).unwrap();
    assert_eq!(result.first::<(bool,)>().unwrap(), Some((true,)));
}

/// A node that was started again knows no statement, and names one at a time.
#[test]
fn a_batch_prepares_all_its_forgotten_statements() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY, a text");
    let mut batch = Batch::unlogged();
    for number in 0..40 {
        let text = format!("INSERT INTO {table} (id, a) VALUES (?, 's{number}')");
        batch.add(session.prepare(text).unwrap(), (number,)).unwrap();
    }
    place.session().execute(format!("ALTER TABLE {table} ADD b int"), ()).unwrap();
    session.batch(&batch).unwrap();
    let count = session.execute(format!("SELECT count(*) FROM {table}"), ()).unwrap();
    assert_eq!(count.first::<(i64,)>().unwrap(), Some((40,)));
}

#[test]
fn values_for_a_statement_without_markers_are_rejected() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY");
    let text = format!("INSERT INTO {table} (id) VALUES (1)");
    let insert = session.prepare(&text).unwrap();
    let mut batch = Batch::unlogged();
    batch.add_text(&text, (2,));
    let errors = [
        session.execute(&text, (2,)).unwrap_err(),
        session.execute(&insert, (2,)).unwrap_err(),
        session.batch(&batch).unwrap_err(),
        Batch::unlogged().add(&insert, (2,)).unwrap_err(),
        block_on(async {
            let session = place.builder().connect_async(&place.at).await?;
            session.execute(&text, (2,)).await.map(drop)
        })
        .unwrap_err(),
    ];
    for error in errors {
        assert!(error.message().contains("takes no values, and 1 were given"), "{error}");
    }
}

#[test]
fn the_schema_is_known_and_follows_changes() {
    let place = place!();
    let session = place.session();
    let table = place.table(
        &session,
        "shop text, at int, name text, PRIMARY KEY (shop, at)) WITH CLUSTERING ORDER BY (at DESC",
    );
    let schema = session.schema().unwrap();
    let keyspace = &schema.keyspaces[&place.keyspace];
    assert!(!keyspace.is_virtual && keyspace.durable_writes && !keyspace.replication.is_empty());
    let known = &keyspace.tables[&table];
    let columns: Vec<_> = known
        .columns
        .iter()
        .map(|column| (column.name.as_str(), column.cql_type.as_str(), column.kind))
        .collect();
    assert_eq!(
        columns,
        [
            ("shop", "text", ColumnKind::PartitionKey(0)),
            ("at", "int", ColumnKind::Clustering(0, true)),
            ("name", "text", ColumnKind::Regular),
        ]
    );
    session.execute(format!("ALTER TABLE {table} ADD price decimal"), ()).unwrap();
    session.execute(format!("CREATE TYPE place_{table} (street text, zip int)"), ()).unwrap();
    session.execute(format!("CREATE INDEX by_{table} ON {table} (name)"), ()).unwrap();
    let schema = block_on(async {
        let session = place.builder().connect_async(&place.at).await.unwrap();
        session.schema().await.unwrap()
    });
    let keyspace = &schema.keyspaces[&place.keyspace];
    assert_eq!(keyspace.tables[&table].columns.len(), 4);
    assert_eq!(keyspace.tables[&table].indexes[&format!("by_{table}")].options["target"], "name");
    let fields = [("street", "text"), ("zip", "int")];
    let fields = fields.map(|(name, ty)| (name.to_owned(), ty.to_owned()));
    assert_eq!(keyspace.types[&format!("place_{table}")], fields);
    // The session that made the changes knows them as well; other tests change other tables.
    let known = &session.schema().unwrap().keyspaces[&place.keyspace];
    assert_eq!(known.tables[&table], keyspace.tables[&table]);
    assert_eq!(known.types[&format!("place_{table}")], fields);
}

#[test]
fn options_functions_and_aggregates_are_known() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY");
    let change = "gc_grace_seconds = 77 AND bloom_filter_fp_chance = 0.25 AND comment = 'it''s' \
                  AND compaction = {'class': 'SizeTieredCompactionStrategy'}";
    let (plus, total) = (format!("plus_{table}"), format!("total_{table}"));
    for statement in [
        format!("ALTER TABLE {table} WITH {change}"),
        format!(
            "CREATE FUNCTION {plus} (a int, b int) RETURNS NULL ON NULL INPUT RETURNS int \
             LANGUAGE java AS 'return a + b;'"
        ),
        format!("CREATE AGGREGATE {total} (int) SFUNC {plus} STYPE int INITCOND 0"),
    ] {
        session.execute(statement, ()).unwrap();
    }
    let schema = session.schema().unwrap();
    let keyspace = &schema.keyspaces[&place.keyspace];
    let known = &keyspace.tables[&table];
    assert_eq!(known.options["gc_grace_seconds"], TableOption::Integer(77));
    assert_eq!(known.options["bloom_filter_fp_chance"], TableOption::Float(0.25));
    assert_eq!(known.options["comment"], TableOption::Text("it's".to_owned()));
    let TableOption::Map(compaction) = &known.options["compaction"] else { panic!("{known:?}") };
    assert!(compaction["class"].ends_with("SizeTieredCompactionStrategy"));
    assert!(known.triggers.is_empty() && known.extensions.is_empty());
    let texts = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
    let function = UserFunction {
        name: plus.clone(),
        argument_types: texts(&["int", "int"]),
        argument_names: texts(&["a", "b"]),
        return_type: "int".to_owned(),
        language: "java".to_owned(),
        body: "return a + b;".to_owned(),
        called_on_null_input: false,
    };
    assert_eq!(keyspace.functions[&format!("{plus}(int,int)")], function);
    let aggregate = UserAggregate {
        name: total.clone(),
        argument_types: texts(&["int"]),
        return_type: "int".to_owned(),
        state_function: plus,
        state_type: "int".to_owned(),
        final_function: None,
        initial_condition: Some("0".to_owned()),
    };
    assert_eq!(keyspace.aggregates[&format!("{total}(int)")], aggregate);
}

//! Statements: prepared or not, named values, unset values, conditions; batches, pages, USE,
//! options.

use std::collections::HashMap;

use spikewire::cql::{Batch, CallOptions, Consistency, Kind, Row, Unset, Value, Version};
use spikewire::named;

use crate::support::place;

#[test]
fn prepared_and_text_statements_take_values() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY, name text");
    let insert = session.prepare(format!("INSERT INTO {table} (id, name) VALUES (?, ?)")).unwrap();
    let names: Vec<_> = insert.parameters().iter().map(|column| &*column.name).collect();
    assert_eq!(names, ["id", "name"]);
    assert!(session.execute(&insert, (1, "pear")).unwrap().columns().is_empty());
    session.execute(format!("INSERT INTO {table} (id, name) VALUES (?, ?)"), (2, "plum")).unwrap();
    session.execute(format!("INSERT INTO {table} (id, name) VALUES (3, 'fig')"), ()).unwrap();

    let select = format!("SELECT id, name FROM {table} WHERE id = ?");
    for (id, name) in [(1, "pear"), (2, "plum"), (3, "fig")] {
        let result = session.execute(&select, [id]).unwrap();
        assert_eq!(result.len(), 1);
        assert_eq!(result.first::<(i32, String)>().unwrap(), Some((id, name.to_owned())));
        assert_eq!(result.first_value::<String>("name").unwrap().as_deref(), Some(name));
        let row = result.row(0).unwrap();
        assert_eq!(
            (row.get::<i64>(0).unwrap(), row.get::<String>(1).unwrap()),
            (id.into(), name.into())
        );
        assert_eq!(result.node(), session.nodes()[0].address);
    }
    assert!(session.execute(&select, (4,)).unwrap().first::<(i32, String)>().unwrap().is_none());
}

#[test]
fn values_are_bound_by_name() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY, name text, price double");
    let insert = session
        .prepare(format!("INSERT INTO {table} (id, name, price) VALUES (:id, :name, :price)"))
        .unwrap();
    session.execute(&insert, named! { "price" => 2.5, "id" => 1, "name" => None::<&str> }).unwrap();
    let by_map: HashMap<&str, Value> =
        [("id", Value::Int(2)), ("name", Value::Text("plum".into())), ("price", Value::Null)]
            .into();
    session.execute(&insert, &by_map).unwrap();
    let read = |id: i32| {
        let select = format!("SELECT name, price FROM {table} WHERE id = ?");
        session.execute(select, (id,)).unwrap().first::<(Option<String>, Option<f64>)>().unwrap()
    };
    assert_eq!(read(1), Some((None, Some(2.5))));
    assert_eq!(read(2), Some((Some("plum".into()), None)));

    let missing = session.execute(&insert, named! { "id" => 1, "name" => "x" }).unwrap_err();
    assert_eq!(missing.kind(), Kind::Invalid);
    assert_eq!(missing.message(), "no value for parameter \"price\"");
    let stranger = named! { "id" => 1, "name" => "x", "price" => 1.0, "color" => "red" };
    let stranger = session.execute(&insert, stranger).unwrap_err();
    assert!(stranger.message().contains("no parameter \"color\"; there are: id, name, price"));
}

#[test]
fn unset_leaves_a_column_as_it_is_and_none_empties_it() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY, a text, b text");
    let insert =
        session.prepare(format!("INSERT INTO {table} (id, a, b) VALUES (?, ?, ?)")).unwrap();
    session.execute(&insert, (1, "a", "b")).unwrap();
    session.execute(&insert, (1, Unset, None::<String>)).unwrap();
    let result = session.execute(format!("SELECT a, b FROM {table}"), ()).unwrap();
    assert_eq!(
        result.first::<(Option<String>, Option<String>)>().unwrap(),
        Some((Some("a".to_owned()), None))
    );
}

#[test]
fn conditions_say_whether_they_were_met() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY, name text");
    let insert = session
        .prepare(format!("INSERT INTO {table} (id, name) VALUES (?, ?) IF NOT EXISTS"))
        .unwrap();
    let first = session.execute(&insert, (1, "pear")).unwrap();
    assert_eq!(first.was_applied(), Some(true));
    let serial = CallOptions::new().serial_consistency(Consistency::LocalSerial);
    let second = session.with(serial).execute(&insert, (1, "plum")).unwrap();
    assert_eq!(second.was_applied(), Some(false));
    assert_eq!(second.first_value::<String>("name").unwrap().as_deref(), Some("pear"));
    let select = session.execute(format!("SELECT * FROM {table}"), ()).unwrap();
    assert_eq!(select.was_applied(), None);
    let not_serial = CallOptions::new().serial_consistency(Consistency::Quorum);
    let error = session.with(not_serial).execute(&insert, (1, "x")).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
    assert!(error.message().contains("QUORUM is not a serial consistency level"), "{error}");
}

#[test]
fn batches_of_prepared_and_text_statements_apply() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY, name text");
    let insert = session.prepare(format!("INSERT INTO {table} (id, name) VALUES (?, ?)")).unwrap();
    for mut batch in [Batch::logged(), Batch::unlogged()] {
        session.execute(format!("INSERT INTO {table} (id, name) VALUES (3, 'fig')"), ()).unwrap();
        batch.add(&insert, (1, "pear")).unwrap().add(&insert, (2, Unset)).unwrap();
        let wrong = batch.add(&insert, (1, 2)).unwrap_err();
        assert!(wrong.message().contains("name: text takes text, not 2"), "{wrong}");
        let wrong = batch.add(&insert, (1,)).unwrap_err();
        assert!(wrong.message().contains("takes 2 values (id, name), not 1"), "{wrong}");
        batch.add(format!("DELETE FROM {table} WHERE id = 3"), ()).unwrap();
        assert_eq!(batch.len(), 3);
        session.batch(&batch).unwrap();
        let rows = session.execute(format!("SELECT id FROM {table}"), ()).unwrap();
        let mut ids: Vec<i32> = rows.rows().map(|row| row.get(0).unwrap()).collect();
        ids.sort_unstable();
        assert_eq!(ids, [1, 2]);
    }
    assert_eq!(
        session.batch(&Batch::logged()).unwrap_err().message(),
        "a batch without statements"
    );

    let counters = place.table(&session, "id int PRIMARY KEY, n counter");
    let add = session.prepare(format!("UPDATE {counters} SET n = n + ? WHERE id = ?")).unwrap();
    let mut batch = Batch::counter();
    batch.add(&add, (2, 1)).unwrap().add(&add, (3, 1)).unwrap();
    session.batch(&batch).unwrap();
    let n = session.execute(format!("SELECT n FROM {counters}"), ()).unwrap();
    assert_eq!(n.first::<(i64,)>().unwrap(), Some((5,)));
}

#[test]
fn a_batch_of_text_statements_binds_values() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY, name text");
    let insert = format!("INSERT INTO {table} (id, name) VALUES (?, ?)");
    let known = session.prepare(format!("UPDATE {table} SET name = ? WHERE id = ?")).unwrap();
    let mut batch = Batch::logged();
    for id in 1..4 {
        // The batch keeps its values.
        batch.add_text(&insert, (id, format!("name {id}")));
    }
    batch.add(&known, ("fig", 4)).unwrap();
    batch.add_text(
        format!("INSERT INTO {table} (id) VALUES (:one)"),
        [("one", 5)].into_iter().collect::<HashMap<_, _>>(),
    );
    batch.add_text(format!("INSERT INTO {table} (id) VALUES (6)"), ());
    assert_eq!(batch.len(), 6);
    let expected = [
        (1, Some("name 1".to_owned())),
        (2, Some("name 2".to_owned())),
        (3, Some("name 3".to_owned())),
        (4, Some("fig".to_owned())),
        (5, None),
        (6, None),
    ];
    let rows = |session: &spikewire::cql::Session| {
        let rows = session.execute(format!("SELECT id, name FROM {table}"), ()).unwrap();
        let rows = rows.rows_as::<(i32, Option<String>)>();
        let mut rows: Vec<_> = rows.map(Result::unwrap).collect();
        rows.sort_unstable();
        rows
    };
    // Twice: the second time the texts are prepared already.
    for session in [&session, &session, &place.session()] {
        session.batch(&batch).unwrap();
        assert_eq!(rows(session), expected);
        session.execute(format!("TRUNCATE {table}"), ()).unwrap();
    }
    let asynchronous = async {
        let session = place.builder().connect_async(&place.at).await.unwrap();
        session.batch(&batch.clone()).await.unwrap();
    };
    futures::executor::block_on(asynchronous);
    assert_eq!(rows(&session), expected);

    let mut wrong = Batch::unlogged();
    wrong.add_text(&insert, (1, 2));
    let error = session.batch(&wrong).unwrap_err();
    assert_eq!(error.kind(), Kind::Invalid);
    assert!(error.message().contains("name: text takes text, not 2"), "{error}");
    let mut wrong = Batch::unlogged();
    wrong.add_text("INSERT INTO no_such_table (id) VALUES (?)", (1,));
    assert_eq!(session.batch(&wrong).unwrap_err().kind(), Kind::Server);
    let error = Batch::logged().add(&*insert, (1, "x")).map(drop).unwrap_err();
    assert!(error.message().contains("add_text"), "{error}");
}

#[test]
fn paging_resumes_from_its_state() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int, n int, PRIMARY KEY (id, n)");
    let insert = session.prepare(format!("INSERT INTO {table} (id, n) VALUES (1, ?)")).unwrap();
    (0..100).for_each(|n| drop(session.execute(&insert, (n,)).unwrap()));
    let select = format!("SELECT n FROM {table} WHERE id = ?");
    for size in [7, 10, 99, 100, 101, 0] {
        let paged = session.with(CallOptions::new().page_size(size));
        let rows = paged.query(&select, (1,)).unwrap();
        let all: Vec<i32> = rows.map(|row| row.unwrap().get(0).unwrap()).collect();
        assert_eq!(all, (0..100).collect::<Vec<_>>(), "pages of {size}");
        let pages = paged.pages(&select, (1,)).unwrap().map(|page| page.unwrap().len());
        let pages: Vec<usize> = pages.collect();
        assert_eq!(pages.iter().sum::<usize>(), 100);
        match size {
            // The server does not know that a full page is the last one.
            10 => assert_eq!(pages[10..], [0]),
            100 => assert_eq!(pages, [100, 0]),
            0 | 101 => assert_eq!(pages, [100]),
            _ => assert_eq!(pages[0], size as usize),
        }
    }
    let first = session.with(CallOptions::new().page_size(30)).execute(&select, (1,)).unwrap();
    let state = first.paging_state().unwrap().clone();
    // Another session continues.
    let other = place.session().with(CallOptions::new().page_size(70).paging_state(state));
    let rest = other.execute(&select, (1,)).unwrap();
    let rest: Vec<i32> = rest.into_iter().map(|row| row.get("n").unwrap()).collect();
    assert_eq!(rest, (30..100).collect::<Vec<_>>());
}

#[test]
fn rows_are_read_from_both_ends_and_keep_their_page() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int, n int, PRIMARY KEY (id, n)");
    let insert = session.prepare(format!("INSERT INTO {table} (id, n) VALUES (1, ?)")).unwrap();
    (0..5).for_each(|n| drop(session.execute(&insert, (n,)).unwrap()));
    let result = session.execute(format!("SELECT * FROM {table}"), ()).unwrap();
    let mut rows = result.rows();
    drop(result);
    drop(session);
    let n = |row: Option<Row>| row.map(|row| row.get::<i32>("n").unwrap());
    assert_eq!((n(rows.next()), n(rows.next_back()), rows.len()), (Some(0), Some(4), 3));
    assert_eq!((n(rows.nth(1)), n(rows.next()), n(rows.next())), (Some(2), Some(3), None));
    assert_eq!(n(rows.next_back()), None);
}

#[test]
fn use_changes_the_keyspace_of_the_session() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY");
    let other = spikewire::cql::Session::connect(&place.at).unwrap();
    assert_eq!(other.keyspace(), None);
    let select = format!("SELECT id FROM {table}");
    let without = other.execute(&select, ()).unwrap_err();
    assert!(without.message().contains("No keyspace has been specified"), "{without}");
    other.execute(format!("USE {}", place.keyspace), ()).unwrap();
    assert_eq!(other.keyspace().as_deref(), Some(&*place.keyspace));
    assert!(other.execute(&select, ()).unwrap().is_empty());
    let prepared = other.prepare(format!("INSERT INTO {table} (id) VALUES (?)")).unwrap();
    other.execute(&prepared, (1,)).unwrap();
    // Also for a single statement.
    let third = spikewire::cql::Session::connect(&place.at).unwrap();
    let there = third.with(CallOptions::new().keyspace(&*place.keyspace));
    assert_eq!(there.execute(&select, ()).unwrap().len(), 1);
    assert_eq!(third.keyspace(), None);
}

#[test]
fn call_options_apply_to_one_statement() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY, name text");
    let insert = session.prepare(format!("INSERT INTO {table} (id, name) VALUES (?, ?)")).unwrap();
    let at = |time: i64| session.with(CallOptions::new().timestamp(time));
    at(2_000).execute(&insert, (1, "late")).unwrap();
    at(1_000).execute(&insert, (1, "early")).unwrap();
    let select = format!("SELECT name, writetime(name) FROM {table} WHERE id = 1");
    let result = session.execute(&select, ()).unwrap();
    assert_eq!(result.first::<(String, i64)>().unwrap(), Some(("late".to_owned(), 2_000)));

    let traced = session.with(CallOptions::new().tracing(true)).execute(&select, ()).unwrap();
    assert!(traced.tracing_id().is_some() && result.tracing_id().is_none());

    let node = session.nodes().remove(0);
    assert!(node.is_up && node.release.starts_with("5."));
    let there = session.with(CallOptions::new().node(node.address)).execute(&select, ()).unwrap();
    assert_eq!(there.node(), node.address);
    let nowhere = CallOptions::new().node("127.0.0.1:1".parse().unwrap());
    assert_eq!(session.with(nowhere).execute(&select, ()).unwrap_err().kind(), Kind::NoNode);

    // A row that has expired at the statement's current time.
    let ttl = format!("INSERT INTO {table} (id, name) VALUES (2, 'x') USING TTL 100");
    let then = |seconds| session.with(CallOptions::new().now_in_seconds(seconds));
    then(1_000).execute(ttl, ()).unwrap();
    let select = format!("SELECT name FROM {table} WHERE id = 2");
    assert_eq!(then(1_050).execute(&select, ()).unwrap().len(), 1);
    assert_eq!(then(1_200).execute(&select, ()).unwrap().len(), 0);

    let all = session.with(CallOptions::new().consistency(Consistency::All));
    assert_eq!(all.execute(&select, ()).unwrap().node(), node.address);
}

#[test]
fn both_protocol_versions_work_with_and_without_compression() {
    let place = place!();
    let session = place.session();
    let table = place.table(&session, "id int PRIMARY KEY, a text, b blob");
    let text = "pear ".repeat(40_000);
    // Incompressible data.
    let mut state = 1_u64;
    let bytes = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 56) as u8
    });
    let bytes: Vec<u8> = bytes.take(200_000).collect();
    for version in Version::ALL {
        for compressed in [false, true] {
            let builder = place.builder().version(version).compression(compressed);
            let session = builder.connect(&place.at).unwrap();
            let insert = format!("INSERT INTO {table} (id, a, b) VALUES (?, ?, ?)");
            session.execute(insert, (1, &text, &bytes)).unwrap();
            let result = session.execute(format!("SELECT a, b FROM {table}"), ()).unwrap();
            let result = result.first::<(String, Vec<u8>)>().unwrap();
            assert!(
                result.as_ref() == Some(&(text.clone(), bytes.clone())),
                "{version} {compressed}"
            );
            session.execute(format!("TRUNCATE {table}"), ()).unwrap();
        }
    }
    let four = place.builder().version(Version::V4).connect(&place.at).unwrap();
    let named = four.with(CallOptions::new().keyspace(&*place.keyspace));
    let error = named.execute("SELECT * FROM t", ()).unwrap_err();
    assert!(error.message().contains("takes version 5"), "{error}");
    // Without a field for the keyspace there are other connections for it.
    four.execute(format!("USE {}", place.keyspace), ()).unwrap();
    four.execute(format!("SELECT * FROM {table}"), ()).unwrap();
    four.execute("USE system", ()).unwrap();
    assert_eq!(four.execute("SELECT key FROM local WHERE key = ?", ("local",)).unwrap().len(), 1);
    four.execute(format!("SELECT * FROM {table}"), ()).unwrap_err();
}
